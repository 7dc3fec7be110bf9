// Sources that lie in size: a proof source can delay the node, and no more. Whatever it sends (length, nesting, count, pace)
// is bounded by its format, and whatever reading it throws is the source's fault; an honest source next to the liar leads on.
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PeerConnection } from "../../src/sync/signatures/peer/connection.ts";
import { parsePeerAddress } from "../../src/sync/signatures/peer/peer-address.ts";
import { encodeQuestion } from "../../src/sync/signatures/peer/wire.ts";
import type { SignatureSource } from "../../src/sync/signatures/source.ts";
import {
  CHAIN_ID,
  closeAll,
  judge,
  open,
  peerWith,
  serveCompressed,
  serveFolder,
  sourceAt,
  startOfBackup,
} from "../support/hostile-sources.ts";
import { longestTurnMs } from "../support/loop-meter.ts";
import { until } from "../support/until.ts";
import { yardstickMs } from "../support/yardstick.ts";

const MIB = 1024 * 1024;

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await closeAll();
});

describe("a backup folder that lies in size", () => {
  it.each([
    ["400,000 names in 20 kB", 400_000, /^too_large: the response is larger than/],
    ["180,000 names", 180_000, /^endless: a page of a listing has more than 1000 names/],
  ])("lists %s: it is set aside, and the honest source leads on", async (_, count, fault) => {
    const keys = "<Key>metadata/x</Key>".repeat(count);
    const listing = gzipSync(`<ListBucketResult>${keys}<IsTruncated>false</IsTruncated></ListBucketResult>`);
    expect(listing.length).toBeLessThan(40_000);
    const url = await serveCompressed((path) => (path.includes("list-type=2") ? listing : undefined));
    const status = await judge(sourceAt(url.href));
    expect(status).toMatchObject({ state: "set_aside", fault: expect.stringMatching(fault) });
  });

  it("lists names without end, page after page", async () => {
    let pages = 0;
    const url = await serveCompressed((path) => {
      if (!path.includes("list-type=2")) return undefined;
      const keys = Array.from({ length: 1000 }, (_, i) => {
        const epoch = 1000 * pages + i;
        return `<Key>metadata/epoch_ending_${epoch}-${epoch}.meta</Key>`;
      });
      pages++;
      return gzipSync(
        `<ListBucketResult>${keys.join("")}<IsTruncated>true</IsTruncated><NextContinuationToken>${pages}</NextContinuationToken></ListBucketResult>`,
      );
    });
    const status = await judge(sourceAt(url.href));
    expect(status).toMatchObject({ state: "set_aside", fault: expect.stringMatching(/^endless: /) });
    expect(pages).toBeLessThan(250);
  });

  it.each([
    ["60 MiB of nested lists", 60 * MIB, /^too_large: the response is larger than/],
    ["15 MiB of nested lists", 15 * MIB, /^malformed: \S+: a manifest is no JSON: nested deeper than/],
  ])("has a manifest with %s: the loop goes on", async (_, bytes, fault) => {
    const url = await serveFolder(
      startOfBackup((files) =>
        files.set("epoch_ending_0-.000f/epoch_ending.manifest", Buffer.alloc(bytes, "[")),
      ),
    );
    let status: { fault: string | undefined } | undefined;
    const turnMs = await longestTurnMs(async () => {
      status = await judge(sourceAt(url.href));
    });
    expect(status?.fault).toMatch(fault);
    expect(turnMs).toBeLessThan(5 * (await yardstickMs()));
  });

  it("has a manifest of a million empty lists: it is read in slices", async () => {
    const text = `{"first_epoch":0,"last_epoch":2,"waypoints":[${"[],".repeat(MIB)}[]],"chunks":[]}`;
    const url = await serveFolder(
      startOfBackup((files) => files.set("epoch_ending_0-.000f/epoch_ending.manifest", Buffer.from(text))),
    );
    expect((await judge(sourceAt(url.href))).fault).toMatch(/^gap: /);
  });

  it.each([
    [528_000, /^too_large: the response is larger than/],
    [100_100, /^endless: the metadata has more than 100000 lines/],
  ])("names %d ranges in one file: no more are kept than there are epochs", async (count, fault) => {
    const lines: string[] = [];
    for (let epoch = 0; epoch < count; epoch++) {
      lines.push(
        `{"EpochEndingBackup":{"first_epoch":${epoch},"last_epoch":${epoch},"first_version":0,"last_version":9,"manifest":"m"}}`,
      );
    }
    const ranges = Buffer.from(lines.join("\n"));
    const url = await serveFolder(
      startOfBackup((files) => files.set(`metadata/epoch_ending_compacted_0-${count}.meta`, ranges)),
    );
    const status = await judge(sourceAt(url.href));
    expect(status).toMatchObject({ state: "set_aside", fault: expect.stringMatching(fault) });
  });

  it.each([
    [
      "its metadata",
      // As long as a line may be: what counts is bytes, and short lines take longer to read.
      `{"EpochEndingBackup":{"first_epoch":0,"last_epoch":9,"first_version":0,"last_version":9,${" ".repeat(3900)}"manifest":"m"}}\n`,
      900,
    ],
    // Counted as if they were longer.
    ["blank lines", " \n", 100_000],
  ])("repeats %s in file after file: all files together have a bound", async (_, line, count) => {
    const repeated = gzipSync(line.repeat(count));
    const names = Array.from({ length: 50 }, (_name, i) => `epoch_ending_${i}-9.meta`);
    const url = await serveCompressed((path) => {
      if (path.endsWith("metadata.txt")) return gzipSync(names.join("\n"));
      return path.endsWith(".meta") ? repeated : undefined;
    });
    const status = await judge(sourceAt(url.href));
    expect(status).toMatchObject({
      state: "set_aside",
      fault: expect.stringMatching(/^endless: |^too_large: /),
    });
  });

  it("lists a line of 4 MiB, and 4 million empty lines", async () => {
    for (const index of [Buffer.alloc(4 * MIB, "a"), Buffer.alloc(4 * MIB, "\n")]) {
      const compressed = gzipSync(index);
      const url = await serveCompressed((path) => (path.endsWith("metadata.txt") ? compressed : undefined));
      const status = await judge(sourceAt(url.href));
      expect(status).toMatchObject({ state: "set_aside", fault: expect.stringMatching(/^endless: /) });
    }
  });
});

describe("whatever a source throws", () => {
  it.each([
    ["a range error", new RangeError("Maximum call stack size exceeded")],
    ["a type error", new TypeError("x is not a function")],
    ["no error at all", "text"],
  ])("is its own fault: %s", async (_, thrown) => {
    const source: SignatureSource = {
      name: "thrower",
      kind: "folder",
      receivedBytes: 0,
      epochEnds: async function* () {
        yield* [];
        throw thrown;
      },
      lastEpoch: async () => undefined,
      findEpochEnd: async () => undefined,
      latest: async () => undefined,
      states: async () => undefined,
      close: () => {},
    };
    const status = await judge(source);
    expect(status).toMatchObject({ state: "set_aside", fault: expect.stringMatching(/^malformed: /) });
  });
});

describe("a peer that lies in size", () => {
  it("sends health checks and reads nothing: it is not read on either", async () => {
    const peer = await peerWith({ checks: 1_000_000 });
    const status = await judge(sourceAt(peer.address));
    // On a slow machine its time is over first.
    expect(status.fault).toMatch(/messages that nobody asked for|no (handshake|complete answer) within/);
    expect(peer.sent.checks).toBeLessThan(1_000_000);
    await until(() => peer.connections === 0);
  });

  it("sends an answer in pieces of one byte: no byte is copied more than a few times", async () => {
    let copied = 0;
    const concat = Buffer.concat;
    vi.spyOn(Buffer, "concat").mockImplementation((list, length) => {
      const whole = concat(list, length);
      copied += whole.length;
      return whole;
    });
    const peer = await peerWith({ pieceBytes: 1, latest: undefined });
    const source = sourceAt(peer.address);
    open.push({ close: async () => source.close() });
    const ends: unknown[] = [];
    for await (const end of source.epochEnds(0n, AbortSignal.timeout(600_000))) ends.push(end);
    expect(ends).toHaveLength(8);
    // The listener's own framing and sealing copies each byte about 40 times: a piece of one byte takes 19.
    expect(copied).toBeLessThan(100 * peer.sent.bytes);
  });

  it("does not answer in time: its connection is closed", async () => {
    const peer = await peerWith({ isMute: true });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const address = parsePeerAddress(peer.address);
    const connection = await PeerConnection.open(address!, CHAIN_ID);
    const asked = connection.ask(encodeQuestion({ kind: "summary" }), new AbortController().signal);
    const failed = expect(asked).rejects.toThrow(/no complete answer within/);
    while (!peer.asked.includes("summary")) await new Promise((resolve) => setImmediate(resolve));
    expect(peer.connections).toBe(1);
    vi.advanceTimersByTime(60_000);
    await failed;
    vi.useRealTimers();
    await until(() => peer.connections === 0);
    expect(connection.isOpen).toBe(false);
  });

  it("is not asked again on a connection whose question was given up", async () => {
    const peer = await peerWith({ isMute: true });
    const connection = await PeerConnection.open(parsePeerAddress(peer.address)!, CHAIN_ID);
    const giveUp = new AbortController();
    const asked = connection.ask(encodeQuestion({ kind: "summary" }), giveUp.signal);
    giveUp.abort(new Error("given up"));
    await expect(asked).rejects.toThrow("given up");
    await until(() => peer.connections === 0);
  });
});
