// From the JSON of a submission to the signed transaction.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonDocument } from "../../json/document.ts";
import { TransactionError } from "../errors.ts";
import type { RawTransaction } from "../raw.ts";
import type { UserTransaction } from "../user-transaction.ts";
import { parseTransactionRequest, type TransactionRequest } from "./request.ts";
import { asObject } from "./request-members.ts";
import { parseSignature, signatureMember } from "./signature-request.ts";

/** Makes the raw transaction of a request. */
type RawMaker = (request: TransactionRequest) => MaybePromise<RawTransaction>;

/** One submission of a document. Throws TransactionError, and what `makeRaw` throws. */
export async function parseSubmission(
  document: JsonDocument,
  makeRaw: RawMaker,
  value: number = document.root,
  path = "",
): Promise<UserTransaction> {
  const request = parseTransactionRequest(document, value, path);
  if (request.secondarySigners !== undefined || request.feePayer !== undefined) {
    throw new TransactionError(
      "request",
      "secondary_signers, fee_payer: a submission names further signers in its signature",
    );
  }
  const authenticator = parseSignature(signatureMember(asObject(document, value, path, ["signature"])));
  return { raw: await makeRaw(request), authenticator };
}

/** The submissions of a document that is an array, each to be parsed for itself. */
export function parseSubmissions(
  document: JsonDocument,
  makeRaw: RawMaker,
  most: number,
): (() => Promise<UserTransaction>)[] {
  const { root } = document;
  if (document.kind(root) !== "array")
    throw new TransactionError("request", "the body: expected an array of submissions");
  const count = document.count(root);
  if (count > most) throw tooMany(count, most);
  const out: (() => Promise<UserTransaction>)[] = [];
  for (let item = document.first(root); item < document.end(root); item = document.next(item)) {
    const path = `[${out.length}]`;
    out.push(() => parseSubmission(document, makeRaw, item, path));
  }
  return out;
}

/** The refusal of a batch that is too long. */
export function tooMany(count: number, most: number): TransactionError {
  return new TransactionError("invalid", `expected at most ${most} transactions in a batch, got ${count}`);
}
