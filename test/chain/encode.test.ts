// Encodes calls of the local chain's functions against the modules in its state.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toHex, toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { readModuleItem } from "../../src/ledger/items/module-item.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import type { ModuleLoader } from "../../src/move/abi.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { ModuleCache } from "../../src/move/module-cache.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { rawTransactionCodec } from "../../src/transaction/raw.ts";
import { ChainRun } from "../support/chain-run.ts";
import { hasShared, sharedJson } from "../support/shared.ts";

const PREFIX_BYTES = 32;
const ONE = `${"00".repeat(31)}01`;

/** Function, type arguments, arguments in JSON, and their hand-written BCS. */
const CASES: readonly (readonly [string, readonly string[], readonly unknown[], readonly string[]])[] = [
  ["take_bool", [], [true], ["01"]],
  ["take_u8", [], [255], ["ff"]],
  ["take_u16", [], [258], ["0201"]],
  ["take_u32", [], [16909060], ["04030201"]],
  ["take_u64", [], ["18446744073709551615"], ["ff".repeat(8)]],
  ["take_u128", [], ["1"], [`01${"00".repeat(15)}`]],
  ["take_u256", [], ["2"], [`02${"00".repeat(31)}`]],
  ["take_i8", [], [-1], ["ff"]],
  ["take_i16", [], [-2], ["feff"]],
  ["take_i32", [], [-3], ["fdffffff"]],
  ["take_i64", [], ["-9223372036854775808"], [`${"00".repeat(7)}80`]],
  ["take_i128", [], ["-1"], ["ff".repeat(16)]],
  ["take_i256", [], ["7"], [`07${"00".repeat(31)}`]],
  ["take_address", [], ["0x1"], [ONE]],
  ["take_bytes", [], ["0x0a0b"], ["020a0b"]],
  ["take_addresses", [], [["0x1", "0x1"]], [`02${ONE}${ONE}`]],
  ["take_matrix", [], [[["1"], []]], [`02010100000000000000${"00"}`]],
  ["take_string", [], ["hé"], ["0368c3a9"]],
  ["take_strings", [], [["a", ""]], ["02016100"]],
  ["take_option", [], [{ vec: ["5"] }], ["010500000000000000"]],
  ["take_option_string", [], [{ vec: [] }], ["00"]],
  ["take_object", [], ["0x1"], [ONE]],
  ["take_generic", ["u16"], [3], ["0300"]],
  ["take_generic_vector", ["bool"], [[true, false]], ["020100"]],
  ["take_generic_object", ["0x1::fungible_asset::Metadata"], ["0x1"], [ONE]],
  ["take_type", ["vector<u8>"], [], []],
  ["take_point", [], [{ x: "1", y: "-1" }], [`0100000000000000${"ff".repeat(8)}`]],
  [
    "take_route",
    [],
    [{ name: "r", stops: [{ x: "1", y: "2" }], end: { vec: [] } }],
    ["0172010100000000000000020000000000000000"],
  ],
  ["take_pair", [], [{ first: "4", second: "s" }], ["04000000000000000173"]],
  ["take_shape", [], [{ Dot: {} }], ["00"]],
  [
    "take_shape",
    [],
    [{ Circle: { center: { x: "0", y: "0" }, radius: 9 } }],
    [`01${"00".repeat(16)}09000000`],
  ],
  ["take_choice", ["u8"], [{ Many: { values: "0x0102" } }], ["02020102"]],
  ["take_nothing", [], [], []],
  [
    "take_many",
    [],
    [true, 1, "2", "0x1", "x", "0xff", { vec: ["0x1"] }],
    ["01", "01", "0200000000000000", ONE, "0178", "01ff", `01${ONE}`],
  ],
];

interface Vector {
  readonly name: string;
  readonly request: {
    readonly payload: {
      readonly type: string;
      readonly function?: string;
      readonly type_arguments?: readonly string[];
    };
  };
  readonly expected: string;
}

describe("encoding for the local chain", () => {
  const chain = createLocalChain({ seed: "encode" });
  let view: LedgerView;
  let loadModule: ModuleLoader;

  beforeAll(async () => {
    const run = await new ChainRun(chain, createMemoryStore()).start();
    await run.steps(3);
    view = await run.store.openView();
    loadModule = new ModuleCache().createLoader((module) => readModuleItem(view, module));
  });

  afterAll(() => view.release());

  /** True when the chain has the function or struct. */
  const isHere = async (path: string): Promise<boolean> => {
    const [address = "", module = "", name] = path.split("::");
    const abi = await loadModule({ address: parseAddress(address), name: module });
    return [...(abi?.functions ?? []), ...(abi?.structs ?? [])].some((one) => one.name === name);
  };

  const encode = (request: unknown, chainId: number) =>
    encodeSubmission(Buffer.from(JSON.stringify(request)), { chainId, loadModule });

  it.each(CASES)("encodes demo::%s<%j>(%j)", async (name, typeArguments, args, expected) => {
    const message = await encode(
      {
        sender: "0x1",
        sequence_number: "0",
        max_gas_amount: "1",
        gas_unit_price: "1",
        expiration_timestamp_secs: "1",
        payload: {
          type: "entry_function_payload",
          function: `${formatAddress(chain.items.demoAddress)}::demo::${name}`,
          type_arguments: typeArguments,
          arguments: args,
        },
      },
      4,
    );
    const { payload } = decodeWith(rawTransactionCodec, message.subarray(PREFIX_BYTES));
    if (payload.kind !== "entryFunction") throw new Error(`a ${payload.kind} payload`);
    expect(payload.entryFunction.function).toBe(name);
    expect(payload.entryFunction.args.map(toHex)).toEqual(expected);
  });

  it("covers every entry function of the demo module with arguments", async () => {
    const abi = await loadModule({ address: chain.items.demoAddress, name: "demo" });
    const taking = abi?.functions.filter(({ name }) => name.startsWith("take_")).map(({ name }) => name);
    const covered = new Set(CASES.map(([name]) => name));
    expect(taking?.filter((name) => !covered.has(name))).toEqual([]);
    expect(covered.size).toBeGreaterThan(30);
  });

  it.skipIf(!hasShared)("encodes requests for the framework as a real network does", async () => {
    const vectors = sharedJson<Vector[]>("vectors/encode-devnet.json");
    let compared = 0;
    for (const { name, request, expected } of vectors) {
      const { type, function: called = "", type_arguments: types = [] } = request.payload;
      if (type !== "entry_function_payload" || !(await isHere(called))) continue;
      // Some need types of modules that only the network has.
      const named = types.join().match(/0x\w+::\w+::\w+/g) ?? [];
      const here = await Promise.all(named.map(isHere));
      if (here.includes(false)) continue;
      expect(toPrefixedHex(await encode(request, 243)), name).toBe(expected);
      compared++;
    }
    expect(compared).toBeGreaterThan(90);
  });
});
