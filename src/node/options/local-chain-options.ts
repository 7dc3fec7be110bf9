// A chain that makes its own blocks, and a network to fork.
import {
  BIGINT,
  CALLBACK,
  durationOption,
  FLAG,
  grouped,
  integerOption,
  OBJECT,
  type Option,
  switchOption,
  TEXT,
  textOptionWithDefault,
} from "../../base/option.ts";
import { DAY_MS, type NumberOptions, type NumberSettings, SECOND_MS } from "../../base/settings.ts";
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

/** The seed of a chain that is given none. */
export const DEFAULT_SEED = "sextant";

const LOCAL_CHAIN_NUMBERS = {
  /**
   * Time between blocks, on the wall clock; 0 makes them as fast as possible, on a clock of their own, so that the ledger
   * depends on the seed alone. Left out, only calls and submissions make blocks.
   */
  blockTimeMs: { fallback: undefined, min: 0, max: 24 * DAY_MS },
  /** Time between changes of epoch; left out, ten minutes, or that of the ledger if it exists. */
  epochTimeMs: { fallback: undefined, min: 1, max: 24 * DAY_MS },
  /**
   * Port of the faucet; nine above it is the status that the official TypeScript SDK asks for after funding. 0 picks free
   * ones. Left out, there is neither.
   */
  faucetPort: { fallback: undefined, min: 0, max: 65_526 },
  /** Stops after this many blocks; never when left out. */
  blocks: { fallback: undefined, min: 0, max: 1_000_000_000 },
} as const satisfies NumberSettings;

/** A chain that makes its own blocks. */
export interface LocalChainOptions extends NumberOptions<typeof LOCAL_CHAIN_NUMBERS> {
  /**
   * The same seed gives the same ledger: without a block time, blocks then have a clock of their own, which begins with
   * 2024 and steps by a second. Without a seed they have the wall clock's time.
   */
  readonly seed?: string | undefined;
  /** False makes no random transactions of the demo accounts: they are then all yours. */
  readonly traffic?: boolean | undefined;
  /** Makes a block as soon as a transaction is submitted, without waiting for the block time. */
  readonly blockOnSubmit?: boolean | undefined;
  /** Called after each block with the number made since the start. */
  readonly onBlock?: ((made: number) => void) | undefined;
}

/** A port beside the main one: the node starts without it if it is taken. */
function portOption(help: string, fallback: number): Option<number | undefined, ""> {
  const option = integerOption(
    `${help}; 0 picks a free one, off starts none; one that is taken is told and left out`,
    "PORT|off",
    LOCAL_CHAIN_NUMBERS.faucetPort,
  );
  return { ...option, parse: (text) => (text === "off" ? undefined : option.parse(text)), fallback };
}

export const LOCAL_CHAIN_TABLE = optionTable<LocalChainOptions>()({
  flags: grouped("Local chain", {
    seed: textOptionWithDefault("Seed of the local chain's accounts and transactions", "TEXT", DEFAULT_SEED),
    "block-time": durationOption("Time between blocks of the local chain; 0 for as fast as possible", {
      ...LOCAL_CHAIN_NUMBERS.blockTimeMs,
      fallback: SECOND_MS,
    }),
    traffic: switchOption(
      "Make no random transactions of the demo accounts, so that their sequence numbers and balances are yours alone",
      true,
    ),
    "faucet-port": portOption(
      "Port of the local chain's faucet; nine above it (8090) is the processor status that the official TypeScript SDK asks for",
      8081,
    ),
    blocks: integerOption(
      "Stop making blocks after this many, and keep serving (default no limit)",
      "COUNT",
      LOCAL_CHAIN_NUMBERS.blocks,
    ),
  }),
  numbers: LOCAL_CHAIN_NUMBERS,
  others: { blockOnSubmit: FLAG, onBlock: CALLBACK },
});
