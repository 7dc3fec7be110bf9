// Reads of accounts, modules, tables, transactions and blocks as calls, and what they return. Versions, heights, times and
// sequence numbers are bigint; what a transaction or a Move value holds is the JSON of the HTTP interface.
import type { GasPrices } from "../../ledger/gas-price.ts";
import type { OptionNames } from "../options/option-table.ts";
import type { MinVersionOptions, ReadOptions } from "../options/read-options.ts";

/** An account. */
export interface AccountAnswer {
  /** In hex, with all 64 digits. */
  readonly address: string;
  readonly sequenceNumber: bigint;
  /** Hex. */
  readonly authenticationKey: string;
}

/** A resource, as `GET …/resource/{resource_type}` answers. */
export interface ResourceAnswer {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A module, as `GET …/module/{module_name}` answers. */
export interface ModuleAnswer {
  /** Hex. */
  readonly bytecode: string;
  readonly abi: Readonly<Record<string, unknown>>;
}

/** Which table item, as `POST …/item` takes it. */
export interface TableItemQuery {
  readonly keyType: string;
  readonly valueType: string;
  /** The key in JSON. */
  readonly key: unknown;
}

export const TABLE_ITEM_NAMES: OptionNames<TableItemQuery> = { keyType: true, valueType: true, key: true };

/** A transaction. */
export interface TransactionAnswer {
  /** Undefined while it waits for a block. */
  readonly version: bigint | undefined;
  /** Hex. */
  readonly hash: string;
  /** As `GET …/by_version/{txn_version}` answers. */
  readonly transaction: Readonly<Record<string, unknown>>;
}

/** A value in a trace; of a reference, what it refers to. */
export interface TracedValue {
  readonly type: string;
  readonly value?: unknown;
  /** Hex of the BCS, where the ledger does not have the type. */
  readonly bytes?: string;
  /** True for a value that is too long, or has no BCS. */
  readonly omitted?: boolean;
}

/** A resource with its type as the key, or a table item with its key in hex. */
export interface TracedItem {
  readonly kind: "resource" | "table_item";
  /** The account, or the handle of the table. */
  readonly owner: string;
  readonly key: string;
}

export interface TracedCall {
  /** 0 for a call of the chain itself. */
  readonly depth: number;
  readonly function: string;
  readonly type_arguments: readonly string[];
  readonly arguments: readonly TracedValue[];
  /** With that of its own calls, in parts of a unit. */
  readonly gas_used: string;
  readonly reads: readonly TracedItem[];
  readonly writes: readonly TracedItem[];
  readonly events: readonly TracedValue[];
  readonly aborted: boolean;
  /** Entries of its lists that the bounds of an answer left out. */
  readonly omitted?: string;
}

/** The calls of a transaction, as `POST /v1/transactions/trace` and `GET …/by_version/{txn_version}/trace` answer. */
export interface TraceAnswer {
  readonly success: boolean;
  readonly vm_status: string;
  readonly gas_used: string;
  /** Parts of a unit of gas. */
  readonly gas_scaling: string;
  readonly fault?: {
    readonly status: string;
    readonly description: string;
    readonly location?: string;
    readonly function?: string;
    readonly code_offset?: number;
    readonly abort_code?: string;
    readonly reason_name?: string;
  };
  /** In the order in which they began. */
  readonly calls: readonly TracedCall[];
  /** Calls that the bounds of an answer left out. */
  readonly omitted_calls: string;
  /** Of a committed transaction. */
  readonly version?: string;
  readonly matches_ledger?: boolean;
}

/** A page of transactions. */
export interface PageOptions {
  readonly start?: bigint | undefined;
  /** 25 unless given, at most 100. */
  readonly limit?: number | undefined;
}

export const PAGE_NAMES: OptionNames<PageOptions> = { start: true, limit: true };

/** How long to wait. */
export interface WaitOptions {
  /** 1000 unless given. */
  readonly waitMs?: number | undefined;
}

export const WAIT_NAMES: OptionNames<WaitOptions> = { waitMs: true };

/** Which block, by one of two, and whether its transactions are wanted. */
export interface BlockQuery {
  readonly height?: bigint | undefined;
  readonly version?: bigint | undefined;
  readonly withTransactions?: boolean | undefined;
}

export const BLOCK_NAMES: OptionNames<BlockQuery> = { height: true, version: true, withTransactions: true };

/** A block. */
export interface BlockAnswer {
  readonly height: bigint;
  /** Hex. */
  readonly hash: string;
  readonly timestampUsec: bigint;
  readonly firstVersion: bigint;
  readonly lastVersion: bigint;
  /** Undefined unless they were asked for; the first 10,000. */
  readonly transactions: readonly TransactionAnswer[] | undefined;
}

/** A call of a view function. */
export interface ViewQuery {
  /** Such as `0x1::coin::balance`. */
  readonly function: string;
  readonly typeArguments?: readonly string[] | undefined;
  /** In JSON as over HTTP; wide integers may be bigints. */
  readonly arguments?: readonly unknown[] | undefined;
}

export const VIEW_NAMES: OptionNames<ViewQuery> = { function: true, typeArguments: true, arguments: true };

/** The calls. */
export interface LedgerReading {
  /** The address, sequence number and authentication key of an account. */
  account(address: string, options?: ReadOptions): Promise<AccountAnswer>;
  /** A resource; undefined if the address has none of this type. */
  resource(address: string, type: string, options?: ReadOptions): Promise<ResourceAnswer | undefined>;
  /** All resources of an account at one version, read page by page as they are taken. */
  resources(address: string, options?: ReadOptions): AsyncIterable<ResourceAnswer>;
  /** A module; undefined if the address has none of this name. */
  module(address: string, name: string, options?: ReadOptions): Promise<ModuleAnswer | undefined>;
  modules(address: string, options?: ReadOptions): AsyncIterable<ModuleAnswer>;
  /** A table item by its key in JSON; undefined if the table has no such item. */
  tableItem(handle: string, item: TableItemQuery, options?: ReadOptions): Promise<unknown>;
  /** What a view function returns, each value as JSON. Throws for one that aborts or fails. */
  view(query: ViewQuery, options?: ReadOptions): Promise<readonly unknown[]>;
  /**
   * All calls of a transaction, with arguments, gas, items, events and the place of a fault: of a committed one by its
   * version, or of one as `simulate` takes it, in JSON. There are none where the framework has no code.
   */
  trace(what: bigint | object | string): Promise<TraceAnswer>;
  /** A transaction by its version or its hash; undefined if there is none. */
  transaction(which: bigint | string, options?: MinVersionOptions): Promise<TransactionAnswer | undefined>;
  /** A transaction by its hash once it is committed; after the wait, what `transaction` returns. */
  waitForTransaction(hash: string, options?: WaitOptions): Promise<TransactionAnswer | undefined>;
  /** Transactions from a version on; the last ones when `start` is left out. */
  transactions(options?: PageOptions): Promise<readonly TransactionAnswer[]>;
  /** Transactions that an account sent, from a sequence number on; the last ones when `start` is left out. */
  accountTransactions(address: string, options?: PageOptions): Promise<readonly TransactionAnswer[]>;
  /** A block by its height or by a version in it; undefined if there is none yet. */
  block(query: BlockQuery): Promise<BlockAnswer | undefined>;
  /** Estimated prices of a unit of gas, in octas. */
  gasPrices(): Promise<GasPrices>;
}
