import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fungibleStore, group, primaryGroup, storeKey } from "../../test/support/http-ledger.ts";
import { RUNS } from "../../test/support/property.ts";
import { toHex } from "../base/hex.ts";
import { encodeWith } from "../bcs/codec.ts";
import { parseAddress } from "../move/address.ts";
import { structTagCodec } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { parseAsset, primaryStoreAddress } from "./asset.ts";
import { balanceKeys } from "./balance-keys.ts";
import { findGroupMembers } from "./resource-group.ts";

const tagBytes = (text: string): Uint8Array => encodeWith(structTagCodec, parseStructTag(text));
const STORE = "0x1::fungible_asset::FungibleStore";

describe("addresses of assets", () => {
  it.each([
    ["0x1::aptos_coin::AptosCoin", "000000000000000000000000000000000000000000000000000000000000000a"],
    ["0xff::m::C<vector<u8>, u64>", "7ca105d2ecb56c4702f86931307f9724865e3ca1de79d7f636b0da22208c7c54"],
    [" 0x00ff :: m::C< vector<u8>,u64 >", "7ca105d2ecb56c4702f86931307f9724865e3ca1de79d7f636b0da22208c7c54"],
  ])("metadata paired with %s", (coin, metadata) => {
    expect(toHex(parseAsset(coin).metadata)).toBe(metadata);
  });

  it("primary store", () => {
    const address = primaryStoreAddress(parseAddress("0xa550c18"), parseAddress("0xa"));
    expect(toHex(address)).toBe("b26af11b4f332a7794398554b6313a38c6a102c74c5ba9a12629ae3a492acb2f");
  });

  it("a word of hex digits is an address, anything with a colon a coin", () => {
    for (const text of ["a", "bad", "cafe", "0x1"]) expect(parseAsset(text).coinStoreTag).toBeUndefined();
    for (const text of ["u64", "vector<u8>", "0x1::a", "0x1::_a::B", "x::a::B", ""]) {
      expect(() => parseAsset(text)).toThrow();
    }
  });

  it("takes seven levels of nesting, no more: CoinStore adds one", () => {
    const nested = (levels: number): string =>
      `0x1::a::B<${"vector<".repeat(levels - 1)}u8${">".repeat(levels - 1)}>`;
    expect(parseAsset(nested(7)).coinStoreTag).toBeDefined();
    expect(() => parseAsset(nested(8))).toThrow("nesting");
  });

  it("kept keys are those of their own pair", () => {
    const owner = parseAddress("0xa550c18");
    const group = "4ddcb90769acb5b877cf3f3988cd69d380ab297a2c52dce8a54d3d7b0b1bed99";
    for (let round = 0; round < 2; round++) {
      expect(balanceKeys(owner, parseAsset("0xa"), undefined).map(toHex)).toEqual([group]);
      const coin = balanceKeys(owner, parseAsset("0x1::aptos_coin::AptosCoin"), undefined).map(toHex);
      expect([coin[0], coin.length]).toEqual([group, 2]);
      expect(balanceKeys(parseAddress("0x1"), parseAsset("0xa"), undefined).map(toHex)).toEqual([
        toHex(storeKey("0x1")),
      ]);
    }
  });
});

describe("findGroupMembers", () => {
  const members = (bytes: Uint8Array): string[] | undefined =>
    findGroupMembers(bytes, [tagBytes(STORE), tagBytes("0x1::object::ObjectCore")])?.map((member) =>
      member === undefined ? "none" : toHex(member),
    );
  const store = toHex(fungibleStore(5n));

  it("finds members in any place", () => {
    expect(members(primaryGroup(5n, 6n))).toEqual([store, "00".repeat(89)]);
    expect(members(Uint8Array.of(0))).toEqual([]);
  });

  it("passes over members of every shape of key and length", () => {
    const long = `L${"x".repeat(200)}`;
    const bytes = group([
      ["0x1::a::B<u8, vector<0x2::c::D<address>>>", new Uint8Array(300)],
      ["0x1::fungible_asset::FungibleStore", fungibleStore(5n)],
      [`0x2::${long}::${long}`, new Uint8Array(20_000)],
    ]);
    expect(members(bytes)?.[0]).toBe(store);
  });

  it("is undefined for maps that do not decode", () => {
    const good = primaryGroup(5n, 6n);
    expect(members(Buffer.concat([good, Uint8Array.of(0)]))).toBeUndefined();
    for (let length = 0; length < good.length; length++)
      expect(members(good.subarray(0, length))).toBeUndefined();
    const swapped = group([
      ["0x1::fungible_asset::FungibleStore", fungibleStore(5n)],
      ["0x1::a::B", new Uint8Array(1)],
    ]);
    expect(members(swapped)).toBeUndefined();
    const twice = group([
      [STORE, fungibleStore(5n)],
      [STORE, fungibleStore(5n)],
    ]);
    expect(members(twice)).toBeUndefined();
  });

  it("never throws and never reads past its view", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(40), (bytes, offset) => {
        const moved = new Uint8Array(bytes.length + 2 * offset).fill(1);
        moved.set(bytes, offset);
        expect(members(moved.subarray(offset, offset + bytes.length))).toEqual(members(bytes));
      }),
      { numRuns: RUNS },
    );
  });

  it("survives any changed byte", () => {
    const good = primaryGroup(5n, 6n);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, value) => {
        const changed = Uint8Array.from(good);
        changed[at] = value;
        members(changed);
      }),
      { numRuns: RUNS },
    );
  });
});
