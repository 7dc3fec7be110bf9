// Filters of transactions and events. What a filter looks at is read from a record on first use, once for all filters, and
// compared as bytes; names of functions and types are made once for each that occurs.
import { toMapKey } from "../../base/bytes.ts";
import { remembered } from "../../base/recent.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { struct } from "../../bcs/records.ts";
import { text } from "../../bcs/scalars.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes, formatAddress } from "../../move/address.ts";
import { formatTypeTag, typeTagCodec } from "../../move/type-tag.ts";
import { moduleIdCodec } from "../../move/wire.ts";
import type { EntryFunction } from "../../transaction/executable.ts";
import { ENTRY_FUNCTION_VARIANT, payloadCodec, type TransactionPayload } from "../../transaction/raw.ts";
import type { Asset } from "../balances/asset.ts";
import { eventTypeBytes } from "../formats/block-event.ts";
import { lookAtRecord, type RecordSpans } from "../formats/record.ts";
import { stateKeyHashOfBcs } from "../formats/state-key.ts";
import { coinStorePlace, isObjectGroup, objectParties } from "../indexes/owned-keys.ts";

/** A filter: of each kind of values that it names, one must fit. */
export type RecordFilter = { readonly [Name in Group]?: ReadonlySet<string> | undefined } & {
  readonly success?: boolean | undefined;
};

const coinKey = (metadata: Uint8Array): string => `coin ${toMapKey(metadata)}`;

/** A coin type stands for its coin stores and for the stores of the fungible asset paired with it, as in a balance. */
export function assetKeys({ coinStoreTag, metadata }: Asset): string[] {
  const fungible = toMapKey(metadata);
  return coinStoreTag === undefined ? [fungible] : [fungible, coinKey(metadata)];
}

const ADDRESS_KEY = 0;
const OWN_ADDRESS = [1, 1 + ADDRESS_LENGTH] as const;

/** The entry function that a payload calls; undefined for a script, or what is still encrypted. */
function calledFunction(payload: TransactionPayload): EntryFunction | undefined {
  let called: { readonly kind: string; readonly entryFunction?: EntryFunction } | undefined;
  if (payload.kind === "entryFunction") called = payload;
  else if (payload.kind === "multisig") called = payload.transactionPayload;
  else if (payload.kind === "payload") called = payload.payload.executable;
  else if (payload.kind === "encrypted" && payload.encrypted.kind === "decrypted")
    called = payload.encrypted.executable;
  return called?.entryFunction;
}

/** A function that a transaction calls, and its module. */
interface CalledFunction {
  readonly module: string;
  readonly function: string;
}

/** A type with and without its type arguments, and its module. */
interface EventType {
  readonly full: string;
  readonly plain: string;
  readonly module: string;
}

/** Budget of each of the two caches below. */
const KEPT_NAMES = { maxBytes: 1 << 20, perByte: 6 } as const;

/** The beginning of a call. */
const calledCodec = struct({ module: moduleIdCodec, function: text });

const calledOf = remembered((bytes): CalledFunction => {
  const { module: id, function: name } = decodeWith(calledCodec, bytes);
  const module = `${formatAddress(id.address)}::${id.name}`;
  return { module, function: `${module}::${name}` };
}, KEPT_NAMES);

const eventTypeOf = remembered((bytes): EventType => {
  const full = formatTypeTag(decodeWith(typeTagCodec, bytes));
  const [plain = full] = full.split("<", 1);
  return { full, plain, module: plain.slice(0, plain.lastIndexOf("::")) };
}, KEPT_NAMES);

/** What a user transaction begins with: its variant, the sender, and the sequence number; then the payload's variant. */
const SENDER = [1, 1 + ADDRESS_LENGTH] as const;
const PAYLOAD_AT = 1 + ADDRESS_LENGTH + 8;

function readCalled(transaction: Uint8Array): CalledFunction | null {
  const reader = new BcsReader(transaction);
  reader.skip(PAYLOAD_AT);
  if (transaction[PAYLOAD_AT] === ENTRY_FUNCTION_VARIANT) reader.skip(1);
  else {
    const entry = calledFunction(payloadCodec.read(reader));
    return entry === undefined ? null : calledOf(encodeWith(calledCodec, entry));
  }
  const start = reader.offset;
  calledCodec.skip(reader);
  return calledOf(reader.span(start));
}

/** A write of an object, which may be a store of a fungible asset, or of a CoinStore. */
export interface StoreWrite {
  /** Place among the writes of its record. */
  readonly index: number;
  readonly key: Uint8Array;
  /** As in the balance rule: 0 for an object, 1 for a CoinStore. */
  readonly place: 0 | 1;
  /** Undefined for an object that was deleted. */
  readonly owner?: Address;
  /** Of the fungible asset, or of the one paired with the coin; undefined for any other object. */
  readonly metadata?: Uint8Array;
}

/** The values that a filter may ask for, by the parameter that names them, the rarest first. */
const VALUES = {
  /** Addresses, as `toMapKey` writes their bytes. */
  sender: ({ sender }: RecordFacts) => (sender === undefined ? [] : [sender]),
  /** Addresses that the transaction writes to, and owners of objects that it writes. */
  account: ({ sender, spans, stores }: RecordFacts) => [
    ...(sender === undefined ? [] : [sender]),
    ...spans.writes.flatMap(({ key }) =>
      key[0] === ADDRESS_KEY ? [toMapKey(key.subarray(...OWN_ADDRESS))] : [],
    ),
    ...stores.flatMap(({ owner }) => (owner === undefined ? [] : [toMapKey(owner)])),
  ],
  /** Functions that the transaction calls: `0x1::coin::transfer`. */
  function: ({ called }: RecordFacts) => (called === null ? [] : [called.function]),
  /** Assets of which a store is written, as `assetKeys` names them. */
  asset_type: ({ stores }: RecordFacts) =>
    stores.flatMap(({ place, metadata }) => {
      if (metadata === undefined) return [];
      return [place === 0 ? toMapKey(metadata) : coinKey(metadata)];
    }),
  /** Types of events. Without type arguments, a type stands for all of its instances. */
  event_type: ({ eventTypes }: RecordFacts) =>
    [...new Set(eventTypes)].flatMap(({ full, plain }) => [full, plain]),
  /** For transactions the module of the called function, for events the one of the event's type. */
  module: ({ called, eventTypes }: RecordFacts) => [
    ...(called === null ? [] : [called.module]),
    ...[...new Set(eventTypes)].map(({ module }) => module),
  ],
  /** Of every record, for a filter that names none of the others. */
  any: () => [""],
} as const;

export type Group = keyof typeof VALUES;
const GROUPS = Object.keys(VALUES) as Group[];

/** What filters look at in a record. */
export class RecordFacts {
  readonly #record: Uint8Array;
  #spans: RecordSpans | undefined;
  #called: CalledFunction | null | undefined;
  #stores: readonly StoreWrite[] | undefined;
  #storeNames: readonly string[] | undefined;
  #eventTypes: readonly EventType[] | undefined;
  readonly #values = new Map<Group, readonly string[]>();

  /** The bytes must stay valid. */
  constructor(record: Uint8Array) {
    this.#record = record;
  }

  /** Whether anything was looked at. */
  get isRead(): boolean {
    return this.#spans !== undefined;
  }

  get spans(): RecordSpans {
    this.#spans ??= lookAtRecord(this.#record);
    return this.#spans;
  }

  get sender(): string | undefined {
    const { userChainId, transaction } = this.spans;
    return userChainId === undefined ? undefined : toMapKey(transaction.subarray(...SENDER));
  }

  get called(): CalledFunction | null {
    if (this.#called === undefined) {
      const { userChainId, transaction } = this.spans;
      this.#called = userChainId === undefined ? null : readCalled(transaction);
    }
    return this.#called;
  }

  get eventTypes(): readonly EventType[] {
    this.#eventTypes ??= this.spans.events.map((event) => eventTypeOf(eventTypeBytes(event)));
    return this.#eventTypes;
  }

  get stores(): readonly StoreWrite[] {
    this.#stores ??= this.spans.writes.flatMap(({ key, value }, index): StoreWrite[] => {
      if (key[0] !== ADDRESS_KEY) return [];
      if (isObjectGroup(key)) return [{ index, key, place: 0, ...(value && objectParties(value)) }];
      const metadata = coinStorePlace(key);
      if (metadata === undefined) return [];
      return [{ index, key, place: 1, owner: addressFromBytes(key.subarray(...OWN_ADDRESS)), metadata }];
    });
    return this.#stores;
  }

  /** Hashes of the keys of `stores`, as `toMapKey` writes them. */
  get storeNames(): readonly string[] {
    this.#storeNames ??= this.stores.map(({ key }) => toMapKey(stateKeyHashOfBcs(key)));
    return this.#storeNames;
  }

  /** The values of a group; one may be there more than once. */
  values(group: Group): readonly string[] {
    const values = this.#values.get(group) ?? VALUES[group](this);
    this.#values.set(group, values);
    return values;
  }
}

/** A group of values of which every record that a filter chooses has one. */
export function groupOf(filter: RecordFilter): { readonly group: Group; readonly values: readonly string[] } {
  const group = GROUPS.find((name) => filter[name] !== undefined) ?? "any";
  return { group, values: [...(filter[group] ?? VALUES.any())] };
}

function hasOne(wanted: ReadonlySet<string> | undefined, found: readonly string[]): boolean {
  return wanted === undefined || found.some((one) => wanted.has(one));
}

/** What both kinds of streams ask of a transaction, and what transactions are asked besides. */
const ASKED = ["sender", "function", "account", "asset_type"] as const;
const ASKED_ALONE = [...ASKED, "event_type"] as const;

function fits(filter: RecordFilter, facts: RecordFacts, groups: readonly (keyof typeof VALUES)[]): boolean {
  const { success } = filter;
  if (success !== undefined && success !== (facts.spans.info.status.kind === "success")) return false;
  return groups.every((group) => filter[group] === undefined || hasOne(filter[group], facts.values(group)));
}

export function matchesTransaction(filter: RecordFilter, facts: RecordFacts): boolean {
  if (!fits(filter, facts, ASKED_ALONE)) return false;
  return filter.module === undefined || (facts.called !== null && filter.module.has(facts.called.module));
}

/** The indexes of the events that a filter asks for. */
export function matchingEvents(filter: RecordFilter, facts: RecordFacts): ReadonlySet<number> {
  const found = new Set<number>();
  if (facts.spans.events.length === 0 || !fits(filter, facts, ASKED)) return found;
  for (const [i, { full, plain, module }] of facts.eventTypes.entries()) {
    if (hasOne(filter.event_type, [full, plain]) && hasOne(filter.module, [module])) found.add(i);
  }
  return found;
}
