// Objects: the resource that makes a group of resources one.

import { objectCoreCodec, type ResourceGroup } from "../ledger/resources.ts";
import type { Address } from "../move/address.ts";
import { member, withMember } from "./effects.ts";

/** First event number of an object; objects count from here so as not to meet accounts. */
const OBJECT_GUID_START = 0x4_0000_0000_0000n;

const OBJECT_CORE = member("0x1::object::ObjectCore", objectCoreCodec);

/** A new object at an address, with nothing in it but itself. */
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
