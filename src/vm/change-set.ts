// What sessions change, and what that costs: writes with their deposits, events, and the write set of a transaction.
import { toMapKey } from "../base/bytes.ts";
import { toHex } from "../base/hex.ts";
import { forEach, type Pieces } from "../base/pieces.ts";
import { encodeWith } from "../bcs/codec.ts";
import { BcsReader } from "../bcs/reader.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { type ContractEvent, contractEventCodec } from "../ledger/formats/block-event.ts";
import type { StateMetadata, StateValue } from "../ledger/formats/state-value.ts";
import { type WriteOp, writeOpCodec } from "../ledger/formats/write-set.ts";
import type { AbiType } from "../move/abi.ts";
import { addressFromBytes } from "../move/address.ts";
import { structTagCodec, type TypeTag, typeTagCodec } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { invariant, STATUS, VmError } from "./errors.ts";
import type { Meter } from "./gas.ts";
import type { Aggregators } from "./natives/aggregators.ts";
import type { GlobalSlot, Session, SessionEvent } from "./session.ts";
import { resourceStateKey, structTagOf, tableItemStateKey } from "./state.ts";
import { tagOf } from "./types.ts";

/** Deposits of an item, and when it was made. */
export interface Metadata {
  readonly slotDeposit: bigint;
  readonly bytesDeposit: bigint;
  readonly creationTimeUsec: bigint;
}

/** An item as a transaction finds it. */
export interface StoredItem {
  readonly data: Uint8Array;
  readonly metadata: Metadata | undefined;
}

/** Reads an item by the BCS of its key; undefined if there is none. May throw NeedsItem. */
export type StoredReader = (key: Uint8Array) => StoredItem | undefined;

export interface Change {
  readonly key: Uint8Array;
  readonly kind: "create" | "modify" | "delete";
  /** Empty for a deletion. */
  readonly data: Uint8Array;
  readonly metadata: Metadata | undefined;
  /** A change of a number that was not read costs nothing. */
  readonly isFree: boolean;
  /** Only aggregators changed: the deposit stays as it is. */
  readonly isInPlace: boolean;
  /** Writes are charged in the order of these kinds, then of their keys. */
  readonly order: 0 | 1 | 2;
}

export function isModule({ order }: Change): boolean {
  return order === 2;
}

/** Changes by the hex of their keys. */
export type Changes = Map<string, Change>;

/** They are put together, or encoded, in about a millisecond. */
const CHANGES_PER_PIECE = 256;
const WRITE_SET_V0 = 0;
const NOTHING = new Uint8Array(0);
const NO_MEMBERS = Uint8Array.of(0);
/** Comes after all tags. */
const LAST_TAG = "\u{ffff}";
const NO_DEPOSIT: Metadata = { slotDeposit: 0n, bytesDeposit: 0n, creationTimeUsec: 0n };

export function metadataOf(value: StateValue): Metadata | undefined {
  if (value.kind === "v0") return undefined;
  const { metadata } = value;
  if (metadata.kind === "v0")
    return { slotDeposit: metadata.deposit, bytesDeposit: 0n, creationTimeUsec: metadata.creationTimeUsec };
  const { slotDeposit, bytesDeposit, creationTimeUsec } = metadata;
  return { slotDeposit, bytesDeposit, creationTimeUsec };
}

function toStateMetadata({ slotDeposit, bytesDeposit, creationTimeUsec }: Metadata): StateMetadata {
  return bytesDeposit === 0n
    ? { kind: "v0", deposit: slotDeposit, creationTimeUsec }
    : { kind: "v1", slotDeposit, bytesDeposit, creationTimeUsec };
}

/** Reads through changes. */
export function readThrough(changes: Changes, read: StoredReader): StoredReader {
  return (key) => {
    const change = changes.get(toHex(key));
    if (change === undefined) return read(key);
    return change.kind === "delete" ? undefined : { data: change.data, metadata: change.metadata };
  };
}

/** The members of a resource group after a change, in the order of their tags' bytes; undefined if none is left. */
function* changedGroup(
  before: Uint8Array,
  changed: ReadonlyMap<string, Uint8Array | undefined>,
): Pieces<Uint8Array | undefined> {
  const reader = new BcsReader(before);
  const writer = new BcsWriter(before.length + 256);
  const tags = [...changed.keys()].sort();
  let [count, at] = [0, 0];
  /** Writes what is changed up to a tag; true if it is the last of that. */
  const writeUpTo = (tag: string): boolean => {
    for (; at < tags.length && (tags[at] as string) <= tag; at++) {
      const bytes = changed.get(tags[at] as string);
      if (bytes === undefined) continue;
      writer.fixed(Buffer.from(tags[at] as string, "latin1")).byteString(bytes);
      count++;
    }
    return tags[at - 1] === tag;
  };
  for (let left = reader.count(); left > 0; left--) {
    const start = reader.offset;
    structTagCodec.skip(reader);
    const isChanged = writeUpTo(toMapKey(reader.span(start)));
    reader.byteString();
    if (!isChanged) {
      writer.fixed(reader.span(start));
      count++;
    }
    if (left % CHANGES_PER_PIECE === 0) yield;
  }
  reader.finish();
  writeUpTo(LAST_TAG);
  if (count === 0) return undefined;
  const members = writer.take();
  return new BcsWriter(members.length + 8).count(count).fixed(members).take();
}

export interface SessionEnd {
  readonly read: StoredReader;
  /** Metadata of what is created. */
  readonly created: Metadata | undefined;
}

/** Items by the BCS of their keys; undefined for those that go. */
export type WrittenItems = ReadonlyMap<Uint8Array, Uint8Array | undefined>;

/** Places that change, and what is written there; undefined for what goes. */
function* changedPlaces<T extends { readonly slot: GlobalSlot }>(
  places: readonly T[],
): Pieces<(readonly [T, Uint8Array | undefined])[]> {
  const changed: (readonly [T, Uint8Array | undefined])[] = [];
  for (const [i, place] of places.entries()) {
    const change = yield* place.slot.change();
    if (change !== undefined) changed.push([place, change === "delete" ? undefined : change]);
    if (i % CHANGES_PER_PIECE === CHANGES_PER_PIECE - 1) yield;
  }
  return changed;
}

/** What a session changed. `written` is what it wrote besides resources and tables: the modules that it published. */
export function* changesOf(
  session: Session,
  { read, created }: SessionEnd,
  written: WrittenItems = new Map(),
): Pieces<Changes> {
  const changes: Changes = new Map();
  const add = (
    key: Uint8Array,
    next: Uint8Array | undefined,
    { order = 0, isInPlace = false }: { readonly order?: Change["order"]; readonly isInPlace?: boolean } = {},
  ): void => {
    const before = read(key);
    if (next === undefined && before === undefined) return;
    const kind = next === undefined ? "delete" : before === undefined ? "create" : "modify";
    const metadata = before === undefined ? created : before.metadata;
    changes.set(toHex(key), { key, kind, data: next ?? NOTHING, metadata, isFree: false, isInPlace, order });
  };
  const groups = new Map<
    string,
    { readonly key: Uint8Array; readonly members: Map<string, Uint8Array | undefined>; isInPlace: boolean }
  >();
  for (const [{ address, type, group, slot }, bytes] of yield* changedPlaces(session.resources)) {
    const tag = structTagOf(type);
    if (group === undefined) {
      add(resourceStateKey(address, tag, "resource"), bytes, { isInPlace: isInPlace(slot) });
      continue;
    }
    const key = resourceStateKey(address, parseStructTag(group), "resourceGroup");
    const known = groups.get(toHex(key)) ?? {
      key,
      members: new Map<string, Uint8Array | undefined>(),
      isInPlace: true,
    };
    if (!isInPlace(slot)) known.isInPlace = false;
    known.members.set(toMapKey(encodeWith(structTagCodec, tag)), bytes);
    groups.set(toHex(key), known);
  }
  for (const { key, members, isInPlace: isGroupInPlace } of groups.values()) {
    const group = yield* changedGroup(read(key)?.data ?? NO_MEMBERS, members);
    add(key, group, { isInPlace: isGroupInPlace });
  }
  for (const [{ handle, key, slot }, bytes] of yield* changedPlaces(session.tableItems))
    add(tableItemStateKey(handle, key), bytes, { isInPlace: isInPlace(slot) });
  const aggregators = (session.extensions.get("aggregators") ?? new Map()) as Aggregators;
  for (const { handle, key, base, delta, isCreated, isDestroyed, isRead } of aggregators.values()) {
    const stateKey = tableItemStateKey(handle, Buffer.from(key, "hex"));
    if (isDestroyed) {
      if (!isCreated) add(stateKey, undefined, { order: 1 });
      continue;
    }
    if (base === undefined) throw invariant("an aggregator has no value");
    const data = u128Bytes(base + delta);
    if (isRead) add(stateKey, data, { order: 1 });
    else
      changes.set(toHex(stateKey), {
        key: stateKey,
        kind: "modify",
        data,
        metadata: undefined,
        isFree: true,
        isInPlace: false,
        order: 1,
      });
  }
  for (const [key, bytes] of written) add(key, bytes, { order: 2 });
  return changes;
}

function isInPlace({ isDirty, hasAggregatorChange, wasThere, exists }: GlobalSlot): boolean {
  return hasAggregatorChange && !isDirty && wasThere && exists;
}

function u128Bytes(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value), 0);
  bytes.writeBigUInt64LE(value >> 64n, 8);
  return bytes;
}

/** Joins the changes of a later session to those before. */
export function squash(before: Changes, later: Changes): void {
  for (const [name, change] of later) {
    const first = before.get(name);
    if (first === undefined) before.set(name, change);
    else if (first.kind === "create") {
      if (change.kind === "delete") before.delete(name);
      else
        before.set(name, {
          ...change,
          kind: "create",
          metadata: change.isFree ? first.metadata : change.metadata,
          isFree: false,
        });
    } else if (first.kind === "delete") {
      if (change.kind !== "create") throw invariant("a deleted item is changed");
      before.set(name, { ...change, kind: "modify", metadata: first.metadata });
    } else {
      const isFree = first.isFree && change.isFree;
      before.set(name, { ...change, metadata: change.isFree ? first.metadata : change.metadata, isFree });
    }
  }
}

/** Where the length of the path or key stands in a state key, after its kind and the address or handle. */
const KEY_LENGTH_AT = 33;

/** Bytes of a key that are paid for: the address or handle, and the path or key. */
function keySize(key: Uint8Array): number {
  let end = KEY_LENGTH_AT + 1;
  while (((key[end - 1] as number) & 0x80) !== 0) end++;
  return 32 + key.length - end;
}

function compareKeys(a: Change, b: Change): number {
  return a.order - b.order || Buffer.compare(a.key, b.key);
}

function ordered(changes: Changes): Change[] {
  return [...changes.values()].sort(compareKeys);
}

interface EventTag {
  readonly tag: TypeTag;
  readonly bytes: number;
}

/** Thousands of events have a few types. */
const eventTags = new WeakMap<AbiType, EventTag>();

function eventTag(type: AbiType): EventTag {
  let found = eventTags.get(type);
  if (found === undefined) {
    const tag = tagOf(type);
    found = { tag, bytes: encodeWith(typeTagCodec, tag).length };
    eventTags.set(type, found);
  }
  return found;
}

function eventOf({ guid, sequenceNumber, type, data }: SessionEvent): ContractEvent {
  const { tag } = eventTag(type);
  if (guid === undefined) return { kind: "v2", type: tag, data };
  const creationNumber = Buffer.from(guid).readBigUInt64LE(0);
  const account = addressFromBytes(guid.subarray(8, 40));
  return { kind: "v1", creationNumber, account, sequenceNumber, type: tag, data };
}

function eventSize({ guid, type, data }: SessionEvent): number {
  return (guid === undefined ? 0 : 48) + eventTag(type).bytes + data.length;
}

/** Throws VmError for more or larger writes and events than a transaction may have. */
export function assertLimits(meter: Meter, changes: Changes, events: readonly SessionEvent[]): void {
  const assertUpTo = (name: string, most: number): void => {
    if (most > meter.price(`txn.${name}`, Number.POSITIVE_INFINITY))
      throw new VmError(STATUS.storageWriteLimitReached, "a transaction writes too much");
  };
  assertUpTo("max_write_ops_per_transaction", changes.size);
  let [most, all] = [0, 0];
  for (const { key, data, kind } of changes.values()) {
    if (kind === "delete") continue;
    const size = keySize(key) + data.length;
    most = Math.max(most, size);
    all += size;
  }
  assertUpTo("max_bytes_per_write_op", most);
  assertUpTo("max_bytes_all_write_ops_per_transaction", all);
  [most, all] = [0, 0];
  for (const { data } of events) {
    most = Math.max(most, data.length);
    all += data.length;
  }
  assertUpTo("max_bytes_per_event", most);
  assertUpTo("max_bytes_all_events_per_transaction", all);
}

/** Charges for writes and events. Returns the refund, and sets the deposits of what is written. */
export function* chargeChanges(
  meter: Meter,
  changes: Changes,
  events: readonly SessionEvent[],
  options: {
    readonly transactionBytes: number;
    readonly gasUnitPrice: bigint;
    readonly readBefore: StoredReader;
    /** True if the bytes of an item are paid for once and come back when it goes. */
    readonly hasRefundableBytes: boolean;
  },
): Pieces<bigint> {
  const price = (name: string): number => meter.price(`txn.${name}`);
  meter.chargeIo(price("storage_io_per_transaction_byte_write") * options.transactionBytes);
  const perEventByte = price("storage_io_per_event_byte_write");
  yield* forEach(events, CHANGES_PER_PIECE, (event) => meter.chargeIo(perEventByte * eventSize(event)));
  yield;
  for (const { key, kind, data, isFree } of ordered(changes))
    if (!isFree) meter.chargeIo(meter.writePrice(kind, keySize(key), data.length));
  yield;
  if (options.gasUnitPrice === 0n) return 0n;
  if (meter.version < SINCE_REFUNDS || !options.hasRefundableBytes)
    return chargeOldFees(meter, changes, events, options);
  const [perSlot, perByte] = [
    BigInt(price("storage_fee_per_state_slot")),
    BigInt(price("storage_fee_per_state_byte")),
  ];
  let fee = 0n;
  let refund = 0n;
  for (const [name, change] of changes) {
    if (change.isFree || change.isInPlace) continue;
    const { key, data, kind } = change;
    const whole = perByte * BigInt(keySize(key) + data.length);
    if (kind === "create") {
      fee += perSlot + whole;
      if (change.metadata !== undefined)
        changes.set(name, {
          ...change,
          metadata: { ...change.metadata, slotDeposit: perSlot, bytesDeposit: whole },
        });
    } else if (kind === "modify") {
      const metadata = change.metadata ?? NO_DEPOSIT;
      const old = options.readBefore(key)?.data.length ?? 0;
      let { bytesDeposit } = metadata;
      if (data.length > old && whole > bytesDeposit) {
        const grown = perByte * BigInt(data.length - old);
        const missing = whole - bytesDeposit;
        let paid = missing;
        if (grown < missing) paid = grown;
        fee += paid;
        bytesDeposit += paid;
      }
      changes.set(name, { ...change, metadata: { ...metadata, bytesDeposit } });
    } else {
      const { slotDeposit, bytesDeposit } = change.metadata ?? NO_DEPOSIT;
      refund += slotDeposit + bytesDeposit;
      if (change.metadata === undefined) changes.set(name, { ...change, metadata: NO_DEPOSIT });
    }
  }
  meter.chargeStorage(Number(fee), Number(options.gasUnitPrice));
  return refund;
}

const SINCE_REFUNDS = 13;

/** Storage fees without deposits for bytes. */
function chargeOldFees(
  meter: Meter,
  changes: Changes,
  events: readonly SessionEvent[],
  options: { readonly transactionBytes: number; readonly gasUnitPrice: bigint },
): bigint {
  // The names changed when the fees got old.
  const price = (name: string): number => meter.price(`txn.legacy_${name}`, meter.price(`txn.${name}`));
  const slot = price("storage_fee_per_state_slot_create");
  const free = price("free_write_bytes_quota");
  const over = (size: number, limit: number): number => Math.max(0, size - limit);
  let fee =
    over(options.transactionBytes, meter.price("txn.large_transaction_cutoff")) *
    price("storage_fee_per_transaction_byte");
  const eventBytes = events.reduce((sum, event) => sum + eventSize(event), 0);
  fee += over(eventBytes, price("free_event_bytes_quota")) * price("storage_fee_per_event_byte");
  let refund = 0n;
  for (const [name, change] of changes) {
    if (change.isFree || change.isInPlace) continue;
    if (change.kind === "delete") {
      refund += (change.metadata?.slotDeposit ?? 0n) + (change.metadata?.bytesDeposit ?? 0n);
      continue;
    }
    fee += over(keySize(change.key) + change.data.length, free) * price("storage_fee_per_excess_state_byte");
    if (change.kind !== "create") continue;
    fee += slot;
    if (change.metadata !== undefined)
      changes.set(name, { ...change, metadata: { ...change.metadata, slotDeposit: BigInt(slot) } });
  }
  meter.chargeStorage(fee, Number(options.gasUnitPrice));
  return refund;
}

function toWriteOp({ kind, data, metadata }: Change): WriteOp {
  if (metadata === undefined) {
    if (kind === "delete") return { kind: "deletion" };
    return { kind: kind === "create" ? "creation" : "modification", data };
  }
  const stored = toStateMetadata(metadata);
  if (kind === "delete") return { kind: "deletionWithMetadata", metadata: stored };
  return {
    kind: kind === "create" ? "creationWithMetadata" : "modificationWithMetadata",
    data,
    metadata: stored,
  };
}

/** BCS of the write set. The keys are encoded already, and come in the order of their bytes, which is that of their hex. */
export function* encodeWriteSet(changes: Changes): Pieces<Uint8Array> {
  const writer = new BcsWriter(1024);
  writer.uleb(WRITE_SET_V0).count(changes.size);
  const names = [...changes.keys()].sort();
  yield;
  yield* forEach(names, CHANGES_PER_PIECE, (name) => {
    const change = changes.get(name) as Change;
    writer.fixed(change.key);
    writeOpCodec.write(writer, toWriteOp(change));
  });
  return writer.take();
}

export function* encodeEvents(events: readonly SessionEvent[]): Pieces<readonly Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  yield* forEach(events, CHANGES_PER_PIECE, (event) => {
    encoded.push(encodeWith(contractEventCodec, eventOf(event)));
  });
  return encoded;
}
