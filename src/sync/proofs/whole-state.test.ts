import { describe, expect, it } from "vitest";
import { createState, rangesOf } from "../../../test/support/state-service.ts";
import { toHex } from "../../base/hex.ts";
import { silentLogger } from "../../base/log.ts";
import { StateTree } from "../../ledger/state-tree/update.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import { Committer } from "../committer.ts";
import type { StateQuestions, StateRecord } from "../signatures/source.ts";
import { UpstreamError } from "../upstream/errors.ts";
import { type BlamedStates, fetchWholeState } from "./whole-state.ts";

type State = Awaited<ReturnType<typeof createState>>;

/** A store without a ledger, and what is written to it. */
function createTarget() {
  const store = createMemoryStore();
  const inner = new Committer({ store, logger: silentLogger });
  const written: string[] = [];
  /** Ranges that may be written yet. */
  let left = Number.POSITIVE_INFINITY;
  const committer: Pick<Committer, "writeBase"> = {
    writeBase: async (base) => {
      if (left-- <= 0) throw new Error("cut off");
      await inner.writeBase(base);
      for (const { keyHash, value } of base.writes) {
        written.push(`${toHex(keyHash)} ${toHex(value ?? new Uint8Array())}`);
      }
    },
  };
  const cutAfter = (ranges: number): void => {
    left = ranges;
  };
  return { store, committer, written, cutAfter };
}

async function fetchInto(
  { store, committer }: ReturnType<typeof createTarget>,
  { root }: State,
  sources: readonly StateQuestions[],
  rangeItems: number,
): Promise<number[]> {
  const blamed: number[] = [];
  const fromSources = async <T>(turn: number, ask: (source: BlamedStates) => Promise<T>): Promise<T> => {
    const sound = [...sources.keys()].filter((i) => !blamed.includes(i));
    const i = sound[turn % sound.length];
    const questions = i === undefined ? undefined : sources[i];
    if (i === undefined || questions === undefined) throw new Error("no source is left");
    return ask({ states: rangesOf(questions), blame: () => blamed.push(i) });
  };
  const { signal } = new AbortController();
  await fetchWholeState({
    store,
    committer,
    point: { version: 1n, root },
    fromSources,
    logger: silentLogger,
    signal,
    rangeItems,
  });
  return [...new Set(blamed)];
}

async function assertWhole(target: ReturnType<typeof createTarget>, { items, root }: State): Promise<void> {
  const expected = items.map(({ keyHash, value }) => `${toHex(keyHash)} ${toHex(value)}`);
  // Also that no item was written twice.
  expect(target.written.sort()).toEqual(expected.sort());
  const tree = new StateTree((keys) => target.store.getTreeNodes(keys));
  expect(toHex(await tree.apply([]))).toBe(toHex(root));
}

describe("the whole state in ranges", () => {
  it.each([0, 1, 2, 3, 17, 100, 300])("has all of %s items, whatever the ranges are", async (count) => {
    const state = await createState(count);
    for (const rangeItems of [1, 2, 3, 7, 16, 100, 1000]) {
      const target = createTarget();
      expect(await fetchInto(target, state, [state.questions], rangeItems)).toEqual([]);
      await assertWhole(target, state);
    }
  });

  it("goes on after its last range, wherever it was cut off", async () => {
    const state = await createState(60);
    for (let ranges = 0; ranges <= 9; ranges++) {
      const target = createTarget();
      target.cutAfter(ranges);
      const cut = fetchInto(target, state, [state.questions], 7);
      if (ranges < 9) await expect(cut).rejects.toThrow("cut off");
      else await cut;
      target.cutAfter(Number.POSITIVE_INFINITY);
      await fetchInto(target, state, [state.questions], 11);
      await assertWhole(target, state);
    }
  });

  it("is asked for in smaller ranges where they do not come in time, and in larger ones again later", async () => {
    const state = await createState(330);
    const asked: number[] = [];
    const slow: StateQuestions = {
      ...state.questions,
      stateChunk: async (version, start, limit, signal) => {
        asked.push(limit);
        if (limit > 4 && asked.length < 30)
          throw new UpstreamError("unreachable", "no response within 10 s", { isLate: true });
        return state.questions.stateChunk(version, start, limit, signal);
      },
    };
    const target = createTarget();
    expect(await fetchInto(target, state, [slow], 16)).toEqual([]);
    await assertWhole(target, state);
    expect(asked.slice(0, 12)).toEqual([16, 16, 16, 16, 8, 8, 8, 8, 4, 4, 4, 4]);
    expect(asked.at(-1)).toBe(8);
    const never = { ...slow, stateChunk: () => Promise.reject(new UpstreamError("unreachable", "gone")) };
    await expect(fetchInto(createTarget(), state, [never], 16)).rejects.toThrow("gone");
  });

  const flip = (bytes: Uint8Array): Uint8Array =>
    bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte));
  const chunks =
    (change: (records: readonly StateRecord[]) => readonly StateRecord[]) =>
    ({ stateChunk }: StateQuestions): Partial<StateQuestions> => ({
      stateChunk: async (...asked) => change(await stateChunk(...asked)),
    });
  const siblings =
    (change: (right: readonly Uint8Array[]) => readonly Uint8Array[]) =>
    ({ rightSiblings }: StateQuestions): Partial<StateQuestions> => ({
      rightSiblings: async (...asked) => change(await rightSiblings(...asked)),
    });

  it.each<[string, (honest: StateQuestions) => Partial<StateQuestions>]>([
    ["another value", chunks((all) => all.map(({ key, value }) => ({ key, value: flip(value) })))],
    ["items in another order", chunks((all) => [...all].reverse())],
    ["fewer items", chunks((all) => all.slice(0, -1))],
    ["an item less in the middle", chunks((all) => all.toSpliced(2, 1))],
    ["an item twice", chunks((all) => [...all, ...all.slice(-1)])],
    ["no items", chunks(() => [])],
    ["other siblings", siblings((right) => right.map(flip))],
    ["fewer siblings", siblings((right) => right.slice(1))],
    ["more siblings", siblings((right) => [...right, new Uint8Array(32)])],
    [
      "the items of another range",
      ({ stateChunk }) => ({
        stateChunk: (version, _, limit, aborted) => stateChunk(version, 3n, limit, aborted),
      }),
    ],
  ])("takes nothing from a source that gives %s", async (_, lie) => {
    const state = await createState(90);
    const liar = { ...state.questions, ...lie(state.questions) };
    const target = createTarget();
    expect(await fetchInto(target, state, [state.questions, liar, state.questions], 8)).toEqual([1]);
    await assertWhole(target, state);
    const alone = createTarget();
    await expect(fetchInto(alone, state, [liar], 8)).rejects.toThrow("no source is left");
    expect(alone.written).toEqual([]);
  });
});
