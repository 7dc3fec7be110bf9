// Submissions of a follower go to its first upstream, and so does the question for a transaction that waits. Nothing of an
// upstream's response reaches a client as it came: a hash is our own, an error is told in our own words and status.
import { toHex, toPrefixedHex } from "../../base/hex.ts";
import { RecentMap } from "../../base/recent.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { AnsweredError, type ErrorAnswer } from "../../http/error-answer.ts";
import type { Condition } from "../../http/error-catalogue.ts";
import { HttpError } from "../../http/errors.ts";
import type { PendingTransaction, SubmissionBody, SubmissionHandler } from "../../http/services.ts";
import { recordCodec } from "../../ledger/formats/record.ts";
import { transactionCodec, transactionHash } from "../../ledger/formats/transaction.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { UpstreamError } from "../../sync/upstream/errors.ts";
import { Transport, type UpstreamResponse } from "../../sync/upstream/transport.ts";
import { type UserTransaction, userTransactionCodec } from "../../transaction/user-transaction.ts";
import { type BodyParts, decodeBatch, decodeBody } from "../submissions/bodies.ts";

export interface UpstreamSubmissionsOptions extends BodyParts {
  /** Base URL of the upstream, with `/v1`. */
  readonly target: URL;
  /** Such as the upstream's API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why the upstream is not asked just now; undefined when it is. */
  readonly refusal: () => string | undefined;
}

const TIMEOUTS = { connectMs: 3_000, firstByteMs: 8_000, stallMs: 3_000, totalMs: 10_000 };
/** A committed transaction with its events and changes, or an error. */
const MAX_RESPONSE_BYTES = 8 << 20;
/** Submissions of all clients, and of one client, that wait for the upstream. */
const MAX_WAITING = 64;
const MAX_WAITING_OF_CLIENT = 8;
/** Questions by hash at a time: fewer than the transport has connections, so that they never take them all. */
const MAX_QUESTIONS = 8;
const MAX_SHOWN_CHARS = 300;
/** Transactions that the upstream took are remembered: it may be out of reach when their sender asks for them. */
const REMEMBERED_BYTES = 4 << 20;
const SIGNED_BCS = "application/x.aptos.signed_transaction+bcs";
const NEVER = new AbortController().signal;

/** The error codes of submissions, by the condition that this node answers with. */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  vm_error: "refused_transaction",
  invalid_input: "invalid_transaction",
  invalid_transaction_update: "transaction_update",
  sequence_number_too_old: "sequence_number_too_old",
  mempool_is_full: "mempool_full",
};

export class UpstreamSubmissions implements SubmissionHandler {
  readonly #options: UpstreamSubmissionsOptions;
  readonly #transport = new Transport(TIMEOUTS);
  /** Submissions that wait, by client. */
  readonly #waiting = new Map<string, number>();
  #count = 0;
  #questions = 0;
  /** By the hex of the hash. */
  readonly #handedOn = new RecentMap<string, { readonly bytes: Uint8Array; readonly expirationSecs: bigint }>(
    {
      maxBytes: REMEMBERED_BYTES,
      sizeOf: (_, { bytes }) => bytes.length + 256,
    },
  );

  constructor(options: UpstreamSubmissionsOptions) {
    this.#options = options;
  }

  async submit(body: SubmissionBody, view: LedgerView, client: string): Promise<PendingTransaction> {
    return this.#send(await decodeBody(this.#options, body, view), client);
  }

  async submitBatch(body: SubmissionBody, view: LedgerView, client: string): Promise<readonly unknown[]> {
    const errors: unknown[] = [];
    for (const parse of await decodeBatch(this.#options, body, view)) {
      try {
        await this.#send(await parse(), client);
        errors.push(undefined);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  /**
   * A transaction that the upstream knows and this node's ledger does not have yet: its bytes prove that it has the hash.
   * One that the upstream took here waits until it expires. Throws HttpError if the upstream does not say.
   */
  async pendingTransaction(hash: Uint8Array): Promise<PendingTransaction | undefined> {
    const handedOn = this.#handedOn.get(toHex(hash));
    const isWaiting =
      handedOn !== undefined && handedOn.expirationSecs > BigInt(Math.floor(Date.now() / 1000));
    if (isWaiting) return { hash, bytes: handedOn.bytes };
    const refusal = this.#options.refusal();
    if (refusal !== undefined) throw new HttpError("unavailable", refusal);
    if (this.#questions >= MAX_QUESTIONS) {
      throw new HttpError("overloaded", `${MAX_QUESTIONS} questions wait for the upstream`, {
        headers: ["Retry-After", "1"],
      });
    }
    this.#questions++;
    try {
      const path = `transactions/by_hash/${toPrefixedHex(hash)}`;
      const { status, body } = await this.#ask("GET", path, { accept: "application/x-bcs" });
      if (status === 404) return undefined;
      const bytes = status === 200 ? signedIn(body) : undefined;
      if (bytes !== undefined && Buffer.compare(hashOf(bytes), hash) === 0) return { hash, bytes };
    } catch (error) {
      if (!(error instanceof UpstreamError || error instanceof BcsError)) throw error;
    } finally {
      this.#questions--;
    }
    throw new HttpError("unavailable", "the upstream does not say whether it has the transaction");
  }

  close(): void {
    this.#transport.close();
  }

  async #send(transaction: UserTransaction, client: string): Promise<PendingTransaction> {
    const refusal = this.#options.refusal();
    if (refusal !== undefined) throw new HttpError("unavailable", refusal);
    const waiting = this.#waiting.get(client) ?? 0;
    if (this.#count >= MAX_WAITING || waiting >= MAX_WAITING_OF_CLIENT) {
      throw new HttpError("overloaded", `${waiting} of this client's submissions wait for the upstream`, {
        headers: ["Retry-After", "1"],
      });
    }
    this.#waiting.set(client, waiting + 1);
    this.#count++;
    const bytes = encodeWith(userTransactionCodec, transaction);
    try {
      const headers = { accept: "application/json", "content-type": SIGNED_BCS };
      const response = await this.#ask("POST", "transactions", headers, bytes);
      if (response.status !== 202) throw new AnsweredError(faultIn(response));
      const hash = hashOf(bytes);
      if (!isAccepted(response, hash)) throw unclear(undefined);
      const { expirationTimestampSecs: expirationSecs } = transaction.raw;
      this.#handedOn.set(toHex(hash), { bytes, expirationSecs });
      return { hash, bytes };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      throw unclear(error);
    } finally {
      this.#count--;
      const left = (this.#waiting.get(client) ?? 1) - 1;
      if (left > 0) this.#waiting.set(client, left);
      else this.#waiting.delete(client);
    }
  }

  #ask(
    method: "GET" | "POST",
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: Uint8Array,
  ): Promise<UpstreamResponse> {
    const { target, headers: own } = this.#options;
    return this.#transport.request({
      method,
      url: new URL(path, `${target.href.replace(/\/$/, "")}/`),
      headers: { ...own, ...headers },
      ...(body === undefined ? {} : { body }),
      maxBytes: MAX_RESPONSE_BYTES,
      signal: NEVER,
    });
  }
}

function unclear(cause: unknown): HttpError {
  return new HttpError("unavailable", "the upstream did not answer; it may have taken the transaction", {
    cause,
  });
}

/** True if the upstream says that it took the transaction of this hash. */
function isAccepted({ body }: UpstreamResponse, hash: Uint8Array): boolean {
  try {
    return Object(JSON.parse(Buffer.from(body).toString())).hash === toPrefixedHex(hash);
  } catch {
    return false;
  }
}

function hashOf(signed: Uint8Array): Uint8Array {
  const transaction = decodeWith(userTransactionCodec, signed);
  return transactionHash(encodeWith(transactionCodec, { kind: "user", transaction }));
}

/** The signed transaction in an answer by hash: 1 and the transaction while it waits, else 0 and its record. */
function signedIn(body: Uint8Array): Uint8Array | undefined {
  const rest = Uint8Array.from(body.subarray(1));
  if (body[0] === 1) return rest;
  const { transaction } = decodeWith(recordCodec, rest);
  return transaction.kind === "user" ? encodeWith(userTransactionCodec, transaction.transaction) : undefined;
}

/** An upstream's refusal in our own words. */
function faultIn({ status, body }: UpstreamResponse): ErrorAnswer {
  const silent: ErrorAnswer = {
    condition: "unavailable",
    message: `the upstream answered ${status} to the submission`,
    headers: [],
  };
  let told: Partial<Record<string, unknown>>;
  try {
    told = Object(JSON.parse(Buffer.from(body).toString()));
  } catch {
    return silent;
  }
  const condition = CONDITIONS[`${told.error_code}`];
  if (condition === undefined || status < 400) return silent;
  const message = `${told.message}`.slice(0, MAX_SHOWN_CHARS).replace(/[\p{Cc}\s]+/gu, " ");
  const code = told.vm_error_code;
  const extra = Number.isSafeInteger(code) ? { vm_error_code: code } : {};
  return { condition, message: `the upstream refused the transaction: ${message}`, headers: [], extra };
}
