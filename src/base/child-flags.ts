// Which of node's own flags a child process gets: all of this process, except those that are for one process only.

/** Flags that say what to run in the place of a file, or how. A child would do that again instead of its own work. */
const WHAT_TO_RUN =
  /^(?:-[epci]|-pe|--(?:eval|print|check|interactive|input-type|run|prof-process|snapshot-blob|(?:test|watch|build|experimental-sea)(?:-.*)?))$/;
/** Ports and files that two processes cannot share. */
const FOR_ONE =
  /^--(?:inspect(?:-.*)?|debug-port|(?:cpu|heap)-prof-name|report-filename|trace-event-file-pattern)$/;
const LOADER = "--import";
const YOUNG_GENERATION = "--max-semi-space-size";

export interface ChildNeeds {
  /** The file that the child runs. A source needs a translator. */
  readonly entry: string;
  /** Megabytes of each half of its young generation, unless the operator set another size; otherwise node's own. */
  readonly youngGenerationMb?: number;
}

/** V8 takes underscores for dashes. */
function nameOf(flag: string): string {
  const [name = ""] = flag.split("=", 1);
  return name.startsWith("--") ? name.replaceAll("_", "-") : name;
}

/** Each flag with its values: node takes no value that begins with a dash, so that every other argument is a value. */
function groups(execArgv: readonly string[]): string[][] {
  const all: string[][] = [];
  for (const argument of execArgv) {
    if (argument.startsWith("-")) all.push([argument]);
    else all.at(-1)?.push(argument);
  }
  return all;
}

/** Flags for a child of a process with these flags. The child has NODE_OPTIONS from its environment. */
export function childFlags(
  execArgv: readonly string[],
  { entry, youngGenerationMb }: ChildNeeds,
  nodeOptions = "",
): string[] {
  const kept = groups(execArgv)
    .filter(([flag = ""]) => !WHAT_TO_RUN.test(nameOf(flag)) && !FOR_ONE.test(nameOf(flag)))
    .flat();
  const isSet = (name: string): boolean =>
    [...kept, ...nodeOptions.split(/\s+/)].some((flag) => nameOf(flag) === name);
  if (entry.endsWith(".ts") && !isSet(LOADER)) kept.push(LOADER, "tsx");
  if (youngGenerationMb !== undefined && !isSet(YOUNG_GENERATION)) {
    kept.push(`${YOUNG_GENERATION}=${youngGenerationMb}`);
  }
  return kept;
}
