// View functions that need no virtual machine, called in JSON, in BCS and through the official SDK, and compared with the
// chain's own books.
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { byteString, u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { assetText } from "../../src/chain/assets.ts";
import type { DemoAccountName } from "../../src/chain/demo-accounts.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { parseTypeTag } from "../../src/move/type-text.ts";
import { createNode } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { entryFunctionCodec } from "../../src/transaction/entry-function.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { COIN } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
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
        const [returned = new Uint8Array()] = decodeWith(vector(byteString), bcs.bytes);
        expect(decodeWith(u64, returned)).toBe(expected);
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
    const aptos = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: root }));
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
    ["0x1::coin::name", [COIN], [], "has no virtual machine and cannot run 0x1::coin::name"],
    ["0x2::coin::balance", [COIN], ["0x1"], "has no virtual machine"],
    ["0x1::coin::balance", [], ["0x1"], "type_arguments: 0x1::coin::balance takes 1, got 0"],
    ["0x1::coin::balance", [COIN], [], "arguments: 0x1::coin::balance takes 1, got 0"],
    ["0x1::coin::balance", [COIN], [5], "arguments[0]: expected an address"],
    ["0x1::coin::balance", ["u8"], ["0x1"], "type_arguments[0]: expected a coin type"],
    ["0x1::coin::balance", ["0x1::no::Such"], ["0x1"], "type_arguments[0]: the module of"],
    ["0x1::coin::balance", ["u9"], ["0x1"], "type_arguments[0]: "],
    ["0x1::primary_fungible_store::balance", [METADATA], ["0x1", "0xbad"], "arguments[1]: no object with"],
    ["0x1::fungible_asset::name", [METADATA], ["0xbad"], "arguments[0]: no object with"],
  ])("refuse %s %j %j", async (name, typeArgs, args, message) => {
    const got = await callJson(root, name, typeArgs, args);
    expect([got.status, got.json]).toEqual([
      400,
      { message: expect.stringContaining(message), error_code: "invalid_input" },
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
});
