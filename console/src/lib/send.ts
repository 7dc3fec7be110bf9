// Sends transactions that a demo key signs, and waits for them.
import { type Answer, ApiError, ask, path } from "./api.ts";
import { fromHex, sign } from "./sign.ts";
import type { Transaction } from "./transactions.ts";

/** The request has every digit as text: puts a signature into that text. */
export function withSignature(request: string, signature: unknown): string {
  return `${request.trimEnd().slice(0, -1).trimEnd()},\n  "signature": ${JSON.stringify(signature)}\n}`;
}

/** The next sequence number of an account. */
export async function nextSequence(address: string, signal?: AbortSignal): Promise<string> {
  try {
    const { data } = await ask<Answer<"get_account">>(path("accounts", address), { signal });
    return data.sequence_number;
  } catch (error) {
    // An account that does not exist has not used any number.
    if (error instanceof ApiError && error.status === 404) return "0";
    throw error;
  }
}

const WAIT_MS = 700;
const MAX_WAITS = 60;

/** The transaction once it is in a block; undefined on a node that does not find transactions by their hash. */
export async function waitFor(hash: string): Promise<Transaction | undefined> {
  for (let turn = 0; turn < MAX_WAITS; turn++) {
    try {
      const { data } = await ask<Transaction>(path("transactions", "by_hash", hash));
      if (data.version !== undefined && data.type !== "pending_transaction") return data;
    } catch (error) {
      if (error instanceof ApiError && error.isNotServed) return undefined;
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(`the transaction ${hash} is not in a block yet`);
}

/** On a busy machine the account itself sends several times before a request arrives. */
const MAX_TRIES = 10;

/** Signs a request and sends it; resolves to its hash. */
async function signAndSend(request: string, privateKey: string): Promise<string> {
  const { data: bytes } = await ask<string>("transactions/encode_submission", { body: request });
  const { publicKey, signature } = await sign(privateKey, fromHex(bytes));
  const signed = { type: "ed25519_signature", public_key: publicKey, signature };
  const body = withSignature(request, signed);
  return (await ask<{ readonly hash: string }>("transactions", { body })).data.hash;
}

/** The demo accounts also send by themselves, so that the number in the form may be used by now. */
export async function sendNext(build: () => Promise<string>, privateKey: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await signAndSend(await build(), privateKey);
    } catch (error) {
      const isUsed = error instanceof ApiError && /SEQUENCE_NUMBER_TOO_OLD|sequence/i.test(error.message);
      if (!isUsed || attempt === MAX_TRIES) throw error;
    }
  }
}
