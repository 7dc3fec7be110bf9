// A ledger that started in the middle, driven by a program of bytes: writes and deletions, prunings, held views and
// reads at every kept version, each compared with a plain model of the state.
import { silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import type { StateKey } from "../../src/ledger/formats/state-key.ts";
import { type StateValue, stateValueCodec } from "../../src/ledger/formats/state-value.ts";
import type { WriteOp, Writes } from "../../src/ledger/formats/write-set.ts";
import { tableItemKeyHash } from "../../src/ledger/key-hash.ts";
import type { KeyTrace } from "../../src/ledger/key-trace.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { parseAddress } from "../../src/move/address.ts";
import type { Store } from "../../src/store/contract.ts";
import { Committer } from "../../src/sync/committer.ts";
import { BaseFiller } from "../../src/sync/lazy/base-filler.ts";
import { LazyView } from "../../src/sync/lazy/lazy-view.ts";
import { BeyondHead, UpstreamError } from "../../src/sync/upstream/errors.ts";
import { UpstreamPool } from "../../src/sync/upstream/pool.ts";
import type { StateValueAnswer, Upstream } from "../../src/sync/upstream/upstream.ts";
import { BUILT_CHAIN_ID, LedgerBuilder, newBlock } from "./ledger-builder.ts";

const HANDLE = parseAddress("0x7");
const KEYS = [0, 1, 2, 3];
/** The first version of the store; version 0 wrote the first two keys. */
const BASE = 1n;

const keyOf = (index: number): StateKey => ({ kind: "tableItem", handle: HANDLE, key: Uint8Array.of(index) });
const hashOf = (index: number, trace: KeyTrace | undefined): Uint8Array =>
  tableItemKeyHash(HANDLE, Uint8Array.of(index), trace);

/** The values visible at a version by key; undefined if there is none. */
type State = readonly (Uint8Array | undefined)[];

const encodeValue = (value: StateValue): Uint8Array => encodeWith(stateValueCodec, value);

/** Steps of a program; each byte is a step (byte % 8) with an argument (byte >> 3). */
export const BASE_STEPS = {
  write: 0,
  delete: 1,
  endVersion: 2,
  endBlock: 3,
  prune: 4,
  readAll: 5,
  readOne: 6,
  hold: 7,
} as const;

/** The byte of a step. */
export function baseStep(name: keyof typeof BASE_STEPS, argument = 0): number {
  return BASE_STEPS[name] + 8 * argument;
}

/** Runs a program on an empty store; throws when a read differs from the model. */
export async function runBaseProgram(store: Store, program: Uint8Array): Promise<void> {
  const run = new BaseRun(store);
  try {
    for (const byte of program) await run.step(byte % 8, byte >> 3);
    await run.step(BASE_STEPS.endBlock, 0);
    await run.step(BASE_STEPS.readAll, 0);
  } finally {
    await run.close();
  }
}

class BaseRun {
  readonly #store: Store;
  readonly #builder = new LedgerBuilder();
  readonly #committer;
  /** By version. */
  readonly #states: State[] = [];
  #changes = new Map<number, WriteOp>();
  /** First versions of the blocks, and how many of them are committed. */
  readonly #blocks: bigint[] = [];
  #committed = 0;
  #isBlockOpen = false;
  #height = 0n;
  #filler: BaseFiller;
  #held: LedgerView | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#committer = new Committer({ store, logger: silentLogger });
    this.#committer.startAt({ chainId: BUILT_CHAIN_ID, version: BASE });
    const first = [0, 1].map((index) => [keyOf(index), create(index, 0)] as const);
    this.#builder.genesis(first);
    this.#states.push(KEYS.map((index) => (index < 2 ? writtenBytes(create(index, 0)) : undefined)));
    this.#filler = this.#createFiller();
  }

  async step(step: number, argument: number): Promise<void> {
    const index = argument % KEYS.length;
    switch (step) {
      case BASE_STEPS.write:
        this.#changes.set(index, create(index, this.#states.length));
        return;
      case BASE_STEPS.delete:
        if (this.#states.at(-1)?.[index] === undefined) this.#changes.delete(index);
        else this.#changes.set(index, { kind: "deletion" });
        return;
      case BASE_STEPS.endVersion:
        this.#addVersion(false);
        return;
      case BASE_STEPS.endBlock:
        this.#addVersion(true);
        // Otherwise the block waits and is committed in one write with the next.
        if (argument % 2 === 0) await this.#commit();
        return;
      case BASE_STEPS.prune:
        await this.#prune(argument);
        return;
      case BASE_STEPS.readAll:
        await this.#readAll();
        return;
      case BASE_STEPS.readOne:
        await this.#withView((view) => {
          const { oldestVersion, version } = view.position;
          const kept = version - oldestVersion + 1n;
          return this.#compare(view, [index], oldestVersion + (BigInt(argument >> 2) % kept));
        });
        return;
      default:
        await (argument % 2 === 0 ? this.#hold() : this.#restart());
    }
  }

  async close(): Promise<void> {
    this.#held?.release();
    this.#held = undefined;
    await this.#filler.close();
  }

  /** The block's first version carries its event, its last one the state root. */
  #addVersion(checkpoint: boolean): void {
    const isFirst = !this.#isBlockOpen;
    const version = BigInt(this.#states.length);
    if (isFirst) {
      this.#height++;
      this.#blocks.push(version);
    }
    const writes: Writes = [...this.#changes]
      .sort(([a], [b]) => a - b)
      .map(([index, op]) => [keyOf(index), op] as const);
    this.#builder.add({
      events: isFirst ? [newBlock(this.#height, 1n, 1000n * this.#height)] : [],
      changes: { kind: "v0", writes },
      checkpoint,
    });
    const state = [...(this.#states.at(-1) ?? [])];
    for (const [index, op] of this.#changes) state[index] = writtenBytes(op);
    this.#states.push(state);
    this.#changes = new Map();
    this.#isBlockOpen = !checkpoint;
  }

  async #commit(): Promise<void> {
    const next = Number(await this.#committer.nextVersion());
    await this.#committer.append(this.#builder.records.slice(next));
    this.#committed = this.#blocks.length;
  }

  async #prune(argument: number): Promise<void> {
    if (this.#store.identity === undefined) return;
    const floor = this.#blocks[argument % this.#committed] ?? 0n;
    for (let done = false; !done; ) done = (await this.#store.prune(floor, 1 + argument)).done;
  }

  async #withView(action: (view: LedgerView) => Promise<void>): Promise<void> {
    if (this.#store.identity === undefined) return;
    const view = await this.#store.openView();
    try {
      await action(view);
    } finally {
      view.release();
    }
  }

  #readAll(): Promise<void> {
    return this.#withView((view) => this.#compareAll(view));
  }

  async #compareAll(view: LedgerView): Promise<void> {
    const { oldestVersion, version } = view.position;
    for (let at = oldestVersion; at <= version; at++) await this.#compare(view, KEYS, at);
  }

  async #compare(view: LedgerView, indexes: readonly number[], version: bigint): Promise<void> {
    const lazy = new LazyView(view, this.#filler);
    const items = await lazy.getItems(
      indexes.map((index) => hashOf(index, lazy.keyTrace)),
      version,
    );
    for (const [i, index] of indexes.entries()) {
      const [expected, found] = [this.#states[Number(version)]?.[index], items[i]?.value].map(textOf);
      if (expected === found) continue;
      throw new Error(`key ${index} at version ${version}: expected ${expected}, found ${found}`);
    }
  }

  /** Keeps a view open across the next steps and reads it before its release. */
  async #hold(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) {
      try {
        await this.#compareAll(held);
      } finally {
        held.release();
      }
    } else if (this.#store.identity !== undefined) {
      this.#held = await this.#store.openView();
    }
  }

  /** Later reads then come from the store. */
  async #restart(): Promise<void> {
    await this.#filler.close();
    this.#filler = this.#createFiller();
  }

  #createFiller(): BaseFiller {
    const pool = new UpstreamPool([this.#upstream()], {
      retry: { baseMs: 1, maxMs: 1 },
      setAside: { baseMs: 1, maxMs: 1 },
      headAgeMs: 5_000,
      logger: silentLogger,
      clock: () => 0,
      random: () => 0,
    });
    return new BaseFiller({
      store: this.#store,
      pool: () => pool,
      timeoutMs: 60_000,
      logger: silentLogger,
    });
  }

  /** An archive node that serves the model. */
  #upstream(): Upstream {
    const head = () => ({
      chainId: BUILT_CHAIN_ID,
      version: BigInt(this.#states.length - 1),
      oldestVersion: 0n,
      timestampUsec: 0n,
      epoch: 1n,
      blockHeight: this.#height,
    });
    const refuse = async (): Promise<never> => {
      throw new UpstreamError("refused", "only state values are served");
    };
    return {
      name: "model",
      receivedBytes: 0,
      getHead: async () => head(),
      getRecords: refuse,
      getStateValue: async (stateKey, version): Promise<StateValueAnswer> => {
        const state = this.#states[Number(version)];
        if (state === undefined) throw new BeyondHead(version, head());
        return { head: head(), value: state[stateKey.at(-1) ?? 0] };
      },
      close: () => {},
    };
  }
}

function create(index: number, version: number): WriteOp {
  return { kind: "creation", data: Buffer.from(`${index} since ${version}`) };
}

function writtenBytes(op: WriteOp): Uint8Array | undefined {
  return "data" in op ? encodeValue({ kind: "v0", data: op.data }) : undefined;
}

function textOf(value: Uint8Array | undefined): string {
  return value === undefined ? "nothing" : Buffer.from(value.subarray(2)).toString();
}
