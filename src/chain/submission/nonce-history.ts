// Nonces that transactions used, until these have expired. They are kept in the state, so that a restart forgets none. A
// nonce is in one of a fixed number of table items, by its hash; expired ones are removed with the next write.
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

const BUCKETS = 256n;
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
  return tableItem(HANDLE, encodeWith(u64, BigInt(hash[0] ?? 0) % BUCKETS), bucketCodec);
}

/** True if the sender used the nonce in a transaction that has not expired. */
export async function isNonceUsed(call: CallState, used: UsedNonce, nowSecs: bigint): Promise<boolean> {
  const bucket = (await call.read(bucketItem(used))) ?? [];
  return bucket.some(
    ({ sender, nonce, expirationSecs }) =>
      nonce === used.nonce && expirationSecs >= nowSecs && equalBytes(sender, used.sender),
  );
}

/** Records a nonce. */
export async function useNonce(call: CallState, used: UsedNonce, nowSecs: bigint): Promise<void> {
  const item = bucketItem(used);
  const kept = ((await call.read(item)) ?? []).filter(({ expirationSecs }) => expirationSecs >= nowSecs);
  call.write(item, [...kept, used]);
}
