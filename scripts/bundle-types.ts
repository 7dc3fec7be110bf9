// Replaces the types that the build wrote by one file for each export of the package, with the public ones only. The others import
// types of lmdb, cassandra-driver and node, which a consumer with `skipLibCheck: false` may lack. Runs after the build,
// before a package is packed.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateDtsBundle } from "dts-bundle-generator";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const entries = ["index.d.ts", "verify.d.ts"].map((name) => join(dist, name));
const config = join(dist, "tsconfig.json");
const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "es2024.string"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

function bundle(entry: string): string {
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [entry] }));
  try {
    const output = { exportReferencedTypes: false, noBanner: true };
    return generateDtsBundle([{ filePath: entry, output }], { preferredConfigPath: config }).join("");
  } finally {
    rmSync(config);
  }
}

const texts = entries.map((entry) => ({ entry, text: bundle(entry) }));
for (const { text } of texts) {
  const leak = /^import .*|^\/\/\/ <reference.*|\bBuffer\b|\bNodeJS\b/m.exec(text);
  if (leak !== null) throw new Error(`the public types use ${leak[0]}, which a consumer may lack`);
}
for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (path.endsWith(".d.ts")) rmSync(join(dist, path));
}
for (const { entry, text } of texts) writeFileSync(entry, text);
