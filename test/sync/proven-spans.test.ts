// A start in the middle with proofs, an upstream that serves a fork, and a proof source that answers slowly: an item that
// is proven at one version is told at another only as far as the history between them is proven.
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { transactionsRoute } from "../../src/interface/routes.ts";
import { transactionAccumulator } from "../../src/ledger/accumulator.ts";
import { decodePage, decodeRecord, encodeRecord } from "../../src/ledger/formats/record.ts";
import { transactionInfoCodec, transactionInfoHash } from "../../src/ledger/formats/transaction-info.ts";
import { CHAINED, cutTrust, PROVEN, TRUSTED, type TrustLevel } from "../../src/ledger/trust.ts";
import { checkData, createNode, type Node, rewindData } from "../../src/node.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { FETCHED_ITEM } from "../../src/sync/side-rows.ts";
import { createRestUpstream, parseUpstreamUrl } from "../../src/sync/upstream/rest-upstream.ts";
import { forgeBalances } from "../support/forgery.ts";
import {
  followSigned,
  headOf,
  infoOf,
  opened,
  produce,
  startSignedChain,
  untilLevel,
} from "../support/proving.ts";
import { type Meddler, startProxy } from "../support/proxy.ts";
import { encodePage } from "../support/recorded-upstream.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
/** Nobody writes it before a test funds it. */
const OWNER = "0xabcdef0123";
const AMOUNT = 100n;

const startChain = (blocks: number): Promise<Node> => startSignedChain("proven-spans", blocks);

const follow = (options: Parameters<typeof followSigned>[0]): Promise<Node> =>
  followSigned({ startVersion: "latest", ...options });

const untilVersion = (node: Node, version: bigint) =>
  until(async () => {
    const info = await infoOf(node).catch(() => undefined);
    return info !== undefined && BigInt(info.ledger_version ?? -1) >= version ? info : undefined;
  });

const untilRefuted = (node: Node) => until(async () => (await infoOf(node)).refuted_from !== undefined);

interface Told {
  readonly status: number;
  readonly text: string;
  readonly trust: string | null;
}

async function balanceAt(node: Node, version: bigint, owner = OWNER): Promise<Told> {
  const response = await fetch(`${node.url}/accounts/${owner}/balance/${COIN}?ledger_version=${version}`);
  const text = await response.text();
  return { status: response.status, text, trust: response.headers.get("x-node-trust") };
}

/** How much a proof source answers: everything, nothing, or everything but the latest signature. */
type Answers = "all" | "none" | "ends of epochs";

interface SlowSource {
  readonly url: string;
  answers: Answers;
  /** The latest signature was asked for, and is held back: every end of an epoch has come before. */
  isHoldingLatest: boolean;
}

/** A proof source that can be slow: what it does not answer, it answers as soon as it may. */
async function startSlowSource(truth: Node): Promise<SlowSource> {
  const proxy = opened(await startProxy(truth.proofUrl ?? ""));
  const source: SlowSource = { url: proxy.url, answers: "all", isHoldingLatest: false };
  const mayPass = async (path: string): Promise<boolean> => {
    const [, question, version] = path.split("/");
    if (source.answers !== "ends of epochs") return source.answers === "all";
    const isLatest = question === "state_root_proof" && BigInt(version ?? "0") === (await headOf(truth));
    if (isLatest) source.isHoldingLatest = true;
    return !isLatest;
  };
  proxy.meddle = async (passing) => {
    await until(() => mayPass(passing.path));
    return passing;
  };
  onTestFinished(() => {
    source.answers = "all";
  });
  return source;
}

/** A node at the last end of an epoch, which two upstreams have alike, and a proof source that stopped to answer. */
async function startNode(more: Partial<Parameters<typeof follow>[0]> = {}) {
  const [truth, fork] = [await startChain(33), await startChain(33)];
  const source = await startSlowSource(truth);
  const node = await follow({ truth, upstreams: [fork.url ?? ""], proofs: [source.url], ...more });
  const { ledger_version: proven } = await untilLevel(node, "proven", await headOf(truth));
  source.answers = "none";
  return { truth, fork, source, node, proven: BigInt(proven) };
}

/** The network funds the owner and ends an epoch. The fork, which does not fund, grows as long. */
async function part({ truth, fork }: { readonly truth: Node; readonly fork: Node }): Promise<void> {
  const { epoch } = await truth.ledgerInfo();
  await truth.fund(OWNER, AMOUNT);
  while ((await truth.ledgerInfo()).epoch <= epoch) await produce(truth, 1);
  await produce(truth, 1);
  while ((await headOf(fork)) <= (await headOf(truth))) await produce(fork, 1);
}

describe("an item that is proven at the end of an epoch", () => {
  it("is not told as proven of an earlier version while the history between is only an upstream's word", async () => {
    const world = await startNode();
    const { truth, fork, source, node, proven } = world;
    const before = await balanceAt(truth, proven);
    expect(before).toMatchObject({ status: 200, text: "0" });
    await part(world);
    await untilVersion(node, await headOf(fork));
    source.answers = "ends of epochs";
    // A node that is refuted before asks for no latest signature any more.
    await until(async () => source.isHoldingLatest || (await infoOf(node)).refuted_from !== undefined);
    expect(await balanceAt(node, proven)).toEqual({ status: 200, text: "0", trust: "proven" });
    // News of the end of an epoch does not wait for the latest signature.
    await untilRefuted(node);
    expect(await balanceAt(node, proven)).toEqual({ status: 200, text: "0", trust: "proven" });
    const info = await until(async () => {
      const now = await infoOf(node);
      return now.sync_state === "refuted" ? now : undefined;
    });
    expect(info.upstreams).toMatchObject([
      { state: "set_aside", last_fault: expect.stringContaining("signed version") },
    ]);
  });
});

describe("a ledger that began in the middle and is refuted", () => {
  it("tells no item that it never fetched as absent, after a restart, in a reader, and after a rewind", async () => {
    const data = temporaryFolder();
    const world = await startNode({ data });
    const { truth, fork, source, node, proven } = world;
    await part(world);
    await untilVersion(node, await headOf(fork));
    source.answers = "all";
    await untilRefuted(node);
    await node.close();
    const [account] = truth.guide()?.accounts ?? [];
    const { address = "" } = account ?? {};
    const { text } = await balanceAt(truth, proven, address);
    const right = { status: 200, text, trust: "proven" };
    const expectRight = async (told: Told): Promise<void> => {
      if (told.status === 200) expect(told).toEqual(right);
      else expect(told.status).toBe(503);
    };
    const reader = await createNode({ data, readOnly: true, http: { port: 0 } });
    await expectRight(await balanceAt(reader, proven, address));
    await reader.close();
    const again = await follow({ truth, data, upstreams: [fork.url ?? ""], proofs: [source.url] });
    expect(await balanceAt(again, proven, address)).toEqual(right);
    expect(await balanceAt(again, proven)).toEqual({ status: 200, text: "0", trust: "proven" });
    await again.close();

    const store = { engine: "lmdb", path: data } as const;
    await rewindData({ store, to: proven, onProgress: () => {}, logger: silentLogger });
    const honest = await follow({ truth, data, upstreams: [truth.url ?? ""], proofs: [source.url] });
    const info = await untilLevel(honest, "proven", await headOf(truth));
    expect(await balanceAt(honest, proven, address)).toEqual(right);
    expect(await balanceAt(honest, proven)).toEqual({ status: 200, text: "0", trust: "proven" });
    const funded = { status: 200, text: `${AMOUNT}`, trust: "proven" };
    expect(await balanceAt(honest, BigInt(info.ledger_version))).toEqual(funded);
    await honest.close();
    expect((await checkData(data)).findings).toEqual([]);
  });

  it("is not sound with a fetched item that its history does not confirm", async () => {
    const data = temporaryFolder();
    const { node, proven } = await startNode({ data });
    await node.close();
    const store = await openLmdbStore({ path: data, readOnly: false });
    const plant = (byte: number, at: bigint, level: TrustLevel) =>
      FETCHED_ITEM.row(
        { version: proven, value: undefined, fetched: { at, level, rewinds: 0n } },
        new Uint8Array(32).fill(byte),
      );
    const view = await store.openView();
    view.release();
    const { trust, refuted } = view.position;
    await store.writeSide({
      trust: { trust: cutTrust([...trust, { first: proven, level: CHAINED }], proven), refuted },
      sideRows: [plant(1, proven, PROVEN), plant(2, proven + 1n, TRUSTED), plant(3, proven - 1n, PROVEN)],
    });
    await store.close();
    expect((await checkData(data)).findings).toEqual([
      expect.stringContaining(`proven at version ${proven}, where nothing confirms the history`),
      expect.stringContaining(`read at version ${proven + 1n}, above the head`),
    ]);
  });
});

/** Every record of a chain. */
async function recordsOf(node: Node): Promise<Uint8Array[]> {
  const upstream = createRestUpstream(parseUpstreamUrl(node.url ?? ""));
  const { signal } = new AbortController();
  const [records, head]: [Uint8Array[], bigint] = [[], await headOf(node)];
  while (BigInt(records.length) <= head) {
    const { bytes } = await upstream.getRecords(BigInt(records.length), 100, signal);
    records.push(...decodePage(bytes).map((record) => new Uint8Array(record.bytes)));
  }
  upstream.close();
  return records;
}

/** A record with another amount of gas in its info. */
function forgeGas(bytes: Uint8Array): Uint8Array {
  const record = decodeRecord(bytes);
  const info = encodeWith(transactionInfoCodec, { ...record.info, gasUsed: record.info.gasUsed + 1n });
  return encodeRecord({ ...record, info });
}

/** An upstream that has another record from some version on: every hash of its records is right. */
async function startForger(
  truth: Node,
  from: bigint,
  forge: (record: Uint8Array) => Uint8Array | undefined,
): Promise<Meddler> {
  const records = await recordsOf(truth);
  const accumulator = transactionAccumulator();
  let forged = 0;
  const lies = records.map((bytes, version) => {
    const other = BigInt(version) < from || forged > 0 ? undefined : forge(bytes);
    if (other !== undefined) forged++;
    const record = decodeRecord(other ?? bytes);
    accumulator.append(transactionInfoHash(record.infoBytes));
    return encodeRecord({ ...record, info: record.infoBytes, accumulatorRoot: accumulator.root() });
  });
  expect(forged).toBe(1);
  const proxy = opened(await startProxy(truth.url ?? "", true));
  proxy.meddle = (passing) => {
    const url = new URL(passing.path, "http://upstream");
    if (url.pathname !== transactionsRoute.path || passing.status !== 200) return passing;
    const first = Number(url.searchParams.get("start"));
    const count = decodePage(passing.body).length;
    return { ...passing, body: Buffer.from(encodePage(lies.slice(first, first + count))) };
  };
  return proxy;
}

describe("a fresh node that begins at the signed end of an epoch", () => {
  /** A chain, and the version that ends its last epoch. */
  async function startTruth(): Promise<{ readonly truth: Node; readonly end: bigint }> {
    const truth = await startChain(30);
    const { epoch } = await truth.ledgerInfo();
    let end = 0n;
    while ((await truth.ledgerInfo()).epoch === epoch) {
      end = await headOf(truth);
      await produce(truth, 1);
    }
    await produce(truth, 2);
    return { truth, end };
  }

  it.each([
    ["there", 0n, forgeGas],
    ["after it", 1n, (record: Uint8Array) => forgeBalances(record, AMOUNT)],
  ])(
    "takes nothing from an upstream that has another block %s, names it, and begins with the honest one",
    async (_, after, forge) => {
      const { truth, end } = await startTruth();
      const liar = await startForger(truth, end + after, forge);
      const honest = opened(await startProxy(truth.url ?? "", true));
      // The honest one is away until the liar was believed or found out.
      honest.meddle = async (passing) => {
        const found = (node && (await infoOf(node).catch(() => undefined)))?.upstreams[0];
        if (found?.state !== "set_aside") return { ...passing, status: 503 };
        firstFault ??= found.last_fault;
        return passing;
      };
      let firstFault: string | undefined;
      let node: Node | undefined;
      node = await follow({ truth, upstreams: [liar.url, honest.url], proofs: [truth.proofUrl ?? ""] });
      const info = await untilLevel(node, "proven", await headOf(truth));
      expect(info.oldest_ledger_version).toBe(`${end}`);
      expect(info.refuted_from).toBeUndefined();
      expect(firstFault).toMatch(/unverified: .*waypoint/);
      expect(info.upstreams).toMatchObject([{ state: "set_aside" }, { state: "ok" }]);
      expect(info.sync_reason).toBeUndefined();
      const version = BigInt(info.ledger_version);
      for (const { address } of truth.guide()?.accounts ?? []) {
        const { text } = await balanceAt(truth, version, address);
        expect(await balanceAt(node, version, address)).toEqual({ status: 200, text, trust: "proven" });
      }
    },
  );

  it("stores nothing while the liar is its only upstream, and says who lies", async () => {
    const { truth, end } = await startTruth();
    const liar = await startForger(truth, end, forgeGas);
    const node = await follow({ truth, upstreams: [liar.url], proofs: [truth.proofUrl ?? ""] });
    const info = await until(async () => {
      const now = await infoOf(node).catch(() => undefined);
      return now?.upstreams?.[0]?.state === "set_aside" ? now : undefined;
    });
    expect(info.ledger_version).toBeUndefined();
    expect(info.refuted_from).toBeUndefined();
    expect(info.upstreams[0]?.last_fault).toMatch(/unverified: .*waypoint/);
    expect(info.sync_reason ?? "").not.toContain("written");
  });
});
