// Loads the program. Apart from the launcher: an old Node cannot parse import().
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const main = join(__dirname, "../dist/cli/main.js");
if (existsSync(main)) {
  import(pathToFileURL(main).href);
} else {
  process.stderr.write("sextant is not built yet: run `npm run build` first\n");
  process.exitCode = 1;
}
