// Lists that need the index, as calls: all balances of an account, the rows of a table. Each list is read at one version,
// page by page, with a view for each page.
import { ConfigError } from "../../base/errors.ts";
import { type HoldingAnswer, toHoldingAnswer } from "../../http/operations/get-holdings.ts";
import { sinceTooHigh } from "../../http/operations/get-table-items.ts";
import { readHoldings } from "../../ledger/balances/holdings.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { countTableRows, readTableRows, type TableRow } from "../../ledger/items/owned-items.ts";
import { resolveReadPoint } from "../../ledger/read-point.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { ReadOptions, TableItemsOptions } from "../options/read-options.ts";
import { readAtOf } from "./read-at.ts";
import type { Reader } from "./reader.ts";

const PAGE = 500;

/** A page of a list. */
interface Page<T> {
  readonly found: T;
  readonly next: Uint8Array | undefined;
}

/** Asks a ledger for lists. */
export class IndexQuestions {
  readonly #reader: Reader;
  readonly #isOff: boolean;

  constructor(reader: Reader, isOff: boolean) {
    this.#reader = reader;
    this.#isOff = isOff;
  }

  async *holdings(address: string, options: ReadOptions): AsyncGenerator<HoldingAnswer> {
    const account = this.#reader.args.address(address);
    const pages = this.#pages(options, async (view, version, after) => {
      const { holdings, next } = await readHoldings(view, { account, version, after, limit: PAGE });
      return { found: holdings.map(toHoldingAnswer), next };
    });
    for await (const holdings of pages) yield* holdings;
  }

  async *tableItems(handle: string, options: TableItemsOptions): AsyncGenerator<TableRow> {
    const table = this.#reader.args.handle(handle);
    const pages = this.#pages(options, async (view, version, after) => {
      const since = sinceOf(options, version);
      const query = { handle: table, version, since, after, limit: PAGE };
      const { rows, next } = await readTableRows(view, query);
      // The view's bytes go with it.
      const found = rows.map(({ key, value }) => ({
        key: Uint8Array.from(key),
        value: value && Uint8Array.from(value),
      }));
      return { found, next };
    });
    for await (const rows of pages) yield* rows;
  }

  async countTableItems(handle: string, options: TableItemsOptions): Promise<bigint> {
    const table = this.#reader.args.handle(handle);
    const pages = this.#pages(options, async (view, version, after) => {
      const query = { handle: table, version, since: sinceOf(options, version), after };
      const { count, next } = await countTableRows(view, query);
      return { found: count, next };
    });
    let total = 0n;
    for await (const count of pages) total += BigInt(count);
    return total;
  }

  async *#pages<T>(
    options: ReadOptions,
    read: (view: LedgerView, version: bigint, after: Uint8Array | undefined) => Promise<Page<T>>,
  ): AsyncGenerator<T> {
    if (this.#isOff) throw new LedgerError("not_indexed", "the index is switched off on this node");
    const at = readAtOf(options);
    const { version } = await this.#reader.withView(async (view) => resolveReadPoint(view, at));
    for (let after: Uint8Array | undefined; ; ) {
      const page: Page<T> = await this.#reader.withView((view) => read(view, version, after));
      yield page.found;
      // Copied: the view's bytes go with it.
      after = page.next && Uint8Array.from(page.next);
      if (after === undefined) return;
    }
  }
}

function sinceOf({ since }: TableItemsOptions, version: bigint): bigint | undefined {
  if (since === undefined) return undefined;
  if (typeof since !== "bigint") throw new ConfigError(`since: expected a bigint, got ${typeof since}`);
  if (since <= version) return since;
  throw new ConfigError(sinceTooHigh(since, version));
}
