// Random ledgers with deletions, committed in pages of any length, pruned, rewound and continued with other blocks: every kept
// block end proves every item, present or absent, under its own state root and under no other.
import fc from "fast-check";
import { expect } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { readTreePath } from "../../src/ledger/state-tree/path.ts";
import { ProofError } from "../../src/proof/errors.ts";
import { checkStateProof, type StateProof } from "../../src/proof/state-proof.ts";
import type { Store, StoreView } from "../../src/store/contract.ts";
import { Committer } from "../../src/sync/committer.ts";
import { keepAccumulator } from "../../src/sync/maintenance/kept-accumulator.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { ProofHistory } from "../../src/sync/proofs/proof-history.ts";
import { TreeAt } from "../../src/sync/proofs/tree-history.ts";
import { loadBlockEnd } from "../../src/sync/side-rows.ts";
import { pruneTo } from "../store/contract.ts";
import { HISTORY_KEYS, RandomHistory } from "./random-history.ts";

const signal = new AbortController().signal;

/** Whether a proof holds. Throws any error but a ProofError. */
export function holds(
  proof: StateProof,
  root: Uint8Array,
  keyHash: Uint8Array,
  valueHash: Uint8Array | undefined,
): boolean {
  // Most proofs of a test are refused, and the stack of an error costs more than the check.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    checkStateProof(proof, root, keyHash, valueHash);
    return true;
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function commit(store: Store, history: RandomHistory, page: number, logBytes: number): Promise<void> {
  const kept = new ProofHistory(store, { kind: "all" }, logBytes);
  const committer = new Committer({ store, history: kept, logger: silentLogger });
  for (let next = Number(await committer.nextVersion()); next < history.records.length; next += page) {
    await committer.append(history.records.slice(next, next + page));
  }
}

const rootOf = (history: RandomHistory, version: bigint): Uint8Array =>
  decodeRecord(history.records[Number(version)] as Uint8Array).info.stateCheckpointHash as Uint8Array;

/** How many items were proven to be there, and to be absent. */
interface Proofs {
  present: number;
  absent: number;
}

async function expectProofs(
  store: Store,
  view: StoreView,
  history: RandomHistory,
  counts: Proofs,
): Promise<void> {
  const ends = history.blockEnds.filter((end) => end >= view.position.oldestVersion);
  for (const [i, version] of ends.entries()) {
    const height = BigInt(history.blockEnds.indexOf(version));
    expect((await loadBlockEnd(store, height))?.version).toBe(version);
    const tree = new TreeAt(store, version);
    const root = rootOf(history, version);
    for (const [k, keyHash] of HISTORY_KEYS.entries()) {
      const value = history.states[Number(version)]?.[k];
      const valueHash = value && stateValueHash(value);
      const { leaf, siblings } = await readTreePath(keyHash, tree.getNodes);
      const [other] = leaf === undefined ? [] : await view.getItems([leaf.keyHash], version);
      const otherHash = valueHash ?? stateValueHash(other?.value ?? new Uint8Array());
      const proof = { leaf: leaf && { keyHash: leaf.keyHash, valueHash: otherHash }, siblings };
      counts[valueHash === undefined ? "absent" : "present"]++;
      // No other value, key or version.
      const neighbour = HISTORY_KEYS[(k + 1) % HISTORY_KEYS.length] as Uint8Array;
      const elsewhere = rootOf(history, ends[(i + 1) % ends.length] as bigint);
      const isAsExpected =
        holds(proof, root, keyHash, valueHash) &&
        !holds(proof, root, keyHash, valueHash === undefined ? new Uint8Array(32) : undefined) &&
        (valueHash === undefined || !holds(proof, root, neighbour, valueHash)) &&
        holds(proof, elsewhere, keyHash, valueHash) === (Buffer.compare(elsewhere, root) === 0);
      // A call of `expect` costs more than the proof.
      if (!isAsExpected) expect.fail(`key ${k} at version ${version}: it holds not only where it should`);
    }
  }
}

/** Tries ledgers on stores of one engine. Calls `inspect` after each store is closed. */
export async function tryKeptVersions(
  open: () => Promise<Store>,
  runs: number,
  inspect: () => Promise<void> = async () => {},
): Promise<void> {
  const counts: Proofs = { present: 0, absent: 0 };
  const part = fc.integer({ min: 0, max: 100 });
  const sizes = fc.record({
    versions: fc.integer({ min: 4, max: 90 }),
    page: fc.integer({ min: 1, max: 30 }),
    step: fc.integer({ min: 1, max: 60 }),
    logBytes: fc.constantFrom(50, 200, 2700),
  });
  const rounds = fc.array(fc.record({ oldest: part, to: part }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.nat(), sizes, rounds, async (seed, { versions, page, step, logBytes }, plan) => {
      const store = await open();
      const check = async (history: RandomHistory): Promise<void> => {
        const view = await store.openView();
        await expectProofs(store, view, history, counts);
        view.release();
      };
      let history = new RandomHistory(seed).grow(versions);
      await commit(store, history, page, logBytes);
      let oldest = 0n;
      for (const [i, round] of plan.entries()) {
        const at = (first: bigint, share: number): bigint => {
          const ends = history.blockEnds.filter((end) => end >= first);
          return ends[Math.floor(((ends.length - 1) * share) / 100)] as bigint;
        };
        await check(history);
        const below = at(oldest, round.oldest);
        if (round.oldest % 2 === 0 && below < history.head) {
          oldest = below + 1n;
          await keepAccumulator(store, oldest, signal);
          await pruneTo(store, oldest);
          await check(history);
        }
        const to = at(oldest, round.to);
        await rewindLedger({ store, to, signal, onProgress: () => {}, stepWrites: step });
        history = history.fork(to, seed + i + 1);
        await check(history);
        await commit(store, history.grow(30), page, logBytes);
      }
      await check(history);
      await store.close();
      await inspect();
    }),
    { numRuns: runs },
  );
  expect(Math.min(counts.present, counts.absent)).toBeGreaterThan(100);
}
