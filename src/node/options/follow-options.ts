// A network to follow.
import {
  CALLBACK,
  choiceOption,
  durationOption,
  FLAG,
  grouped,
  integerOption,
  listKind,
  listOption,
  OBJECT,
  switchOption,
  textOption,
} from "../../base/option.ts";
import { DAY_MS, type NumberOptions, type NumberSettings } from "../../base/settings.ts";
import { FOLLOWER_NUMBERS } from "../../sync/follow/follower-parts.ts";
import { PROOF_NUMBERS } from "../../sync/signatures/proof-keeper.ts";
import { OPEN_BLOCK_NUMBERS } from "../../sync/verify/verifier.ts";
import { optionTable } from "./option-table.ts";

export const FOLLOW_NUMBERS = {
  ...FOLLOWER_NUMBERS,
  ...PROOF_NUMBERS,
  ...OPEN_BLOCK_NUMBERS,
  /** The chain that upstreams must belong to; left out, that of the ledger, or of the first upstream. */
  chainId: { fallback: undefined, min: 1, max: 255 },
  /** Requests per second to each upstream; 0 means no cap. */
  upstreamRate: { fallback: 50, min: 0, max: 100_000 },
  /** How old the ledger of a ready node may be while it is not at the head. No timer runs for it. */
  readyLagMs: { fallback: 30_000, min: 0, max: 36_500 * DAY_MS },
} as const satisfies NumberSettings;

/**
 * Sent with every request to one upstream, as `Authorization: Bearer …` unless a header is named; over https, or over
 * http to this machine.
 */
export interface UpstreamApiKey {
  readonly value: string;
  readonly header?: string | undefined;
}

/** A network to follow. */
export interface FollowOptions extends NumberOptions<typeof FOLLOW_NUMBERS> {
  /** Base URLs of full nodes, with or without `/v1`, and of backup folders (`file:`, `backup+https:`). */
  readonly upstreams: readonly string[];
  /** How many of the upstreams must give the same accumulator root before a commit, such as `2/3`. */
  readonly agree?: string | undefined;
  /** Start at the block of this version, or at `latest`, instead of genesis. */
  readonly startVersion?: string | undefined;
  /**
   * What a node that starts in the middle has of the state before: `lazy` fetches each item on first use, `whole` fetches all
   * of them, with proofs, before it begins.
   */
  readonly state?: "lazy" | "whole" | undefined;
  /**
   * URLs of proof sources: backup folders (file, http or https) and nodes' backup services. They need a waypoint, where
   * the chain of signatures begins.
   */
  readonly proofs?: readonly string[] | undefined;
  /** The key of the only upstream; several upstreams have `apiKeys`. */
  readonly apiKey?: UpstreamApiKey | undefined;
  /** The key of each upstream, in their order; undefined for one without. */
  readonly apiKeys?: readonly (UpstreamApiKey | undefined)[] | undefined;
  /** Hands submitted transactions on to the first upstream. */
  readonly forwardSubmissions?: boolean | undefined;
  /** False starts no second process to verify records while the node is far behind. */
  readonly verifyingProcess?: boolean | undefined;
  /** Called after each commit and about once a second. */
  readonly onProgress?: ((progress: FollowProgress) => void) | undefined;
}

/** How far a follower is. */
export interface FollowProgress {
  /** Where this run started; undefined without a ledger, as is `version`. */
  readonly firstVersion: bigint | undefined;
  readonly version: bigint | undefined;
  /** The upstreams' head; undefined while none tells it. */
  readonly headVersion: bigint | undefined;
  /** Bytes received from upstreams. */
  readonly receivedBytes: number;
  /** Why the node is not ready; undefined when it is. */
  readonly unreadyReason: string | undefined;
}

const KEY_HELP =
  "The API key of the first goes in SEXTANT_UPSTREAM_API_KEY_1, and so on (or in SEXTANT_UPSTREAM_API_KEY if there is only one); it is sent as Authorization: Bearer, or in the header that SEXTANT_UPSTREAM_API_KEY_1_HEADER names, and never over plain http to another machine";

export const FOLLOW_TABLE = optionTable<FollowOptions>()({
  flags: grouped("Following", {
    upstream: listOption(
      `Full node to follow, or with --proofs a backup folder with transactions (file:///DIR, backup+https://HOST/PATH). ${KEY_HELP}`,
      "URL",
    ),
    agree: textOption(
      "Number of upstreams that must agree before a commit, such as 2/3 for two of three",
      "NEEDED/OF",
    ),
    "start-version": textOption(
      "Start at the block that holds this version, or at the latest block, and fetch older items on first use; with --fork, the version to fork at",
      "VERSION|latest",
    ),
    state: choiceOption(
      "State that a node with --start-version has: each item fetched on first use (lazy), or all of them, proven, before it begins (whole)",
      ["lazy", "whole"],
      "lazy",
    ),
    proofs: {
      ...listOption(
        "Source of ledger infos that validators signed, which prove the followed history from --waypoint on: a backup folder (file, http or https), a node's backup service, or a peer (/dns/HOST/tcp/PORT/noise-ik/KEY/handshake/0)",
        "URL",
      ),
      suffix: "" as const,
    },
    "forward-submissions": switchOption("Hand submitted transactions on to the first upstream", false),
    "upstream-rate": integerOption(
      "Limit on requests per second to each upstream; 0 for no limit (default 50, or that of --network)",
      "COUNT",
      { ...FOLLOW_NUMBERS.upstreamRate, fallback: undefined },
    ),
    "ready-lag": durationOption(
      "Age of the ledger up to which the node is ready while it is not at the head; 0 to be ready only at the head",
      FOLLOW_NUMBERS.readyLagMs,
    ),
    "give-up-time": durationOption(
      "Exit when the upstreams have all failed the checks, or disagreed, for this long; unreachable ones do not count",
      FOLLOW_NUMBERS.giveUpTimeMs,
    ),
  }),
  numbers: FOLLOW_NUMBERS,
  others: {
    apiKey: OBJECT,
    apiKeys: listKind("objects", { fits: (value) => value === undefined || OBJECT.fits(value) }),
    onProgress: CALLBACK,
    verifyingProcess: FLAG,
  },
});
