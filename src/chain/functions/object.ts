// `0x1::object`: the transfer of an object by its owner, or by the owner of an object that owns it.
import { equalBytes } from "../../base/bytes.ts";
import { struct } from "../../bcs/records.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { formatStructTag } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { emitV1, getMember, withMember } from "../effects.ts";
import { typeOf } from "../item.ts";
import { MoveAbort } from "./aborts.ts";
import type { CallState } from "./call-state.ts";
import { hasMember, OBJECT_CORE } from "./fungible-stores.ts";
import { ADDRESS, type ModelledFunction, modelled, OBJECT } from "./modelled.ts";

const TRANSFER_EVENT = typeOf("0x1::object::TransferEvent");
const transferEventCodec = struct({ object: addressCodec, from: addressCodec, to: addressCodec });
/** Objects may own objects, this deep. */
const MAX_NESTING = 8;
const UNTRANSFERABLE = "0x1::object::Untransferable";

async function readObject(call: CallState, address: Address) {
  const item = call.object(address);
  const group = await call.read(item);
  const core = getMember(group, OBJECT_CORE);
  return group === undefined || core === undefined ? undefined : { item, group, core };
}

/** True if an account owns an object, directly or through objects in between. */
export async function isOwner(call: CallState, object: Address, account: Address): Promise<boolean> {
  let owned = object;
  for (let depth = 0; depth <= MAX_NESTING; depth++) {
    const found = await readObject(call, owned);
    if (found === undefined) return false;
    if (equalBytes(found.core.owner, account)) return true;
    owned = found.core.owner;
  }
  throw unmodelled(`the object ${formatAddress(object)} below more than ${MAX_NESTING} others`);
}

const transfer = modelled({
  module: "object",
  name: "transfer",
  typeParameters: 1,
  parameters: [OBJECT, ADDRESS],
  run: async (call, { sender, args: [object, to], type }) => {
    const found = await readObject(call, object);
    if (found === undefined || !hasMember(found.group, formatStructTag(type)))
      throw unmodelled(`there is no object of type ${formatStructTag(type)} at ${formatAddress(object)}`);
    const { item, group, core } = found;
    if (!core.allowUngatedTransfer || hasMember(group, UNTRANSFERABLE))
      throw new MoveAbort("ungatedTransfer");
    if (!(await isOwner(call, object, sender))) throw new MoveAbort("notObjectOwner");
    // A transfer through an object in between needs that one to be transferable too; only direct owners are modelled.
    if (!equalBytes(core.owner, sender))
      throw unmodelled("the transfer of an object that another object owns");
    if (equalBytes(core.owner, to)) return;
    const transferEvents = emitV1(call, core.transferEvents, TRANSFER_EVENT, transferEventCodec, {
      object,
      from: core.owner,
      to,
    });
    call.write(item, withMember(group, OBJECT_CORE, { ...core, owner: to, transferEvents }));
  },
});

export const OBJECT_FUNCTIONS: readonly ModelledFunction[] = [transfer];
