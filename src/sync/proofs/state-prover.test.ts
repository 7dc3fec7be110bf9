import { describe, expect, it } from "vitest";
import { createState, keyOf } from "../../../test/support/state-service.ts";
import { toHex } from "../../base/hex.ts";
import { stateKeyHashOfBcs } from "../../ledger/formats/state-key.ts";
import { isLie, type StateQuestions } from "../signatures/source.ts";
import { StateProver } from "./state-prover.ts";

const { signal } = new AbortController();

describe("a prover of items", () => {
  it.each([0, 1, 2, 3, 17, 100, 700])("proves each of %s items, and the absence of others", async (count) => {
    const { items, root, questions } = await createState(count);
    const prover = new StateProver(questions, { version: 1n, root });
    for (const { keyHash, value } of items.slice(0, 120)) {
      expect(toHex((await prover.prove(keyHash, signal)) ?? new Uint8Array())).toBe(toHex(value));
    }
    for (let i = 0; i < 60; i++) {
      expect(await prover.prove(stateKeyHashOfBcs(keyOf(count + i)), signal)).toBeUndefined();
    }
  });

  it("asks few questions for a proof", async () => {
    const { items, root, questions, asked } = await createState(4_000);
    for (const { keyHash } of items.slice(0, 5)) {
      const before = asked();
      await new StateProver(questions, { version: 1n, root }).prove(keyHash, signal);
      expect(asked() - before).toBeLessThan(60);
    }
  });

  const first = (value: Uint8Array): Uint8Array => value.with(value.length - 1, (value.at(-1) ?? 0) ^ 1);
  const lies: [name: string, lie: (honest: StateQuestions) => Partial<StateQuestions>][] = [
    [
      "another value",
      ({ stateChunk }) => ({
        stateChunk: async (...asked) =>
          (await stateChunk(...asked)).map(({ key, value }) => ({ key, value: first(value) })),
      }),
    ],
    [
      "a value that only the last answer has",
      ({ stateChunk }) => ({
        stateChunk: async (version, start, limit, aborted) => {
          const items = await stateChunk(version, start, limit, aborted);
          return limit > 1 ? items : items.map(({ key, value }) => ({ key, value: first(value) }));
        },
      }),
    ],
    [
      "another sibling",
      ({ rightSiblings }) => ({
        rightSiblings: async (...asked) => (await rightSiblings(...asked)).map(first),
      }),
    ],
    ["no siblings", () => ({ rightSiblings: async () => [] })],
    ["fewer items", () => ({ stateItemCount: async () => 40n })],
    ["more items", () => ({ stateItemCount: async () => 1n << 60n })],
    ["no items", () => ({ stateItemCount: async () => 0n })],
    ["empty chunks", () => ({ stateChunk: async () => [] })],
    [
      "the same chunk each time",
      ({ stateChunk }) => ({
        stateChunk: (version, _, limit, aborted) => stateChunk(version, 3n, limit, aborted),
      }),
    ],
  ];

  it.each(lies)("refuses a service that gives %s", async (_, lie) => {
    const { items, root, questions } = await createState(90);
    const prover = new StateProver({ ...questions, ...lie(questions) }, { version: 1n, root });
    let refused = 0;
    for (const { keyHash, value } of items) {
      const found = await prover.prove(keyHash, signal).catch((error: unknown) => {
        expect(isLie(error)).toBe(true);
        refused++;
        return value;
      });
      // What is not refused is true.
      expect(toHex(found ?? new Uint8Array())).toBe(toHex(value));
    }
    expect(refused).toBeGreaterThan(0);
  });

  it("proves again after a lie", async () => {
    const { items, root, questions } = await createState(50);
    let isLying = true;
    const rightSiblings: StateQuestions["rightSiblings"] = async (...asked) => {
      const honest = await questions.rightSiblings(...asked);
      return isLying ? honest.map(first) : honest;
    };
    const prover = new StateProver({ ...questions, rightSiblings }, { version: 1n, root });
    const { keyHash, value } = items[7] as (typeof items)[number];
    await expect(prover.prove(keyHash, signal)).rejects.toThrow(/does not lead to the state root/);
    isLying = false;
    expect(toHex((await prover.prove(keyHash, signal)) ?? new Uint8Array())).toBe(toHex(value));
  });
});
