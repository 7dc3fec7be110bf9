// Reads of accounts, modules, tables, transactions and blocks as calls. Each runs the operation that serves it over HTTP,
// so that a call and a request cannot differ.

import { ConfigError } from "../../base/errors.ts";
import { Slices } from "../../base/wait.ts";
import { trustOf } from "../../http/admission/request-view.ts";
import type { Condition } from "../../http/error-catalogue.ts";
import { HttpError } from "../../http/errors.ts";
import type { Operation } from "../../http/operation.ts";
import type { Services } from "../../http/services.ts";
import { paramNames, pathTo, type Route, type RouteValues } from "../../interface/route.ts";
import {
  accountModuleRoute,
  accountModulesRoute,
  accountResourceRoute,
  accountResourcesRoute,
  accountRoute,
  accountTransactionsRoute,
  balanceStreamRoute,
  blockByHeightRoute,
  blockByVersionRoute,
  blockStreamRoute,
  gasPriceRoute,
  tableItemRoute,
  traceByVersionRoute,
  traceRoute,
  transactionByHashRoute,
  transactionByVersionRoute,
  transactionsRoute,
  viewRoute,
} from "../../interface/routes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { GasPrices } from "../../ledger/gas-price.ts";
import { formatTrust } from "../../ledger/trust.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { BalanceEvent } from "../../ledger/watch/watched-balance.ts";
import type { BlockEvent } from "../../ledger/watch/watched-blocks.ts";
import { formatAddressLong } from "../../move/address.ts";
import type { MinVersionOptions, ReadOptions } from "../options/read-options.ts";
import { toText } from "./call-arguments.ts";
import type {
  AccountAnswer,
  BlockAnswer,
  BlockQuery,
  ModuleAnswer,
  PageOptions,
  ResourceAnswer,
  TableItemQuery,
  TraceAnswer,
  TransactionAnswer,
  ViewQuery,
  WaitOptions,
} from "./ledger-answers.ts";
import { readAtOf } from "./read-at.ts";
import type { Reader } from "./reader.ts";

/** What the operations of these reads use. */
type UsedServices = Pick<
  Services,
  | "types"
  | "gasPrices"
  | "pendingTransaction"
  | "simulate"
  | "submissions"
  | "views"
  | "viewGasLimit"
  | "encode"
  | "explain"
  | "prove"
  | "nodeInfo"
>;

export interface LedgerReadsOptions {
  readonly reader: Reader;
  readonly services: () => UsedServices;
  readonly isOff: (which: "index" | "transactionIndex") => boolean;
}

/** A JSON text, where the next page begins, and the trust level, as the HTTP interface has them. */
export interface AnswerText {
  readonly text: string;
  readonly cursor: string | undefined;
  readonly trust: string | undefined;
}

/** Longest wait for a transaction unless told. */
const WAIT_MS = 1000;

let operations: readonly Operation[] | undefined;

/** Loads the operations with the first read. */
async function operationOf({ method, path }: Route): Promise<Operation> {
  operations ??= (await import("../../http/operation-list.ts")).OPERATIONS;
  const found = operations.find((one) => one.method === method && one.path === path);
  if (found === undefined) throw new Error(`no operation serves ${method} ${path}`);
  return found;
}

/** The JSON text that the HTTP interface sends for an event. */
export async function eventText(event: BalanceEvent | BlockEvent): Promise<string> {
  const operation = await operationOf("height" in event ? blockStreamRoute : balanceStreamRoute);
  const sent = `${await operation.encode(event, "events", new Slices())}`;
  return /^data: (.*)$/m.exec(sent)?.[1] ?? "";
}

/** Asks a ledger. */
export class LedgerReads {
  readonly #options: LedgerReadsOptions;

  constructor(options: LedgerReadsOptions) {
    this.#options = options;
  }

  /** The JSON text that an operation answers with. Throws what it refuses with. */
  async ask<R extends Route>(
    route: R,
    values: RouteValues<R>,
    options: MinVersionOptions = {},
    body?: Uint8Array,
  ): Promise<AnswerText> {
    const operation = await operationOf(route);
    const off = operation.switch;
    if ((off === "index" || off === "transactionIndex") && this.#options.isOff(off)) {
      throw new LedgerError("not_indexed", "the index is switched off on this node");
    }
    const given: Readonly<Record<string, unknown>> = values;
    const segments = paramNames(route.path).map((name) => encodeURIComponent(`${given[name]}`));
    const search = pathTo(route, values).split("?")[1] ?? "";
    const args = operation.parseArgs(segments, search);
    if (operation.body !== undefined) args.body = await operation.body.parse(body ?? new Uint8Array());
    const { reader } = this.#options;
    const slices = new Slices();
    let newer: LedgerView | undefined;
    const answer = await this.#withView(
      operation,
      async (view) => {
        const handled = await operation.handle(args, {
          view,
          newerView: async () => {
            newer = await reader.openView();
            return newer;
          },
          // These operations use no other service.
          services: this.#options.services() as Services,
          ledger: reader,
          form: "json",
          isGone: () => false,
          lastEventId: undefined,
          streamHead: ({ version }) => version,
          client: "",
          slices,
        });
        const read = newer ?? view;
        const trust = read && formatTrust(trustOf(read, handled));
        if (!("data" in handled)) return { ...handled, trust };
        // Encoded while the view is open: the data may refer to its bytes.
        const text = `${Buffer.from(await operation.encode(handled.data, "json", slices))}`;
        return { ...handled, trust, text };
      },
      options,
    ).finally(() => newer?.release());
    const { cursor, trust } = answer;
    if ("text" in answer) return { text: answer.text, cursor, trust };
    if (!("stream" in answer)) throw new Error(`${operation.id} answers with events`);
    let text = "";
    for await (const piece of answer.stream) text += Buffer.from(piece);
    return { text, cursor, trust };
  }

  /** Some operations answer without a ledger, too. */
  async #withView<T>(
    { ledger }: Operation,
    ask: (view: LedgerView | undefined) => Promise<T>,
    options: MinVersionOptions,
  ): Promise<T> {
    let isOpen = false;
    const withView = this.#options.reader.withView((view) => {
      isOpen = true;
      return ask(view);
    }, options);
    return withView.catch((error: unknown) => {
      const isEmpty = error instanceof LedgerError && error.code === "no_ledger";
      if (isOpen || !isEmpty || ledger !== "optional") throw error;
      return ask(undefined);
    });
  }

  async #json<R extends Route>(
    route: R,
    values: RouteValues<R>,
    options?: MinVersionOptions,
  ): Promise<unknown> {
    return JSON.parse((await this.ask(route, values, options)).text);
  }

  /** The address that a caller means, as the interface takes it. */
  #addressed(address: string): { readonly address: string } {
    return { address: formatAddressLong(this.#options.reader.args.address(address)) };
  }

  async account(address: string, options: ReadOptions): Promise<AccountAnswer> {
    const values = { ...this.#addressed(address), ...readValues(options) };
    const found = (await this.#json(accountRoute, values, options)) as {
      sequence_number: string;
      authentication_key: string;
    };
    const { sequence_number: number, authentication_key: authenticationKey } = found;
    return { address: values.address, sequenceNumber: BigInt(number), authenticationKey };
  }

  async resource(address: string, type: string, options: ReadOptions): Promise<ResourceAnswer | undefined> {
    const resource_type = toText("type", type);
    const values = { ...this.#addressed(address), resource_type, ...readValues(options) };
    return orNone("resource_not_found", this.#json(accountResourceRoute, values, options));
  }

  resources(address: string, options: ReadOptions): AsyncGenerator<ResourceAnswer> {
    return this.#pages(accountResourcesRoute, address, options);
  }

  async module(address: string, name: string, options: ReadOptions): Promise<ModuleAnswer | undefined> {
    const module_name = toText("name", name);
    const values = { ...this.#addressed(address), module_name, ...readValues(options) };
    return orNone("module_not_found", this.#json(accountModuleRoute, values, options));
  }

  modules(address: string, options: ReadOptions): AsyncGenerator<ModuleAnswer> {
    return this.#pages(accountModulesRoute, address, options);
  }

  async tableItem(handle: string, item: TableItemQuery, options: ReadOptions): Promise<unknown> {
    const { keyType: key_type, valueType: value_type, key } = item;
    const body = new TextEncoder().encode(JSON.stringify({ key_type, value_type, key }));
    const table_handle = formatAddressLong(this.#options.reader.args.handle(handle));
    const values = { table_handle, ...readValues(options) };
    const found = this.ask(tableItemRoute, values, options, body);
    return orNone(
      "table_item_not_found",
      found.then(({ text }) => JSON.parse(text) as unknown),
    );
  }

  async view(query: ViewQuery, options: ReadOptions): Promise<readonly unknown[]> {
    const { function: called, typeArguments = [], arguments: args = [] } = query;
    const request = { function: called, type_arguments: typeArguments, arguments: args };
    // As the interface has wide integers: texts.
    const json = JSON.stringify(request, (_, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    const found = await this.ask(viewRoute, readValues(options), options, new TextEncoder().encode(json));
    return JSON.parse(found.text) as readonly unknown[];
  }

  /** A trace of a committed transaction, or of a simulated one. */
  async trace(what: bigint | object | string): Promise<TraceAnswer> {
    const json = typeof what === "object" ? JSON.stringify(what) : `${what}`;
    const found =
      typeof what === "bigint"
        ? this.ask(traceByVersionRoute, { txn_version: what })
        : this.ask(traceRoute, {}, {}, new TextEncoder().encode(json));
    return JSON.parse((await found).text) as TraceAnswer;
  }

  /** A transaction by version or hash. */
  async transaction(
    which: bigint | string,
    options: MinVersionOptions,
  ): Promise<TransactionAnswer | undefined> {
    if (typeof which !== "bigint" && typeof which !== "string") {
      throw new ConfigError(`which: expected a bigint or a text, got ${typeof which}`);
    }
    const found =
      typeof which === "bigint"
        ? this.#json(transactionByVersionRoute, { txn_version: which }, options)
        : this.#json(transactionByHashRoute, { txn_hash: which }, options);
    const json = await orNone<Json>("transaction_not_found", found);
    return json && toTransaction(json);
  }

  /** A transaction by hash, once it is committed; what it is after the wait otherwise. */
  async waitForTransaction(hash: string, options: WaitOptions): Promise<TransactionAnswer | undefined> {
    const { reader } = this.#options;
    const { waitMs = WAIT_MS } = options;
    if (!(Number.isFinite(waitMs) && waitMs >= 0)) {
      throw new ConfigError(`waitMs: expected a number from 0 on, got ${waitMs}`);
    }
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const { version: head } = await reader.withView((view: LedgerView) => view.position);
      const found = await this.transaction(hash, {});
      const leftMs = untilMs - performance.now();
      if (found?.version !== undefined || leftMs <= 0) return found;
      await reader.waitFor(head + 1n, leftMs);
    }
  }

  async transactions({ start, limit }: PageOptions): Promise<TransactionAnswer[]> {
    return ((await this.#json(transactionsRoute, { start, limit })) as Json[]).map(toTransaction);
  }

  async accountTransactions(address: string, { start, limit }: PageOptions): Promise<TransactionAnswer[]> {
    const page = await this.#json(accountTransactionsRoute, { ...this.#addressed(address), start, limit });
    return (page as Json[]).map(toTransaction);
  }

  async block(query: BlockQuery): Promise<BlockAnswer | undefined> {
    const with_transactions = query.withTransactions;
    if ((query.height === undefined) === (query.version === undefined)) {
      throw new ConfigError("height, version: expected one of them");
    }
    const found =
      query.height === undefined
        ? this.#json(blockByVersionRoute, { version: query.version ?? 0n, with_transactions })
        : this.#json(blockByHeightRoute, { block_height: query.height, with_transactions });
    const block = await orNone<Json>(
      query.height === undefined ? "version_not_found" : "block_not_found",
      found,
    );
    if (block === undefined) return undefined;
    const transactions = block.transactions as readonly Json[] | null;
    return {
      height: BigInt(block.block_height as string),
      hash: block.block_hash as string,
      timestampUsec: BigInt(block.block_timestamp as string),
      firstVersion: BigInt(block.first_version as string),
      lastVersion: BigInt(block.last_version as string),
      transactions: transactions?.map(toTransaction),
    };
  }

  async gasPrices(): Promise<GasPrices> {
    const prices = (await this.#json(gasPriceRoute, {})) as Readonly<Record<string, number>>;
    return {
      deprioritized: BigInt(prices.deprioritized_gas_estimate ?? 0),
      market: BigInt(prices.gas_estimate ?? 0),
      prioritized: BigInt(prices.prioritized_gas_estimate ?? 0),
    };
  }

  /** All items of a list; its cursors name the version of the first page. */
  async *#pages<T>(
    route: typeof accountResourcesRoute | typeof accountModulesRoute,
    address: string,
    options: ReadOptions,
  ): AsyncGenerator<T> {
    const values = this.#addressed(address);
    let start: string | undefined;
    do {
      const at = start === undefined ? readValues(options) : { start };
      const { text, cursor } = await this.ask(route, { ...values, ...at }, options);
      yield* JSON.parse(text) as T[];
      start = cursor;
    } while (start !== undefined);
  }
}

type Json = Readonly<Record<string, unknown>>;

function readValues(options: ReadOptions): { readonly ledger_version?: bigint; readonly at?: string } {
  const { version } = readAtOf(options);
  if (version !== undefined) return { ledger_version: version };
  const { at } = options;
  return at === undefined ? {} : { at: typeof at === "string" ? at : at.toISOString() };
}

function toTransaction(json: Json): TransactionAnswer {
  const { version, hash } = json;
  return {
    version: typeof version === "string" ? BigInt(version) : undefined,
    hash: hash as string,
    transaction: json,
  };
}

/** Undefined in the place of one refusal. */
async function orNone<T>(condition: Condition, found: Promise<unknown>): Promise<T | undefined> {
  try {
    return (await found) as T;
  } catch (error) {
    const code = error instanceof HttpError || error instanceof LedgerError ? error.code : undefined;
    if (code === condition) return undefined;
    throw error;
  }
}
