// The proof port: a backup service whose answers lead to what validators signed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { transactionAccumulator } from "../../src/ledger/accumulator.ts";
import { stateKeyHashOfBcs } from "../../src/ledger/formats/state-key.ts";
import { stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { transactionCodec, transactionHash } from "../../src/ledger/formats/transaction.ts";
import {
  auxiliaryInfoCodec,
  auxiliaryInfoHash,
  transactionInfoCodec,
  transactionInfoHash,
} from "../../src/ledger/formats/transaction-info.ts";
import { hashPair, SEEDS } from "../../src/ledger/hash.ts";
import { computeWaypoint, formatWaypoint } from "../../src/ledger/waypoint.ts";
import { createNode, type Node } from "../../src/node.ts";
import {
  accumulatorHeight,
  checkAccumulatorProof,
  type RangeProof,
} from "../../src/proof/accumulator-proof.ts";
import { EpochChain } from "../../src/proof/epoch-chain.ts";
import type { SignedLedgerInfo } from "../../src/proof/ledger-info.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { BackupService, signedRangeProofCodec } from "../../src/sync/signatures/backup-service.ts";
import { lengthRecords } from "../../src/sync/signatures/length-records.ts";
import { createTable } from "../support/tree-table.ts";

const { signal } = new AbortController();
let node: Node;
let service: BackupService;

beforeAll(async () => {
  node = await createNode({
    http: { port: 0, proofPort: 0 },
    localChain: { seed: "proof-port", epochTimeMs: 4_000 },
    pruneWindow: "off",
  });
  for (let i = 0; i < 14; i++) await node.produceBlock();
  service = new BackupService(new URL(node.proofUrl ?? ""));
});

afterAll(async () => {
  service.close();
  await node.close();
});

async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(`${node.proofUrl}${path}`)).arrayBuffer());
}

async function recordsOf(path: string): Promise<Uint8Array[]> {
  const body = await bytesOf(path);
  const found: Uint8Array[] = [];
  const whole = (async function* () {
    yield body;
  })();
  for await (const record of lengthRecords(whole, { maxRecords: 1e6, maxRecordBytes: 1e8 })) {
    found.push(record.slice());
  }
  return found;
}

/** Hashes of the infos in an answer to `transactions`, and the records' own consistency. */
async function infoHashes(first: bigint, count: number): Promise<Uint8Array[]> {
  return (await recordsOf(`/transactions/${first}/${count}`)).map((record) => {
    const reader = new BcsReader(record);
    transactionCodec.skip(reader);
    const transaction = record.slice(0, reader.offset);
    const auxiliary = auxiliaryInfoCodec.read(reader);
    const info = transactionInfoCodec.read(reader);
    expect(toHex(transactionHash(transaction))).toBe(toHex(info.transactionHash));
    expect(auxiliaryInfoHash(auxiliary)).toEqual(info.auxiliaryInfoHash);
    return transactionInfoHash(encodeWith(transactionInfoCodec, info));
  });
}

/** The root over neighbouring leaves, from what stands left and right of them; all of that must be used. */
function rootOver(
  leaves: readonly Uint8Array[],
  first: bigint,
  range: RangeProof,
  height: number,
): Uint8Array {
  const [left, right] = [[...range.left], [...range.right]];
  let nodes = [...leaves];
  for (let level = 0; level < height; level++) {
    if (((first >> BigInt(level)) & 1n) === 1n) nodes.unshift(left.shift()!);
    if (nodes.length % 2 === 1) nodes.push(right.shift()!);
    const pairs = nodes.length / 2;
    nodes = Array.from({ length: pairs }, (_, i) =>
      hashPair(SEEDS.transactionAccumulator, nodes[2 * i]!, nodes[2 * i + 1]!),
    );
  }
  expect([left, right, nodes.length]).toEqual([[], [], 1]);
  return nodes[0]!;
}

describe("the proof port", () => {
  it("leads by signatures from genesis to the latest version", async () => {
    const state = await service.dbState(signal);
    const head = await node.ledgerInfo();
    expect(state).toEqual({ epoch: BigInt(head.epoch), version: BigInt(head.ledger_version) });
    const ends: SignedLedgerInfo[] = [];
    for await (const end of service.epochEnds(0n, signal)) ends.push(end);
    expect(ends.length).toBeGreaterThan(3);
    const genesis = ends[0] as SignedLedgerInfo;
    const waypoint = computeWaypoint(genesis.ledgerInfo);
    const info = (await node.info()) as { genesis_waypoint: string };
    expect(formatWaypoint(waypoint)).toBe(info.genesis_waypoint);
    const chain = EpochChain.begin(waypoint, genesis.ledgerInfo, fastestBls());
    for (const end of ends.slice(1)) chain.advance(end);
    const latest = (await service.latest(signal)) as SignedLedgerInfo;
    chain.check(latest);
    expect(latest.ledgerInfo.version).toBe(state?.version);
  });

  it("proves every version and every range in the ledger of its epoch", async () => {
    const version = BigInt((await node.ledgerInfo()).ledger_version);
    const leaves = await infoHashes(0n, Number(version) + 1);
    expect(leaves).toHaveLength(Number(version) + 1);
    const accumulator = transactionAccumulator();
    const states = leaves.map((leaf) => {
      const before = accumulator.state();
      accumulator.append(leaf);
      return before;
    });
    for (let at = 0n; at <= version; at += 5n) {
      const { siblings, info, signed } = await service.stateRootProof(at, signal);
      const leaf = transactionInfoHash(encodeWith(transactionInfoCodec, info));
      expect(leaf).toEqual(leaves[Number(at)]);
      checkAccumulatorProof(siblings, signed.ledgerInfo, at, leaf);
      const last = BigInt(Math.min(Number(at) + 3, Number(version)));
      const proof = decodeWith(
        signedRangeProofCodec,
        await bytesOf(`/transaction_range_proof/${at}/${last}`),
      );
      const range = leaves.slice(Number(at), Number(last) + 1);
      const { version: end, accumulatorRoot } = proof.signed.ledgerInfo;
      expect(toHex(rootOver(range, at, proof.range, accumulatorHeight(end + 1n)))).toBe(
        toHex(accumulatorRoot),
      );
      expect(proof.range.left.toReversed().map(toHex)).toEqual(states[Number(at)]?.frozen.map(toHex));
    }
  });

  it("lists the state of a block end in the order of key hashes, and it has the signed root", async () => {
    const version = BigInt((await node.ledgerInfo()).ledger_version);
    const { info } = await service.stateRootProof(version, signal);
    const count = Number(await service.stateItemCount(version, signal));
    expect(count).toBeGreaterThan(50);
    const first = await service.stateChunk(version, 0n, 20, signal);
    const rest = await service.stateChunk(version, 20n, count, signal);
    const items = [...first, ...rest].map(({ key, value }) => ({
      keyHash: stateKeyHashOfBcs(key),
      valueHash: stateValueHash(value),
    }));
    expect(items).toHaveLength(count);
    const names = items.map(({ keyHash }) => toHex(keyHash));
    expect(names).toEqual([...names].sort());
    const root = await createTable().apply(items);
    expect(toHex(root)).toBe(toHex(info.stateCheckpointHash ?? new Uint8Array()));
    expect(await service.stateChunk(version, BigInt(count), 5, signal)).toEqual([]);
  });

  it("keeps the states of earlier block ends too", async () => {
    let version = 0n;
    for await (const { ledgerInfo } of service.epochEnds(2n, signal)) {
      version = ledgerInfo.version;
      break;
    }
    const { info } = await service.stateRootProof(version, signal);
    const count = Number(await service.stateItemCount(version, signal));
    const items = await service.stateChunk(version, 0n, count, signal);
    const root = await createTable().apply(
      items.map(({ key, value }) => ({ keyHash: stateKeyHashOfBcs(key), valueHash: stateValueHash(value) })),
    );
    expect(toHex(root)).toBe(toHex(info.stateCheckpointHash ?? new Uint8Array()));
  });

  it.each([
    ["/nothing", 404, /no such question/],
    ["/db_state/1", 404, /no such question/],
    ["/state_root_proof/x", 400, /whole numbers/],
    ["/state_root_proof/99999999999999999999999", 400, /whole numbers/],
    ["/state_root_proof/99999999", 404, /above the latest/],
    ["/transactions/99999999/1", 404, /above the latest/],
    ["/transactions/0/999999999999", 400, /at most/],
    ["/transaction_range_proof/5/4", 400, /expected a range/],
    ["/epoch_ending_ledger_infos/0/5000", 404, /the end of epoch \d+ is not known here/],
    ["/epoch_ending_ledger_infos/5/4", 400, /at most/],
    ["/state_item_count/1000000", 404, /above the latest/],
    ["/state_snapshot_chunk/0/0/99999999999", 400, /at most/],
    ["/state_range_proof/0/00", 400, /64 hex digits/],
  ])("refuses %s", async (path, status, reason) => {
    const response = await fetch(`${node.proofUrl}${path}`);
    const text = await response.text();
    expect(text).toMatch(reason);
    expect(response.status).toBe(status);
  });

  it("refuses a version inside a block, a key that is not there, and other methods", async () => {
    const version = BigInt((await node.ledgerInfo()).ledger_version);
    const inside = await fetch(`${node.proofUrl}/state_item_count/${version - 1n}`);
    expect([inside.status, await inside.text()]).toEqual([
      404,
      expect.stringMatching(/does not end a block/),
    ]);
    const absent = await fetch(`${node.proofUrl}/state_range_proof/${version}/${"00".repeat(32)}`);
    expect([absent.status, await absent.text()]).toEqual([
      404,
      expect.stringMatching(/no item with that key/),
    ]);
    const posted = await fetch(`${node.proofUrl}/db_state`, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
  });
});
