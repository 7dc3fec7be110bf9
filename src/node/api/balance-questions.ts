// Questions about many balances, about their history and their parts, as calls.
import { CodedError, ConfigError } from "../../base/errors.ts";
import { type BalanceDetailAnswer, toDetailAnswer } from "../../http/operations/get-balance-detail.ts";
import { type BalancePair, readBalances } from "../../ledger/balances/balance.ts";
import { readBalanceDetail } from "../../ledger/balances/balance-detail.ts";
import {
  type BalanceChange,
  type HistoryPage,
  type Sampling,
  sampleHistory,
  walkHistory,
} from "../../ledger/balances/balance-history.ts";
import { readTableItems } from "../../ledger/items/table-item.ts";
import { resolveReadPoint, timeOf } from "../../ledger/read-point.ts";
import { isReversed, resolveRange } from "../../ledger/version-range.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { Watched } from "../../ledger/watch/watched.ts";
import { type BalanceEvent, watchedBalance } from "../../ledger/watch/watched-balance.ts";
import { assertObject } from "../options/option-table.ts";
import type { HistoryOptions, ReadOptions } from "../options/read-options.ts";
import { toBytes } from "./call-arguments.ts";
import { rangeEnd, readAtOf } from "./read-at.ts";
import type { Reader } from "./reader.ts";
import type { BatchAnswer } from "./running-node.ts";

/** What it gives, or the error on purpose that it throws. */
function valueOrError<T>(make: () => T): T | CodedError {
  try {
    return make();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** Asks those questions that can be asked, all in one view, and puts the answers where their questions were. */
async function askMany<Q, A>(
  view: LedgerView,
  options: ReadOptions,
  questions: readonly (Q | CodedError)[],
  ask: (questions: readonly Q[], version: bigint) => Promise<readonly (A | CodedError)[]>,
): Promise<BatchAnswer<A>> {
  const point = await resolveReadPoint(view, readAtOf(options));
  const found = await ask(
    questions.filter((one): one is Q => !(one instanceof CodedError)),
    point.version,
  );
  let next = 0;
  return {
    ledgerVersion: point.version,
    timestampUsec: await timeOf(view, point),
    answers: questions.map((one) => (one instanceof CodedError ? one : (found[next++] as A | CodedError))),
  };
}

function assertList(name: string, questions: readonly object[]): void {
  if (!Array.isArray(questions)) throw new ConfigError(`${name}: expected a list, got ${typeof questions}`);
  questions.forEach((one, index) => {
    assertObject(`${name}[${index}]`, one);
  });
}

/** Asks a ledger. */
export class BalanceQuestions {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  #pair(address: string, asset: string): BalancePair {
    return { owner: this.#reader.args.address(address), asset: this.#reader.args.asset(asset) };
  }

  watched(address: string, asset: string): Watched<BalanceEvent> {
    return watchedBalance(this.#pair(address, asset));
  }

  balances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options: ReadOptions,
  ): Promise<BatchAnswer<bigint>> {
    assertList("pairs", pairs);
    const questions = pairs.map(({ address, asset }) => valueOrError(() => this.#pair(address, asset)));
    return this.#reader.withView(
      (view) =>
        askMany<BalancePair, bigint>(view, options, questions, async (some, version) =>
          readBalances(view, some, version),
        ),
      options,
    );
  }

  rawItems(
    items: readonly { readonly handle: string; readonly key: string | Uint8Array }[],
    options: ReadOptions,
  ): Promise<BatchAnswer<Uint8Array | undefined>> {
    assertList("items", items);
    const questions = items.map(({ handle, key }) =>
      valueOrError(() => ({ handle: this.#reader.args.handle(handle), key: toBytes(key) })),
    );
    return this.#reader.withView(
      (view) =>
        askMany(view, options, questions, async (some, version) => {
          const found = await readTableItems(view, some, version, Number.POSITIVE_INFINITY);
          // The view's bytes go with it.
          return found.map((item) => (item instanceof Uint8Array ? Uint8Array.from(item) : undefined));
        }),
      options,
    );
  }

  detail(address: string, asset: string, options: ReadOptions): Promise<BalanceDetailAnswer> {
    const { owner, asset: parsed } = this.#pair(address, asset);
    return this.#reader.withView(async (view) => {
      const point = await resolveReadPoint(view, readAtOf(options));
      const detail = await readBalanceDetail(view, owner, parsed, point.version);
      return toDetailAnswer({
        ...detail,
        version: point.version,
        timestampUsec: await timeOf(view, point),
      });
    }, options);
  }

  async *history(address: string, asset: string, options: HistoryOptions): AsyncGenerator<BalanceChange> {
    const { points } = options;
    if (points !== undefined && !(Number.isSafeInteger(points) && points >= 4)) {
      throw new ConfigError(`points: expected a whole number from 4 on, got ${points}`);
    }
    const ends = { from: rangeEnd("from", options.from), to: rangeEnd("to", options.to) };
    if (isReversed(ends.from, ends.to)) throw new ConfigError("from: expected at most `to`, got more");
    const { owner, asset: parsed } = this.#pair(address, asset);
    const range = await this.#reader.withView((view) => resolveRange(view, ends), options);
    const query = { owner, asset: parsed, ...range };
    if (points === undefined) {
      for await (const changes of walkHistory(() => this.#reader.openView(), query)) yield* changes;
      return;
    }
    for (let start: bigint | undefined = range.from; start !== undefined; ) {
      const sampling: Sampling = { points, start, isGone: () => false };
      const page: HistoryPage = await this.#reader.withView((view) => sampleHistory(view, query, sampling));
      yield* page.changes;
      start = page.next;
    }
  }
}
