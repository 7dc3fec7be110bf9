// Programs of the machine that some tests need; scripts/contrib-tools.sh brings those that check contrib/.
import { spawnSync } from "node:child_process";
import { delimiter, resolve } from "node:path";

/** What scripts/contrib-tools.sh brings. */
export const TOOLS = resolve(".cache/contrib-tools");

process.env.PATH = [resolve(TOOLS, "bin"), process.env.PATH].join(delimiter);

/** True if the program is installed and ends with 0 when run with these arguments. */
export function hasTool(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: "ignore" }).status === 0;
}
