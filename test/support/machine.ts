// The virtual machine with modules of our own: no ledger, a session that keeps what calls change.
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import type {
  FunctionDefinition,
  ModuleDefinition,
  TypeSource,
} from "../../scripts/local-chain-modules/definition.ts";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import { toHex } from "../../src/base/hex.ts";
import { finish, type Pieces } from "../../src/base/pieces.ts";
import { parseAddress } from "../../src/move/address.ts";
import { readProgram } from "../../src/move/bytecode/program.ts";
import { VmError } from "../../src/vm/errors.ts";
import { type GasSchedule, Meter, PLAIN_SCHEDULE } from "../../src/vm/gas.ts";
import { Interpreter } from "../../src/vm/interpreter.ts";
import { Linker, type LoadedModule, type NativeSource } from "../../src/vm/linker.ts";
import { findNative, loadCryptography } from "../../src/vm/native-table.ts";
import { assertLinks, assertWellFormed } from "../../src/vm/publishing/verify.ts";
import { Features, Session, type SessionOptions, type StateSource } from "../../src/vm/session.ts";
import type { Value } from "../../src/vm/values.ts";

// Its runs fetch nothing.
await loadCryptography();

const EMPTY: StateSource = {
  resource: () => ({ bytes: undefined }),
  tableItem: () => ({ bytes: undefined }),
};

/** Every feature switched on. */
const ALL_FEATURES: Features = new Features(new Uint8Array(32).fill(0xff));

export interface MachineOptions
  extends Partial<
    Pick<SessionOptions, "state" | "decoded" | "facts" | "isUnbiasable" | "features" | "tracer">
  > {
  readonly schedule?: GasSchedule;
  /** In units of gas. */
  readonly maxGas?: number;
  readonly natives?: NativeSource;
  readonly hasDelayedFields?: boolean;
  /** Runs modules that the verifier would refuse. */
  readonly isUnchecked?: boolean;
}

export function loadedModule(bytes: Uint8Array): LoadedModule {
  const { program } = finish(readProgram(bytes));
  const { address, name } = program.abi;
  const hex = toHex(address);
  return { key: `${hex}::${name}`, address: hex, name, program, codeBytes: bytes.length };
}

export class TestMachine {
  readonly linker: Linker;
  readonly session: Session;

  /** Checks modules that are given as bytes; each comes after those that it uses. */
  constructor(modules: readonly (Uint8Array | LoadedModule)[], options: MachineOptions = {}) {
    const loaded = new Map(
      modules
        .map((one) => (one instanceof Uint8Array ? loadedModule(one) : one))
        .map((one) => [one.key, one]),
    );
    this.linker = new Linker({
      meter: new Meter(options.schedule ?? PLAIN_SCHEDULE, options.maxGas ?? 1_000_000),
      source: (address, name) => loaded.get(`${address}::${name}`),
      natives: options.natives ?? findNative,
      hasDelayedFields: options.hasDelayedFields === true,
    });
    this.session = new Session({
      state: options.state ?? EMPTY,
      decoded: options.decoded,
      linker: this.linker,
      chainId: 4,
      sessionHash: new Uint8Array(32).fill(7),
      scriptHash: Uint8Array.of(1, 2),
      facts: options.facts,
      features: options.features ?? ALL_FEATURES,
      isUnbiasable: options.isUnbiasable,
      tracer: options.tracer,
    });
    if (options.isUnchecked === true) return;
    for (const bytes of modules) {
      if (!(bytes instanceof Uint8Array)) continue;
      const module = finish(readProgram(bytes));
      finish(assertWellFormed(module));
      finish(assertLinks(module.tables, loadedModule(bytes).key, this.linker));
    }
  }

  /** Values that `0xcafe::m::f` gives. Throws VmError. */
  call(name: string, args: readonly Value[], typeArgs: readonly TypeSource[] = []): readonly Value[] {
    return finish(this.pieces(name, args, typeArgs));
  }

  pieces(
    name: string,
    args: readonly Value[],
    typeArgs: readonly TypeSource[] = [],
  ): Pieces<readonly Value[]> {
    const [address = "", module = "", called = ""] = name.split("::");
    const types = typeArgs.map((type) => (typeof type === "string" ? parseAbiType(type) : type));
    const loaded = this.linker.module(toHex(parseAddress(address)), module);
    return new Interpreter(this.linker, this.session).callInPieces(
      this.linker.functionIn(loaded, called, types),
      args,
    );
  }
}

/** What a run gives: its values, or its fault as `status` or `status:subStatus`. Other errors are passed on. */
export function outcomeOf<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof VmError)) throw error;
    return error.subStatus === undefined ? `${error.status}` : `${error.status}:${error.subStatus}`;
  }
}

/** A function by its type, such as `fn(u64):(bool)`, and its code. */
export function functionOf(
  name: string,
  signature: string,
  code: string,
  more: Partial<FunctionDefinition> & { readonly locals?: readonly TypeSource[] } = {},
): FunctionDefinition {
  const type = parseAbiType(signature);
  if (type.kind !== "function") throw new Error(`no function type: ${signature}`);
  const { locals = [], ...rest } = more;
  return { name, params: type.args, returns: type.results, body: { locals, code }, ...rest };
}

/** A module at `0xcafe`. */
export function moduleOf(definition: Omit<ModuleDefinition, "address" | "name">, name = "m"): Uint8Array {
  return assembleModule({ address: parseAddress("0xcafe"), name, ...definition });
}
