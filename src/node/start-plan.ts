// What a start will do, from its options: what can be refused before anything is touched is refused here.
import { readFile } from "node:fs/promises";
import { assertDurations } from "../base/durations.ts";
import { ConfigError, errorText } from "../base/errors.ts";
import { createLocalChain, type LocalChain } from "../chain/local-chain.ts";
import { HTTP_DEFAULTS } from "../http/server.ts";
import type { GenesisCheck } from "../ledger/genesis.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { clusterSettings } from "./cluster.ts";
import { type FollowPlan, planFollowing } from "./following.ts";
import { checkGenesisFile, parseWaypointOption } from "./genesis-report.ts";
import { assertHttpOptions } from "./http-settings.ts";
import type { NodeOptions } from "./options.ts";

/** Where the records of a node come from. A node that only reads has none of it. */
export interface StartPlan {
  /** The genesis that the ledger begins with, checked; undefined where it comes from upstreams or is there already. */
  readonly check: GenesisCheck | undefined;
  /** The waypoint that the genesis matched; undefined where none was given. */
  readonly proven: Waypoint | undefined;
  readonly follow: FollowPlan | undefined;
  readonly chain: LocalChain | undefined;
}

const DEFAULT_SEED = "sextant";

async function readGenesis(genesis: string | Uint8Array | undefined): Promise<Uint8Array | undefined> {
  // The caller may use its bytes for something else before the ledger begins with them.
  if (typeof genesis !== "string") return genesis && new Uint8Array(genesis);
  try {
    return await readFile(genesis);
  } catch (error) {
    throw new ConfigError(`cannot read the genesis file ${genesis}: ${errorText(error)}`, error);
  }
}

function checkStore({ data, cassandra, http, follow }: NodeOptions): void {
  if (cassandra !== undefined) clusterSettings(cassandra);
  if (cassandra !== undefined && data !== undefined) {
    throw new ConfigError("data: the ledger is kept in a cluster (cassandra), not in a directory");
  }
  if ((http?.workers ?? 0) === 0) return;
  if ((data === undefined && cassandra === undefined) || follow?.startVersion !== undefined) {
    throw new ConfigError(
      "workers: they need a store on disk or in a cluster, and a ledger that does not start in the middle",
    );
  }
}

function checkTimes({ localChain, follow, http }: NodeOptions): void {
  const timeouts = { ...HTTP_DEFAULTS.timeouts, ...http?.limits?.timeouts };
  assertDurations({
    "block-time": localChain?.blockTimeMs,
    "poll-time": follow?.pollMs,
    "retry-time": follow?.retryMs,
    "give-up-time": follow?.faultAfterMs,
    "max-lag": http?.maxLagMs,
    "max-wait": http?.limits?.maxWaitMs,
    "headers-timeout": timeouts.headersMs,
    "request-timeout": timeouts.requestMs,
    "keep-alive-timeout": timeouts.keepAliveMs,
    "read-timeout": timeouts.idleMs,
    "answer-timeout": timeouts.answerMs,
  });
  if (timeouts.headersMs > timeouts.requestMs) {
    throw new ConfigError(
      "headers-timeout: expected at most request-timeout, which holds for all of a request",
    );
  }
}

/** Plans a start. Throws ConfigError, or LedgerError for a genesis that is not the one of the waypoint. */
export async function planStart(options: NodeOptions): Promise<StartPlan> {
  const { genesis, waypoint, localChain, follow, readOnly, http } = options;
  if (http !== undefined) assertHttpOptions(http);
  checkStore(options);
  checkTimes(options);
  const waypoints = (typeof waypoint === "string" ? [waypoint] : (waypoint ?? [])).map(parseWaypointOption);
  if (readOnly === true) return { check: undefined, proven: undefined, follow: undefined, chain: undefined };
  const expected = follow === undefined ? waypoints[0] : waypoints.find(({ version }) => version === 0n);
  const followPlan = follow === undefined ? undefined : planFollowing(follow, waypoints);
  if (followPlan !== undefined && localChain !== undefined) {
    throw new ConfigError("a node that follows makes no blocks of its own");
  }
  const isLocal = followPlan === undefined && (genesis === undefined || localChain !== undefined);
  const seed = localChain?.seed ?? DEFAULT_SEED;
  const file = await readGenesis(genesis);
  const network = file === undefined ? undefined : checkGenesisFile(file, expected);
  const chain = isLocal ? createLocalChain({ seed, genesis: network?.writes }) : undefined;
  const check =
    network ?? (chain === undefined ? undefined : checkGenesisFile(chain.genesisBlob(), expected));
  return { check, proven: check && expected, follow: followPlan, chain };
}
