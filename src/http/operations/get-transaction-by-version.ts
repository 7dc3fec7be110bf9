// One transaction by its version.
import { concatBytes } from "../../base/bytes.ts";
import { transactionByVersionRoute } from "../../interface/routes.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { HttpError } from "../errors.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { RecordsPrinter } from "../printing/records-text.ts";
import { COMMITTED_SCHEMA, transactionVersionField } from "../schemas/transaction.ts";

/** A long transaction is printed in turns with others. */
const MAX_IN_FLIGHT = 64;

/** Variant of a committed transaction in BCS; its record follows. */
const COMMITTED = Uint8Array.of(0);

export function assertCommitted({ position }: LedgerView, version: bigint): void {
  if (version <= position.version) return;
  throw new HttpError(
    "transaction_not_found",
    `no transaction at version ${version}: the latest version is ${position.version}`,
  );
}

/** `GET /v1/transactions/by_version/{txn_version}` */
export const getTransactionByVersion = operation({
  id: "get_transaction_by_version",
  ...transactionByVersionRoute,
  summary: "Transaction by version",
  description:
    "One committed transaction with its info, events and changes. Events, resources and arguments are decoded by the modules as of its version.",
  ledger: "required",
  switchable: true,
  maxInFlight: MAX_IN_FLIGHT,
  params: { txn_version: transactionVersionField },
  query: {},
  answer: encodedAnswer(
    { schema: COMMITTED_SCHEMA, description: "The transaction." },
    "A zero byte, and the record as in `GET /v1/transactions`.",
  ),
  errors: ["unprintable", "transaction_not_found", "version_pruned"],
  async handle({ txn_version: version }, { view, services, form, slices }) {
    assertCommitted(view, version);
    const [record] = await view.getRecords(version, 1, 1);
    if (record === undefined) throw new Error(`no record at version ${version} of the kept range`);
    const printer = new RecordsPrinter(services.types, view, slices);
    const data =
      form === "bcs" ? concatBytes(COMMITTED, record.bytes) : await (await printer.print(record)).finish();
    return { data, version, timestampUsec: await printer.timeOf(version) };
  },
});
