import { describe, expect, it } from "vitest";
import { stateRootOf } from "../../../test/support/state-root.ts";
import { createTable, key, NINES } from "../../../test/support/tree-table.ts";
import { toHex } from "../../base/hex.ts";
import { LedgerError } from "../errors.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";
import { decodeTreeNode, encodeTreeNode, leafHashOf, treeNodeKey } from "./tree-node.ts";
import { updateStateTree } from "./update.ts";

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

  it("has the placeholder as its root when empty, before the first and after the last item", async () => {
    const table = createTable();
    expect(await table.apply([])).toEqual(SPARSE_MERKLE_PLACEHOLDER);
    expect(stateRootOf([])).toEqual(SPARSE_MERKLE_PLACEHOLDER);
    await table.apply([{ keyHash: key("12"), valueHash: NINES }]);
    expect(await table.apply([{ keyHash: key("12"), valueHash: undefined }])).toEqual(
      SPARSE_MERKLE_PLACEHOLDER,
    );
    expect(table.rows.size).toBe(0);
  });

  it("keeps its root and writes nothing for an update that changes nothing", async () => {
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
