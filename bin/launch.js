// Loads the program. Apart from the launcher: an old Node cannot parse import().
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

/** What to do about a machine that lacks something. */
function hintFor({ code, message }) {
  if (code === "EMFILE" || code === "ENFILE") return ": allow more open files (ulimit -n)";
  return code === "ENOMEM" || /out of memory/i.test(message) ? ": allow more memory (ulimit -v)" : "";
}

const main = join(__dirname, "../dist/cli/main.js");
if (existsSync(main)) {
  import(pathToFileURL(main).href).catch((error) => {
    const [reason] = String(error.message).split("\n");
    process.stderr.write(`sextant: cannot load the program: ${reason}${hintFor(error)}\n`);
    process.exitCode = 1;
  });
} else {
  process.stderr.write("sextant is not built yet: run `npm run build` first\n");
  process.exitCode = 1;
}
