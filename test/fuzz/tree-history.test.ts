// Random ledgers, committed in random pages: at every block end inside the window the kept nodes prove every item, present
// or absent, under the state root of that block end and under no other. The node's own records give roots and values.
import fc from "fast-check";
import { expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { readTreePath } from "../../src/ledger/state-tree/path.ts";
import { checkStateProof, type StateProof } from "../../src/proof/state-proof.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { ProofHistory } from "../../src/sync/proofs/proof-history.ts";
import { TreeAt } from "../../src/sync/proofs/tree-history.ts";
import { BLOCK_END } from "../../src/sync/side-rows.ts";
import { HISTORY_KEYS, RandomHistory } from "../support/random-history.ts";

const HISTORIES = Number(process.env.SEXTANT_RUNS ?? "200");

function holds(
  proof: StateProof,
  root: Uint8Array,
  keyHash: Uint8Array,
  valueHash: Uint8Array | undefined,
): boolean {
  try {
    checkStateProof(proof, root, keyHash, valueHash);
    return true;
  } catch {
    return false;
  }
}

it("kept nodes prove every item at every block end of a random history, and nothing else", async () => {
  let [proven, absent, outside] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.integer({ min: 2, max: 120 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 60 }),
      async (seed, versions, page, window) => {
        const history = new RandomHistory(seed).grow(versions);
        const store = createMemoryStore();
        const kept = new ProofHistory(store, { kind: "count", versions: BigInt(window) });
        const committer = new Committer({ store, history: kept, logger: silentLogger });
        for (let at = 0; at < history.records.length; at += page) {
          await committer.append(history.records.slice(at, at + page));
        }
        const roots = history.blockEnds.map(
          (end) =>
            decodeRecord(history.records[Number(end)] as Uint8Array).info.stateCheckpointHash as Uint8Array,
        );
        const view = await store.openView();
        for (const [height, version] of history.blockEnds.entries()) {
          const end = await BLOCK_END.load(store, BigInt(height));
          if (end === undefined) {
            // Only what is outside of the window may be gone.
            expect(view.position.version - version >= BigInt(window)).toBe(true);
            outside++;
            continue;
          }
          const root = roots[height] as Uint8Array;
          for (const [i, keyHash] of HISTORY_KEYS.entries()) {
            const value = history.states[Number(version)]?.[i];
            const valueHash = value && stateValueHash(value);
            const { leaf, siblings } = await readTreePath(
              keyHash,
              new TreeAt(store, end.rootVersion).getNodes,
            );
            const [other] = leaf === undefined ? [] : await view.getItems([leaf.keyHash], version);
            const proof = {
              leaf: leaf && {
                keyHash: leaf.keyHash,
                valueHash: valueHash ?? stateValueHash(other?.value ?? new Uint8Array()),
              },
              siblings,
            };
            expect(holds(proof, root, keyHash, valueHash)).toBe(true);
            if (valueHash === undefined) absent++;
            else proven++;
            // No other value, key or version.
            const wrong = valueHash === undefined ? new Uint8Array(32) : undefined;
            expect(holds(proof, root, keyHash, wrong)).toBe(false);
            const neighbour = HISTORY_KEYS[(i + 1) % HISTORY_KEYS.length] as Uint8Array;
            if (valueHash !== undefined) expect(holds(proof, root, neighbour, valueHash)).toBe(false);
            const elsewhere = roots[(height + 1) % roots.length] as Uint8Array;
            const isSame = Buffer.compare(elsewhere, root) === 0;
            expect(holds(proof, elsewhere, keyHash, valueHash)).toBe(isSame);
          }
        }
        view.release();
      },
    ),
    { numRuns: HISTORIES },
  );
  // Block ends leave in groups of 16, so most histories are too short to lose any.
  expect(outside).toBeGreaterThan(HISTORIES / 2);
  expect(Math.min(proven, absent)).toBeGreaterThan(HISTORIES);
});
