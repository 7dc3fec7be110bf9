// Generates src/chain/module-bytes.ts from the module texts in local-chain-modules/. With --check it writes nothing and
// fails if the file is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderModuleBytes } from "./local-chain-modules/assemble.ts";

const path = fileURLToPath(new URL("../src/chain/module-bytes.ts", import.meta.url));
const text = renderModuleBytes();
if (!process.argv.includes("--check")) {
  writeFileSync(path, text);
} else if (readFileSync(path, "utf8") !== text) {
  console.error("src/chain/module-bytes.ts is out of date: run npm run modules");
  process.exitCode = 1;
}
