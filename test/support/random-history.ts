// A random ledger with valid hashes, which can be forked at the end of any block. It knows the state after every version.
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { OBJECT_GROUP_TAG } from "../../src/ledger/balances/balance-keys.ts";
import { accessPathCodec, type StateKey, stateKeyHash } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec } from "../../src/ledger/formats/state-value.ts";
import { type WriteOp, type Writes, writtenValue } from "../../src/ledger/formats/write-set.ts";
import {
  frameworkTag,
  fungibleStoreCodec,
  objectCoreCodec,
  resourceGroupCodec,
} from "../../src/ledger/items/resources.ts";
import { parseAddress } from "../../src/move/address.ts";
import { structTagCodec } from "../../src/move/type-tag.ts";
import { type BuiltVersion, LedgerBuilder, newBlock } from "./ledger-builder.ts";
import { createRandom } from "./synthetic-ledger.ts";

/** The table of most items. */
export const HISTORY_HANDLE = parseAddress("0x7");
/** Enough that a deleted one often stays deleted until it is pruned. */
const TABLE_ITEMS = 40;
const [OWNER, METADATA] = [parseAddress("0xa11ce"), parseAddress("0x4e7a")];
const KEYS: readonly StateKey[] = [
  ...Array.from({ length: TABLE_ITEMS }, (_, index): StateKey => {
    return { kind: "tableItem", handle: HISTORY_HANDLE, key: Uint8Array.of(index) };
  }),
  { kind: "raw", key: Uint8Array.of(1) },
  { kind: "tradingNative", item: { kind: "position", exchange: OWNER, account: OWNER, market: METADATA } },
  {
    kind: "accessPath",
    address: primaryStoreAddress(OWNER, METADATA),
    path: encodeWith(accessPathCodec, {
      kind: "resourceGroup",
      struct: decodeWith(structTagCodec, OBJECT_GROUP_TAG),
    }),
  },
];
const KEY_COUNT = KEYS.length;
const GROUP = KEY_COUNT - 1;

/** The group of an object, which may have a primary store. */
function groupData(balance: bigint, hasStore: boolean): Uint8Array {
  const core = {
    guidCreationNumber: balance,
    owner: OWNER,
    allowUngatedTransfer: false,
    transferEvents: { counter: 0n, creationNumber: 0n, account: OWNER },
  };
  const store = { metadata: METADATA, balance, frozen: false };
  const members: [Uint8Array, Uint8Array][] = [
    [frameworkTag("object", "ObjectCore"), encodeWith(objectCoreCodec, core)],
  ];
  if (hasStore) {
    members.unshift([frameworkTag("fungible_asset", "FungibleStore"), encodeWith(fungibleStoreCodec, store)]);
  }
  return encodeWith(
    resourceGroupCodec,
    members.map(([tag, bytes]) => [decodeWith(structTagCodec, tag), bytes] as const),
  );
}

/** The state key hashes of all items that a history writes, except the chain id. */
export const HISTORY_KEYS: readonly Uint8Array[] = KEYS.map(stateKeyHash);

/** The values of the keys; undefined for an absent one. */
type State = readonly (Uint8Array | undefined)[];

/** One version, with the ops of the keys that it writes. */
interface Step {
  readonly built: BuiltVersion;
  readonly ops: ReadonlyMap<number, WriteOp>;
}

export class RandomHistory {
  readonly #random: () => number;
  readonly #seed: number;
  readonly #builder = new LedgerBuilder();
  readonly #steps: Step[] = [];
  /** After each version. */
  readonly states: State[] = [];
  /** The last versions of the blocks. */
  readonly blockEnds: bigint[] = [];
  #height = 0n;
  #isBlockOpen = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = createRandom(seed);
    this.#builder.genesis();
    this.states.push(KEYS.map(() => undefined));
    this.blockEnds.push(0n);
  }

  get records(): readonly Uint8Array[] {
    return this.#builder.records;
  }

  get head(): bigint {
    return BigInt(this.records.length) - 1n;
  }

  /** Adds some versions and ends the last block. */
  grow(versions: number): this {
    for (let left = versions; left > 0 || this.#isBlockOpen; left--) this.#addRandom(left <= 1);
    return this;
  }

  /** The same history up to the end of a block, and another one to come. */
  fork(last: bigint, seed: number): RandomHistory {
    const fork = new RandomHistory(seed);
    for (const step of this.#steps.slice(0, Number(last))) fork.#add(step);
    return fork;
  }

  #addRandom(mustEnd: boolean): void {
    const random = this.#random;
    const version = this.records.length;
    const ops = new Map<number, WriteOp>();
    for (let count = random() % 4; count > 0; count--) {
      const index = random() % KEY_COUNT;
      const isThere = this.states.at(-1)?.[index] !== undefined;
      if (isThere && random() % 4 === 0) ops.set(index, { kind: "deletion" });
      else {
        const text = Buffer.from(`${this.#seed}/${version}/${index}`);
        const data = index === GROUP ? groupData(BigInt(version), random() % 2 === 0) : text;
        ops.set(index, { kind: "modification", data });
      }
    }
    const writes: Writes = [...ops]
      .sort(([a], [b]) => a - b)
      .map(([index, op]) => [KEYS[index] as StateKey, op] as const);
    const height = this.#height + 1n;
    const time = 1_000_000n * height + BigInt(random() % 1000);
    const built: BuiltVersion = {
      events: this.#isBlockOpen ? [] : [newBlock(height, 1n, time)],
      changes: { kind: "v0", writes },
      checkpoint: mustEnd || random() % 3 === 0,
    };
    this.#add({ built, ops });
  }

  #add(step: Step): void {
    const { built, ops } = step;
    if (!this.#isBlockOpen) this.#height++;
    this.#builder.add(built);
    this.#steps.push(step);
    const state = [...(this.states.at(-1) ?? [])];
    for (const [index, op] of ops) state[index] = bytesAfter(op);
    this.states.push(state);
    this.#isBlockOpen = !built.checkpoint;
    if (built.checkpoint) this.blockEnds.push(this.head);
  }
}

function bytesAfter(op: WriteOp): Uint8Array | undefined {
  const value = writtenValue(op);
  return value === undefined ? undefined : encodeWith(stateValueCodec, value);
}
