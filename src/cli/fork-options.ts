// The options of a fork, and how they become the node's.
import { ConfigError } from "../base/errors.ts";
import type { FollowOptions, ForkOptions } from "../node.ts";
import { parseOperand } from "../node.ts";
import { textOption } from "./option.ts";

export const forkOptions = {
  fork: textOption(
    "Network to fork, by a full node of it: its state at one version, with local blocks on top; the key goes in SEXTANT_UPSTREAM_API_KEY",
    "URL",
  ),
  "fork-version": textOption(
    "Version to fork at (default the latest at the first start; a data directory keeps it)",
    "VERSION",
  ),
};

/** Options that say where a ledger begins or what it follows; a fork takes none of them. */
export const FORK_EXCLUDES = [
  "genesis",
  "waypoint",
  "upstream",
  "agree",
  "start-version",
  "forward-submissions",
  "local-chain",
] as const;

interface ForkValues {
  readonly fork: string | undefined;
  readonly "fork-version": string | undefined;
  readonly "upstream-rate": number;
  readonly workers: number;
}

type ExcludedValues = Readonly<Record<(typeof FORK_EXCLUDES)[number], unknown>>;

/** Throws ConfigError for options that a fork does not go with. */
export function checkFork(values: ForkValues & ExcludedValues): void {
  if (values.fork === undefined) {
    if (values["fork-version"] !== undefined) throw new ConfigError("--fork-version needs --fork");
    return;
  }
  for (const name of FORK_EXCLUDES) {
    const value = values[name];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) continue;
    throw new ConfigError(
      `--${name}: a fork (--fork) begins with the state of its network, so it takes none`,
    );
  }
  if (values.workers !== 0) {
    throw new ConfigError("--workers: expected 0, because a fork (--fork) reads its network in one process");
  }
}

/** The fork that the options describe; undefined if they describe none. */
export function forkOf(
  values: ForkValues,
  readApiKey: () => FollowOptions["apiKey"],
): ForkOptions | undefined {
  const { fork: url, "fork-version": version } = values;
  if (url === undefined) return undefined;
  return {
    url,
    version: version === undefined ? undefined : parseOperand("version", "--fork-version", version),
    upstreamRate: values["upstream-rate"],
    apiKey: readApiKey(),
  };
}
