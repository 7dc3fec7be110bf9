// The thread for large submissions: it parses and encodes one body at a time and asks the node for what the ledger holds.
import { parentPort } from "node:worker_threads";
import { encodeWith } from "../../bcs/codec.ts";
import { answerOf } from "../../http/error-answer.ts";
import { parseJson } from "../../json/parse.ts";
import { ModuleCache } from "../../move/module-cache.ts";
import { encodeSubmission } from "../../transaction/encode-submission.ts";
import { explainSubmission } from "../../transaction/explain/explain.ts";
import type { RawTransaction } from "../../transaction/raw.ts";
import { createRawTransaction } from "../../transaction/requests/raw-from-request.ts";
import type { TransactionRequest } from "../../transaction/requests/request.ts";
import { parseSubmission, parseSubmissions } from "../../transaction/requests/submission-request.ts";
import { type UserTransaction, userTransactionCodec } from "../../transaction/user-transaction.ts";
import { RemoteCalls } from "../workers/remote-calls.ts";
import { type LedgerFunctions, MAX_BATCH, type ThreadFunctions } from "./messages.ts";

/** Smaller than the node's own: few functions are called with large arguments. */
const MODULE_CACHE_BYTES = 16 << 20;

const port = parentPort;
if (port === null) throw new Error("this file runs as a thread of a node");

/** The bytes alone: a message takes the whole buffer of a view along. */
function alone(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function toBytes(transaction: UserTransaction): Uint8Array {
  return alone(encodeWith(userTransactionCodec, transaction));
}

const modules = new ModuleCache({ maxBytes: MODULE_CACHE_BYTES });
const loadModule = modules.createLoader(({ address, name }) =>
  node.call("module", { address: alone(address), name }),
);
const accounts: Parameters<typeof explainSubmission>[1]["accounts"] = {
  sequenceNumber: (address) => node.call("sequenceNumber", alone(address)),
  balance: (owner, asset) => node.call("balance", { owner: alone(owner), asset }),
};

function rawMaker(chainId: number): (request: TransactionRequest) => Promise<RawTransaction> {
  return async (request) => createRawTransaction(request, { chainId, loadModule });
}

const own: ThreadFunctions = {
  encode: async ({ body, chainId }) => alone(await encodeSubmission(body, { chainId, loadModule })),
  explain: async ({ body, ...facts }) =>
    JSON.stringify(await explainSubmission(body, { ...facts, loadModule, accounts })),
  submission: async ({ body, chainId }) => toBytes(await parseSubmission(parseJson(body), rawMaker(chainId))),
  submissions: async ({ body, chainId }) => {
    const parsers = parseSubmissions(parseJson(body), rawMaker(chainId), MAX_BATCH);
    return Promise.all([...parsers].map((parse) => parse().then(toBytes, answerOf)));
  },
};

const node = new RemoteCalls<LedgerFunctions>((message) => port.postMessage(message), own);
port.on("message", node.take);
