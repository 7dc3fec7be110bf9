// What the modules as of one version say, for the values of one answer. Each layout is built once, because the records of
// a block repeat a few types.
import type { StateTypes } from "../../ledger/items/state-types.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { AbiType, ModuleAbi, ModuleId } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import { ModuleError, MoveError } from "../../move/errors.ts";
import { createValueLayout, type Layout } from "../../move/layout.ts";
import { formatTypeTag, type TypeTag } from "../../move/type-tag.ts";
import { callParameters } from "../../transaction/requests/parameters.ts";

/** Layouts that one answer keeps; a block of other types builds the rest again. */
const MAX_KEPT = 1000;

/** Keeps the result of an asynchronous question, or the MoveError or ModuleError that answered it. */
class Kept<T> {
  readonly #known = new Map<string, T | MoveError | ModuleError>();

  async get(key: string, load: () => Promise<T>): Promise<T> {
    let known = this.#known.get(key);
    if (known === undefined) {
      try {
        known = await load();
      } catch (error) {
        if (!(error instanceof MoveError || error instanceof ModuleError)) throw error;
        known = error;
      }
      if (this.#known.size < MAX_KEPT) this.#known.set(key, known);
    }
    if (known instanceof MoveError || known instanceof ModuleError) throw known;
    return known;
  }
}

/** The modules as of a version. */
export class ModulesAt {
  readonly #types: StateTypes;
  readonly #view: LedgerView;
  readonly #version: bigint;
  readonly #layouts = new Kept<Layout>();
  readonly #calls = new Kept<readonly Layout[]>();

  constructor(types: StateTypes, view: LedgerView, version: bigint) {
    this.#types = types;
    this.#view = view;
    this.#version = version;
  }

  /** Layout of a value's type. Throws MoveError where there is none, and LedgerError. */
  layoutOf(type: TypeTag, text: string): Promise<Layout> {
    return this.#layouts.get(text, async () => this.#types.layoutOf(this.#view, type, this.#version, text));
  }

  /** The ABI of a module; undefined where there is none, or its bytes do not decode. */
  async abiOf(module: ModuleId): Promise<ModuleAbi | undefined> {
    try {
      return await this.#types.loaderAt(this.#view, this.#version)(module);
    } catch (error) {
      if (error instanceof ModuleError) return undefined;
      throw error;
    }
  }

  /** Layouts of the arguments of an entry function, signers left out. Throws MoveError where it has none. */
  entryFunctionLayouts(
    module: ModuleId,
    name: string,
    typeArgs: readonly TypeTag[],
  ): Promise<readonly Layout[]> {
    const key = `${formatAddress(module.address)}::${module.name}::${name}<${typeArgs.map(formatTypeTag)}>`;
    return this.#calls.get(key, async () => {
      const abi = await this.abiOf(module);
      const found = abi?.functions.find((one) => one.name === name);
      if (found === undefined) throw new MoveError("layout", `${key} is not on chain`);
      return this.parameterLayouts(found.params, found.typeParams.length, typeArgs);
    });
  }

  /** Layouts of parameters, signers left out. Throws MoveError where one has none. */
  async parameterLayouts(
    params: readonly AbiType[],
    typeParamCount: number,
    typeArgs: readonly TypeTag[],
  ): Promise<readonly Layout[]> {
    if (typeArgs.length !== typeParamCount) throw new MoveError("layout", "wrong number of type arguments");
    const callee = { path: "payload", field: "payload", name: () => "it" };
    const load = this.#types.loaderAt(this.#view, this.#version);
    const layouts: Layout[] = [];
    for (const type of callParameters(params, typeArgs, callee).params) {
      layouts.push((await createValueLayout(type, load)).layout);
    }
    return layouts;
  }
}
