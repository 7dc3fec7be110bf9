// One user transaction before it is signed: who sends it, what it calls and what it changes.
import { type Codec, encodeWith } from "../../bcs/codec.ts";
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import type { StructTag, TypeTag } from "../../move/type-tag.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import type { Script } from "../../transaction/script.ts";
import type { DemoAccountName } from "../demo-accounts.ts";
import type { BlockState, Effects } from "../effects.ts";
import type { Random } from "../random.ts";
import type { Movement } from "../wallet.ts";

/** What an action is chosen on. */
export interface ActionContext {
  readonly blockState: BlockState;
  readonly random: Random;
  /** What the sender will be charged. */
  readonly fee: bigint;
}

/** What is called. */
export type Call =
  | { readonly kind: "entryFunction"; readonly entryFunction: EntryFunction }
  | { readonly kind: "script"; readonly script: Script };

/** A transaction to be. */
export interface Action {
  readonly sender: DemoAccountName;
  /** Signs too: a multi-agent transaction. */
  readonly cosigner?: DemoAccountName;
  readonly call: Call;
  readonly movements: readonly Movement[];
  /** What else changes, before the fee is taken. */
  readonly change?: (effects: Effects) => void;
  /** What changes last, after the fee. */
  readonly close?: (effects: Effects) => void;
  /** Set when the call fails: then only fee and sequence number change. */
  readonly failure?: ExecutionStatus;
}

/** Makes an action; undefined when the state does not allow it now. */
export type ActionMaker = (context: ActionContext) => Action | undefined;

/** A struct type as an argument. */
export function structType(struct: StructTag): TypeTag {
  return { kind: "struct", struct };
}

/** BCS of an argument. */
export function argument<T>(codec: Codec<T>, value: T): Uint8Array {
  return encodeWith(codec, value);
}

/** A call of `0x1::module::function`, or of a module elsewhere. */
export function entryCall(
  target: { readonly address?: Address; readonly module: string; readonly function: string },
  typeArgs: readonly TypeTag[],
  args: readonly Uint8Array[],
): Call {
  const address = target.address ?? parseAddress("0x1");
  const module = { address, name: target.module };
  return { kind: "entryFunction", entryFunction: { module, function: target.function, typeArgs, args } };
}
