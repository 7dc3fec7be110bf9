// A record in JSON, as the reference prints it: what a client sees of a transaction. Values are decoded by the modules as
// of the record's version. Where a value has no JSON form, arguments and events are hex, and changes are left out, as in
// the reference.
import { compareBytes } from "../../base/bytes.ts";
import { hexOfParts, toPrefixedHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { remembered } from "../../base/recent.ts";
import { Slices } from "../../base/wait.ts";
import { type Codec, decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { byteString } from "../../bcs/scalars.ts";
import { readEntries } from "../../bcs/sequences.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { type ContractEvent, contractEventCodec } from "../../ledger/formats/block-event.ts";
import type { RecordSpans } from "../../ledger/formats/record.ts";
import {
  accessPathCodec,
  afterLength,
  stateKeyHashOfBcs,
  TAG_AND_HANDLE,
} from "../../ledger/formats/state-key.ts";
import { type GenesisPayload, transactionCodec } from "../../ledger/formats/transaction.ts";
import { writeSetCodec } from "../../ledger/formats/write-set.ts";
import type { StateTypes } from "../../ledger/items/state-types.ts";
import { type EncodedWrite, readStateWrites, readWrittenData } from "../../ledger/state-writes.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { ModuleId } from "../../move/abi.ts";
import { ADDRESS_LENGTH, formatAddress, formatAddressDigits } from "../../move/address.ts";
import { ModuleError, MoveError } from "../../move/errors.ts";
import type { Layout } from "../../move/layout.ts";
import type { StoredModule } from "../../move/module-cache.ts";
import { formatTypeTag, structTagCodec, type TypeTag, typeTagCodec } from "../../move/type-tag.ts";
import { isLong, ValuePrinter } from "../../move/value-print.ts";
import { replayNonce } from "../../transaction/raw.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import { HttpError } from "../errors.ts";
import { AnswerText, addPieces, type PrintedText } from "./answer-text.ts";
import { blockEndText, blockMetadataMembers, validatorMembers } from "./chain-transactions.ts";
import { KnownTypes, ModulesAt } from "./modules-at.ts";
import { moduleText } from "./move-json.ts";
import { addPayload, PayloadPrinter } from "./payload-json.ts";
import { signatureJson } from "./signature-json.ts";
import { vmStatus } from "./vm-status.ts";

/** Most characters of one transaction. The largest genesis known takes a quarter of it. */
const MAX_CHARACTERS = 64 << 20;

const EVENT_V2_GUID = '{"creation_number":"0","account_address":"0x0"}';

function quote(text: string | bigint): string {
  return typeof text === "bigint" ? `"${text}"` : JSON.stringify(text);
}

/** A type, and what is printed of it. */
interface NamedType {
  readonly type: TypeTag;
  readonly text: string;
  /** The text in JSON. */
  readonly json: string;
}

function nameType(type: TypeTag): NamedType {
  const text = formatTypeTag(type);
  return { type, text, json: JSON.stringify(text) };
}

/** Longer values are printed in pieces. */
const MAX_SHORT_BYTES = 4096;

/** Types of events, and of resources, of which records repeat a few. */
const KEPT_TYPES = { maxBytes: 2 << 20, perByte: 16 } as const;
const namedType = remembered((bytes) => nameType(decodeWith(typeTagCodec, bytes)), KEPT_TYPES);
const namedStruct = remembered(
  (bytes) => nameType({ kind: "struct", struct: decodeWith(structTagCodec, bytes) }),
  KEPT_TYPES,
);

/** Reads with `make` what a codec would decode. */
function spanOf<T>({ minBytes, skip }: Codec<unknown>, make: (bytes: Uint8Array) => T) {
  const read = (reader: BcsReader): T => {
    const start = reader.offset;
    skip(reader);
    return make(reader.span(start));
  };
  return { minBytes, read };
}

const typeSpan = spanOf(typeTagCodec, namedType);
const structSpan = spanOf(structTagCodec, namedStruct);

/** The members of a group, which may be thousands; a last one without a type where the group does not decode. */
function* membersOf(group: Uint8Array): Generator<readonly [type: NamedType | undefined, Uint8Array]> {
  try {
    const reader = new BcsReader(group);
    yield* readEntries(reader, structSpan, byteString);
    reader.finish();
  } catch (error) {
    undecodable(error);
    yield [undefined, group];
  }
}

/** What is at a path of an address; `none` where the path does not decode. */
type Place =
  | { readonly kind: "none" }
  | { readonly kind: "code"; readonly module: ModuleId }
  | ({ readonly kind: "resource" | "resourceGroup" } & NamedType);

const placeOf = remembered((path): Place => {
  const decoded = decodable(() => decodeWith(accessPathCodec, path));
  if (decoded === undefined) return { kind: "none" };
  if (decoded.kind !== "code")
    return { kind: decoded.kind, ...nameType({ kind: "struct", struct: decoded.struct }) };
  return decoded;
}, KEPT_TYPES);

/** The first bytes of keys: of an address, and of a table. */
const [PATH_KEY, TABLE_KEY] = [0, 1];

/** Keys in the order in which the reference lists them: paths and table keys by their bytes, not by their length. */
function compareKeys({ key: a }: EncodedWrite, { key: b }: EncodedWrite): number {
  return (
    compareBytes(a.subarray(0, TAG_AND_HANDLE), b.subarray(0, TAG_AND_HANDLE)) ||
    compareBytes(afterLength(a, TAG_AND_HANDLE), afterLength(b, TAG_AND_HANDLE))
  );
}

const readWrites = (reader: BcsReader): EncodedWrite[] => readStateWrites(reader, undefined, readWrittenData);

/** Prints transactions of one ledger view. Records in the order of their versions share what the modules said. */
export class TransactionPrinter {
  readonly #types: StateTypes;
  readonly #view: LedgerView;
  readonly #known: KnownTypes;
  #values = new ValuePrinter({ enums: "answers", maxCharacters: MAX_CHARACTERS });
  #digits = hexOfParts(new Uint8Array(0));
  #characters = 0;
  /** Printing must not hold the event loop. */
  readonly #slices: Slices;

  /** `known` is of records before. */
  constructor(types: StateTypes, view: LedgerView, slices: Slices = new Slices(), known = new KnownTypes()) {
    this.#slices = slices;
    this.#known = known;
    this.#types = types;
    this.#view = view;
  }

  /**
   * The JSON text of a record; `timestampUsec` is the time of its block. A brief one has no changes and no events. Throws
   * HttpError `unprintable`, and LedgerError.
   */
  async print(record: RecordSpans, timestampUsec: bigint, isBrief = false): Promise<AnswerText> {
    const out = new AnswerText();
    const modules = this.#modulesFor(record);
    const transaction = decodeWith(transactionCodec, record.transaction);
    await this.#slices.pause();
    await this.#info(out.add("{"), record, isBrief ? [] : record.writes, modules);
    const events = isBrief ? [] : record.events;
    const time = `"timestamp":"${timestampUsec}"`;
    switch (transaction.kind) {
      case "user":
        await this.#request(out.add(","), transaction.transaction, modules);
        await this.#events(out.add(',"events":'), events, modules);
        return out.add(`,${time},"type":"user_transaction"}`);
      case "genesis":
        await this.#genesisPayload(out.add(',"payload":'), transaction.payload, record.version, modules);
        await this.#events(out.add(',"events":'), events, modules);
        return out.add(',"type":"genesis_transaction"}');
      case "blockMetadata":
      case "blockMetadataExt": {
        const [before, after] = blockMetadataMembers(transaction);
        await this.#events(out.add(`,${before},"events":`), events, modules);
        return out.add(`,${after},"type":"block_metadata_transaction"}`);
      }
      case "stateCheckpoint":
        return out.add(`,${time},"type":"state_checkpoint_transaction"}`);
      case "blockEpilogue":
        return out.add(
          `,${time},"block_end_info":${blockEndText(transaction.epilogue.endInfo)},"type":"block_epilogue_transaction"}`,
        );
      case "validator":
        await this.#events(out.add(',"events":'), events, modules);
        return out.add(
          `,${time},${validatorMembers(transaction.transaction)},"type":"validator_transaction"}`,
        );
    }
  }

  /** The JSON text of each event of a record. Throws as `print`. */
  async printEventsOf(record: RecordSpans, opening: (index: number) => string): Promise<AnswerText[]> {
    const modules = this.#modulesFor(record);
    const texts: AnswerText[] = [];
    for (const [index, event] of record.events.entries()) {
      const [head, value] = await this.#event(event, modules);
      texts.push(
        new AnswerText()
          .add(`{${opening(index)}${head.slice(1)}`)
          .append(value)
          .add("}"),
      );
      const pausing = this.#slices.pause();
      if (pausing !== undefined) await pausing;
    }
    return texts;
  }

  /** The JSON text of a transaction that waits to be committed. */
  async printPending(transaction: UserTransaction, transactionHash: Uint8Array): Promise<AnswerText> {
    const out = new AnswerText().add(`{"hash":"${toPrefixedHex(transactionHash)}",`);
    this.#begin();
    const modules = new ModulesAt(this.#types, this.#view, this.#view.position.version);
    await this.#request(out, transaction, modules);
    return out.add(',"type":"pending_transaction"}');
  }

  #begin(bytes: Uint8Array = new Uint8Array(0)): void {
    this.#digits = hexOfParts(bytes);
    this.#values = new ValuePrinter({
      ...{ enums: "answers", maxCharacters: MAX_CHARACTERS },
      hexOf: this.#digits,
    });
    this.#characters = 0;
  }

  #hex(bytes: Uint8Array): string {
    return `"0x${this.#digits(bytes)}"`;
  }

  #address(bytes: Uint8Array): string {
    return formatAddressDigits(this.#digits(bytes));
  }

  /** Begins to print a stored record. */
  #modulesFor({ version, writes, bytes }: RecordSpans): ModulesAt {
    this.#begin(bytes);
    this.#known.moveTo(version, writes);
    const { version: head } = this.#view.position;
    return new ModulesAt(this.#types, this.#view, version < head ? version : head, this.#known);
  }

  async #info(
    out: AnswerText,
    { version, info, accumulatorRoot }: RecordSpans,
    writes: readonly EncodedWrite[],
    modules: ModulesAt,
  ): Promise<void> {
    const { stateCheckpointHash, status } = info;
    const members = [
      `"version":"${version}"`,
      `"hash":${this.#hex(info.transactionHash)}`,
      `"state_change_hash":${this.#hex(info.stateChangeHash)}`,
      `"event_root_hash":${this.#hex(info.eventRootHash)}`,
      `"state_checkpoint_hash":${stateCheckpointHash === undefined ? "null" : this.#hex(stateCheckpointHash)}`,
      `"gas_used":"${info.gasUsed}"`,
      `"success":${status.kind === "success"}`,
      `"vm_status":${quote(await vmStatus(status, modules))}`,
      `"accumulator_root_hash":${this.#hex(accumulatorRoot)}`,
      `"changes":`,
    ];
    await this.#changes(out.add(members.join(",")), writes, version, modules);
  }

  async #request(
    out: AnswerText,
    { raw, authenticator }: UserTransaction,
    modules: ModulesAt,
  ): Promise<void> {
    const printer = new PayloadPrinter(modules, (layout, bytes) => this.#value(layout, bytes));
    const nonce = replayNonce(raw.payload);
    const members = [
      `"sender":"${this.#address(raw.sender)}"`,
      `"sequence_number":"${raw.sequenceNumber}"`,
      `"max_gas_amount":"${raw.maxGasAmount}"`,
      `"gas_unit_price":"${raw.gasUnitPrice}"`,
      `"expiration_timestamp_secs":"${raw.expirationTimestampSecs}"`,
      `"payload":`,
    ];
    addPayload(out.add(members.join(",")), await printer.print(raw.payload));
    const signature = JSON.stringify(signatureJson(authenticator));
    out.add(
      `,"signature":${signature},"replay_protection_nonce":${nonce === undefined ? "null" : quote(nonce)}`,
    );
  }

  async #genesisPayload(
    out: AnswerText,
    payload: GenesisPayload,
    version: bigint,
    modules: ModulesAt,
  ): Promise<void> {
    out.add('{"write_set":');
    if (payload.kind === "direct") {
      const writes = readWrites(new BcsReader(encodeWith(writeSetCodec, payload.writeSet)));
      await this.#changes(out.add('{"changes":'), writes, version, modules);
      await this.#events(out.add(',"events":'), payload.events.map(encodeEvent), modules);
      out.add(',"type":"direct_write_set"}');
    } else {
      const printer = new PayloadPrinter(modules, (layout, bytes) => this.#value(layout, bytes));
      const { type: _, ...script } = await printer.script(payload.script);
      addPayload(out.add(`{"execute_as":"${formatAddress(payload.runAs)}","script":`), script);
      out.add(',"type":"script_write_set"}');
    }
    out.add(',"type":"write_set_payload"}');
  }

  /** A JSON array of the events of some versions, each with its version. */
  async printEvents(
    versions: readonly (readonly [version: bigint, events: readonly ContractEvent[]])[],
  ): Promise<AnswerText> {
    const out = new AnswerText();
    this.#begin();
    const list = new ListText(out);
    for (const [version, events] of versions) {
      const modules = new ModulesAt(this.#types, this.#view, version);
      await this.#addEvents(list, events.map(encodeEvent), modules, `"version":"${version}",`);
    }
    list.end();
    return out;
  }

  async #events(out: AnswerText, events: readonly Uint8Array[], modules: ModulesAt): Promise<void> {
    const list = new ListText(out);
    await this.#addEvents(list, events, modules);
    list.end();
  }

  async #addEvents(
    list: ListText,
    events: readonly Uint8Array[],
    modules: ModulesAt,
    first = "",
  ): Promise<void> {
    for (const event of events) {
      const [head, value] = await this.#event(event, modules, first);
      await this.#add(list, head, value, "}");
    }
  }

  /** An event up to its data, and its data. */
  async #event(event: Uint8Array, modules: ModulesAt, first = ""): Promise<readonly [string, PrintedText]> {
    const reader = new BcsReader(event);
    let [guid, sequenceNumber] = [EVENT_V2_GUID, 0n];
    if (reader.u8() === 0) {
      guid = `{"creation_number":"${reader.u64()}","account_address":"${this.#address(reader.fixed(ADDRESS_LENGTH))}"}`;
      sequenceNumber = reader.u64();
    }
    const type = typeSpan.read(reader);
    const data = reader.byteString();
    const typed = this.#typed(type, data, modules);
    const value = (typed instanceof Promise ? await typed : typed) ?? this.#hex(data);
    return [
      `{${first}"guid":${guid},"sequence_number":"${sequenceNumber}","type":${type.json},"data":`,
      value,
    ];
  }

  async #changes(
    out: AnswerText,
    writes: readonly EncodedWrite[],
    version: bigint,
    modules: ModulesAt,
  ): Promise<void> {
    const list = new ListText(out);
    const printed = writes.filter(({ key }) => key[0] === PATH_KEY || key[0] === TABLE_KEY);
    for (const { key, value } of printed.sort(compareKeys)) {
      const owner = key.subarray(1, TAG_AND_HANDLE);
      const tail = afterLength(key, TAG_AND_HANDLE);
      const hash = `"state_key_hash":${this.#hex(stateKeyHashOfBcs(key))}`;
      if (key[0] === TABLE_KEY) {
        const item = `${hash},"handle":${this.#hex(owner)},"key":${this.#hex(tail)}`;
        // The types of a table are known to an index of the reference only.
        if (value === undefined) await this.#add(list, `{${item},"data":null,"type":"delete_table_item"}`);
        else
          await this.#add(
            list,
            `{${item},"value":${this.#hex(value)},"data":null,"type":"write_table_item"}`,
          );
        continue;
      }
      const place = placeOf(tail);
      if (place.kind === "none") continue;
      const at = `"address":"${this.#address(owner)}",${hash}`;
      if (value === undefined) await this.#add(list, deletionText(place, at));
      else if (place.kind === "code") {
        const module = await this.#module(place.module, { version, bytes: value });
        if (module !== undefined) await this.#add(list, `{${at},"data":`, module, ',"type":"write_module"}');
      } else {
        const resources = await this.#resources(place, at, value, modules);
        if (resources.length > 0) await this.#add(list, "", resources);
      }
    }
    list.end();
  }

  /** The JSON text of a module; undefined where it does not decode. */
  async #module(module: ModuleId, stored: StoredModule): Promise<AnswerText | undefined> {
    try {
      return await addPieces(new AnswerText(), moduleText(this.#types, module, stored), this.#slices);
    } catch (error) {
      return undecodable(error);
    }
  }

  /**
   * The JSON texts of the resources in an item, with commas between them; none where one of them does not decode. Of a
   * group with thousands of members only the text is kept: whatever lives on is moved by collections of garbage.
   */
  async #resources(
    place: Exclude<Place, { kind: "none" | "code" }>,
    at: string,
    data: Uint8Array,
    modules: ModulesAt,
  ): Promise<AnswerText> {
    const out = new AnswerText();
    const members = place.kind === "resource" ? [[place, data] as const] : membersOf(data);
    for (const [type, bytes] of members) {
      const typed = type && this.#typed(type, bytes, modules);
      const value = typed instanceof Promise ? await typed : typed;
      if (type === undefined || value === undefined) return new AnswerText();
      if (out.length > 0) out.add(",");
      out.add(`{${at},"data":{"type":${type.json},"data":`).append(value).add('},"type":"write_resource"}');
      const pausing = this.#slices.pause();
      if (pausing !== undefined) await pausing;
    }
    return out;
  }

  /** The JSON text of a value of a type; undefined where it does not decode. */
  #typed(
    { type, text }: NamedType,
    bytes: Uint8Array,
    modules: ModulesAt,
  ): MaybePromise<PrintedText | undefined> {
    try {
      const layout = modules.layoutOf(type, text);
      if (!(layout instanceof Promise)) return this.#value(layout, bytes);
      return layout.then((loaded) => this.#value(loaded, bytes), untyped);
    } catch (error) {
      return untyped(error);
    }
  }

  /** The JSON text of a value; undefined for bytes that are none of the layout. */
  #value(layout: Layout, bytes: Uint8Array): MaybePromise<PrintedText | undefined> {
    const reader = new BcsReader(bytes);
    if (bytes.length > MAX_SHORT_BYTES || isLong(layout)) return this.#longValue(reader, layout);
    return decodable(() => {
      const text = this.#values.text(reader, layout);
      reader.finish();
      return text;
    });
  }

  async #longValue(reader: BcsReader, layout: Layout): Promise<AnswerText | undefined> {
    try {
      const text = await addPieces(new AnswerText(), this.#values.pieces(reader, layout), this.#slices);
      reader.finish();
      return text;
    } catch (error) {
      return undecodable(error);
    }
  }

  #add(list: ListText, head: string, value: PrintedText = "", tail = ""): MaybePromise<void> {
    this.#characters += head.length + value.length + tail.length;
    if (this.#characters > MAX_CHARACTERS) throw tooLarge();
    list.next().add(head).append(value).add(tail);
    return this.#slices.pause();
  }
}

/** A JSON array that grows. */
class ListText {
  readonly #out: AnswerText;
  #isEmpty = true;

  constructor(out: AnswerText) {
    this.#out = out.add("[");
  }

  /** Where the next item goes. */
  next(): AnswerText {
    if (!this.#isEmpty) this.#out.add(",");
    this.#isEmpty = false;
    return this.#out;
  }

  end(): void {
    this.#out.add("]");
  }
}

const encodeEvent = (event: ContractEvent): Uint8Array => encodeWith(contractEventCodec, event);

/** Throws what does not mean that a type has no layout. */
function untyped(error: unknown): undefined {
  if (error instanceof MoveError || error instanceof ModuleError) return undefined;
  throw error;
}

function tooLarge(cause?: unknown): HttpError {
  const message = `the transaction is too large to print: over ${MAX_CHARACTERS} characters, or nested too deep`;
  return new HttpError("unprintable", message, { cause });
}

/** What was read; undefined for bytes that are no value of their type. A value that is too large or too deep is an error. */
function decodable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return undecodable(error);
  }
}

/** Throws what does not mean that bytes are no value of their type. */
function undecodable(error: unknown): undefined {
  if (error instanceof MoveError && error.code === "value") throw tooLarge(error);
  const isCorrupt = error instanceof LedgerError && error.code === "corrupt";
  if (error instanceof BcsError || error instanceof MoveError || isCorrupt) return undefined;
  throw error;
}

function deletionText(place: Exclude<Place, { kind: "none" }>, at: string): string {
  if (place.kind !== "code") return `{${at},"resource":${place.json},"type":"delete_resource"}`;
  const module = `${formatAddress(place.module.address)}::${place.module.name}`;
  return `{${at},"module":${quote(module)},"type":"delete_module"}`;
}
