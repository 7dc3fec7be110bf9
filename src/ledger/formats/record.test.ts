import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOffset } from "../../../test/support/codec-properties.ts";
import { anyRecord } from "../../../test/support/ledger-arbitraries.ts";
import { RUNS } from "../../../test/support/property.ts";
import { toHex } from "../../base/hex.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { parseAddress } from "../../move/address.ts";
import {
  type ContractEvent,
  contractEventCodec,
  findNewBlock,
  findNewEpoch,
  NEW_BLOCK_EVENT_TYPE,
  NEW_EPOCH_EVENT_TYPE,
  newBlockEventCodec,
  newEpochEventCodec,
} from "./block-event.ts";
import { decodePage, decodeRecord, encodeRecord, readRecord, recordCodec } from "./record.ts";
import { transactionCodec } from "./transaction.ts";
import { auxiliaryInfoHash, transactionInfoCodec } from "./transaction-info.ts";
import { writeSetCodec } from "./write-set.ts";

describe("record spans", () => {
  it("are the encodings of the fields, and joined again give the record", () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const bytes = encodeWith(recordCodec, record);
        const spans = decodeRecord(bytes);
        expect(toHex(spans.transaction)).toBe(toHex(encodeWith(transactionCodec, record.transaction)));
        expect(toHex(spans.infoBytes)).toBe(toHex(encodeWith(transactionInfoCodec, record.info)));
        expect(spans.events.map(toHex)).toEqual(
          record.events.map((event) => toHex(encodeWith(contractEventCodec, event))),
        );
        expect(toHex(spans.changes)).toBe(toHex(encodeWith(writeSetCodec, record.changes)));
        expect(spans.writes.length).toBe(record.changes.writes.length);
        const { transaction } = record;
        expect(spans.userChainId).toBe(
          transaction.kind === "user" ? transaction.transaction.raw.chainId : undefined,
        );
        expect(toHex(encodeRecord({ ...spans, info: spans.infoBytes }))).toBe(toHex(bytes));
      }),
      { numRuns: RUNS },
    );
  });

  it("are refused exactly where the codec refuses the record", () => {
    fc.assert(
      fc.property(anyRecord, fc.nat(), fc.nat(255), fc.nat(), (record, at, byte, cut) => {
        const bytes = encodeWith(recordCodec, record);
        bytes[at % bytes.length] = byte;
        const input = bytes.subarray(0, bytes.length - (cut % 3 === 0 ? cut % bytes.length : 0));
        expect(endOffset(input, readRecord)).toBe(endOffset(input, recordCodec.skip));
      }),
      { numRuns: RUNS },
    );
  });

  it("are read from pages", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 3 }), (records) => {
        const page = new BcsWriter().vector(records, recordCodec.write).take();
        expect(decodePage(page).map((record) => record.version)).toEqual(records.map((one) => one.version));
        expect(() => decodePage(page.subarray(0, page.length - 1))).toThrow(BcsError);
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });
});

describe("auxiliary info", () => {
  it("has the known hash at index 0, and none in its other forms", () => {
    expect(toHex(auxiliaryInfoHash({ kind: "v1", transactionIndex: 0 })!)).toBe(
      "2110f2ab9257012d59345cf91a8446e970bc91b93444aefc643f55f3867552f9",
    );
    expect(auxiliaryInfoHash({ kind: "none" })).toBeUndefined();
    expect(auxiliaryInfoHash({ kind: "simulated", transactionIndex: 0 })).toBeUndefined();
  });
});

describe("block and epoch events", () => {
  const ONE = parseAddress("0x1");
  const block = {
    hash: new Uint8Array(32).fill(7),
    epoch: 1n,
    round: 2n,
    height: 3n,
    previousVotes: new Uint8Array([4]),
    proposer: ONE,
    failedProposers: [5n],
    timestampUsec: 6n,
  };
  const event: ContractEvent = {
    kind: "v1",
    creationNumber: 3n,
    account: ONE,
    sequenceNumber: 3n,
    type: NEW_BLOCK_EVENT_TYPE,
    data: encodeWith(newBlockEventCodec, block),
  };
  const find = (one: ContractEvent) => findNewBlock(encodeWith(contractEventCodec, one));

  it("are found by key and type alone", () => {
    expect(find(event)).toEqual(block);
    expect(find({ ...event, sequenceNumber: 99n })).toEqual(block);
    expect(find({ ...event, creationNumber: 2n })).toBeUndefined();
    expect(find({ ...event, account: parseAddress("0x2") })).toBeUndefined();
    expect(find({ ...event, type: NEW_EPOCH_EVENT_TYPE })).toBeUndefined();
    expect(find({ kind: "v2", type: event.type, data: event.data })).toBeUndefined();
    const epoch: ContractEvent = {
      ...event,
      creationNumber: 2n,
      type: NEW_EPOCH_EVENT_TYPE,
      data: encodeWith(newEpochEventCodec, { epoch: 8n }),
    };
    expect(findNewEpoch(encodeWith(contractEventCodec, epoch))).toEqual({ epoch: 8n });
    expect(findNewEpoch(encodeWith(contractEventCodec, event))).toBeUndefined();
  });

  it("must hold the data of their type", () => {
    expect(() => find({ ...event, data: event.data.subarray(1) })).toThrow(BcsError);
  });

  it("ignore any other event", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(findNewBlock(bytes)).toBeUndefined();
        expect(findNewEpoch(bytes)).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
    expect(decodeWith(newEpochEventCodec, new Uint8Array(8))).toEqual({ epoch: 0n });
  });
});
