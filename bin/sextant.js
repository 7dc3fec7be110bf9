#!/usr/bin/env node
// Launcher of the built command line.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(main)) {
  process.stderr.write("sextant is not built yet: run `npm run build` first\n");
  process.exit(1);
}
await import(main.href);
