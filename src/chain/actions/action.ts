// An unsigned user transaction: its sender and its call.
import { type Codec, encodeWith } from "../../bcs/codec.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import type { StructTag, TypeTag } from "../../move/type-tag.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import type { Script } from "../../transaction/script.ts";
import type { ChainItems } from "../chain-items.ts";
import type { DemoAccountName } from "../demo/demo-accounts.ts";
import type { Random } from "../random.ts";
import type { WorkingState } from "../working-state.ts";

/** Everything that the choice of an action depends on. */
export interface ActionContext {
  readonly state: WorkingState;
  readonly items: ChainItems;
  readonly random: Random;
}

/** The payload of an action. */
export type Call =
  | { readonly kind: "entryFunction"; readonly entryFunction: EntryFunction }
  | { readonly kind: "script"; readonly script: Script };

/** An unsigned transaction. */
export interface Action {
  readonly sender: DemoAccountName;
  /** Second signer of a multi-agent transaction. */
  readonly cosigner?: DemoAccountName;
  /** Pays for the gas in the place of the sender, who then uses a nonce. */
  readonly feePayer?: DemoAccountName;
  readonly call: Call;
}

/** Makes an action; undefined if the current state does not allow it. */
export type ActionMaker = (context: ActionContext) => Action | undefined;

/** A struct type as a type argument. */
export function structType(struct: StructTag): TypeTag {
  return { kind: "struct", struct };
}

/** BCS of an argument. */
export function argument<T>(codec: Codec<T>, value: T): Uint8Array {
  return encodeWith(codec, value);
}

/** Call of an entry function, at `0x1` unless the target has an address. */
export function entryCall(
  target: { readonly address?: Address; readonly module: string; readonly function: string },
  typeArgs: readonly TypeTag[],
  args: readonly Uint8Array[],
): Call {
  const address = target.address ?? FRAMEWORK;
  const module = { address, name: target.module };
  return { kind: "entryFunction", entryFunction: { module, function: target.function, typeArgs, args } };
}
