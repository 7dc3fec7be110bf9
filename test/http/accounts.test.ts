// Accounts, resources and modules: compared with the replayed records of every asked version, through plain requests and
// the official SDK.

import { beforeAll, describe, expect, it } from "vitest";
import { fromHex, toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { byteString } from "../../src/bcs/scalars.ts";
import { map } from "../../src/bcs/sequences.ts";
import { accountCodec, coinStoreCodec, resourceGroupCodec } from "../../src/ledger/items/resources.ts";
import { formatAddress, formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { readModule } from "../../src/move/bytecode/reader.ts";
import { formatStructTag } from "../../src/move/type-tag.ts";
import { moduleIdCodec } from "../../src/move/wire.ts";
import { createNode } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { AccountModel, type Named } from "../support/account-model.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { COIN } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { moduleAbiToJson } from "../support/module-abi.ts";
import { sdkClient } from "../support/sdk-client.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";

const BCS = { accept: "application/x-bcs" };
const ACCOUNT = "0x1::account::Account";
const GROUPED = "0x1::fungible_asset::FungibleStore";
const NOWHERE = `0x${"deadbeef".repeat(8)}`;

interface Got {
  readonly status: number;
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly headers: Headers;
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Got> {
  const response = await fetch(url, { headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, text: Buffer.from(bytes).toString(), bytes, headers: response.headers };
}

function hexOf(bytes: Uint8Array): string {
  return toPrefixedHex(bytes);
}

function bytesOf(hex: string | undefined): Uint8Array {
  return fromHex((hex ?? "").slice(2)) ?? new Uint8Array();
}

/** The pages of a list. */
async function pages(url: string, query: string, headers: Record<string, string>): Promise<Got[]> {
  const all: Got[] = [];
  for (let start: string | null = "", isFirst = true; isFirst || start !== null; isFirst = false) {
    const page: Got = await get(`${url}?${isFirst ? query : `${query}&start=${start}`}`, headers);
    expect(page.status, page.text).toBe(200);
    all.push(page);
    start = page.headers.get("x-aptos-cursor");
  }
  return all;
}

const bcsModules = map(moduleIdCodec, byteString);

describe("accounts of the local chain", () => {
  const run = new ChainRun(createTrackedChain({ seed: "accounts" }), createMemoryStore());
  let model: AccountModel;
  let root: string;
  let latest: bigint;
  let holder: string;

  beforeAll(async () => {
    await run.start();
    await run.steps(20);
    model = await AccountModel.of(run.store);
    latest = (await run.position()).version;
    const { url } = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    root = `${url}/v1`;
    holder = model.addresses.find((one) => model.at(one, latest).resources.has(GROUPED)) ?? "";
  });

  it("have the resources and modules of the records at every asked version, in both forms", async () => {
    let groups = 0;
    for (const version of [latest / 2n, latest]) {
      // Some accounts only at the latest version: each costs a dozen requests.
      const addresses = model.addresses.filter((one, i) => i % 4 === 0 || one === holder);
      for (const address of version === latest ? addresses : addresses.slice(0, 4)) {
        const { resources, modules } = model.at(address, version);
        const list = `${root}/accounts/${address}/resources`;
        const query = `ledger_version=${version}`;
        if (resources.size + modules.size === 0) {
          expect(JSON.parse((await get(`${list}?${query}`)).text)).toMatchObject({
            error_code: "account_not_found",
          });
          continue;
        }
        const inBcs: Named = new Map();
        for (const page of await pages(list, `${query}&limit=2`, BCS)) {
          for (const [tag, bytes] of decodeWith(resourceGroupCodec, page.bytes)) {
            inBcs.set(formatStructTag(tag), hexOf(bytes));
          }
        }
        expect(inBcs).toEqual(resources);
        const inJson = (await pages(list, `${query}&limit=3`, {})).flatMap(
          ({ text }) => JSON.parse(text) as { type: string; data: object }[],
        );
        expect(inJson.map(({ type }) => type).sort()).toEqual([...resources.keys()].sort());
        for (const { type, data } of inJson) {
          const url = `${root}/accounts/${address}/resource/${encodeURIComponent(type)}?${query}`;
          expect(hexOf((await get(url, BCS)).bytes)).toBe(resources.get(type));
          expect(JSON.parse((await get(url)).text)).toEqual({ type, data });
          if (type === GROUPED) groups++;
        }
      }
    }
    expect(groups).toBeGreaterThan(0);
  });

  it("show an account, a resource and a member of a group field by field", async () => {
    const { resources } = model.at(holder, latest);
    const owner = model.addresses.find((one) => model.at(one, latest).resources.has(ACCOUNT)) ?? "";
    const stored = decodeWith(accountCodec, bytesOf(model.at(owner, latest).resources.get(ACCOUNT)));
    const account = await get(`${root}/accounts/${owner}`);
    expect(JSON.parse(account.text)).toEqual({
      sequence_number: `${stored.sequenceNumber}`,
      authentication_key: hexOf(stored.authenticationKey),
    });
    expect(hexOf((await get(`${root}/accounts/${owner}`, BCS)).bytes)).toBe(
      model.at(owner, latest).resources.get(ACCOUNT),
    );
    const type = `0x1::coin::CoinStore<${COIN}>`;
    const coins = model.addresses.find((one) => model.at(one, latest).resources.has(type)) ?? "";
    const coin = decodeWith(coinStoreCodec, bytesOf(model.at(coins, latest).resources.get(type)));
    const handle = ({ counter, creationNumber, account: addr }: typeof coin.depositEvents) => ({
      counter: `${counter}`,
      guid: { id: { creation_num: `${creationNumber}`, addr: formatAddress(addr) } },
    });
    const found = await get(`${root}/accounts/${coins}/resource/${encodeURIComponent(type)}`);
    expect(JSON.parse(found.text)).toEqual({
      type,
      data: {
        coin: { value: `${coin.value}` },
        frozen: coin.frozen,
        deposit_events: handle(coin.depositEvents),
        withdraw_events: handle(coin.withdrawEvents),
      },
    });
    const store = bytesOf(resources.get(GROUPED));
    const grouped = await get(`${root}/accounts/${holder}/resource/${GROUPED}`);
    expect(JSON.parse(grouped.text)).toEqual({
      type: GROUPED,
      data: {
        metadata: { inner: formatAddress(store.subarray(0, 32)) },
        balance: `${Buffer.from(store).readBigUInt64LE(32)}`,
        frozen: store[40] === 1,
      },
    });
    expect(found.headers.get("x-aptos-trust")).toBe("trusted");
    expect(found.headers.get("x-aptos-read-version")).toBe(`${latest}`);
  });

  it("give each module with its ABI, one by one and in pages", async () => {
    const { modules } = model.at(formatAddressLong(parseAddress("0x1")), latest);
    const inBcs: Named = new Map();
    for (const page of await pages(`${root}/accounts/0x1/modules`, "limit=7", BCS)) {
      for (const [id, bytes] of decodeWith(bcsModules, page.bytes)) {
        expect(formatAddress(id.address)).toBe("0x1");
        inBcs.set(id.name, hexOf(bytes));
      }
    }
    expect(inBcs).toEqual(modules);
    const list = (await pages(`${root}/accounts/0x1/modules`, "limit=10", {})).flatMap(
      ({ text }) => JSON.parse(text) as { bytecode: string; abi: { name: string } }[],
    );
    expect(list.length).toBe(modules.size);
    for (const { bytecode, abi } of list) {
      expect(bytecode).toBe(modules.get(abi.name));
      expect(abi).toEqual(moduleAbiToJson(readModule(bytesOf(bytecode))));
      const url = `${root}/accounts/0x1/module/${abi.name}`;
      expect(JSON.parse((await get(url)).text)).toEqual({ bytecode, abi });
      expect(hexOf((await get(url, BCS)).bytes)).toBe(bytecode);
    }
  });

  it.each([
    [`/accounts/${NOWHERE}`, 404, "account_not_found"],
    [`/accounts/${NOWHERE}/resources`, 404, "account_not_found"],
    [`/accounts/${NOWHERE}/modules`, 404, "account_not_found"],
    [`/accounts/0x1/resource/0x1::no::Such`, 404, "resource_not_found"],
    [`/accounts/${NOWHERE}/resource/${ACCOUNT}`, 404, "resource_not_found"],
    [`/accounts/${NOWHERE}/resource/${GROUPED}`, 404, "resource_not_found"],
    [`/accounts/0x1/module/nothing`, 404, "module_not_found"],
    [`/accounts/0x1/module/1`, 400, "web_framework_error"],
    [`/accounts/0xg`, 400, "web_framework_error"],
    [`/accounts/0x1/resource/u64`, 400, "web_framework_error"],
    [`/accounts/0x1/resources?limit=0`, 400, "web_framework_error"],
    [`/accounts/0x1/resources?start=0xab`, 400, "web_framework_error"],
    [`/accounts/0x1/resource/${ACCOUNT}?ledger_version=99999`, 404, "version_not_found"],
    [`/accounts/0x1?at=2200-01-01T00:00:00Z`, 404, "version_not_found"],
    [`/accounts/0x1?min_ledger_version=99999`, 503, "internal_error"],
  ])("answer %s with %i %s", async (path, status, code) => {
    for (const headers of [{}, BCS]) {
      const got = await get(root + path, headers);
      expect([got.status, JSON.parse(got.text).error_code]).toEqual([status, code]);
    }
  });

  it("are read by the official SDK as they are", async () => {
    const aptos = sdkClient(root);
    const owner = model.addresses.find((one) => model.at(one, latest).resources.has(ACCOUNT)) ?? "";
    const { resources } = model.at(owner, latest);
    const stored = decodeWith(accountCodec, bytesOf(resources.get(ACCOUNT)));
    const info = await aptos.getAccountInfo({ accountAddress: owner });
    expect(info).toEqual({
      sequence_number: `${stored.sequenceNumber}`,
      authentication_key: hexOf(stored.authenticationKey),
    });
    const all = await aptos.getAccountResources({ accountAddress: owner });
    expect(all.map(({ type }) => type).sort()).toEqual([...resources.keys()].sort());
    const one = await aptos.getAccountResource({ accountAddress: owner, resourceType: ACCOUNT });
    expect(one.sequence_number).toBe(`${stored.sequenceNumber}`);
    const { modules } = model.at(formatAddressLong(parseAddress("0x1")), latest);
    const found = await aptos.getAccountModules({ accountAddress: "0x1" });
    expect(new Map(found.map(({ abi, bytecode }) => [abi?.name, bytecode]))).toEqual(modules);
    const coin = await aptos.getAccountModule({ accountAddress: "0x1", moduleName: "coin" });
    expect(coin.abi?.exposed_functions.some(({ name }) => name === "balance")).toBe(true);
    await expect(aptos.getAccountInfo({ accountAddress: NOWHERE })).rejects.toThrow("account_not_found");
  });
});

describe.skipIf(!hasShared)("accounts of real networks", () => {
  it.each([
    ["devnet", 200],
    ["mainnet", 404],
  ] as const)("%s: an address that was never used gets %i", async (network, status) => {
    const node = await createNode({
      genesis: sharedBytes(`networks/${network}/genesis.blob`),
      http: { port: 0, maxWaitMs: 0 },
    });
    const url = `${node.url}/accounts/${NOWHERE}`;
    const got = await get(url);
    expect(got.status, got.text).toBe(status);
    const list = await get(`${url}/resources`);
    expect([list.status, list.text === "[]"]).toEqual([status, status === 200]);
    if (status === 200) {
      const address = parseAddress(NOWHERE);
      expect(JSON.parse(got.text)).toEqual({
        sequence_number: "0",
        authentication_key: formatAddressLong(address),
      });
      const handle = (creationNumber: bigint) => ({ counter: 0n, creationNumber, account: address });
      expect(decodeWith(accountCodec, (await get(url, BCS)).bytes)).toEqual({
        authenticationKey: address,
        sequenceNumber: 0n,
        guidCreationNumber: 2n,
        coinRegisterEvents: handle(0n),
        keyRotationEvents: handle(1n),
        rotationCapabilityOffer: undefined,
        signerCapabilityOffer: undefined,
      });
    }
    await node.close();
  });
});
