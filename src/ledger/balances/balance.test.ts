import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  BALANCES,
  COIN,
  CORRUPT_OWNERS,
  coinStore,
  createHttpLedger,
  fungibleStore,
  group,
  LATEST,
  primaryGroup,
  stateValue,
  storeKey,
} from "../../../test/support/http-ledger.ts";
import { RUNS } from "../../../test/support/property.ts";
import { toHex } from "../../base/hex.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { parseAddress } from "../../move/address.ts";
import { structTagCodec } from "../../move/type-tag.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { LedgerError } from "../errors.ts";
import { findGroupMembers } from "../items/resource-group.ts";
import { KeyTrace } from "../key-trace.ts";
import type { LedgerView } from "../view.ts";
import { parseAsset, primaryStoreAddress } from "./asset.ts";
import { readBalance, readBalances } from "./balance.ts";
import { balanceKeyHashes } from "./balance-key-hashes.ts";
import { balanceKeys } from "./balance-keys.ts";
import { preparedBalanceKeyHashes } from "./prepared-balance-keys.ts";

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

  it("hex digits are an address, anything with a colon is a coin", () => {
    for (const text of ["a", "bad", "cafe", "0x1"]) expect(parseAsset(text).coinStoreTag).toBeUndefined();
    for (const text of ["u64", "vector<u8>", "0x1::a", "0x1::_a::B", "x::a::B", ""]) {
      expect(() => parseAsset(text)).toThrow();
    }
  });

  it("accepts seven levels of nesting and no more: CoinStore adds one", () => {
    const nested = (levels: number): string =>
      `0x1::a::B<${"vector<".repeat(levels - 1)}u8${">".repeat(levels - 1)}>`;
    expect(parseAsset(nested(7)).coinStoreTag).toBeDefined();
    expect(() => parseAsset(nested(8))).toThrow("nesting");
  });

  it("the keys are those of the parts, whichever asset came before", () => {
    const long = `0x1::m::${"N".repeat(120)}`;
    const assets = [
      "0xa",
      "0x1::aptos_coin::AptosCoin",
      `0x2::m::P<${long}, ${long}>`,
      `0x2::m::P<${Array(9).fill(long).join(", ")}>`,
      "0x1::aptos_coin::AptosCoin",
      "0xb0b",
    ].map(parseAsset);
    for (let owner = 1; owner < 40; owner++) {
      const address = parseAddress(owner.toString(16).repeat(20));
      for (const asset of assets) {
        const parts = balanceKeyHashes(address, asset, undefined);
        expect(preparedBalanceKeyHashes(address, asset).map(toHex)).toEqual(parts.map(toHex));
        expect(balanceKeys(address, asset, undefined).map(toHex)).toEqual(parts.map(toHex));
      }
    }
  });

  it.each([1, 2, 5, 6, 7, 12])(
    "the first key of a coin of %i long types is that of the parts",
    async (count) => {
      // Loaded again, so that the buffer of the keys has its first size.
      vi.resetModules();
      const fresh = await import("./prepared-balance-keys.ts");
      const asset = parseAsset(
        `0x2::m::P<${Array(count)
          .fill(`0x1::m::${"N".repeat(120)}`)
          .join(", ")}>`,
      );
      const owner = parseAddress("0xa550c18");
      const keys = fresh.preparedBalanceKeyHashes(owner, asset).map(toHex);
      expect(keys).toEqual(balanceKeyHashes(owner, asset, undefined).map(toHex));
    },
  );

  it("the cache gives each pair its own keys", () => {
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

describe("the balance rule", async () => {
  const view = await (await createHttpLedger()).openView();
  const read = async (owner: string, asset: string, version = LATEST): Promise<bigint> =>
    readBalance(view, parseAddress(owner), parseAsset(asset), version);

  it.each(BALANCES)("of %s, by coin type and by metadata address", async (owner, coin, fungible) => {
    expect([await read(owner, COIN), await read(owner, "0xa")]).toEqual([coin, fungible]);
  });

  it("reads at the version asked for", async () => {
    expect([await read("0xc1", COIN, 12n), await read("0xde", COIN, 19n)]).toEqual([100n, 9n]);
  });

  it.each(CORRUPT_OWNERS)("refuses the stored bytes of %s", async (owner) => {
    await expect(read(owner, COIN)).rejects.toBeInstanceOf(LedgerError);
  });

  /** What is read where these bytes are stored. */
  const balanceOf = async (groupBytes: Uint8Array | undefined, coin?: Uint8Array): Promise<bigint> => {
    const items = [groupBytes, coin].map((data) =>
      data === undefined ? undefined : { version: 1n, value: stateValue(data) },
    );
    const stored = { position: { ...view.position }, getItems: async () => items };
    return readBalance(stored, parseAddress("0x1"), parseAsset(COIN), 1n);
  };

  it("names what does not decode, with its length", async () => {
    const store = (bytes: Uint8Array) => group([["0x1::fungible_asset::FungibleStore", bytes]]);
    const flag = (bytes: Uint8Array, at: number, value: number) =>
      Uint8Array.from(bytes).fill(value, at, at + 1);
    for (const [groupBytes, coin, message] of [
      [undefined, flag(coinStore(1n), 8, 2), "stored CoinStore of 105 bytes does not decode"],
      [undefined, new Uint8Array(106), "stored CoinStore of 106 bytes does not decode"],
      [undefined, new Uint8Array(0), "stored CoinStore of 0 bytes does not decode"],
      [store(flag(fungibleStore(1n), 40, 2)), undefined, "stored FungibleStore of 41 bytes does not decode"],
      [store(new Uint8Array(42)), undefined, "stored FungibleStore of 42 bytes does not decode"],
      [
        group([
          ["0x1::fungible_asset::FungibleStore", fungibleStore(0n)],
          ["0x1::fungible_asset::ConcurrentFungibleBalance", new Uint8Array(17)],
        ]),
        undefined,
        "stored ConcurrentFungibleBalance of 17 bytes does not decode",
      ],
      [
        primaryGroup(2n ** 64n - 1n),
        coinStore(1n),
        "the coin and the fungible balance add up to 18446744073709551616, above u64",
      ],
    ] as const) {
      const error = await balanceOf(groupBytes, coin).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "corrupt", message });
    }
  });

  it("counts up to the largest u64, frozen or not, and every byte of an amount", async () => {
    expect(await balanceOf(primaryGroup(2n ** 64n - 2n), coinStore(1n))).toBe(2n ** 64n - 1n);
    expect(await balanceOf(primaryGroup(0x0102030405060708n, undefined, true), coinStore(0n, true))).toBe(
      0x0102030405060708n,
    );
    expect(await balanceOf(group([["0x1::object::ObjectCore", new Uint8Array(89)]]))).toBe(0n);
    expect(await balanceOf(undefined)).toBe(0n);
  });
});

describe("findGroupMembers", () => {
  const members = (bytes: Uint8Array): string[] | undefined =>
    findGroupMembers(bytes, [tagBytes(STORE), tagBytes("0x1::object::ObjectCore")])?.map((member) =>
      member === undefined ? "none" : toHex(member),
    );
  const store = toHex(fungibleStore(5n));

  it("finds members at any position", () => {
    expect(members(primaryGroup(5n, 6n))).toEqual([store, "00".repeat(89)]);
    expect(members(Uint8Array.of(0))).toEqual([]);
  });

  it("skips members with keys of any shape and values of any length", () => {
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

describe("a balance at the latest position", async () => {
  const LAST = parseAddress("0xff");
  const view = await (await createHttpLedger()).openView();

  /** Reads from a view of which each read is counted. */
  const counted = (amount: bigint, position = { ...view.position }) => {
    const reads: bigint[] = [];
    const getItems = (_: readonly Uint8Array[], version: bigint) => {
      reads.push(version);
      return [undefined, { version, value: stateValue(coinStore(amount + version)) }];
    };
    const balance = (owner: string, version = position.version, traced = {}) =>
      readBalance({ position, getItems, ...traced }, parseAddress(owner), parseAsset(COIN), version);
    return { reads, balance };
  };

  it("is read once for a position, of which nothing changes, and again for the next", () => {
    const position = { ...view.position };
    const first = counted(5n, position);
    const sum = 5n + position.version;
    expect([first.balance("0xe1"), first.balance("0xe1"), counted(7n, position).balance("0xe1")]).toEqual([
      sum,
      sum,
      sum,
    ]);
    expect(first.reads).toHaveLength(1);
    expect(counted(7n, { ...position }).balance("0xe1")).toBe(sum + 2n);
    // Back at the first position, as a view that is held for long.
    expect([first.balance("0xe1"), first.reads.length]).toEqual([sum, 2]);
  });

  it("is read each time at an older version, by a view that fetches items, and of a refuted ledger", () => {
    const { reads, balance } = counted(5n);
    balance("0xe2");
    expect([balance("0xe2", 3n), balance("0xe2", 3n), reads.length]).toEqual([8n, 8n, 3]);
    const fetching = { keyTrace: new KeyTrace() };
    for (const _ of [1, 2]) balance("0xe2", LATEST, fetching);
    expect(reads).toHaveLength(5);
    for (const _ of [1, 2]) balance("0xe2", LATEST, { fetchedTrust: () => undefined });
    expect(reads).toHaveLength(7);
    const refuted = counted(5n, { ...view.position, refuted: { firstVersion: 1n, reason: "" } });
    for (const _ of [1, 2]) refuted.balance("0xe2");
    expect(refuted.reads).toHaveLength(2);
  });

  it("is not read again with others: each keeps its place, and only theirs are asked for", async () => {
    const asked: number[] = [];
    const asset = parseAsset(COIN);
    const getItems = (keys: readonly Uint8Array[], version: bigint) => {
      asked.push(keys.length);
      return keys.map((key, place) => {
        if (place % 2 === 0) return undefined;
        const isDamaged = Buffer.from(key).equals(damaged);
        return { version, value: stateValue(isDamaged ? new Uint8Array(3) : coinStore(BigInt(key[0] ?? 0))) };
      });
    };
    const owners = ["0xf1", "0xf2", "0xf3", "0xf4"].map(parseAddress);
    const pairs = owners.map((owner) => ({ owner, asset }));
    const keyOf = (place: number) =>
      Buffer.from(balanceKeyHashes(owners[place] ?? LAST, asset, undefined)[1] ?? LAST);
    const damaged = keyOf(2);
    const stored = { ...view, position: { ...view.position }, getItems } as unknown as LedgerView;
    await readBalance(stored, owners[1] ?? LAST, asset, LATEST);
    const expected = [0, 1, 2, 3].map((place) =>
      place === 2 ? expect.any(LedgerError) : BigInt(keyOf(place)[0] ?? 0),
    );
    for (const keys of [6, 2]) {
      expect(await readBalances(stored, pairs, LATEST)).toEqual(expected);
      // The one that does not decode is read each time.
      expect(asked.at(-1)).toBe(keys);
    }
  });

  it("keeps owners apart that have the same place in the cache", () => {
    const { reads, balance } = counted(5n);
    // The place depends on the first two and the last two bytes.
    const owners = ["1", "2", "3"].map((middle) => `0xabab${middle.repeat(56)}cdef`);
    for (const owner of [...owners, ...owners]) balance(owner);
    expect(reads).toHaveLength(6);
  });

  it("is read again where another account took its place in the cache meanwhile", async () => {
    const position = { ...view.position };
    const [first, second] = [
      parseAddress(`0xabab${"4".repeat(56)}cdef`),
      parseAddress(`0xabab${"5".repeat(56)}cdef`),
    ];
    let resume = (): void => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const item = (amount: bigint) => ({ version: 1n, value: stateValue(coinStore(amount)) });
    const slow = {
      position,
      getItems: async () => {
        await resumed;
        return [undefined, item(1n)];
      },
    };
    const quick = { position, getItems: () => [undefined, item(2n)] };
    const asset = parseAsset(COIN);
    const slowly = readBalance(slow, first, asset, LATEST);
    expect(readBalance(quick, second, asset, LATEST)).toBe(2n);
    resume();
    expect(await slowly).toBe(1n);
    expect([
      readBalance(quick, second, asset, LATEST),
      await readBalance(slow, first, asset, LATEST),
    ]).toEqual([2n, 1n]);
  });
});
