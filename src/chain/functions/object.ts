// `0x1::object`: the transfer of an object by its owner, or by the owner of an object that owns it.
import { equalBytes } from "../../base/bytes.ts";
import type { ValueOf } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import type { objectCoreCodec, ResourceGroup } from "../../ledger/resources.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { formatStructTag } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { emitV1, emitV2, getMember, withMember } from "../effects.ts";
import { type Item, typeOf } from "../item.ts";
import { MoveAbort } from "./aborts.ts";
import type { CallState } from "./call-state.ts";
import { hasMember, OBJECT_CORE } from "./fungible-stores.ts";
import { ADDRESS, type ModelledFunction, modelled, OBJECT } from "./modelled.ts";

const TRANSFER = typeOf("0x1::object::Transfer");
const TRANSFER_EVENT = typeOf("0x1::object::TransferEvent");
const transferEventCodec = struct({ object: addressCodec, from: addressCodec, to: addressCodec });
/** Objects may own objects, this deep. */
const MAX_NESTING = 8;

/** An object with its resources. */
interface ObjectState {
  readonly item: Item<ResourceGroup>;
  readonly group: ResourceGroup;
  readonly core: ValueOf<typeof objectCoreCodec>;
}

async function readObject(call: CallState, address: Address): Promise<ObjectState | undefined> {
  const item = call.object(address);
  const group = await call.read(item);
  const core = getMember(group, OBJECT_CORE);
  return group === undefined || core === undefined ? undefined : { item, group, core };
}

/** True if an account owns an object, directly or through objects in between. */
export async function isOwner(call: CallState, object: Address, account: Address): Promise<boolean> {
  if (equalBytes(object, account)) return true;
  let found = await readObject(call, object);
  for (let depth = 1; found !== undefined; depth++) {
    const { owner } = found.core;
    if (equalBytes(owner, account)) return true;
    if (depth >= MAX_NESTING) throw new MoveAbort("objectNesting");
    found = await readObject(call, owner);
  }
  return false;
}

/** Aborts unless an account owns an object, and the object and those in between may be transferred by their owners. */
async function assertTransferable(call: CallState, object: ObjectState, account: Address): Promise<void> {
  let current = object;
  for (let depth = 1; ; depth++) {
    if (!current.core.allowUngatedTransfer) throw new MoveAbort("ungatedTransfer");
    const { owner } = current.core;
    if (equalBytes(owner, account)) return;
    if (depth >= MAX_NESTING) throw new MoveAbort("objectNesting");
    const above = await readObject(call, owner);
    if (above === undefined) throw new MoveAbort("notObjectOwner");
    current = above;
  }
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
    await assertTransferable(call, found, sender);
    const { item, group, core } = found;
    if (equalBytes(core.owner, to)) return;
    const data = { object, from: core.owner, to };
    let { transferEvents } = core;
    if (await call.hasFeature("moduleEvents")) emitV2(call, TRANSFER, transferEventCodec, data);
    else transferEvents = emitV1(call, transferEvents, TRANSFER_EVENT, transferEventCodec, data);
    call.write(item, withMember(group, OBJECT_CORE, { ...core, owner: to, transferEvents }));
  },
});

export const OBJECT_FUNCTIONS: readonly ModelledFunction[] = [transfer];
