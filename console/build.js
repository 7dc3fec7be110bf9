// Builds the console into dist/console: one page, its style, and scripts whose names change with their content, so that
// browsers keep them for good.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "rolldown";
import { sharedStyle } from "./shared-style.js";

const OUT = "dist/console";

function hashed(name, text, ending) {
  return `${name}-${createHash("sha256").update(text).digest("base64url").slice(0, 10)}.${ending}`;
}

/** Without comments and the space around them. The sheet has no text in which that would matter. */
function shrink(css) {
  return css
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,>]) ?/g, "$1")
    .trim();
}

export async function buildConsole() {
  const { output } = await build({
    input: { console: "console/src/main.tsx" },
    platform: "browser",
    plugins: [
      {
        // The export for browsers, as the build before this one made it.
        name: "verify",
        resolveId: (id) => (id.endsWith("/src/verify.ts") ? resolve("dist/verify.js") : null),
      },
    ],
    tsconfig: "console/tsconfig.json",
    transform: { define: { "process.env.NODE_ENV": '"production"' }, target: "es2022" },
    output: {
      dir: OUT,
      minify: true,
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
    },
  });
  // A file of the server would leave a page that no browser runs.
  const foreign = output.flatMap(({ imports = [] }) => imports.filter((name) => name.startsWith("node:")));
  if (foreign.length > 0) throw new Error(`the console imports ${[...new Set(foreign)].join(", ")}`);
  const entry = output.find((file) => file.type === "chunk" && file.isEntry);
  const style = [
    readFileSync("node_modules/uplot/dist/uPlot.min.css", "utf8"),
    sharedStyle(),
    readFileSync("console/src/style.css", "utf8"),
  ];
  const css = shrink(style.join("\n"));
  const styleName = hashed("console", css, "css");
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}/${styleName}`, css);
  const page = readFileSync("console/index.html", "utf8")
    .replace("{{style}}", styleName)
    .replace("{{script}}", entry.fileName)
    .replace(/\n\s+/g, "\n");
  writeFileSync(`${OUT}/index.html`, page);
}
