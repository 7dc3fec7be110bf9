// Blocks of changes that the owner of a local chain makes without a transaction of any account: each change is one
// direct write set, the form of a genesis, so that the ledger claims no call that never ran.
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import { type Transaction, transactionCodec, transactionHash } from "../ledger/transaction.ts";
import type { Address } from "../move/address.ts";
import { type BlockBase, ledgerInfoOf, type MadeBlock } from "./block.ts";
import { type ChainItems, FRAMEWORK_ITEMS } from "./chain-items.ts";
import { emitV2 } from "./effects.ts";
import { CallState } from "./functions/call-state.ts";
import type { Item } from "./item.ts";
import {
  commitSlot,
  endsEpoch,
  nextBlock,
  readChainHead,
  readForkHead,
  runPrologue,
  withEpochTime,
} from "./prologue.ts";
import type { Random } from "./random.ts";
import { RecordWriter, stateRootAfter } from "./record-writer.ts";
import { WorkingState } from "./working-state.ts";

/** Changes the state as it likes. Throws ConfigError for a change that makes no sense; no block is made then. */
export type AuthoredChange = (call: CallState) => Promise<void>;

/** A block of changes. */
export interface AuthoredBlock extends Pick<MadeBlock, "records" | "signed"> {
  /** Version and hash of each change's transaction. */
  readonly transactions: readonly { readonly version: bigint; readonly hash: Uint8Array }[];
}

export interface AuthoredBlockOptions {
  readonly items: ChainItems;
  readonly faucet: Address;
  /** The random numbers of the block at a height. */
  readonly randomAt: (height: bigint) => Random;
}

async function readHead(state: WorkingState, { view, epochTimeMs }: BlockBase) {
  await state.load(view, Object.values(FRAMEWORK_ITEMS) as Item<unknown>[]);
  const slot = commitSlot(state);
  if (slot !== undefined) await state.load(view, [slot as Item<unknown>]);
  return { head: withEpochTime(readChainHead(state), epochTimeMs), slot };
}

/** Makes a block of changes. Undefined if the block at this time must end the epoch, which holds no others. */
export async function makeAuthoredBlock(
  { items, faucet, randomAt }: AuthoredBlockOptions,
  base: BlockBase,
  changes: readonly AuthoredChange[],
): Promise<AuthoredBlock | undefined> {
  const { view, position } = base;
  const state = new WorkingState();
  // A fork has a part of the state only: no root, no validators of its own, no end of an epoch.
  const isFork = position.stateRoot === undefined;
  const { head, slot } = isFork
    ? { head: await readForkHead(state, base), slot: undefined }
    : await readHead(state, base);
  const timestampUsec = base.timestampUsec > head.timeUsec ? base.timestampUsec : head.timeUsec + 1n;
  if (!isFork && endsEpoch(head, timestampUsec)) return undefined;
  const height = head.block.height + 1n;
  const block = nextBlock(head, randomAt(height), { timestampUsec, isNil: false });
  const writer = new RecordWriter(position);
  const prologue = { state, items, coinSupplies: new Map(), createdUsec: timestampUsec, events: [] };
  runPrologue(prologue, head, block, slot);
  writer.add({
    transaction: { kind: "blockMetadata", block },
    events: prologue.events,
    writes: state.finish(),
  });
  const transactions: { version: bigint; hash: Uint8Array }[] = [];
  for (const change of changes) {
    const call = new CallState({ state, view, createdUsec: timestampUsec, faucet, line: "writer" });
    await change(call);
    // The same change made twice must be two transactions, with two hashes.
    emitV2(call, { kind: "u64" }, u64, position.version + BigInt(writer.records.length) + 1n);
    const { events } = call;
    const writes = state.finish();
    const transaction: Transaction = {
      kind: "genesis",
      payload: { kind: "direct", writeSet: { kind: "v0", writes }, events },
    };
    transactions.push({
      version: position.version + BigInt(writer.records.length) + 1n,
      hash: transactionHash(encodeWith(transactionCodec, transaction)),
    });
    writer.add({ transaction, events, writes });
  }
  const stateRoot = await stateRootAfter(base, state.changes);
  writer.add({
    transaction: { kind: "stateCheckpoint", blockId: block.id },
    events: [],
    writes: [],
    stateRoot,
  });
  const signed = isFork
    ? undefined
    : items.validators.sign(ledgerInfoOf(block, writer.ledger, undefined), head.validators);
  return { records: writer.records, signed, transactions };
}
