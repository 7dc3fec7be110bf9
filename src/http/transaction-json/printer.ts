// A record in JSON, as the reference prints it: what a client sees of a transaction. Values are decoded by the modules as
// of the record's version. Where a value has no JSON form, arguments and events are hex, and changes are left out, as in
// the reference.
import { compareBytes } from "../../base/bytes.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { nextTurn } from "../../base/turns.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { ContractEvent } from "../../ledger/event.ts";
import { type LedgerRecord, recordCodec } from "../../ledger/record.ts";
import { resourceGroupCodec } from "../../ledger/resources.ts";
import { type AccessPath, accessPathCodec, type StateKey, stateKeyHash } from "../../ledger/state-key.ts";
import type { StateTypes } from "../../ledger/state-types.ts";
import type { GenesisPayload } from "../../ledger/transaction.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { type WriteSet, writtenValue } from "../../ledger/write-set.ts";
import { formatAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import type { Layout } from "../../move/layout.ts";
import { formatStructTag, formatTypeTag, type StructTag, type TypeTag } from "../../move/type-tag.ts";
import { type JsonValue, ValuePrinter } from "../../move/value-print.ts";
import { replayNonce } from "../../transaction/payload.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import { HttpError } from "../errors.ts";
import { moduleText, resourceText } from "../move-json.ts";
import { blockEndText, blockMetadataMembers, validatorMembers } from "./chain-transactions.ts";
import { ModulesAt } from "./modules-at.ts";
import { PayloadPrinter } from "./payload-json.ts";
import { signatureJson } from "./signature-json.ts";
import { vmStatus } from "./vm-status.ts";

/** Most characters of one transaction. The largest genesis known takes a quarter of it. */
const MAX_CHARACTERS = 64 << 20;
/** Printing yields the event loop after about this many characters. */
const SLICE_CHARACTERS = 128 << 10;

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
  #sliced = 0;

  constructor(types: StateTypes, view: LedgerView) {
    this.#types = types;
    this.#view = view;
  }

  /** The JSON text of a record; `timestampUsec` is the time of its block. Throws HttpError `unprintable`, and LedgerError. */
  async print(bytes: Uint8Array, timestampUsec: bigint): Promise<string> {
    const record = decodeRecordFully(bytes);
    this.#begin();
    const modules = this.#modulesFor(record);
    const { transaction } = record;
    const info = await this.#info(record, modules);
    const time = `"timestamp":"${timestampUsec}"`;
    switch (transaction.kind) {
      case "user": {
        const request = await this.#request(transaction.transaction, modules);
        const events = await this.#events(record.events, modules);
        return `{${info},${request},"events":${events},${time},"type":"user_transaction"}`;
      }
      case "genesis": {
        const payload = await this.#genesisPayload(transaction.payload, record.version, modules);
        const events = await this.#events(record.events, modules);
        return `{${info},"payload":${payload},"events":${events},"type":"genesis_transaction"}`;
      }
      case "blockMetadata":
      case "blockMetadataExt": {
        const events = await this.#events(record.events, modules);
        const members = blockMetadataMembers(transaction, events);
        return `{${info},${members},"type":"block_metadata_transaction"}`;
      }
      case "stateCheckpoint":
        return `{${info},${time},"type":"state_checkpoint_transaction"}`;
      case "blockEpilogue": {
        const end = blockEndText(transaction.epilogue.endInfo);
        return `{${info},${time},"block_end_info":${end},"type":"block_epilogue_transaction"}`;
      }
      case "validator": {
        const events = await this.#events(record.events, modules);
        const members = validatorMembers(transaction.transaction);
        return `{${info},"events":${events},${time},${members},"type":"validator_transaction"}`;
      }
    }
  }

  /** The JSON text of a transaction that waits to be committed. */
  async printPending(transaction: UserTransaction, transactionHash: Uint8Array): Promise<string> {
    this.#begin();
    const modules = new ModulesAt(this.#types, this.#view, this.#view.position.version);
    const request = await this.#request(transaction, modules);
    return `{"hash":${hex(transactionHash)},${request},"type":"pending_transaction"}`;
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
    { version, info, accumulatorRoot, changes }: LedgerRecord,
    modules: ModulesAt,
  ): Promise<string> {
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
      `"changes":${await this.#changes(changes, version, modules)}`,
    ];
    return members.join(",");
  }

  async #request({ raw, authenticator }: UserTransaction, modules: ModulesAt): Promise<string> {
    const printer = new PayloadPrinter(modules, (layout, bytes) => this.#value(layout, bytes));
    const payload = await printer.print(raw.payload);
    const nonce = replayNonce(raw.payload);
    const members = [
      `"sender":"${formatAddress(raw.sender)}"`,
      `"sequence_number":"${raw.sequenceNumber}"`,
      `"max_gas_amount":"${raw.maxGasAmount}"`,
      `"gas_unit_price":"${raw.gasUnitPrice}"`,
      `"expiration_timestamp_secs":"${raw.expirationTimestampSecs}"`,
      `"payload":${JSON.stringify(payload)}`,
      `"signature":${JSON.stringify(signatureJson(authenticator))}`,
      `"replay_protection_nonce":${nonce === undefined ? "null" : quote(nonce)}`,
    ];
    return members.join(",");
  }

  async #genesisPayload(payload: GenesisPayload, version: bigint, modules: ModulesAt): Promise<string> {
    let writeSet: string;
    if (payload.kind === "direct") {
      const changes = await this.#changes(payload.writeSet, version, modules);
      const events = await this.#events(payload.events, modules);
      writeSet = `{"changes":${changes},"events":${events},"type":"direct_write_set"}`;
    } else {
      const printer = new PayloadPrinter(modules, (layout, bytes) => this.#value(layout, bytes));
      const { type: _, ...script } = await printer.script(payload.script);
      const executeAs = formatAddress(payload.runAs);
      writeSet = `{"execute_as":"${executeAs}","script":${JSON.stringify(script)},"type":"script_write_set"}`;
    }
    return `{"write_set":${writeSet},"type":"write_set_payload"}`;
  }

  async #events(events: readonly ContractEvent[], modules: ModulesAt): Promise<string> {
    const texts: string[] = [];
    for (const event of events) {
      const type = formatTypeTag(event.type);
      const value = (await this.#typed(event.type, type, event.data, modules)) ?? toPrefixedHex(event.data);
      const guid =
        event.kind === "v2"
          ? EVENT_V2_GUID
          : `{"creation_number":"${event.creationNumber}","account_address":"${formatAddress(event.account)}"}`;
      const sequenceNumber = event.kind === "v2" ? 0n : event.sequenceNumber;
      await this.#add(
        texts,
        `{"guid":${guid},"sequence_number":"${sequenceNumber}","type":${quote(type)},"data":${JSON.stringify(value)}}`,
      );
    }
    return `[${texts.join(",")}]`;
  }

  async #changes({ writes }: WriteSet, version: bigint, modules: ModulesAt): Promise<string> {
    const texts: string[] = [];
    for (const [key, op] of writes.toSorted(([a], [b]) => compareKeys(a, b))) {
      const data = writtenValue(op)?.data;
      const hash = hex(stateKeyHash(key));
      if (key.kind === "tableItem") await this.#add(texts, tableItemText(key.handle, key.key, data, hash));
      else if (key.kind === "accessPath") {
        const path = decodable(() => decodeWith(accessPathCodec, key.path));
        if (path === undefined) continue;
        const at = `"address":"${formatAddress(key.address)}","state_key_hash":${hash}`;
        if (data === undefined) await this.#add(texts, deletionText(path, at));
        else if (path.kind === "code") {
          const module = decodable(() => moduleText(this.#types, path.module, { version, bytes: data }));
          if (module !== undefined) await this.#add(texts, `{${at},"data":${module},"type":"write_module"}`);
        } else
          for (const resource of await this.#resources(path, data, modules)) {
            await this.#add(texts, `{${at},"data":${resource},"type":"write_resource"}`);
          }
      }
    }
    return `[${texts.join(",")}]`;
  }

  /** The JSON of the resources in an item; none where one of them does not decode. */
  async #resources(
    path: Exclude<AccessPath, { kind: "code" }>,
    data: Uint8Array,
    modules: ModulesAt,
  ): Promise<readonly string[]> {
    const members: readonly (readonly [StructTag, Uint8Array])[] | undefined =
      path.kind === "resource"
        ? [[path.struct, data]]
        : decodable(() => decodeWith(resourceGroupCodec, data));
    const texts: string[] = [];
    for (const [struct, bytes] of members ?? []) {
      const type = formatStructTag(struct);
      const value = await this.#typed({ kind: "struct", struct }, type, bytes, modules);
      if (value === undefined) return [];
      texts.push(resourceText(type, value));
    }
    return texts;
  }

  /** The JSON of a value of a type; undefined where it does not decode. */
  async #typed(
    type: TypeTag,
    text: string,
    bytes: Uint8Array,
    modules: ModulesAt,
  ): Promise<JsonValue | undefined> {
    let layout: Layout;
    try {
      layout = await modules.layoutOf(type, text);
    } catch (error) {
      if (error instanceof MoveError) return undefined;
      throw error;
    }
    return this.#value(layout, bytes);
  }

  #value(layout: Layout, bytes: Uint8Array): JsonValue | undefined {
    return decodable(() => {
      const reader = new BcsReader(bytes);
      const value = this.#values.read(reader, layout);
      reader.finish();
      return value;
    });
  }

  async #add(texts: string[], text: string): Promise<void> {
    texts.push(text);
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw tooLarge();
    this.#sliced += text.length;
    if (this.#sliced < SLICE_CHARACTERS) return;
    this.#sliced = 0;
    await nextTurn();
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
    if (error instanceof MoveError && error.code === "value") throw tooLarge(error);
    const isCorrupt = error instanceof LedgerError && error.code === "corrupt";
    if (error instanceof BcsError || error instanceof MoveError || isCorrupt) return undefined;
    throw error;
  }
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
