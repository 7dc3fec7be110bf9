// What the reading commands take and say, under the rules of the HTTP interface: so a question to a data directory is
// understood and refused as the same question to a node is.
import { CodedError, ConfigError } from "../../base/errors.ts";
import { fromHex, hexBytesFault } from "../../base/hex.ts";
import { parseTime, TIME_EXPECTED } from "../../base/texts/time-text.ts";
import { answerOf } from "../../http/error-answer.ts";
import { ERROR_CATALOGUE } from "../../http/error-catalogue.ts";
import { NO_LEDGER, quoteInput } from "../../http/errors.ts";
import { addressField, tableHandleField } from "../../http/schemas/address.ts";
import { assetTypeField } from "../../http/schemas/asset-type.ts";
import { HEX_BYTES_EXPECTED } from "../../http/schemas/hex-bytes.ts";
import { ledgerVersionField } from "../../http/schemas/integer.ts";
import { resourceTypeField } from "../../http/schemas/move-type.ts";
import { fromField, toField } from "../../http/schemas/read-at.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { parseWaypoint } from "../../ledger/waypoint.ts";

function parseKey(text: string): Uint8Array {
  const bytes = fromHex(text.startsWith("0x") ? text.slice(2) : text);
  if (bytes === undefined) throw new ConfigError(hexBytesFault(text) ?? "it is not hex");
  return bytes;
}

const OPERANDS = {
  address: addressField,
  asset: assetTypeField,
  table: tableHandleField,
  type: resourceTypeField,
  key: { expected: HEX_BYTES_EXPECTED, parse: parseKey },
  version: ledgerVersionField,
  waypoint: { expected: "<version>:<64 hex digits>", parse: parseWaypoint },
  time: { expected: TIME_EXPECTED, parse: (text: string) => parseTime(text) },
  from: fromField,
  to: toField,
};

/** Kinds of operands. */
export type OperandKind = keyof typeof OPERANDS;

/** Parses an operand. Throws ConfigError, which names it. */
export function parseOperand<K extends OperandKind>(
  kind: K,
  name: string,
  text: string,
): ReturnType<(typeof OPERANDS)[K]["parse"]> {
  const { expected, parse } = OPERANDS[kind];
  try {
    return parse(text) as ReturnType<(typeof OPERANDS)[K]["parse"]>;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new ConfigError(`${name}: expected ${expected}, got ${quoteInput(text)}: ${error.message}`, error);
  }
}

/** What a node would answer for an error: message and error code. Undefined for what it would answer with 500. */
export function refusalOf(error: unknown): string | undefined {
  const { condition, message } = answerOf(error);
  if (condition === "internal") return undefined;
  const isEmpty = error instanceof LedgerError && error.code === "no_ledger";
  return `${isEmpty ? NO_LEDGER : message} (${ERROR_CATALOGUE[condition].errorCode})`;
}
