// Errors of in-process calls. The operations that answer some calls refuse in the words of the HTTP interface; a caller in
// the process gets the codes of the ledger, and those below for what does not count as a fault of the ledger.
import { CodedError } from "../../base/errors.ts";
import type { Condition } from "../../http/error-catalogue.ts";
import { HttpError } from "../../http/errors.ts";
import { LedgerError, type LedgerErrorCode } from "../../ledger/errors.ts";

/** `absent`: the ledger has no such account, item or transaction; `invalid`: the question cannot be answered as asked. */
class CallError extends CodedError<"absent" | "invalid"> {}

const LEDGER_CODES: Partial<Record<Condition, LedgerErrorCode>> = {
  version_not_found: "version_not_found",
  version_pruned: "version_pruned",
  block_pruned: "version_pruned",
  disabled: "not_indexed",
  unavailable: "unavailable",
  overloaded: "unavailable",
  unprovable: "unprovable",
  internal: "corrupt",
};

/** Members of a body that calls have under another name. */
const CALL_NAMES: Readonly<Record<string, string>> = {
  key_type: "keyType",
  value_type: "valueType",
  type_arguments: "typeArguments",
};

/** The error that a caller in the process gets. */
export function callError(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  const { code, cause } = error;
  const [name = "", ...rest] = error.message.split(": ");
  const message = [CALL_NAMES[name] ?? name, ...rest].join(": ");
  const ledgerCode = LEDGER_CODES[code];
  if (ledgerCode !== undefined) return new LedgerError(ledgerCode, message, { cause });
  return new CallError(code.endsWith("_not_found") ? "absent" : "invalid", message, { cause });
}
