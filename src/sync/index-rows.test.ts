import { describe, expect, it } from "vitest";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { coinAsset, pairedMetadata, primaryStoreAddress } from "../ledger/balances/asset.ts";
import { OBJECT_GROUP_TAG } from "../ledger/balances/balance-keys.ts";
import { accessPathCodec, type StateKey, stateKeyCodec, stateKeyHash } from "../ledger/formats/state-key.ts";
import { stateValueCodec } from "../ledger/formats/state-value.ts";
import { itemOfRow, keyOfRow, ownerOf, tableKeyOf } from "../ledger/indexes/owned-keys.ts";
import {
  frameworkTag,
  fungibleStoreCodec,
  objectCoreCodec,
  resourceGroupCodec,
} from "../ledger/items/resources.ts";
import type { StateItem } from "../ledger/view.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { structTagCodec } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import type { StateWrite } from "../store/contract.ts";
import { IndexRowMaker } from "./index-rows.ts";

const [ALICE, BOB, TABLE, METADATA] = ["0xa11ce", "0xb0b", "0x7ab1e", "0x4e7a"].map(parseAddress) as [
  Address,
  Address,
  Address,
  Address,
];
const COIN = parseStructTag("0xcafe::moon::Moon");

function resource(address: Address, tag: Uint8Array): StateKey {
  const struct = decodeWith(structTagCodec, tag);
  return { kind: "accessPath", address, path: encodeWith(accessPathCodec, { kind: "resource", struct }) };
}

function group(address: Address): StateKey {
  const struct = decodeWith(structTagCodec, OBJECT_GROUP_TAG);
  return {
    kind: "accessPath",
    address,
    path: encodeWith(accessPathCodec, { kind: "resourceGroup", struct }),
  };
}

const stateValue = (data: Uint8Array): Uint8Array => encodeWith(stateValueCodec, { kind: "v0", data });

/** The group of an object, with a store in it or not. */
function object(owner: Address, metadata: Address | undefined): Uint8Array {
  const core = {
    guidCreationNumber: 1n,
    owner,
    allowUngatedTransfer: false,
    transferEvents: { counter: 0n, creationNumber: 0n, account: owner },
  };
  const members: [Uint8Array, Uint8Array][] = [
    [frameworkTag("object", "ObjectCore"), encodeWith(objectCoreCodec, core)],
  ];
  if (metadata !== undefined) {
    const store = encodeWith(fungibleStoreCodec, { metadata, balance: 5n, frozen: false });
    members.unshift([frameworkTag("fungible_asset", "FungibleStore"), store]);
  }
  const entries = members.map(([tag, bytes]) => [decodeWith(structTagCodec, tag), bytes] as const);
  return stateValue(
    encodeWith(
      resourceGroupCodec,
      entries.sort(([a], [b]) => (a.module < b.module ? -1 : 1)),
    ),
  );
}

function write(key: StateKey, version: bigint, value: Uint8Array | undefined): StateWrite {
  return { key: encodeWith(stateKeyCodec, key), keyHash: stateKeyHash(key), version, value };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const nothing = async (): Promise<readonly StateItem[]> => [];

async function owners(writes: readonly StateWrite[], maker = new IndexRowMaker()): Promise<string[]> {
  return (await maker.rowsOf(writes, nothing)).map(({ owner, place }) => `${hex(owner)} ${hex(place)}`);
}

describe("index rows", () => {
  const item: StateKey = { kind: "tableItem", handle: TABLE, key: Uint8Array.of(1, 2, 3) };
  const row = `${hex(ownerOf("table", TABLE))} ${hex(stateKeyHash(item))}`;

  it("name a table item under its table, with its key", async () => {
    const [found] = await new IndexRowMaker().rowsOf(
      [write(item, 5n, stateValue(Uint8Array.of(9)))],
      nothing,
    );
    expect(found).toMatchObject({ version: 5n, isDeletion: false });
    expect(hex(found!.owner)).toBe(hex(ownerOf("table", TABLE)));
    expect([...tableKeyOf(found!.owner, found!)]).toEqual([1, 2, 3]);
  });

  it("name a coin store under its account twice: as a resource, and as a holding by the paired metadata", async () => {
    const { coinStoreTag } = coinAsset(COIN);
    const key = resource(ALICE, coinStoreTag!);
    const rows = await new IndexRowMaker().rowsOf([write(key, 1n, stateValue(new Uint8Array(8)))], nothing);
    expect(rows.map(({ owner }) => hex(owner))).toEqual([
      hex(ownerOf("address", ALICE)),
      hex(ownerOf("coin", ALICE)),
    ]);
    expect(hex(rows[1]!.place)).toBe(hex(pairedMetadata(COIN)));
    expect(decodeWith(structTagCodec, rows[1]!.data)).toEqual(COIN);
    const other = resource(ALICE, frameworkTag("account", "Account"));
    expect(await owners([write(other, 1n, stateValue(new Uint8Array(8)))])).toHaveLength(1);
  });

  it("name a primary store under the account that its address is derived from, also when another account owns it later", async () => {
    const address = primaryStoreAddress(ALICE, METADATA);
    const own = `${hex(ownerOf("fungible", ALICE))} ${hex(METADATA)}`;
    expect(await owners([write(group(address), 1n, object(ALICE, METADATA))])).toContain(own);
    // Another owner, another address, or no store: no holding.
    for (const [at, value] of [
      [address, object(BOB, METADATA)],
      [BOB, object(ALICE, METADATA)],
      [address, object(ALICE, undefined)],
    ] as const) {
      expect(await owners([write(group(at), 1n, value)])).toEqual([
        `${hex(ownerOf("address", at))} ${hex(stateKeyHash(group(at)))}`,
      ]);
    }
    // A store that is added to an object later is seen, and one that was seen is not looked at again.
    const maker = new IndexRowMaker();
    expect(await owners([write(group(address), 1n, object(ALICE, undefined))], maker)).toHaveLength(1);
    expect(await owners([write(group(address), 2n, object(ALICE, METADATA))], maker)).toContain(own);
    expect(await owners([write(group(address), 3n, object(BOB, METADATA))], maker)).toEqual([]);
  });

  it("of a deleted store come from the value that it had, in the batch or before it", async () => {
    const key = group(primaryStoreAddress(ALICE, METADATA));
    const value = object(ALICE, METADATA);
    const own = hex(ownerOf("fungible", ALICE));
    const deletion = write(key, 9n, undefined);
    const stored = async (): Promise<readonly StateItem[]> => [{ version: 3n, value }];
    const before = await new IndexRowMaker().rowsOf([deletion], stored);
    expect(before.map(({ isDeletion }) => isDeletion)).toEqual([true, true]);
    expect(before.map(({ owner }) => hex(owner))).toContain(own);
    const within = await new IndexRowMaker().rowsOf([write(key, 8n, value), deletion], nothing);
    expect(within.filter((one) => one.isDeletion && hex(one.owner) === own)).toHaveLength(1);
    expect(await new IndexRowMaker().rowsOf([deletion], nothing)).toHaveLength(1);
  });

  it("are made once for an item, and again after its deletion", async () => {
    const maker = new IndexRowMaker();
    const value = stateValue(Uint8Array.of(1));
    expect(await owners([write(item, 1n, value), write(item, 2n, value)], maker)).toEqual([row]);
    expect(await owners([write(item, 3n, value)], maker)).toEqual([]);
    // The pruner may remove the row once the item is deleted.
    expect(await owners([write(item, 4n, undefined), write(item, 5n, value)], maker)).toEqual([row, row]);
    expect(await owners([write(item, 6n, value)], maker)).toEqual([]);
  });

  it("name an item of neither address nor table under its own hash, and one whose key is unknown nowhere", async () => {
    const raw: StateKey = { kind: "raw", key: Uint8Array.of(1) };
    const hash = hex(stateKeyHash(raw));
    const [found] = await new IndexRowMaker().rowsOf([write(raw, 1n, stateValue(Uint8Array.of(1)))], nothing);
    expect([hex(found!.owner), hex(found!.place)]).toEqual([`07${hash}`, hash]);
    expect(decodeWith(stateKeyCodec, found!.data)).toEqual(raw);
    expect(hex(itemOfRow(found!)!)).toBe(hash);
    expect(hex(keyOfRow(found!)!)).toBe(hex(found!.data));
    expect(itemOfRow({ ...found!, data: encodeWith(stateKeyCodec, item) })).toBeUndefined();
    const { key: _, ...unknown } = write(item, 1n, stateValue(Uint8Array.of(1)));
    expect(await owners([unknown])).toEqual([]);
  });
});
