// Prepares the files for browsers in dist/: builds the API reference, copies the icons, packs every file of console and
// reference with gzip and brotli, and writes the list by which src/http/pages/static-files.ts serves them. Runs last in the build.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "rolldown";
import { sharedStyle } from "./console/shared-style.js";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};
const DIST = "dist";
/** A coding that saves less is not worth another file. */
const WORTH = 0.9;

function hashOf(bytes) {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

async function buildReference() {
  const sources = "console/reference";
  const folder = join(DIST, "reference");
  const { output } = await build({
    input: { reference: `${sources}/main.tsx` },
    platform: "browser",
    tsconfig: "console/tsconfig.json",
    transform: { define: { "process.env.NODE_ENV": '"production"' }, target: "es2022" },
    output: { dir: folder, minify: true, entryFileNames: "[name]-[hash].js" },
  });
  const script = output.find((file) => file.type === "chunk" && file.isEntry);
  const style = sharedStyle() + readFileSync(`${sources}/style.css`, "utf8");
  const styleName = `reference-${hashOf(style).slice(0, 10)}.css`;
  writeFileSync(join(folder, styleName), style);
  const page = readFileSync(`${sources}/index.html`, "utf8");
  writeFileSync(
    join(folder, "index.html"),
    page.replace("{{style}}", styleName).replace("{{script}}", script.fileName),
  );
}

await buildReference();
mkdirSync(join(DIST, "console"), { recursive: true });
for (const name of ["mark.svg", "icon.png"]) copyFileSync(join("console", name), join(DIST, "console", name));

const list = {};
for (const folder of ["console", "reference"]) {
  if (!existsSync(join(DIST, folder))) continue;
  for (const entry of readdirSync(join(DIST, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(DIST.length + 1).replaceAll("\\", "/");
    const type = TYPES[extname(name)];
    if (type === undefined) throw new Error(`${name}: no media type is known for it`);
    const bytes = readFileSync(path);
    const sizes = { identity: bytes.length };
    const packed = {
      br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      gzip: gzipSync(bytes, { level: 9 }),
    };
    for (const [coding, compressed] of Object.entries(packed)) {
      if (compressed.length > bytes.length * WORTH) continue;
      sizes[coding] = compressed.length;
      writeFileSync(`${path}.${coding === "gzip" ? "gz" : coding}`, compressed);
    }
    list[name] = { type, hash: hashOf(bytes), sizes };
  }
}
writeFileSync(join(DIST, "web-files.json"), JSON.stringify(list));
