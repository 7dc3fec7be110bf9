// Flags, upstreams and restarts drawn at random: every answer and its level is compared with a model that knows the
// truth, and the model notices parts that claim too much.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { raiseTrust, type TrustLevel } from "../../src/ledger/trust.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { Committer } from "../../src/sync/committer.ts";
import { RUNS } from "../support/property.ts";
import { buildSmallChain, OWNERS } from "../support/small-chain.ts";
import {
  BEHAVIOURS,
  type Behaviour,
  type Phase,
  type Plant,
  runTrustPlan,
  type TrustPlan,
} from "../support/trust-model.ts";

const BLOCKS = 12;
const FORK_AT = 4;
/** Plans that run side by side: they mostly wait for timers. */
const AT_ONCE = 40;
/** So many that they reach every level. */
const HISTORIES = 10 * RUNS;

const amount = (owner: string, height: number): bigint =>
  1_000n * BigInt(height + 1) + BigInt(Number.parseInt(owner, 16));
const world = {
  truth: await buildSmallChain(BLOCKS, amount),
  fork: await buildSmallChain(
    BLOCKS,
    (owner, height) => amount(owner, height) + (height > FORK_AT ? 7n : 0n),
    // An item that the network writes and the fork does not: a later value of it says nothing about before.
    (owner, height) => height > FORK_AT && owner === OWNERS[0],
  ),
};

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  { arbitrary: fc.constant<Behaviour>("honest"), weight: 5 },
  { arbitrary: fc.constantFrom<Behaviour>("value", "fork", "item"), weight: 4 },
  { arbitrary: fc.constantFrom(...BEHAVIOURS), weight: 4 },
);

/** Liars are fewer than the upstreams that must agree; without a rule any upstream may lie. */
const phase: fc.Arbitrary<Phase> = fc
  .record({
    upstreams: fc.array(behaviour, { minLength: 1, maxLength: 3 }),
    needed: fc.nat(3),
    waypoints: fc.uniqueArray(fc.nat(BLOCKS), { maxLength: 2 }),
    withGenesis: fc.boolean(),
    steps: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 2 }),
    rewound: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 4 }),
  })
  .map(({ upstreams, needed, waypoints, withGenesis, steps, rewound }) => {
    const rule = needed < 2 || needed > upstreams.length ? 0 : needed;
    let liars = 0;
    const mended = upstreams.map((one) => {
      if (one === "honest" || rule === 0 || ++liars < rule) return one;
      return "honest";
    });
    const given = withGenesis ? [...new Set([0, ...waypoints])] : waypoints;
    const plan = { upstreams: mended, needed: rule, waypoints: given, steps };
    return rewound === undefined ? plan : { ...plan, rewound };
  });

const plan: fc.Arbitrary<TrustPlan> = fc.record({
  seed: fc.nat(1_000_000),
  startsInMiddle: fc.boolean(),
  blocks: fc.integer({ min: 1, max: 6 }),
  phases: fc.array(phase, { minLength: 1, maxLength: 3 }),
});

/** Runs plans side by side; returns those with breaches. */
async function breachesOf(plans: readonly TrustPlan[], plant?: Plant, seen = new Map<string, number>()) {
  const outcomes = await Promise.all(plans.map((one) => runTrustPlan(world, one, plant)));
  for (const outcome of outcomes) {
    for (const [name, count] of outcome.seen) seen.set(name, (seen.get(name) ?? 0) + count);
  }
  return outcomes.flatMap(({ breaches }, i) => (breaches.length === 0 ? [] : [{ plan: plans[i], breaches }]));
}

const batches = fc.array(plan, { minLength: AT_ONCE, maxLength: AT_ONCE });

describe("what a node says and what it checked", () => {
  it(`are the same over ${HISTORIES} drawn histories of flags, upstreams and restarts`, {
    timeout: 1_200_000,
  }, async () => {
    const seen = new Map<string, number>();
    const property = fc.asyncProperty(batches, async (plans) => {
      expect(await breachesOf(plans, undefined, seen)).toEqual([]);
    });
    await fc.assert(property, { numRuns: Math.ceil(HISTORIES / AT_ONCE), endOnFailure: true });
    // The histories reach every level, and lies that are answered at the level they deserve.
    const names = [...seen.keys()];
    for (const name of [
      "right chained",
      "right anchored",
      "right agreed 2/3",
      "right trusted",
      "wrong trusted",
    ]) {
      expect(names).toContain(name);
    }
  });

  /** Agreed, then one liar's fork, then agreed again: an item of the third phase says nothing about the first. */
  const spans = (seed: number, second: Partial<Phase>): TrustPlan => ({
    seed,
    startsInMiddle: true,
    blocks: 4,
    phases: [
      { upstreams: ["honest", "honest"], needed: 2, waypoints: [], steps: [] },
      { upstreams: ["fork"], needed: 0, waypoints: [], steps: [2, 2], ...second },
      { upstreams: ["honest", "honest"], needed: 2, waypoints: [], steps: [1] },
    ],
  });

  it("are the same for items that are read after a stretch of weaker history, and told of before it", async () => {
    const plans = Array.from({ length: 20 }, (_, seed) => spans(seed, {}));
    expect(await breachesOf(plans)).toEqual([]);
  });

  it("are the same for items that were fetched on a history that is rewound", async () => {
    const phases = (seed: number): TrustPlan => {
      const plan = spans(seed, {});
      return { ...plan, phases: plan.phases.map((one, i) => (i === 2 ? { ...one, rewound: 3 } : one)) };
    };
    const plans = Array.from({ length: 20 }, (_, seed) => phases(seed));
    expect(await breachesOf(plans)).toEqual([]);
  });

  const AGREED: TrustLevel = { kind: "agreed", needed: 2, of: 3 };

  /** A committer that takes every check for agreement. */
  class Overclaiming extends Committer {
    override appendPages(
      ...[pages, openRecords, check]: Parameters<Committer["appendPages"]>
    ): ReturnType<Committer["appendPages"]> {
      return super.appendPages(pages, openRecords, async (blocks) => {
        await check(blocks);
        return AGREED;
      });
    }
  }

  /** A view that forgets what its fetched items rest on. */
  function withoutItemLevels(view: LedgerView): LedgerView {
    const { position, keyTrace } = view;
    return {
      position,
      ...(keyTrace === undefined ? {} : { keyTrace }),
      getItems: (...args) => view.getItems(...args),
      getHistory: (...args) => view.getHistory(...args),
      getOwnedKeys: (...args) => view.getOwnedKeys(...args),
      getIndexedTo: () => view.getIndexedTo(),
      getBlockByHeight: (height) => view.getBlockByHeight(height),
      getBlockByVersion: (version) => view.getBlockByVersion(version),
      getBlockAtTime: (time) => view.getBlockAtTime(time),
      getRecords: (...args) => view.getRecords(...args),
      release: () => view.release(),
    };
  }

  const plants: readonly (readonly [string, () => Plant])[] = [
    ["every commit counts as agreed", () => ({ makeCommitter: (options) => new Overclaiming(options) })],
    ["the level of fetched items is forgotten", () => ({ view: withoutItemLevels })],
    [
      "a restart raises what is stored",
      () => ({
        onStart: async (store) => {
          if (store.identity === undefined) return;
          const view = await store.openView();
          const { trust, refuted, version } = view.position;
          view.release();
          await store.writeSide({
            trust: { trust: raiseTrust(trust, version, AGREED), refuted },
            sideRows: [],
          });
        },
      }),
    ],
  ];

  it.each(plants)("differ when a breach is planted, and the model finds it: %s", async (_, plant) => {
    const found: string[] = [];
    const property = fc.asyncProperty(batches, async (plans) => {
      for (const { breaches } of await breachesOf(plans, plant())) found.push(...breaches);
      // A wrong number under a level that was not earned.
      return !found.some((breach) => breach.includes("the truth is"));
    });
    const { failed } = await fc.check(property, { numRuns: 40, endOnFailure: true, seed: 14 });
    expect({ failed, found: found.slice(0, 3) }).toMatchObject({ failed: true });
  });
});
