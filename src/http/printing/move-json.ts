// Stored values in JSON.
import { toPrefixedHex } from "../../base/hex.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Slices } from "../../base/wait.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { StateTypes, StructType } from "../../ledger/items/state-types.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { ModuleId } from "../../move/abi.ts";
import { moduleAbiPieces } from "../../move/abi-json.ts";
import { ModuleError, MoveError } from "../../move/errors.ts";
import type { Layout } from "../../move/layout.ts";
import type { StoredModule } from "../../move/module-cache.ts";
import { formatTypeTag, type TypeTag } from "../../move/type-tag.ts";
import { isLong, ValuePrinter } from "../../move/value-print.ts";
import { HttpError } from "../errors.ts";
import { AnswerText, addPieces } from "./answer-text.ts";

/** Characters of all values in one answer. */
export const MAX_CHARACTERS = 16 << 20;

/** Prints the stored values of one answer. */
export class StoredValuePrinter {
  readonly #types: StateTypes;
  readonly #view: LedgerView;
  readonly #version: bigint;
  readonly #printer = new ValuePrinter({ enums: "answers", maxCharacters: MAX_CHARACTERS });

  /** Pauses printing, so that it does not hold the event loop. */
  readonly slices: Slices;

  constructor(types: StateTypes, view: LedgerView, version: bigint, slices: Slices) {
    this.slices = slices;
    this.#types = types;
    this.#view = view;
    this.#version = version;
  }

  /** The JSON text of a stored value. Throws HttpError `unprintable`, and LedgerError. */
  print(bytes: Uint8Array, type: TypeTag, text = formatTypeTag(type)): MaybePromise<AnswerText> {
    const layout = this.#types.layoutOf(this.#view, type, this.#version, text);
    if (!(layout instanceof Promise)) return this.#print(bytes, layout, text);
    return layout.then(
      (ready) => this.#print(bytes, ready, text),
      (error: unknown) => {
        throw unprintable(error, text);
      },
    );
  }

  #print(bytes: Uint8Array, layout: Layout, text: string): MaybePromise<AnswerText> {
    return addPieces(new AnswerText(), this.#pieces(bytes, layout, text), this.slices);
  }

  *#pieces(bytes: Uint8Array, layout: Layout, text: string): Generator<string, void> {
    const reader = new BcsReader(bytes);
    try {
      if (isLong(layout)) yield* this.#printer.pieces(reader, layout);
      else yield this.#printer.text(reader, layout);
      reader.finish();
    } catch (error) {
      throw unprintable(error, text);
    }
  }

  /** The JSON text of a resource. Throws like `print`. */
  resource(bytes: Uint8Array, { type, text }: StructType): MaybePromise<AnswerText> {
    return andThen(this.print(bytes, type, text), (data) => resourceText(text, data));
  }
}

function unprintable(error: unknown, text: string): unknown {
  if (error instanceof MoveError) {
    return new HttpError("unprintable", `a value of type ${text} has no JSON form: ${error.message}`, {
      cause: error,
    });
  }
  if (!(error instanceof BcsError)) return error;
  return new LedgerError("corrupt", `stored value of type ${text} does not decode: ${error.message}`, {
    cause: error,
  });
}

/** The JSON text of a resource. */
function resourceText(type: string, data: AnswerText): AnswerText {
  return new AnswerText()
    .add(`{"type":${JSON.stringify(type)},"data":`)
    .append(data)
    .add("}");
}

/** Pieces of the JSON text of a module. Throws ModuleError, and HttpError `unprintable`. */
export function* moduleText(
  types: StateTypes,
  module: ModuleId,
  stored: StoredModule,
): Generator<string, void> {
  try {
    const abi = types.abiOf(module, stored);
    yield `{"bytecode":"${toPrefixedHex(stored.bytes)}","abi":`;
    yield* moduleAbiPieces(abi);
    yield "}";
  } catch (error) {
    if (!(error instanceof ModuleError) || error.details.status !== "ABI_TOO_LARGE") throw error;
    throw new HttpError("unprintable", error.message, { cause: error });
  }
}
