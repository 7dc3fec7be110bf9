// A node as a source: each question is a request over HTTP.
import { API_ROOT, type Route, urlTo } from "../../interface/route.ts";
import { balanceStreamRoute, blockStreamRoute } from "../../interface/routes.ts";
import type { MinVersionOptions, RangeQuestion } from "../../node.ts";
import { faultOf, toObject } from "./answer-shapes.ts";
import { NodeClient, oneLine } from "./node-client.ts";
import { type AnswerText, type Question, Source, type WatchQuery } from "./source.ts";

export class HttpSource extends Source {
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
