// A modelled function: its parameters, and what it does to the state instead of its bytecode.
import { type Codec, decodeWith, type ValueOf } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import type { Address } from "../../move/address.ts";
import type { StructTag } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import { SubmissionError, unmodelled } from "../../transaction/submission-error.ts";
import type { CallState } from "./call-state.ts";

/** Wire formats of parameters. */
export const ADDRESS: Codec<Address> = addressCodec;
export const U64: Codec<bigint> = u64;
/** An `Object<T>` is the address of the object. */
export const OBJECT: Codec<Address> = addressCodec;
export const ADDRESSES: Codec<readonly Address[]> = vector(addressCodec);
export const U64S: Codec<readonly bigint[]> = vector(u64);

/** A function with its arguments, ready to run. */
export interface ModelledCall {
  /** Accounts that the function takes as signers: the sender, or none. */
  readonly signers: number;
  /** Throws MoveAbort, or SubmissionError `unmodelled` where the state asks for more than the model has. */
  run(call: CallState, sender: Address): Promise<void>;
}

/** A function that the local chain models. */
export interface ModelledFunction {
  readonly module: string;
  readonly name: string;
  /** Checks a call's arguments. Throws SubmissionError. */
  prepare(call: EntryFunction): ModelledCall;
}

/** The values of parameters. */
type Arguments<P extends readonly Codec<unknown>[]> = { readonly [K in keyof P]: ValueOf<P[K]> };

/** Defines a function of `0x1`. */
export function modelled<const P extends readonly Codec<unknown>[]>(definition: {
  readonly module: string;
  readonly name: string;
  readonly typeParameters?: number;
  readonly signers?: number;
  readonly parameters: P;
  run(
    call: CallState,
    input: {
      readonly sender: Address;
      readonly args: Arguments<P>;
      /** The first type argument of a generic function. */
      readonly type: StructTag;
    },
  ): Promise<void>;
}): ModelledFunction {
  const { module, name, typeParameters = 0, signers = 1, parameters, run } = definition;
  const id = `0x1::${module}::${name}`;
  return {
    module,
    name,
    prepare({ typeArgs, args }) {
      if (typeArgs.length !== typeParameters)
        throw malformed(`${id} takes ${typeParameters} type arguments, got ${typeArgs.length}`);
      if (args.length !== parameters.length)
        throw malformed(`${id} takes ${parameters.length} arguments, got ${args.length}`);
      // `map` gives a list; the compiler does not see that it has the length and order of `parameters`.
      const values = parameters.map((codec, index) =>
        decodeArgument(codec, args[index], `${id}: argument ${index}`),
      ) as Arguments<P>;
      const [first] = typeArgs;
      if (first !== undefined && first.kind !== "struct")
        throw unmodelled(`${id} of a type that is no struct`);
      // Functions without a type parameter do not look at it.
      const type = first?.struct as StructTag;
      return {
        signers,
        run: (call, sender) => run(call, { sender, args: values, type }),
      };
    },
  };
}

function malformed(message: string): SubmissionError {
  return new SubmissionError("malformed", message);
}

function decodeArgument<T>(codec: Codec<T>, bytes: Uint8Array | undefined, what: string): T {
  try {
    return decodeWith(codec, bytes ?? new Uint8Array(0));
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new SubmissionError("malformed", `${what}: ${error.message}`, { cause: error });
  }
}
