// Nonces that transactions used. They are kept in the state, so that a restart forgets none. The rule is that of the
// network; the layout is this chain's own: a nonce is in one of a fixed number of table items, by its hash.
import { equalBytes } from "../../base/bytes.ts";
import { sha3, sha3Parts } from "../../base/sha3.ts";
import { encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { type Address, addressFromBytes } from "../../move/address.ts";
import { addressCodec } from "../../move/wire.ts";
import type { CallState } from "../functions/call-state.ts";
import { type Item, tableItem } from "../item.ts";

/** Enough that a bucket stays short: a block adds at most a few thousand nonces, and a nonce stays for two minutes. */
const BUCKETS = 65_536n;
/** A transaction with a nonce expires at most this long after the ledger's time. */
export const MAX_NONCE_SECS = 65n;
/** Two transactions with one nonce expire at least this far apart; until then the first one is remembered. */
const OVERLAP_SECS = 65n;
const bucketCodec = vector(struct({ sender: addressCodec, nonce: u64, expirationSecs: u64 }));
type Bucket = ValueOf<typeof bucketCodec>;
const HANDLE = addressFromBytes(sha3(new TextEncoder().encode("local chain/nonces")));

/** A nonce of a sender. */
export interface UsedNonce {
  readonly sender: Address;
  readonly nonce: bigint;
  readonly expirationSecs: bigint;
}

function bucketItem({ sender, nonce }: UsedNonce): Item<Bucket> {
  const hash = sha3Parts(sender, encodeWith(u64, nonce));
  const bucket = BigInt(((hash[0] ?? 0) << 8) | (hash[1] ?? 0)) % BUCKETS;
  return tableItem(HANDLE, encodeWith(u64, bucket), bucketCodec);
}

/** True if the sender used the nonce, and a transaction that expires as given may not use it again. */
export async function isNonceUsed(call: CallState, used: UsedNonce, nowSecs: bigint): Promise<boolean> {
  const bucket = (await call.read(bucketItem(used))) ?? [];
  return bucket.some(
    ({ sender, nonce, expirationSecs }) =>
      nonce === used.nonce &&
      equalBytes(sender, used.sender) &&
      (expirationSecs >= nowSecs || used.expirationSecs <= expirationSecs + OVERLAP_SECS),
  );
}

/** Records a nonce, and forgets those in its bucket that no transaction can repeat. */
export async function useNonce(call: CallState, used: UsedNonce, nowSecs: bigint): Promise<void> {
  const item = bucketItem(used);
  const kept = ((await call.read(item)) ?? []).filter(
    ({ sender, nonce, expirationSecs }) =>
      expirationSecs + OVERLAP_SECS >= nowSecs && !(nonce === used.nonce && equalBytes(sender, used.sender)),
  );
  call.write(item, [...kept, used]);
}
