// Explanations over HTTP against the local chain: what it says is what the bytes and the ledger say.
import { Deserializer } from "@aptos-labs/ts-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { OPERATIONS } from "../../src/http/operation-list.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { accessPathCodec, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { parseAddress } from "../../src/move/address.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import { createNode, type Explanation, type Node } from "../../src/node.ts";
import { signingMessage } from "../../src/transaction/signing-message.ts";
import { wrongInExplanation } from "../support/explained.ts";
import { startServer } from "../support/http-server.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
/** A day after the latest block. */
const LATER_SECS = 86_400n;

let node: Node;
let nowSecs = 0n;

beforeAll(async () => {
  node = await createNode({ pruneWindow: "off", http: { port: 0, maxWaitMs: 0 } });
  for (let i = 0; i < 60; i++) await node.produceBlock();
  nowSecs = BigInt((await node.ledgerInfo()).ledger_timestamp) / 1_000_000n;
});
afterAll(() => node.close());

interface Reply {
  readonly status: number;
  readonly body: Explanation & { readonly message: string; readonly error_code: string };
  readonly headers: Headers;
}

async function post(operation: string, body: unknown): Promise<Reply> {
  const response = await fetch(`${node.url}/transactions/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    body: (await response.json()) as Reply["body"],
    headers: response.headers,
  };
}

async function explain(body: unknown): Promise<Explanation> {
  const reply = await post("explain_submission", body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const wrong = wrongInExplanation(reply.body, Buffer.from(reply.body.bytes.slice(2), "hex"));
  expect(wrong).toBeUndefined();
  return reply.body;
}

function account(name: string): string {
  return node.guide()?.accounts.find((one) => one.name === name)?.address ?? expect.unreachable(name);
}

/** The sequence number that the stored Account resource has, read by the SDK; undefined without one. */
async function sequenceNumber(address: string): Promise<bigint | undefined> {
  const struct = parseStructTag("0x1::account::Account");
  const path = encodeWith(accessPathCodec, { kind: "resource", struct });
  const key = encodeWith(stateKeyCodec, { kind: "accessPath", address: parseAddress(address), path });
  const response = await fetch(`${node.url}/experimental/state_values/raw`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/x-bcs" },
    body: JSON.stringify({ key: toPrefixedHex(key) }),
  });
  if (response.status === 404) return undefined;
  expect(response.status).toBe(200);
  const value = new Deserializer(new Uint8Array(await response.arrayBuffer()));
  value.deserializeUleb128AsU32();
  const resource = new Deserializer(value.deserializeBytes());
  resource.deserializeBytes();
  return resource.deserializeU64();
}

const call = (name: string, args: unknown[], types: string[] = []): object => ({
  type: "entry_function_payload",
  function: name,
  type_arguments: types,
  arguments: args,
});

/** A request that nothing speaks against: sender, next sequence number, small fee, in time. */
async function request(payload: object, parts: object = {}, sender = account("anna")): Promise<object> {
  return {
    sender,
    sequence_number: `${(await sequenceNumber(sender)) ?? 0n}`,
    max_gas_amount: "20",
    gas_unit_price: "3",
    expiration_timestamp_secs: `${nowSecs + LATER_SECS}`,
    payload,
    ...parts,
  };
}

const transfer = (to: string, amount: bigint | string): object =>
  call("0x1::aptos_account::transfer", [to, `${amount}`]);

async function codes(body: unknown): Promise<string[]> {
  return (await explain(body)).warnings.map(({ code }) => code);
}

describe("an explanation over HTTP", () => {
  it("says who signs, what is called, what it costs, when it ends, and nothing against a sound transfer", async () => {
    const [anna, basil] = [account("anna"), account("basil")];
    const body = await request(transfer(basil, 5n));
    const explanation = await explain(body);
    const { bytes, fields, ...rest } = explanation;
    expect(rest).toEqual({
      kind: "single_signer",
      chain_id: 4,
      sender: anna,
      payload: {
        type: "entry_function_payload",
        function: "0x1::aptos_account::transfer",
        type_arguments: [],
        arguments: [
          { name: "to", type: "address", value: basil },
          { name: "amount", type: "u64", value: "5" },
        ],
      },
      max_gas_amount: "20",
      gas_unit_price: "3",
      max_fee: "60",
      expiration_timestamp_secs: `${nowSecs + LATER_SECS}`,
      expiration: new Date(Number(nowSecs + LATER_SECS) * 1000).toISOString().replace(".000", ""),
      replay_protection: { type: "sequence_number", sequence_number: `${await sequenceNumber(anna)}` },
      warnings: [],
      matches: true,
    });
    expect(bytes).toBe((await post("encode_submission", body)).body);
    expect(fields.map(({ name }) => name)).toEqual([
      "prefix",
      "sender",
      "sequence_number",
      "payload.type",
      "payload.function.address",
      "payload.function.module",
      "payload.function.name",
      "payload.type_arguments.length",
      "payload.arguments.length",
      "payload.arguments[0]",
      "payload.arguments[1]",
      "max_gas_amount",
      "gas_unit_price",
      "expiration_timestamp_secs",
      "chain_id",
    ]);
  });

  it("is the same for the request, its message and in process, and differs in its form for the raw transaction", async () => {
    const body = await request(transfer(account("basil"), 5n), { fee_payer: account("clio") });
    const explanation = await explain(body);
    expect(await explain({ message: explanation.bytes })).toEqual(explanation);
    expect(await node.explainSubmission({ message: explanation.bytes })).toEqual(explanation);
    expect(await node.explainSubmission(JSON.stringify(body))).toEqual(explanation);
    const single = await explain(await request(transfer(account("basil"), 5n)));
    const raw = await explain({ raw_transaction: `0x${single.bytes.slice(2 + 64)}` });
    expect(raw.kind).toBe("raw_transaction");
    expect([raw.sender, raw.payload, raw.warnings]).toEqual([single.sender, single.payload, single.warnings]);
  });

  it("is the same if the request names its type", async () => {
    const body = await request(transfer(account("basil"), 5n));
    const plain = await explain(body);
    expect(await explain({ type: "encode_request", ...body })).toEqual(plain);
    expect(await explain({ type: "signing_message", message: plain.bytes })).toEqual(plain);
    const rawBytes = `0x${plain.bytes.slice(2 + 64)}`;
    const raw = await explain({ raw_transaction: rawBytes });
    expect(await explain({ type: "raw_transaction", raw_transaction: rawBytes })).toEqual(raw);
  });

  it("names every signer by its role", async () => {
    const [anna, basil, clio] = [account("anna"), account("basil"), account("clio")];
    const swap = call("0x3::token::direct_transfer_script", [anna, "c", "n", "0", "1"]);
    const multi = await explain(await request(swap, { secondary_signers: [basil] }));
    expect(multi).toMatchObject({
      kind: "multi_agent",
      sender: anna,
      secondary_signers: [basil],
      warnings: [],
    });
    expect(multi).not.toHaveProperty("fee_payer");
    const paid = await explain(await request(swap, { secondary_signers: [basil], fee_payer: clio }));
    expect(paid).toMatchObject({
      kind: "fee_payer",
      secondary_signers: [basil],
      fee_payer: clio,
      warnings: [],
    });
    const open = await explain(await request(swap, { secondary_signers: [basil], fee_payer: "0x0" }));
    expect(open).toMatchObject({ fee_payer: "0x0", warnings: [{ code: "fee_payer_open" }] });
  });

  it("names multisig accounts, nonces and scripts", async () => {
    const stored = await explain(await request({ type: "multisig_payload", multisig_address: "0x5a" }));
    expect(stored.payload).toEqual({ type: "multisig_payload", multisig_address: "0x5a" });
    const soon = { replay_protection_nonce: "77", expiration_timestamp_secs: `${nowSecs + 60n}` };
    const nonce = await explain(
      await request(
        {
          type: "multisig_payload",
          multisig_address: account("basil"),
          transaction_payload: transfer(account("clio"), 1n),
        },
        soon,
      ),
    );
    expect(nonce).toMatchObject({
      replay_protection: { type: "nonce", nonce: "77" },
      payload: {
        type: "multisig_payload",
        transaction_payload: { arguments: [{ name: "to" }, { name: "amount", value: "1" }] },
      },
      warnings: [],
    });
    const bytecode = "0xa11ceb0b060000000105000703060c060c03000000010102";
    const script = { type: "script_payload", code: { bytecode }, type_arguments: [], arguments: ["5"] };
    const explained = await explain(await request(script, { secondary_signers: [account("basil")] }));
    expect(explained).toMatchObject({
      payload: { type: "script_payload", arguments: [{ type: "u64", value: "5" }] },
      warnings: [],
    });
    expect(explained.fields.find(({ name }) => name === "payload.code")?.value).toBe(bytecode);
  });

  it("explains what every account of the local chain has signed", async () => {
    const { ledger_version: head } = await node.ledgerInfo();
    const kinds = new Set<string>();
    let explained = 0;
    for (let start = 0; start <= Number(head); ) {
      const response = await fetch(`${node.url}/transactions?start=${start}&limit=100`, {
        headers: { accept: "application/x-bcs" },
      });
      const page = decodePage(new Uint8Array(await response.arrayBuffer()));
      start += page.length;
      for (const { transaction } of page) {
        const found = decodeWith(transactionCodec, transaction);
        if (found.kind !== "user") continue;
        const { raw, authenticator } = found.transaction;
        const others = authenticator.kind === "multiAgent" ? authenticator.secondaryAddresses : undefined;
        const message = toPrefixedHex(signingMessage(raw, others));
        const explanation = await explain({ message });
        const warnings = explanation.warnings.map(({ code }) => code);
        // They are in the ledger, so their sequence numbers are used; hana starts from 0 each time she is created.
        const isAgain = explanation.sender === account("hana");
        if (explanation.replay_protection.type === "sequence_number" && !isAgain) {
          expect(warnings, message).toContain("sequence_number_used");
        }
        const complaints = ["unknown_function", "wrong_arguments", "argument_not_decoded", "wrong_signers"];
        expect(
          complaints.filter((code) => warnings.includes(code as never)),
          JSON.stringify(explanation.warnings),
        ).toEqual([]);
        kinds.add(`${explanation.kind} ${explanation.payload.type} ${explanation.replay_protection.type}`);
        explained++;
      }
    }
    expect(explained).toBeGreaterThan(100);
    expect(kinds.size).toBeGreaterThan(3);
  });

  it("carries the ledger headers and the version it was made at", async () => {
    const { headers } = await post("explain_submission", await request(transfer(account("basil"), 5n)));
    expect(headers.get("x-node-read-version")).toBe(headers.get("x-node-ledger-version"));
  });

  it("works with the examples of the document", async () => {
    for (const id of ["encode_submission", "explain_submission"]) {
      const operation = OPERATIONS.find((one) => one.id === id);
      const reply = await post(id, operation?.body?.example);
      expect(reply.status).toBe(200);
    }
    const examples = ["explain_submission", "encode_submission"].map(
      (id) => OPERATIONS.find((one) => one.id === id)?.body?.example,
    );
    expect(await explain(examples[0])).toEqual(await explain(examples[1]));
  });
});

describe("warnings", () => {
  it("another chain, and then nothing about accounts", async () => {
    const { bytes } = await explain(
      await request(transfer("0xdead", 1n << 63n), { sequence_number: "9999999" }),
    );
    const other = `${bytes.slice(0, -2)}01`;
    expect((await explain({ message: other })).warnings).toEqual([
      { code: "wrong_chain", message: "chain_id: the transaction is for chain 1, this node serves 4" },
    ]);
  });

  it("expired by the ledger's time, to the second", async () => {
    const at = (secs: bigint) =>
      request(transfer(account("basil"), 5n), { expiration_timestamp_secs: `${secs}` });
    expect(await codes(await at(nowSecs))).toEqual(["expired"]);
    expect(await codes(await at(0n))).toEqual(["expired"]);
    expect(await codes(await at(nowSecs + 1n))).toEqual([]);
    const late = await explain(await at((1n << 64n) - 1n));
    expect(late.warnings).toEqual([]);
    expect(late).not.toHaveProperty("expiration");
    expect((await explain(await at(253402300799n))).expiration).toBe("9999-12-31T23:59:59Z");
  });

  it("too late for a nonce", async () => {
    const at = (secs: bigint) =>
      request(transfer(account("basil"), 5n), {
        replay_protection_nonce: "1",
        expiration_timestamp_secs: `${nowSecs + secs}`,
      });
    expect(await codes(await at(100n))).toEqual([]);
    expect(await codes(await at(101n))).toEqual(["expires_too_late"]);
  });

  it("sequence number used, ahead, or of an unknown sender", async () => {
    for (const { address } of node.guide()?.accounts ?? []) {
      const found = await sequenceNumber(address);
      const next = found ?? 0n;
      const at = (number: bigint) =>
        request(
          call("0x1::aptos_account::create_account", ["0xb"]),
          { sequence_number: `${number}` },
          address,
        );
      const about = async (number: bigint) =>
        (await codes(await at(number))).filter((code) => /^(sequence|sender)_/.test(code));
      const unknown = found === undefined ? ["sender_unknown"] : [];
      expect(await about(next)).toEqual(unknown);
      expect(await about(next + 1n)).toEqual([...unknown, "sequence_number_ahead"]);
      if (next > 0n) expect(await about(next - 1n)).toEqual(["sequence_number_used"]);
    }
    const body = {
      ...(await request(transfer(account("basil"), 0n))),
      sender: "0xdead",
      sequence_number: "0",
    };
    expect(await codes(body)).toEqual(["sender_unknown", "fee_above_balance"]);
  });

  it("recipient unknown, of one transfer and of a batch", async () => {
    expect(await codes(await request(transfer("0xdead", 1n)))).toEqual(["recipient_unknown"]);
    const batch = (count: number, amounts: string[]) =>
      request(
        call("0x1::aptos_account::batch_transfer", [
          Array.from({ length: count }, (_, i) => `0x${(0xdead0000 + i).toString(16)}`),
          amounts,
        ]),
      );
    expect(await codes(await batch(2, ["1", "1"]))).toEqual(["recipient_unknown", "recipient_unknown"]);
    const many = await codes(
      await batch(
        101,
        Array.from({ length: 101 }, () => "0"),
      ),
    );
    expect(many).toHaveLength(101);
    expect(many.at(-1)).toBe("recipients_not_checked");
  });

  it("amount above the balance, of every asset of every account", async () => {
    for (const { address, assets } of node.guide()?.accounts ?? []) {
      for (const { asset } of assets) {
        const balance = await node.balance(address, asset);
        const payload = (amount: bigint): object =>
          asset.includes("::")
            ? call("0x1::coin::transfer", [address, `${amount}`], [asset])
            : call(
                "0x1::primary_fungible_store::transfer",
                [asset, address, `${amount}`],
                ["0x1::fungible_asset::Metadata"],
              );
        const free = { fee_payer: account("gus") };
        const about = async (amount: bigint) =>
          (await codes(await request(payload(amount), free, address))).filter((code) =>
            code.startsWith("amount_"),
          );
        expect(await about(balance)).toEqual([]);
        if (balance < (1n << 64n) - 1n) expect(await about(balance + 1n)).toEqual(["amount_above_balance"]);
      }
    }
  });

  it("fee above the payer's balance, together with what the payer transfers", async () => {
    const [anna, basil] = [account("anna"), account("basil")];
    const balance = await node.balance(anna, COIN);
    // The fee is at most 60.
    expect(await codes(await request(transfer(basil, balance - 60n)))).toEqual([]);
    expect(await codes(await request(transfer(basil, balance - 59n)))).toEqual(["fee_above_balance"]);
    expect(await codes(await request(transfer(basil, balance), { fee_payer: account("gus") }))).toEqual([]);
    expect(await codes(await request(transfer(basil, balance), { fee_payer: "0xdead" }))).toEqual([
      "fee_above_balance",
    ]);
    const dear = { max_gas_amount: `${(1n << 64n) - 1n}`, gas_unit_price: `${(1n << 64n) - 1n}` };
    const explanation = await explain(await request(transfer(basil, 1n), dear));
    expect(explanation.max_fee).toBe(`${((1n << 64n) - 1n) ** 2n}`);
    expect(explanation.warnings.map(({ code }) => code)).toEqual(["fee_above_balance"]);
  });

  it("unknown function, and arguments, types and signers that do not fit", async () => {
    const sound = (await explain(await request(transfer(account("basil"), 5n)))).bytes;
    const changed = async (from: string, to: string): Promise<Explanation> => {
      const [a, b] = [from, to].map((text) => Buffer.from(text).toString("hex"));
      expect(sound).toContain(a);
      return explain({ message: sound.replace(a!, b!) });
    };
    const unknown = await changed("transfer", "transfeR");
    expect(unknown.warnings).toEqual([
      { code: "unknown_function", message: expect.stringContaining("there is no function") as string },
    ]);
    expect(unknown.payload).toMatchObject({ arguments: [{ bytes: expect.any(String) as string }, {}] });
    expect((await changed("aptos_account", "aptos_Account")).warnings[0]).toMatchObject({
      code: "unknown_function",
      message: "payload.function: module 0x1::aptos_Account is not on chain",
    });
    // The second argument of eight bytes becomes two of seven and none.
    const short = sound.replace("0220", "0320").replace("080500000000000000", "070500000000000000");
    expect((await explain({ message: short })).warnings[0]).toMatchObject({ code: "wrong_arguments" });
    const swap = call("0x3::token::direct_transfer_script", ["0xb", "c", "n", "0", "1"]);
    expect(await codes(await request(swap))).toEqual(["wrong_signers"]);
    const twice = (await explain(await request(swap, { secondary_signers: ["0xb"] }))).bytes;
    const anna = account("anna").slice(2).padStart(64, "0");
    expect(await codes({ message: `${twice.slice(0, -64)}${anna}` })).toContain("wrong_signers");
  });

  it("a script that cannot be read or takes something else", async () => {
    const bytecode = "0xa11ceb0b060000000105000703060c060c03000000010102";
    const script = { type: "script_payload", code: { bytecode }, type_arguments: [], arguments: ["5"] };
    const { bytes } = await explain(await request(script, { secondary_signers: [account("basil")] }));
    const broken = await explain({ message: bytes.replace("a11ceb0b", "a11ceb0c") });
    expect(broken.warnings.map(({ code }) => code)).toEqual(["invalid_script"]);
    expect(broken.payload).toMatchObject({ arguments: [{ type: "u64", value: "5" }] });
    // The parameter becomes a u128: token 4 instead of 3.
    const other = await explain({ message: bytes.replace("060c060c03", "060c060c04") });
    expect(other.warnings).toEqual([
      { code: "wrong_arguments", message: "payload.arguments[0]: the script takes u128, not u64" },
    ]);
    const none = await explain({
      message: bytes.replace("060c060c03", "0305060c06").replace("0703", "0703"),
    });
    expect(none.warnings.length).toBeGreaterThan(0);
  });
});

describe("refusals over HTTP", () => {
  it.each<[string, unknown, string, RegExp]>([
    ["no JSON", "{", "web_framework_error", /^body: /],
    ["no object", "[]", "web_framework_error", /^the body: expected an object/],
    ["nothing to explain", {}, "web_framework_error", /^the body: expected one of message/],
    ["two things to explain", { message: "0x", raw_transaction: "0x" }, "web_framework_error", /^the body: /],
    [
      "a message that is no hex",
      { message: "0xzz" },
      "web_framework_error",
      /^message: expected .*hex.*position 2/,
    ],
    [
      "a type that does not go with the other members",
      { type: "raw_transaction", message: "0x" },
      "web_framework_error",
      /^type: expected "signing_message", which goes with the other members, got "raw_transaction"$/,
    ],
    [
      "a type that is null",
      { type: null, raw_transaction: "0x" },
      "web_framework_error",
      /^type: expected "raw_transaction"/,
    ],
    [
      "a raw transaction that is a number",
      { raw_transaction: 5 },
      "web_framework_error",
      /^raw_transaction: /,
    ],
    ["an empty message", { message: "0x" }, "invalid_input", /^message: needs 32 bytes, 0 left/],
    [
      "a message without a prefix",
      { message: `0x${"ab".repeat(99)}` },
      "invalid_input",
      /^message: the first 32/,
    ],
    [
      "an empty raw transaction",
      { raw_transaction: "" },
      "invalid_input",
      /^raw_transaction: sender: needs 32/,
    ],
    ["a request without a payload", { sender: "0x1" }, "web_framework_error", /^sequence_number is missing/],
    [
      "a request for an unknown function",
      {
        sender: "0x1",
        sequence_number: "0",
        max_gas_amount: "1",
        gas_unit_price: "1",
        expiration_timestamp_secs: "1",
        payload: call("0x1::none::such", []),
      },
      "invalid_input",
      /^payload\.function: module 0x1::none is not on chain/,
    ],
    [
      "a message that is too large",
      { message: `0x${"00".repeat(262_145)}` },
      "invalid_input",
      /^message: 262145 bytes are more than the 262144/,
    ],
  ])("%s is a 400 that names the field", async (_name, body, code, message) => {
    const reply = await post("explain_submission", body);
    expect([reply.status, reply.body.error_code]).toEqual([400, code]);
    expect(reply.body.message).toMatch(message);
  });

  it("the switch of encode_submission turns it off too", async () => {
    const { url } = await startServer({ encode: false });
    const response = await fetch(`${url}/v1/transactions/explain_submission`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(403);
  });
});
