// Objects: a resource group with an ObjectCore.
import { objectCoreCodec, type ResourceGroup } from "../ledger/resources.ts";
import type { Address } from "../move/address.ts";
import { member, withMember } from "./effects.ts";

/** First creation number of an object, above those of accounts. */
const OBJECT_GUID_START = 0x4_0000_0000_0000n;

const OBJECT_CORE = member("0x1::object::ObjectCore", objectCoreCodec);

/** A new object that holds only its ObjectCore. */
export function createObject(
  address: Address,
  owner: Address,
  { allowUngatedTransfer }: { readonly allowUngatedTransfer: boolean },
): ResourceGroup {
  return withMember([], OBJECT_CORE, {
    guidCreationNumber: OBJECT_GUID_START + 1n,
    owner,
    allowUngatedTransfer,
    transferEvents: { counter: 0n, creationNumber: OBJECT_GUID_START, account: address },
  });
}
