import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { stateRootOf } from "../../../test/support/state-root.ts";
import { anyUpdates, anyValueHash } from "../../../test/support/tree-arbitraries.ts";
import { createTable, key, NINES, print } from "../../../test/support/tree-table.ts";
import { toHex } from "../../base/hex.ts";
import { hashOf, SEEDS, SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";
import { leafHashOf } from "./tree-node.ts";

describe("state tree after random updates", () => {
  it("equals the tree built from scratch after any history", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyUpdates, { minLength: 1, maxLength: 6 }), async (history) => {
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

  it("equals the tree built from scratch when nodes are full", async () => {
    const anyId = fc.nat(999);
    const anyBatch = fc.uniqueArray(fc.record({ id: anyId, valueHash: anyValueHash }), {
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
});
