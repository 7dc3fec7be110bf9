// Unit tests of the framework: bytecode, and what each test is expected to give.
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import { parseAddress } from "../../src/move/address.ts";
import { readProgram } from "../../src/move/bytecode/program.ts";
import { parseTypeTag } from "../../src/move/type-text.ts";
import { createType } from "../../src/transaction/requests/type-arguments.ts";
import { VmError } from "../../src/vm/errors.ts";
import { Meter } from "../../src/vm/gas.ts";
import { Interpreter } from "../../src/vm/interpreter.ts";
import { decodeValue } from "../../src/vm/layout.ts";
import { Linker, type LoadedModule } from "../../src/vm/linker.ts";
import { findNative, loadCryptography } from "../../src/vm/native-table.ts";
import { Features, Session, type StateSource } from "../../src/vm/session.ts";
import { Ref, signerOf, type Value } from "../../src/vm/values.ts";
import { findTestNative } from "./test-natives.ts";
import { fromHex, Tally, type Vectors } from "./vectors.ts";

// Its runs fetch nothing.
await loadCryptography();

interface UnitTest {
  readonly module: string;
  readonly function: string;
  readonly arguments: readonly { readonly kind: string; readonly bcs: string }[];
  readonly expected: {
    readonly success?: boolean;
    readonly failure?: string;
    readonly status_code?: number;
    readonly sub_status?: string | null;
    readonly location?: string;
  };
}

interface UnitTests {
  readonly modules: readonly { readonly id: string; readonly bytes: string }[];
  readonly tests: readonly UnitTest[];
}

interface UnitState {
  readonly resources: readonly { readonly address: string; readonly type: string; readonly bytes: string }[];
}

const MAX_GAS = 1_000_000_000;

export const PACKAGES = [
  "move-stdlib",
  "aptos-stdlib",
  "aptos-framework",
  "aptos-token",
  "aptos-token-objects",
  "aptos-experimental",
] as const;

function loadedModule(id: string, bytes: Uint8Array): LoadedModule {
  const [address = "", name = ""] = id.split("::");
  const hex = toHex(parseAddress(address));
  return {
    key: `${hex}::${name}`,
    address: hex,
    name,
    program: finish(readProgram(bytes)).program,
    codeBytes: bytes.length,
  };
}

function shortId(key: string | undefined): string {
  const [address = "", name = ""] = (key ?? "").split("::");
  return key === undefined ? "none" : `0x${address.replace(/^0+(?=.)/, "")}::${name}`;
}

/** Runs the drawn tests of one package, with the natives of test builds. */
export function runUnitTests(vectors: Vectors, name: string, isDrawn: (index: number) => boolean): Tally {
  const { modules, tests } = vectors.json<UnitTests>(`unit-tests-${name}.json`);
  const { resources } = vectors.json<UnitState>("unit-tests-state.json");
  const loaded = new Map(
    modules.map(({ id, bytes }) => {
      const module = loadedModule(id, fromHex(bytes));
      return [module.key, module] as const;
    }),
  );
  const state: StateSource = {
    resource: (address, type) => {
      const found = resources.find(
        (one) =>
          toHex(parseAddress(one.address)) === address && one.type.endsWith(`::${type.module}::${type.name}`),
      );
      return { bytes: found && fromHex(found.bytes) };
    },
    tableItem: () => ({ bytes: undefined }),
  };
  const features = new Features(fromHex(resources[0]?.bytes ?? "").subarray(1));
  const tally = new Tally(`unit tests of ${name}`);
  for (const [i, test] of tests.entries()) {
    const title = `${test.module}::${test.function}`;
    if (!isDrawn(i) || !vectors.isWanted(title)) continue;
    const got = runTest(test, { loaded, state, features });
    const wanted = wantedOutcome(test);
    tally.add(title, isOutcome(got, test) ? [] : [`${got}, expected ${wanted}`]);
  }
  return tally;
}

function wantedOutcome({ expected }: UnitTest): string {
  if (expected.success === true) return "success";
  if (expected.failure === "any") return "any failure";
  return `${expected.status_code}/${expected.sub_status ?? ""} ${expected.location}`;
}

function isOutcome(got: string, test: UnitTest): boolean {
  const { expected } = test;
  if (expected.failure === "any") return got !== "success";
  if (got === wantedOutcome(test)) return true;
  const { status_code: status, sub_status: sub, location } = expected;
  return sub == null && got.startsWith(`${status}/`) && got.endsWith(` ${location}`);
}

interface Surroundings {
  readonly loaded: ReadonlyMap<string, LoadedModule>;
  readonly state: StateSource;
  readonly features: Features;
}

function runTest(test: UnitTest, { loaded, state, features }: Surroundings): string {
  const meter = new Meter({ version: 43, prices: new Map() }, MAX_GAS);
  const linker = new Linker({
    meter,
    natives: (key) => findTestNative(key) ?? findNative(key),
    source: (address, name) => loaded.get(`${address}::${name}`),
  });
  const session = new Session({
    state,
    linker,
    chainId: 4,
    sessionHash: new Uint8Array(32),
    scriptHash: Uint8Array.of(1),
    facts: undefined,
    features,
    isUnbiasable: true,
  });
  try {
    const [address = "", module = ""] = test.module.split("::");
    const instance = linker.functionIn(
      linker.module(toHex(parseAddress(address)), module),
      test.function,
      [],
    );
    const args = test.arguments.map(({ kind, bcs }, i): Value => {
      const value =
        kind === "signer"
          ? signerOf(bcs)
          : decodeValue(fromHex(bcs), linker.layout(createType(parseTypeTag(kind))));
      if (value === undefined) throw new Error(`an argument of ${test.function} does not decode`);
      return instance.definition.params[i]?.kind === "reference" ? new Ref([value], 0) : value;
    });
    finish(new Interpreter(linker, session).callInPieces(instance, args));
    return "success";
  } catch (error) {
    if (!(error instanceof VmError)) return `THROWN ${(error as Error).stack}`;
    return `${error.status}/${error.subStatus ?? ""} ${shortId(error.location)}`;
  }
}
