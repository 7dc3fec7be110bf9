// Proofs: what it costs to check signatures, to make a proof, and to keep what proofs of earlier blocks need. All of it in
// processor time.
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { aggregatePublicKeys, PublicKey, Signature, verify } from "@chainsafe/blst";
import { silentLogger } from "../src/base/log.ts";
import { decodeWith, encodeWith } from "../src/bcs/codec.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { pathTo } from "../src/interface/route.ts";
import { balanceProofRoute, balanceRoute, infoRoute } from "../src/interface/routes.ts";
import { parseAsset } from "../src/ledger/balances/asset.ts";
import { computeWaypoint } from "../src/ledger/waypoint.ts";
import { addressFromBytes, formatAddressLong, parseAddress } from "../src/move/address.ts";
import { DEFAULT_SEED } from "../src/node/options/local-chain-options.ts";
import { createNode } from "../src/node.ts";
import type { Bls } from "../src/proof/bls.ts";
import { decodeBundle } from "../src/proof/bundle.ts";
import { bundleToText } from "../src/proof/bundle-json.ts";
import { EpochChain } from "../src/proof/epoch-chain.ts";
import {
  type EpochState,
  type LedgerInfo,
  type SignedLedgerInfo,
  signedLedgerInfoCodec,
  signingMessageOf,
} from "../src/proof/ledger-info.ts";
import { fastestBls, fastestSigner } from "../src/proof/native-bls.ts";
import { portableBls } from "../src/proof/portable-bls.ts";
import { balancesQuestion } from "../src/proof/question.ts";
import { verifyProofWith } from "../src/proof/verify-proof.ts";
import type { Store } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { createMemoryStore } from "../src/store/memory/store.ts";
import { prove } from "../src/sync/proofs/prover.ts";
import { GROUP_BLOCKS } from "../src/sync/side-rows.ts";
import { keepGenesisLedgerInfo } from "../src/sync/signatures/signed-rows.ts";
import { ChainRun } from "../test/support/chain-run.ts";
import {
  type BenchOptions,
  type BenchRow,
  compare,
  cpuNanosecondsEach,
  median,
  toPlainRow,
  withDirectory,
} from "./harness.ts";
import { roundLoad, takeSample, warmUp } from "./http.ts";
import type { BenchRequest } from "./requests.ts";
import { type BenchServer, startNode } from "./servers.ts";
import { makeKey } from "./store-data.ts";

/** As many as the main network had in June 2024, and as many as signed. */
const VALIDATORS = 138;
const SIGNERS = 92;
/** Changes of epoch in a round. */
const FEW = 10;
/** One of them warms up the code. */
const MOST_ROUNDS = 19;
/** Groups of blocks of a round of commits: whole ones cost alike; in fewer, a collection of garbage weighs as much as the row. */
const ROUND_GROUPS = 7;
/** Proofs that one side makes in turn with the other. */
const TURN_PROOFS = 20;
/** Of the node whose proofs are asked over HTTP. */
const PROVEN_BLOCKS = 300;
/** Looks at a node that makes its blocks, and time between them. */
const [MOST_TRIES, TRY_MS] = [1200, 100];
const COIN = "0x1::aptos_coin::AptosCoin";

const secretOf = (index: number): bigint => BigInt(1000 + index) ** 20n;
const bytesOf = (secret: bigint): Uint8Array => Buffer.from(secret.toString(16).padStart(64, "0"), "hex");

/** Ends of epochs, one after the other, all with the same validators. */
function makeEpochs(count: number): { readonly start: LedgerInfo; readonly changes: readonly Uint8Array[] } {
  const voters = Array.from({ length: VALIDATORS }, (_, i) => ({
    address: addressFromBytes(Buffer.alloc(32, i)),
    consensusKey: fastestSigner().publicKeyOf(bytesOf(secretOf(i))),
    votingPower: i < SIGNERS ? 100n : 1n,
  }));
  const secret = Array.from({ length: SIGNERS }, (_, i) => secretOf(i)).reduce((sum, one) => sum + one, 0n);
  const signers = new Uint8Array(Math.ceil(VALIDATORS / 8));
  for (let i = 0; i < SIGNERS; i++) signers[i >> 3] = (signers[i >> 3] ?? 0) | (0x80 >> (i & 7));
  const infoOf = (epoch: bigint): LedgerInfo => {
    const nextEpoch: EpochState = { epoch: epoch + 1n, voters };
    const zero = new Uint8Array(32);
    return {
      epoch,
      round: 1n,
      blockId: zero,
      accumulatorRoot: zero,
      version: 100n * (epoch + 1n),
      timestampUsec: epoch,
      nextEpoch,
      consensusDataHash: zero,
    };
  };
  const changes = Array.from({ length: count }, (_, i) => {
    const ledgerInfo = infoOf(BigInt(i + 1));
    const signature = fastestSigner().sign(bytesOf(secret), signingMessageOf(ledgerInfo));
    return encodeWith(signedLedgerInfoCodec, {
      kind: "v0",
      ledgerInfo,
      signatures: { signers, signature },
    });
  });
  return { start: infoOf(0n), changes };
}

/** Processor time of each change, replayed from the waypoint. */
function replay({ start, changes }: ReturnType<typeof makeEpochs>, bls: Bls): number {
  return advance(EpochChain.begin(computeWaypoint(start), start, bls), changes);
}

/** Processor time of each change. */
function advance(chain: EpochChain, changes: readonly Uint8Array[]): number {
  const started = process.cpuUsage();
  for (const bytes of changes) chain.advance(decodeWith(signedLedgerInfoCodec, bytes));
  return cpuNanosecondsEach(started, changes.length);
}

/** The same signatures by the library alone: keys from bytes, their sum, and the pairing. */
function replayBare({ changes }: ReturnType<typeof makeEpochs>): number {
  const decoded = changes.map((bytes): SignedLedgerInfo => decodeWith(signedLedgerInfoCodec, bytes));
  const work = decoded.map(({ ledgerInfo, signatures }) => ({
    keys: ledgerInfo.nextEpoch?.voters.slice(0, SIGNERS).map(({ consensusKey }) => consensusKey) ?? [],
    message: signingMessageOf(ledgerInfo),
    signature: signatures.signature ?? new Uint8Array(),
  }));
  const started = process.cpuUsage();
  for (const { keys, message, signature } of work) {
    const parsed = keys.map((key) => PublicKey.fromBytes(key, true));
    const isValid = verify(message, aggregatePublicKeys(parsed), Signature.fromBytes(signature, true, true));
    if (!isValid) throw new Error("the signature does not hold");
  }
  return cpuNanosecondsEach(started, changes.length);
}

async function signatureRows({ quick, scale }: BenchOptions): Promise<BenchRow[]> {
  const few = makeEpochs(FEW);
  const change = await compare(
    `a change of epoch by ${SIGNERS} of ${VALIDATORS} validators, over bare blst`,
    { ours: () => replay(few, fastestBls()), base: () => replayBare(few) },
    { unit: "ns CPU", target: { max: 1.5 } },
  );
  // It has no target, so that a quick run need not wait for it.
  const portable = quick
    ? []
    : [
        toPlainRow(
          "the same without native code, over ours with it",
          replay(makeEpochs(1), portableBls),
          change.ours,
          { unit: "ns CPU" },
        ),
      ];
  // A chain is replayed once and goes on in every round, because a replay of all of it takes seconds.
  const length = quick ? 30 : Math.max(100, 1000 * scale);
  const { start, changes } = makeEpochs(length + FEW * MOST_ROUNDS);
  const chain = EpochChain.begin(computeWaypoint(start), start, fastestBls());
  advance(chain, changes.slice(0, length));
  let next = length;
  const replayed = await compare(
    `a change of epoch after ${length.toLocaleString("en-US")} others, over each of the first ${FEW}`,
    {
      ours: () => {
        next += FEW;
        return advance(chain, changes.slice(next - FEW, next));
      },
      base: () => replay(few, fastestBls()),
    },
    { unit: "ns CPU", target: { max: 1.15 }, rounds: MOST_ROUNDS - 1 },
  );
  return [change, ...portable, replayed];
}

/** A proof against the balance that it proves, on one node that rests. */
async function proofRow(options: BenchOptions): Promise<BenchRow> {
  return withDirectory(async (data) => {
    const node = await startNode(["--data", data, "--block-time", "0", "--blocks", `${PROVEN_BLOCKS}`]);
    try {
      await rest(node, PROVEN_BLOCKS);
      const { accounts } = createLocalChain({ seed: DEFAULT_SEED }).guide();
      const ask = (path: string): BenchRequest => ({
        method: "GET",
        path,
        headers: { Accept: "application/x-bcs" },
      });
      const values = accounts.map(({ address }) => ({ address, asset_type: COIN }));
      const balances = values.map((value) => ask(pathTo(balanceRoute, value)));
      const proofs = values.map((value) => ask(pathTo(balanceProofRoute, value)));
      const load = roundLoad(options);
      for (const requests of [balances, proofs]) await warmUp(node, requests, options);
      const side = (requests: readonly BenchRequest[]) => async (): Promise<number> =>
        1e6 / (await takeSample(node, requests, load)).perCpuSecond;
      return await compare(
        "a proof of a balance over HTTP, over the balance",
        { ours: side(proofs), base: side(balances) },
        { unit: "µs CPU", target: { max: 5 } },
      );
    } finally {
      await node.stop();
    }
  });
}

/** Waits for the last block: a node answers while it makes them. */
async function rest({ url }: BenchServer, height: number): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const response = await fetch(`${url}${pathTo(infoRoute)}`);
    const { block_height: reached } = (await response.json()) as { readonly block_height: string };
    if (Number(reached) >= height) return;
    await sleep(TRY_MS);
  }
  throw new Error(`the node did not make ${height} blocks`);
}

/** A ledger that can be proven and one that cannot, which get the same blocks in turn. */
class LedgerPair {
  readonly #blocks: readonly (readonly Uint8Array[])[];
  readonly #sides: readonly Ledger[];
  #next = 0;

  constructor(blocks: readonly (readonly Uint8Array[])[], sides: readonly Ledger[]) {
    this.#blocks = blocks;
    this.#sides = sides;
  }

  get isFull(): boolean {
    return this.#next === this.#blocks.length;
  }

  /** Commits the next blocks on both, block by block; returns the processor time of a block on each. */
  async append(count: number): Promise<number[]> {
    const costs = this.#sides.map(() => 0);
    const blocks = this.#blocks.slice(this.#next, this.#next + count);
    this.#next += blocks.length;
    for (const [i, records] of blocks.entries()) {
      const order = [...this.#sides.entries()];
      for (const [at, { run }] of i % 2 === 0 ? order : order.reverse()) {
        const started = process.cpuUsage();
        await run.append(records);
        costs[at] = (costs[at] ?? 0) + cpuNanosecondsEach(started, blocks.length);
      }
    }
    return costs;
  }

  /** Commits the rest and closes both; returns their sizes. */
  async end(): Promise<number[]> {
    await this.append(this.#blocks.length);
    const sizes: number[] = [];
    for (const { run, sizeOf } of this.#sides) {
      await run.store.close();
      sizes.push(sizeOf());
    }
    return sizes;
  }
}

interface Ledger {
  readonly run: ChainRun;
  /** Bytes on disk, once the store is closed. */
  readonly sizeOf: () => number;
}

/** A new store, and its bytes on disk once it is closed. */
interface NewStore extends Pick<Ledger, "sizeOf"> {
  readonly store: Store;
}
type MakeStore = (name: string) => Promise<NewStore>;

/** Makes stores in a directory. */
function storesIn(path: string): MakeStore {
  return async (name) => {
    const data = join(path, name);
    const store = await openLmdbStore({ path: data, logger: silentLogger });
    return { store, sizeOf: () => statSync(join(data, "data.mdb")).size };
  };
}

/** Costs of being able to prove every kept version, on stores of one kind. */
export async function proofCostRows(options: BenchOptions, make: MakeStore, where = ""): Promise<BenchRow[]> {
  return [...(await historyRows(options, make, where)), await oldProofRow(options, make, where)];
}

/** Commits block by block, with and without what proofs of all kept versions need. */
async function historyRows({ quick }: BenchOptions, make: MakeStore, where: string): Promise<BenchRow[]> {
  const roundBlocks = Number(GROUP_BLOCKS) * (quick ? 1 : ROUND_GROUPS);
  const run = await new ChainRun(createLocalChain({ seed: "proofs" }), createMemoryStore()).start();
  const blocks: (readonly Uint8Array[])[] = [];
  for (let i = 0; i < 2 * roundBlocks; i++) blocks.push(await run.step());
  let ledgers = 0;
  const open = async (window?: string): Promise<Ledger> => {
    const { store, sizeOf } = await make(`ledger_${ledgers++}`);
    return { run: await new ChainRun(run.chain, store, window).start(), sizeOf };
  };
  let pair: LedgerPair | undefined;
  let [ours, base] = [0, 0];
  let sizes: number[] = [];
  // One side measures both, because the machine changes from round to round more than they differ.
  const both = async (): Promise<number> => {
    if (pair?.isFull === true) sizes = await pair.end();
    if (pair?.isFull !== false) pair = new LedgerPair(blocks, [await open("all"), await open()]);
    [ours = 0, base = 0] = await pair.append(roundBlocks);
    return base;
  };
  const row = await compare(
    `commit of a block that can be proven later, over one that cannot${where}`,
    { ours: () => ours, base: both },
    { unit: "ns CPU", target: { max: 1.1 }, inOrder: true, budget: where === "" ? 6 : 40 },
  );
  if (pair !== undefined) sizes = await pair.end();
  const [bytes = 0, bytesBefore = 0] = sizes;
  if (bytes === 0) return [row];
  const perBlock = (bytes - bytesBefore) / blocks.length;
  const disk = toPlainRow("disk of a ledger that can be proven, over one that cannot", bytes, bytesBefore, {
    unit: "bytes",
    basis: "size",
    target: { max: 1.15 },
    note: `${Math.round(perBlock)} bytes a block of ${(blocks.flat().length / blocks.length).toFixed(1)} transactions`,
  });
  return [row, disk];
}

/** A proof of a balance at a third of the history, over one at the head, each with what proofs of its version share. */
async function oldProofRow({ quick }: BenchOptions, make: MakeStore, where: string): Promise<BenchRow> {
  const blocks = quick ? 60 : 600;
  const { store } = await make("proofs");
  try {
    const run = await new ChainRun(createLocalChain({ seed: "proofs" }), store, "all").start();
    await keepGenesisLedgerInfo(store);
    for (let i = 0; i < blocks; i++) await run.step();
    const asset = parseAsset(COIN);
    const addresses = run.chain.guide().accounts.map(({ address }) => parseAddress(address));
    /** Processor time of a proof in a turn. */
    const takeTurn = async (isHead: boolean, turn: number): Promise<number> => {
      const started = process.cpuUsage();
      for (let at = 0; at < TURN_PROOFS; at++) {
        const view = await store.openRawView();
        const height = isHead ? view.position.blockHeight : BigInt(Math.floor(blocks / 3) + at);
        const block = await view.getBlockByHeight(height);
        const address = addresses[(turn + at) % addresses.length];
        if (address === undefined || block === undefined) throw new Error("no account or block");
        const question = balancesQuestion([{ address, asset }], false);
        // Asked differently each time, so that nothing is remembered from the proof before.
        const version = isHead && at % 2 === 0 ? undefined : block.lastVersion;
        await prove(store, view, question, { version });
        view.release();
      }
      return cpuNanosecondsEach(started, TURN_PROOFS);
    };
    const turns = quick ? 4 : 16;
    let ours = 0;
    // In turns within a round, because the machine changes from round to round more than the sides within one.
    const both = async (): Promise<number> => {
      const costs: Record<"old" | "head", number[]> = { old: [], head: [] };
      for (let turn = 0; turn < turns; turn++) {
        const order = ["old", "head"] as const;
        for (const side of turn % 2 === 0 ? order : order.toReversed())
          costs[side].push(await takeTurn(side === "head", turn));
      }
      ours = median(costs.old);
      return median(costs.head);
    };
    return await compare(
      `a proof at an old version, over one at the head${where}`,
      { ours: () => ours, base: both },
      { unit: "ns CPU", target: { max: 3 }, inOrder: true, budget: 4 },
    );
  } finally {
    await store.close();
  }
}

/** Proofs of a thousand balances with authentication keys among 10,000 accounts: the size of the file, and the check. */
async function listRows({ quick }: BenchOptions): Promise<readonly BenchRow[]> {
  const [count, all] = quick ? [100, 1000] : [1000, 10_000];
  const accounts = Array.from({ length: all }, (_, i) => ({
    address: formatAddressLong(addressFromBytes(makeKey(i))),
    balances: { [COIN]: BigInt(i) * 1_000_003n },
  }));
  const node = await createNode({ accounts, localChain: { traffic: false }, pruneWindow: "off" });
  try {
    await node.mine(2);
    const pairs = accounts.slice(0, count).map(({ address }) => ({ address, asset: COIN }));
    const { genesis_waypoint: waypoint = "" } = await node.info();
    const bytes = await node.proveBalances(pairs, { authenticationKeys: true, fromWaypoint: waypoint });
    const packed = gzipSync(bundleToText(decodeBundle(bytes))).length;
    const size = { unit: "bytes", basis: "size" } as const;
    const check = (): number => {
      const started = process.cpuUsage();
      verifyProofWith(fastestBls(), bytes, waypoint);
      return (cpuNanosecondsEach(started, 1) * 1000) / count;
    };
    return [
      toPlainRow("1,000 proven accounts as written to .json.gz, over 0.8 MB", (packed * 1000) / count, 8e5, {
        ...size,
        target: { max: 1 },
        note: `${bytes.length} bytes of BCS for ${count} accounts`,
      }),
      await compare(
        "the check of 1,000 proven accounts, over a second",
        { ours: check, base: () => 1e9 },
        { unit: "ns CPU", target: { max: 1 } },
      ),
    ];
  } finally {
    await node.close();
  }
}

/** Rows of proofs. */
export async function benchmarkProofs(options: BenchOptions): Promise<readonly BenchRow[]> {
  return [
    ...(await signatureRows(options)),
    // The requests of a quick run measure how the code warms up.
    ...(options.quick ? [] : [await proofRow(options)]),
    ...(await withDirectory((path) => proofCostRows(options, storesIn(path)))),
    ...(await listRows(options)),
  ];
}
