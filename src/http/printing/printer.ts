// A record in JSON, as the reference prints it: what a client sees of a transaction. Values are decoded by the modules as
// of the record's version. Where a value has no JSON form, arguments and events are hex, and changes are left out, as in
// the reference.
import { compareBytes } from "../../base/bytes.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { Slices } from "../../base/wait.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { ContractEvent } from "../../ledger/formats/event.ts";
import { type LedgerRecord, recordCodec } from "../../ledger/formats/record.ts";
import {
  type AccessPath,
  accessPathCodec,
  type StateKey,
  stateKeyHash,
} from "../../ledger/formats/state-key.ts";
import type { GenesisPayload } from "../../ledger/formats/transaction.ts";
import { type WriteSet, writtenValue } from "../../ledger/formats/write-set.ts";
import { type ResourceGroup, readGroup } from "../../ledger/items/resources.ts";
import type { StateTypes } from "../../ledger/items/state-types.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { ModuleId } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import { ModuleError, MoveError } from "../../move/errors.ts";
import type { Layout } from "../../move/layout.ts";
import type { StoredModule } from "../../move/module-cache.ts";
import { formatStructTag, formatTypeTag, type TypeTag } from "../../move/type-tag.ts";
import { ValuePrinter } from "../../move/value-print.ts";
import { replayNonce } from "../../transaction/payload.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import { HttpError } from "../errors.ts";
import { AnswerText, addPieces } from "./answer-text.ts";
import { blockEndText, blockMetadataMembers, validatorMembers } from "./chain-transactions.ts";
import { ModulesAt } from "./modules-at.ts";
import { moduleText, resourceText } from "./move-json.ts";
import { addPayload, PayloadPrinter } from "./payload-json.ts";
import { signatureJson } from "./signature-json.ts";
import { vmStatus } from "./vm-status.ts";

/** Most characters of one transaction. The largest genesis known takes a quarter of it. */
const MAX_CHARACTERS = 64 << 20;

const NO_TEXT = new AnswerText();
const EVENT_V2_GUID = '{"creation_number":"0","account_address":"0x0"}';

function quote(text: string | bigint): string {
  return typeof text === "bigint" ? `"${text}"` : JSON.stringify(text);
}

function hex(bytes: Uint8Array): string {
  return `"${toPrefixedHex(bytes)}"`;
}

/** Keys in the order in which the reference lists them: paths and table keys by their bytes, not by their length. */
function compareKeys(a: StateKey, b: StateKey): number {
  if (a.kind === "accessPath" && b.kind === "accessPath") {
    return compareBytes(a.address, b.address) || compareBytes(a.path, b.path);
  }
  if (a.kind === "tableItem" && b.kind === "tableItem") {
    return compareBytes(a.handle, b.handle) || compareBytes(a.key, b.key);
  }
  return 0;
}

function writesCode({ writes }: WriteSet): boolean {
  return writes.some(([key]) => key.kind === "accessPath" && key.path[0] === 0);
}

/** Prints transactions of one ledger view. Records in the order of their versions share what the modules said. */
export class TransactionPrinter {
  readonly #types: StateTypes;
  readonly #view: LedgerView;
  #modules: ModulesAt | undefined;
  #next = -1n;
  #values = createValues();
  #characters = 0;
  /** Printing must not hold the event loop. */
  readonly #slices: Slices;

  constructor(types: StateTypes, view: LedgerView, slices: Slices = new Slices()) {
    this.#slices = slices;
    this.#types = types;
    this.#view = view;
  }

  /** The JSON text of a record; `timestampUsec` is the time of its block. Throws HttpError `unprintable`, and LedgerError. */
  async print(bytes: Uint8Array, timestampUsec: bigint): Promise<AnswerText> {
    const out = new AnswerText();
    const record = decodeRecordFully(bytes);
    await this.#slices.pause();
    this.#begin();
    const modules = this.#modulesFor(record);
    const { transaction } = record;
    await this.#info(out.add("{"), record, modules);
    const time = `"timestamp":"${timestampUsec}"`;
    switch (transaction.kind) {
      case "user":
        await this.#request(out.add(","), transaction.transaction, modules);
        await this.#events(out.add(',"events":'), record.events, modules);
        return out.add(`,${time},"type":"user_transaction"}`);
      case "genesis":
        await this.#genesisPayload(out.add(',"payload":'), transaction.payload, record.version, modules);
        await this.#events(out.add(',"events":'), record.events, modules);
        return out.add(',"type":"genesis_transaction"}');
      case "blockMetadata":
      case "blockMetadataExt": {
        const [before, after] = blockMetadataMembers(transaction);
        await this.#events(out.add(`,${before},"events":`), record.events, modules);
        return out.add(`,${after},"type":"block_metadata_transaction"}`);
      }
      case "stateCheckpoint":
        return out.add(`,${time},"type":"state_checkpoint_transaction"}`);
      case "blockEpilogue":
        return out.add(
          `,${time},"block_end_info":${blockEndText(transaction.epilogue.endInfo)},"type":"block_epilogue_transaction"}`,
        );
      case "validator":
        await this.#events(out.add(',"events":'), record.events, modules);
        return out.add(
          `,${time},${validatorMembers(transaction.transaction)},"type":"validator_transaction"}`,
        );
    }
  }

  /** The JSON text of each event of a record. Throws as `print`. */
  async printEventsOf(bytes: Uint8Array): Promise<readonly AnswerText[]> {
    const record = decodeRecordFully(bytes);
    this.#begin();
    const modules = this.#modulesFor(record);
    const texts: AnswerText[] = [];
    for (const event of record.events) {
      const [head, value] = await this.#event(event, modules);
      texts.push(new AnswerText().add(head).append(value).add("}"));
      await this.#slices.pause();
    }
    return texts;
  }

  /** The JSON text of a transaction that waits to be committed. */
  async printPending(transaction: UserTransaction, transactionHash: Uint8Array): Promise<AnswerText> {
    const out = new AnswerText().add(`{"hash":${hex(transactionHash)},`);
    this.#begin();
    const modules = new ModulesAt(this.#types, this.#view, this.#view.position.version);
    await this.#request(out, transaction, modules);
    return out.add(',"type":"pending_transaction"}');
  }

  #begin(): void {
    this.#values = createValues();
    this.#characters = 0;
  }

  /** Between records that write no code, the modules stay the same. */
  #modulesFor({ version, changes }: LedgerRecord): ModulesAt {
    const known = this.#next === version && !writesCode(changes) ? this.#modules : undefined;
    const { version: head } = this.#view.position;
    const modules = known ?? new ModulesAt(this.#types, this.#view, version < head ? version : head);
    this.#modules = modules;
    this.#next = version + 1n;
    return modules;
  }

  async #info(
    out: AnswerText,
    { version, info, accumulatorRoot, changes }: LedgerRecord,
    modules: ModulesAt,
  ): Promise<void> {
    const { stateCheckpointHash, status } = info;
    const members = [
      `"version":"${version}"`,
      `"hash":${hex(info.transactionHash)}`,
      `"state_change_hash":${hex(info.stateChangeHash)}`,
      `"event_root_hash":${hex(info.eventRootHash)}`,
      `"state_checkpoint_hash":${stateCheckpointHash === undefined ? "null" : hex(stateCheckpointHash)}`,
      `"gas_used":"${info.gasUsed}"`,
      `"success":${status.kind === "success"}`,
      `"vm_status":${quote(await vmStatus(status, modules))}`,
      `"accumulator_root_hash":${hex(accumulatorRoot)}`,
      `"changes":`,
    ];
    await this.#changes(out.add(members.join(",")), changes, version, modules);
  }

  async #request(
    out: AnswerText,
    { raw, authenticator }: UserTransaction,
    modules: ModulesAt,
  ): Promise<void> {
    const printer = new PayloadPrinter(modules, (layout, bytes) => this.#value(layout, bytes));
    const nonce = replayNonce(raw.payload);
    const members = [
      `"sender":"${formatAddress(raw.sender)}"`,
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
      await this.#changes(out.add('{"changes":'), payload.writeSet, version, modules);
      await this.#events(out.add(',"events":'), payload.events, modules);
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
      await this.#addEvents(list, events, modules, `"version":"${version}",`);
    }
    list.end();
    return out;
  }

  async #events(out: AnswerText, events: readonly ContractEvent[], modules: ModulesAt): Promise<void> {
    const list = new ListText(out);
    await this.#addEvents(list, events, modules);
    list.end();
  }

  async #addEvents(
    list: ListText,
    events: readonly ContractEvent[],
    modules: ModulesAt,
    first = "",
  ): Promise<void> {
    for (const event of events) {
      const [head, value] = await this.#event(event, modules, first);
      await this.#add(list, head, value, "}");
    }
  }

  /** An event up to its data, and its data. */
  async #event(event: ContractEvent, modules: ModulesAt, first = ""): Promise<readonly [string, AnswerText]> {
    const type = formatTypeTag(event.type);
    const value =
      (await this.#typed(event.type, type, event.data, modules)) ?? new AnswerText().add(hex(event.data));
    const guid =
      event.kind === "v2"
        ? EVENT_V2_GUID
        : `{"creation_number":"${event.creationNumber}","account_address":"${formatAddress(event.account)}"}`;
    const sequenceNumber = event.kind === "v2" ? 0n : event.sequenceNumber;
    return [
      `{${first}"guid":${guid},"sequence_number":"${sequenceNumber}","type":${quote(type)},"data":`,
      value,
    ];
  }

  async #changes(out: AnswerText, { writes }: WriteSet, version: bigint, modules: ModulesAt): Promise<void> {
    const list = new ListText(out);
    for (const [key, op] of writes.toSorted(([a], [b]) => compareKeys(a, b))) {
      await this.#slices.pause();
      const data = writtenValue(op)?.data;
      const hash = hex(stateKeyHash(key));
      if (key.kind === "tableItem") await this.#add(list, tableItemText(key.handle, key.key, data, hash));
      else if (key.kind === "accessPath") {
        const path = decodable(() => decodeWith(accessPathCodec, key.path));
        if (path === undefined) continue;
        const at = `"address":"${formatAddress(key.address)}","state_key_hash":${hash}`;
        if (data === undefined) await this.#add(list, deletionText(path, at));
        else if (path.kind === "code") {
          const module = await this.#module(path.module, { version, bytes: data });
          if (module !== undefined)
            await this.#add(list, `{${at},"data":`, module, ',"type":"write_module"}');
        } else
          for (const resource of await this.#resources(path, data, modules)) {
            await this.#add(list, `{${at},"data":`, resource, ',"type":"write_resource"}');
          }
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

  /** The JSON of the resources in an item; none where one of them does not decode. */
  async #resources(
    path: Exclude<AccessPath, { kind: "code" }>,
    data: Uint8Array,
    modules: ModulesAt,
  ): Promise<readonly AnswerText[]> {
    const members = path.kind === "resource" ? [[path.struct, data] as const] : await this.#group(data);
    const texts: AnswerText[] = [];
    for (const [struct, bytes] of members ?? []) {
      const type = formatStructTag(struct);
      const value = await this.#typed({ kind: "struct", struct }, type, bytes, modules);
      if (value === undefined) return [];
      texts.push(resourceText(type, value));
      await this.#slices.pause();
    }
    return texts;
  }

  async #group(data: Uint8Array): Promise<ResourceGroup | undefined> {
    try {
      return await readGroup(data, this.#slices);
    } catch (error) {
      return undecodable(error);
    }
  }

  /** The JSON text of a value of a type; undefined where it does not decode. */
  async #typed(
    type: TypeTag,
    text: string,
    bytes: Uint8Array,
    modules: ModulesAt,
  ): Promise<AnswerText | undefined> {
    let layout: Layout;
    try {
      layout = await modules.layoutOf(type, text);
    } catch (error) {
      if (error instanceof MoveError || error instanceof ModuleError) return undefined;
      throw error;
    }
    return this.#value(layout, bytes);
  }

  /** The JSON text of a value; undefined for bytes that are none of the layout. */
  async #value(layout: Layout, bytes: Uint8Array): Promise<AnswerText | undefined> {
    try {
      const reader = new BcsReader(bytes);
      const text = await addPieces(new AnswerText(), this.#values.pieces(reader, layout), this.#slices);
      reader.finish();
      return text;
    } catch (error) {
      return undecodable(error);
    }
  }

  async #add(list: ListText, head: string, value = NO_TEXT, tail = ""): Promise<void> {
    this.#characters += head.length + value.length + tail.length;
    if (this.#characters > MAX_CHARACTERS) throw tooLarge();
    list.next().add(head).append(value).add(tail);
    await this.#slices.pause();
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

function createValues(): ValuePrinter {
  return new ValuePrinter({ enums: "answers", maxCharacters: MAX_CHARACTERS });
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

function tableItemText(
  handle: Uint8Array,
  key: Uint8Array,
  value: Uint8Array | undefined,
  hash: string,
): string {
  const item = `"state_key_hash":${hash},"handle":${hex(handle)},"key":${hex(key)}`;
  // The types of a table are known to an index of the reference only.
  return value === undefined
    ? `{${item},"data":null,"type":"delete_table_item"}`
    : `{${item},"value":${hex(value)},"data":null,"type":"write_table_item"}`;
}

function deletionText(path: AccessPath, at: string): string {
  if (path.kind !== "code") {
    return `{${at},"resource":${quote(formatStructTag(path.struct))},"type":"delete_resource"}`;
  }
  const module = `${formatAddress(path.module.address)}::${path.module.name}`;
  return `{${at},"module":${quote(module)},"type":"delete_module"}`;
}

function decodeRecordFully(bytes: Uint8Array): LedgerRecord {
  try {
    return decodeWith(recordCodec, bytes);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new LedgerError("corrupt", `stored record does not decode: ${error.message}`, { cause: error });
  }
}
