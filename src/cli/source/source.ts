// The source of the reading commands: a node by its URL, or a data directory read in place. Both refuse the same
// mistakes with the same exit codes: 2 for bad usage, 75 for a source out of reach, 1 for a refusal or an unusable response.
import { CodedError } from "../../base/errors.ts";
import type { Route, RouteValues } from "../../interface/route.ts";

/** The version or time to read at; the latest version if both are undefined. */
export interface ReadAtOperand {
  readonly version: bigint | undefined;
  readonly at: string | undefined;
}

/** Which rows of a table to read. */
export interface TableItemsOperand extends ReadAtOperand {
  readonly since: bigint | undefined;
}

export interface BalanceQueryText {
  readonly address: string;
  readonly asset_type: string;
}

export interface TableQueryText {
  readonly table_handle: string;
  readonly key: string;
}

/** What to prove. */
export type ProofQuery = BalanceQueryText | TableQueryText;

/** The changes to read. */
export interface HistoryTexts {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly points: number | undefined;
}

/** What to watch: a balance, or the blocks. */
export interface WatchQuery {
  readonly balance: BalanceQueryText | undefined;
  /** Begins with the changes after this version. */
  readonly after: bigint | undefined;
}

/** A change of a balance. */
export interface ChangeText {
  readonly version: string;
  readonly timestamp_usec: string;
  readonly before: string;
  readonly after: string;
  readonly transaction_hash: string;
}

/** A JSON text, and how far its node vouches for it, where it says so. */
export interface TrustedText {
  readonly text: string;
  readonly trust: string | undefined;
}

/** A route whose answers come in pages. */
type PagedRoute = Route<
  string,
  "start" | "limit" | "ledger_version" | "at" | "min_ledger_version" | "wait_ms"
>;

/** The operations as JSON texts, in the shapes of the HTTP interface. */
export interface Source {
  balance(address: string, asset: string, at: ReadAtOperand): Promise<string>;
  balances(queries: readonly BalanceQueryText[], at: ReadAtOperand): Promise<string>;
  detail(address: string, asset: string, at: ReadAtOperand): Promise<TrustedText>;
  /** One JSON object for each change. */
  history(address: string, asset: string, range: HistoryTexts): AsyncIterable<string>;
  /** One JSON object for each asset. */
  holdings(address: string, at: ReadAtOperand): AsyncIterable<string>;
  /** One JSON object for each row. */
  tableItems(handle: string, at: TableItemsOperand): AsyncIterable<string>;
  countTableItems(handle: string, at: TableItemsOperand): Promise<bigint>;
  /** One JSON object for each event; `note` gets what happens to the connection. */
  watch(query: WatchQuery, note: (text: string) => void): AsyncIterable<string>;
  rawItem(handle: string, key: string, at: ReadAtOperand): Promise<string>;
  rawItems(queries: readonly TableQueryText[], at: ReadAtOperand): Promise<string>;
  /** The JSON text of any other read. */
  read<R extends Route>(route: R, values: RouteValues<R>, body?: object): Promise<string>;
  /** One JSON object for each item of a list that comes in pages. */
  list<R extends PagedRoute>(route: R, values: RouteValues<R>): AsyncIterable<string>;
  /** A proof bundle. */
  proof(query: ProofQuery, at: ReadAtOperand, fromWaypoint: string | undefined): Promise<string>;
  encode(request: Uint8Array): Promise<string>;
  explain(request: Uint8Array): Promise<string>;
  info(): Promise<string>;
  ledger(): Promise<string>;
  close(): Promise<void>;
}

/** The source refused the request, or its response cannot be used. */
export class SourceError extends CodedError<"source"> {
  constructor(message: string, cause?: unknown) {
    super("source", message, { cause });
  }
}
