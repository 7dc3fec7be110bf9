import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { stateRootOf } from "../../../test/support/state-root.ts";
import { fromHex, toHex } from "../../base/hex.ts";
import { LedgerError } from "../errors.ts";
import { hashOf, SEEDS, SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";
import { decodeTreeNode, encodeTreeNode, leafHashOf, treeNodeKey } from "./tree-node.ts";
import { type TreeNodeReader, type TreeUpdate, updateStateTree } from "./update.ts";

function createTable() {
  const rows = new Map<string, Uint8Array>();
  const reader: TreeNodeReader = async (keys) => keys.map((key) => rows.get(toHex(key)));
  const apply = async (updates: readonly TreeUpdate[]) => {
    const { root, nodes } = await updateStateTree(reader, updates);
    for (const { key, value } of nodes) {
      if (value === undefined) rows.delete(toHex(key));
      else rows.set(toHex(key), value);
    }
    return root;
  };
  return { rows, reader, apply };
}

function print(rows: Map<string, Uint8Array>): string {
  return [...rows]
    .map(([path, bytes]) => `${path}: ${toHex(bytes)}`)
    .sort()
    .join("\n");
}

function key(hex: string): Uint8Array {
  const out = new Uint8Array(32);
  out.set(fromHex(hex) ?? new Uint8Array(0));
  return out;
}

const NINES = new Uint8Array(32).fill(9);
const EXAMPLES: [string[], string][] = [
  [["00"], "937fe999983d943b447276c9bffc607f94407a1d9afb5482c52f603cfd843580"],
  [["00", "80"], "6ddad7172cb82d5f76aec3ac9093c74c48866435dd457c437b7028c28907edcd"],
  [["00", "40"], "b5e20848fea6b395e1b4674c4de251d0e21555ee8745b80cd8d8da83297ed115"],
  [["00", "40", "80"], "b21702b144ed34c06f0002b1cc3e631f1e9e9f9d16ee94a4e3b479e4ef8cfbee"],
];

describe("state tree", () => {
  it.each(EXAMPLES)("has the known root over keys %j", async (keys, root) => {
    const leaves = keys.map((hex) => ({ keyHash: key(hex), leafHash: leafHashOf(key(hex), NINES) }));
    expect(toHex(stateRootOf(leaves))).toBe(root);
    const table = createTable();
    expect(toHex(await table.apply(keys.map((hex) => ({ keyHash: key(hex), valueHash: NINES }))))).toBe(root);
  });

  it("is the placeholder when empty, before and after", async () => {
    const table = createTable();
    expect(await table.apply([])).toEqual(SPARSE_MERKLE_PLACEHOLDER);
    expect(stateRootOf([])).toEqual(SPARSE_MERKLE_PLACEHOLDER);
    await table.apply([{ keyHash: key("12"), valueHash: NINES }]);
    expect(await table.apply([{ keyHash: key("12"), valueHash: undefined }])).toEqual(
      SPARSE_MERKLE_PLACEHOLDER,
    );
    expect(table.rows.size).toBe(0);
  });

  it("keeps the root over an update that changes nothing, and writes nothing", async () => {
    const table = createTable();
    const updates = ["00", "40", "4001", "ff"].map((hex) => ({ keyHash: key(hex), valueHash: NINES }));
    const root = await table.apply(updates);
    const again = await updateStateTree(table.reader, [
      ...updates,
      { keyHash: key("0001"), valueHash: undefined },
      { keyHash: key("77"), valueHash: undefined },
    ]);
    expect(again).toEqual({ root, nodes: [] });
    expect((await updateStateTree(table.reader, [])).root).toEqual(root);
  });

  it("refuses one key twice and reports a missing node", async () => {
    const table = createTable();
    const twice = { keyHash: key("00"), valueHash: NINES };
    await expect(table.apply([twice, twice])).rejects.toThrow("one key twice");
    await table.apply([twice, { keyHash: key("0001"), valueHash: NINES }]);
    table.rows.delete(toHex(treeNodeKey(key("00"), 1)));
    await expect(table.apply([twice])).rejects.toThrow(LedgerError);
  });

  // Few distinct bytes at the front make deep common prefixes, splits and collapses frequent.
  const keyHash = fc
    .tuple(fc.array(fc.constantFrom(0x00, 0x01, 0x10, 0xf0), { minLength: 1, maxLength: 3 }), fc.nat(3))
    .map(([head, tail]) => {
      const out = new Uint8Array(32).fill(0xee);
      out.set(head);
      out[4] = tail;
      return out;
    });
  const valueHash = fc.option(
    fc.nat(5).map((byte) => new Uint8Array(32).fill(byte)),
    { nil: undefined },
  );
  const batch = fc.uniqueArray(fc.record({ keyHash, valueHash }), {
    maxLength: 12,
    selector: (update) => toHex(update.keyHash),
  });

  it("equals the root and the nodes built from scratch over any history", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (history) => {
        const table = createTable();
        const model = new Map<string, Uint8Array>();
        for (const updates of history) {
          for (const { keyHash, valueHash } of updates) {
            if (valueHash === undefined) model.delete(toHex(keyHash));
            else model.set(toHex(keyHash), valueHash);
          }
          const items = [...model].map(([hex, value]) => ({ keyHash: key(hex), valueHash: value }));
          const root = await table.apply(updates);
          const leaves = items.map((item) => ({
            keyHash: item.keyHash,
            leafHash: leafHashOf(item.keyHash, item.valueHash),
          }));
          expect(toHex(root)).toBe(toHex(stateRootOf(leaves)));
          const fresh = createTable();
          await fresh.apply(items);
          expect(print(table.rows)).toBe(print(fresh.rows));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("equals the root and the nodes built from scratch where nodes are full", async () => {
    const anyId = fc.nat(999);
    const anyBatch = fc.uniqueArray(fc.record({ id: anyId, valueHash }), {
      minLength: 1,
      maxLength: 60,
      selector: ({ id }) => id,
    });
    const keys = Array.from({ length: 1000 }, (_, id) => hashOf(SEEDS.stateKey, Buffer.from(`${id}`)));
    const everyItem = keys.map((keyHash) => ({ keyHash, valueHash: NINES }));
    await fc.assert(
      fc.asyncProperty(fc.array(anyBatch, { minLength: 1, maxLength: 3 }), async (history) => {
        const table = createTable();
        await table.apply(everyItem);
        const items = new Map(everyItem.map((item) => [toHex(item.keyHash), item]));
        let root = SPARSE_MERKLE_PLACEHOLDER;
        for (const batch of history) {
          root = await table.apply(batch.map(({ id, valueHash }) => ({ keyHash: keys[id]!, valueHash })));
          for (const { id, valueHash } of batch) {
            const keyHash = keys[id]!;
            if (valueHash === undefined) items.delete(toHex(keyHash));
            else items.set(toHex(keyHash), { keyHash, valueHash });
          }
        }
        const left = [...items.values()];
        const leaves = left.map((item) => ({
          keyHash: item.keyHash,
          leafHash: leafHashOf(item.keyHash, item.valueHash),
        }));
        expect(toHex(root)).toBe(toHex(stateRootOf(leaves)));
        const fresh = createTable();
        await fresh.apply(left);
        expect(print(table.rows)).toBe(print(fresh.rows));
      }),
      { numRuns: Math.ceil(RUNS / 40) },
    );
  });

  it("reads back every node it writes and refuses other bytes", async () => {
    const table = createTable();
    await table.apply(
      Array.from({ length: 300 }, (_, i) => ({
        keyHash: leafHashOf(NINES, new Uint8Array(32).fill(i, i % 31, 32).fill(i >> 8, 31)),
        valueHash: NINES,
      })),
    );
    for (const bytes of table.rows.values()) {
      expect(toHex(encodeTreeNode(decodeTreeNode(bytes)))).toBe(toHex(bytes));
      expect(() => decodeTreeNode(bytes.subarray(0, bytes.length - 1))).toThrow(LedgerError);
      expect(() => decodeTreeNode(new Uint8Array([...bytes, 0]))).toThrow(LedgerError);
    }
    expect(() => decodeTreeNode(new Uint8Array(0))).toThrow(LedgerError);
    expect(() => decodeTreeNode(new Uint8Array([1, 0, 2, 0, ...NINES]))).toThrow(LedgerError);
  });
});
