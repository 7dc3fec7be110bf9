// Pages of transactions, as several operations answer with them.
import type { StoredRecord } from "../../../ledger/view.ts";
import { fromJson } from "../../calls/asker.ts";
import { fieldOf } from "../../calls/operands.ts";
import { knownOptions, type OptionNames } from "../../calls/options.ts";
import { HttpError } from "../../errors.ts";
import { type Answer, type Context, encodedAnswer } from "../../operation.ts";
import { encodeRecords, RecordsPrinter } from "../../printing/records-text.ts";
import { ledgerVersionField, limitField } from "../../schemas/integer.ts";
import { COMMITTED_SCHEMA } from "../../schemas/transaction.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** The documented forms of a page. */
export const transactionPageAnswer = (bcsDescription: string) =>
  encodedAnswer(
    {
      schema: { type: "array", maxItems: MAX_LIMIT, items: COMMITTED_SCHEMA },
      description: "The transactions.",
    },
    bcsDescription,
  );

/** How many transactions a page has at most, for the `limit` of a request. */
export function transactionCount(limit: number = DEFAULT_LIMIT): number {
  if (limit === 0) throw new HttpError("invalid_page", "limit: expected at least 1, got 0");
  return Math.min(limit, MAX_LIMIT);
}

/** The page of these records, in the form that the request asks for. */
export async function transactionPage(
  records: readonly StoredRecord[],
  { view, services, form, slices }: Pick<Context<"required">, "view" | "services" | "form" | "slices">,
): Promise<Answer<string | Uint8Array>> {
  if (form === "bcs") return { data: encodeRecords(records), version: undefined };
  const data = await new RecordsPrinter(services.types, view, slices).printList(records);
  return { data, version: undefined };
}

/** A page of transactions. */
export interface PageOptions {
  readonly start?: bigint | undefined;
  /** 25 unless given, at most 100. */
  readonly limit?: number | undefined;
}

const PAGE_NAMES: OptionNames<PageOptions> = { start: true, limit: true };

/** Which page a call asks for. */
export function pageArgs(options: PageOptions) {
  const { start, limit } = knownOptions(PAGE_NAMES, options);
  return { start: fieldOf("start", ledgerVersionField, start), limit: fieldOf("limit", limitField, limit) };
}

/** A transaction. */
export interface TransactionAnswer {
  /** Undefined while it waits for a block. */
  readonly version: bigint | undefined;
  /** Hex. */
  readonly hash: string;
  /** As `GET …/by_version/{txn_version}` answers. */
  readonly transaction: Readonly<Record<string, unknown>>;
}

export function toTransaction(json: TransactionAnswer["transaction"]): TransactionAnswer {
  const { version, hash } = json;
  return {
    version: typeof version === "string" ? BigInt(version) : undefined,
    hash: hash as string,
    transaction: json,
  };
}

/** The transactions of a page in JSON. */
export function toTransactions(text: string | Uint8Array): readonly TransactionAnswer[] {
  return fromJson<readonly TransactionAnswer["transaction"][]>(text).map(toTransaction);
}
