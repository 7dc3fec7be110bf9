// Runs the virtual machine on recorded runs and compares: `npm run vm:vectors -- FOLDER`. A line for each kind; exit 1 if
// anything differs.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { toHex } from "../src/base/hex.ts";
import { parseAddress } from "../src/move/address.ts";
import { readProgram } from "../src/move/bytecode/program.ts";
import { parseTypeTag } from "../src/move/type-text.ts";
import { VmError } from "../src/vm/errors.ts";
import { InstructionPrices, Meter } from "../src/vm/gas.ts";
import { Interpreter } from "../src/vm/interpreter.ts";
import { decodeValue } from "../src/vm/layout.ts";
import { Linker, type LoadedModule } from "../src/vm/linker.ts";
import { findNative } from "../src/vm/machine.ts";
import { Features, Session, type StateSource } from "../src/vm/session.ts";
import { typeFromTag } from "../src/vm/types.ts";
import { Ref, signerOf, type Value } from "../src/vm/values.ts";

const folder = resolve(
  process.argv.slice(2).find((a) => !a.startsWith("--")) ?? process.env.SEXTANT_SHARED ?? "../shared",
  process.argv.length > 2 && !process.argv[2]?.startsWith("--") ? "" : "vectors/vm",
);
const verbose = process.argv.includes("--verbose");
const only = process.argv.find((a) => a.startsWith("--only="))?.slice(7);

function load(name: string): string {
  const path = join(folder, `${name}.gz`);
  return gunzipSync(readFileSync(path)).toString();
}

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
  readonly test_natives: readonly string[];
  readonly ran: string;
}

function loadedModule(id: string, bytes: Uint8Array): LoadedModule {
  const [address = "", name = ""] = id.split("::");
  const hex = toHex(parseAddress(address));
  return { key: `${hex}::${name}`, address: hex, name, program: readProgram(bytes), codeBytes: bytes.length };
}

function shortId(key: string | undefined): string {
  if (key === undefined) return "none";
  const [address = "", name = ""] = key.split("::");
  return `0x${address.replace(/^0+(?=.)/, "")}::${name}`;
}

const PRICES = new Map<string, number>();
class UnitPrices extends InstructionPrices {}

function unitTests(name: string): { equal: number; total: number; missing: number; skipped: number } {
  const { modules, tests } = JSON.parse(load(`unit-tests-${name}.json`)) as {
    modules: { id: string; bytes: string }[];
    tests: UnitTest[];
  };
  const { resources } = JSON.parse(load("unit-tests-state.json")) as {
    resources: { address: string; type: string; bytes: string }[];
  };
  const loaded = new Map(
    modules.map(({ id, bytes }) => {
      const m = loadedModule(id, Buffer.from(bytes, "hex"));
      return [m.key, m] as const;
    }),
  );
  const state: StateSource = {
    resource: (address, type) => {
      const found = resources.find(
        (r) =>
          toHex(parseAddress(r.address)) === address && r.type.endsWith(`::${type.module}::${type.name}`),
      );
      return { bytes: found && Buffer.from(found.bytes, "hex"), chargedBytes: 0 };
    },
    tableItem: () => ({ bytes: undefined, chargedBytes: 0 }),
  };
  const featureBytes = Buffer.from(resources[0]?.bytes ?? "", "hex").subarray(1);
  const counts = { equal: 0, total: 0, missing: 0, skipped: 0 };
  for (const test of tests) {
    if (only !== undefined && !`${test.module}::${test.function}`.includes(only)) continue;
    if (test.test_natives.length > 0) {
      counts.skipped++;
      continue;
    }
    counts.total++;
    const meter = new Meter({ version: 43, prices: PRICES }, 1e15);
    const prices = new UnitPrices(meter);
    const linker = new Linker({ meter, natives: findNative, source: (a, n) => loaded.get(`${a}::${n}`) });
    const session = new Session({
      state,
      linker,
      chainId: 4,
      sessionHash: new Uint8Array(32),
      scriptHash: Uint8Array.of(1),
      facts: undefined,
      features: new Features(featureBytes),
    });
    const interpreter = new Interpreter(linker, session, prices);
    let outcome: string;
    let error: unknown;
    try {
      const [address = "", module = ""] = test.module.split("::");
      const instance = linker.functionIn(
        linker.module(toHex(parseAddress(address)), module),
        test.function,
        [],
      );
      const args = test.arguments.map(({ kind, bcs }, i): Value => {
        const value = kind === "signer" ? signerOf(bcs) : (decodeValue(Buffer.from(bcs, "hex"), linker.layout(typeFromTag(parseTypeTag(kind)))) as Value);
        return instance.definition.params[i]?.kind === "reference" ? new Ref([value], 0) : value;
      });
      interpreter.call(instance, args);
      outcome = "success";
    } catch (caught) {
      error = caught;
      outcome =
        caught instanceof VmError
          ? `${caught.status}/${caught.subStatus ?? ""} ${shortId(caught.location)}`
          : `THROWN ${(caught as Error).stack?.split("\n").slice(0, 4).join(" ")}`;
    }
    const { expected } = test;
    const wanted =
      expected.success === true
        ? "success"
        : expected.failure === "any"
          ? "any"
          : `${expected.status_code}/${expected.sub_status ?? ""} ${expected.location}`;
    const isEqual =
      wanted === "any"
        ? outcome !== "success"
        : outcome === wanted ||
          (expected.sub_status == null &&
            outcome.startsWith(`${expected.status_code}/`) &&
            outcome.endsWith(` ${expected.location}`));
    if (isEqual) counts.equal++;
    else {
      if (error instanceof VmError && error.message.includes("is not implemented")) counts.missing++;
      if (verbose)
        console.log(
          `  ${test.module}::${test.function}: ${outcome}, expected ${wanted} ${error instanceof Error ? error.message : ""}`,
        );
    }
  }
  return counts;
}

for (const name of [
  "move-stdlib",
  "aptos-stdlib",
  "aptos-framework",
  "aptos-token",
  "aptos-token-objects",
  "aptos-experimental",
]) {
  if (!existsSync(join(folder, `unit-tests-${name}.json.gz`))) continue;
  const started = performance.now();
  const { equal, total, missing, skipped } = unitTests(name);
  console.log(
    `unit tests of ${name}: ${equal} of ${total} equal, ${missing} need a missing native, ${skipped} need natives of test builds (${Math.round(performance.now() - started)} ms)`,
  );
}
