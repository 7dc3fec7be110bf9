// Environment variables that look like options of this program and are none: a misspelt one would be ignored in silence.
import type { Command, CommandContext } from "./command.ts";
import { didYouMean } from "./nearest.ts";
import { environmentName } from "./option.ts";

const PREFIX = "SEXTANT_";
const API_KEY = "SEXTANT_UPSTREAM_API_KEY";
/** `start` checks the numbers. */
const API_KEY_PATTERN = /^SEXTANT_UPSTREAM_API_KEY(?:_\d{1,9})?(?:_HEADER)?$/;

/** One sentence for each variable that no command reads. */
export function unknownVariables(
  environment: CommandContext["environment"],
  commands: readonly Command[],
): string[] {
  const names = Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !API_KEY_PATTERN.test(name),
  );
  if (names.length === 0) return [];
  const known = new Set(commands.flatMap(({ options }) => Object.keys(options).map(environmentName)));
  return names
    .filter((name) => !known.has(name))
    .sort()
    .map((name) => {
      const hint = didYouMean(
        name.slice(PREFIX.length),
        [...known, API_KEY].map((one) => one.slice(PREFIX.length)),
        PREFIX,
      );
      return `${name} is not a setting and is ignored${hint}`;
    });
}
