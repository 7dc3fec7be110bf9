// A state of some items, and a service that numbers them by their key hashes, as backup services do.
import { equalBytes } from "../../src/base/bytes.ts";
import { sha3Parts } from "../../src/base/sha3.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { stateKeyCodec, stateKeyHashOfBcs } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec, stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { readTreePath } from "../../src/ledger/state-tree/path.ts";
import type { StateQuestions, StateRecord, WholeStates } from "../../src/sync/signatures/source.ts";
import { createTable } from "./tree-table.ts";

export const keyOf = (number: number): Uint8Array =>
  encodeWith(stateKeyCodec, { kind: "raw", key: Buffer.from(`item ${number}`) });
const stateValueOf = (number: number): Uint8Array =>
  encodeWith(stateValueCodec, { kind: "v0", data: sha3Parts(Buffer.from(`value ${number}`)) });

/** Ranges of a state from its items and siblings. */
export function rangesOf(questions: StateQuestions): Pick<WholeStates, "stateRange"> {
  return {
    stateRange: async (version, start, limit, signal) => {
      const items = await questions.stateChunk(version, start, limit, signal);
      const last = items.at(-1);
      const right = last && (await questions.rightSiblings(version, stateKeyHashOfBcs(last.key), signal));
      return { items, right: right ?? [] };
    },
  };
}

/** The items 0 to `count` - 1. */
export async function createState(count: number) {
  const items = Array.from({ length: count }, (_, i) => {
    const key = keyOf(i);
    return { key, value: stateValueOf(i), keyHash: stateKeyHashOfBcs(key) };
  });
  const sorted = [...items].sort((a, b) => Buffer.compare(a.keyHash, b.keyHash));
  const table = createTable();
  const root = await table.apply(
    items.map(({ keyHash, value }) => ({ keyHash, valueHash: stateValueHash(value) })),
  );
  let asked = 0;
  const questions: StateQuestions = {
    stateItemCount: async () => BigInt(count),
    stateChunk: async (_, start, limit): Promise<StateRecord[]> => {
      asked++;
      return sorted.slice(Number(start), Number(start) + limit);
    },
    rightSiblings: async (_, keyHash) => {
      asked++;
      const { leaf, siblings } = await readTreePath(keyHash, table.reader);
      if (leaf === undefined || !equalBytes(leaf.keyHash, keyHash)) throw new Error("no such item");
      const bit = (depth: number): number => ((keyHash[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1;
      return siblings.filter((_, depth) => bit(depth) === 0).reverse();
    },
  };
  return { items, root, questions, reader: table.reader, asked: () => asked };
}
