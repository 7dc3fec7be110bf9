// A follower far behind its upstreams has a remote verifier verify pages. What it commits is the same as alone, whatever the remote verifier and
// the upstreams do.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { nextTurn } from "../../src/base/wait.ts";
import { BcsError } from "../../src/bcs/errors.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import type { CommitBatch, Store, TreeNodeWrite } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import type { FollowerOptions } from "../../src/sync/follow/follower.ts";
import { ProofHistory } from "../../src/sync/proofs/proof-history.ts";
import { loadPosition } from "../../src/sync/reading.ts";
import { UpstreamError } from "../../src/sync/upstream/errors.ts";
import { RemotePageVerifier, type RemoteVerifier } from "../../src/sync/verify/remote-page-verifier.ts";
import { VerdictReader } from "../../src/sync/verify/verified-page.ts";
import { bent, flipped, follow, positionOf, recordChain, recorded, untilVersion } from "../support/follow.ts";
import { RUNS } from "../support/property.ts";
import { encodePage } from "../support/recorded-upstream.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(40);
const { records } = chain;
const head = BigInt(records.length - 1);

/** A committer at genesis, and the batches that it writes after it. */
async function begin(
  proofWindow?: bigint,
): Promise<{ store: Store; committer: Committer; batches: CommitBatch[] }> {
  const store = createMemoryStore();
  const batches: CommitBatch[] = [];
  const history =
    proofWindow === undefined ? undefined : new ProofHistory(store, { kind: "count", versions: proofWindow });
  const onCommit = (batch: CommitBatch): void => void batches.push(batch);
  const committer = new Committer({ store, logger: silentLogger, history, onCommit });
  await committer.append(records.slice(0, 1));
  batches.length = 0;
  return { store, committer, batches };
}

/** In the order of their keys: a tree may list the nodes of a batch in any order. */
function sorted(batch: CommitBatch): CommitBatch {
  const hex = ({ key }: TreeNodeWrite): string => Buffer.from(key).toString("hex");
  return { ...batch, treeNodes: [...batch.treeNodes].sort((a, b) => (hex(a) < hex(b) ? -1 : 1)) };
}

/** Bytes as text, so that Buffer and Uint8Array compare equal. */
function plain(batches: readonly CommitBatch[]): string {
  return JSON.stringify(batches.map(sorted), (_, value) => {
    if (typeof value === "bigint") return `${value}n`;
    if (value?.type === "Buffer") return Buffer.from(value.data).toString("hex");
    return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
  });
}

async function verifierOf(
  store: Store,
  committer: Committer,
  treeBytes = committer.verification.treeBytes,
): Promise<{ verifier: RemotePageVerifier; reader: VerdictReader }> {
  const position = await loadPosition(store);
  if (position === undefined) throw new Error("the store is empty");
  const verifier = new RemotePageVerifier(store, position, { ...committer.verification, treeBytes });
  return { verifier, reader: new VerdictReader(position.chainId) };
}

describe("verified pages", () => {
  it.each([undefined, 50n])(
    "become the same commits as the records themselves, proof window %s",
    async (window) => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), async (sizes) => {
          const alone = await begin(window);
          const together = await begin(window);
          const { verifier, reader } = await verifierOf(together.store, together.committer);
          let [from, turn] = [1, 0];
          while (from < records.length) {
            const to = from + (sizes[turn++ % sizes.length] ?? 1);
            const page = encodePage(records.slice(from, to));
            await alone.committer.append(page);
            const verified = await reader.read(page, await verifier.verify(page));
            if (verified.length > 0) {
              const { version } = await together.committer.commitVerified(verified);
              verifier.committed(version);
            }
            from = to;
          }
          expect(alone.batches.length).toBeGreaterThan(1);
          expect(plain(together.batches)).toBe(plain(alone.batches));
          expect(await positionOf(together.store)).toEqual(await positionOf(alone.store));
        }),
        { numRuns: Math.ceil(RUNS / 100) },
      );
    },
  );

  it("a verifier without room for the tree waits for the commit and reads the nodes again", async () => {
    const { store, committer } = await begin();
    const { verifier, reader } = await verifierOf(store, committer, 10_000);
    const [first, second] = [encodePage(records.slice(1, 60)), encodePage(records.slice(60, 120))];
    const verified = await reader.read(first, await verifier.verify(first));
    let isVerified = false;
    const next = verifier.verify(second).finally(() => {
      isVerified = true;
    });
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    expect(isVerified).toBe(false);
    verifier.committed((await committer.commitVerified(verified)).version);
    const { version } = await committer.commitVerified(await reader.read(second, await next));
    expect(version).toBeGreaterThan(100n);
  });

  it("a committer with options of a node can tell another process how to verify", () => {
    const bounds = { openBlockRecords: 7, onProgress: () => {} };
    const { verification } = new Committer({ store: createMemoryStore(), logger: silentLogger, bounds });
    expect(structuredClone(verification).bounds).toEqual({
      openBlockRecords: 7,
      openBlockBytes: 64 * 2 ** 20,
    });
  });

  it("a verifier far ahead of the commits refuses a page that does not follow", async () => {
    const { store, committer } = await begin();
    const { verifier } = await verifierOf(store, committer);
    await verifier.verify(encodePage(records.slice(1, 60)));
    await verifier.verify(encodePage(records.slice(60, 90)));
    await expect(verifier.verify(encodePage(records.slice(91, 100)))).rejects.toThrow("version must be 90");
  });

  it("a flipped bit anywhere in a page becomes no block", async () => {
    const page = encodePage(records.slice(1, 30));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: page.length * 8 - 1 }), async (bit) => {
        const { store, committer } = await begin();
        const { verifier, reader } = await verifierOf(store, committer);
        const bent = flipped(page, bit);
        const read = async () => reader.read(bent, await verifier.verify(bent));
        await expect(read()).rejects.toThrow();
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });

  it("events that are not those of their info become no block: the reader hashes them", async () => {
    const { store, committer } = await begin();
    const { verifier, reader } = await verifierOf(store, committer);
    const at = decodePage(encodePage(records)).find(
      ({ events, version }) => version > 0n && events.length > 0,
    );
    const event = at?.events[0];
    if (at === undefined || event === undefined) throw new Error("no record has events");
    const forged = Uint8Array.from(records[Number(at.version)] ?? []);
    // The last byte of an event belongs to its data.
    const last = event.byteOffset - at.bytes.byteOffset + event.length - 1;
    forged[last] = (forged[last] ?? 0) ^ 1;
    const page = encodePage([...records.slice(1, Number(at.version)), forged]);
    const verdict = await verifier.verify(page);
    await expect(reader.read(page, verdict)).rejects.toThrow("event root hash");
  });

  it("a verdict on another page, or a part of one, is refused", async () => {
    const { store, committer } = await begin();
    const { verifier, reader } = await verifierOf(store, committer);
    const page = encodePage(records.slice(1, 30));
    const verdict = await verifier.verify(page);
    await expect(reader.read(encodePage(records.slice(1, 20)), verdict)).rejects.toThrow(
      "another number of writes",
    );
    const other = new VerdictReader(4);
    await expect(other.read(encodePage(records.slice(2, 31)), verdict)).rejects.toThrow(
      /a verdict has another/,
    );
    await expect(reader.read(page, verdict.subarray(0, -1))).rejects.toThrow(BcsError);
    await expect(reader.read(page, Buffer.concat([verdict, Buffer.of(0)]))).rejects.toThrow(BcsError);
  });
});

type StartPeer = NonNullable<FollowerOptions["startVerifier"]>;

/** Starts remote verifiers in this process, which `bend` may change, and counts what they do. */
function verifiers(
  bend: (remote: RemoteVerifier, number: number, signal: AbortSignal) => RemoteVerifier = (remote) => remote,
) {
  const counts = { started: 0, verdicts: 0, closed: 0 };
  const startVerifierOf =
    (store: Store, committer: Committer): StartPeer =>
    async (position, signal) => {
      counts.started++;
      const verifier = new RemotePageVerifier(store, position, committer.verification);
      let last: Promise<unknown> = Promise.resolve();
      const remote: RemoteVerifier = {
        verify: (page) => {
          const verdict = last.then(() => verifier.verify(page));
          last = verdict;
          return verdict.then(
            (bytes) => {
              counts.verdicts++;
              return bytes;
            },
            () => undefined,
          );
        },
        committed: (version) => verifier.committed(version),
        sent: async () => {},
        close: async () => {
          counts.closed++;
        },
      };
      return bend(remote, counts.started, signal);
    };
  return { counts, startVerifierOf };
}

const pace = { pageLimit: 7, verifierFromVersions: 40n, verifierUntilVersions: 10n };

function followWith(
  startVerifierOf: (store: Store, committer: Committer) => StartPeer,
  options: Partial<FollowerOptions> & Pick<FollowerOptions, "upstreams">,
) {
  const store = createMemoryStore();
  const committer = new Committer({ store, logger: silentLogger });
  const { follower } = follow({
    ledger: store,
    committer,
    startVerifier: startVerifierOf(store, committer),
    ...options,
    pace: { ...pace, ...options.pace },
  });
  return { store, follower };
}

/** Warnings, each with the error that it names. */
function listener(): { readonly logger: Logger; readonly warnings: string[] } {
  const warnings: string[] = [];
  const warn: Logger["warn"] = ({ err }, message) => void warnings.push(`${message}: ${err}`);
  return { logger: { ...silentLogger, warn }, warnings };
}

/** The longest block after the first five, of the first `among`: its length, and its last version. */
function longestBlock(among?: number): { readonly longest: number; readonly end: number } {
  const ends = decodePage(encodePage(records)).flatMap(({ version, info }) =>
    info.stateCheckpointHash === undefined ? [] : [Number(version)],
  );
  const lengths = ends.map((end, i) => end - (ends[i - 1] ?? -1));
  const longest = Math.max(...lengths.slice(5, among));
  expect(longest).toBeGreaterThan(5);
  return { longest, end: ends[lengths.indexOf(longest, 5)] ?? 0 };
}

describe("a follower far behind", () => {
  it("reaches the head with a remote verifier, which ends before", async () => {
    const { counts, startVerifierOf } = verifiers();
    const { store, follower } = followWith(startVerifierOf, { upstreams: [recorded(records)] });
    await untilVersion(store, head);
    await follower.close();
    expect(counts.started).toBe(1);
    expect(counts.closed).toBe(1);
    expect(counts.verdicts).toBeGreaterThan((records.length - 40) / 7 / 2);
    const alone = await begin();
    await alone.committer.append(records.slice(1));
    expect((await positionOf(store))?.stateRoot).toEqual((await positionOf(alone.store))?.stateRoot);
  });

  it("needs no remote verifier near the head", async () => {
    const { counts, startVerifierOf } = verifiers();
    const few = records.slice(0, 35);
    const { store, follower } = followWith(startVerifierOf, { upstreams: [recorded(few)] });
    await until(async () => ((await positionOf(store))?.version ?? 0n) > 20n);
    await follower.close();
    expect(counts.started).toBe(0);
  });

  it("goes on alone when a remote verifier does not start", async () => {
    const { logger, warnings } = listener();
    const startVerifierOf = () => async () => Promise.reject(new Error("no room for a process"));
    const { store, follower } = followWith(startVerifierOf, { upstreams: [recorded(records)], logger });
    await untilVersion(store, head);
    await follower.close();
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings[0]).toContain("another one did not start: no room for a process");
  });

  it("goes on alone when a remote verifier gives no verdict, and asks another one later", async () => {
    const { counts, startVerifierOf } = verifiers((remote, number) => {
      let pages = 0;
      return {
        ...remote,
        verify: (page) => (++pages > 3 && number === 1 ? Promise.resolve(undefined) : remote.verify(page)),
      };
    });
    const { store, follower } = followWith(startVerifierOf, { upstreams: [recorded(records)] });
    await untilVersion(store, head);
    await follower.close();
    expect(counts.started).toBe(2);
    expect(counts.closed).toBe(2);
  });

  it("names the lie of an upstream that a remote verifier refused, and takes the records from another", async () => {
    const { counts, startVerifierOf } = verifiers();
    let lies = 0;
    const liar = bent(recorded(records, "liar"), (page, start) => {
      if (start < 60n) return page;
      lies++;
      return { ...page, bytes: flipped(page.bytes, (page.bytes.length >> 1) * 8) };
    });
    const { store, follower } = followWith(startVerifierOf, {
      upstreams: [liar, recorded(records, "honest")],
    });
    await untilVersion(store, head);
    expect(lies).toBeGreaterThan(0);
    expect(counts.verdicts).toBeGreaterThan(0);
    const { upstreams } = follower.status();
    expect(upstreams.find(({ name }) => name === "liar")?.fault).toMatch(/version \d+/);
    await follower.close();
    const alone = await begin();
    await alone.committer.append(records.slice(1));
    expect((await positionOf(store))?.accumulator).toEqual((await positionOf(alone.store))?.accumulator);
  });

  it.each<[string, (page: Uint8Array) => number | undefined]>([
    ["a lie that it told only once", (page) => page.length >> 1],
    [
      // Remote verifiers leave the events to this process.
      "events that are not those of their info",
      (page) => {
        const [event] = decodePage(page).flatMap(({ events }) => events);
        return event && event.byteOffset - page.byteOffset + event.length - 1;
      },
    ],
  ])("sets an upstream aside for %s", async (_, byteOf) => {
    const { counts, startVerifierOf } = verifiers();
    let lies = 0;
    const liar = bent(recorded(records, "liar"), (page, start) => {
      const at = start < 60n || lies > 0 ? undefined : byteOf(page.bytes);
      if (at === undefined) return page;
      lies++;
      return { ...page, bytes: flipped(page.bytes, 8 * at) };
    });
    const setAside: unknown[] = [];
    const warn: Logger["warn"] = (fields, message) => {
      if (message.includes("set aside")) setAside.push(fields);
    };
    const { store, follower } = followWith(startVerifierOf, {
      upstreams: [liar],
      logger: { ...silentLogger, warn },
      pace: { setAside: { baseMs: 1, maxMs: 1 } },
    });
    await untilVersion(store, head);
    await follower.close();
    expect(lies).toBe(1);
    expect(counts.verdicts).toBeGreaterThan(0);
    expect(setAside).toMatchObject([{ upstream: "liar" }]);
  });

  it("starts another remote verifier after an upstream failed, if the last one was worth its start", async () => {
    const { counts, startVerifierOf } = verifiers();
    let isGone = false;
    const flaky = bent(recorded(records), (page, start) => {
      if (start < 70n || isGone) return page;
      isGone = true;
      throw new UpstreamError("unreachable", "gone for a moment");
    });
    const { store } = followWith(startVerifierOf, {
      upstreams: [flaky],
      pace: { retry: { baseMs: 1, maxMs: 1 } },
    });
    await until(async () => isGone && ((await positionOf(store))?.version ?? 0n) > 75n);
    expect(counts.started).toBe(2);
    await untilVersion(store, head);
  });

  it("starts no remote verifier again and again for a block that does not end", async () => {
    const { longest, end } = longestBlock();
    const { counts, startVerifierOf } = verifiers();
    // The last record of the block is missing.
    const { store, follower } = followWith(startVerifierOf, {
      upstreams: [recorded(records.slice(0, end))],
      pace: { pageLimit: 2, verifierFromVersions: BigInt(longest - 1), verifierUntilVersions: 1n },
    });
    await untilVersion(store, BigInt(end - longest));
    const { started } = counts;
    let rests = 0;
    await until(() => follower.status().state === "at_head" || ++rests > 20);
    await follower.close();
    expect(counts.started).toBeLessThan(started + 3);
  });

  it("gets past a block in which every remote verifier fails", async () => {
    const { end } = longestBlock(20);
    const failing = BigInt(end - 1);
    const { counts, startVerifierOf } = verifiers((remote) => ({
      ...remote,
      verify: async (page) =>
        decodePage(page).some(({ version }) => version === failing) ? undefined : remote.verify(page),
    }));
    // The rest after a failure is over before the block is.
    const { store, follower } = followWith(startVerifierOf, {
      upstreams: [recorded(records)],
      pace: { pageLimit: 1, verifierFromVersions: 3n, verifierUntilVersions: 1n },
    });
    await until(async () => counts.started > 30 || ((await positionOf(store))?.version ?? 0n) >= BigInt(end));
    await follower.close();
    expect((await positionOf(store))?.version).toBeGreaterThanOrEqual(BigInt(end));
  });

  it("leaves no remote verifier behind when the store cannot be read after its start", async () => {
    const { counts, startVerifierOf } = verifiers();
    const store = createMemoryStore();
    const committer = new Committer({ store, logger: silentLogger });
    let faults = 0;
    const openView = store.openView.bind(store);
    const start = startVerifierOf(store, committer);
    const { follower } = follow({
      ledger: store,
      committer,
      upstreams: [recorded(records)],
      mayPass: () => true,
      pace,
      startVerifier: async (...args) => {
        const remote = await start(...args);
        if (faults > 0) return remote;
        // The committer must read the store again, as after a write that failed.
        await committer.replaceContent(() => {});
        store.openView = () => {
          faults++;
          store.openView = openView;
          throw new Error("no slot is free");
        };
        return remote;
      },
    });
    await untilVersion(store, head);
    await follower.close();
    expect(faults).toBe(1);
    expect(counts.started).toBeGreaterThan(0);
    expect(counts.closed).toBe(counts.started);
  });

  it("commits what was verified before an upstream fails", async () => {
    const { counts, startVerifierOf } = verifiers();
    let failures = 0;
    const flaky = bent(recorded(records), (page, start) => {
      if (start > 60n && failures++ % 2 === 0) throw new UpstreamError("unreachable", "gone for a moment");
      return page;
    });
    const { store, follower } = followWith(startVerifierOf, { upstreams: [flaky] });
    await untilVersion(store, head);
    await follower.close();
    expect(counts.started).toBe(counts.closed);
    expect(failures).toBeGreaterThan(2);
  });

  it("refuses a history that a waypoint contradicts", async () => {
    const { counts, startVerifierOf } = verifiers();
    const [version, waypoint] = [...chain.waypoints].find(([at]) => at > 100n) ?? [];
    if (version === undefined || waypoint === undefined) throw new Error("the chain is too short");
    const wrong = { ...waypoint, hash: flipped(waypoint.hash, 0) };
    const { store, follower } = followWith(startVerifierOf, {
      upstreams: [recorded(records)],
      waypoints: [wrong],
    });
    await until(() => follower.status().upstreams[0]?.state === "set_aside");
    expect((await positionOf(store))?.version).toBeLessThan(version);
    expect(counts.verdicts).toBeGreaterThan(0);
  });

  it("is not stopped by verdicts that are not about their pages", async () => {
    const { logger, warnings } = listener();
    const { counts, startVerifierOf } = verifiers((remote) => ({
      ...remote,
      verify: async (page) => (await remote.verify(page))?.subarray(1),
    }));
    const { store, follower } = followWith(startVerifierOf, { upstreams: [recorded(records)], logger });
    await untilVersion(store, head);
    expect(follower.status().state).not.toBe("faulted");
    await follower.close();
    expect(counts.verdicts).toBeGreaterThan(0);
    expect(warnings[0]).toContain("a verdict is refused");
    expect(counts.closed).toBe(counts.started);
  });

  it("asks less and less often for a remote verifier that is of no use", async () => {
    let starts = 0;
    const startVerifierOf = () => () => {
      starts++;
      return Promise.reject(new Error("never"));
    };
    const { store, follower } = followWith(startVerifierOf, {
      upstreams: [recorded(records)],
      pace: { verifierFromVersions: 5n, verifierUntilVersions: 1n },
    });
    await untilVersion(store, head);
    await follower.close();
    // After 5, 10, 20, 40, … versions.
    expect(starts).toBeGreaterThan(2);
    expect(starts).toBeLessThan(Math.log2(records.length / 5) + 2);
  });

  it("has the agreement of other upstreams for what a remote verifier verified", async () => {
    const { counts, startVerifierOf } = verifiers();
    const { store, follower } = followWith(startVerifierOf, {
      upstreams: [recorded(records, "one"), recorded(records, "two")],
      agree: { needed: 2, of: 2 },
    });
    const position = await untilVersion(store, head);
    await follower.close();
    expect(counts.verdicts).toBeGreaterThan(0);
    expect(position.trust.map(({ level }) => level.kind)).toContain("agreed");
  });

  it("closes while a remote verifier does not answer, and the verifier with it", async () => {
    let pages = 0;
    const { counts, startVerifierOf } = verifiers((remote, _, signal) => ({
      ...remote,
      verify: (page) =>
        ++pages <= 3
          ? remote.verify(page)
          : new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
    }));
    const { store, follower } = followWith(startVerifierOf, { upstreams: [recorded(records)] });
    await until(() => pages > 3);
    await follower.close();
    expect(counts.closed).toBe(1);
    expect((await positionOf(store))?.version).toBeLessThan(head);
  });
});
