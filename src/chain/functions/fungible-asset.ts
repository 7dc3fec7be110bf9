// Transfers of fungible assets between primary stores (`0x1::primary_fungible_store`) and between any two stores
// (`0x1::fungible_asset`, and `0x1::dispatchable_fungible_asset` for assets without functions of their own).
import { equalBytes } from "../../base/bytes.ts";
import { formatStructTag, type StructTag } from "../../move/type-tag.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { MoveAbort } from "./aborts.ts";
import { depositToStore, ensurePrimaryStore, readStore, withdrawFromStore } from "./fungible-stores.ts";
import { ADDRESS, type ModelledFunction, modelled, OBJECT, U64 } from "./modelled.ts";
import { isOwner } from "./object.ts";

const OBJECT_CORE = "0x1::object::ObjectCore";

/** The object has these resources, so that the type argument may be any of them. */
function assertType(type: StructTag, expected: string): void {
  const text = formatStructTag(type);
  if (text !== expected && text !== OBJECT_CORE) throw unmodelled(`an object as ${text}; use ${expected}`);
}

const primaryTransfer = modelled({
  module: "primary_fungible_store",
  name: "transfer",
  typeParameters: 1,
  parameters: [OBJECT, ADDRESS, U64],
  run: async (call, { sender, args: [metadata, to, amount], type }) => {
    assertType(type, "0x1::fungible_asset::Metadata");
    const source = await ensurePrimaryStore(call, sender, metadata);
    const target = await ensurePrimaryStore(call, to, metadata);
    await withdrawFromStore(call, source, amount);
    await depositToStore(call, target, amount);
  },
});

function storeTransfer(module: string): ModelledFunction {
  return modelled({
    module,
    name: "transfer",
    typeParameters: 1,
    parameters: [OBJECT, OBJECT, U64],
    run: async (call, { sender, args: [from, to, amount], type }) => {
      assertType(type, "0x1::fungible_asset::FungibleStore");
      const [source, target] = [await readStore(call, from), await readStore(call, to)];
      if (!(await isOwner(call, from, sender))) throw new MoveAbort("notStoreOwner");
      await withdrawFromStore(call, source, amount);
      if (!equalBytes(source.metadata, target.metadata)) throw new MoveAbort("otherAsset");
      await depositToStore(call, target, amount);
    },
  });
}

export const FUNGIBLE_ASSET: readonly ModelledFunction[] = [
  primaryTransfer,
  storeTransfer("fungible_asset"),
  storeTransfer("dispatchable_fungible_asset"),
];
