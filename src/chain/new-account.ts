// The first resource of an account and of an object.
import type { ValueOf } from "../bcs/codec.ts";
import type { AccountResource, EventHandle, objectCoreCodec } from "../ledger/items/resources.ts";
import type { Address } from "../move/address.ts";

/** First creation number of an object, above those of accounts. */
const OBJECT_GUID_START = 0x4_0000_0000_0000n;

export function newAccount(address: Address): AccountResource {
  const handle = (creationNumber: bigint): EventHandle => ({ counter: 0n, creationNumber, account: address });
  return {
    authenticationKey: address,
    sequenceNumber: 0n,
    guidCreationNumber: 2n,
    coinRegisterEvents: handle(0n),
    keyRotationEvents: handle(1n),
    rotationCapabilityOffer: undefined,
    signerCapabilityOffer: undefined,
  };
}

export function newObject(
  address: Address,
  owner: Address,
  { allowUngatedTransfer }: { readonly allowUngatedTransfer: boolean },
): ValueOf<typeof objectCoreCodec> {
  return {
    guidCreationNumber: OBJECT_GUID_START + 1n,
    owner,
    allowUngatedTransfer,
    transferEvents: { counter: 0n, creationNumber: OBJECT_GUID_START, account: address },
  };
}
