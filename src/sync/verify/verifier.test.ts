import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyWriteOp } from "../../../test/support/ledger-arbitraries.ts";
import {
  BUILT_CHAIN_ID,
  type BuiltVersion,
  LedgerBuilder,
  newBlock,
  newEpoch,
} from "../../../test/support/ledger-builder.ts";
import { RUNS } from "../../../test/support/property.ts";
import { anyEncryptedInner, anyUserTransaction } from "../../../test/support/transaction-arbitraries.ts";
import { verifyRecords } from "../../../test/support/verify-records.ts";
import { toHex } from "../../base/hex.ts";
import { silentLogger } from "../../base/log.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { ContractEvent } from "../../ledger/formats/block-event.ts";
import { decodeRecord, type RecordSpans } from "../../ledger/formats/record.ts";
import { stateKeyHash } from "../../ledger/formats/state-key.ts";
import type { Transaction } from "../../ledger/formats/transaction.ts";
import type { WriteSet } from "../../ledger/formats/write-set.ts";
import { ALL_TRUSTED } from "../../ledger/trust.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import { Committer } from "../committer.ts";
import { loadPosition } from "../reading.ts";
import { Verifier } from "./verifier.ts";

const CHECKPOINT: BuiltVersion = { checkpoint: true };

function open(height: bigint, epoch: bigint, timestampUsec: bigint): BuiltVersion {
  return { events: [newBlock(height, epoch, timestampUsec)], checkpoint: false };
}

function build(...versions: BuiltVersion[]) {
  const ledger = new LedgerBuilder();
  ledger.genesis();
  for (const version of versions) ledger.add(version);
  return ledger.records.map(decodeRecord);
}

function sampleUser(chainId: number, change: (one: UserTransaction) => UserTransaction = (one) => one) {
  const [sample] = fc.sample(anyUserTransaction, { seed: 1, numRuns: 1 });
  const transaction = change({ ...sample!, raw: { ...sample!.raw, chainId } });
  return { kind: "user", transaction } satisfies Transaction;
}

describe("verifier", () => {
  it("accepts whole blocks, blocks without a proposal, and changes of epoch", () => {
    const blocks = verifyRecords(
      undefined,
      build(
        open(1n, 1n, 5n),
        { transaction: sampleUser(BUILT_CHAIN_ID), checkpoint: false },
        CHECKPOINT,
        open(2n, 1n, 5n),
        { events: [newEpoch(2n)], checkpoint: true },
        { events: [newBlock(3n, 2n, 6n)], checkpoint: true, newInfo: true },
      ),
    );
    expect(blocks.map((block) => block.start)).toEqual([
      { height: 0n, firstVersion: 0n, timestampUsec: 0n, epoch: 0n },
      { height: 1n, firstVersion: 1n, timestampUsec: 5n, epoch: 1n },
      { height: 2n, firstVersion: 4n, timestampUsec: 5n, epoch: 1n },
      { height: 3n, firstVersion: 6n, timestampUsec: 6n, epoch: 2n },
    ]);
    expect(blocks.map((block) => block.position.version)).toEqual([0n, 3n, 5n, 6n]);
    expect(blocks.map((block) => block.position.epoch)).toEqual([0n, 1n, 1n, 2n]);
  });

  it("continues from a position, also at an epoch's end", () => {
    const records = build(
      { events: [newBlock(1n, 1n, 5n), newEpoch(2n)], checkpoint: true },
      { events: [newBlock(2n, 2n, 6n)], checkpoint: true },
    );
    const [, first] = verifyRecords(undefined, records.slice(0, 2));
    const position = { ...first!.position, stateRoot: undefined, ...ALL_TRUSTED };
    expect(verifyRecords(position, records.slice(2))[0]?.position.epoch).toBe(2n);
  });

  it("hashes a decrypted transaction in its encrypted form", () => {
    const [inner] = fc.sample(anyEncryptedInner, { seed: 1, numRuns: 1 });
    const withPayload = (decrypted: boolean) =>
      sampleUser(BUILT_CHAIN_ID, (one) => ({
        ...one,
        raw: {
          ...one.raw,
          payload: {
            kind: "encrypted",
            encrypted: decrypted
              ? {
                  kind: "decrypted",
                  inner: inner!,
                  evalProof: new Uint8Array(3),
                  executable: { kind: "empty" },
                  decryptionNonce: new Uint8Array(16),
                }
              : { kind: "encrypted", inner: inner! },
          },
        },
      }));
    const hashOf = (decrypted: boolean) => {
      const records = build(open(1n, 1n, 5n), { transaction: withPayload(decrypted), checkpoint: true });
      expect(verifyRecords(undefined, records)).toHaveLength(2);
      return toHex(records[2]!.info.transactionHash);
    };
    expect(hashOf(true)).toBe(hashOf(false));
  });

  const WRONG: [string, BuiltVersion[], string][] = [
    ["no block after a checkpoint", [CHECKPOINT], "new block"],
    ["a block before a checkpoint", [open(1n, 1n, 5n), open(2n, 1n, 6n)], "new block"],
    [
      "two blocks in one version",
      [{ events: [newBlock(1n, 1n, 5n), newBlock(1n, 1n, 5n)], checkpoint: true }],
      "new block",
    ],
    ["a gap in the heights", [open(2n, 1n, 5n)], "block height"],
    ["an epoch left out", [open(1n, 2n, 5n)], "block epoch"],
    ["an epoch that did not end", [open(1n, 1n, 5n), CHECKPOINT, open(2n, 2n, 6n)], "block epoch"],
    ["time running back", [open(1n, 1n, 5n), CHECKPOINT, open(2n, 1n, 4n)], "block time"],
    [
      "the wrong next epoch",
      [{ events: [newBlock(1n, 1n, 5n), newEpoch(3n)], checkpoint: true }],
      "new epoch",
    ],
    [
      "an epoch that ends inside a block",
      [{ events: [newBlock(1n, 1n, 5n), newEpoch(2n)], checkpoint: false }],
      "state checkpoint hash",
    ],
    [
      "a user transaction of another chain",
      [open(1n, 1n, 5n), { transaction: sampleUser(BUILT_CHAIN_ID + 1), checkpoint: true }],
      "chain id",
    ],
  ];

  it.each(WRONG)("refuses %s", (_, versions, field) => {
    const records = build(...versions);
    const verifier = new Verifier(undefined);
    for (const record of records.slice(0, -1)) verifier.push(record);
    const last = records.at(-1)!;
    try {
      verifier.push(last);
      expect.unreachable("the record was accepted");
    } catch (error) {
      expect(error).toBeInstanceOf(LedgerError);
      expect((error as LedgerError).code).toBe("mismatch");
      expect((error as LedgerError).details).toMatchObject({ version: last.version, field });
    }
  });

  it("compares thousands of events in pieces", () => {
    const other: ContractEvent = { kind: "v2", type: { kind: "u8" }, data: Uint8Array.of(7) };
    const events = [newBlock(1n, 1n, 5n), ...Array.from({ length: 3000 }, () => other)];
    const [genesis, block] = build({ events, checkpoint: true });
    const piecesOf = (record: RecordSpans): number => {
      const verifier = new Verifier(undefined);
      verifier.push(genesis as RecordSpans);
      return [...verifier.pushInPieces(record)].length;
    };
    expect(piecesOf(block!)).toBeGreaterThan(20);
    expect(() => piecesOf({ ...block!, events: block!.events.slice(1) })).toThrow("event root hash");
  });

  it("refuses a block event that does not decode", () => {
    const event = { ...newBlock(1n, 1n, 5n), data: new Uint8Array(3) } as ContractEvent;
    expect(() => verifyRecords(undefined, build({ events: [event], checkpoint: true }))).toThrow(
      /^version 1: new block event: .*at byte/,
    );
  });

  it("refuses a first version without a chain id", () => {
    const ledger = new LedgerBuilder();
    const record = ledger.add({ events: [newBlock(0n, 0n, 0n), newEpoch(1n)], checkpoint: true });
    expect(() => verifyRecords(undefined, [decodeRecord(record)])).toThrow("sets no chain id");
  });
});

describe("any history", () => {
  const anyWrites = fc.uniqueArray(fc.tuple(fc.nat(30), anyWriteOp), {
    maxLength: 6,
    selector: ([id]) => id,
  });
  const anyVersion = fc.record({ writes: anyWrites, ends: fc.boolean(), isNew: fc.boolean() });
  const keyOf = (id: number) => ({ kind: "raw", key: Uint8Array.of(id) }) as const;

  it("committed in any pieces, ends with the same state as its writes at every version", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyVersion, { minLength: 1, maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        async (versions, pieces) => {
          const ledger = new LedgerBuilder();
          ledger.genesis();
          const states = [new Map(ledger.state)];
          let height = 0n;
          let isOpen = false;
          for (const [i, { writes, ends, isNew }] of versions.entries()) {
            const checkpoint = ends || i === versions.length - 1;
            const events = isOpen ? [] : [newBlock(++height, 1n, height)];
            const entries = writes.map(([id, op]) => [keyOf(id), op] as const);
            const changes: WriteSet = isNew
              ? { kind: "v1", writes: entries, hotKeys: [keyOf(1)], extensions: [] }
              : { kind: "v0", writes: entries };
            ledger.add({ events, changes, checkpoint, newInfo: isNew });
            states.push(new Map(ledger.state));
            isOpen = !checkpoint;
          }
          const store = createMemoryStore();
          const committer = new Committer({ store, logger: silentLogger });
          for (let at = 0, turn = 0; at < ledger.records.length; turn++) {
            const piece = ledger.records.slice(at, at + pieces[turn % pieces.length]!);
            const page = new BcsWriter().vector(piece, (writer, record) => void writer.fixed(record)).take();
            await committer.append(turn % 2 === 0 ? piece : page);
            at += piece.length;
          }
          expect(toHex((await loadPosition(store))!.stateRoot!)).toBe(toHex(ledger.stateRoot()));
          const view = await store.openView();
          const keyHashes = Array.from({ length: 31 }, (_, id) => stateKeyHash(keyOf(id)));
          for (const [version, state] of states.entries()) {
            const items = await view.getItems(keyHashes, BigInt(version));
            expect(items.map((item) => item?.value && toHex(item.value))).toEqual(
              keyHashes.map((hash) => {
                const value = state.get(toHex(hash))?.value;
                return value && toHex(value);
              }),
            );
          }
          view.release();
        },
      ),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });
});
