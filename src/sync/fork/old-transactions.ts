// Finds the network's transactions below a fork, by hash and by sender, and its blocks, by height and by time. The index
// here has only what was made here.
import { equalBytes } from "../../base/bytes.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { urlTo } from "../../interface/route.ts";
import {
  accountTransactionsRoute,
  blockByHeightRoute,
  transactionByHashRoute,
} from "../../interface/routes.ts";
import { decodePageInSlices, decodeRecord, recordTransactionHash } from "../../ledger/formats/record.ts";
import { senderOf, transactionOfOwner, transactionRows } from "../../ledger/indexes/transaction-rows.ts";
import type { OwnedKey, OwnedPage } from "../../ledger/view.ts";
import { addressFromBytes, formatAddress } from "../../move/address.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { UpstreamAnswer, UpstreamQuestion } from "../upstream/upstream.ts";

/** Transactions of an account in one answer, as in the reference. */
const MAX_SENT = 100;
/** Variant of a committed transaction in BCS; its record follows. */
const COMMITTED = 0;

export type AskNow = (question: UpstreamQuestion) => Promise<UpstreamAnswer>;

async function decoded<T>(what: string, read: () => MaybePromise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new UpstreamError("malformed", `${what} does not decode`, { cause: error });
  }
}

/** Index rows of the network's transactions up to a version; undefined for an owner of another kind. */
export async function oldTransactionKeys(
  ask: AskNow,
  owner: Uint8Array,
  { after, limit }: Pick<OwnedPage, "after" | "limit">,
  upTo: bigint,
): Promise<readonly OwnedKey[] | undefined> {
  const asked = transactionOfOwner(owner);
  if (asked === undefined) return undefined;
  if (asked.kind === "hash") return after === undefined ? keysOfHash(ask, asked.of, upTo) : [];
  // The reference lists no transactions with nonces either.
  return asked.kind === "nonce" ? [] : keysOfSender(ask, owner, { after, limit }, upTo);
}

async function keysOfHash(ask: AskNow, hash: Uint8Array, upTo: bigint): Promise<readonly OwnedKey[]> {
  const text = `0x${Buffer.from(hash).toString("hex")}`;
  const { bytes } = await ask({
    toUrl: (base) => urlTo(base, transactionByHashRoute, { txn_hash: text }),
    version: undefined,
    absentCode: "transaction_not_found",
  });
  if (bytes === undefined || bytes[0] !== COMMITTED) return [];
  const record = await decoded("a transaction", () => decodeRecord(bytes.subarray(1)));
  if (!equalBytes(recordTransactionHash(record.bytes), hash)) {
    throw new UpstreamError("malformed", "asked for a transaction by its hash, got another one");
  }
  // The network went on: what came after the fork is not part of it.
  if (record.version > upTo) return [];
  return transactionRows(record.version, record.bytes).slice(0, 1);
}

async function keysOfSender(
  ask: AskNow,
  owner: Uint8Array,
  { after, limit }: Pick<OwnedPage, "after" | "limit">,
  upTo: bigint,
): Promise<readonly OwnedKey[]> {
  const address = formatAddress(addressFromBytes(owner.subarray(1)));
  const start = after === undefined ? 0n : Buffer.from(after).readBigUInt64BE() + 1n;
  const count = Math.min(limit, MAX_SENT);
  const { bytes } = await ask({
    toUrl: (base) => urlTo(base, accountTransactionsRoute, { address, start, limit: count }),
    version: undefined,
    absentCode: "account_not_found",
  });
  if (bytes === undefined) return [];
  const records = await decoded("a page of transactions", () => decodePageInSlices(bytes, count));
  return records.flatMap(({ version, bytes: record }) => {
    const sent = version > upTo ? undefined : senderOf(record);
    if (sent === undefined || sent.nonce !== undefined || !equalBytes(sent.sender, owner.subarray(1)))
      return [];
    return transactionRows(version, record).slice(1);
  });
}

/** The first version of the network's block at a height; undefined if there is none. */
export async function oldBlockStart(ask: AskNow, height: bigint): Promise<bigint | undefined> {
  const { bytes } = await ask({
    toUrl: (base) =>
      urlTo(base, blockByHeightRoute, { block_height: `${height}`, with_transactions: "false" }),
    version: undefined,
    absentCode: "block_not_found",
  });
  if (bytes === undefined) return undefined;
  return decoded("a block", () => {
    const reader = new BcsReader(bytes);
    if (reader.u64() !== height) throw new UpstreamError("malformed", "asked for a block, got another one");
    reader.skip(32);
    reader.u64();
    return reader.u64();
  });
}
