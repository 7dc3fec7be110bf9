// A network to fork.
import { BIGINT, OBJECT, TEXT } from "../../base/option.ts";
import { type NumberOptions, type NumberSettings, SECOND_MS } from "../../base/settings.ts";
import type { UpstreamApiKey } from "./follow-options.ts";
import { optionTable } from "./option-table.ts";

export const FORK_NUMBERS = {
  /** Requests per second to the network's node; 0 means no cap. */
  upstreamRate: { fallback: 50, min: 0, max: 100_000 },
  /** For one item, or one question below the fork. No answer in time is a 503. */
  answerTimeoutMs: { fallback: 5 * SECOND_MS, min: 10, max: 60 * SECOND_MS },
} as const satisfies NumberSettings;

/** A network to fork: its state at one version, with local blocks on top. */
export interface ForkOptions extends NumberOptions<typeof FORK_NUMBERS> {
  /** Base URL of a full node of the network, with or without `/v1`. */
  readonly url: string;
  /** The version to fork at: the node's latest at the first start unless given. A store keeps it. */
  readonly version?: bigint | undefined;
  /** The key of the node. */
  readonly apiKey?: UpstreamApiKey | undefined;
}

export const FORK_TABLE = optionTable<ForkOptions>()({
  flags: {},
  numbers: FORK_NUMBERS,
  others: { apiKey: OBJECT, url: TEXT, version: BIGINT },
});
