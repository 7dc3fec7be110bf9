// Writes the golden vectors of encode_submission under test/vectors. The official SDK's classes make the expected
// bytes; no code of src is used. With --check it writes nothing and fails if a file is out of date; --folder names
// another folder.
//   npm run vectors [-- --check] [-- --folder PATH]
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LOCAL_CHAIN_VECTORS } from "./vectors/encode-local-chain.ts";
import { STRUCTS, TYPE_VECTORS } from "./vectors/encode-types.ts";

const SDK = "@aptos-labs/ts-sdk";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    folder: { type: "string", default: fileURLToPath(new URL("../test/vectors", import.meta.url)) },
  },
});

/** Version of the installed SDK, which makes the bytes. */
function sdkVersion(): string {
  let folder = dirname(createRequire(import.meta.url).resolve(SDK));
  for (;;) {
    const path = join(folder, "package.json");
    try {
      const { name, version } = JSON.parse(readFileSync(path, "utf8")) as { name?: string; version?: string };
      if (name === SDK && version !== undefined) return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    if (folder === dirname(folder)) throw new Error(`no package.json of ${SDK}`);
    folder = dirname(folder);
  }
}

/** One vector per line, for readable diffs. */
function fileText(head: object, vectors: readonly object[]): string {
  const lines = Object.entries({ command: "npm run vectors", sdk: `${SDK} ${sdkVersion()}`, ...head }).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  const items = vectors.map((vector) => `    ${JSON.stringify(vector)}`).join(",\n");
  return `{\n${lines.join("")}  "vectors": [\n${items}\n  ]\n}\n`;
}

const FILES: Readonly<Record<string, string>> = {
  "encode-types.json": fileText(
    {
      about: "Calls of made-up functions of 0xca11ed::vectors. A function has the name of its vector.",
      structs: STRUCTS,
    },
    TYPE_VECTORS,
  ),
  "encode-local-chain.json": fileText(
    { about: "Calls of framework functions that every local chain has." },
    LOCAL_CHAIN_VECTORS,
  ),
};

let stale = 0;
for (const [name, text] of Object.entries(FILES)) {
  const path = join(values.folder, name);
  if (!values.check) {
    writeFileSync(path, text);
    continue;
  }
  if (readFileSync(path, "utf8") === text) continue;
  stale++;
  console.error(`${name} differs from the vectors of the SDK: run npm run vectors`);
}
process.exitCode = stale === 0 ? 0 : 1;
