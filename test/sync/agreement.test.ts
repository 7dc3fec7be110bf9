// What agreement earns: the level of a commit, and which records are compared before it.
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { formatTrust } from "../../src/ledger/trust.ts";
import type { Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";
import { bent, follow, positionOf, recordChain, recorded, untilVersion } from "../support/follow.ts";
import { forgeBalances } from "../support/forgery.ts";
import { createRecordedUpstream, encodePage } from "../support/recorded-upstream.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(40);
const head = BigInt(chain.records.length - 1);
const ends = [...chain.waypoints.keys()];
/** A start in the middle: the first version of a block. */
const base = (ends[10] ?? 0n) + 1n;
const rule = { needed: 2, of: 3 };

/** Follows from the middle. */
function startAtBase(options: Parameters<typeof follow>[0]) {
  const store = createMemoryStore();
  const committer = new Committer({ store, logger: silentLogger });
  committer.startAt({ chainId: 4, version: base });
  const { follower } = follow({ ...options, committer, ledger: store });
  return { store, follower };
}

/** Forges a record in the middle of each page from a version on; its last record stays honest. */
function forger(name: string, from: bigint): Upstream {
  return bent(recorded(chain.records, name), (page) => {
    const records = decodePage(page.bytes).map(({ bytes }) => bytes);
    const first = decodePage(page.bytes)[0]?.version ?? 0n;
    for (let i = 0; i + 1 < records.length; i++) {
      const forged = first + BigInt(i) >= from ? forgeBalances(records[i]!, 1n) : undefined;
      if (forged === undefined) continue;
      records[i] = forged;
      break;
    }
    return { ...page, bytes: encodePage(records) };
  });
}

async function rangesOf(store: Store): Promise<string[]> {
  const { trust = [] } = (await positionOf(store)) ?? {};
  return trust.map(({ first, level }) => `${first} ${formatTrust(level)}`);
}

async function expectHonest(store: Store): Promise<void> {
  const view = await store.openView();
  try {
    for (const { version, bytes } of await view.getRecords(base, 10_000, 2 ** 30)) {
      expect(Buffer.compare(bytes, chain.records[Number(version)]!), `version ${version}`).toBe(0);
    }
  } finally {
    view.release();
  }
}

describe("from the middle", () => {
  it.each([0, 1, 2])(
    "a forged record that is not the last of its page is outvoted, with the liar at place %i",
    async (place) => {
      const upstreams = [0, 1, 2].map((i) =>
        i === place ? forger("liar", base + 20n) : recorded(chain.records, `honest ${i}`),
      );
      const { store, follower } = startAtBase({ upstreams, agree: rule, pace: { pageLimit: 30 } });
      await untilVersion(store, head);
      await expectHonest(store);
      expect(await rangesOf(store)).toEqual([`${base} agreed 2/3`]);
      if (place > 1) return;
      // With two honest ones asked first, the third may be heard too late or never.
      const liar = await until(() =>
        follower.status().upstreams.find(({ name, fault }) => name === "liar" && fault !== undefined),
      );
      expect(liar.fault).toMatch(/^disagrees: at version \d+/);
    },
  );

  it("is trusted without agreement, and agreement later does not raise what one upstream said", async () => {
    const upstreams = [0, 1, 2].map((i) => recorded(chain.records, `honest ${i}`));
    const few = recorded(chain.records.slice(0, Number(ends[20]) + 1));
    const { store, follower } = startAtBase({ upstreams: [few] });
    await untilVersion(store, ends[20]!);
    await follower.close();
    expect(await rangesOf(store)).toEqual([`${base} trusted`]);
    follow({
      upstreams,
      agree: rule,
      committer: new Committer({ store, logger: silentLogger }),
      ledger: store,
    });
    await untilVersion(store, head);
    expect(await rangesOf(store)).toEqual([`${base} trusted`, `${ends[20]! + 1n} agreed 2/3`]);
  });

  it("an upstream that names another chain id is outvoted before the first commit", async () => {
    const other = createRecordedUpstream({ name: "other", chainId: 99, records: chain.records });
    const store = createMemoryStore();
    const committer = new Committer({ store, logger: silentLogger });
    follow({
      upstreams: [other, recorded(chain.records, "a"), recorded(chain.records, "b")],
      agree: rule,
      committer,
      ledger: store,
      prepare: async (upstream, _, signal) => {
        const { chainId } = await upstream.getHead(signal);
        committer.startAt({ chainId, version: base });
      },
    });
    await untilVersion(store, head);
    expect((await positionOf(store))?.chainId).toBe(4);
    await expectHonest(store);
  });
});

describe("from genesis", () => {
  it("without its waypoint is agreed, and agreement also holds for what one upstream said before", async () => {
    const few = recorded(chain.records.slice(0, Number(ends[5]) + 1));
    const { store, follower } = follow({ upstreams: [few] });
    await untilVersion(store, ends[5]!);
    await follower.close();
    expect(await rangesOf(store)).toEqual(["0 trusted"]);
    const upstreams = [0, 1, 2].map((i) => recorded(chain.records, `honest ${i}`));
    follow({
      upstreams,
      agree: rule,
      committer: new Committer({ store, logger: silentLogger }),
      ledger: store,
    });
    await untilVersion(store, head);
    expect(await rangesOf(store)).toEqual(["0 agreed 2/3"]);
  });

  it("with its waypoint is chained, with or without agreement", async () => {
    const upstreams = [0, 1, 2].map((i) => recorded(chain.records, `honest ${i}`));
    const { store } = follow({ upstreams, agree: rule, waypoints: [chain.genesisWaypoint] });
    await untilVersion(store, head);
    await until(async () => (await rangesOf(store))[0] === "0 chained");
    expect(await rangesOf(store)).toEqual(["0 chained"]);
  });

  it("one upstream's word is no agreement", async () => {
    const upstreams = [0, 1].map((i) => recorded(chain.records, `honest ${i}`));
    const { store } = follow({ upstreams, agree: { needed: 1, of: 2 } });
    await untilVersion(store, head);
    expect(await rangesOf(store)).toEqual(["0 trusted"]);
  });
});

describe("heads", () => {
  it("an upstream that claims to be far ahead cannot stop the others, and is blamed", async () => {
    const few = Number(ends[15]);
    const honest = chain.records.slice(0, few);
    const far = bent(recorded(chain.records, "far"), (page, from) => {
      const claimed = { ...page.head, version: 1_000_000n };
      if (from < base + 10n) return { ...page, head: claimed };
      const records = decodePage(page.bytes).map(({ bytes }) => forgeBalances(bytes, 1n) ?? bytes);
      return { head: claimed, bytes: encodePage(records) };
    });
    const liar: Upstream = {
      ...far,
      getHead: async (signal) => ({ ...(await far.getHead(signal)), version: 1_000_000n }),
    };
    const store = createMemoryStore();
    const committer = new Committer({ store, logger: silentLogger });
    const { follower } = follow({
      upstreams: [liar, recorded(honest, "a"), recorded(honest, "b")],
      agree: rule,
      committer,
      ledger: store,
      prepare: async (_, ceiling) => {
        expect(ceiling).toBeLessThan(1000n);
        committer.startAt({ chainId: 4, version: base });
      },
      pace: { pageLimit: 20 },
    });
    await untilVersion(store, ends[14]!);
    for (const record of chain.records.slice(few)) {
      honest.push(record);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await untilVersion(store, head);
    await expectHonest(store);
    expect(follower.status().state).not.toBe("faulted");
    expect(follower.status().upstreams[0]?.fault).toMatch(/^(disagrees|unverified)/);
  });
});
