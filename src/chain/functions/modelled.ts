// A modelled function: its parameters, and what it does to the state instead of its bytecode.
import { type Codec, decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import type { StructTag } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import { SubmissionError, unmodelled } from "../../transaction/submission-error.ts";
import type { CallState } from "./call-state.ts";

/** A parameter: its wire format, and its form in JSON. */
export interface Parameter<T> {
  readonly codec: Codec<T>;
  toJson(value: T): unknown;
}

export const ADDRESS: Parameter<Address> = { codec: addressCodec, toJson: formatAddress };
export const U64: Parameter<bigint> = { codec: u64, toJson: String };
export const OBJECT: Parameter<Address> = {
  codec: addressCodec,
  toJson: (inner) => ({ inner: formatAddress(inner) }),
};
export const ADDRESSES: Parameter<readonly Address[]> = {
  codec: vector(addressCodec),
  toJson: (list) => list.map(formatAddress),
};
export const U64S: Parameter<readonly bigint[]> = { codec: vector(u64), toJson: (list) => list.map(String) };

/** A function with its arguments, ready to run. */
export interface ModelledCall {
  /** The arguments as the API shows them. */
  argumentsJson(): readonly unknown[];
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

/** Defines a function of `0x1`. */
export function modelled<const A extends readonly unknown[]>(definition: {
  readonly module: string;
  readonly name: string;
  readonly typeParameters?: number;
  readonly signers?: number;
  readonly parameters: { readonly [K in keyof A]: Parameter<A[K]> };
  run(
    call: CallState,
    input: {
      readonly sender: Address;
      readonly args: A;
      /** The first type argument of a generic function. */
      readonly type: StructTag;
    },
  ): Promise<void>;
}): ModelledFunction {
  const { module, name, typeParameters = 0, signers = 1, run } = definition;
  const parameters = definition.parameters as unknown as readonly Parameter<unknown>[];
  const id = `0x1::${module}::${name}`;
  return {
    module,
    name,
    prepare({ typeArgs, args }) {
      if (typeArgs.length !== typeParameters)
        throw malformed(`${id} takes ${typeParameters} type arguments, got ${typeArgs.length}`);
      if (args.length !== parameters.length)
        throw malformed(`${id} takes ${parameters.length} arguments, got ${args.length}`);
      const values = parameters.map(({ codec }, index) =>
        decodeArgument(codec, args[index], `${id}: argument ${index}`),
      );
      const [first] = typeArgs;
      if (first !== undefined && first.kind !== "struct")
        throw unmodelled(`${id} of a type that is no struct`);
      // Functions without a type parameter do not look at it.
      const type = first?.struct as StructTag;
      return {
        argumentsJson: () => parameters.map((parameter, index) => parameter.toJson(values[index])),
        signers,
        run: (call, sender) => run(call, { sender, args: values as unknown as A, type }),
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
