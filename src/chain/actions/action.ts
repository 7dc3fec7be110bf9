// An unsigned user transaction: its sender, its call and its changes.
import { type Codec, encodeWith } from "../../bcs/codec.ts";
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import type { StructTag, TypeTag } from "../../move/type-tag.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import type { Script } from "../../transaction/script.ts";
import type { DemoAccountName } from "../demo-accounts.ts";
import type { BlockState, Effects } from "../effects.ts";
import type { Random } from "../random.ts";
import type { Movement } from "../wallet.ts";

/** Everything that the choice of an action depends on. */
export interface ActionContext extends BlockState {
  readonly random: Random;
  /** Fee that the sender will pay. */
  readonly fee: bigint;
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
  readonly call: Call;
  readonly movements: readonly Movement[];
  /** Further changes, before the fee. */
  readonly change?: (effects: Effects) => void;
  /** Changes after the fee. */
  readonly close?: (effects: Effects) => void;
  /** Set if the call fails; then only the fee and the sequence number change the state. */
  readonly failure?: ExecutionStatus;
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
