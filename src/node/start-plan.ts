// Checks the options and plans the start. Everything that can be refused before a store is touched is refused here.
import { readFile } from "node:fs/promises";
import { equalBytes } from "../base/bytes.ts";
import { ConfigError, errorText } from "../base/errors.ts";
import type { AuthoredChange } from "../chain/authoring.ts";
import { type BlockSource, createLocalChain, type LocalChain } from "../chain/local-chain.ts";
import { assertHasCode, createMachineSource, type MachineSource } from "../chain/machine-source.ts";
import { createNetworkChain, type NetworkChainSettings } from "../chain/network-chain.ts";
import { checkGenesis, type GenesisCheck } from "../ledger/formats/genesis.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { type ProofWindow, parseProofWindow } from "../sync/maintenance/prune-window.ts";
import { accountChanges } from "./api/first-accounts.ts";
import type { FollowPlan } from "./following/following.ts";
import type { ForkPlan } from "./following/forking.ts";
import { DEFAULT_SEED, FORK_TABLE, LOCAL_CHAIN_TABLE } from "./options/local-chain-options.ts";
import type { NodeOptions } from "./options/node-options.ts";
import { assertOptions } from "./options/option-table.ts";
import { engineOf, storeOptionsOf } from "./store-engines.ts";
import { checkGenesisFile, parseWaypointOption } from "./tools/genesis-report.ts";

/** Where the records of a node come from. All undefined for a read-only node. */
export interface StartPlan {
  /** The checked genesis that the ledger begins with; undefined if upstreams or the store provide it. */
  readonly genesis: GenesisCheck | undefined;
  /** The waypoint that the genesis matched; undefined if none was given. */
  readonly genesisWaypoint: Waypoint | undefined;
  readonly follow: FollowPlan | undefined;
  readonly chain: BlockSource | undefined;
  /** Blocks on top of another network's state. */
  readonly fork?: ForkPlan | undefined;
  /** Changes that a new local chain begins with. */
  readonly accounts: readonly AuthoredChange[];
}

async function readGenesis(genesis: string | Uint8Array | undefined): Promise<Uint8Array | undefined> {
  // Copied: the caller may overwrite its bytes before they are committed.
  if (typeof genesis !== "string") return genesis && new Uint8Array(genesis);
  try {
    return await readFile(genesis);
  } catch (error) {
    throw new ConfigError(`cannot read the genesis file ${genesis}: ${errorText(error)}`, error);
  }
}

function assertStore(options: NodeOptions): void {
  const store = storeOptionsOf(options);
  const engine = engineOf(store);
  const { engine: _, ...storeOptions } = store;
  assertOptions(engine.table, "store", storeOptions);
  engine.assertOptions(store);
  if ((options.http?.workers ?? 0) === 0) return;
  if (!engine.isShared || options.follow?.startVersion !== undefined || options.fork !== undefined) {
    throw new ConfigError(
      "http.workers: expected a store that several processes can open, and a ledger that starts at genesis",
    );
  }
}

function ownGenesis(chain: LocalChain, expected: Waypoint | undefined): GenesisCheck {
  const blob = chain.genesisBlob();
  return expected === undefined ? checkGenesis(blob) : checkGenesisFile(blob, expected);
}

/** The chain on a genesis that was given: its own, or a network's. Throws ConfigError. */
function chainOn(genesis: GenesisCheck, own: LocalChain, settings: NetworkChainSettings): BlockSource {
  if (equalBytes(genesis.infoHash, ownGenesis(own, undefined).infoHash)) return own;
  assertHasCode(genesis.writes);
  return createNetworkChain(settings);
}

/** How far back a node keeps what proofs need: one that gets no signatures keeps nothing unless it is told to. */
export function proofWindowOf({ proofWindow, follow }: NodeOptions, { chain }: StartPlan): ProofWindow {
  const isSigned = chain !== undefined || (follow?.proofs ?? []).length > 0;
  return parseProofWindow(proofWindow ?? (isSigned ? "all" : "off"));
}

const NO_PLAN: StartPlan = {
  genesis: undefined,
  genesisWaypoint: undefined,
  follow: undefined,
  chain: undefined,
  accounts: [],
};

/** Plans a start. Throws ConfigError, or LedgerError for a genesis that does not match the waypoint. */
export async function planStart(
  options: NodeOptions,
  machine: MachineSource = createMachineSource(),
): Promise<StartPlan> {
  const { genesis, waypoint, localChain, follow, fork, readOnly, http } = options;
  if (http !== undefined) {
    const { HTTP_TABLE } = await import("./options/http-options.ts");
    const { assertHttpOptions } = await import("../http/server.ts");
    assertOptions(HTTP_TABLE, "http", http);
    assertHttpOptions(http);
  }
  assertOptions(LOCAL_CHAIN_TABLE, "localChain", localChain);
  if (follow !== undefined) {
    const { FOLLOW_TABLE } = await import("./options/follow-options.ts");
    assertOptions(FOLLOW_TABLE, "follow", follow);
  }
  assertOptions(FORK_TABLE, "fork", fork);
  assertStore(options);
  if (options.proofWindow !== undefined) parseProofWindow(options.proofWindow, "proofWindow");
  const waypoints = (typeof waypoint === "string" ? [waypoint] : (waypoint ?? [])).map(parseWaypointOption);
  if (readOnly === true) return NO_PLAN;
  const accounts = accountChanges(options.accounts ?? []);
  if (fork !== undefined) {
    for (const name of ["genesis", "waypoint", "follow"] as const) {
      const value = options[name];
      if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
      throw new ConfigError(`${name}: a fork begins with the state of its network, so it takes none`);
    }
    const { planFork } = await import("./following/forking.ts");
    const plan = planFork(fork, localChain?.seed ?? DEFAULT_SEED, machine);
    return { ...NO_PLAN, fork: plan, accounts };
  }
  const expected = follow === undefined ? waypoints[0] : waypoints.find(({ version }) => version === 0n);
  const followPlan =
    follow && (await import("./following/following.ts")).planFollowing(follow, waypoints, http?.minTrust);
  if (followPlan !== undefined && localChain !== undefined) {
    throw new ConfigError("localChain: a node that follows upstreams makes no blocks");
  }
  const isLocal = followPlan === undefined && (genesis === undefined || localChain !== undefined);
  const seed = localChain?.seed ?? DEFAULT_SEED;
  const file = await readGenesis(genesis);
  const network = file === undefined ? undefined : checkGenesisFile(file, expected);
  const epochTimeMs = localChain?.epochTimeMs;
  const own = isLocal
    ? createLocalChain({ seed, epochTimeMs, chainId: network?.chainId, machine })
    : undefined;
  const check = network ?? (own && ownGenesis(own, expected));
  const chain = own && (network === undefined ? own : chainOn(network, own, { seed, machine, epochTimeMs }));
  if (accounts.length > 0 && chain === undefined) {
    throw new ConfigError("accounts: expected a local chain, because only its ledger can be made up");
  }
  return { genesis: check, genesisWaypoint: check && expected, follow: followPlan, chain, accounts };
}
