// What it takes for a follower to say that it is at the head, and how upstreams try to make it say so too early.
import { describe, expect, it } from "vitest";
import type { Logger } from "../../src/base/log.ts";
import { silentLogger } from "../../src/base/log.ts";
import { BeyondHead } from "../../src/sync/upstream/errors.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";
import { bent, follow, recordChain, recorded, untilVersion } from "../support/follow.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(40);
const head = BigInt(chain.records.length - 1);
/** Where the lies end. */
const SHORT = 60;

/** A follower and the state that it claims each time the upstream in use has nothing new. */
function start(options: Parameters<typeof follow>[0]) {
  const claims: string[] = [];
  const run = follow({ ...options, onRest: () => claims.push(run.follower.status().state) });
  return { ...run, claims };
}

const hang = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });

describe("an upstream that claims a smaller head", () => {
  it("is not believed while another one claims more", async () => {
    const { store, claims, follower } = start({
      upstreams: [recorded(chain.records.slice(0, SHORT), "short"), recorded(chain.records, "honest")],
    });
    await untilVersion(store, head);
    await until(() => follower.status().state === "at_head");
    // The first rest is at the end of the short one.
    expect(claims[0]).toBe("catching_up");
  });

  it("is not believed while another one claims more and stalls", async () => {
    const stalling: Upstream = {
      ...bent(recorded(chain.records, "stalling"), (page) => page),
      getRecords: (_, __, signal) => hang(signal),
    };
    const { claims, follower } = start({
      upstreams: [recorded(chain.records.slice(0, SHORT), "short"), stalling],
      pace: { slowPageMs: 10 },
    });
    await until(() => claims.length >= 5);
    expect(new Set(claims)).toEqual(new Set(["catching_up"]));
    expect(follower.status().reason).toContain(`version ${head}`);
  });

  it("is not believed within seconds of its larger claim", async () => {
    let nowMs = 0;
    let isShort = true;
    const upstream = recorded(chain.records);
    const receding: Upstream = {
      ...bent(upstream, (page) => page),
      getRecords: async (from, limit, signal) => {
        const short = { ...(await upstream.getHead(signal)), version: BigInt(SHORT) };
        if (isShort && from > short.version) throw new BeyondHead(from, short);
        return upstream.getRecords(from, Math.min(limit, SHORT + 1 - Number(from)) || limit, signal);
      },
    };
    const { claims } = start({ upstreams: [receding], pace: { pageLimit: SHORT + 1 }, clock: () => nowMs });
    await until(() => claims.length >= 3);
    expect(new Set(claims)).toEqual(new Set(["catching_up"]));
    // A claim that nobody repeats does not bind for ever.
    nowMs += 60_000;
    await until(() => claims.at(-1) === "at_head");
    isShort = false;
  });
});

describe("archives", () => {
  const archive: Upstream = {
    ...bent(recorded(chain.records.slice(0, SHORT), "archive"), (page) => page),
    isArchive: true,
  };

  it("do not tell where the network is", async () => {
    const { claims, follower } = start({ upstreams: [archive] });
    await until(() => claims.length >= 3);
    expect(new Set(claims)).toEqual(new Set(["waiting"]));
    expect(follower.status().reason).toMatch(/^the archives end at version \d+, and no upstream tells/);
  });

  it("say nothing beside an upstream that tells its head and then falls silent", async () => {
    let nowMs = 0;
    let isSilent = false;
    const live = recorded(chain.records, "live");
    const falling: Upstream = {
      ...bent(live, (page) => page),
      getHead: (signal) => (isSilent ? hang(signal) : live.getHead(signal)),
      getRecords: (from, limit, signal) => (isSilent ? hang(signal) : live.getRecords(from, limit, signal)),
    };
    const whole: Upstream = { ...bent(recorded(chain.records, "archive"), (page) => page), isArchive: true };
    const { follower, claims } = start({
      upstreams: [whole, falling],
      pace: { slowPageMs: 10, headDeadlineMs: 10 },
      clock: () => nowMs,
    });
    await until(() => follower.status().state === "at_head");
    isSilent = true;
    nowMs += 60_000;
    const before = claims.length;
    await until(() => claims.length >= before + 3);
    expect(follower.status().state).not.toBe("at_head");
  });
});

describe("a follower of a moving ledger", () => {
  it("stays at the head while it commits what is new, and leaves it when it was not level for seconds", async () => {
    let nowMs = 0;
    const states: unknown[] = [];
    const note: Logger["debug"] = ({ state }, message) => {
      if (message === "follower changed state") states.push(state);
    };
    const shown = chain.records.slice(0, 20);
    const { store, follower } = start({
      upstreams: [recorded(shown)],
      // The head is further than a page, so that each commit is behind it.
      pace: { pageLimit: 5, ahead: 1 },
      logger: { ...silentLogger, debug: note, info: note },
      clock: () => nowMs,
    });
    await until(() => follower.status().state === "at_head");
    const before = states.length;
    for (let i = 0; i < 3; i++) {
      shown.push(...chain.records.slice(shown.length, shown.length + 30));
      await untilVersion(store, BigInt(shown.length - 10));
    }
    expect(states.slice(before)).toEqual([]);
    nowMs += 60_000;
    shown.push(...chain.records.slice(shown.length));
    await untilVersion(store, head - 5n);
    await until(() => follower.status().state === "at_head");
    expect(states.slice(before)).toEqual(["catching_up", "at_head"]);
  });
});
