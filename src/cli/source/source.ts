// The source of the reading commands: a node by its URL, or a data directory read in place. A question is a route of the
// HTTP interface with its values; a source only knows how to get the answer. Both refuse the same mistakes with the same
// exit codes: 2 for bad usage, 75 for a source out of reach, 1 for a refusal or an unusable response.
import { CodedError } from "../../base/errors.ts";
import type { Route, RouteValues } from "../../interface/route.ts";
import {
  detailRoute,
  historyRoute,
  holdingsRoute,
  infoRoute,
  ledgerInfoRoute,
  transactionByVersionRoute,
} from "../../interface/routes.ts";
import type { RangeQuestion } from "../../node.ts";
import { listLines } from "./answer-shapes.ts";

/** Rows of a page that is asked for. */
export const PAGE_ROWS = 1000;
/** Most pages in a row without a row. A node looks up 2000 keys for one, and may find none that changed. */
const MAX_EMPTY_PAGES = 10_000;

/** The version or time to read at, by the names of a route; the latest version if both are undefined. */
export interface ReadAt {
  readonly ledger_version: bigint | undefined;
  readonly at: string | undefined;
}

/** The changes to read. */
export interface HistoryTexts {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly points: number | undefined;
}

/** What to watch: a balance, or the blocks. */
export interface WatchQuery {
  readonly balance: { readonly address: string; readonly asset_type: string } | undefined;
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
  async *pages<R extends Route>(route: R, given: RouteValues<R>): AsyncGenerator<string> {
    let values = given;
    const seen = new Set<string>();
    for (let empty = 0; ; ) {
      const { text, cursor } = await this.ask({ route, values });
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

  /** One JSON object for each item of a list that comes in pages. */
  async *list<R extends Route>(route: R, values: RouteValues<R>): AsyncGenerator<string> {
    for await (const page of this.pages(route, values)) yield* listLines(page);
  }

  /** The JSON text of a read. The body is an object, or JSON as it was given. */
  async read<R extends Route>(route: R, values: RouteValues<R>, body?: object): Promise<string> {
    const bytes = body instanceof Uint8Array || body === undefined ? body : jsonBody(body);
    return (await this.ask({ route, values, body: bytes })).text;
  }

  /** The JSON text of a batch. */
  async readBatch<R extends Route>(
    route: R,
    values: RouteValues<R>,
    queries: readonly object[],
  ): Promise<string> {
    return (await this.ask({ route, values, body: jsonBody({ queries }), queries: queries.length })).text;
  }

  detail(address: string, asset_type: string, at: ReadAt): Promise<TrustedText> {
    return this.ask({ route: detailRoute, values: { address, asset_type, ...at } });
  }

  history(address: string, asset_type: string, range: HistoryTexts): AsyncIterable<string> {
    const limit = range.points === undefined ? PAGE_ROWS : undefined;
    return this.list(historyRoute, { address, asset_type, ...range, limit });
  }

  holdings(address: string, at: ReadAt): AsyncIterable<string> {
    return this.list(holdingsRoute, { address, limit: PAGE_ROWS, ...at });
  }

  transaction(version: string): Promise<string> {
    return this.read(transactionByVersionRoute, { txn_version: version });
  }

  info(): Promise<string> {
    return this.read(infoRoute, {});
  }

  ledger(): Promise<string> {
    return this.read(ledgerInfoRoute, {});
  }
}

/** The source refused the request, or its response cannot be used. */
export class SourceError extends CodedError<"source"> {
  constructor(message: string, cause?: unknown) {
    super("source", message, { cause });
  }
}
