// Loads the program. Apart from the launcher: an old Node cannot parse import().
const { existsSync, lstatSync, mkdirSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { homedir } = require("node:os");
const { isAbsolute, join } = require("node:path");
const { pathToFileURL } = require("node:url");

/** What to do about a machine that lacks something. */
function hintFor({ code, message }) {
  if (code === "EMFILE" || code === "ENFILE") return ": allow more open files (ulimit -n)";
  return code === "ENOMEM" || /out of memory/i.test(message) ? ": allow more memory (ulimit -v)" : "";
}

/** True for a folder that nobody but this user may write. */
function isOwn(entry) {
  if (!entry.isDirectory()) return false;
  return process.getuid === undefined || (entry.uid === process.getuid() && (entry.mode & 0o022) === 0);
}

/**
 * Keeps compiled code between runs, where Node can. The code is in the user's own folder, because any user could put
 * code into Node's default folder, and this process would run it. The folder is made here: Node tries for ever to make
 * one where a file system refuses it.
 */
function keepCompiledCode() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  if (enableCompileCache === undefined || NODE_COMPILE_CACHE) return;
  try {
    const folder = join(XDG_CACHE_HOME || join(homedir(), ".cache"), "sextant");
    // A relative folder lies in the working directory, which another user may own.
    if (!isAbsolute(folder)) return;
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    if (isOwn(lstatSync(folder))) enableCompileCache(folder);
  } catch {
    // A user without a home or a cache folder: the program runs without.
  }
}

if (process.argv[2] === "start") {
  // While the program loads there is nothing to lose; the command takes these signals over.
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(0));
}
keepCompiledCode();
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
