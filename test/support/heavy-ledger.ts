// A ledger of what costs most to answer with: items, events and modules as large as the network takes them, of types that
// print to many times their bytes.
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import { silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import type { ContractEvent } from "../../src/ledger/formats/block-event.ts";
import { accessPathCodec, type StateKey } from "../../src/ledger/formats/state-key.ts";
import type { Writes } from "../../src/ledger/formats/write-set.ts";
import { resourceGroupCodec } from "../../src/ledger/items/resources.ts";
import { parseAddress } from "../../src/move/address.ts";
import type { StructTag } from "../../src/move/type-tag.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import type { Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { LedgerBuilder, newBlock } from "./ledger-builder.ts";

/** Largest value of one write, as on the network. */
const ITEM_BYTES = (1 << 20) - 128;
/** Largest module. */
const MODULE_BYTES = 64 << 10;

/** Has the module of the types, and modules as large as they may be. */
export const HOLDER = "0xbee";
/** Has many resources, each an item of its own. */
export const COLLECTOR = "0xc011";
/** Has many resources in one group. */
export const GROUPED = "0x6209";
export const HEAVY_TABLE = "0x7ab1e";
/** Types of resources that print to much more than their bytes. */
export const HEAVY_TYPES = ["Marks", "Pairs", "Texts", "Blob", "Nested", "Numbers"] as const;
/** How many table items there are, and how many transactions in the second block. */
export const HEAVY_ITEMS = 12;
const HEAVY_TRANSACTIONS = 300;

const holder = parseAddress(HOLDER);

/** The types, of which every item takes one or two bytes and prints to a hundred characters. */
function typesModule(): Uint8Array {
  const long = "a".repeat(60);
  return assembleModule({
    address: holder,
    name: "heavy",
    structs: [
      { name: "Mark", abilities: ["store"], fields: [{ name: long, type: "bool" }] },
      {
        name: "Pair",
        abilities: ["store"],
        fields: [
          { name: "x", type: "u8" },
          { name: "y", type: "bool" },
        ],
      },
      { name: "Marks", abilities: ["key"], fields: [{ name: "all", type: "vector<0xbee::heavy::Mark>" }] },
      { name: "Pairs", abilities: ["key"], fields: [{ name: "all", type: "vector<0xbee::heavy::Pair>" }] },
      { name: "Texts", abilities: ["key"], fields: [{ name: "all", type: "vector<vector<u8>>" }] },
      { name: "Blob", abilities: ["key"], fields: [{ name: "all", type: "vector<u8>" }] },
      { name: "Nested", abilities: ["key"], fields: [{ name: "all", type: "vector<vector<vector<bool>>>" }] },
      { name: "Numbers", abilities: ["key"], fields: [{ name: "all", type: "vector<u256>" }] },
      {
        name: "Small",
        abilities: ["key"],
        typeParams: Array(3).fill({ constraints: [], phantom: true }),
        fields: [{ name: "value", type: "u64" }],
      },
    ],
  });
}

/** A module whose functions share one long list of parameters, which prints with each of them. */
function largeModule(name: string): Uint8Array {
  const params = Array<string>(200).fill("vector<vector<vector<u8>>>");
  const functions = Array.from({ length: 700 }, (_, i) => ({ name: `fun_${i}_${"x".repeat(40)}`, params }));
  const bytes = assembleModule({ address: holder, name, functions });
  if (bytes.length > MODULE_BYTES) throw new Error(`the module has ${bytes.length} bytes`);
  return bytes;
}

/** `count` items of `bytes` each. */
function list(bytes: Uint8Array, total = ITEM_BYTES): Uint8Array {
  const count = Math.floor((total - 4) / bytes.length);
  const writer = new BcsWriter(total).uleb(count);
  for (let i = 0; i < count; i++) writer.fixed(bytes);
  return writer.take();
}

/** The largest value of a type of `HEAVY_TYPES`. */
function heavyValue(type: (typeof HEAVY_TYPES)[number], total: number = ITEM_BYTES): Uint8Array {
  switch (type) {
    case "Marks":
      // More would be too large to print.
      return list(Uint8Array.of(1), Math.min(total, 200_000));
    case "Pairs":
      return list(Uint8Array.of(7, 1), total);
    case "Texts":
      return list(Uint8Array.of(0), total);
    case "Blob":
      return list(Uint8Array.of(0xab), total);
    case "Nested":
      return list(Uint8Array.of(2, 1, 1, 1, 0), total);
    case "Numbers":
      return list(new Uint8Array(32).fill(0xee), total);
  }
}

function moduleKey(name: string): StateKey {
  const path = encodeWith(accessPathCodec, { kind: "code", module: { address: holder, name } });
  return { kind: "accessPath", address: holder, path };
}

function resourceKey(
  address: string,
  type: string,
  kind: "resource" | "resourceGroup" = "resource",
): StateKey {
  const path = encodeWith(accessPathCodec, { kind, struct: parseStructTag(type) });
  return { kind: "accessPath", address: parseAddress(address), path };
}

function write(stateKey: StateKey, data: Uint8Array): Writes[number] {
  return [stateKey, { kind: "modification", data }];
}

const PRIMITIVES = ["bool", "u8", "u16", "u32", "u64", "u128", "u256", "address"];

/** One of 175,616 types: a primitive in up to six vectors, three times. */
function smallType(index: number): string {
  const one = (which: number): string => {
    const depth = Math.floor(which / PRIMITIVES.length);
    return "vector<".repeat(depth) + PRIMITIVES[which % PRIMITIVES.length] + ">".repeat(depth);
  };
  const third = Math.floor(index / 3136);
  return `${heavyType("Small")}<${one(index % 56)}, ${one(Math.floor(index / 56) % 56)}, ${one(third)}>`;
}

/** A resource group of as many members as it has room for. */
function groupOfMany(): Uint8Array {
  const members: [StructTag, Uint8Array][] = [];
  for (let i = 0; i < 10_000; i++) members.push([parseStructTag(smallType(i)), new Uint8Array(8)]);
  const bytes = encodeWith(resourceGroupCodec, members);
  if (bytes.length > ITEM_BYTES) throw new Error(`the group has ${bytes.length} bytes`);
  return bytes;
}

function itemKey(index: number): Uint8Array {
  return Uint8Array.of(4, index >> 24, index >> 16, index >> 8, index);
}

/** The key of a table item, as it is asked for. */
export function heavyKey(index: number): string {
  return `0x${Buffer.from(itemKey(index)).toString("hex")}`;
}

/** The type of a resource. */
export function heavyType(name: string): string {
  return `${HOLDER}::heavy::${name}`;
}

/** Builds and commits the ledger. Version 1 starts a block of large transactions, a second one has many. */
export async function createHeavyLedger(): Promise<Store> {
  const builder = new LedgerBuilder();
  const modules = Array.from({ length: 12 }, (_, i) => `large_${i}`);
  builder.genesis([
    write(moduleKey("heavy"), typesModule()),
    ...modules.map((name) => write(moduleKey(name), largeModule(name))),
  ]);
  builder.add({ events: [newBlock(1n, 1n, 1_700_000_000_000_000n)], checkpoint: false });
  for (const type of HEAVY_TYPES) {
    const value = heavyValue(type);
    const event: ContractEvent = {
      kind: "v2",
      type: { kind: "struct", struct: parseStructTag(heavyType(type)) },
      data: value,
    };
    const writes = [write(resourceKey(HOLDER, heavyType(type)), value)];
    builder.add({ changes: { kind: "v0", writes }, events: [event], checkpoint: false });
  }
  const small = Array.from({ length: 2000 }, (_, i) =>
    write(resourceKey(COLLECTOR, smallType(i)), new Uint8Array(8)),
  );
  builder.add({ changes: { kind: "v0", writes: small }, checkpoint: false });
  const group = write(resourceKey(GROUPED, heavyType("Group"), "resourceGroup"), groupOfMany());
  builder.add({ changes: { kind: "v0", writes: [group] }, checkpoint: false });
  for (let i = 0; i < HEAVY_ITEMS; i++) {
    const stateKey: StateKey = { kind: "tableItem", handle: parseAddress(HEAVY_TABLE), key: itemKey(i) };
    const writes = [write(stateKey, heavyValue(i === 0 ? "Texts" : "Blob", ITEM_BYTES))];
    builder.add({ changes: { kind: "v0", writes }, checkpoint: i === HEAVY_ITEMS - 1 });
  }
  builder.add({ events: [newBlock(2n, 1n, 1_700_000_001_000_000n)], checkpoint: false });
  for (let i = 1; i < HEAVY_TRANSACTIONS; i++) builder.add({ checkpoint: i === HEAVY_TRANSACTIONS - 1 });
  const store = createMemoryStore();
  const committer = new Committer({ store, logger: silentLogger });
  for (let at = 0; at < builder.records.length; at += 500) {
    await committer.append(builder.records.slice(at, at + 500));
  }
  return store;
}
