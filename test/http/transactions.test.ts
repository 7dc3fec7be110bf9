// Transactions by version: every record of a local chain, of two genesis files and of recorded pages in JSON, compared
// with what the records and other reads say.
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { decodePage, type LedgerRecord, recordCodec } from "../../src/ledger/record.ts";
import { resourceGroupCodec } from "../../src/ledger/resources.ts";
import { accessPathCodec } from "../../src/ledger/state-key.ts";
import { writtenValue } from "../../src/ledger/write-set.ts";
import { formatAddress } from "../../src/move/address.ts";
import { createNode } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { startServer } from "../support/http-server.ts";
import { hasShared, sharedBytes, sharedJson } from "../support/shared.ts";

const BCS = { accept: "application/x-bcs" };

interface Change {
  readonly type: string;
  readonly address?: string;
  readonly data?: { readonly type: string; readonly data: object } | null;
}

interface Transaction {
  readonly type: string;
  readonly version: string;
  readonly hash: string;
  readonly vm_status: string;
  readonly changes: readonly Change[];
  readonly events?: readonly { readonly type: string; readonly data: unknown }[];
  readonly payload?: {
    readonly function?: string;
    readonly arguments?: readonly unknown[];
    readonly write_set?: { readonly changes: readonly Change[]; readonly events: readonly object[] };
  };
  readonly timestamp?: string;
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as T;
}

/** How many changes a write set prints to: a resource group as many as it has members. */
function changeCount({ changes }: LedgerRecord): number {
  let count = 0;
  for (const [key, op] of changes.writes) {
    const path = key.kind === "accessPath" ? decodeWith(accessPathCodec, key.path) : undefined;
    const data = writtenValue(op)?.data;
    if (path?.kind !== "resourceGroup" || data === undefined) count++;
    else count += decodeWith(resourceGroupCodec, data).length;
  }
  return count;
}

/** What the record says must be in the JSON. */
function compare(json: Transaction, record: LedgerRecord): void {
  const { info } = record;
  expect(json).toMatchObject({
    version: `${record.version}`,
    hash: toPrefixedHex(info.transactionHash),
    state_change_hash: toPrefixedHex(info.stateChangeHash),
    event_root_hash: toPrefixedHex(info.eventRootHash),
    state_checkpoint_hash:
      info.stateCheckpointHash === undefined ? null : toPrefixedHex(info.stateCheckpointHash),
    gas_used: `${info.gasUsed}`,
    success: info.status.kind === "success",
    accumulator_root_hash: toPrefixedHex(record.accumulatorRoot),
  });
  expect(json.changes).toHaveLength(changeCount(record));
  if (json.events !== undefined) {
    expect(json.events).toHaveLength(record.events.length);
    // An event that does not decode is hex.
    for (const { type, data } of json.events) expect([type, typeof data]).not.toEqual([type, "string"]);
  }
}

describe("transactions of the local chain", () => {
  const run = new ChainRun(createTrackedChain({ seed: "transactions" }), createMemoryStore());
  let root: string;
  let records: LedgerRecord[];
  let aptos: Aptos;

  beforeAll(async () => {
    await run.start();
    const bytes = await run.steps(12);
    records = bytes.map((one) => decodeWith(recordCodec, one));
    const { url } = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    root = `${url}/v1`;
    aptos = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: root }));
  });

  it("say in JSON what their records say, and resources as other reads print them", async () => {
    const kinds = new Set<string>();
    for (const record of records) {
      const json = await getJson<Transaction>(`${root}/transactions/by_version/${record.version}`);
      compare(json, record);
      kinds.add(json.type);
      const changes = json.changes.filter(({ type }) => type === "write_resource");
      for (const { address, data } of changes.slice(0, 2)) {
        const type = encodeURIComponent(data?.type ?? "");
        const url = `${root}/accounts/${address}/resource/${type}?ledger_version=${record.version}`;
        expect(await getJson(url)).toEqual(data);
      }
    }
    expect([...kinds].sort()).toEqual([
      "block_epilogue_transaction",
      "block_metadata_transaction",
      "state_checkpoint_transaction",
      "user_transaction",
    ]);
  });

  it("are what the SDK takes for them", async () => {
    const record = records.find(
      ({ transaction, info }) => transaction.kind === "user" && info.status.kind === "success",
    );
    if (record?.transaction.kind !== "user") throw new Error("no user transaction");
    const { raw } = record.transaction.transaction;
    if (raw.payload.kind !== "entryFunction") throw new Error("no entry function");
    const { module, function: name, args } = raw.payload.entryFunction;
    const found = await aptos.getTransactionByVersion({ ledgerVersion: record.version });
    expect(found).toMatchObject({
      type: "user_transaction",
      sender: formatAddress(raw.sender),
      sequence_number: `${raw.sequenceNumber}`,
      success: true,
      vm_status: "Executed successfully",
      payload: {
        type: "entry_function_payload",
        function: `${formatAddress(module.address)}::${module.name}::${name}`,
      },
      signature: { type: "ed25519_signature" },
      replay_protection_nonce: null,
    });
    const payload = (found as unknown as Transaction).payload;
    expect(payload?.arguments).toHaveLength(args.length);
    // A decoded address is shorter or equal to its hex, an amount has digits only.
    expect(payload?.arguments?.at(-1)).toMatch(/^[0-9]+$|^0x[0-9a-f]{1,64}$/);
    const opening = records.findLast(
      ({ transaction, version }) => transaction.kind === "blockMetadata" && version < record.version,
    );
    if (opening?.transaction.kind !== "blockMetadata") throw new Error("no block metadata");
    expect(found).toMatchObject({ timestamp: `${opening.transaction.block.timestampUsec}` });
  });

  it("say why they failed", async () => {
    const failed = records.find(({ info }) => info.status.kind === "moveAbort");
    const json = await getJson<Transaction>(`${root}/transactions/by_version/${failed?.version}`);
    expect(json).toMatchObject({
      success: false,
      vm_status:
        "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): Not enough coins to complete transaction",
    });
  });

  it("are a zero byte and the record in BCS", async () => {
    const version = records[3]?.version ?? 0n;
    const response = await fetch(`${root}/transactions/by_version/${version}`, { headers: BCS });
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([response.status, response.headers.get("content-type"), bytes[0]]).toEqual([
      200,
      "application/x-bcs",
      0,
    ]);
    expect(decodeWith(recordCodec, bytes.subarray(1)).version).toBe(version);
  });

  it.each([
    ["99999", 404, "transaction_not_found"],
    ["18446744073709551616", 400, "web_framework_error"],
    ["-1", 400, "web_framework_error"],
    ["abc", 400, "web_framework_error"],
  ])("refuse version %s with %i %s", async (version, status, code) => {
    const response = await fetch(`${root}/transactions/by_version/${version}`);
    expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
      status,
      code,
    ]);
  });
});

it("a pruned transaction is 410", async () => {
  const { url } = await startServer();
  const response = await fetch(`${url}/v1/transactions/by_version/1`);
  expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
    410,
    "version_pruned",
  ]);
});

describe.skipIf(!hasShared)("transactions of real networks", () => {
  it.each(["mainnet", "devnet"])("genesis of %s has all its changes and events in JSON", async (network) => {
    const genesis = sharedBytes(`networks/${network}/genesis.blob`);
    const node = await createNode({ genesis, http: { port: 0, maxWaitMs: 0 } });
    try {
      const url = `${node.url}/transactions/by_version/0`;
      const json = await getJson<Transaction>(url);
      const bytes = new Uint8Array(await (await fetch(url, { headers: BCS })).arrayBuffer());
      const record = decodeWith(recordCodec, bytes.subarray(1));
      compare(json, record);
      expect(json.type).toBe("genesis_transaction");
      expect(json.payload?.write_set?.changes).toEqual(json.changes);
      expect(json.payload?.write_set?.events).toEqual(json.events);
      expect(new Set(json.changes.map(({ type }) => type))).toContain("write_module");
    } finally {
      await node.close();
    }
  });

  it("the first versions of a test network have the recorded hashes", async () => {
    const page = sharedBytes("vectors/testnet-pages/testnet-start0-limit4.page.bcs");
    const recorded = sharedJson<Record<string, string>[]>("vectors/testnet-pages/testnet-first-four.json");
    const records = decodePage(page);
    const run = new ChainRun(createTrackedChain({ seed: "unused" }), createMemoryStore());
    const genesis = records[0];
    if (genesis === undefined) throw new Error("no genesis");
    await run.start(genesis.transaction);
    await run.append(records.slice(1).map(({ bytes }) => bytes));
    const { url } = await startServer({ ledger: run.store });
    for (const [i, { bytes }] of records.entries()) {
      const json = await getJson<Transaction>(`${url}/v1/transactions/by_version/${i}`);
      compare(json, decodeWith(recordCodec, bytes));
      expect(json).toMatchObject({
        hash: `0x${recorded[i]?.transaction_hash}`,
        event_root_hash: `0x${recorded[i]?.event_root_hash}`,
        state_change_hash: `0x${recorded[i]?.state_change_hash}`,
        accumulator_root_hash: `0x${recorded[i]?.accumulator_root_hash}`,
        vm_status: "Executed successfully",
      });
    }
  });
});
