// A data directory as a source: a read-only node in this process answers.
import type { Route } from "../../interface/route.ts";
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

export async function directorySource(data: string, least: MinVersionOptions): Promise<Source> {
  return new DirectorySource(await createNode({ data, readOnly: true }), least);
}
