// Work that hostile code asks for: bounded in parts, in proportion to its price, and in pieces.
import { createHash } from "node:crypto";
import { ristretto255 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { describe, expect, it, vi } from "vitest";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import { errorText } from "../../src/base/errors.ts";
import { toHex } from "../../src/base/hex.ts";
import { finish, type Pieces } from "../../src/base/pieces.ts";
import type { Slices } from "../../src/base/wait.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { contractEventCodec } from "../../src/ledger/formats/block-event.ts";
import { stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec } from "../../src/ledger/formats/state-value.ts";
import { writeSetCodec } from "../../src/ledger/formats/write-set.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import type { AbiType } from "../../src/move/abi.ts";
import { structTagCodec, typeTagCodec } from "../../src/move/type-tag.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import { ArgumentMaker } from "../../src/vm/arguments.ts";
import {
  type Change,
  changesOf,
  chargeChanges,
  encodeEvents,
  encodeWriteSet,
} from "../../src/vm/change-set.ts";
import { Meter } from "../../src/vm/gas.ts";
import { decodeInPieces, decodeValue, encodeStored, encodeValue, type Layout } from "../../src/vm/layout.ts";
import { loadConfig } from "../../src/vm/ledger/chain-config.ts";
import { KnownState, LedgerRun, LongRuns } from "../../src/vm/ledger/ledger-run.ts";
import { findNative } from "../../src/vm/native-table.ts";
import { multiScalarMultiply } from "../../src/vm/natives/crypto/ristretto255.ts";
import type { Native, NativeContext } from "../../src/vm/natives.ts";
import { Programs } from "../../src/vm/programs.ts";
import { GlobalSlot, type Session, type SessionEvent } from "../../src/vm/session.ts";
import { LedgerState, tableItemStateKey } from "../../src/vm/state.ts";
import { structType } from "../../src/vm/types.ts";
import {
  abstractSize,
  byteVec,
  compareValues,
  copyValue,
  Delayed,
  equalValues,
  heapSize,
  Ref,
  Struct,
  type Value,
  Vec,
} from "../../src/vm/values.ts";
import { STRUCTS } from "../support/instruction-cases.ts";
import { functionOf, loadedModule, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";

const ONE = `${"0".repeat(63)}1`;
const OPTION = "0xcafe::m::Maybe<vector<u64>>";
const noPrograms = (): never => expect.fail("no module is read");
const ref = (value: Value): Ref => new Ref([value], 0);

/** A value that holds another one twice, as often as that; its parts are as many as two to that power. */
function doubled(times: number, inner: Value = 1n): { readonly value: Value; readonly layout: Layout } {
  let [value, layout]: [Value, Layout] = [inner, { kind: "u64" }];
  for (let i = 0; i < times; i++) {
    value = new Vec("other", [value, value]);
    layout = { kind: "vector", item: layout, itemKind: i === 0 ? "u64" : "other" };
  }
  return { value, layout };
}

const WALKS: Readonly<Record<string, (value: Value, layout: Layout) => unknown>> = {
  abstractSize: (value) => abstractSize(value),
  "abstractSize that follows references": (value) => abstractSize(ref(value), true),
  heapSize: (value) => heapSize(value),
  copyValue: (value) => copyValue(value),
  equalValues: (value) => equalValues(ref(value), ref(value)),
  compareValues: (value) => compareValues(value, value),
  encodeValue: (value, layout) => encodeValue(value, layout),
};

describe("a walk through a value", () => {
  it.each(Object.entries(WALKS))("%s ends at the limit of memory", (_, walk) => {
    const { value, layout } = doubled(42);
    expect(outcomeOf(() => walk(value, layout))).toBe("4028");
    // The next one begins again, and takes as much as a run may have.
    const legal = doubled(17);
    expect(outcomeOf(() => walk(legal.value, legal.layout))).not.toBe("4028");
  });

  it("counts the bytes that it copies or writes", () => {
    const { value, layout } = doubled(12);
    const big = byteVec(new Uint8Array(1 << 16));
    const parts = (one: Value, to: Value): Value =>
      one instanceof Vec
        ? new Vec(
            one.kind,
            one.items.map((item) => parts(item, to)),
          )
        : to;
    const wide = parts(value, big);
    const bytes = (one: Layout): Layout =>
      one.kind === "vector"
        ? { ...one, itemKind: "other", item: bytes(one.item) }
        : { kind: "vector", itemKind: "u8", item: { kind: "u8" } };
    expect(outcomeOf(() => copyValue(wide))).toBe("4028");
    expect(outcomeOf(() => encodeValue(wide, bytes(layout)))).toBe("4028");
  });

  it("ends where a value has another type than its layout says, as what a replaced function gives", () => {
    const given: readonly Value[] = [true, 5, "", new Vec("u8", []), new Struct([])];
    expect(given.map((value) => outcomeOf(() => encodeValue(value, { kind: "u64" })))).toEqual(
      given.map(() => "2000"),
    );
    expect(outcomeOf(() => encodeStored(5n, { kind: "u8" }))).toBe("2000");
  });

  it("ends where a value that is stored has aggregators", () => {
    const { value } = doubled(42);
    const layout: Layout = {
      kind: "struct",
      fields: [{ kind: "delayed", inner: { kind: "u64" } }, { kind: "u8" }],
    };
    expect(outcomeOf(() => encodeStored(new Struct([new Delayed(1n), value]), layout))).toBe("4028");
  });
});

/** Calls a native function outside of a run: its pieces are done one after the other, and counted. */
function callNative(
  name: string,
  args: readonly Value[],
  types: readonly string[] = [],
): { readonly values: readonly Value[]; readonly pauses: number } {
  const { linker, session } = new TestMachine([moduleOf({ structs: STRUCTS })]);
  const context = { linker, session, meter: linker.meter, callers: () => [] } as unknown as NativeContext;
  const native = findNative(`${ONE}::${name}`) as Native;
  const result = native(context, args, types.map(parseAbiType)) as
    | readonly Value[]
    | Pieces<readonly Value[]>;
  if (Array.isArray(result)) return { values: result, pauses: 0 };
  const { result: values, pauses } = inPieces(result as Pieces<readonly Value[]>);
  return { values, pauses };
}

/** Does all pieces, and counts the pauses between them. */
function inPieces<T>(pieces: Pieces<T>): { readonly result: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = pieces.next();
    if (done === true) return { result: value, pauses };
  }
}

/** A vector of bytes that counts how often its items are read. */
function counted(bytes: Uint8Array): { readonly vec: Vec; readonly reads: () => number } {
  let reads = 0;
  const items = new Proxy([...bytes] as Value[], {
    get: (target, name, self) => {
      if (name !== "length") reads++;
      return Reflect.get(target, name, self) as unknown;
    },
  });
  return { vec: new Vec("u8", items), reads: () => reads };
}

describe("the work of a native", () => {
  it("that looks for a text ends with the text that it finds", () => {
    const { vec, reads } = counted(Buffer.from(`abc${"x".repeat(100_000)}`));
    expect(
      callNative("string::internal_index_of", [ref(vec), ref(byteVec(Buffer.from("bc")))]).values,
    ).toEqual([1n]);
    expect(reads()).toBeLessThan(20);
  });

  it("that looks for a text is in proportion to the text and the pattern", () => {
    const { vec, reads } = counted(Buffer.from("a".repeat(20_000)));
    const pattern = ref(byteVec(Buffer.from(`${"a".repeat(1000)}b`)));
    expect(callNative("string::internal_index_of", [ref(vec), pattern]).values).toEqual([20_000n]);
    expect(reads()).toBeLessThan(100_000);
  });

  it("finds what JavaScript finds", () => {
    const texts = ["", "a", "ab", "aab", "abab", "aabaab", "abaabaaab", "bbbabab"];
    for (const text of texts)
      for (const wanted of texts) {
        const args = [text, wanted].map((one) => ref(byteVec(Buffer.from(one))));
        const at = text.indexOf(wanted);
        expect(callNative("string::internal_index_of", args).values).toEqual([
          BigInt(at < 0 ? text.length : at),
        ]);
      }
  });

  it("that takes an element of a fixed length does not read bytes of another length", () => {
    const { vec, reads } = counted(new Uint8Array(10_000));
    const types = ["0x1::bls12381_algebra::Fr", "0x1::bls12381_algebra::FormatFrLsb"];
    expect(callNative("crypto_algebra::deserialize_internal", [ref(vec)], types).values).toEqual([false, 0n]);
    expect(reads()).toBe(0);
  });
});

const digest = (name: string) => (bytes: Uint8Array) => createHash(name).update(bytes).digest();
const HASHES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "hash::sha2_256": digest("sha256"),
  "hash::sha3_256": digest("sha3-256"),
  "aptos_hash::keccak256": keccak_256,
  "aptos_hash::sha2_512_internal": digest("sha512"),
  "aptos_hash::sha3_512_internal": digest("sha3-512"),
  "aptos_hash::ripemd160_internal": digest("ripemd160"),
  "aptos_hash::blake2b_256_internal": (bytes) => blake2b(bytes, { dkLen: 32 }),
};
const LONG = Uint8Array.from({ length: 300_001 }, (_, i) => (i * 7) & 0xff);

/** SipHash-2-4 with a key of zeros, by its definition. */
function sipHash(bytes: Uint8Array): bigint {
  const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
  const rotate = (value: bigint, by: bigint): bigint => u64(value << by) | (value >> (64n - by));
  let [a, b, c, d] = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
  const round = (): void => {
    [a, c] = [u64(a + b), u64(c + d)];
    [b, d] = [rotate(b, 13n) ^ a, rotate(d, 16n) ^ c];
    [c, a] = [u64(c + b), u64(rotate(a, 32n) + d)];
    [b, d] = [rotate(b, 17n) ^ c, rotate(d, 21n) ^ a];
    c = rotate(c, 32n);
  };
  const padded = Buffer.alloc((bytes.length & ~7) + 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 0xff;
  for (let at = 0; at < padded.length; at += 8) {
    const word = padded.readBigUInt64LE(at);
    d ^= word;
    round();
    round();
    a ^= word;
  }
  c ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return a ^ b ^ c ^ d;
}

describe("a long native", () => {
  it.each(Object.entries(HASHES))("%s pauses, with the same result", (name, hash) => {
    const short = LONG.subarray(0, 1000);
    expect(callNative(name, [byteVec(short)])).toEqual({ values: [byteVec(hash(short))], pauses: 0 });
    expect(callNative(name, [byteVec(LONG)])).toEqual({ values: [byteVec(hash(LONG))], pauses: 18 });
  });

  it("sip_hash pauses, with the same result", () => {
    for (const length of [1, 7, 8, 9, 63, 255, 256, 16_384, 300_001]) {
      const bytes = LONG.subarray(0, length);
      expect(callNative("aptos_hash::sip_hash", [byteVec(bytes)]).values).toEqual([sipHash(bytes)]);
    }
    expect(callNative("aptos_hash::sip_hash", [byteVec(LONG)]).pauses).toBe(18);
  });

  it("of strings pauses, with the same result", () => {
    const text = Buffer.from("é".repeat(150_001));
    const check = (bytes: Uint8Array) => callNative("string::internal_check_utf8", [ref(byteVec(bytes))]);
    expect(check(text)).toEqual({ values: [true], pauses: 18 });
    expect(check(text.subarray(1))).toEqual({ values: [false], pauses: 18 });
    const wanted = ref(byteVec(Buffer.from("x")));
    expect(callNative("string::internal_index_of", [ref(byteVec(text)), wanted])).toEqual({
      values: [300_002n],
      pauses: 18,
    });
  });

  it("that moves items pauses, with the same result", () => {
    const [from, to] = [byteVec(LONG), byteVec(Uint8Array.of(1, 2, 3))];
    const { pauses } = callNative("vector::move_range", [ref(from), 1n, 300_000n, ref(to), 2n], ["u8"]);
    expect([pauses, from, to]).toEqual([
      18,
      byteVec(LONG.subarray(0, 1)),
      byteVec(Buffer.concat([Buffer.of(1, 2), LONG.subarray(1), Buffer.of(3)])),
    ]);
  });

  it("that encodes or decodes pauses, with the same result", () => {
    const numbers = new Vec(
      "u64",
      Array.from({ length: 100_000 }, (_, i) => BigInt(i)),
    );
    const bytes = encodeValue(numbers, {
      kind: "vector",
      item: { kind: "u64" },
      itemKind: "u64",
    });
    const encoded = callNative("bcs::to_bytes", [ref(numbers)], ["vector<u64>"]);
    expect(encoded.values).toEqual([byteVec(bytes)]);
    expect(encoded.pauses).toBeGreaterThan(90);
    const decoded = callNative("from_bcs::from_bytes", [byteVec(bytes)], ["vector<u64>"]);
    expect(decoded.values).toEqual([numbers]);
    expect(decoded.pauses).toBeGreaterThan(90);
    // What wraps a value does not hide it.
    const { pauses } = callNative("bcs::serialized_size", [ref(new Struct([numbers], 1))], [OPTION]);
    expect(pauses).toBeGreaterThan(40);
  });

  it("that prints pauses, and its text ends with the memory", () => {
    const print = (value: Value, type: string) =>
      callNative("string_utils::native_format", [ref(value), true, true, true, true], [type]);
    const { values, pauses } = print(new Vec("bool", new Array(20_000).fill(true)), "vector<bool>");
    expect(values).toEqual([new Struct([byteVec(Buffer.from(`[ ${"true, ".repeat(19_999)}true ]`))])]);
    expect(pauses).toBeGreaterThan(20);
    const many = new Vec("address", new Array(200_000).fill("ab".repeat(32)));
    expect(outcomeOf(() => print(many, "vector<address>"))).toBe("4028");
  });

  it("that adds up products of points pauses, with the same result", () => {
    const count = 100;
    const points = Array.from({ length: count }, (_, i) => ristretto255.Point.BASE.multiply(BigInt(i + 1)));
    const pieces = multiScalarMultiply(points, new Array(count).fill(3n));
    let pauses = 0;
    let step = pieces.next();
    for (; step.done !== true; step = pieces.next()) pauses++;
    expect(pauses).toBe(6);
    expect(step.value.equals(ristretto255.Point.BASE.multiply(15_150n))).toBe(true);
  });

  it("called from a function pauses the run, and its results and faults are those of the call", () => {
    const natives = (key: string): Native | undefined =>
      key.endsWith("::slow")
        ? function* (_, [value]): Pieces<readonly Value[]> {
            yield;
            yield;
            if (value === 0n) throw new TypeError("never");
            return [value as bigint, 2n];
          }
        : undefined;
    const code = "load u64 5; move local 0; call slow; add; mul; ret";
    const loaded = loadedModule(
      moduleOf({
        functions: [functionOf("slow", "fn(u64):(u64,u64)", ""), functionOf("f", "fn(u64):(u64)", code)],
      }),
    );
    const functions = loaded.program.functions.map((one) =>
      one.name === "slow" ? { ...one, body: undefined } : one,
    );
    const machine = new TestMachine([{ ...loaded, program: { ...loaded.program, functions } }], { natives });
    const pieces = machine.pieces("0xcafe::m::f", [4n]);
    expect([pieces.next().done, pieces.next().done, finish(pieces)]).toEqual([false, false, [30n]]);
    expect(outcomeOf(() => machine.call("0xcafe::m::f", [0n]))).toBe("2000");
  });
});

describe("a write set of thousands of changes", () => {
  it("is encoded in pieces, as the codec encodes it", () => {
    const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
    const kinds = ["create", "modify", "delete"] as const;
    const changes = new Map(
      Array.from({ length: 8192 }, (_, i): [string, Change] => {
        const key = tableItemStateKey("ab".repeat(32), hash(`${i}`).subarray(0, 1 + (i % 32)));
        const metadata = { slotDeposit: BigInt(i), bytesDeposit: BigInt(i % 2), creationTimeUsec: 7n };
        const kind = kinds[i % 3] ?? "create";
        const data = new Uint8Array(kind === "delete" ? 0 : i % 200);
        const change = { key, kind, data, isFree: false, isInPlace: false, order: 0 } as const;
        return [toHex(key), { ...change, metadata: i % 5 === 0 ? undefined : metadata }];
      }),
    );
    const { result, pauses } = inPieces(encodeWriteSet(changes));
    expect(pauses).toBeGreaterThan(changes.size / 300);
    const decoded = decodeWith(writeSetCodec, result);
    expect(Buffer.compare(encodeWith(writeSetCodec, decoded), result)).toBe(0);
    const written = decoded.writes.map(([key, op]) => [toHex(encodeWith(stateKeyCodec, key)), op.kind]);
    const kindOf = ({ kind, metadata }: Change): string =>
      `${{ create: "creation", modify: "modification", delete: "deletion" }[kind]}${metadata ? "WithMetadata" : ""}`;
    expect(new Map(written as [string, string][])).toEqual(
      new Map([...changes].map(([name, change]) => [name, kindOf(change)])),
    );
  });
});

it("thousands of events are charged and encoded in pieces, each at the price of its bytes", () => {
  const schedule = { version: 43, prices: new Map([["txn.storage_io_per_event_byte_write", 1]]) };
  const meter = new Meter(schedule, 10);
  const types = [parseAbiType("u64"), parseAbiType("0xcafe::m::E")];
  const events: SessionEvent[] = Array.from({ length: 8192 }, (_, i) => ({
    guid: i % 3 === 0 ? new Uint8Array(40) : undefined,
    sequenceNumber: BigInt(i),
    type: types[i % 2] as AbiType,
    data: new Uint8Array(i % 50),
  }));
  const options = { transactionBytes: 0, gasUnitPrice: 0n, readBefore: () => undefined };
  const charged = inPieces(chargeChanges(meter, new Map(), events, { ...options, hasRefundableBytes: true }));
  expect(charged.pauses).toBeGreaterThan(events.length / 300);
  const encoded = inPieces(encodeEvents(events));
  expect(encoded.pauses).toBeGreaterThan(events.length / 300);
  const bytesOf = (event: Uint8Array, i: number): number => {
    const { type, data } = decodeWith(contractEventCodec, event);
    return (i % 3 === 0 ? 48 : 0) + encodeWith(typeTagCodec, type).length + data.length;
  };
  expect(meter.ioUsed).toBe(encoded.result.map(bytesOf).reduce((sum, one) => sum + one));
});

it("arguments of many short vectors are made in pieces", () => {
  const { linker } = new TestMachine([]);
  const maker = new ArgumentMaker(linker, () => {
    throw new Error("strings need no code");
  });
  const row = Buffer.concat([Buffer.of(0xc8, 0x01), Buffer.alloc(200)]);
  const rows = Buffer.concat([Buffer.of(0xc8, 0x01), ...new Array<Uint8Array>(200).fill(row)]);
  const { result, pauses } = inPieces(maker.make(parseAbiType("vector<vector<0x1::string::String>>"), rows));
  expect([(result as Vec).items.length, pauses > 30]).toEqual([200, true]);
  const tooMany = new BcsWriter(8).count(200_000).fixed(new Uint8Array(200_000)).take();
  expect(outcomeOf(() => finish(maker.make(parseAbiType("vector<0x1::string::String>"), tooMany)))).toBe(
    "1100",
  );
});

describe("a resource group of thousands of members", () => {
  const tagOf = (i: number): Uint8Array => encodeWith(structTagCodec, parseStructTag(`0xcafe::m::M${i}<u8>`));
  const dataOf = (members: readonly (readonly [Uint8Array, Uint8Array])[]): Uint8Array => {
    const writer = new BcsWriter(1024).count(members.length);
    for (const [tag, bytes] of [...members].sort(([a], [b]) => Buffer.compare(a, b)))
      writer.fixed(tag).byteString(bytes);
    return writer.take();
  };
  const count = 5000;
  const group = "0xcafe::m::Group";
  const address = "cafe".padStart(64, "0");
  const typeOf = (i: number) => structType(address, "m", `M${i}`, [{ kind: "u8" }]);
  const stored = Array.from({ length: count }, (_, i) => [tagOf(2 * i), Uint8Array.of(i & 0x7f)] as const);

  it("is walked through once for all members that a session reads", () => {
    const data = dataOf(stored);
    const state = new LedgerState(() => data, noPrograms);
    const skip = vi.spyOn(structTagCodec, "skip");
    try {
      const found = Array.from({ length: 200 }, (_, i) => state.resource(address, typeOf(i), group));
      expect(found.map(({ bytes }) => bytes?.[0])).toEqual(
        found.map((_, i) => (i % 2 === 0 ? i / 2 : undefined)),
      );
      expect(skip.mock.calls.length).toBeLessThan(2 * count);
    } finally {
      skip.mockRestore();
    }
  });

  it.each(["small", "large"])(
    "that is %s is refused out of order, with a member twice, cut, or with more",
    (size) => {
      const members = size === "small" ? stored.slice(0, 3) : stored;
      const good = dataOf(members);
      const [first] = [...members].sort(([one], [other]) => Buffer.compare(one, other));
      if (first === undefined) throw new Error("a group has members");
      const head = new BcsWriter(4).count(members.length).take().length;
      const one = new BcsWriter(64).fixed(first[0]).byteString(first[1]).take();
      const rest = good.subarray(head + one.length);
      const again = new BcsWriter(good.length + 64)
        .count(members.length + 1)
        .fixed(one)
        .fixed(one)
        .fixed(rest);
      const moved = new BcsWriter(good.length).count(members.length).fixed(rest).fixed(one);
      const outcome = (data: Uint8Array) =>
        outcomeOf(
          () => new LedgerState(() => data, noPrograms).resource(address, typeOf(0), group).bytes?.[0],
        );
      expect(outcome(good)).toBe(0);
      const bad = [again.take(), moved.take(), good.subarray(0, -1), Buffer.concat([good, Uint8Array.of(0)])];
      expect(bad.map(outcome)).toEqual(["2000", "2000", "2000", "2000"]);
    },
  );

  it.each([
    ["changes, gets and loses members", [0, 1, 4, 4001, 9999], 2],
    ["gets its first members", [3, 1], 0],
    ["loses all", [0, 2], 1],
  ])("%s, in pieces", (what, changed, kept) => {
    const before = kept === 2 ? stored : stored.slice(0, 2 * kept);
    const isGone = (i: number): boolean => what === "loses all" || i === 4;
    const resources = changed.map((i) => {
      const slot = new GlobalSlot({ kind: "u8" }, i % 2 === 0 ? 1 : undefined, false);
      if (isGone(i)) slot.take();
      else slot.put(200);
      return { address, type: typeOf(i), group, slot };
    });
    const session = { resources, tableItems: [], extensions: new Map() } as unknown as Session;
    const item = before.length === 0 ? undefined : { data: dataOf(before), metadata: undefined };
    const { result, pauses } = inPieces(changesOf(session, { read: () => item, created: undefined }));
    const wanted = new Map(before.map(([tag, bytes]) => [toHex(tag), bytes]));
    for (const i of changed) {
      if (isGone(i)) wanted.delete(toHex(tagOf(i)));
      else wanted.set(toHex(tagOf(i)), Uint8Array.of(200));
    }
    const [change] = result.values();
    const members = [...wanted].map(([tag, bytes]) => [Buffer.from(tag, "hex"), bytes] as const);
    expect(toHex(change?.data ?? new Uint8Array(1))).toBe(wanted.size === 0 ? "" : toHex(dataOf(members)));
    expect(change?.kind).toBe(item === undefined ? "create" : wanted.size === 0 ? "delete" : "modify");
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(before.length / 300));
  });
});

it("a stored closure has no structs without fields, of which a few bytes could name millions", () => {
  const closure = (fields: readonly number[], items: readonly number[]): Uint8Array =>
    new BcsWriter(128)
      .uleb(9)
      .u16(1)
      .fixed(new Uint8Array(32))
      .text("m")
      .text("f")
      .count(0)
      .u64(3n)
      // A vector of structs, and then a u64.
      .fixed(Uint8Array.of(5, 6, 0, fields.length, ...fields, 3, ...items, 2))
      .u64(7n)
      .take();
  expect(decodeValue(closure([1], [1, 2, 3]), { kind: "function" })).toBeDefined();
  expect(decodeValue(closure([], []), { kind: "function" })).toBeUndefined();
});

it("a value of structs without bytes ends at the limit of memory", () => {
  const empty: Layout = { kind: "struct", fields: [] };
  const list = (item: Layout): Layout => ({ kind: "vector", item, itemKind: "other" });
  const bytes = new BcsWriter(1 << 17).count(40);
  for (let i = 0; i < 40; i++) bytes.count(100_000);
  // As many bytes are left as each vector has elements.
  const whole = bytes.fixed(new Uint8Array(110_000)).take();
  expect(outcomeOf(() => decodeValue(whole, list(list(empty))))).toBe("4028");
  expect(outcomeOf(() => finish(decodeInPieces(whole, list(list(empty)))))).toBe("4028");
});

describe("a module of thousands of functions", () => {
  const functions = Array.from({ length: 2600 }, (_, i) => functionOf(`f${i}`, "fn()", "ret"));
  const good = moduleOf({ formatVersion: 9, functions });
  const bad = Buffer.from(good);
  bad[bad.lastIndexOf(Buffer.of(1, 2)) + 1] = 0xff;
  const address = "cafe".padStart(64, "0");

  it.each([
    ["read", good, "2600"],
    ["refused", bad, "UNKNOWN_OPCODE: opcode 255"],
  ])("is %s in pieces, and once", async (_, data, wanted) => {
    let pauses = 0;
    const value = encodeWith(stateValueCodec, { kind: "v0", data });
    // Far larger than what a cache of this size keeps of others.
    const programs = new Programs(1 << 20);
    const outcome = async (): Promise<string> => {
      const run = new LedgerRun({
        view: { getItems: () => [{ version: 1n, value }] } as unknown as LedgerView,
        version: 1n,
        programs,
        known: new KnownState({ config: loadConfig(() => undefined), isInterface: false }, []),
        slices: { pause: () => Promise.resolve(pauses++) } as unknown as Slices,
        longRuns: new LongRuns(),
        maxWorkMs: 1000,
        fetchesDependencies: false,
      });
      await run.open();
      const found = (async () => run.withItems(() => run.module(address, "m")))();
      return found.then((one) => `${one?.program.functions.length}`, errorText);
    };
    expect(await outcome()).toContain(wanted);
    expect(pauses).toBeGreaterThan(data.length / 10_000);
    const before = pauses;
    expect(await outcome()).toContain(wanted);
    expect(pauses).toBeLessThan(before + 2);
  });
});
