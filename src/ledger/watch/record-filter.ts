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
import { type RecordSpans, readRecord } from "../formats/record.ts";
import { stateKeyHashOfBcs } from "../formats/state-key.ts";
import { coinStorePlace, isObjectGroup, objectParties } from "../indexes/owned-keys.ts";

/** Texts of which one must fit; undefined for any. */
type AnyOf = ReadonlySet<string> | undefined;

export interface RecordFilter {
  /** Addresses, as `toMapKey` writes their bytes. */
  readonly sender: AnyOf;
  /** Functions that the transaction calls: `0x1::coin::transfer`. */
  readonly function: AnyOf;
  /** For transactions the module of the called function, for events the one of the event's type. */
  readonly module: AnyOf;
  /** Types of events. Without type arguments, a type stands for all of its instances. */
  readonly eventType: AnyOf;
  /** Addresses that the transaction writes to, and owners of objects that it writes. */
  readonly account: AnyOf;
  /** Assets of which a store is written, as `assetKeys` names them. */
  readonly asset: AnyOf;
  readonly success: boolean | undefined;
}

const coinKey = (metadata: Uint8Array): string => `coin ${toMapKey(metadata)}`;

/** A coin type stands for its coin stores and for the stores of the fungible asset paired with it, as in a balance. */
export function assetKeys({ coinStoreTag, metadata }: Asset): string[] {
  const fungible = toMapKey(metadata);
  return coinStoreTag === undefined ? [fungible] : [fungible, coinKey(metadata)];
}

/** No filter needs the hashes of keys. */
const NO_HASH = new Uint8Array(0);
const ADDRESS_KEY = 0;
const OWN_ADDRESS = [1, 1 + ADDRESS_LENGTH] as const;

/** The entry function that a payload calls; undefined for a script, or what is still encrypted. */
function calledFunction(payload: TransactionPayload): EntryFunction | undefined {
  switch (payload.kind) {
    case "entryFunction":
      return payload.entryFunction;
    case "multisig":
      return payload.transactionPayload?.kind === "entryFunction"
        ? payload.transactionPayload.entryFunction
        : undefined;
    case "payload": {
      const { executable } = payload.payload;
      return executable.kind === "entryFunction" ? executable.entryFunction : undefined;
    }
    case "encrypted": {
      const { encrypted } = payload;
      const executable = encrypted.kind === "decrypted" ? encrypted.executable : undefined;
      return executable?.kind === "entryFunction" ? executable.entryFunction : undefined;
    }
    default:
      return undefined;
  }
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
  readonly keyHash: Uint8Array;
  /** As in the balance rule: 0 for an object, 1 for a CoinStore. */
  readonly place: 0 | 1;
  /** Undefined for an object that was deleted. */
  readonly owner: Address | undefined;
  /** Of the fungible asset, or of the one paired with the coin; undefined for any other object. */
  readonly metadata: Uint8Array | undefined;
}

/** What filters look at in a record. */
export class RecordFacts {
  readonly #record: Uint8Array;
  #spans: RecordSpans | undefined;
  #called: CalledFunction | null | undefined;
  #stores: readonly StoreWrite[] | undefined;
  #eventTypes: readonly EventType[] | undefined;
  #touched: { readonly accounts: ReadonlySet<string>; readonly assets: ReadonlySet<string> } | undefined;

  /** The bytes must stay valid. */
  constructor(record: Uint8Array) {
    this.#record = record;
  }

  get spans(): RecordSpans {
    this.#spans ??= readRecord(new BcsReader(this.#record), () => NO_HASH);
    return this.#spans;
  }

  get isSuccess(): boolean {
    return this.spans.info.status.kind === "success";
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

  get touched(): { readonly accounts: ReadonlySet<string>; readonly assets: ReadonlySet<string> } {
    if (this.#touched !== undefined) return this.#touched;
    const accounts = new Set<string>();
    const assets = new Set<string>();
    const { sender } = this;
    if (sender !== undefined) accounts.add(sender);
    for (const { key, value } of this.spans.writes) {
      if (key[0] !== ADDRESS_KEY) continue;
      accounts.add(toMapKey(key.subarray(...OWN_ADDRESS)));
      if (isObjectGroup(key)) {
        const { owner, metadata } = value === undefined ? {} : objectParties(value);
        if (owner !== undefined) accounts.add(toMapKey(owner));
        if (metadata !== undefined) assets.add(toMapKey(metadata));
      } else {
        const metadata = coinStorePlace(key);
        if (metadata !== undefined) assets.add(coinKey(metadata));
      }
    }
    this.#touched = { accounts, assets };
    return this.#touched;
  }

  get stores(): readonly StoreWrite[] {
    this.#stores ??= this.spans.writes.flatMap(({ key, value }, index): StoreWrite[] => {
      if (key[0] !== ADDRESS_KEY) return [];
      if (isObjectGroup(key)) {
        const { owner, metadata } = value === undefined ? {} : objectParties(value);
        const keyHash = stateKeyHashOfBcs(key);
        return [{ index, keyHash, place: 0, owner, metadata }];
      }
      const metadata = coinStorePlace(key);
      if (metadata === undefined) return [];
      const owner = addressFromBytes(key.subarray(...OWN_ADDRESS));
      return [{ index, keyHash: stateKeyHashOfBcs(key), place: 1, owner, metadata }];
    });
    return this.#stores;
  }
}

/** What a filter is found by, the rarest first. */
const GROUPS = ["sender", "account", "function", "asset", "eventType", "module"] as const;
const ANY = "";

/** A group of values of which every record that a filter chooses has one. */
export function groupOf(filter: RecordFilter): {
  readonly group: string;
  readonly values: readonly string[];
} {
  const group = GROUPS.find((name) => filter[name] !== undefined);
  return group === undefined ? { group: ANY, values: [ANY] } : { group, values: [...(filter[group] ?? [])] };
}

/** The values of a record in a group. */
export function valuesIn(facts: RecordFacts, group: string): Iterable<string> {
  const { called } = facts;
  switch (group) {
    case "sender":
      return facts.sender === undefined ? [] : [facts.sender];
    case "account":
      return facts.touched.accounts;
    case "asset":
      return facts.touched.assets;
    case "function":
      return called === null ? [] : [called.function];
    case "eventType": {
      const names = new Set<string>();
      for (const { full, plain } of facts.eventTypes) names.add(full).add(plain);
      return names;
    }
    case "module":
      return new Set([
        ...(called === null ? [] : [called.module]),
        ...facts.eventTypes.map(({ module }) => module),
      ]);
    default:
      return [ANY];
  }
}

function fits(wanted: AnyOf, found: string | undefined): boolean {
  return wanted === undefined || (found !== undefined && wanted.has(found));
}

function fitsOne(wanted: AnyOf, found: () => ReadonlySet<string>): boolean {
  if (wanted === undefined) return true;
  const all = found();
  for (const one of wanted) if (all.has(one)) return true;
  return false;
}

function fitsType({ eventType }: RecordFilter, { full, plain }: EventType): boolean {
  return eventType === undefined || eventType.has(full) || eventType.has(plain);
}

/** What both kinds of streams ask of a transaction. */
function fitsBoth(filter: RecordFilter, facts: RecordFacts): boolean {
  return (
    (filter.success === undefined || filter.success === facts.isSuccess) &&
    (filter.sender === undefined || fits(filter.sender, facts.sender)) &&
    (filter.function === undefined || fits(filter.function, facts.called?.function)) &&
    fitsOne(filter.account, () => facts.touched.accounts) &&
    fitsOne(filter.asset, () => facts.touched.assets)
  );
}

export function matchesTransaction(filter: RecordFilter, facts: RecordFacts): boolean {
  if (!fitsBoth(filter, facts)) return false;
  if (filter.module !== undefined && !fits(filter.module, facts.called?.module)) return false;
  return filter.eventType === undefined || facts.eventTypes.some((type) => fitsType(filter, type));
}

/** The indexes of the events that a filter asks for. */
export function matchingEvents(filter: RecordFilter, facts: RecordFacts): ReadonlySet<number> {
  const found = new Set<number>();
  if (facts.spans.events.length === 0 || !fitsBoth(filter, facts)) return found;
  for (const [i, type] of facts.eventTypes.entries()) {
    if (fitsType(filter, type) && fits(filter.module, type.module)) found.add(i);
  }
  return found;
}
