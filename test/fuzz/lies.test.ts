// Random lies of every kind, told by proxies that speak only HTTP, from genesis and from the middle, by one upstream and
// by one of three, before and after restarts with other flags. No wrong answer may promise more than one upstream's
// word, and an honest majority gets the node to the true head. SEXTANT_LIES says how many lies of each kind.
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { judge, LiedNode, type LiedOptions } from "../support/lied-node.ts";
import { createLiedWorld, type ShownChain } from "../support/lied-world.ts";
import { chosen } from "../support/lies.ts";
import { LIES, type Liar, type Lie, type LieOptions, startLiar } from "../support/lying-proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const COUNT = Number(process.env.SEXTANT_LIES ?? "1");
/** Repeats one run: SEXTANT_LIE_SEED=7. */
const ONLY = process.env.SEXTANT_LIE_SEED;
/** Heights at the first start, before the restart, and at the end. */
const [FIRST, SECOND, LAST] = [10, 15, 20];
const QUESTIONS = 12;
/** Questions that a liar alone is asked before its run counts as over. */
const PATIENCE = 12;

const world = await createLiedWorld(LAST, [4, FIRST, 13]);
const { truth } = world;
const folder = temporaryFolder();

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Memory in use after a collection: nodes, proxies and chains share this process. Row 5 has the memory of one node. */
function keptBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What the nodes of all runs answered. */
const answers = { wrong: 0, right: 0 };

type Restart = "none" | "same" | "agree" | "waypoint" | "later waypoint" | "read-only";
const RESTARTS: readonly Restart[] = ["none", "same", "agree", "waypoint", "later waypoint", "read-only"];

interface Plan {
  readonly lie: Lie;
  readonly seed: number;
  readonly start: "genesis" | "middle";
  /** Alone, or one of three of which two must agree. */
  readonly isAlone: boolean;
  /** Place of the liar in the list. */
  readonly place: number;
  readonly liesAtOnce: boolean;
  readonly restart: Restart;
}

function planOf(lie: Lie, seed: number): Plan {
  const isAlone = chosen(2, seed, "alone") === 0;
  return {
    lie,
    seed,
    start: chosen(2, seed, "start") === 0 ? "genesis" : "middle",
    isAlone,
    place: isAlone ? 0 : chosen(3, seed, "place"),
    // A node whose only upstream lies at once has nothing to begin with.
    liesAtOnce: !isAlone && chosen(2, seed, "at once") === 0,
    restart: RESTARTS[chosen(RESTARTS.length, seed, "restart")] ?? "none",
  };
}

/** One run: its proxies, its liar and what the node may believe. */
class Run {
  readonly plan: Plan;
  readonly proxies: Liar[];
  readonly #data: string;
  readonly #chain: ShownChain;
  readonly #options: LieOptions;

  private constructor(plan: Plan, proxies: Liar[], options: LieOptions, chain: ShownChain) {
    this.plan = plan;
    this.proxies = proxies;
    this.#options = options;
    this.#chain = chain;
    this.#data = join(folder, `${plan.lie}-${plan.seed}`);
  }

  static async create(plan: Plan): Promise<Run> {
    const { seed } = plan;
    const fork = world.forks[chosen(world.forks.length, seed, "fork")]!.chain;
    const other = world.others[chosen(world.others.length, seed, "other")]!;
    const after = chosen(2, seed, "after") === 0 ? FIRST : SECOND - 1;
    const options: LieOptions = {
      seed,
      oneIn: 1 + chosen(6, seed, "one in"),
      from: BigInt(chosen(Number(await truth.end(SECOND)), seed, "from")),
      forkUrl: fork.url,
      otherUrl: other.url,
      endless: await world.endlessAfter(after, 20_000),
      slowMs: 50,
    };
    const count = plan.isAlone ? 1 : 3;
    const proxies = await Promise.all(Array.from({ length: count }, () => startLiar(truth.url)));
    return new Run(plan, proxies, options, plan.lie === "fork" ? fork : other);
  }

  get #liar(): Liar {
    return this.proxies[this.plan.place]!;
  }

  /** Shows more blocks; the liar's own chains grow too. */
  async show(height: number): Promise<bigint> {
    for (const { chain } of world.forks) await chain.show(height);
    for (const other of world.others) await other.show(height);
    return truth.show(height);
  }

  lie(): void {
    this.#liar.tell(this.plan.lie, this.#options);
  }

  /** Starts the node; the flags that ask for more trust come with a restart. */
  async start(restart?: Restart): Promise<LiedNode> {
    const { start } = this.plan;
    const isGenesis = start === "genesis";
    const base: LiedOptions = {
      data: this.#data,
      ...(isGenesis ? { genesis: world.genesis, waypoint: world.genesisWaypoint } : {}),
    };
    const upstreams = this.proxies.map(({ url }) => url);
    const agree = upstreams.length === 1 ? {} : { agree: "2/3" };
    const middle = isGenesis || restart !== undefined ? {} : { startVersion: "latest" };
    const later = async (height: number): Promise<string[]> => [
      ...(isGenesis ? [world.genesisWaypoint] : []),
      await world.waypoint(height),
    ];
    switch (restart) {
      case "read-only":
        return LiedNode.start({ data: this.#data, readOnly: true });
      case "waypoint":
        return LiedNode.start({ ...base, waypoint: await later(FIRST + 2), follow: { upstreams, ...agree } });
      case "later waypoint":
        return LiedNode.start({ ...base, waypoint: await later(LAST - 1), follow: { upstreams, ...agree } });
      default:
        return LiedNode.start({ ...base, follow: { upstreams, ...agree, ...middle } });
    }
  }

  /** Waits for the true head, or until the liar alone had its chances. */
  async settle(node: LiedNode, head: bigint, mustReach: boolean): Promise<void> {
    const before = this.#liar.seen.length;
    let fault: Error | undefined;
    void node.node.faulted.then((error) => {
      fault = error;
    });
    await until(async () => {
      if (((await node.version()) ?? -1n) >= head) return true;
      if (mustReach) {
        if (fault !== undefined) throw fault;
        return undefined;
      }
      // A node whose history is refuted asks nobody.
      if ((await node.info()).sync_state === "refuted") return true;
      const patience = this.plan.lie === "slow" ? 1 : PATIENCE;
      return fault !== undefined || this.#liar.seen.length >= before + patience;
    });
  }

  /** Compares some answers at some versions with the truth. */
  async judge(node: LiedNode): Promise<readonly unknown[]> {
    const { seed, lie, start, isAlone } = this.plan;
    const version = await node.version();
    if (version === undefined) return [];
    const oldest = await node.oldest();
    const span = Number(version - oldest);
    const versions = [version, ...[1, 2].map((i) => oldest + BigInt(chosen(span + 1, seed, "version", i)))];
    const first = chosen(world.questions.length, seed, "question");
    const questions = Array.from({ length: QUESTIONS }, (_, i) => {
      return world.questions[(first + 7 * i) % world.questions.length]!;
    });
    // One upstream alone may continue a true genesis as it likes: `chained` says that this much follows by hash.
    const continuation = lie === "fork" && isAlone && start === "genesis" ? this.#chain : undefined;
    const { breaches, wrong, right } = await judge(node, { world, versions, questions, continuation });
    answers.wrong += wrong;
    answers.right += right;
    return breaches;
  }

  /** Honest upstreams that the node blames although two of three agree. */
  blamed(node: LiedNode): readonly string[] {
    const honest = this.proxies.filter((proxy) => proxy !== this.#liar).map(({ url }) => url);
    return honest.filter((url) => node.blamed().has(url));
  }

  async close(): Promise<void> {
    for (const proxy of this.proxies) await proxy.close();
  }
}

async function runPlan(plan: Plan): Promise<readonly unknown[]> {
  const { isAlone, liesAtOnce, restart } = plan;
  const breaches: unknown[] = [];
  const run = await Run.create(plan);
  let node: LiedNode | undefined;
  const look = async (mustReach: boolean, head: bigint): Promise<void> => {
    if (node === undefined) return;
    await run.settle(node, head, mustReach).catch(async (error: unknown) => {
      const {
        ledger_version: at,
        sync_state: state,
        sync_reason: reason,
        upstreams,
      } = (await node?.info()) ?? {};
      breaches.push(`${error}`, { at, head, state, reason, upstreams });
    });
    breaches.push(...(await run.judge(node)));
    if (!isAlone) breaches.push(...run.blamed(node).map((url) => `${url} is honest and was blamed`));
  };
  try {
    const first = await run.show(FIRST);
    if (liesAtOnce) run.lie();
    node = await run.start();
    await look(!isAlone, first);
    run.lie();
    await look(!isAlone, await run.show(SECOND));
    if (restart !== "none") {
      await node.close();
      node = undefined;
      // The liar repents, or goes on lying to two honest ones.
      if (isAlone) run.proxies[0]?.tell(undefined);
      while (restart === "agree" && run.proxies.length < 3) run.proxies.push(await startLiar(truth.url));
      const last = await run.show(LAST);
      node = await run.start(restart).catch((error: unknown) => {
        // A store that contradicts a waypoint is refused.
        if (!isAlone) breaches.push(`${error}`);
        return undefined;
      });
      await look(!isAlone && restart !== "read-only", restart === "read-only" ? 0n : last);
    }
  } finally {
    await node?.close();
    await run.close();
  }
  return breaches;
}

describe("random lies", () => {
  for (const lie of LIES) {
    it(`${lie}: no wrong answer promises more than one upstream's word`, { timeout: 3_600_000 }, async () => {
      // A slow one costs little but time.
      const length = lie === "slow" ? Math.ceil(COUNT / 2) : COUNT;
      const seeds = ONLY === undefined ? Array.from({ length }, (_, i) => i + 1) : [Number(ONLY)];
      const memory = keptBytes();
      for (const seed of seeds) {
        const plan = planOf(lie, seed + 1000 * LIES.indexOf(lie));
        const breaches = await runPlan(plan);
        if (breaches.length > 0) expect({ seed, plan, breaches }).toEqual({ seed, plan, breaches: [] });
      }
      expect(keptBytes() - memory).toBeLessThan(200 * 2 ** 20);
    });
  }

  it.skipIf(COUNT < 20 || ONLY !== undefined)("reached answers, and most answers were right", () => {
    expect(answers.wrong).toBeGreaterThan(0);
    expect(answers.right).toBeGreaterThan(answers.wrong);
  });
});
