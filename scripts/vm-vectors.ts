// Runs the virtual machine on recorded runs and compares: `npm run vm:vectors -- FOLDER`. A line for each kind; exit 1 if
// anything differs.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { toHex } from "../src/base/hex.ts";
import { decodeWith, encodeWith } from "../src/bcs/codec.ts";
import { areSignaturesValid } from "../src/chain/submission/signatures.ts";
import { STATUS_NAMES } from "../src/http/transaction-json/status-names.ts";
import { checkGenesis } from "../src/ledger/genesis.ts";
import { stateKeyCodec } from "../src/ledger/state-key.ts";
import { stateValueCodec, stateValueData } from "../src/ledger/state-value.ts";
import { type Transaction, transactionCodec } from "../src/ledger/transaction.ts";
import { writeSetCodec, writtenValue } from "../src/ledger/write-set.ts";
import { parseAddress } from "../src/move/address.ts";
import { readProgram } from "../src/move/bytecode/program.ts";
import { parseTypeTag } from "../src/move/type-text.ts";
import { SubmissionError } from "../src/transaction/submission-error.ts";
import { metadataOf, type StoredItem } from "../src/vm/change-set.ts";
import { VmError } from "../src/vm/errors.ts";
import { InstructionPrices, Meter } from "../src/vm/gas.ts";
import { Interpreter } from "../src/vm/interpreter.ts";
import { decodeValue } from "../src/vm/layout.ts";
import { Linker, type LoadedModule } from "../src/vm/linker.ts";
import { findNative } from "../src/vm/machine.ts";
import { Features, Session, type StateSource } from "../src/vm/session.ts";
import { loadModule } from "../src/vm/state.ts";
import {
  type ExecutorOptions,
  emptySuccess,
  encodeStatus,
  SystemExecution,
  type TransactionOutput,
  UserExecution,
} from "../src/vm/transaction.ts";
import { typeFromTag } from "../src/vm/types.ts";
import { Ref, signerOf, type Value } from "../src/vm/values.ts";
import { type ChainConfig, loadConfig, ViewRun } from "../src/vm/view.ts";

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
        const value =
          kind === "signer"
            ? signerOf(bcs)
            : (decodeValue(Buffer.from(bcs, "hex"), linker.layout(typeFromTag(parseTypeTag(kind)))) as Value);
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

const kind = process.argv.find((a) => a.startsWith("--kind="))?.slice(7);
for (const name of kind !== undefined && kind !== "unit"
  ? []
  : [
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

interface ViewVector {
  readonly state: string;
  readonly function: string;
  readonly type_args: readonly string[];
  readonly args: readonly string[];
  readonly result: { readonly values?: readonly string[]; readonly error?: string };
  readonly gas_used: number;
}

type Items = Map<string, Uint8Array>;

function genesisItems(): Items {
  const { writes } = checkGenesis(gunzipSync(readFileSync(join(folder, "head-genesis.blob.gz"))));
  const items: Items = new Map();
  for (const { key, value } of writes) if (value !== undefined) items.set(toHex(key), stateValueData(value));
  return items;
}

function applyWrites(items: Items, writeSet: string): void {
  if (writeSet === "") return;
  const { writes } = decodeWith(writeSetCodec, Buffer.from(writeSet, "hex"));
  for (const [key, op] of writes) {
    const name = toHex(encodeWith(stateKeyCodec, key));
    const value = writtenValue(op);
    if (value === undefined) items.delete(name);
    else items.set(name, value.data);
  }
}

function lines(name: string): Record<string, never>[] {
  return load(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, never>);
}

function stateAfter(name: string): Items {
  const items = genesisItems();
  for (const line of lines(name) as unknown as { apply?: string; result?: { write_set: string } }[])
    applyWrites(items, line.apply ?? line.result?.write_set ?? "");
  return items;
}

const programs = new Map<string, LoadedModule>();
function cachedProgram(key: string, bytes: Uint8Array): LoadedModule {
  const name = `${key} ${createHash("sha256").update(bytes).digest("hex")}`;
  let found = programs.get(name);
  if (found === undefined) programs.set(name, (found = loadModule(key, bytes)));
  return found;
}

function errorKind(text: string): string {
  const abort = /location: ([0-9a-f]+)::(\w+), code: (\d+)/.exec(text);
  if (abort !== null) return `abort ${abort[3]} ${abort[1]}::${abort[2]}`;
  return /Some\((\w+)\)\)$/.exec(text)?.[1] ?? text;
}

function views(): void {
  const states: Record<string, Items> = {
    genesis: genesisItems(),
    after: stateAfter("transactions.jsonl"),
    "after second": stateAfter("transactions-2.jsonl"),
  };
  const configs = Object.fromEntries(
    Object.entries(states).map(([name, items]) => [name, loadConfig((key) => items.get(toHex(key)))]),
  );
  let [equal, total, sameGas, missing] = [0, 0, 0, 0];
  for (const vector of lines("views.jsonl") as unknown as ViewVector[]) {
    if (only !== undefined && !vector.function.includes(only)) continue;
    total++;
    const items = states[vector.state] as Items;
    const run = new ViewRun({
      read: (key) => items.get(toHex(key)),
      programs: cachedProgram,
      config: configs[vector.state] as ChainConfig,
      maxGas: 2_000_000,
    });
    const [address = "", module = "", name = ""] = vector.function.split("::");
    let got: string;
    try {
      const { values } = run.call({
        address: toHex(parseAddress(address)),
        module,
        name,
        typeArgs: vector.type_args.map((text) => typeFromTag(parseTypeTag(text))),
        args: vector.args.map((arg) => Buffer.from(arg, "hex")),
      });
      got = values.map(toHex).join(",");
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      if (error.message.includes("is not implemented")) missing++;
      got =
        error.status === 4016
          ? `abort ${error.subStatus} ${error.location}`
          : (STATUS_NAMES.get(error.status) ?? `${error.status}`);
      if (verbose && error.status !== 4016) got += "";
    }
    const wanted =
      vector.result.error === undefined
        ? (vector.result.values ?? []).join(",")
        : errorKind(vector.result.error);
    if (got === wanted) equal++;
    else if (verbose)
      console.log(
        `  view ${vector.state} ${vector.function}<${vector.type_args.join()}>(${vector.args.join()}): ${got.slice(0, 200)}, expected ${wanted.slice(0, 200)}`,
      );
    if (run.gasUsed === vector.gas_used) sameGas++;
    else if (verbose && got === wanted)
      console.log(`  view gas ${vector.function}: ${run.gasUsed}, expected ${vector.gas_used}`);
  }
  console.log(`views: ${equal} of ${total} equal, gas of ${sameGas} equal, ${missing} need a missing native`);
}

interface TransactionVector {
  readonly index: number;
  readonly name: string;
  readonly group: string;
  readonly transaction: string;
  readonly transaction_index: number | null;
  readonly apply?: string;
  readonly result: {
    readonly status: {
      readonly keep?: string;
      readonly bcs?: string;
      readonly discard?: string;
      readonly code?: number;
    };
    readonly gas_used: number;
    readonly write_set: string;
    readonly events: readonly string[];
  };
}

type StoredItems = Map<string, StoredItem>;

function storedGenesis(): StoredItems {
  const { writes } = checkGenesis(gunzipSync(readFileSync(join(folder, "head-genesis.blob.gz"))));
  const items: StoredItems = new Map();
  for (const { key, value } of writes)
    if (value !== undefined) {
      const v = decodeWith(stateValueCodec, value);
      items.set(toHex(key), { data: v.data, metadata: metadataOf(v) });
    }
  return items;
}

function applyStored(items: StoredItems, writeSet: string | null): void {
  if (writeSet === "" || writeSet === null) return;
  for (const [key, op] of decodeWith(writeSetCodec, Buffer.from(writeSet, "hex")).writes) {
    const name = toHex(encodeWith(stateKeyCodec, key));
    const value = writtenValue(op);
    if (value === undefined) items.delete(name);
    else items.set(name, { data: value.data, metadata: metadataOf(value) });
  }
}

async function isSigned(transaction: Transaction): Promise<boolean> {
  if (transaction.kind !== "user") return true;
  try {
    return await areSignaturesValid(transaction.transaction);
  } catch (error) {
    // Schemes that this project does not check.
    if (error instanceof SubmissionError) return true;
    throw error;
  }
}

function execute(transaction: Transaction, options: ExecutorOptions): TransactionOutput {
  switch (transaction.kind) {
    case "user":
      return new UserExecution(transaction.transaction, options).run();
    case "blockMetadata":
      return new SystemExecution(options).blockPrologue(transaction.block);
    case "blockMetadataExt": {
      const { block } = transaction;
      return block.kind === "v0"
        ? new SystemExecution(options).blockPrologue(block.block)
        : new SystemExecution(options).blockPrologue(block.block, { bytes: block.randomness?.bytes });
    }
    case "blockEpilogue": {
      const { epilogue } = transaction;
      return epilogue.kind === "v0"
        ? emptySuccess()
        : new SystemExecution(options).blockEpilogue(epilogue.blockId, new Map(epilogue.fees.amounts));
    }
    default:
      return emptySuccess();
  }
}

async function transactions(name: string): Promise<void> {
  const items = storedGenesis();
  const byGroup = new Map<string, { equal: number; total: number; gas: number }>();
  for (const vector of lines(name) as unknown as TransactionVector[]) {
    if (vector.apply !== undefined) {
      applyStored(items, vector.apply);
      continue;
    }
    const group = byGroup.get(vector.group) ?? { equal: 0, total: 0, gas: 0 };
    byGroup.set(vector.group, group);
    const { result } = vector;
    if (only === undefined || vector.name.includes(only) || vector.group === only) {
      group.total++;
      const read = (key: Uint8Array): StoredItem | undefined => items.get(toHex(key));
      const config = loadConfig((key) => read(key)?.data);
      const differences: string[] = [];
      try {
        const transaction = decodeWith(transactionCodec, Buffer.from(vector.transaction, "hex"));
        const output = execute(transaction, {
          areSignaturesValid: await isSigned(transaction),
          read,
          programs: cachedProgram,
          config,
          transactionIndex: vector.transaction_index ?? undefined,
        });
        const status =
          output.status === undefined ? `discard ${output.discardCode}` : toHex(encodeStatus(output.status));
        const wanted = result.status.bcs ?? `discard ${result.status.code}`;
        if (status !== wanted)
          differences.push(
            `status ${status}${output.status === undefined ? "" : " " + JSON.stringify(output.status, (_, v) => (typeof v === "bigint" ? String(v) : v)).slice(0, 200)}, expected ${wanted} ${result.status.keep ?? ""}`,
          );
        if (output.gasUsed !== result.gas_used)
          differences.push(`gas ${output.gasUsed}, expected ${result.gas_used}`);
        else group.gas++;
        const writes = toHex(output.writeSet);
        if (writes !== ((result.write_set ?? "") === "" ? "0000" : result.write_set))
          differences.push("write set " + writeDifference(output.writeSet, result.write_set));
        if (output.events.map(toHex).join() !== (result.events ?? []).join())
          differences.push(`events ${output.events.length}, expected ${(result.events ?? []).length}`);
      } catch (error) {
        differences.push(`THROWN ${(error as Error).stack?.split("\n").slice(0, 3).join(" ")}`);
      }
      if (differences.length === 0) group.equal++;
      else if (verbose)
        console.log(
          `  ${name} ${vector.index} [${vector.group}] ${vector.name}: ${differences.join("; ").slice(0, 700)}`,
        );
    }
    applyStored(items, result.write_set);
  }
  const all = [...byGroup]
    .map(([group, { equal, total, gas }]) => `${group} ${equal}/${total} (gas ${gas})`)
    .join(", ");
  const sum = (of: "equal" | "total" | "gas"): number =>
    [...byGroup.values()].reduce((total, group) => total + group[of], 0);
  console.log(`${name}: ${sum("equal")} of ${sum("total")} equal, gas of ${sum("gas")}: ${all}`);
}

function writeDifference(got: Uint8Array, wanted: string): string {
  const of = (bytes: Uint8Array): Map<string, string> =>
    new Map(
      decodeWith(writeSetCodec, bytes).writes.map(([key, op]) => [
        toHex(encodeWith(stateKeyCodec, key)),
        JSON.stringify(op, (_, v) =>
          v instanceof Uint8Array
            ? toHex(v)
            : typeof v === "bigint"
              ? String(v)
              : v?.type === "Buffer"
                ? Buffer.from(v.data).toString("hex")
                : v,
        ),
      ]),
    );
  const [a, b] = [of(got), of(Buffer.from((wanted ?? "") === "" ? "0000" : wanted, "hex"))];
  for (const [key, op] of b)
    if (a.get(key) !== op)
      return `${Buffer.from(key, "hex")
        .toString("latin1")
        .replace(/[^ -~]/g, ".")
        .slice(0, 90)}: ${a.get(key)?.slice(-120)}, expected ${op.slice(-120)}`;
  for (const key of a.keys())
    if (!b.has(key))
      return `extra ${Buffer.from(key, "hex")
        .toString("latin1")
        .replace(/[^ -~]/g, ".")
        .slice(0, 120)}`;
  return "?";
}

if (kind === undefined || kind === "views") views();
if (kind === undefined || kind === "transactions")
  for (const name of ["transactions.jsonl", "transactions-2.jsonl", "transactions-3.jsonl"])
    await transactions(name);
