// The closed list of functions that submitted transactions can call.
import { formatAddress } from "../../move/address.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { APTOS_ACCOUNT } from "./aptos-account.ts";
import { COIN } from "./coin.ts";
import { FUNGIBLE_ASSET } from "./fungible-asset.ts";
import type { ModelledCall, ModelledFunction } from "./modelled.ts";
import { OBJECT_FUNCTIONS } from "./object.ts";

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
  if (found === undefined)
    throw unmodelled(
      `${path}; without a virtual machine the local chain runs ${MODELLED_FUNCTIONS.join(", ")}`,
    );
  return found.prepare(call);
}
