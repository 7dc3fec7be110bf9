// Programs of the machine that some tests need.
import { spawnSync } from "node:child_process";

/** True if the program is installed and ends with 0 when run with these arguments. */
export function hasTool(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: "ignore" }).status === 0;
}
