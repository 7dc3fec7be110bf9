// Environment variables that look like options of this program and are none: a misspelt one would be ignored in silence.
import { didYouMean } from "../base/nearest.ts";
import type { Command, CommandContext } from "./command.ts";
import { environmentName } from "./option.ts";

const PREFIX = "SEXTANT_";
const API_KEY = "SEXTANT_UPSTREAM_API_KEY";
/** `start` checks the numbers. */
const API_KEY_PATTERN = /^SEXTANT_UPSTREAM_API_KEY(?:_\d{1,9})?(?:_HEADER)?$/;

/** The variables that look like options and that `known` does not have. */
function variablesOutside(
  environment: CommandContext["environment"],
  known: ReadonlySet<string>,
): readonly string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !API_KEY_PATTERN.test(name) && !known.has(name),
  );
}

function variablesOf(commands: readonly Command[]): ReadonlySet<string> {
  return new Set(commands.flatMap(({ options }) => Object.keys(options).map(environmentName)));
}

/** One sentence for each variable that no command reads. Loads the other commands only if `command` does not read all. */
export async function unknownVariables(
  environment: CommandContext["environment"],
  command: Command,
  loadAll: () => Promise<readonly Command[]>,
): Promise<string[]> {
  if (variablesOutside(environment, variablesOf([command])).length === 0) return [];
  const known = variablesOf(await loadAll());
  const settings = [...known, API_KEY].map((one) => one.slice(PREFIX.length));
  return variablesOutside(environment, known)
    .toSorted()
    .map((name) => {
      const hint = didYouMean(name.slice(PREFIX.length), settings, PREFIX);
      return `${name} is not a setting and is ignored${hint}`;
    });
}
