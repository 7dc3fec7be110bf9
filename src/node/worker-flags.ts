// Node's own flags for worker processes.

const SEMI_SPACE = "--max-semi-space-size";
/**
 * Megabytes of each half of a worker's young generation. Requests leave only garbage, so that a collection takes as long
 * as what it keeps, not as the space; node's 16 MB cost a worker 8 MB of memory and save no CPU time that could be measured.
 */
const SEMI_SPACE_MB = 4;

/** V8 takes underscores for dashes. */
function sets(argument: string, flag: string): boolean {
  const name = argument.split("=")[0]?.replaceAll("_", "-");
  return name === flag;
}

/** Flags with code to run in the place of a file, and of which kind it is. A worker would run it again. */
const CODE = ["-e", "--eval", "-p", "--print", "-pe"];
const CODE_KIND = "--input-type";

/** The flags of this process, and those for workers that the operator left to the program. */
export function workerFlags(execArgv: readonly string[], nodeOptions = ""): string[] {
  const isSet = [...execArgv, ...nodeOptions.split(/\s+/)].some((argument) => sets(argument, SEMI_SPACE));
  const flags = execArgv.filter(
    (argument, i) =>
      !CODE.some((flag) => sets(argument, flag)) &&
      !CODE.includes(execArgv[i - 1] ?? "") &&
      !sets(argument, CODE_KIND),
  );
  return isSet ? flags : [...flags, `${SEMI_SPACE}=${SEMI_SPACE_MB}`];
}
