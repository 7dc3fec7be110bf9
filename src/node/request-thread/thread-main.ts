// The thread for large submissions: it parses and encodes one body at a time and asks the node for what the ledger holds.
import { parentPort } from "node:worker_threads";
import { CodedError, errorText } from "../../base/errors.ts";
import { toHex } from "../../base/hex.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { MIN_LENT_BYTES } from "../../http/transport/lent-bytes.ts";
import { JsonError } from "../../json/errors.ts";
import { parseJson } from "../../json/parse.ts";
import type { Address } from "../../move/address.ts";
import { ModuleError, MoveError } from "../../move/errors.ts";
import { ModuleCache, type StoredModule } from "../../move/module-cache.ts";
import { encodeSubmission } from "../../transaction/encode-submission.ts";
import { TransactionError } from "../../transaction/errors.ts";
import { explainSubmission } from "../../transaction/explain/explain.ts";
import type { RawTransaction } from "../../transaction/raw.ts";
import { createRawTransaction } from "../../transaction/requests/raw-from-request.ts";
import type { TransactionRequest } from "../../transaction/requests/request.ts";
import { parseSubmission, parseSubmissions } from "../../transaction/requests/submission-request.ts";
import { SubmissionError } from "../../transaction/submission-error.ts";
import { type UserTransaction, userTransactionCodec } from "../../transaction/user-transaction.ts";
import {
  type LedgerQuestion,
  type LedgerReply,
  MAX_BATCH,
  type SentError,
  type ThreadOrder,
  type ThreadReport,
} from "./messages.ts";

/** Smaller than the node's own: few functions are called with large arguments. */
const MODULE_CACHE_BYTES = 16 << 20;
/** Bytes that are printed at once, so that their text stays small. */
const HEX_BYTES = 64 << 10;

const port = parentPort;
if (port === null) throw new Error("this file runs as a thread of a node");
const modules = new ModuleCache({ maxBytes: MODULE_CACHE_BYTES });
let onReply: ((reply: LedgerReply) => void) | undefined;

type Done = Extract<ThreadReport, { kind: "done" }>;
type TaskOrder = Extract<ThreadOrder, { kind: "task" }>;

/** Buffers in `given` go to the node without a copy. */
function report(message: ThreadReport, given: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, given);
}

function buffersOf(result: Done["result"]): ArrayBuffer[] {
  const all = typeof result === "string" ? [] : result instanceof Uint8Array ? [result] : result;
  return all.flatMap((one) => (one instanceof Uint8Array ? [one.buffer as ArrayBuffer] : []));
}

/** The bytes alone: a message takes the whole buffer of a view along. */
function alone(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** Memory for a printed result. A slow client must not hold much more than its result has. */
function memoryFor(sizeBytes: number, { memory, mayShare }: TaskOrder): ArrayBufferLike {
  // Its memory would not come back.
  if (sizeBytes <= MIN_LENT_BYTES) return new ArrayBuffer(sizeBytes);
  if (sizeBytes <= memory.byteLength && memory.byteLength <= 2 * sizeBytes) return memory;
  return mayShare ? new SharedArrayBuffer(sizeBytes) : new ArrayBuffer(sizeBytes);
}

/** Bytes as a JSON string of hex. */
function printed(bytes: Uint8Array, order: TaskOrder): Uint8Array {
  const sizeBytes = 2 * bytes.length + '"0x"'.length;
  const text = Buffer.from(memoryFor(sizeBytes, order), 0, sizeBytes);
  let at = text.write('"0x', "latin1");
  for (let from = 0; from < bytes.length; from += HEX_BYTES) {
    at += text.write(toHex(bytes.subarray(from, from + HEX_BYTES)), at, "latin1");
  }
  text.write('"', at, "latin1");
  return text;
}

function ask(question: LedgerQuestion): Promise<LedgerReply> {
  return new Promise((resolve) => {
    onReply = resolve;
    report({ kind: "question", question });
  });
}

/** Questions go one after the other. */
let turn: Promise<unknown> = Promise.resolve();
function askInTurn(question: LedgerQuestion): Promise<LedgerReply> {
  const reply = turn.then(() => ask(question));
  turn = reply;
  return reply;
}

const loadModule = modules.createLoader(
  async ({ address, name }) =>
    (await askInTurn({ kind: "module", address: alone(address), name })) as StoredModule | undefined,
);
const accounts = {
  sequenceNumber: async (address: Address) =>
    (await askInTurn({ kind: "sequenceNumber", address: alone(address) })) as bigint | undefined,
  balance: async (owner: Address, asset: string) =>
    (await askInTurn({ kind: "balance", owner: alone(owner), asset })) as bigint | undefined,
};

async function work(order: TaskOrder): Promise<Done["result"]> {
  const { kind, body, chainId, timestampUsec } = order.task;
  const context = { chainId, loadModule };
  const makeRaw = async (request: TransactionRequest): Promise<RawTransaction> =>
    createRawTransaction(request, context);
  switch (kind) {
    case "encode":
      return alone(await encodeSubmission(body, context));
    case "encodeText":
      return printed(await encodeSubmission(body, context), order);
    case "explain":
      return JSON.stringify(await explainSubmission(body, { ...context, timestampUsec, accounts }));
    case "submission":
      return toBytes(await parseSubmission(parseJson(body), makeRaw));
    case "submissions": {
      const results: (Uint8Array | SentError)[] = [];
      for (const parse of parseSubmissions(parseJson(body), makeRaw, MAX_BATCH)) {
        results.push(await parse().then(toBytes, sent));
      }
      return results;
    }
  }
}

function toBytes(transaction: UserTransaction): Uint8Array {
  return alone(encodeWith(userTransactionCodec, transaction));
}

function roomOf(error: unknown): SentError["room"] {
  if (error instanceof JsonError) return "json";
  if (error instanceof MoveError) return "move";
  if (error instanceof ModuleError) return "module";
  if (error instanceof SubmissionError) return "submission";
  return error instanceof TransactionError ? "transaction" : "other";
}

function sent(error: unknown): SentError {
  const coded = error instanceof CodedError ? error : undefined;
  return {
    room: roomOf(error),
    code: coded?.code ?? "",
    message: errorText(error),
    details: coded?.details ?? {},
  };
}

function reportResult(result: Done["result"], { memory: given }: TaskOrder): void {
  if (result instanceof Uint8Array && result.buffer instanceof SharedArrayBuffer) {
    const memory = result.buffer === given ? undefined : result.buffer;
    report({ kind: "printed", memory, sizeBytes: result.length });
  } else report({ kind: "done", result }, buffersOf(result));
}

port.on("message", (order: ThreadOrder) => {
  if (order.kind === "reply") {
    onReply?.(order.reply);
    return;
  }
  turn = Promise.resolve();
  work(order).then(
    (result) => reportResult(result, order),
    (error: unknown) => report({ kind: "failed", error: sent(error) }),
  );
});
