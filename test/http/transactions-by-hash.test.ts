// Transactions by hash and by sender, waiting for one, and the price of gas: with the official SDK and with bad input.
import { Account, type Aptos } from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { fromHex, toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { type LedgerRecord, recordCodec } from "../../src/ledger/formats/record.ts";
import { formatAddress, formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { createNode, type Node } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { startServer } from "../support/http-server.ts";
import { sdkClient } from "../support/sdk-client.ts";
import { until } from "../support/until.ts";

const BCS = { accept: "application/x-bcs" };
const UNKNOWN = `0x${"ab".repeat(32)}`;

async function errorOf(url: string): Promise<readonly [number, string]> {
  const response = await fetch(url);
  return [response.status, ((await response.json()) as { error_code: string }).error_code];
}

describe("transactions by hash and by sender", () => {
  const run = new ChainRun(createTrackedChain({ seed: "by hash" }), createMemoryStore());
  let root: string;
  let records: LedgerRecord[];
  let aptos: Aptos;

  beforeAll(async () => {
    await run.start();
    records = (await run.steps(10)).map((bytes) => decodeWith(recordCodec, bytes));
    const { url } = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    root = `${url}/v1`;
    aptos = sdkClient(root);
  });

  it("are those by version", async () => {
    for (const { version, info } of records.slice(0, 12)) {
      const hash = toPrefixedHex(info.transactionHash);
      const found = await aptos.getTransactionByHash({ transactionHash: hash });
      expect(found).toEqual(await aptos.getTransactionByVersion({ ledgerVersion: version }));
      expect(found).toMatchObject({ hash, version: `${version}` });
      const path = `${root}/transactions/by_hash/${hash.slice(2)}`;
      const bytes = new Uint8Array(await (await fetch(path, { headers: BCS })).arrayBuffer());
      expect([bytes[0], decodeWith(recordCodec, bytes.subarray(1)).version]).toEqual([0, version]);
    }
  });

  it("are waited for by the SDK", async () => {
    const { info } = records.find(
      ({ transaction, info: { status } }) => transaction.kind === "user" && status.kind === "success",
    ) as LedgerRecord;
    const transactionHash = toPrefixedHex(info.transactionHash);
    const done = await aptos.waitForTransaction({ transactionHash });
    expect(done).toMatchObject({ hash: transactionHash, success: true });
  });

  it("are listed in the order of sequence numbers, the last ones unless told", async () => {
    const bySender = new Map<string, LedgerRecord[]>();
    for (const record of records) {
      const { transaction } = record;
      if (transaction.kind !== "user" || transaction.transaction.raw.sequenceNumber > 2n ** 63n) continue;
      const sender = formatAddress(transaction.transaction.raw.sender);
      bySender.set(sender, [...(bySender.get(sender) ?? []), record]);
    }
    expect(bySender.size).toBeGreaterThan(1);
    for (const [sender, sent] of bySender) {
      const all = await aptos.getAccountTransactions({
        accountAddress: sender,
        options: { offset: 0, limit: 100 },
      });
      expect(all.map((one) => "version" in one && BigInt(one.version))).toEqual(
        sent.map(({ version }) => version),
      );
      const path = `${root}/accounts/${sender}/transactions`;
      const last = (await (await fetch(`${path}?limit=1`)).json()) as { version: string }[];
      expect(last.map(({ version }) => BigInt(version))).toEqual([sent.at(-1)?.version]);
      const bytes = await (await fetch(`${path}?start=0`, { headers: BCS })).arrayBuffer();
      expect(decodeWith(vector(recordCodec), new Uint8Array(bytes)).map(({ version }) => version)).toEqual(
        sent.slice(0, 25).map(({ version }) => version),
      );
    }
    expect(await (await fetch(`${root}/accounts/0xdead/transactions`)).json()).toEqual([]);
  });

  it.each([
    [`transactions/by_hash/${UNKNOWN}`, 404, "transaction_not_found"],
    ["transactions/by_hash/0x12", 400, "web_framework_error"],
    [`transactions/by_hash/${UNKNOWN}00`, 400, "web_framework_error"],
    ["transactions/by_hash/xyz", 400, "web_framework_error"],
    ["transactions/wait_by_hash/0x12", 400, "web_framework_error"],
    ["accounts/xyz/transactions", 400, "web_framework_error"],
    ["accounts/0x1/transactions?limit=0", 400, "invalid_input"],
    ["accounts/0x1/transactions?limit=70000", 400, "web_framework_error"],
    ["accounts/0x1/transactions?start=x", 400, "web_framework_error"],
  ])("refuse %s with %i %s", async (path, status, code) => {
    expect(await errorOf(`${root}/${path}`)).toEqual([status, code]);
  });

  it("are refused where the index is switched off", async () => {
    const { url } = await startServer({ ledger: run.store, transactionIndex: false });
    for (const path of [`transactions/by_hash/${UNKNOWN}`, "accounts/0x1/transactions"]) {
      expect(await errorOf(`${url}/v1/${path}`)).toEqual([403, "api_disabled"]);
    }
  });
});

describe("waiting for a transaction", () => {
  async function started(): Promise<{ readonly node: Node; readonly hash: () => Promise<string> }> {
    const node = await createNode({
      localChain: { seed: "waiting", blockTimeMs: 0 },
      http: { port: 0, maxWaitMs: 0 },
    });
    const hash = async (): Promise<string> => {
      const page = (await (await fetch(`${node.url}/transactions?limit=1`)).json()) as { hash: string }[];
      return page[0]?.hash ?? "";
    };
    return { node, hash };
  }

  it("ends with the commit that has it, and asks the store after commits only", async () => {
    const run = new ChainRun(createTrackedChain({ seed: "wait" }), createMemoryStore());
    await run.start();
    const { url, figures } = await startServer({ ledger: run.store });
    // A slow machine may need longer for a block than the request waits.
    for (let status = 404; status === 404; ) {
      const last = (await run.make()).map((bytes) => decodeWith(recordCodec, bytes)).at(-1);
      const wanted = toPrefixedHex(last?.info.transactionHash ?? new Uint8Array());
      const waiting = fetch(`${url}/v1/transactions/wait_by_hash/${wanted}`);
      await until(() => figures().waiting === 1);
      await run.step();
      const response = await waiting;
      ({ status } = response);
      const { hash } = (await response.json()) as { hash?: string };
      if (status === 404) continue;
      expect([status, hash]).toEqual([200, wanted]);
      expect(response.headers.get("x-node-ledger-version")).toBe(`${last?.version}`);
    }
    expect(figures().waiting).toBe(0);
  });

  it("ends after a second with 404, and at once where the node knows of no such transaction", async () => {
    const { node, hash } = await started();
    try {
      // This node makes blocks: what does not wait here never comes.
      expect(await errorOf(`${node.url}/transactions/wait_by_hash/${UNKNOWN}`)).toEqual([
        404,
        "transaction_not_found",
      ]);
      await node.produceBlock();
      const last = await hash();
      const response = await fetch(`${node.url}/transactions/wait_by_hash/${last}`);
      expect([response.status, ((await response.json()) as { hash: string }).hash]).toEqual([200, last]);
    } finally {
      await node.close();
    }
    const run = new ChainRun(createTrackedChain({ seed: "wait" }), createMemoryStore());
    await run.start();
    const { url } = await startServer({ ledger: run.store });
    expect(await errorOf(`${url}/v1/transactions/wait_by_hash/${UNKNOWN}`)).toEqual([
      404,
      "transaction_not_found",
    ]);
  });

  it("follows a submitted transaction from pending to committed", async () => {
    const node = await createNode({ localChain: { seed: "pending" }, http: { port: 0, maxWaitMs: 0 } });
    try {
      await node.mine();
      const aptos = sdkClient(node.url ?? "");
      const signer = Account.generate();
      await node.fund(signer.accountAddress.toString(), 1_000_000_000n);
      await node.mine();
      const transaction = await aptos.transferCoinTransaction({
        sender: signer.accountAddress,
        recipient: formatAddressLong(parseAddress("0xb0b")),
        amount: 12,
        options: { maxGasAmount: 5000 },
      });
      const sent = await aptos.signAndSubmitTransaction({ signer, transaction });
      const { hash: transactionHash } = sent;
      expect(await aptos.getTransactionByHash({ transactionHash })).toEqual(sent);
      const url = `${node.url}/transactions/by_hash/${transactionHash}`;
      const bytes = new Uint8Array(await (await fetch(url, { headers: BCS })).arrayBuffer());
      const { raw } = decodeWith(userTransactionCodec, bytes.subarray(1));
      expect([bytes[0], toPrefixedHex(raw.sender)]).toEqual([1, signer.accountAddress.toStringLong()]);
      // The wait ends with a pending transaction, or with the block.
      const waited = await fetch(`${node.url}/transactions/wait_by_hash/${transactionHash}`);
      expect(await waited.json()).toEqual(sent);
      await node.mine();
      const done = await aptos.waitForTransaction({ transactionHash });
      expect(done).toMatchObject({ type: "user_transaction", hash: transactionHash, success: true });
      const sentBy = await aptos.getAccountTransactions({ accountAddress: signer.accountAddress });
      expect(sentBy).toEqual([done]);
    } finally {
      await node.close();
    }
  });

  it("is bounded: of many requests a hundred wait, and the others are answered at once", async () => {
    const run = new ChainRun(createTrackedChain({ seed: "wait" }), createMemoryStore());
    await run.start();
    const { url, figures } = await startServer({ ledger: run.store });
    let most = 0;
    let answered = 0;
    const path = `${url}/v1/transactions/wait_by_hash/${UNKNOWN}`;
    const requests = Array.from({ length: 150 }, async () => {
      const { status } = await fetch(path);
      answered++;
      return status;
    });
    await until(() => {
      most = Math.max(most, figures().waiting);
      return answered === 150;
    });
    expect(new Set(await Promise.all(requests))).toEqual(new Set([404]));
    expect([most > 1, most <= 100]).toEqual([true, true]);
  });
});

describe("the price of gas", () => {
  it("is the minimum on an idle chain, in both forms", async () => {
    const run = new ChainRun(createTrackedChain({ seed: "gas" }), createMemoryStore());
    await run.start();
    const { url } = await startServer({ ledger: run.store });
    const aptos = sdkClient(`${url}/v1`);
    const idle = { deprioritized_gas_estimate: 100, gas_estimate: 100, prioritized_gas_estimate: 150 };
    expect(await aptos.getGasPriceEstimation()).toEqual(idle);
    await run.steps(5);
    expect(await (await fetch(`${url}/v1/estimate_gas_price`)).json()).toEqual(idle);
    const bytes = await (await fetch(`${url}/v1/estimate_gas_price`, { headers: BCS })).arrayBuffer();
    expect(Buffer.from(bytes)).toEqual(Buffer.from(fromHex("6400000000000000") ?? []));
  });
});
