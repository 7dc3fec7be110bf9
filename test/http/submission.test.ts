// Transactions submitted to a local chain over HTTP: taken, executed and refused as the network does.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { createKeypair, type Keypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node } from "../../src/node.ts";
import { type UserTransaction, userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { type Call, signCall } from "../support/submitter.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const BCS = "application/x.aptos.signed_transaction+bcs";
const FUNDS = 1_000_000_000n;
const BOB = parseAddress("0xb0b");

describe("submission to the local chain", () => {
  let node: Node;
  let url: string;
  const sender = createKeypair(chainSeed("submission"), "sender");

  beforeAll(async () => {
    node = await createNode({ localChain: { seed: "submission" }, http: { port: 0 } });
    url = node.url ?? "";
    // The first block ends the epoch of genesis.
    await node.mine();
    await fund(formatAddress(sender.address), FUNDS);
  });
  afterAll(() => node.close());

  async function fund(address: string, amount: bigint): Promise<void> {
    await node.fund(address, amount);
    await node.mine();
  }

  const transfer = (amount: bigint, more: Partial<Call> = {}): Call => ({
    function: "aptos_account::transfer",
    args: [encodeWith(addressCodec, BOB), encodeWith(u64, amount)],
    ...more,
  });

  function post(path: string, body: Uint8Array | string, headers: Record<string, string> = {}) {
    const type = typeof body === "string" ? "application/json" : BCS;
    return fetch(`${url}${path}`, { method: "POST", body, headers: { "Content-Type": type, ...headers } });
  }

  async function submit(transaction: UserTransaction) {
    const response = await post("/transactions", encodeWith(userTransactionCodec, transaction));
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it("answers 202 with the pending transaction, and the next block executes it", async () => {
    const before = await node.balance(formatAddress(BOB), APT);
    const own = await node.balance(formatAddress(sender.address), APT);
    const { status, body } = await submit(
      signCall(sender, transfer(1000n, { fields: { sequenceNumber: 0n } })),
    );
    expect(body).toMatchObject({
      type: "pending_transaction",
      sender: formatAddress(sender.address),
      sequence_number: "0",
      payload: {
        type: "entry_function_payload",
        function: "0x1::aptos_account::transfer",
        arguments: ["0xb0b", "1000"],
      },
      signature: { type: "ed25519_signature" },
    });
    expect(status).toBe(202);
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(before + 1000n);
    const left = await node.balance(formatAddress(sender.address), APT);
    expect(own - left).toBeGreaterThan(1000n);
    expect((own - left - 1000n) % 100n).toBe(0n);
  });

  it("takes JSON, and answers BCS with an empty body", async () => {
    const transaction = signCall(sender, transfer(7n, { fields: { sequenceNumber: 1n } }));
    const { raw, authenticator } = transaction;
    if (authenticator.kind !== "ed25519") throw new Error("signCall signs with ed25519");
    const request = {
      sender: formatAddress(raw.sender),
      sequence_number: "1",
      max_gas_amount: `${raw.maxGasAmount}`,
      gas_unit_price: `${raw.gasUnitPrice}`,
      expiration_timestamp_secs: `${raw.expirationTimestampSecs}`,
      payload: {
        type: "entry_function_payload",
        function: "0x1::aptos_account::transfer",
        type_arguments: [],
        arguments: ["0xb0b", "7"],
      },
      signature: {
        type: "ed25519_signature",
        public_key: toPrefixedHex(authenticator.publicKey),
        signature: toPrefixedHex(authenticator.signature),
      },
    };
    const before = await node.balance(formatAddress(BOB), APT);
    const response = await post("/transactions", JSON.stringify(request), { Accept: "application/x-bcs" });
    expect(response.status).toBe(202);
    expect((await response.arrayBuffer()).byteLength).toBe(0);
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(before + 7n);
  });

  it.each<[string, Partial<Call["fields"]> | undefined, string, number]>([
    ["another chain", { chainId: 1 }, "BAD_CHAIN_ID", 23],
    ["expired", { expirationTimestampSecs: 1n }, "TRANSACTION_EXPIRED", 6],
    ["an old sequence number", { sequenceNumber: 0n }, "SEQUENCE_NUMBER_TOO_OLD", 3],
    ["a huge sequence number", { sequenceNumber: 1n << 63n }, "SEQUENCE_NUMBER_TOO_BIG", 24],
    ["too little gas", { maxGasAmount: 2n }, "MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS", 14],
    ["too much gas", { maxGasAmount: 2_000_001n }, "MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND", 13],
    ["a low gas price", { gasUnitPrice: 99n }, "GAS_UNIT_PRICE_BELOW_MIN_BOUND", 15],
    ["a high gas price", { gasUnitPrice: 10_000_000_001n }, "GAS_UNIT_PRICE_ABOVE_MAX_BOUND", 16],
    [
      "no money for the gas",
      { maxGasAmount: 2_000_000n, gasUnitPrice: 10_000n },
      "INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE",
      5,
    ],
  ])("refuses %s with the chain's reason and changes nothing", async (_, fields, name, code) => {
    const before = await node.balance(formatAddress(sender.address), APT);
    const call = transfer(1n, { fields: { sequenceNumber: 2n, ...fields } });
    const { status, body } = await submit(signCall(sender, call));
    expect(status).toBe(400);
    expect(body).toEqual({
      message: `Invalid transaction: Type: Validation Code: ${name}`,
      error_code: "vm_error",
      vm_error_code: code,
    });
    await node.mine();
    expect(await node.balance(formatAddress(sender.address), APT)).toBe(before);
  });

  it("refuses broken signatures, keys of another account and accounts that do not exist", async () => {
    const transaction = signCall(sender, transfer(1n, { fields: { sequenceNumber: 2n } }));
    const broken = { ...transaction, raw: { ...transaction.raw, maxGasAmount: 19_999n } };
    expect((await submit(broken)).body.message).toContain("INVALID_SIGNATURE");
    const stranger = createKeypair(chainSeed("submission"), "stranger");
    expect((await submit(signCall(stranger, transfer(1n)))).body.vm_error_code).toBe(7);
    const other = { ...stranger, address: sender.address } as Keypair;
    expect(
      (await submit(signCall(other, transfer(1n, { fields: { sequenceNumber: 2n } })))).body,
    ).toMatchObject({ error_code: "vm_error", vm_error_code: 2 });
  });

  it("refuses what it does not model, by name", async () => {
    const call = { function: "code::publish_package_txn", args: [], fields: { sequenceNumber: 2n } };
    const { status, body } = await submit(signCall(sender, call));
    expect(status).toBe(400);
    expect(body.error_code).toBe("invalid_input");
    expect(body.message).toMatch(/^not modelled here: 0x1::code::publish_package_txn; /);
  });

  it("refuses bytes that are no transaction, and other media types", async () => {
    const garbage = await post("/transactions", Buffer.from("garbage"));
    expect(garbage.status).toBe(400);
    expect(await garbage.json()).toMatchObject({ error_code: "web_framework_error" });
    const long = await post("/transactions", Buffer.alloc(70_000));
    expect(await long.json()).toMatchObject({ vm_error_code: 10 });
    const text = await post("/transactions", "{}", { "Content-Type": "text/plain" });
    expect(text.status).toBe(415);
  });

  it("takes a nonce once", async () => {
    const now = Number((await node.ledgerInfo()).ledger_timestamp) / 1_000_000;
    const fields = { expirationTimestampSecs: BigInt(Math.floor(now)) + 60n };
    const first = signCall(sender, transfer(3n, { nonce: 77n, fields }));
    const before = await node.balance(formatAddress(BOB), APT);
    expect((await submit(first)).status).toBe(202);
    // Another transaction with the nonce, while the first one waits.
    expect(await submit(signCall(sender, transfer(4n, { nonce: 77n, fields })))).toMatchObject({
      status: 400,
      body: { error_code: "invalid_transaction_update" },
    });
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(before + 3n);
    expect(await submit(first)).toMatchObject({
      status: 400,
      body: {
        message: "Invalid transaction: Type: Validation Code: NONCE_ALREADY_USED",
        error_code: "vm_error",
        vm_error_code: 42,
      },
    });
    const late = { expirationTimestampSecs: BigInt(Math.floor(now)) + 600n };
    const far = signCall(sender, transfer(4n, { nonce: 78n, fields: late }));
    expect((await submit(far)).body.vm_error_code).toBe(44);
  });

  it("keeps a transaction whose sequence number is early, and lets a higher price replace one", async () => {
    const before = await node.balance(formatAddress(BOB), APT);
    const early = signCall(sender, transfer(10n, { fields: { sequenceNumber: 3n } }));
    expect((await submit(early)).status).toBe(202);
    expect((await submit(early)).status).toBe(202);
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(before);
    const other = signCall(sender, transfer(11n, { fields: { sequenceNumber: 3n } }));
    expect(await submit(other)).toMatchObject({
      status: 400,
      body: { error_code: "invalid_transaction_update" },
    });
    const raised = signCall(sender, transfer(10n, { fields: { sequenceNumber: 3n, gasUnitPrice: 200n } }));
    expect((await submit(raised)).status).toBe(202);
    expect((await submit(signCall(sender, transfer(1n, { fields: { sequenceNumber: 2n } })))).status).toBe(
      202,
    );
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(before + 11n);
  });

  it("bounds the transactions of a sender", async () => {
    const rest = encodeWith(addressCodec, BOB);
    for (let i = 0n; i < 100n; i++) {
      const call = { function: "aptos_account::transfer", args: [rest, encodeWith(u64, 1n)] };
      const transaction = signCall(sender, { ...call, fields: { sequenceNumber: 1000n + i } });
      expect((await submit(transaction)).status).toBe(202);
    }
    const full = await submit(signCall(sender, transfer(1n, { fields: { sequenceNumber: 2000n } })));
    expect(full).toMatchObject({ status: 507, body: { error_code: "mempool_is_full" } });
  });

  it("keeps a failed transaction on the chain and charges its fee", async () => {
    const payer = createKeypair(chainSeed("submission"), "payer");
    await fund(formatAddress(payer.address), FUNDS);
    const { status } = await submit(signCall(payer, transfer(FUNDS * 2n)));
    expect(status).toBe(202);
    const before = await node.balance(formatAddress(BOB), APT);
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(before);
    expect(await node.balance(formatAddress(payer.address), APT)).toBeLessThan(FUNDS);
    const again = await submit(signCall(payer, transfer(1n)));
    expect(again.body.vm_error_code).toBe(3);
  });

  it("takes a batch, and answers 206 with the errors of those it does not take", async () => {
    const payer = createKeypair(chainSeed("submission"), "batch");
    await fund(formatAddress(payer.address), FUNDS);
    const batch = [0n, 1n, 2n].map((sequenceNumber) =>
      signCall(payer, transfer(5n, { fields: { sequenceNumber, chainId: sequenceNumber === 1n ? 1 : 4 } })),
    );
    const codec = vector(userTransactionCodec);
    const response = await post("/transactions/batch", encodeWith(codec, batch));
    expect(response.status).toBe(206);
    expect(await response.json()).toEqual({
      transaction_failures: [
        {
          error: {
            message: "Invalid transaction: Type: Validation Code: BAD_CHAIN_ID",
            error_code: "vm_error",
            vm_error_code: 23,
          },
          transaction_index: 1,
        },
      ],
    });
    const fine = await post("/transactions/batch", encodeWith(codec, batch.slice(0, 1)));
    expect(fine.status).toBe(202);
    expect(await fine.json()).toEqual({ transaction_failures: [] });
    const long = await post("/transactions/batch", encodeWith(codec, Array(11).fill(batch[0])));
    expect(long.status).toBe(400);
    expect(await long.json()).toMatchObject({ error_code: "invalid_input" });
  });

  it("simulates in-process without a signature, and keeps nothing", async () => {
    const payer = createKeypair(chainSeed("submission"), "simulated");
    await fund(formatAddress(payer.address), FUNDS);
    const simulate = (call: Call, signature = new Uint8Array(64)) => {
      const { raw } = signCall(payer, call);
      const authenticator = { kind: "ed25519", publicKey: payer.publicKey, signature } as const;
      return node.simulate(encodeWith(userTransactionCodec, { raw, authenticator }));
    };
    const { ledger_version: head } = await node.ledgerInfo();
    const result = await simulate(transfer(5n));
    expect(result).toMatchObject({ success: true, vmStatus: "Executed successfully", gasUnitPrice: 100n });
    expect(await simulate(transfer(FUNDS * 2n))).toMatchObject({ success: false });
    expect(await simulate(transfer(1n, { fields: { sequenceNumber: 4n } }))).toMatchObject({
      success: false,
      vmStatus: "SEQUENCE_NUMBER_TOO_NEW",
      gasUsed: 0n,
    });
    const signed = signCall(payer, transfer(5n));
    await expect(node.simulate(encodeWith(userTransactionCodec, signed))).rejects.toThrow(
      "must not have a valid signature",
    );
    expect((await node.ledgerInfo()).ledger_version).toBe(head);
    // What the simulation said is what the block does.
    await node.submit(encodeWith(userTransactionCodec, signed));
    await node.mine();
    const left = await node.balance(formatAddress(payer.address), APT);
    expect(FUNDS - left).toBe(5n + result.gasUsed * 100n);
  });

  it("simulates over HTTP in JSON and BCS, and refuses what is signed or not modelled", async () => {
    const payer = createKeypair(chainSeed("submission"), "simulated over HTTP");
    await fund(formatAddress(payer.address), FUNDS);
    const unsigned = (call: Call): Uint8Array => {
      const { raw } = signCall(payer, call);
      const authenticator = {
        kind: "ed25519",
        publicKey: payer.publicKey,
        signature: new Uint8Array(64),
      } as const;
      return encodeWith(userTransactionCodec, { raw, authenticator });
    };
    const simulate = async (body: Uint8Array | string) => {
      const response = await post("/transactions/simulate", body);
      return { status: response.status, body: (await response.json()) as unknown };
    };
    const { body: fromBcs } = await simulate(unsigned(transfer(5n)));
    expect(fromBcs).toMatchObject([{ type: "user_transaction", success: true, max_gas_amount: "20000" }]);
    const request = {
      sender: formatAddress(payer.address),
      sequence_number: "0",
      max_gas_amount: "20000",
      gas_unit_price: "100",
      expiration_timestamp_secs: "4000000000",
      payload: {
        type: "entry_function_payload",
        function: "0x1::aptos_account::transfer",
        type_arguments: [],
        arguments: ["0xb0b", "5"],
      },
      signature: {
        type: "ed25519_signature",
        public_key: toPrefixedHex(payer.publicKey),
        signature: `0x${"00".repeat(64)}`,
      },
    };
    expect(await simulate(JSON.stringify(request))).toEqual({ status: 200, body: fromBcs });
    const bcs = await post("/transactions/simulate", unsigned(transfer(5n)), { Accept: "application/x-bcs" });
    const [count, ...record] = new Uint8Array(await bcs.arrayBuffer());
    expect(count).toBe(1);
    const { info } = decodeRecord(Uint8Array.from(record));
    expect([info.status.kind, `${info.gasUsed}`]).toEqual([
      "success",
      (fromBcs as [{ gas_used: string }])[0].gas_used,
    ]);
    const signed = encodeWith(userTransactionCodec, signCall(payer, transfer(5n)));
    expect(await simulate(signed)).toEqual({
      status: 400,
      body: {
        message: "Simulated transactions must not have a valid signature",
        error_code: "invalid_input",
      },
    });
    expect(await simulate(unsigned({ function: "code::publish_package_txn", args: [] }))).toMatchObject({
      status: 400,
      body: { error_code: "invalid_input" },
    });
    const flags = await post("/transactions/simulate?estimate_gas_unit_price=maybe", signed);
    expect([flags.status, await flags.json()]).toMatchObject([400, { error_code: "web_framework_error" }]);
    expect(await node.balance(formatAddress(payer.address), APT)).toBe(FUNDS);
  });

  it("checks what in-process callers give", async () => {
    await expect(node.fund("0x1", -1n)).rejects.toThrow("amount: expected a bigint");
    await expect(node.mine(0)).rejects.toThrow("blocks: expected a whole number from 1");
    await expect(node.submit({})).rejects.toThrow("sender is missing");
  });
});

describe("a node that makes no blocks", () => {
  it("answers 403 to submissions", async () => {
    const { startServer } = await import("../support/http-server.ts");
    const server = await startServer();
    const response = await fetch(`${server.url}/v1/transactions`, {
      method: "POST",
      body: Buffer.alloc(10),
      headers: { "Content-Type": BCS },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error_code: "api_disabled" });
  });
});
