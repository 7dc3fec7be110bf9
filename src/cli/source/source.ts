// The source of the reading commands: a node by its URL, or a data directory read in place. A question is a route of the
// HTTP interface with its values; a source only knows how to get the answer. Both refuse the same mistakes with the same
// exit codes: 2 for bad usage, 75 for a source out of reach, 1 for a refusal or an unusable response.
import { CodedError } from "../../base/errors.ts";
import type { Route, RouteValues } from "../../interface/route.ts";
import {
  balanceRoute,
  balancesRoute,
  detailRoute,
  encodeRoute,
  explainRoute,
  historyRoute,
  holdingsRoute,
  infoRoute,
  ledgerInfoRoute,
  rawItemRoute,
  rawItemsRoute,
  tableItemCountRoute,
  tableItemsRoute,
  traceByVersionRoute,
  traceRoute,
  transactionByVersionRoute,
} from "../../interface/routes.ts";
import type { RangeQuestion } from "../../node.ts";
import { listLines, toObject } from "./answer-shapes.ts";

/** Rows of a page that is asked for. */
const PAGE_ROWS = 1000;
/** Most pages in a row without a row. A node looks up 2000 keys for one, and may find none that changed. */
const MAX_EMPTY_PAGES = 10_000;

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

/** An answer, and the cursor of the next page where there is one. */
export interface AnswerText extends TrustedText {
  readonly cursor: string | undefined;
}

/** A question; one with many queries says how many. */
export interface Question<R extends Route = Route> {
  readonly route: R;
  readonly values: RouteValues<R>;
  readonly body?: Uint8Array | undefined;
  readonly queries?: number | undefined;
}

export function readAt({ version, at }: ReadAtOperand): {
  readonly ledger_version: bigint | undefined;
  readonly at: string | undefined;
} {
  return { ledger_version: version, at };
}

function jsonBody(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

/** Answers questions with JSON texts in the shapes of the HTTP interface. */
export abstract class Source {
  abstract ask<R extends Route>(question: Question<R>): Promise<AnswerText>;
  /** One JSON object for each event; `note` gets what happens to the connection. */
  abstract watch(query: WatchQuery, note: (text: string) => void): AsyncIterable<string>;
  /** A range of what a stream sends, as it arrives. Throws TryAgainError where it breaks off. */
  abstract range(question: RangeQuestion): AsyncIterable<string | Uint8Array>;
  abstract close(): Promise<void>;

  /** The pages of a list, whose cursors name the version of the first page. */
  async *#pages<R extends Route>(question: Question<R>): AsyncGenerator<string> {
    let values: RouteValues<R> = question.values;
    const seen = new Set<string>();
    for (let empty = 0; ; ) {
      const { text, cursor } = await this.ask({ ...question, values });
      yield text;
      if (cursor === undefined) return;
      // Cursors in a circle would never end, nor would a list that shows nothing; a count shows nothing before its end.
      if (seen.has(cursor)) throw new SourceError(`the answer has the cursor of an earlier page: ${cursor}`);
      seen.add(cursor);
      empty = /^\[\s*[^\s\]]/.test(text.trimStart()) ? 0 : empty + 1;
      if (empty === MAX_EMPTY_PAGES) throw new SourceError(`the list goes on after ${empty} empty pages`);
      const next: object = { start: cursor, ledger_version: undefined, at: undefined };
      values = { ...values, ...next };
    }
  }

  async #text<R extends Route>(
    route: R,
    values: RouteValues<R>,
    body?: Uint8Array,
    queries?: number,
  ): Promise<string> {
    return (await this.ask({ route, values, body, queries })).text;
  }

  balance(address: string, asset_type: string, at: ReadAtOperand): Promise<string> {
    return this.#text(balanceRoute, { address, asset_type, ...readAt(at) });
  }

  balances(queries: readonly BalanceQueryText[], at: ReadAtOperand): Promise<string> {
    return this.#text(balancesRoute, readAt(at), jsonBody({ queries }), queries.length);
  }

  detail(address: string, asset_type: string, at: ReadAtOperand): Promise<TrustedText> {
    return this.ask({ route: detailRoute, values: { address, asset_type, ...readAt(at) } });
  }

  history(address: string, asset_type: string, range: HistoryTexts): AsyncIterable<string> {
    const limit = range.points === undefined ? PAGE_ROWS : undefined;
    return this.list(historyRoute, { address, asset_type, ...range, limit });
  }

  holdings(address: string, at: ReadAtOperand): AsyncIterable<string> {
    return this.list(holdingsRoute, { address, limit: PAGE_ROWS, ...readAt(at) });
  }

  tableItems(table_handle: string, at: TableItemsOperand): AsyncIterable<string> {
    const values = { table_handle, since: at.since, limit: PAGE_ROWS, ...readAt(at) };
    return this.list(tableItemsRoute, values);
  }

  async countTableItems(table_handle: string, at: TableItemsOperand): Promise<bigint> {
    const values = { table_handle, since: at.since, ...readAt(at) };
    let total = 0n;
    for await (const page of this.#pages({ route: tableItemCountRoute, values })) {
      total += BigInt(toObject(page)?.count as string);
    }
    return total;
  }

  rawItem(table_handle: string, key: string, at: ReadAtOperand): Promise<string> {
    return this.#text(rawItemRoute, { table_handle, ...readAt(at) }, jsonBody({ key }));
  }

  rawItems(queries: readonly TableQueryText[], at: ReadAtOperand): Promise<string> {
    return this.#text(rawItemsRoute, readAt(at), jsonBody({ queries }), queries.length);
  }

  transaction(version: string): Promise<string> {
    return this.read(transactionByVersionRoute, { txn_version: version });
  }

  /** The trace of a committed transaction by its version, or of one to simulate. */
  trace(what: string | object): Promise<string> {
    if (typeof what === "string") return this.#text(traceByVersionRoute, { txn_version: what });
    return this.#text(traceRoute, {}, jsonBody(what));
  }

  /** The JSON text of any other read. */
  read<R extends Route>(route: R, values: RouteValues<R>, body?: object): Promise<string> {
    return this.#text(route, values, body && jsonBody(body));
  }

  /** One JSON object for each item of a list that comes in pages. */
  async *list<R extends Route>(route: R, values: RouteValues<R>): AsyncGenerator<string> {
    for await (const page of this.#pages({ route, values })) yield* listLines(page);
  }

  encode(request: Uint8Array): Promise<string> {
    return this.#text(encodeRoute, {}, request);
  }

  explain(request: Uint8Array): Promise<string> {
    return this.#text(explainRoute, {}, request);
  }

  info(): Promise<string> {
    return this.#text(infoRoute, {});
  }

  ledger(): Promise<string> {
    return this.#text(ledgerInfoRoute, {});
  }
}

/** The source refused the request, or its response cannot be used. */
export class SourceError extends CodedError<"source"> {
  constructor(message: string, cause?: unknown) {
    super("source", message, { cause });
  }
}
