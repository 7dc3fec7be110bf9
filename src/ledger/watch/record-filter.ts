// Filters of transactions and events. What a filter looks at is read from a record on first use, once for all filters, and
// compared as bytes; names of functions and types are made once for each that occurs.
import { toMapKey } from "../../base/bytes.ts";
import { remembered } from "../../base/recent.ts";
import { decodeWith } from "../../bcs/codec.ts";
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

function toNames({ module: id, function: name }: Pick<EntryFunction, "module" | "function">): CalledFunction {
  const module = `${formatAddress(id.address)}::${id.name}`;
  return { module, function: `${module}::${name}` };
}

const calledOf = remembered((bytes) => toNames(decodeWith(calledCodec, bytes)), KEPT_NAMES);

const eventTypeOf = remembered((bytes): EventType => {
  const full = formatTypeTag(decodeWith(typeTagCodec, bytes));
  const [plain = full] = full.split("<", 1);
  return { full, plain, module: plain.slice(0, plain.lastIndexOf("::")) };
}, KEPT_NAMES);

/** What a user transaction begins with: its variant, the sender, and the sequence number; then the payload's variant. */
const PAYLOAD_AT = 1 + ADDRESS_LENGTH + 8;

/** The sender's address, as `toMapKey` writes it. */
function senderIn({ spans: { userChainId, transaction } }: RecordFacts): readonly string[] {
  return userChainId === undefined ? [] : [toMapKey(transaction.subarray(...OWN_ADDRESS))];
}

function calledIn({ spans: { userChainId, transaction } }: RecordFacts): CalledFunction | undefined {
  if (userChainId === undefined) return undefined;
  const reader = new BcsReader(transaction);
  reader.skip(PAYLOAD_AT);
  if (transaction[PAYLOAD_AT] !== ENTRY_FUNCTION_VARIANT) {
    const entry = calledFunction(payloadCodec.read(reader));
    return entry && toNames(entry);
  }
  reader.skip(1);
  const start = reader.offset;
  calledCodec.skip(reader);
  return calledOf(reader.span(start));
}

function eventTypesIn({ spans }: RecordFacts): readonly EventType[] {
  return spans.events.map((event) => eventTypeOf(eventTypeBytes(event)));
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

export function storesIn({ spans }: RecordFacts): readonly StoreWrite[] {
  return spans.writes.flatMap(({ key, value }, index): StoreWrite[] => {
    if (key[0] !== ADDRESS_KEY) return [];
    if (isObjectGroup(key)) return [{ index, key, place: 0, ...(value && objectParties(value)) }];
    const metadata = coinStorePlace(key);
    if (metadata === undefined) return [];
    return [{ index, key, place: 1, owner: addressFromBytes(key.subarray(...OWN_ADDRESS)), metadata }];
  });
}

/** Hashes of the keys of the stores, as `toMapKey` writes them. */
export function storeNamesIn(facts: RecordFacts): readonly string[] {
  return facts.find(storesIn).map(({ key }) => toMapKey(stateKeyHashOfBcs(key)));
}

/** The values that a filter may ask for, by the parameter that names them, the rarest first; one may be there more than once. */
const VALUES = {
  sender: senderIn,
  /** Addresses that the transaction writes to, and owners of objects that it writes. */
  account: (facts: RecordFacts) => [
    ...facts.find(senderIn),
    ...facts.spans.writes.flatMap(({ key }) =>
      key[0] === ADDRESS_KEY ? [toMapKey(key.subarray(...OWN_ADDRESS))] : [],
    ),
    ...facts.find(storesIn).flatMap(({ owner }) => (owner === undefined ? [] : [toMapKey(owner)])),
  ],
  /** Functions that the transaction calls: `0x1::coin::transfer`. */
  function: (facts: RecordFacts) => [facts.find(calledIn)?.function ?? []].flat(),
  /** Assets of which a store is written, as `assetKeys` names them. */
  asset_type: (facts: RecordFacts) =>
    facts.find(storesIn).flatMap(({ place, metadata }) => {
      if (metadata === undefined) return [];
      return [place === 0 ? toMapKey(metadata) : coinKey(metadata)];
    }),
  /** Types of events. Without type arguments, a type stands for all of its instances. */
  event_type: (facts: RecordFacts) =>
    [...new Set(facts.find(eventTypesIn))].flatMap(({ full, plain }) => [full, plain]),
  /** For transactions the module of the called function, for events the one of the event's type. */
  module: (facts: RecordFacts) => [
    ...[facts.find(calledIn)?.module ?? []].flat(),
    ...[...new Set(facts.find(eventTypesIn))].map(({ module }) => module),
  ],
  /** Of every record, for a filter that names none of the others. */
  any: () => [""],
} as const satisfies Readonly<Record<string, (facts: RecordFacts) => readonly string[]>>;

export type Group = keyof typeof VALUES;
const GROUPS = Object.keys(VALUES) as Group[];

/** What filters look at in a record, each read on first use. */
export class RecordFacts {
  readonly #record: Uint8Array;
  #spans: RecordSpans | undefined;
  readonly #found = new Map<(facts: RecordFacts) => unknown, unknown>();

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

  /** What a function finds in the record. */
  find<T>(look: (facts: RecordFacts) => T): T {
    if (!this.#found.has(look)) this.#found.set(look, look(this));
    return this.#found.get(look) as T;
  }
}

/** The values of a record in a group. */
export function valuesIn(facts: RecordFacts, group: Group): readonly string[] {
  return facts.find(VALUES[group]);
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
  return groups.every(
    (group) => filter[group] === undefined || hasOne(filter[group], valuesIn(facts, group)),
  );
}

export function matchesTransaction(filter: RecordFilter, facts: RecordFacts): boolean {
  if (!fits(filter, facts, ASKED_ALONE)) return false;
  return filter.module === undefined || filter.module.has(facts.find(calledIn)?.module ?? "");
}

/** The indexes of the events that a filter asks for. */
export function matchingEvents(filter: RecordFilter, facts: RecordFacts): ReadonlySet<number> {
  const found = new Set<number>();
  if (facts.spans.events.length === 0 || !fits(filter, facts, ASKED)) return found;
  for (const [i, { full, plain, module }] of facts.find(eventTypesIn).entries()) {
    if (hasOne(filter.event_type, [full, plain]) && hasOne(filter.module, [module])) found.add(i);
  }
  return found;
}
