// The whole way from the JSON of a transaction request to the bytes to sign.
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonDocument } from "../json/document.ts";
import { parseJson } from "../json/parse.ts";
import { createRawTransaction, type EncodeContext } from "./requests/raw-from-request.ts";
import { parseTransactionRequest } from "./requests/request.ts";
import { signingMessage } from "./signing-message.ts";

/**
 * The signing message of a transaction request. Throws JsonError when the body is not JSON and
 * TransactionError when it is not a request (`request`) or not one that can be encoded (`invalid`); what
 * the module loader throws passes through.
 */
export function encodeSubmission(
  body: Uint8Array | JsonDocument,
  context: EncodeContext,
): MaybePromise<Uint8Array> {
  const request = parseTransactionRequest(body instanceof Uint8Array ? parseJson(body) : body);
  return andThen(createRawTransaction(request, context), (transaction) =>
    signingMessage(transaction, request.secondarySigners, request.feePayer),
  );
}
