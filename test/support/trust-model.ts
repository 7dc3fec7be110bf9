// A model that knows the truth about a small chain: it runs followers with drawn flags, upstreams and restarts on one
// store, and compares every answer and its level with what was really checked.
import { ConfigError } from "../../src/base/errors.ts";
import { type LogFields, type Logger, silentLogger } from "../../src/base/log.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { balanceKeys } from "../../src/ledger/balances/balance-keys.ts";
import { amountOfPart } from "../../src/ledger/balances/balance-parts.ts";
import { LedgerError } from "../../src/ledger/errors.ts";
import { stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import {
  ANCHORED,
  CHAINED,
  compareTrust,
  formatTrust,
  TRUSTED,
  type TrustLevel,
  weakestTrust,
} from "../../src/ledger/trust.ts";
import { type LedgerView, trustOfAnswer } from "../../src/ledger/view.ts";
import type { Waypoint } from "../../src/ledger/waypoint.ts";
import { parseAddress } from "../../src/move/address.ts";
import { Following, planFollowing } from "../../src/node/following/following.ts";
import type { Store } from "../../src/store/contract.ts";
import { isPassingFault, StoreError } from "../../src/store/errors.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer, type CommitterOptions } from "../../src/sync/committer.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { BeyondHead, UpstreamError } from "../../src/sync/upstream/errors.ts";
import type {
  RecordsPage,
  StateValueAnswer,
  Upstream,
  UpstreamHead,
} from "../../src/sync/upstream/upstream.ts";
import { forgeStateValue } from "./forgery.ts";
import { COIN } from "./http-ledger.ts";
import { BUILT_CHAIN_ID } from "./ledger-builder.ts";
import { chosen, lieAboutRecords, type RecordLie } from "./lies.ts";
import { encodePage } from "./recorded-upstream.ts";
import { OWNERS, type SmallChain } from "./small-chain.ts";
import { until } from "./until.ts";

/** How an upstream behaves. `fork` serves another chain that every hash confirms. */
export const BEHAVIOURS = [
  "honest",
  "lagging",
  "value",
  "drop",
  "duplicate",
  "reorder",
  "fork",
  "item",
  "other chain id",
  "far head",
  "failing",
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** Behaviours that tell nothing wrong. */
const isHonest = (behaviour: Behaviour): boolean => behaviour === "honest" || behaviour === "lagging";

/** One start of the node, and what happens while it runs. */
export interface Phase {
  readonly upstreams: readonly Behaviour[];
  /** How many of them must agree; 0 without a rule. */
  readonly needed: number;
  /** Heights of true waypoints that the operator gives. */
  readonly waypoints: readonly number[];
  /** Blocks that the chains grow by at each step. */
  readonly steps: readonly number[];
  /** Blocks that the operator removes from the head before the start. */
  readonly rewound?: number;
}

/** A whole run. */
export interface TrustPlan {
  readonly seed: number;
  readonly startsInMiddle: boolean;
  /** Blocks before the first start. */
  readonly blocks: number;
  readonly phases: readonly Phase[];
}

/** The chains of a world; the fork shares the first blocks with the truth. */
export interface SmallWorld {
  readonly truth: SmallChain;
  readonly fork: SmallChain;
}

/** Replaces a part by one that claims too much, to show that the model notices. */
export interface Plant {
  readonly makeCommitter?: (options: CommitterOptions) => Committer;
  readonly view?: (view: LedgerView) => LedgerView;
  readonly onStart?: (store: Store) => Promise<void>;
}

/** What a run showed. */
export interface TrustOutcome {
  readonly breaches: readonly string[];
  /** Right and wrong answers by level. */
  readonly seen: ReadonlyMap<string, number>;
}

const ASSET = parseAsset(COIN);
/** Place of the CoinStore among the keys of a balance. */
const COIN_PART = 1;

/** One fake upstream. It answers from memory, without a socket. */
class SmallUpstream implements Upstream {
  readonly name: string;
  readonly receivedBytes = 0;
  readonly #behaviour: Behaviour;
  readonly #run: TrustRun;
  readonly #seed: number;
  #asked = 0;

  constructor(name: string, behaviour: Behaviour, run: TrustRun, seed: number) {
    this.name = name;
    this.#behaviour = behaviour;
    this.#run = run;
    this.#seed = seed;
  }

  get #chain(): SmallChain {
    const { truth, fork } = this.#run.world;
    return this.#behaviour === "fork" ? fork : truth;
  }

  get #height(): number {
    return Math.max(1, this.#run.height - (this.#behaviour === "lagging" ? 1 : 0));
  }

  #head(): UpstreamHead {
    const height = this.#height;
    const version = this.#chain.ends[height] ?? 0n;
    return {
      chainId: BUILT_CHAIN_ID + (this.#behaviour === "other chain id" ? 1 : 0),
      version: this.#behaviour === "far head" ? version + 1_000n : version,
      oldestVersion: 0n,
      timestampUsec: this.#chain.timestampUsec(height),
      epoch: 1n,
      blockHeight: BigInt(height),
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    if (this.#behaviour === "failing" && this.#asked++ % 2 === 0) {
      throw new UpstreamError("unreachable", "it failed");
    }
  }

  async getHead(signal: AbortSignal): Promise<UpstreamHead> {
    await this.#turn(signal);
    return this.#head();
  }

  async getRecords(start: bigint, limit: number, signal: AbortSignal): Promise<RecordsPage> {
    await this.#turn(signal);
    const head = this.#head();
    const last = this.#chain.ends[this.#height] ?? 0n;
    if (start > last) {
      throw this.#behaviour === "far head"
        ? new UpstreamError("refused", "it has no such version")
        : new BeyondHead(start, head);
    }
    const end = Math.min(Number(start) + limit, Number(last) + 1);
    const page = encodePage(this.#chain.records.slice(Number(start), end));
    return { head, bytes: this.#bend(page) };
  }

  #bend(page: Uint8Array): Uint8Array {
    const lie = this.#behaviour;
    if (lie !== "value" && lie !== "drop" && lie !== "duplicate" && lie !== "reorder") return page;
    return encodePage(lieAboutRecords(lie satisfies RecordLie, page, { seed: this.#seed, oneIn: 2 }));
  }

  async getStateValue(stateKey: Uint8Array, version: bigint, signal: AbortSignal): Promise<StateValueAnswer> {
    await this.#turn(signal);
    const head = this.#head();
    if (version > head.version) throw new BeyondHead(version, head);
    const value = this.#chain.stateValue(stateKey, version);
    const isLie = this.#behaviour === "item" || this.#behaviour === "other chain id";
    return { head, value: isLie ? this.#otherValue(stateKey, value) : value };
  }

  #otherValue(stateKey: Uint8Array, value: Uint8Array | undefined): Uint8Array | undefined {
    if (value === undefined) return undefined;
    const name = Buffer.from(stateKey).toString("hex");
    if (chosen(3, this.#seed, "absent", name) === 0) return undefined;
    return forgeStateValue(
      decodeWith(stateKeyCodec, new Uint8Array(stateKey)),
      value,
      1n + BigInt(chosen(1_000, this.#seed, name)),
    );
  }

  close(): void {}
}

/** The level that a phase could earn at best. */
interface Earned {
  /** First version that the phase may have committed. */
  readonly first: bigint;
  readonly level: TrustLevel;
}

/** One store through several starts. */
class TrustRun {
  readonly world: SmallWorld;
  height: number;
  readonly #plan: TrustPlan;
  readonly #plant: Plant;
  readonly #store = createMemoryStore();
  readonly #breaches: string[] = [];
  readonly #seen = new Map<string, number>();
  /** What each phase's commits and items could earn, oldest first. */
  readonly #earned: Earned[] = [];
  /** Heights of waypoints given so far; 0 is genesis. */
  readonly #given = new Set<number>();
  #blamed = new Set<string>();

  constructor(world: SmallWorld, plan: TrustPlan, plant: Plant) {
    this.world = world;
    this.#plan = plan;
    this.#plant = plant;
    this.height = plan.blocks;
  }

  async run(): Promise<TrustOutcome> {
    for (const [i, phase] of this.#plan.phases.entries()) await this.#runPhase(phase, i);
    return { breaches: this.#breaches, seen: this.#seen };
  }

  #breach(text: string): void {
    this.#breaches.push(text);
  }

  async #runPhase(phase: Phase, number: number): Promise<void> {
    const { startsInMiddle, seed } = this.#plan;
    const { truth } = this.world;
    this.#blamed = new Set();
    const { makeCommitter, onStart } = this.#plant;
    if (number > 0) await onStart?.(this.#store);
    if (number > 0 && phase.rewound !== undefined) await this.#rewind(phase.rewound);
    const parts = { store: this.#store, logger: silentLogger };
    const isEmpty = this.#store.identity === undefined;
    const mayGive = !(isEmpty && startsInMiddle);
    const waypoints: Waypoint[] = mayGive
      ? phase.waypoints.flatMap((height) => truth.waypoints[height] ?? [])
      : [];
    if (mayGive) for (const height of phase.waypoints) this.#given.add(height);
    const next = await this.#nextVersion();
    // A phase that committed nothing earned nothing.
    if (this.#earned.at(-1)?.first === next) this.#earned.pop();
    this.#earned.push({ first: next, level: levelOf(phase) });
    const options = {
      upstreams: phase.upstreams.map((_, i) => `http://u${i}.test`),
      ...(phase.needed === 0 ? {} : { agree: `${phase.needed}/${phase.upstreams.length}` }),
      ...(isEmpty && startsInMiddle ? { startVersion: "latest" } : {}),
      pollTimeMs: 1,
      retryTimeMs: 1,
      upstreamRate: 0,
    };
    let fault: unknown;
    const following = new Following(planFollowing(options, waypoints), {
      store: this.#store,
      committer: makeCommitter?.(parts) ?? new Committer(parts),
      connect: (url) => {
        const place = Number(url.hostname.slice(1, 2));
        const behaviour = phase.upstreams[place] ?? "honest";
        return new SmallUpstream(url.hostname, behaviour, this, seed * 31 + number * 7 + place);
      },
      logger: this.#logger(),
      onCommit: () => {},
      onRest: () => {},
      onFault: (error) => {
        fault = error;
      },
      mayPass: isPassingFault,
    });
    try {
      await following.start(undefined);
    } catch (error) {
      // Only a store that a waypoint contradicts may refuse to start.
      if (await this.#isTrue()) this.#breach(`phase ${number} does not start: ${error}`);
      await following.close();
      return;
    }
    const mustReach = this.#mayDemand(phase) && (await this.#isTrue());
    for (const grown of [0, ...phase.steps]) {
      this.height = Math.min(this.height + grown, truth.ends.length - 1);
      if (mustReach) await this.#reach(() => fault, number);
      else await new Promise((resolve) => setTimeout(resolve, 4));
      await this.#ask(following, number);
    }
    if (mustReach) {
      const honest = phase.upstreams.flatMap((behaviour, i) => (isHonest(behaviour) ? [`u${i}.test`] : []));
      for (const name of honest) {
        if (this.#blamed.has(name)) this.#breach(`phase ${number}: ${name} is honest and was set aside`);
      }
    }
    await following.close();
  }

  /** Returns to the end of an earlier block, as an operator does, in a ledger with base rows. */
  async #rewind(blocks: number): Promise<void> {
    if (this.#store.identity === undefined || !this.#plan.startsInMiddle) return;
    const view = await this.#store.openRawView();
    const { blockHeight, oldestBlockHeight } = view.position;
    const height = blockHeight - BigInt(blocks);
    const block = height < oldestBlockHeight ? undefined : await view.getBlockByHeight(height);
    view.release();
    if (block === undefined) return;
    const to = block.lastVersion;
    const { signal } = new AbortController();
    try {
      await rewindLedger({ store: this.#store, to, onProgress: () => {}, signal });
    } catch (error) {
      // A refuted block cannot be returned to.
      if (!(error instanceof ConfigError) && !(error instanceof StoreError)) throw error;
      return;
    }
    while ((this.#earned.at(-1)?.first ?? 0n) > to) this.#earned.pop();
  }

  /** True if enough honest upstreams agree and the others cannot outvote them. */
  #mayDemand({ upstreams, needed }: Phase): boolean {
    const honest = upstreams.filter((behaviour) => behaviour === "honest").length;
    return needed >= 2 && honest >= needed && upstreams.length - honest < needed;
  }

  async #reach(fault: () => unknown, number: number): Promise<void> {
    const wanted = this.world.truth.ends[this.height] ?? 0n;
    try {
      await until(async () => {
        if (fault() !== undefined) throw fault();
        return (await this.#nextVersion()) > wanted;
      });
    } catch (error) {
      this.#breach(`phase ${number}: the honest majority's version ${wanted} is not reached: ${error}`);
    }
  }

  #logger(): Logger {
    const note = (fields: LogFields, message: string): void => {
      if (message.includes("set aside")) this.#blamed.add(`${fields.upstream}`);
    };
    return { debug: () => {}, info: note, warn: note, error: note };
  }

  async #nextVersion(): Promise<bigint> {
    if (this.#store.identity === undefined) return 0n;
    const view = await this.#store.openView();
    view.release();
    return view.position.version + 1n;
  }

  /** True if every stored record is the true chain's. */
  async #isTrue(): Promise<boolean> {
    return (await this.#sharedUpTo(this.world.truth)) === (await this.#nextVersion()) - 1n;
  }

  /** The last version up to which every stored record is that chain's; -1 if none is. */
  async #sharedUpTo(chain: SmallChain): Promise<bigint> {
    let shared = -1n;
    if (this.#store.identity === undefined) return shared;
    const view = await this.#store.openView();
    try {
      const { chainId, oldestVersion } = view.position;
      if (chainId !== BUILT_CHAIN_ID) return shared;
      for (const { version, bytes } of await view.getRecords(oldestVersion, 10_000, 2 ** 30)) {
        if (Buffer.compare(bytes, chain.records[Number(version)] ?? new Uint8Array()) !== 0) break;
        shared = version;
      }
      return shared;
    } catch (error) {
      if (error instanceof LedgerError) return shared;
      throw error;
    } finally {
      view.release();
    }
  }

  async #ask(following: Following, number: number): Promise<void> {
    if (this.#store.identity === undefined) return;
    const head = (await this.#nextVersion()) - 1n;
    const first = await this.#oldest();
    const middle = first + (head - first) / 2n;
    const facts = {
      number,
      trueUpTo: await this.#sharedUpTo(this.world.truth),
      isFork: (await this.#sharedUpTo(this.world.fork)) === head,
    };
    // Some owners at a time, so that items are fetched first in any phase.
    const asked = OWNERS.filter((owner) => chosen(2, this.#plan.seed, "ask", owner, number, head) === 0);
    for (const version of new Set([first, middle, head])) {
      for (const owner of asked) {
        const own = following.viewOver(await this.#store.openView());
        const view = this.#plant.view?.(own) ?? own;
        try {
          // The coin alone: most stores have it, so its level is that of the records.
          const keys = balanceKeys(parseAddress(owner), ASSET, view.keyTrace).slice(COIN_PART);
          const [item] = await view.getItems(keys, version);
          const balance = amountOfPart(COIN_PART, item);
          this.#compare(owner, version, balance, trustOfAnswer(view, version), facts);
        } catch (error) {
          if (!(error instanceof LedgerError)) throw error;
        } finally {
          own.release();
        }
      }
    }
  }

  async #oldest(): Promise<bigint> {
    const view = await this.#store.openView();
    view.release();
    return view.position.oldestVersion;
  }

  #compare(owner: string, version: bigint, balance: bigint, level: TrustLevel, facts: StoreFacts): void {
    const { truth, fork } = this.world;
    const expected = truth.balance(owner, version);
    const isRight = balance === expected;
    const name = `${isRight ? "right" : "wrong"} ${formatTrust(level)}`;
    this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1);
    const where = `phase ${facts.number}: ${owner} at ${version}: ${balance} as ${formatTrust(level)}`;
    const most = this.#most(version, facts);
    if (compareTrust(level, most) > 0)
      this.#breach(`${where}: nothing checked more than ${formatTrust(most)}`);
    if (isRight || compareTrust(level, TRUSTED) <= 0) return;
    // One upstream may continue a true genesis as it likes, and `chained` promises no more than that.
    const isContinued = level.kind === "chained" && facts.isFork && balance === fork.balance(owner, version);
    if (!isContinued) this.#breach(`${where}: the truth is ${expected}`);
  }

  /** The strongest level that the checks so far could give an answer at a version. */
  #most(version: bigint, { trueUpTo }: StoreFacts): TrustLevel {
    const [first, ...rest] = this.#earned
      .filter((earned) => earned.first <= version)
      .map(({ level }) => level);
    if (this.#plan.startsInMiddle) return first === undefined ? TRUSTED : weakestTrust(first, ...rest);
    const anchors = [...this.#given].map((height) => this.world.truth.ends[height] ?? 0n);
    // Only a ledger that has the waypoint's version, and the same history, can match it.
    const matched = anchors.filter((anchor) => anchor <= trueUpTo);
    if (matched.some((anchor) => anchor > 0n && version <= anchor)) return ANCHORED;
    if (matched.length > 0) return CHAINED;
    // With an accumulator of our own, agreement on a later record confirms every earlier one.
    return this.#earned.reduce<TrustLevel>(
      (strongest, { level }) => (compareTrust(level, strongest) > 0 ? level : strongest),
      TRUSTED,
    );
  }
}

/** What the model knows about the store when it asks. */
interface StoreFacts {
  /** Number of the phase. */
  readonly number: number;
  /** The last version up to which every stored record is the true chain's. */
  readonly trueUpTo: bigint;
  /** Every stored record is the fork's. */
  readonly isFork: boolean;
}

function levelOf({ needed, upstreams }: Phase): TrustLevel {
  return needed < 2 ? TRUSTED : { kind: "agreed", needed, of: upstreams.length };
}

/** Runs a plan. */
export function runTrustPlan(world: SmallWorld, plan: TrustPlan, plant: Plant = {}): Promise<TrustOutcome> {
  return new TrustRun(world, plan, plant).run();
}
