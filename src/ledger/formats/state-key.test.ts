import { describe, expect, it } from "vitest";
import { equalBytes } from "../../base/bytes.ts";
import { fromHex, toHex } from "../../base/hex.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { addressFromBytes, parseAddress } from "../../move/address.ts";
import { type StructTag, structTagCodec } from "../../move/type-tag.ts";
import { hashOf, SEEDS } from "../hash.ts";
import { moduleKeyHash, resourceGroupKeyHash, resourceKeyHash, tableItemKeyHash } from "../key-hash.ts";
import {
  type AccessPath,
  accessPathCodec,
  type StateKey,
  stateKeyCodec,
  stateKeyHash,
  stateKeyHashOfBcs,
} from "./state-key.ts";

const TWO = parseAddress("0x2");
const bytes = (hex: string) => fromHex(hex)!;
const tag = (module: string, name: string): StructTag => ({
  address: parseAddress("0x1"),
  module,
  name,
  typeArgs: [],
});
const atTwo = (path: AccessPath): StateKey => ({
  kind: "accessPath",
  address: TWO,
  path: encodeWith(accessPathCodec, path),
});
const table: StateKey = { kind: "tableItem", handle: parseAddress("0x1002"), key: bytes("070203") };

const KNOWN: [string, StateKey, string][] = [
  [
    "resource",
    atTwo({ kind: "resource", struct: tag("account", "Account") }),
    "8f9ab5d5e3c9f5b885fcceea388fecd16bdb490da08aac9d4f026ddc66733def",
  ],
  [
    "resource group",
    atTwo({ kind: "resourceGroup", struct: tag("object", "ObjectGroup") }),
    "87973d52189ac6a25ea543214305c4c8fb3bc2ceea8c34600361b03527578133",
  ],
  [
    "module",
    atTwo({ kind: "code", module: { address: TWO, name: "mymodule" } }),
    "83d33b345c5e4b25d8f4dfe2b98b492024313b3b6e4febea6bfa844dbd850200",
  ],
  ["table item", table, "6f5550015f7a6036f88b2458f98a7e4800aba09e83f8f294dbf70bff77f224e6"],
  [
    "raw",
    { kind: "raw", key: bytes("010203") },
    "655ab5766bc87318e18d9287f32d318e15535d3db9d21a6e5a2b41a51b535aff",
  ],
];

describe("state key", () => {
  it.each(KNOWN)("hashes a known %s", (_, key, hash) => {
    expect(toHex(stateKeyHash(key))).toBe(hash);
    expect(toHex(stateKeyHashOfBcs(encodeWith(stateKeyCodec, key)))).toBe(hash);
  });

  it("has the same hashes computed from parts", () => {
    const account = encodeWith(structTagCodec, tag("account", "Account"));
    const group = encodeWith(structTagCodec, tag("object", "ObjectGroup"));
    expect(toHex(resourceKeyHash(TWO, account, undefined))).toBe(KNOWN[0]![2]);
    expect(toHex(resourceGroupKeyHash(TWO, group, undefined))).toBe(KNOWN[1]![2]);
    expect(toHex(moduleKeyHash(TWO, "mymodule", undefined))).toBe(KNOWN[2]![2]);
    expect(toHex(tableItemKeyHash(parseAddress("0x1002"), bytes("070203"), undefined))).toBe(KNOWN[3]![2]);
  });

  it("has the same hashes computed from parts of any length", () => {
    for (const length of [0, 1, 91, 92, 93, 94, 126, 127, 128, 900, 16_383, 20_000]) {
      const name = "m".repeat(length);
      const module = atTwo({ kind: "code", module: { address: TWO, name } });
      expect(toHex(moduleKeyHash(TWO, name, undefined))).toBe(toHex(stateKeyHash(module)));
      const key = new Uint8Array(length).fill(5);
      expect(toHex(tableItemKeyHash(TWO, key, undefined))).toBe(
        toHex(stateKeyHash({ kind: "tableItem", handle: TWO, key })),
      );
      const struct = tag("coin", name);
      const structBytes = encodeWith(structTagCodec, struct);
      expect(toHex(resourceKeyHash(TWO, structBytes, undefined))).toBe(
        toHex(stateKeyHash(atTwo({ kind: "resource", struct }))),
      );
    }
  });

  it("has its own hash however many keys were hashed before it, of its length and of any place", () => {
    const paths = Array.from({ length: 9000 }, (_, i) => {
      const path = new Uint8Array(1 + (i % 150)).fill(i >> 8);
      // Keys that differ in one byte only, at the start, in the middle or at the end.
      path[[0, path.length >> 1, path.length - 1][i % 3] ?? 0] = i;
      return path;
    });
    for (const path of [...paths, ...paths.slice(-500), ...paths.slice(0, 500)]) {
      const bcs = encodeWith(stateKeyCodec, { kind: "accessPath", address: TWO, path });
      expect(equalBytes(stateKeyHashOfBcs(bcs), hashOf(SEEDS.stateKey, bcs))).toBe(true);
    }
  });

  it("has a storage form that differs from BCS, except for access paths", () => {
    const [a, b, c] = [1, 2, 3].map((byte) => addressFromBytes(new Uint8Array(32).fill(byte)));
    const position: StateKey = {
      kind: "tradingNative",
      item: { kind: "position", exchange: a!, account: b!, market: c! },
    };
    const parts = toHex(a!) + toHex(b!) + toHex(c!);
    expect(toHex(encodeWith(stateKeyCodec, position))).toBe(`0300${parts}`);
    expect(stateKeyHash(position)).toEqual(hashOf(SEEDS.stateKey, bytes(`0200${parts}`)));
    expect(stateKeyHash({ kind: "raw", key: bytes("0102") })).toEqual(
      hashOf(SEEDS.stateKey, bytes("ff0102")),
    );
    const handle = toHex(parseAddress("0x1002"));
    expect(toHex(encodeWith(stateKeyCodec, table))).toBe(`01${handle}03070203`);
    expect(stateKeyHash(table)).toEqual(hashOf(SEEDS.stateKey, bytes(`01${handle}070203`)));
  });
});
