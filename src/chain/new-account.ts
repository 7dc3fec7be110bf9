// The Account resource of an address that had none.
import type { AccountResource, EventHandle } from "../ledger/resources.ts";
import type { Address } from "../move/address.ts";

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
