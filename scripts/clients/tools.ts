// Tools of other languages, installed into the project's cache at fixed versions. A later run finds them there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
export const CACHE: string = join(ROOT, ".cache", "clients");

/** A tool that is not installed and cannot be. */
export class MissingTool extends Error {}

/** Runs a program and returns what it prints. Throws with its output if it fails. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

function install(what: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  console.log(`installing ${what}`);
  try {
    run(program, args, { env });
  } catch (error) {
    throw new MissingTool(`${what} cannot be installed: ${error instanceof Error ? error.message : error}`);
  }
}

function assertInstalled(program: string, args: readonly string[]): void {
  try {
    run(program, args);
  } catch (error) {
    throw new MissingTool(
      `${program} is needed and not there: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** The folder with the programs of a Python package, such as `name==1.0`. Throws MissingTool. */
export function pythonTool(requirement: string): string {
  const folder = join(CACHE, `python-${requirement.replace(/[^\w.-]+/g, "-")}`);
  const bin = join(folder, "bin");
  const done = join(folder, "installed");
  if (existsSync(done)) return bin;
  assertInstalled("python3", ["--version"]);
  mkdirSync(CACHE, { recursive: true });
  install(`a Python environment for ${requirement}`, "python3", ["-m", "venv", "--clear", folder]);
  install(requirement, join(bin, "pip"), ["install", "--quiet", requirement]);
  mkdirSync(done);
  return bin;
}

/** The path of a Go program, such as `host/module/cmd/name@v1.0.0`. Throws MissingTool. */
export function goTool(requirement: string): string {
  const [path = "", version = ""] = requirement.split("@");
  const folder = join(CACHE, `go-${version}`);
  const program = join(folder, path.split("/").at(-1) ?? "");
  if (existsSync(program)) return program;
  assertInstalled("go", ["version"]);
  mkdirSync(folder, { recursive: true });
  install(requirement, "go", ["install", requirement], { GOBIN: folder });
  return program;
}
