import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../test/support/kept-versions.ts";
import { RUNS } from "../../test/support/property.ts";
import { anyKeyHash, anyUpdates, anyValueHash } from "../../test/support/tree-arbitraries.ts";
import { createTable } from "../../test/support/tree-table.ts";
import { toHex } from "../base/hex.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../ledger/hash.ts";
import { readTreePath } from "../ledger/state-tree/path.ts";
import type { StateProof } from "./state-proof.ts";

type Model = ReadonlyMap<string, { readonly keyHash: Uint8Array; readonly valueHash: Uint8Array }>;

async function prove(
  keyHash: Uint8Array,
  model: Model,
  table: ReturnType<typeof createTable>,
): Promise<StateProof> {
  const { leaf, siblings } = await readTreePath(keyHash, table.reader);
  const item = leaf && model.get(toHex(leaf.keyHash));
  return { leaf: item, siblings };
}

describe("state proofs of random histories", () => {
  const history = fc.array(anyUpdates, { minLength: 1, maxLength: 5 });

  it("hold for what is there and for what is not, and for nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(history, anyKeyHash, anyValueHash, async (batches, otherKey, otherValue) => {
        const table = createTable();
        const model = new Map<string, { keyHash: Uint8Array; valueHash: Uint8Array }>();
        const seen = new Map<string, Uint8Array>([[toHex(otherKey), otherKey]]);
        let root: Uint8Array = SPARSE_MERKLE_PLACEHOLDER;
        let earlier = root;
        for (const updates of batches) {
          for (const update of updates) {
            seen.set(toHex(update.keyHash), update.keyHash);
            if (update.valueHash === undefined) model.delete(toHex(update.keyHash));
            else model.set(toHex(update.keyHash), { keyHash: update.keyHash, valueHash: update.valueHash });
          }
          earlier = root;
          root = await table.apply(updates);
        }
        for (const key of seen.values()) {
          const value = model.get(toHex(key))?.valueHash;
          const proof = await prove(key, model, table);
          expect(holds(proof, root, key, value)).toBe(true);
          const isSame =
            otherValue === undefined
              ? value === undefined
              : value !== undefined && toHex(value) === toHex(otherValue);
          expect(holds(proof, root, key, otherValue)).toBe(isSame);
          if (toHex(earlier) !== toHex(root)) expect(holds(proof, earlier, key, value)).toBe(false);
          if (value !== undefined && toHex(otherKey) !== toHex(key)) {
            expect(holds(proof, root, otherKey, value)).toBe(false);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});
