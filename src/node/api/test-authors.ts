// For authors of tests: changes of a local chain that no account signs, its clock, and snapshots of it. Every change is a
// transaction in a block like any other, so a follower of the chain verifies it.

import { CodedError, ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { nextTurn } from "../../base/wait.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import {
  type AuthoredChange,
  MAX_ITEM_BYTES,
  moduleNameOf,
  publishModule,
  putTableItem,
  setBalance,
  setResource,
} from "../../chain/authoring.ts";
import { toBytes, toText, toUsec } from "../../http/calls/operands.ts";
import { knownOptions, type OptionNames, typeName } from "../../http/calls/options.ts";
import type { TableItemQuery } from "../../http/operations/get-table-item.ts";
import { ModulesAt } from "../../http/printing/modules-at.ts";
import { vmStatus } from "../../http/printing/vm-status.ts";
import { MAX_STATE_BYTES } from "../../http/services.ts";
import { parseJson } from "../../json/parse.ts";
import { withAccumulatorRoot } from "../../ledger/formats/record.ts";
import type { ExecutionStatus } from "../../ledger/formats/transaction-info.ts";
import { readAccount } from "../../ledger/items/account.ts";
import { StateTypes } from "../../ledger/items/state-types.ts";
import type { LedgerPosition, LedgerView } from "../../ledger/view.ts";
import { historyHashOf } from "../../ledger/watch/event-id.ts";
import { type Address, formatAddressLong, parseAddress } from "../../move/address.ts";
import { ModuleCache } from "../../move/module-cache.ts";
import { formatStructTag, formatTypeTag, type StructTag, type TypeTag } from "../../move/type-tag.ts";
import { parseTypeTag } from "../../move/type-text.ts";
import { writeJsonValue } from "../../move/value-json.ts";
import type { BlockMaker } from "../block-maker.ts";
import type { ChainCopy, LedgerWriter } from "../ledger-writer.ts";
import type { SubmissionService } from "../submissions/submission-service.ts";
import type { CallArguments } from "./call-arguments.ts";
import { toAmount } from "./first-accounts.ts";
import { type ImpersonatedCall, type ImpersonatedResult, toJson } from "./impersonation.ts";
import { type LedgerInfo, toLedgerInfo } from "./reader.ts";

/** A transaction that a change made. */
export interface Authored {
  readonly version: bigint;
  /** In hex, with 0x. */
  readonly hash: string;
}

/** Code that is published now. */
export interface Published extends Authored {
  /** Their names, such as `0x1::coin`. */
  readonly modules: readonly string[];
}

/** The types of a table's keys and values, such as `u64`. */
export type TableTypes = Pick<TableItemQuery, "keyType" | "valueType">;

const TABLE_TYPE_NAMES: OptionNames<TableTypes> = { keyType: true, valueType: true };

/** A local chain as it was: see `snapshot`. */
export interface ChainSnapshot {
  readonly version: bigint;
  readonly timestampUsec: bigint;
  /** About what it keeps in memory beside the ledger and the snapshot before it. */
  readonly bytes: number;
}

/** What an author of tests does with a local chain. On any other node these calls reject with code `config`. */
export interface ChainAuthoring {
  /**
   * Mints the native coin for an account, which is created if it is missing, in a block made now. Resolves when that is
   * committed.
   */
  fund(address: string, amount: bigint): Promise<Authored>;
  /** Sets what an account holds of an asset, and changes its supply by the difference. */
  setBalance(address: string, asset: string, amount: bigint): Promise<Authored>;
  /**
   * Calls an entry function as any account, without that account's signature and without gas, in a block made now.
   * Resolves when that is committed, also if the function aborted.
   */
  impersonate(address: string, call: ImpersonatedCall): Promise<ImpersonatedResult>;
  /**
   * Writes a resource of an account: an object in the JSON forms of the API, or its BCS as bytes or as hex with 0x. Undefined
   * removes it.
   */
  setResource(
    address: string,
    type: string,
    data: object | string | Uint8Array | undefined,
  ): Promise<Authored>;
  /**
   * Writes an item of a table; undefined removes it. Key and value are BCS, as bytes or in hex, or, with their types, in the
   * JSON forms of the API.
   */
  putTableItem(handle: string, key: unknown, value: unknown, types?: TableTypes): Promise<Authored>;
  /**
   * Publishes the bytecode of a module, given as bytes or as hex with 0x, at the address that it names, or replaces it. Any
   * other text is the folder of a Move package that the official command line compiled: the framework's own function
   * publishes it, and runs its initialisers; that needs a framework with code.
   */
  publish(module: string | Uint8Array): Promise<Published>;
  /**
   * Makes this many blocks, one if left out, and returns the head after the last. A signal or `revert` ends it before the
   * next block.
   */
  mine(blocks?: number, options?: { readonly signal?: AbortSignal }): Promise<LedgerInfo>;
  /** Makes a block at a time after the last block's: a Date, RFC 3339, or Unix seconds. The clock goes on from there. */
  setTime(time: string | number | Date): Promise<LedgerInfo>;
  /** Makes a block this many milliseconds later. */
  advanceTime(ms: number): Promise<LedgerInfo>;
  /** Keeps the chain as it is now: ledger, indexes, transactions that wait, clock. For chains in memory. */
  snapshot(): Promise<ChainSnapshot>;
  /**
   * Puts the chain back to a snapshot, any number of times. Watchers are told the state again; streams end, and begin with
   * an event `gap` for clients that come back.
   */
  revert(snapshot: ChainSnapshot): Promise<LedgerInfo>;
  /**
   * The whole ledger of a local chain, or all that a fork added to its network's, as a page of records in BCS: for
   * `loadState`, in this process or another.
   */
  dumpState(): Promise<Uint8Array>;
  /**
   * Puts a dumped ledger in the place of this chain's, after checking every hash and root of it; a fork has no roots. For
   * chains in memory that began with the same seed or genesis, or forked the same version of the same network.
   */
  loadState(state: Uint8Array): Promise<LedgerInfo>;
}

const RECORDS_AT_ONCE = 100;
const BYTES_AT_ONCE = 1 << 20;
const MAX_BLOCKS = 100_000;
/** A hundred years. */
const MAX_ADVANCE_MS = 100 * 366 * 86_400_000;

function shown(value: unknown): string {
  return typeof value === "number" ? `${value}` : typeName(value);
}

function toItemBytes(name: string, value: unknown): Uint8Array {
  const bytes = toBytes(value as string | Uint8Array, name);
  if (bytes.length > MAX_ITEM_BYTES) {
    throw new ConfigError(`${name}: expected at most ${MAX_ITEM_BYTES} bytes, got ${bytes.length}`);
  }
  return bytes;
}

/** What only a node that makes blocks has. Throws ConfigError. */
function required<T>(part: T | undefined): T {
  if (part === undefined) throw new ConfigError("this node makes no blocks");
  return part;
}

export interface TestAuthorsOptions {
  readonly args: CallArguments;
  readonly types: StateTypes;
  /** Undefined while this process does not write. */
  readonly writer: () => LedgerWriter | undefined;
  readonly submissions: () => SubmissionService | undefined;
  readonly withView: <T>(ask: (view: LedgerView) => Promise<T>) => Promise<T>;
  /** The ledger went back. */
  readonly onBack: (to: LedgerPosition) => void;
}

export class TestAuthors implements ChainAuthoring {
  readonly #options: TestAuthorsOptions;
  /** Of this node: a snapshot of another one is of another ledger. */
  readonly #snapshots = new WeakMap<ChainSnapshot, ChainCopy>();
  #reverts = 0;

  constructor(options: TestAuthorsOptions) {
    this.#options = options;
  }

  readonly #blocks = (): BlockMaker => required(this.#options.writer()?.blocks);
  readonly #submissions = (): SubmissionService => required(this.#options.submissions());
  readonly #writer = (): LedgerWriter => required(this.#options.writer());

  async #author(change: AuthoredChange): Promise<Authored> {
    const [made] = await this.#blocks().author([change]);
    if (made === undefined) throw new Error("a change made no transaction");
    return { version: made.version, hash: toPrefixedHex(made.hash) };
  }

  async fund(address: string, amount: bigint): Promise<Authored> {
    const owner = this.#options.args.address(address);
    const minted = (await this.fundAll(owner, toAmount("amount", amount))).at(-1);
    if (minted === undefined) throw new Error("the faucet made no transaction");
    return minted;
  }

  /** As `fund`; returns every transaction of the faucet. */
  async fundAll(owner: Address, amount: bigint): Promise<Authored[]> {
    const submissions = this.#submissions();
    const done = await this.#blocks().submitNow(() =>
      this.#options.withView((view) => submissions.fund(view, owner, amount)),
    );
    const funded: Authored[] = [];
    for (const { version, hash, status } of done) {
      if (status?.kind !== "success" || version === undefined) {
        const reason = status === undefined ? "the chain did not take it" : await this.#statusText(status);
        throw new ConfigError(`cannot fund ${formatAddressLong(owner)} with ${amount}: ${reason}`);
      }
      funded.push({ version, hash });
    }
    return funded;
  }

  #statusText(status: ExecutionStatus): Promise<string> {
    return this.#options.withView((view) => {
      const types = new StateTypes(new ModuleCache());
      return vmStatus(status, new ModulesAt(types, view, view.position.version));
    });
  }

  async impersonate(address: string, call: ImpersonatedCall): Promise<ImpersonatedResult> {
    const sender = this.#options.args.address(address);
    const submissions = this.#submissions();
    const [done] = await this.#blocks().submitNow(
      () => this.#options.withView(async (view) => [await submissions.impersonate(view, sender, call)]),
      sender,
    );
    if (done?.status === undefined || done.version === undefined) {
      throw new ConfigError(`the chain did not take the transaction of ${formatAddressLong(sender)}`);
    }
    const { version, hash, status } = done;
    const vmStatus = await this.#statusText(status);
    return { version, hash, success: status.kind === "success", vmStatus };
  }

  async setBalance(address: string, asset: string, amount: bigint): Promise<Authored> {
    const owner = this.#options.args.address(address);
    return this.#author(setBalance(owner, this.#options.args.assetText(asset), toAmount("amount", amount)));
  }

  async setResource(
    address: string,
    type: string,
    data: object | string | Uint8Array | undefined,
  ): Promise<Authored> {
    const owner = this.#options.args.address(address);
    const tag = parseTypeTag(toText("type", type));
    if (tag.kind !== "struct") throw new ConfigError(`type: expected a struct, got ${formatTypeTag(tag)}`);
    await this.#assertHasKey(tag.struct);
    const isBcs = data === undefined || typeof data === "string" || data instanceof Uint8Array;
    const value = isBcs ? data : await this.#toBcs("data", tag, data);
    return this.#author(
      setResource(owner, tag.struct, value === undefined ? value : toItemBytes("data", value)),
    );
  }

  /** Only such types are ever stored at an address. Throws ConfigError. */
  #assertHasKey(tag: StructTag): Promise<void> {
    return this.#options.withView(async (view) => {
      const load = this.#options.types.loaderAt(view, view.position.version);
      const module = await load({ address: tag.address, name: tag.module });
      const found = module?.structs.find(({ name }) => name === tag.name);
      if (found?.abilities.includes("key") === true) return;
      const fault = found === undefined ? "this ledger has no such type" : "it has no ability key";
      throw new ConfigError(`type: expected that of a resource, got ${formatStructTag(tag)}: ${fault}`);
    });
  }

  /** The BCS of a value in JSON. Throws MoveError. */
  #toBcs(name: string, type: TypeTag, value: unknown): Promise<Uint8Array> {
    return this.#options.withView(async (view) => {
      const layout = await this.#options.types.layoutOf(view, type, view.position.version);
      const document = parseJson(toJson(name, value));
      const writer = new BcsWriter(64);
      writeJsonValue(writer, layout, { document, value: document.root, path: [name], takesPrinted: true });
      return writer.take();
    });
  }

  async putTableItem(handle: string, key: unknown, value: unknown, types?: TableTypes): Promise<Authored> {
    const table = this.#options.args.handle(handle);
    const { keyType, valueType } = types === undefined ? {} : knownOptions(TABLE_TYPE_NAMES, types, "types");
    const toItem = async (name: string, given: unknown, type: string | undefined): Promise<Uint8Array> =>
      toItemBytes(
        name,
        types === undefined
          ? given
          : await this.#toBcs(name, parseTypeTag(toText(`${name}Type`, type)), given),
      );
    const item = await toItem("key", key, keyType);
    return this.#author(
      putTableItem(table, item, value === undefined ? value : await toItem("value", value, valueType)),
    );
  }

  async publish(module: string | Uint8Array): Promise<Published> {
    if (typeof module === "string" && !module.startsWith("0x")) return this.#publishFolder(module);
    const bytes = toBytes(module, "bytecode");
    const change = publishModule(bytes);
    return { ...(await this.#author(change)), modules: [moduleNameOf(bytes)] };
  }

  async #publishFolder(folder: string): Promise<Published> {
    const { readPackages } = await import("./compiled-packages.ts");
    const modules: string[] = [];
    let last: Authored | undefined;
    for (const { metadata, modules: code, names } of await readPackages(folder)) {
      const owner = parseAddress(names[0]?.split("::")[0] ?? "");
      const account = await this.#options.withView(async (view) =>
        readAccount(view, owner, view.position.version),
      );
      // Not every framework creates the account of a sender.
      if (account === undefined) await this.fundAll(owner, 1n);
      const { success, vmStatus, ...made } = await this.impersonate(formatAddressLong(owner), {
        function: "0x1::code::publish_package_txn",
        arguments: [toPrefixedHex(metadata), code.map((bytes) => toPrefixedHex(bytes))],
      });
      if (!success) throw new ConfigError(`cannot publish ${names.join(", ")}: ${vmStatus}`);
      modules.push(...names);
      last = made;
    }
    if (last === undefined) throw new Error("a folder has no package");
    return { ...last, modules };
  }

  async mine(blocks = 1, options: { readonly signal?: AbortSignal } = {}): Promise<LedgerInfo> {
    const { signal } = knownOptions({ signal: true }, options);
    if (!Number.isInteger(blocks) || blocks < 1 || blocks > MAX_BLOCKS) {
      throw new ConfigError(`blocks: expected a whole number from 1 to ${MAX_BLOCKS}, got ${shown(blocks)}`);
    }
    const maker = this.#blocks();
    const reverts = this.#reverts;
    for (let made = 1; ; made++) {
      const position = await maker.produce();
      if (made === blocks) return toLedgerInfo({ position });
      signal?.throwIfAborted();
      if (reverts !== this.#reverts)
        throw new ConfigError(`blocks: the chain goes back to a snapshot after ${made} of ${blocks}`);
    }
  }

  async setTime(time: string | number | Date): Promise<LedgerInfo> {
    return toLedgerInfo({ position: await this.#blocks().setTime(toUsec("time", time)) });
  }

  async advanceTime(ms: number): Promise<LedgerInfo> {
    if (!Number.isInteger(ms) || ms < 1 || ms > MAX_ADVANCE_MS) {
      throw new ConfigError(`ms: expected a whole number from 1 to ${MAX_ADVANCE_MS}, got ${shown(ms)}`);
    }
    return toLedgerInfo({ position: await this.#blocks().advanceTime(BigInt(ms) * 1000n) });
  }

  async snapshot(): Promise<ChainSnapshot> {
    const copy = await this.#writer().snapshot();
    const { version, timestampUsec } = copy.ledger.position;
    const snapshot: ChainSnapshot = { version, timestampUsec, bytes: copy.ledger.bytes };
    this.#snapshots.set(snapshot, copy);
    return snapshot;
  }

  async revert(snapshot: ChainSnapshot): Promise<LedgerInfo> {
    const copy = typeof snapshot === "object" ? this.#snapshots.get(snapshot) : undefined;
    if (copy === undefined) throw new ConfigError("snapshot: expected one that this node made");
    const writer = this.#writer();
    this.#reverts++;
    await writer.revert(copy, this.#options.onBack);
    return toLedgerInfo(copy.ledger);
  }

  async dumpState(): Promise<Uint8Array> {
    this.#blocks();
    return this.#options.withView(async (view) => {
      const { version, oldestVersion, fork } = view.position;
      const first = fork === undefined ? 0n : fork.version + 1n;
      if (oldestVersion > first)
        throw new ConfigError(`state: versions below ${oldestVersion} are pruned: set pruneWindow to "off"`);
      const parts = [new BcsWriter(16).uleb(Number(version + 1n - first)).take()];
      for (let next = first, bytes = 0; next <= version; ) {
        for (const record of await view.getRecords(next, RECORDS_AT_ONCE, BYTES_AT_ONCE)) {
          bytes += record.bytes.length;
          next = record.version + 1n;
          parts.push(withAccumulatorRoot(record.bytes, historyHashOf(record)));
        }
        if (bytes > MAX_STATE_BYTES)
          throw new ConfigError(`state: expected at most ${MAX_STATE_BYTES} bytes`);
        await nextTurn();
      }
      return Buffer.concat(parts);
    });
  }

  async loadState(state: Uint8Array): Promise<LedgerInfo> {
    if (!(state instanceof Uint8Array)) throw new ConfigError(`state: expected bytes, got ${typeof state}`);
    const writer = this.#writer();
    this.#reverts++;
    try {
      return toLedgerInfo(await writer.load(Uint8Array.from(state), this.#options.onBack));
    } catch (error) {
      if (error instanceof CodedError) throw new ConfigError(`state: ${error.message}`, error);
      throw error;
    }
  }
}
