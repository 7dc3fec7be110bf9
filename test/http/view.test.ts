// View functions, called in JSON, in BCS and through the official SDK: on the local chain, compared with its own books;
// with modules assembled here; and on real frameworks.
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { assetText } from "../../src/chain/demo/assets.ts";
import type { DemoAccountName } from "../../src/chain/demo/demo-accounts.ts";
import type { Ledger, LedgerView } from "../../src/ledger/view.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { parseTypeTag } from "../../src/move/type-text.ts";
import { createNode, type Node } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { entryFunctionCodec } from "../../src/transaction/executable.ts";
import { PLAIN_SCHEDULE } from "../../src/vm/gas.ts";
import { loadConfig } from "../../src/vm/ledger/chain-config.ts";
import { ViewRun } from "../../src/vm/ledger/view-run.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { COIN } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { loadedModule } from "../support/machine.ts";
import { sdkClient } from "../support/sdk-client.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";

const METADATA = "0x1::fungible_asset::Metadata";
const VIEW_TYPE = "application/x.aptos.view_function+bcs";

interface Got {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly json: unknown;
}

async function post(
  url: string,
  contentType: string,
  body: string | Uint8Array,
  accept: string,
): Promise<Got> {
  const headers = { "content-type": contentType, accept };
  const response = await fetch(url, { method: "POST", headers, body: Buffer.from(body) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    bytes,
    json: isJson ? JSON.parse(Buffer.from(bytes).toString()) : undefined,
  };
}

function callJson(
  root: string,
  name: string,
  typeArgs: readonly string[],
  args: readonly unknown[],
  accept = "application/json",
): Promise<Got> {
  const body = JSON.stringify({ function: name, type_arguments: typeArgs, arguments: args });
  return post(`${root}/view`, "application/json", body, accept);
}

function bcsCall(name: string, typeArgs: readonly string[], args: readonly string[]): Uint8Array {
  const [address = "", module = "", fun = ""] = name.split("::");
  return encodeWith(entryFunctionCodec, {
    module: { address: parseAddress(address), name: module },
    function: fun,
    typeArgs: typeArgs.map((text) => parseTypeTag(text)),
    args: args.map((text) => parseAddress(text)),
  });
}

describe("view functions on the local chain", () => {
  const chain = createTrackedChain({ seed: "views" });
  const run = new ChainRun(chain, createMemoryStore());
  let root: string;

  beforeAll(async () => {
    await run.start();
    await run.steps(30);
    const { url } = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    root = `${url}/v1`;
  });

  it("answer balances as the books have them, in every form of request and answer", async () => {
    const { native } = chain.items.assets;
    const coin = assetText(native);
    let held = 0;
    for (const [name, { address }] of Object.entries(chain.items.demoAccounts)) {
      const owner = formatAddressLong(address);
      const store = chain.expectedBalances.amount(name as DemoAccountName, "native", "store");
      const whole = store + chain.expectedBalances.amount(name as DemoAccountName, "native", "coin");
      if (whole > 0n) held++;
      const questions: [string, string[], string[], bigint][] = [
        ["0x1::coin::balance", [coin], [owner], whole],
        ["0x1::primary_fungible_store::balance", [METADATA], [owner, "0xa"], store],
      ];
      for (const [fun, typeArgs, args, expected] of questions) {
        expect((await callJson(root, fun, typeArgs, args)).json).toEqual([`${expected}`]);
        const bcs = await post(`${root}/view`, VIEW_TYPE, bcsCall(fun, typeArgs, args), "application/x-bcs");
        expect(decodeWith(vector(u64), bcs.bytes)).toEqual([expected]);
      }
    }
    expect(held).toBeGreaterThan(2);
  });

  it("answer supplies, names and pairs", async () => {
    const answers = async (fun: string, typeArgs: string[], args: string[]) =>
      (await callJson(root, `0x1::${fun}`, typeArgs, args)).json;
    const [supply] = (await answers("fungible_asset::supply", [METADATA], ["0xa"])) as [{ vec: string[] }];
    expect(BigInt(supply.vec[0] ?? 0)).toBeGreaterThan(0n);
    const [both] = (await answers("coin::supply", [COIN], [])) as [{ vec: string[] }];
    expect(BigInt(both.vec[0] ?? 0)).toBeGreaterThanOrEqual(BigInt(supply.vec[0] ?? 0));
    expect(await answers("fungible_asset::symbol", [METADATA], ["0xa"])).toEqual(["APT"]);
    expect(await answers("fungible_asset::decimals", [METADATA], ["0xa"])).toEqual([8]);
    expect(await answers("fungible_asset::metadata", [METADATA], ["0xa"])).toMatchObject([
      { symbol: "APT", decimals: 8 },
    ]);
    expect(await answers("coin::paired_coin", [], ["0xa"])).toEqual([
      {
        vec: [
          {
            account_address: "0x1",
            module_name: `0x${Buffer.from("aptos_coin").toString("hex")}`,
            struct_name: `0x${Buffer.from("AptosCoin").toString("hex")}`,
          },
        ],
      },
    ]);
  });

  it("are called by the official SDK for its amounts", async () => {
    const aptos = sdkClient(root);
    for (const [name, { address }] of Object.entries(chain.items.demoAccounts).slice(0, 4)) {
      const expected =
        chain.expectedBalances.amount(name as DemoAccountName, "native", "store") +
        chain.expectedBalances.amount(name as DemoAccountName, "native", "coin");
      const accountAddress = formatAddressLong(address);
      expect(BigInt(await aptos.getAccountAPTAmount({ accountAddress }))).toBe(BigInt(Number(expected)));
      const returned = await aptos.view({
        payload: {
          function: "0x1::coin::balance",
          typeArguments: [COIN],
          functionArguments: [accountAddress],
        },
      });
      expect(returned).toEqual([`${expected}`]);
    }
  });

  it.each([
    ["0x1::coin::is_coin_store_frozen", [COIN], ["0x1"], "no code of 0x1::coin::is_coin_store_frozen", 1021],
    ["0x1::coin::transfer", [COIN], ["0x1", "1"], "0x1::coin::transfer is not a view function", 1011],
    ["0x1::coin::nothing", [], [], "function: there is no function 0x1::coin::nothing"],
    ["0x2::coin::balance", [COIN], ["0x1"], "function: module 0x2::coin is not on chain"],
    ["0x1::coin::balance", [], ["0x1"], "type_arguments: 0x1::coin::balance takes 1, got 0"],
    ["0x1::coin::balance", [COIN], [], "arguments: 0x1::coin::balance takes 1 (address), got 0"],
    ["0x1::coin::balance", [COIN], [5], "arguments[0]: expected an address"],
    ["0x1::coin::balance", ["u8"], ["0x1"], "expected a coin type", 2021],
    ["0x1::coin::balance", ["0x1::no::Such"], ["0x1"], "there is no module 0x1::no (LINKER_ERROR)", 1081],
    ["0x1::coin::balance", ["u9"], ["0x1"], "type_arguments[0]: "],
    [
      "0x1::primary_fungible_store::balance",
      [METADATA],
      ["0x1", "0xbad"],
      "Move abort in 0x1::object: EOBJECT_DOES_NOT_EXIST(0x60002): there is no object",
      4016,
    ],
    ["0x1::fungible_asset::name", [METADATA], ["0xbad"], "EOBJECT_DOES_NOT_EXIST(0x60002)", 4016],
  ] as const)("refuse %s %j %j", async (name, typeArgs, args, message, status?: number) => {
    const got = await callJson(root, name, typeArgs, args);
    expect([got.status, got.json]).toEqual([
      400,
      {
        message: expect.stringContaining(message),
        error_code: "invalid_input",
        ...(status === undefined ? {} : { vm_error_code: status }),
      },
    ]);
  });

  it.each([
    [VIEW_TYPE, Uint8Array.of(1, 2, 3), 400],
    ["application/json", "{}", 400],
    ["application/json", '{"function":"balance","type_arguments":[],"arguments":[]}', 400],
    ["application/x-bcs", "{}", 415],
  ])("refuse a body of %s that is none: %s", async (type, body, status) => {
    const got = await post(`${root}/view`, type, body, "application/json");
    expect([got.status, got.json]).toMatchObject([status, { error_code: "web_framework_error" }]);
  });
});

// Instructions by name.
const u64Bytes = (value: number): number[] => [...encodeWith(u64, BigInt(value))];
const ldU64 = (value: number): number[] => [0x06, ...u64Bytes(value)];
const copyLoc = (local: number): number[] => [0x0a, local];
const stLoc = (local: number): number[] => [0x0c, local];
const branch = (to: number): number[] => [0x05, to];
const brFalse = (to: number): number[] => [0x04, to];
const [ADD, SUB, DIV, LT, ABORT, RET] = [[0x16], [0x17], [0x1a], [0x23], [0x27], [0x02]];

/** A module whose functions are worked out by hand. */
const SUMS = assembleModule({
  address: parseAddress("0x5ea"),
  name: "sums",
  functions: [
    {
      name: "up_to",
      isView: true,
      params: ["u64"],
      returns: ["u64", "bool"],
      body: {
        locals: ["u64", "u64"],
        code: [
          ldU64(0),
          stLoc(1),
          ldU64(0),
          stLoc(2),
          // While the second local is below the parameter: one more, and add it.
          copyLoc(2),
          copyLoc(0),
          LT,
          brFalse(17),
          copyLoc(2),
          ldU64(1),
          ADD,
          stLoc(2),
          copyLoc(1),
          copyLoc(2),
          ADD,
          stLoc(1),
          branch(4),
          copyLoc(1),
          [0x08],
          RET,
        ],
      },
    },
    {
      name: "difference",
      isView: true,
      params: ["u64", "u64"],
      returns: ["u64"],
      body: { locals: [], code: [copyLoc(0), copyLoc(1), SUB, RET] },
    },
    {
      name: "quotient",
      isView: true,
      params: ["u64", "u64"],
      returns: ["u64"],
      body: { locals: [], code: [copyLoc(0), copyLoc(1), DIV, RET] },
    },
    {
      name: "refuse",
      isView: true,
      params: ["u64"],
      returns: ["u64"],
      body: { locals: [], code: [copyLoc(0), ABORT] },
    },
    { name: "forever", isView: true, returns: ["u64"], body: { locals: [], code: [branch(0)] } },
    { name: "hidden", params: ["u64"], returns: ["u64"], body: { locals: [], code: [copyLoc(0), RET] } },
    {
      name: "echo",
      isView: true,
      params: ["vector<u8>", "u8", "bool"],
      returns: ["vector<u8>", "u8", "bool"],
      body: { locals: [], code: [copyLoc(0), copyLoc(1), copyLoc(2), RET] },
    },
  ],
});

describe("view functions of modules with code", () => {
  let node: Node;
  let root: string;

  beforeAll(async () => {
    node = await createNode({ localChain: {}, http: { port: 0 } });
    await node.publish(SUMS);
    root = node.url ?? "";
  });
  afterAll(() => node.close());

  it("run loops and arithmetic, and give every value by its type", async () => {
    expect((await callJson(root, "0x5ea::sums::up_to", [], ["1000"])).json).toEqual(["500500", true]);
    const bcs = await callJson(root, "0x5ea::sums::up_to", [], ["3"], "application/x-bcs");
    expect([...bcs.bytes]).toEqual([2, ...u64Bytes(6), 1]);
    expect(await node.view({ function: "0x5ea::sums::up_to", arguments: [4n] })).toEqual(["10", true]);
    const all = await callJson(root, "0x5ea::sums::echo", [], ["0x0102", 7, false]);
    expect(all.json).toEqual(["0x0102", 7, false]);
  });

  it.each([
    ["refuse", ["77"], "Move abort in 0x5ea::sums: 0x4d", 4016],
    ["difference", ["1", "2"], "(ARITHMETIC_ERROR)", 4017],
    ["quotient", ["1", "0"], "(ARITHMETIC_ERROR)", 4017],
    ["hidden", ["1"], "is not a view function", 1011],
    ["forever", [], "(EXECUTION_LIMIT_REACHED)", 4030],
  ])("answer 400 with the status for %s(%j)", async (name, args, message, status) => {
    const got = await callJson(root, `0x5ea::sums::${name}`, [], args);
    expect([got.status, got.json]).toEqual([
      400,
      { message: expect.stringContaining(message), error_code: "invalid_input", vm_error_code: status },
    ]);
  });

  it("run in pieces of a millisecond, so that others have their turns", () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs++);
    const address = toHex(parseAddress("0x5ea"));
    const run = new ViewRun({
      read: () => undefined,
      programs: (_, bytes) => loadedModule(bytes),
      config: { ...loadConfig(() => undefined), schedule: PLAIN_SCHEDULE },
      maxGas: 2_000_000,
      modules: () => loadedModule(SUMS),
    });
    const call = { address, module: "sums", name: "forever", typeArgs: [], args: [] };
    const pieces = run.callInPieces(call);
    let count = 0;
    const runAll = (): void => {
      while (pieces.next().done !== true) count++;
    };
    expect(runAll).toThrow("the limit of work is reached");
    clock.mockRestore();
    expect(count).toBeGreaterThan(100);
  });

  it("answer many that run long, two at a time", async () => {
    const calls = Array.from({ length: 6 }, () => callJson(root, "0x5ea::sums::forever", [], []));
    for (const { json } of await Promise.all(calls)) expect(json).toMatchObject({ vm_error_code: 4030 });
    expect((await callJson(root, "0x5ea::sums::up_to", [], ["2"])).json).toEqual(["3", true]);
  });

  it("read the state of the version that is asked for", async () => {
    const body = JSON.stringify({
      function: "0x1::timestamp::now_microseconds",
      type_arguments: [],
      arguments: [],
    });
    const before = await node.ledgerInfo();
    await node.mine(2);
    const at = `?ledger_version=${before.ledger_version}`;
    const old = await post(`${root}/view${at}`, "application/json", body, "application/json");
    expect(old.json).toEqual([`${before.ledger_timestamp}`]);
    const { ledger_timestamp: now } = await node.ledgerInfo();
    expect(await node.view({ function: "0x1::timestamp::now_microseconds" })).toEqual([`${now}`]);
    expect(now).toBeGreaterThan(before.ledger_timestamp);
  });

  it.each(["0x5ea", "0xe"])("run the code of %s that the version has, also after a revert", async (at) => {
    const answering = (value: number): Uint8Array =>
      assembleModule({
        address: parseAddress(at),
        name: "answers",
        functions: [
          { name: "one", isView: true, returns: ["u64"], body: { locals: [], code: [ldU64(value), RET] } },
        ],
      });
    const ask = () => node.view({ function: `${at}::answers::one` });
    const before = await node.snapshot();
    const { version } = await node.publish(answering(1));
    expect(await ask()).toEqual(["1"]);
    await node.mine(2);
    expect(await ask()).toEqual(["1"]);
    await node.revert(before);
    expect((await node.publish(answering(2))).version).toBe(version);
    expect(await ask()).toEqual(["2"]);
    await node.publish(answering(3));
    expect(await ask()).toEqual(["3"]);
    expect(await node.view({ function: `${at}::answers::one` }, { ledgerVersion: version })).toEqual(["2"]);
  });

  it("read the items that the version has, also after a revert", async () => {
    const owner = `0x${"5eb".padStart(64, "0")}`;
    const coin = "0x1::aptos_coin::AptosCoin";
    const ask = () =>
      node.view({ function: "0x1::coin::balance", typeArguments: [coin], arguments: [owner] });
    const before = await node.snapshot();
    const { version } = await node.fund(owner, 1n);
    for (let i = 0; i < 2; i++) expect(await ask()).toEqual(["1"]);
    await node.revert(before);
    expect((await node.fund(owner, 2n)).version).toBe(version);
    for (let i = 0; i < 2; i++) expect(await ask()).toEqual(["2"]);
    await node.fund(owner, 3n);
    expect(await ask()).toEqual(["5"]);
  });

  it("that run long go on while blocks are made", async () => {
    const calls = Array.from({ length: 3 }, () => callJson(root, "0x5ea::sums::up_to", [], ["50000"]));
    await node.mine(20);
    for (const { json } of await Promise.all(calls)) expect(json).toEqual(["1250025000", true]);
  });

  it("fetch what they read on a fork, and say what the answer rests on", async () => {
    const fork = await createNode({ fork: { url: root }, http: { port: 0 } });
    const [address] = node.guide()?.accounts ?? [];
    const called = {
      function: "0x1::coin::balance",
      type_arguments: [COIN],
      arguments: [address?.address],
    };
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${fork.url}/view`, {
      method: "POST",
      headers,
      body: JSON.stringify(called),
    });
    expect(await response.json()).toEqual([`${await node.balance(address?.address ?? "", COIN)}`]);
    expect(response.headers.get("x-node-trust")).toBe("trusted");
    expect(await fork.view({ function: "0x5ea::sums::up_to", arguments: ["10"] })).toEqual(["55", true]);
    await fork.close();
  });

  it("end at the node's limit of gas", async () => {
    const limited = await createNode({ localChain: {}, http: { port: 0, viewGasLimit: 1 } });
    await limited.publish(SUMS);
    const got = await callJson(limited.url ?? "", "0x5ea::sums::forever", [], []);
    expect(got.json).toMatchObject({ message: "out of gas (OUT_OF_GAS)", vm_error_code: 4002 });
    await limited.close();
  });
});

interface Recorded {
  readonly state: string;
  readonly function: string;
  readonly type_args: readonly string[];
  readonly args: readonly string[];
  readonly result: { readonly values?: readonly string[]; readonly error?: string };
}

describe.skipIf(!hasShared)("view functions on real networks", () => {
  it("devnet has a supply, and mainnet's first modules have no view functions", async () => {
    for (const [network, status] of [
      ["devnet", 200],
      ["mainnet", 400],
    ] as const) {
      const genesis = sharedBytes(`networks/${network}/genesis.blob`);
      const node = await createNode({ genesis, http: { port: 0, maxWaitMs: 0 } });
      const got = await callJson(node.url ?? "", "0x1::coin::supply", [COIN], []);
      expect(got.status, JSON.stringify(got.json)).toBe(status);
      if (status === 200) {
        expect(got.json).toEqual([{ vec: [expect.stringMatching(/^\d+$/)] }]);
        const asset = await callJson(node.url ?? "", "0x1::fungible_asset::supply", [METADATA], ["0xa"]);
        expect(asset.json).toEqual([{ vec: [expect.stringMatching(/^\d+$/)] }]);
      }
      await node.close();
    }
  });

  it("give the recorded values and aborts of the reference, also where items must be waited for", async () => {
    const views = gunzipSync(sharedBytes("vectors/vm/views.jsonl.gz"))
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Recorded)
      .filter(({ state }) => state === "genesis")
      .filter((_, i) => i % 3 === 0);
    const genesis = gunzipSync(sharedBytes("vectors/vm/head-genesis.blob.gz"));
    const node = await createNode({ genesis, http: { port: 0 } });
    const slow = await startServer({ ledger: slowLedger(node as unknown as Ledger) });
    const counts = { values: 0, aborts: 0, others: 0 };
    for (const [i, view] of views.entries()) {
      const [address = "", module = "", name = ""] = view.function.split("::");
      const body = encodeWith(entryFunctionCodec, {
        module: { address: parseAddress(address), name: module },
        function: name,
        typeArgs: view.type_args.map((text) => parseTypeTag(text)),
        args: view.args.map((arg) => Buffer.from(arg, "hex")),
      });
      const root = i % 4 === 0 ? `${slow.url}/v1` : (node.url ?? "");
      const got = await post(`${root}/view`, VIEW_TYPE, body, "application/x-bcs");
      const { values, error = "" } = view.result;
      if (values !== undefined) {
        const expected = Buffer.concat([Uint8Array.of(values.length), Buffer.from(values.join(""), "hex")]);
        expect(Buffer.from(got.bytes), view.function).toEqual(expected);
        counts.values++;
        continue;
      }
      expect(got.status, view.function).toBe(400);
      const abort =
        /location: 0*([0-9a-f]+)::(\w+), code: (\d+), info: Some\(AbortInfo \{ reason_name: "(\w+)"/.exec(
          error,
        );
      const [, at, where, code = "0", reason] = abort ?? [];
      const message = abort === null ? (/Some\((\w+)\)\)$/.exec(error)?.[1] ?? "") : "Move abort";
      if (abort === null) counts.others++;
      else counts.aborts++;
      const hex = `0x${Number(code).toString(16)}`;
      expect(got.json, view.function).toMatchObject({
        message: expect.stringContaining(
          abort === null ? `(${message})` : `Move abort in 0x${at}::${where}: ${reason}(${hex}): `,
        ),
      });
    }
    expect(counts.values).toBeGreaterThan(30);
    expect(counts.aborts).toBeGreaterThan(5);
    await node.close();
  });
});

/** A ledger whose items must be waited for, as those of a cluster. */
function slowLedger(ledger: Ledger): Ledger {
  return {
    openView: async () => {
      const view = await ledger.openView();
      return new Proxy(view, {
        get: (target, name) => {
          if (name === "getItems") {
            return async (...args: Parameters<LedgerView["getItems"]>) => {
              await new Promise((resolve) => setImmediate(resolve));
              return target.getItems(...args);
            };
          }
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  };
}
