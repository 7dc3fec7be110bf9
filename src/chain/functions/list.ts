// The closed list of functions that submitted transactions can call, with those of coins (`0x1::coin`, and the faucet's
// mint in `0x1::aptos_coin`) and of fungible assets.
import { equalBytes } from "../../base/bytes.ts";
import { formatAddress } from "../../move/address.ts";
import { formatStructTag, type StructTag } from "../../move/type-tag.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { MoveAbort } from "./aborts.ts";
import { APTOS_ACCOUNT } from "./aptos-account.ts";
import { mintCoin, NATIVE_COIN, transferCoin } from "./coins.ts";
import { depositToStore, ensurePrimaryStore, readStore, withdrawFromStore } from "./fungible-stores.ts";
import { ADDRESS, type ModelledCall, type ModelledFunction, modelled, OBJECT, U64 } from "./modelled.ts";
import { isOwner, OBJECT_FUNCTIONS } from "./object.ts";

const transfer = modelled({
  module: "coin",
  name: "transfer",
  typeParameters: 1,
  parameters: [ADDRESS, U64],
  run: (call, { sender: from, args: [to, amount], type }) => transferCoin(call, type, { from, to, amount }),
});

const mint = modelled({
  module: "aptos_coin",
  name: "mint",
  parameters: [ADDRESS, U64],
  run: async (call, { sender, args: [to, amount] }) => {
    if (!equalBytes(sender, call.faucet)) throw new MoveAbort("noMintCapability");
    await mintCoin(call, NATIVE_COIN, to, amount);
  },
});

const COIN: readonly ModelledFunction[] = [transfer, mint];

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

/**
 * Transfers between primary stores, and between any two stores: `dispatchable_fungible_asset` for assets without functions
 * of their own.
 */
const FUNGIBLE_ASSET: readonly ModelledFunction[] = [
  primaryTransfer,
  storeTransfer("fungible_asset"),
  storeTransfer("dispatchable_fungible_asset"),
];

const FUNCTIONS: ReadonlyMap<string, ModelledFunction> = new Map(
  [...APTOS_ACCOUNT, ...COIN, ...FUNGIBLE_ASSET, ...OBJECT_FUNCTIONS].map((definition) => [
    `0x1::${definition.module}::${definition.name}`,
    definition,
  ]),
);

/** Paths of the modelled functions. */
const MODELLED_FUNCTIONS: readonly string[] = [...FUNCTIONS.keys()];

/** The model of a call. Throws SubmissionError if there is none, or if the arguments do not fit. */
export function prepareCall(call: EntryFunction): ModelledCall {
  const path = `${formatAddress(call.module.address)}::${call.module.name}::${call.function}`;
  const found = FUNCTIONS.get(path);
  if (found === undefined) throw unmodelled(`${path}; the local chain runs ${MODELLED_FUNCTIONS.join(", ")}`);
  return found.prepare(call);
}
