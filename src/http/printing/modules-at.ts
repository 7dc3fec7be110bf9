// What the modules as of one version say, for the values of one answer. Each layout is built once, because the records of
// a block repeat a few types.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { afterLength, TAG_AND_HANDLE } from "../../ledger/formats/state-key.ts";
import type { StateTypes } from "../../ledger/items/state-types.ts";
import type { EncodedWrite } from "../../ledger/state-writes.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { AbiType, ModuleAbi, ModuleId } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import { ModuleError, MoveError } from "../../move/errors.ts";
import { createValueLayout, type Layout } from "../../move/layout.ts";
import { formatTypeTag, type TypeTag } from "../../move/type-tag.ts";
import { callParameters } from "../../transaction/requests/parameters.ts";

/** Layouts that are kept before all are forgotten. */
const MAX_KEPT = 1000;

/** Keeps the result of a question, or the MoveError or ModuleError that answered it. */
class Kept<T> {
  readonly #known = new Map<string, T | MoveError | ModuleError>();

  get(key: string, load: () => Promise<T>): MaybePromise<T> {
    const known = this.#known.get(key);
    if (known === undefined) return this.#load(key, load);
    if (known instanceof MoveError || known instanceof ModuleError) throw known;
    return known;
  }

  async #load(key: string, load: () => Promise<T>): Promise<T> {
    try {
      return this.#keep(key, await load());
    } catch (error) {
      if (error instanceof MoveError || error instanceof ModuleError) this.#keep(key, error);
      throw error;
    }
  }

  #keep<V extends T | MoveError | ModuleError>(key: string, value: V): V {
    if (this.#known.size >= MAX_KEPT) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}

/** True if a record may change what types mean. */
function writesCode(writes: readonly Pick<EncodedWrite, "key">[]): boolean {
  return writes.some(({ key }) => key[0] === 0 && afterLength(key, TAG_AND_HANDLE)[0] === 0);
}

/** What the modules said of types. It stays known from one version to the next, until one writes code. */
export class KnownTypes {
  layouts = new Kept<Layout>();
  calls = new Kept<readonly Layout[]>();
  /** The version that it holds for, if that writes no code. */
  next = -1n;

  /** Goes on to a version, which is printed or passed over. A version may be printed in several forms. */
  moveTo(version: bigint, writes: readonly Pick<EncodedWrite, "key">[]): void {
    if (this.next === version + 1n) return;
    if (this.next !== version || writesCode(writes)) this.forget();
    this.next = version + 1n;
  }

  forget(): void {
    this.next = -1n;
    this.layouts = new Kept();
    this.calls = new Kept();
  }
}

/** The modules as of a version. */
export class ModulesAt {
  readonly #types: StateTypes;
  readonly #view: LedgerView;
  readonly #version: bigint;
  readonly #known: KnownTypes;

  constructor(types: StateTypes, view: LedgerView, version: bigint, known = new KnownTypes()) {
    this.#types = types;
    this.#view = view;
    this.#version = version;
    this.#known = known;
  }

  /** Layout of a value's type. Throws MoveError where there is none, and LedgerError. */
  layoutOf(type: TypeTag, text: string): MaybePromise<Layout> {
    return this.#known.layouts.get(text, async () =>
      this.#types.layoutOf(this.#view, type, this.#version, text),
    );
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
  ): MaybePromise<readonly Layout[]> {
    const key = `${formatAddress(module.address)}::${module.name}::${name}<${typeArgs.map(formatTypeTag)}>`;
    return this.#known.calls.get(key, async () => {
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
