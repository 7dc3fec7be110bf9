// Package managers and versions of node, as packages of the registry. They are installed into the project's cache; a
// later run finds them there.
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = join(ROOT, ".cache", "package");
/** Time limit of one command. */
const COMMAND_MS = 300_000;

/** A tool that is not installed and cannot be. */
export class MissingTool extends Error {}

/** Runs a program and returns what it prints. Throws with the end of its output if it fails. */
export function run(
  program: string,
  args: readonly string[],
  options: Pick<SpawnSyncOptions, "cwd" | "env"> = {},
): string {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    encoding: "utf8",
    timeout: COMMAND_MS,
    maxBuffer: 64 << 20,
  });
  if (error !== undefined) throw error;
  if (status === 0) return stdout;
  const said = `${stdout}${stderr}`.trim().split("\n").slice(-12).join("\n");
  throw new Error(`${program} ${args.join(" ")} ended with ${status ?? signal}:\n${said}`);
}

/** The folder of a package, such as `pnpm@10.34.9`. Throws MissingTool. */
function install(requirement: string): string {
  const folder = join(CACHE, requirement.replace(/[^\w.-]+/g, "-"));
  const name = requirement.slice(0, requirement.lastIndexOf("@"));
  const done = join(folder, "installed");
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}\n');
    try {
      run("npm", ["install", "--no-save", "--no-package-lock", requirement], { cwd: folder });
    } catch (error) {
      throw new MissingTool(`${requirement}: ${error instanceof Error ? error.message : error}`);
    }
    writeFileSync(done, "");
  }
  return join(folder, "node_modules", name);
}

/** The folder with the program `node` of a version, to be put in front of PATH. Throws MissingTool. */
export function nodeFolder(version: string): string {
  const folder = join(install(`node@${version}`), "bin");
  try {
    run(join(folder, "node"), ["--version"]);
  } catch (error) {
    throw new MissingTool(`node ${version} does not run: ${error instanceof Error ? error.message : error}`);
  }
  return folder;
}

/** The file of a package manager that node runs. Throws MissingTool. */
export function managerFile(requirement: string, file: string): string {
  return join(install(requirement), file);
}

/** npm's own file, of the npm that runs this. */
export function npmFile(): string {
  const file = process.env.npm_execpath;
  if (file?.endsWith("npm-cli.js") === true) return file;
  const beside = join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  if (existsSync(beside)) return beside;
  throw new MissingTool("npm: run this through `npm run package:check`");
}
