// What a block builds on: the head of its chain, its metadata, and when its epoch ends.
import { nextTurn } from "../base/wait.ts";
import { decodeWith } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import { LedgerError } from "../ledger/errors.ts";
import { decodeRecord } from "../ledger/formats/record.ts";
import { stateKeyCodec } from "../ledger/formats/state-key.ts";
import { stateValueData } from "../ledger/formats/state-value.ts";
import type { ValidatorSet } from "../ledger/formats/validator-set.ts";
import type { BlockResource, Configuration } from "../ledger/items/resources.ts";
import type { Position } from "../ledger/position.ts";
import type { LedgerView, StateItem } from "../ledger/view.ts";
import { type Address, FRAMEWORK, parseAddress } from "../move/address.ts";
import type { BlockMetadata } from "../transaction/system-transactions.ts";
import { FRAMEWORK_ITEMS } from "./chain-items.ts";
import { type Item, idOf, resourceItem } from "./item.ts";
import type { Random } from "./random.ts";
import { WorkingState } from "./working-state.ts";

/** Proposer of a nil block. */
const NOBODY: Address = parseAddress("0x0");
const NO_VOTES = new Uint8Array(0);

/** The framework's resources before a block. */
export interface ChainHead {
  readonly chainId: number;
  readonly block: BlockResource;
  readonly configuration: Configuration;
  readonly validators: ValidatorSet;
  readonly timeUsec: bigint;
}

/** The value of an item that every block needs. Throws LedgerError: the owner of a chain may have removed it, which must not end the node. */
function requireItem<T>(state: WorkingState, item: Item<T>, name: string): T {
  const value = state.get(item);
  if (value === undefined)
    throw new LedgerError(
      "unavailable",
      `the ledger has no ${name}, so the local chain cannot make blocks on it`,
    );
  return value;
}

/** Loads the resources that the next block builds on. Throws LedgerError. */
export async function readChainHead(state: WorkingState, view: LedgerView): Promise<ChainHead> {
  const { block, time, configuration, validatorSet } = FRAMEWORK_ITEMS;
  await state.load(view, [block, time, configuration, validatorSet] as Item<unknown>[]);
  return {
    chainId: view.position.chainId,
    block: requireItem(state, block, "0x1::block::BlockResource"),
    configuration: requireItem(state, configuration, "0x1::reconfiguration::Configuration"),
    validators: requireItem(state, validatorSet, "0x1::stake::ValidatorSet"),
    timeUsec: requireItem(state, time, "0x1::timestamp::CurrentTimeMicroseconds"),
  };
}

/** How many items the state has, and how many bytes, as the framework counts them. */
interface StateUsage {
  readonly items: bigint;
  readonly bytes: bigint;
}

const USAGE = resourceItem(
  FRAMEWORK,
  "0x1::state_storage::StateStorageUsage",
  struct({ epoch: u64, items: u64, bytes: u64 }),
);
const AT_ONCE = 200;
const PAGE_BYTES = 1 << 20;

/**
 * The size of the state before a block. The framework asks for it in the first block of an epoch and keeps it: then what it
 * kept is moved on by every write since. On a fork, or once those versions are pruned, it is what the framework kept, because
 * nobody knows more. Undefined for a framework that does not ask.
 */
export async function readStateUsage(
  view: LedgerView,
  { stateRoot }: Pick<Position, "stateRoot">,
): Promise<StateUsage | undefined> {
  const state = new WorkingState();
  await state.load(view, [USAGE, FRAMEWORK_ITEMS.configuration] as Item<unknown>[]);
  const kept = state.get(USAGE);
  const { version: head, oldestVersion } = view.position;
  if (kept === undefined || stateRoot === undefined) return kept;
  if (kept.epoch === state.get(FRAMEWORK_ITEMS.configuration)?.epoch) return kept;
  const [{ version: since = 0n } = {}] = await view.getItems([USAGE.keyHash], head);
  const isFirst = since === 0n;
  if (!isFirst && since <= oldestVersion) return kept;
  const written = new Map<string, Uint8Array>();
  for (let next = since; next <= head; await nextTurn("writer")) {
    for (const { version, bytes } of await view.getRecords(next, AT_ONCE, PAGE_BYTES)) {
      for (const { key, keyHash } of decodeRecord(bytes).writes) written.set(idOf(keyHash), key);
      next = version + 1n;
    }
  }
  let { items, bytes } = isFirst ? { items: 0n, bytes: 0n } : kept;
  const all = [...written];
  for (let at = 0; at < all.length; at += AT_ONCE, await nextTurn("writer")) {
    const some = all.slice(at, at + AT_ONCE);
    const hashes = some.map(([id]) => Buffer.from(id, "latin1"));
    const before = isFirst ? [] : await view.getItems(hashes, since - 1n);
    const after = await view.getItems(hashes, head);
    for (const [i, [, key]] of some.entries()) {
      const [gone, come] = [sizeOf(key, before[i]), sizeOf(key, after[i])];
      items += BigInt((come > 0 ? 1 : 0) - (gone > 0 ? 1 : 0));
      bytes += BigInt(come - gone);
    }
  }
  return { items, bytes };
}

/** What an item counts for; 0 if it is not there. */
function sizeOf(key: Uint8Array, item: StateItem | undefined): number {
  if (item?.value === undefined) return 0;
  const parts = decodeWith(stateKeyCodec, key);
  const data = stateValueData(item.value).length;
  if (parts.kind === "accessPath") return parts.address.length + parts.path.length + data;
  return (parts.kind === "tableItem" ? parts.handle.length + parts.key.length : key.length) + data;
}

/**
 * True when a block at this time ends the epoch. The block after such a block never does, however late it comes: a block
 * that ends an epoch holds no transactions, and those that wait need one.
 */
export function endsEpoch(
  { block, timeUsec, configuration }: Pick<ChainHead, "block" | "timeUsec" | "configuration">,
  timestampUsec: bigint,
): boolean {
  const { lastReconfigurationUsec } = configuration;
  if (block.height > 0n && timeUsec === lastReconfigurationUsec) return false;
  return timestampUsec - lastReconfigurationUsec >= block.epochIntervalUsec;
}

/** The metadata of the next block. A nil block has no proposer and keeps the time of the previous block. */
export function nextBlock(
  head: ChainHead,
  random: Random,
  options: { readonly timestampUsec: bigint; readonly isNil: boolean },
): BlockMetadata {
  const { active } = head.validators;
  return {
    id: random.bytes32(),
    epoch: head.configuration.epoch,
    round: head.block.height + 1n,
    proposer: options.isNil || active.length === 0 ? NOBODY : random.pick(active).address,
    previousVotes: votesOf(active.length),
    failedProposers: options.isNil && active.length > 0 ? [random.below(active.length)] : [],
    timestampUsec: options.isNil ? head.timeUsec : options.timestampUsec,
  };
}

/** One set bit for each validator. */
function votesOf(count: number): Uint8Array {
  if (count === 0) return NO_VOTES;
  const out = new Uint8Array(Math.ceil(count / 8));
  for (let i = 0; i < count; i++) out[i >> 3] = (out[i >> 3] ?? 0) | (0x80 >> (i & 7));
  return out;
}

/** No proposals of any validator yet. */
export function idlePerformance({ active }: ValidatorSet): { successful: bigint; failed: bigint }[] {
  return active.map(() => ({ successful: 0n, failed: 0n }));
}
