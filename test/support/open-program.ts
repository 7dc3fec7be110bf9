// The built program for another user of this machine, who may not reach the directory that it was cloned into.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bin } from "./program.ts";
import { temporaryFolder } from "./temporary.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const READ_OR_LOOK = 0o005;

/** Whether every user may read a file and look into the folders above it. */
function isOpen(path: string): boolean {
  const isReadable = (statSync(path).mode & READ_OR_LOOK) === READ_OR_LOOK;
  return isReadable && (dirname(path) === path || isOpen(dirname(path)));
}

/** Packages that the program needs when it runs. */
function packages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const used = Object.entries(lock.packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  return used.flatMap(([path]) => (path !== "" && existsSync(join(ROOT, path)) ? [path] : []));
}

/** Node and the launcher, or copies of them where they are closed to others. */
export function openProgram(): { readonly node: string; readonly bin: string } {
  const folder = temporaryFolder();
  let node = process.execPath;
  if (!isOpen(node)) {
    node = join(folder, "node");
    copyFileSync(process.execPath, node);
  }
  const isReachable = isOpen(bin);
  if (!isReachable) {
    for (const part of ["bin", "dist", "package.json", ...packages()])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  execFileSync("chmod", ["-R", "a+rX", folder]);
  chmodSync(folder, 0o755);
  return { node, bin: isReachable ? bin : join(folder, "bin/sextant.js") };
}
