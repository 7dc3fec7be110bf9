// The sources of a command: a node over HTTP, or a data directory that a read-only node in this process answers for.
import { API_ROOT, type Route, urlTo } from "../../interface/route.ts";
import { balanceStreamRoute, blockStreamRoute } from "../../interface/routes.ts";
import {
  answerRange,
  answerText,
  type BalanceEvent,
  type BlockEvent,
  createNode,
  eventText,
  type MinVersionOptions,
  type Node,
  type RangeQuestion,
  refusalOf,
} from "../../node.ts";
import { faultOf, toObject } from "./answer-shapes.ts";
import { NodeClient, oneLine } from "./node-client.ts";
import { DEFAULT_URL, minVersionOf, parseNodeUrl, type SourceValues } from "./options.ts";
import { type AnswerText, type Question, Source, SourceError, type WatchQuery } from "./source.ts";

/** Refuses with the messages of the HTTP interface. */
async function refusing<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    const text = refusalOf(error);
    throw text === undefined ? error : new SourceError(text, error);
  }
}

class DirectorySource extends Source {
  readonly #node: Node;
  readonly #least: MinVersionOptions;

  constructor(node: Node, least: MinVersionOptions) {
    super();
    this.#node = node;
    this.#least = least;
  }

  ask<R extends Route>({ route, values, body }: Question<R>): Promise<AnswerText> {
    return refusing(() => answerText(this.#node, route, values, this.#least, body));
  }

  async *watch({ balance, after }: WatchQuery, note: (text: string) => void): AsyncGenerator<string> {
    // The answer is not needed, only that the ledger is there.
    await refusing(() => this.#node.ledgerInfo(this.#least));
    const events: AsyncIterable<BalanceEvent | BlockEvent> =
      balance === undefined
        ? this.#node.watchBlocks({ after })
        : this.#node.watchBalance(balance.address, balance.asset_type, { after });
    const iterator = events[Symbol.asyncIterator]();
    for (;;) {
      const next = await refusing(() => iterator.next());
      if (next.done === true) return;
      if (after !== undefined && next.value.version <= after) {
        const latest = next.value.version;
        note(`version ${after} is above the latest of this ledger, ${latest}; changes may be missing`);
      }
      yield await eventText(next.value);
    }
  }

  async *range(question: RangeQuestion): AsyncGenerator<string | Uint8Array> {
    const pieces = answerRange(this.#node, question);
    for (;;) {
      const next = await refusing(() => pieces.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  close(): Promise<void> {
    return this.#node.close();
  }
}

async function directorySource(data: string, least: MinVersionOptions): Promise<Source> {
  return new DirectorySource(await createNode({ data, readOnly: true }), least);
}

class HttpSource extends Source {
  readonly #at: string;
  readonly #least: Readonly<Record<string, bigint | number | undefined>>;
  readonly #client: NodeClient;

  constructor(root: string, { minLedgerVersion, waitMs }: MinVersionOptions) {
    super();
    this.#at = root + API_ROOT;
    this.#least = { min_ledger_version: minLedgerVersion, wait_ms: waitMs };
    this.#client = new NodeClient(root, waitMs ?? 0);
  }

  ask<R extends Route>({ route, values, body, queries }: Question<R>): Promise<AnswerText> {
    const url = urlTo<Route>(this.#at, route, { ...values, ...this.#least });
    return this.#client.ask(url, (text) => faultOf(route, text, queries), body);
  }

  async *watch({ balance, after }: WatchQuery, note: (text: string) => void): AsyncGenerator<string> {
    const route: Route = balance === undefined ? blockStreamRoute : balanceStreamRoute;
    const url = urlTo<Route>(this.#at, route, { ...balance, after, ...this.#least });
    for await (const { name, data } of this.#client.events(url, after?.toString(), note)) {
      if (data === undefined) continue;
      if (name === "gap") note(oneLine(`${toObject(data)?.message}`));
      else {
        this.#client.assertFits(data, faultOf(route, data));
        yield data;
      }
    }
  }

  range(question: RangeQuestion): AsyncIterable<string | Uint8Array> {
    return this.#client.range(question);
  }

  async close(): Promise<void> {}
}

/** Opens the source that the options name. */
export async function openSource(options: SourceValues): Promise<Source> {
  const least = minVersionOf(options);
  if (options.data !== undefined) return directorySource(options.data, least);
  return new HttpSource(parseNodeUrl(options.url ?? DEFAULT_URL), least);
}

/** Runs one question on a source and closes it. */
export async function askSource<T>(
  options: SourceValues,
  question: (source: Source) => Promise<T>,
): Promise<T> {
  const source = await openSource(options);
  try {
    return await question(source);
  } finally {
    await source.close();
  }
}
