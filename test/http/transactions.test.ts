// Transactions by version: every record of a local chain, of two genesis files and of recorded pages in JSON, compared
// with what the records and other reads say.
import type { Aptos } from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { struct } from "../../src/bcs/records.ts";
import { hash, u64 } from "../../src/bcs/scalars.ts";
import { option, vector } from "../../src/bcs/sequences.ts";
import type { Context } from "../../src/http/operation.ts";
import { blockAnswer } from "../../src/http/operations/blocks.ts";
import { decodePage, type LedgerRecord, recordCodec } from "../../src/ledger/formats/record.ts";
import { accessPathCodec } from "../../src/ledger/formats/state-key.ts";
import { writtenValue } from "../../src/ledger/formats/write-set.ts";
import { resourceGroupCodec } from "../../src/ledger/items/resources.ts";
import { StateTypes } from "../../src/ledger/items/state-types.ts";
import { ALL_TRUSTED } from "../../src/ledger/trust.ts";
import type { Ledger } from "../../src/ledger/view.ts";
import { formatAddress } from "../../src/move/address.ts";
import { ModuleCache } from "../../src/move/module-cache.ts";
import { createNode } from "../../src/node.ts";
import type { Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { recordAt } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { newBlock } from "../support/ledger-builder.ts";
import { sdkClient } from "../support/sdk-client.ts";
import { hasShared, sharedBytes, sharedJson } from "../support/shared.ts";

const BCS = { accept: "application/x-bcs" };

const blockCodec = struct({
  height: u64,
  hash,
  timestampUsec: u64,
  first: u64,
  last: u64,
  transactions: option(vector(recordCodec)),
});

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
    const bytes = await run.steps(30);
    records = bytes.map((one) => decodeWith(recordCodec, one));
    const { url } = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    root = `${url}/v1`;
    aptos = sdkClient(root);
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
    const isOfCoins = ({ status }: (typeof records)[number]["info"]): boolean =>
      status.kind === "moveAbort" &&
      status.location.kind === "module" &&
      status.location.module.name === "coin";
    const failed = records.find(({ info }) => isOfCoins(info));
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

describe("pages of transactions and blocks", () => {
  const run = new ChainRun(createTrackedChain({ seed: "blocks" }), createMemoryStore());
  let root: string;
  let aptos: Aptos;
  let head: bigint;

  beforeAll(async () => {
    await run.start();
    await run.steps(8);
    head = (await run.position()).version;
    const { url } = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    root = `${url}/v1`;
    aptos = sdkClient(root);
  });

  it("hold what each transaction says by its version", async () => {
    const page = await aptos.getTransactions({ options: { offset: 1, limit: 20 } });
    expect(page).toHaveLength(20);
    for (const [i, one] of page.entries()) {
      expect(one).toEqual(await getJson(`${root}/transactions/by_version/${i + 1}`));
    }
    const last = await getJson<Transaction[]>(`${root}/transactions?limit=3`);
    expect(last.map(({ version }) => BigInt(version))).toEqual([head - 2n, head - 1n, head]);
  });

  it("are the same for a block by its height and by a version in it, with and without transactions", async () => {
    const block = await aptos.getBlockByHeight({ blockHeight: 3 });
    const first = Number(block.first_version);
    expect(block).toMatchObject({ block_height: "3", transactions: null });
    expect(block.block_hash).toMatch(/^0x[0-9a-f]{64}$/);
    const opening = await getJson<Transaction & { id: string }>(`${root}/transactions/by_version/${first}`);
    expect([opening.id, opening.timestamp]).toEqual([block.block_hash, block.block_timestamp]);
    const whole = await aptos.getBlockByVersion({
      ledgerVersion: Number(block.last_version),
      options: { withTransactions: true },
    });
    const count = Number(block.last_version) - first + 1;
    expect(whole).toEqual({
      ...block,
      transactions: await getJson(`${root}/transactions?start=${first}&limit=${count}`),
    });
    const genesis = await aptos.getBlockByHeight({ blockHeight: 0, options: { withTransactions: true } });
    expect(genesis.transactions?.map(({ type }) => type)).toEqual(["genesis_transaction"]);
  });

  it("are records in BCS", async () => {
    const { first_version: first, last_version: last } = await aptos.getBlockByHeight({ blockHeight: 3 });
    const response = await fetch(`${root}/blocks/by_height/3?with_transactions=true`, { headers: BCS });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const whole = decodeWith(blockCodec, bytes);
    expect([whole.height, whole.first, whole.last]).toEqual([3n, BigInt(first), BigInt(last)]);
    expect(whole.transactions?.map(({ version }) => version)).toEqual(
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => BigInt(first) + BigInt(i)),
    );
    const short = await fetch(`${root}/blocks/by_version/${last}`, { headers: BCS });
    expect(decodeWith(blockCodec, new Uint8Array(await short.arrayBuffer()))).toMatchObject({
      height: 3n,
      transactions: undefined,
    });
  });

  it.each([
    ["blocks/by_height/9", 404, "block_not_found"],
    ["blocks/by_height/x", 400, "web_framework_error"],
    ["blocks/by_height/1?with_transactions=maybe", 400, "web_framework_error"],
    ["blocks/by_version/99999", 404, "version_not_found"],
    ["transactions?limit=0", 400, "invalid_input"],
    ["transactions?start=99999", 400, "invalid_input"],
  ])("refuse %s with %i %s", async (path, status, code) => {
    const response = await fetch(`${root}/${path}`);
    expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
      status,
      code,
    ]);
  });
});

describe("a large block", () => {
  const COUNT = 700;
  let root: string;
  let store: Store;

  beforeAll(async () => {
    const opening = decodeWith(recordCodec, recordAt(1n).bytes);
    const first = encodeWith(recordCodec, { ...opening, events: [newBlock(1n, 1n, 5n)] });
    const records = Array.from({ length: COUNT + 1 }, (_, i) =>
      i === 1 ? { version: 1n, bytes: first } : recordAt(BigInt(i)),
    );
    store = createMemoryStore();
    const version = BigInt(COUNT);
    const position = { chainId: 9, version, timestampUsec: 5n, epoch: 1n, blockHeight: 1n };
    const block = { height: 0n, firstVersion: 0n, timestampUsec: 0n, epoch: 1n };
    await store.commit(
      {
        previous: undefined,
        position: {
          ...position,
          oldestVersion: 0n,
          oldestBlockHeight: 0n,
          accumulator: { leafCount: version + 1n, frozen: [] },
          stateRoot: undefined,
          ...ALL_TRUSTED,
        },
        writes: [],
        blocks: [block, { ...block, height: 1n, firstVersion: 1n, timestampUsec: 5n }],
        records,
        treeNodes: [],
      },
      { chainId: 9, genesisHash: new Uint8Array(32) },
    );
    const { url } = await startServer({ ledger: store });
    root = `${url}/v1`;
  });

  it("comes whole, in pieces that hold no view and leave the loop to others", async () => {
    let open = 0;
    const counted: Ledger = {
      openView: async () => {
        const view = await store.openView();
        open++;
        return new Proxy(view, {
          get: (target, name) => {
            if (name === "release") open--;
            const value = Reflect.get(target, name) as unknown;
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
      },
    };
    const types = new StateTypes(new ModuleCache());
    const view = await counted.openView();
    const block = await view.getBlockByHeight(1n);
    if (block === undefined) throw new Error("no block");
    const context = { view, ledger: counted, services: { types }, form: "json" };
    const answer = await blockAnswer(context as unknown as Context<"required">, block, true);
    view.release();
    if (!("stream" in answer)) throw new Error("not in pieces");
    let text = "";
    let pieces = 0;
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    for await (const piece of answer.stream) {
      expect(open).toBe(0);
      text += piece;
      pieces++;
    }
    isDone = true;
    expect([pieces, turns >= pieces - 2]).toEqual([COUNT / 100 + 1, true]);
    const got = JSON.parse(text) as { transactions: Transaction[] };
    expect(got.transactions.map(({ version }) => Number(version))).toEqual(
      Array.from({ length: COUNT }, (_, i) => i + 1),
    );
    expect(await getJson(`${root}/blocks/by_height/1?with_transactions=true`)).toEqual(got);
  });
});

it.each([
  ["blocks/by_height/1", "block_pruned"],
  ["blocks/by_version/1", "version_pruned"],
])("a pruned block is 410: %s", async (path, code) => {
  const { url } = await startServer();
  const response = await fetch(`${url}/v1/${path}`);
  expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
    410,
    code,
  ]);
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
