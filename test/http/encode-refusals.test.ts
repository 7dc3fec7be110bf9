// Transactions that the chain must reject are refused before anybody signs them; what differs from them in
// one point is encoded.
import { afterAll, describe, expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { functionAbi, loaderOf, moduleAbi, ONE } from "../support/abi.ts";
import { startServer } from "../support/http-server.ts";

const node = await createNode({ http: { port: 0, maxWaitMs: 0 } });
afterAll(() => node.close());

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
  readonly hex: string | undefined;
}

async function encode(body: unknown, url: string = node.url ?? ""): Promise<Answer> {
  const response = await fetch(`${url}/transactions/encode_submission`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as string | { message: string; error_code: string };
  return typeof answer === "string"
    ? { status: response.status, code: undefined, message: "", hex: answer }
    : { status: response.status, code: answer.error_code, message: answer.message, hex: undefined };
}

/** The answer of a refusal: 400 `invalid_input`, with a message that begins with the field. */
function refused(field: string, reason: string): unknown {
  return {
    status: 400,
    code: "invalid_input",
    message: expect.stringMatching(
      new RegExp(`^${field.replace(/[.[\]]/g, "\\$&")}: .*${reason}`, "s"),
    ) as string,
    hex: undefined,
  };
}

const request = (payload: object, parts: object = {}): object => ({
  sender: "0xa",
  sequence_number: "1",
  max_gas_amount: "2",
  gas_unit_price: "3",
  expiration_timestamp_secs: "4",
  payload,
  ...parts,
});
const call = (name: string, args: unknown[], typeArguments: string[] = []): object => ({
  type: "entry_function_payload",
  function: name,
  type_arguments: typeArguments,
  arguments: args,
});
const multisig = (payload: object): object => ({
  type: "multisig_payload",
  multisig_address: "0x5a",
  transaction_payload: payload,
});

/** Takes one signer. */
const TRANSFER = call("0x1::aptos_account::transfer", ["0xb", "5"]);
/** Takes two signers. */
const DIRECT_TRANSFER = call("0x3::token::direct_transfer_script", ["0xb", "c", "n", "0", "1"]);
/** Takes no signer. */
const CREATE_ACCOUNT = call("0x1::aptos_account::create_account", ["0xb"]);

/** A script that returns at once, by the tokens of its parameters and the number of its type parameters. */
function script(tokens: readonly string[], args: unknown[], typeArguments: string[] = [], typeParams = 0) {
  const byte = (value: number): string => value.toString(16).padStart(2, "0");
  const signatures = `${byte(tokens.length)}${tokens.join("")}00`;
  const head = `a11ceb0b09000000010500${byte(signatures.length / 2)}`;
  // No access specifiers; the second signature, which is empty, for the locals; one instruction, `ret`.
  const tail = `${byte(typeParams)}${"00".repeat(typeParams)}0001010102`;
  return {
    type: "script_payload",
    code: { bytecode: `0x${head}${signatures}${tail}` },
    type_arguments: typeArguments,
    arguments: args,
  };
}
const SIGNER_REFERENCE = "060c";
const T0 = "0900";

describe("signers of a request", () => {
  it("are refused when the sender is among the secondary signers, however it is written", async () => {
    for (const sender of ["0xa", "a", "0x000A", `0x${"a".padStart(64, "0")}`]) {
      const answer = await encode(request(DIRECT_TRANSFER, { secondary_signers: ["0xb", sender] }));
      expect(answer).toEqual(refused("secondary_signers[1]", "sender"));
    }
    for (const payload of [multisig(TRANSFER), script([SIGNER_REFERENCE, SIGNER_REFERENCE], [])]) {
      const answer = await encode(request(payload, { secondary_signers: ["0xa"] }));
      expect(answer).toEqual(refused("secondary_signers[0]", "sender"));
    }
  });

  it("are refused when a secondary signer is listed twice", async () => {
    const twice = { secondary_signers: ["0xb", "0xc", "0x0B"] };
    for (const payload of [TRANSFER, CREATE_ACCOUNT, multisig(TRANSFER), script([], [])]) {
      expect(await encode(request(payload, twice))).toEqual(
        refused("secondary_signers[2]", "0xb is listed twice"),
      );
      const nonce = { ...twice, replay_protection_nonce: "9" };
      expect(await encode(request(payload, nonce))).toEqual(refused("secondary_signers[2]", "listed twice"));
    }
    expect((await encode(request(DIRECT_TRANSFER, { secondary_signers: ["0xb"] }))).status).toBe(200);
  });

  it("are refused when a function or script takes more of them than are listed", async () => {
    const pair = script([SIGNER_REFERENCE, "0c"], []);
    for (const payload of [DIRECT_TRANSFER, pair]) {
      expect(await encode(request(payload, { secondary_signers: [] }))).toEqual(
        refused("secondary_signers", "takes 2 signers, not 1"),
      );
      expect((await encode(request(payload, { secondary_signers: ["0xb"] }))).status).toBe(200);
    }
    const three = script([SIGNER_REFERENCE, SIGNER_REFERENCE, SIGNER_REFERENCE], []);
    expect(await encode(request(three, { secondary_signers: ["0xb"] }))).toEqual(
      refused("secondary_signers", "takes 3 signers, not 2"),
    );
  });

  it("may be any number for a function without a signer parameter", async () => {
    for (const payload of [CREATE_ACCOUNT, script([], [])]) {
      for (const signers of [null, [], ["0xb"], ["0xb", "0xc"]]) {
        expect((await encode(request(payload, { secondary_signers: signers }))).status).toBe(200);
      }
    }
  });

  it("are let through as recorded answers have them, although the chain rejects them", async () => {
    // Two signer parameters without a list, and more signers than parameters.
    expect((await encode(request(DIRECT_TRANSFER))).status).toBe(200);
    expect((await encode(request(script([SIGNER_REFERENCE, SIGNER_REFERENCE], [])))).status).toBe(200);
    expect((await encode(request(TRANSFER, { secondary_signers: ["0xb"] }))).status).toBe(200);
    // Addresses repeated in a list that has more signers than the chain verifies.
    const many = (count: number) => ({ secondary_signers: Array.from({ length: count }, () => "0xb") });
    expect((await encode(request(TRANSFER, many(31)))).status).toBe(400);
    expect((await encode(request(TRANSFER, many(32)))).status).toBe(200);
  });

  it("count as one in what a multisig account runs: the account itself", async () => {
    for (const [payload, field] of [
      [DIRECT_TRANSFER, "function"],
      [script([SIGNER_REFERENCE, SIGNER_REFERENCE], []), "code"],
    ] as const) {
      for (const signers of [null, [], ["0xb"], ["0xb", "0xc"]]) {
        expect(await encode(request(multisig(payload), { secondary_signers: signers }))).toEqual(
          refused(`payload.transaction_payload.${field}`, "takes 2 signers.*multisig account"),
        );
      }
    }
    expect((await encode(request(multisig(TRANSFER)))).status).toBe(200);
    expect((await encode(request(multisig(CREATE_ACCOUNT)))).status).toBe(200);
  });
});

describe("the fee payer of a request", () => {
  const WITH_DATA = "0x5efa3c4f02f83a0f4b2d69fc95c607cc02825cc4e7be536ef0992df050d9e67c";
  const tail = (address: string): string => address.padStart(64, "0");

  it("gives the fee-payer message: known, not known yet, or signing in another role too", async () => {
    const plain = (await encode(request(TRANSFER))).hex ?? "";
    const raw = plain.slice(2 + 64);
    // The chain looks for repeated accounts among sender and secondary signers only.
    for (const payer of ["0xfee", "0x0", "0xa"]) {
      const { hex } = await encode(request(TRANSFER, { fee_payer: payer }));
      expect(hex).toBe(`${WITH_DATA}01${raw}00${tail(payer.slice(2))}`);
      const listed = await encode(request(TRANSFER, { fee_payer: payer, secondary_signers: [] }));
      expect(listed.hex).toBe(hex);
    }
    const { hex } = await encode(request(TRANSFER, { fee_payer: "0xb", secondary_signers: ["0xb"] }));
    expect(hex).toBe(`${WITH_DATA}01${raw}01${tail("b")}${tail("b")}`);
    expect((await encode(request(TRANSFER, { fee_payer: null }))).hex).toBe(plain);
  });

  it("is refused when it is not an address", async () => {
    for (const payer of [1, "", "0x", "0xg", ["0xb"], `0x${"1".repeat(65)}`, true]) {
      const answer = await encode(request(TRANSFER, { fee_payer: payer }));
      expect(answer).toMatchObject({
        status: 400,
        code: "web_framework_error",
        message: expect.stringMatching(/^fee_payer: expected an address string/) as string,
      });
    }
  });

  it("leaves sender and secondary signers as the only ones a function can take", async () => {
    expect(await encode(request(DIRECT_TRANSFER, { fee_payer: "0xb" }))).toEqual(
      refused("secondary_signers", "takes 2 signers, not 1"),
    );
    const both = { fee_payer: "0xfee", secondary_signers: ["0xb"] };
    expect((await encode(request(DIRECT_TRANSFER, both))).status).toBe(200);
    const twice = { fee_payer: "0xfee", secondary_signers: ["0xb", "0xb"] };
    expect(await encode(request(DIRECT_TRANSFER, twice))).toEqual(
      refused("secondary_signers[1]", "listed twice"),
    );
  });
});

describe("an entry function that returns a value", () => {
  it("is refused, alone and in a multisig payload", async () => {
    const loadModule = loaderOf([
      moduleAbi(ONE, "returning", {
        functions: [
          functionAbi("count", [{ kind: "u64" }], { returns: [{ kind: "u64" }] }),
          functionAbi("pair", [], { returns: [{ kind: "bool" }, { kind: "address" }] }),
          functionAbi("nothing", []),
        ],
      }),
    ]);
    const server = await startServer({
      encoder: (body) => encodeSubmission(body, { chainId: 4, loadModule }),
    });
    const url = `${server.url}/v1`;
    const count = call("0x1::returning::count", ["5"]);
    expect(await encode(request(count), url)).toEqual(
      refused("payload.function", "returns a value \\(u64\\)"),
    );
    expect(await encode(request(multisig(count)), url)).toEqual(
      refused("payload.transaction_payload.function", "returns a value"),
    );
    expect(await encode(request(call("0x1::returning::pair", [])), url)).toEqual(
      refused("payload.function", "returns values \\(bool, address\\)"),
    );
    expect((await encode(request(call("0x1::returning::nothing", [])), url)).status).toBe(200);
  });
});

describe("a generic script with a parameter of its type parameter", () => {
  const generic = (type: string, value: unknown): object => request(script([T0], [value], [type], 1));
  const vector = (type: string, value: unknown): object => request(script([`0a${T0}`], [value], [type], 1));

  it.each<[string, unknown, string]>([
    ["bool", true, "0501"],
    ["u8", 255, "00ff"],
    ["u16", 258, "060201"],
    ["u32", 1, "0701000000"],
    ["u64", "5", "010500000000000000"],
    ["u128", "5", `0205${"00".repeat(15)}`],
    ["u256", "5", `0805${"00".repeat(31)}`],
    ["address", "0x1", `03${"00".repeat(31)}01`],
    ["vector<u8>", "0x0a0b", "04020a0b"],
    ["0x1::object::Object<0x1::fungible_asset::Metadata>", "0x1", `03${"00".repeat(31)}01`],
  ])("is encoded by its type argument: %s", async (type, value, argument) => {
    const { status, hex } = await encode(generic(type, value));
    expect(status).toBe(200);
    expect(hex).toContain(`01${argument}02${"00".repeat(7)}`);
  });

  it("is encoded inside a vector", async () => {
    const { hex } = await encode(vector("u8", "0x0102"));
    expect(hex).toContain("0104020102");
  });

  it.each<[string, unknown, string]>([
    ["u64", 5, "put the number in quotes"],
    ["u8", "5", "argument 0 of the script is u8"],
    ["0x1::string::String", "x", "a script takes only"],
    ["vector<u64>", ["1"], "a script takes only"],
    ["vector<signer>", [], "no value can hold a signer"],
  ])("is refused by its type argument: %s", async (type, value, reason) => {
    expect(await encode(generic(type, value))).toEqual(refused("payload.arguments[0]", reason));
  });

  it("is refused when a signer stands for it, as in an entry function", async () => {
    for (const args of [[], ["0x1"]]) {
      const body = request(script([T0], args, ["signer"], 1));
      expect(await encode(body)).toEqual(refused("payload.type_arguments", "signer cannot stand for a type"));
    }
  });

  it("is refused without type arguments, and encoded where no parameter needs one", async () => {
    expect(await encode(request(script([T0], ["0x1"], [], 1)))).toEqual(
      refused("payload.arguments[0]", "T0 has no type to stand for"),
    );
    expect((await encode(request(script(["03"], ["1"], [], 1)))).status).toBe(200);
  });
});
