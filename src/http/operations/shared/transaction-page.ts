// Pages of transactions, as several operations answer with them.
import type { StoredRecord } from "../../../ledger/view.ts";
import { HttpError } from "../../errors.ts";
import { type Answer, type Context, encodedAnswer } from "../../operation.ts";
import { encodeRecords, RecordsPrinter } from "../../printing/records-text.ts";
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
