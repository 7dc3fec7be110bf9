// View functions: any function that is marked as a view, run on a state that it cannot change.
import { finish, type Pieces } from "../../base/pieces.ts";
import type { AbiType } from "../../move/abi.ts";
import { ArgumentMaker, assertArgumentType, assertTypeArgs, isPlain, plainArgument } from "../arguments.ts";
import { STATUS, VmError } from "../errors.ts";
import { Meter } from "../gas.ts";
import { Interpreter, isValues } from "../interpreter.ts";
import { encodeInPieces, encodeValue, PIECE_BYTES } from "../layout.ts";
import {
  type FunctionInstance,
  Linker,
  type LoadedModule,
  type ModuleSource,
  type NativeSource,
  named,
  type SharedCode,
} from "../linker.ts";
import { findNative } from "../native-table.ts";
import { type DecodedItems, Session } from "../session.ts";
import { type ItemReader, LedgerState, type ProgramCache } from "../state.ts";
import { substitute } from "../types.ts";
import { asRef, type Value } from "../values.ts";
import { type ChainConfig, sessionHash } from "./chain-config.ts";

const VOID_SESSION = 5;
const NOTHING = new Uint8Array(0);

const VIEW_SESSION = sessionHash(Uint8Array.of(VOID_SESSION));

export interface ViewCall {
  readonly address: string;
  readonly module: string;
  /** The module, if it was found already. */
  readonly found?: LoadedModule | undefined;
  readonly name: string;
  readonly typeArgs: readonly AbiType[];
  /** BCS of each argument. */
  readonly args: readonly Uint8Array[];
}

export interface ViewResult {
  /** BCS of each value. */
  readonly values: readonly Uint8Array[];
  readonly types: readonly AbiType[];
}

export interface ViewOptions {
  readonly read: ItemReader;
  readonly programs: ProgramCache;
  readonly config: ChainConfig;
  readonly maxGas: number;
  /** Natives of the chain itself, beside those of the machine. */
  readonly natives?: NativeSource | undefined;
  /** Finds modules; by default those of the state. */
  readonly modules?: ModuleSource | undefined;
  readonly shared?: SharedCode | undefined;
  /** Items of the state that other runs decoded. */
  readonly decoded?: DecodedItems | undefined;
}

interface Callee {
  readonly instance: FunctionInstance;
  readonly params: readonly AbiType[];
  /** Of the values that it returns. */
  readonly types: readonly AbiType[];
}

/** Checked calls of code that runs share. */
const sharedCallees = new WeakMap<FunctionInstance, Callee>();

/** A run of a view function; `gasUsed` is known afterwards, whatever came of it. */
export class ViewRun {
  readonly #options: ViewOptions;
  readonly #meter: Meter;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#meter = new Meter(options.config.schedule, options.maxGas);
  }

  get gasUsed(): number {
    return this.#options.maxGas - Math.floor(this.#meter.balance / this.#meter.scaling);
  }

  /** Throws VmError, and NeedsItem. */
  call(call: ViewCall): ViewResult {
    return finish(this.callInPieces(call));
  }

  /** As `call`, in pieces of about a millisecond: it yields between them. */
  *callInPieces({
    address,
    module: name,
    found,
    name: called,
    typeArgs,
    args,
  }: ViewCall): Pieces<ViewResult> {
    const { read, programs, config } = this.#options;
    const meter = this.#meter;
    const state = new LedgerState(read, programs);
    const natives = this.#options.natives ?? findNative;
    const source = this.#options.modules ?? ((at: string, of: string) => state.module(at, of));
    const linker = new Linker({ meter, natives, source, shared: this.#options.shared });
    const session = new Session({
      state,
      decoded: this.#options.decoded,
      linker,
      chainId: config.chainId,
      sessionHash: VIEW_SESSION,
      scriptHash: NOTHING,
      facts: undefined,
      features: config.features,
    });
    if (found !== undefined) linker.visit(found);
    const loaded = found ?? linker.module(address, name);
    const definition = named(loaded.program.functions, called);
    if (definition === undefined)
      throw new VmError(STATUS.functionResolutionFailure, `there is no function ${loaded.key}::${called}`);
    const { abi } = loaded.program;
    if (abi === undefined || named(abi.functions, called)?.isView !== true || definition.returns.length === 0)
      throw new VmError(STATUS.invalidMainSignature, `${loaded.key}::${called} is not a view function`);
    const known = linker.sharedInstance(definition, typeArgs);
    let callee = known && sharedCallees.get(known);
    if (callee === undefined) {
      assertTypeArgs(linker, definition.typeParams, typeArgs);
      for (const type of typeArgs) linker.layout(type);
      const instance = linker.instance(loaded, definition, typeArgs);
      const concrete = (type: AbiType): AbiType => substitute(type, typeArgs);
      const types = definition.returns
        .map(concrete)
        .map((type) => (type.kind === "reference" ? type.to : type));
      callee = { instance, params: definition.params.map(concrete), types };
      if (instance.isShared) sharedCallees.set(instance, callee);
    }
    const { instance, params, types } = callee;
    if (params.length !== args.length)
      throw new VmError(
        STATUS.numberOfArgumentsMismatch,
        `expected ${params.length} arguments, got ${args.length}`,
      );
    for (const type of params)
      if (type.kind !== "signer" && type.kind !== "reference") assertArgumentType(type);
    const makeInterpreter = (): Interpreter => new Interpreter(linker, session);
    const values = new Array<Value>(params.length);
    for (let i = 0; i < params.length; i++) {
      const [type, bytes] = [params[i] as AbiType, args[i] as Uint8Array];
      values[i] =
        bytes.length <= PIECE_BYTES && isPlain(type)
          ? plainArgument(linker, type, bytes)
          : yield* new ArgumentMaker(linker, makeInterpreter).make(type, bytes);
    }
    const running = makeInterpreter().begin(instance, values);
    const results = isValues(running) ? running : yield* running;
    const encoded = new Array<Uint8Array>(results.length);
    for (let i = 0; i < results.length; i++) {
      const isReference = definition.returns[i]?.kind === "reference";
      const plain: Value = isReference ? asRef(results[i]).get() : (results[i] as Value);
      const layout = linker.layout(types[i] as AbiType);
      encoded[i] =
        typeof plain === "object" ? yield* encodeInPieces(plain, layout) : encodeValue(plain, layout);
    }
    return { types, values: encoded };
  }
}
