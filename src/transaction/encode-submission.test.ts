import { describe, expect, it } from "vitest";
import { frameworkModules, functionAbi, loaderOf, moduleAbi, ONE } from "../../test/support/abi.ts";
import { toHex } from "../base/hex.ts";
import { JsonError } from "../json/errors.ts";
import type { AbiType } from "../move/abi.ts";
import { MoveError } from "../move/errors.ts";
import { encodeSubmission } from "./encode-submission.ts";
import { TransactionError } from "./errors.ts";

const T0: AbiType = { kind: "parameter", index: 0 };
const signer: AbiType = { kind: "reference", mutable: false, to: { kind: "signer" } };
const account = moduleAbi(ONE, "account", {
  functions: [
    functionAbi("transfer", [signer, { kind: "address" }, { kind: "u64" }]),
    functionAbi("generic", [T0], { typeParams: [[]] }),
    functionAbi("tagged", [], { typeParams: [[]] }),
    functionAbi("borrow", [{ kind: "reference", mutable: false, to: { kind: "u64" } }]),
    functionAbi("call", [{ kind: "function", args: [], results: [], abilities: 0 }]),
    functionAbi("inner", [], { isEntry: false }),
  ],
});
const loadModule = loaderOf([...frameworkModules(), account]);

const transfer = {
  type: "entry_function_payload",
  function: "0x1::account::transfer",
  type_arguments: [] as unknown,
  arguments: ["0x2", "5"] as unknown,
};
const request = {
  sender: "0x1",
  sequence_number: "7",
  max_gas_amount: "1",
  gas_unit_price: "2",
  expiration_timestamp_secs: "3",
  payload: transfer as unknown,
};

async function encode(body: unknown): Promise<string> {
  return toHex(await encodeSubmission(Buffer.from(JSON.stringify(body)), { chainId: 4, loadModule }));
}

async function refusal(body: unknown): Promise<string> {
  const error: unknown = await encode(body).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TransactionError);
  return `${(error as TransactionError).code}: ${(error as TransactionError).message}`;
}

const call = (parts: Partial<typeof transfer>): unknown => ({
  ...request,
  payload: { ...transfer, ...parts },
});
const script = (bytecode: string, parts: object = {}, code: object = {}): unknown => ({
  ...request,
  payload: {
    type: "script_payload",
    code: { bytecode, ...code },
    type_arguments: [],
    arguments: [],
    ...parts,
  },
});

describe("the shape of a request", () => {
  it("is checked member by member in a fixed order", async () => {
    const broken: Record<string, unknown> = {
      sender: 1,
      sequence_number: 1,
      max_gas_amount: 1,
      gas_unit_price: 1,
      expiration_timestamp_secs: 1,
      payload: 1,
      replay_protection_nonce: 1,
      secondary_signers: 1,
      fee_payer: 1,
    };
    const good: Record<string, unknown> = {
      ...request,
      replay_protection_nonce: null,
      secondary_signers: null,
      fee_payer: null,
    };
    for (const name of Object.keys(broken)) {
      expect(await refusal(broken)).toContain(`request: ${name}: expected`);
      broken[name] = good[name];
    }
    expect(await encode(broken)).toBe(await encode(request));
  });

  it("lets the sequence number be left out when a nonce is given", async () => {
    const { sequence_number: _, ...rest } = { ...request, replay_protection_nonce: "9" };
    const message = await encode(rest);
    expect(message).toBe(await encode({ ...request, replay_protection_nonce: "9" }));
    expect(message).toContain("ff".repeat(8));
    expect(await refusal({ ...rest, replay_protection_nonce: null })).toContain("sequence_number is missing");
    expect(await refusal({ ...rest, sequence_number: 5 })).toContain("put the number in quotes");
  });

  it("tells an empty list of secondary signers from none", async () => {
    expect(await encode({ ...request, secondary_signers: null })).toBe(await encode(request));
    expect(await encode({ ...request, secondary_signers: [] })).not.toBe(await encode(request));
    expect(await refusal({ ...request, secondary_signers: ["0x1", "x"] })).toContain("secondary_signers[1]");
  });

  it.each<[unknown, string]>([
    [[], "request: the body: expected an object, got []"],
    [
      { ...request, payload: { type: "encrypted_transaction_payload" } },
      'got "encrypted_transaction_payload"; encrypted payloads cannot',
    ],
    [
      { ...request, payload: { type: "Script_Payload" } },
      "request: payload.type: expected entry_function_payload",
    ],
    [{ ...request, payload: { type: 5 } }, "request: payload.type: expected"],
    [
      { ...request, payload: { type: "module_bundle_payload" } },
      "invalid: payload.type: module_bundle_payload was removed",
    ],
    [call({ function: "0x1::transfer" }), "request: payload.function: expected"],
    [call({ function: "0x1::account::account::transfer" }), "the module is not an identifier"],
    [call({ function: "0X1::account::transfer" }), "the prefix is 0x with a small x"],
    [call({ type_arguments: "u8" }), "request: payload.type_arguments: expected an array of type strings"],
    [
      call({ arguments: undefined }),
      "request: payload.arguments is missing: expected an array of values; write []",
    ],
    [script("0x1"), "request: payload.code.bytecode: expected the compiled script"],
    [script("", {}, { abi: { name: "main" } }), "request: payload.code.abi.visibility is missing"],
  ])("is refused: %j", async (body, message) => {
    expect(await refusal(body)).toContain(message);
  });

  it("is no business of a body that is not JSON", () => {
    expect(() => encodeSubmission(Buffer.from("{"), { chainId: 4, loadModule })).toThrow(JsonError);
  });
});

describe("an entry function call", () => {
  it.each<[string, unknown, string]>([
    [
      "an unknown module",
      call({ function: "0x1::acount::transfer" }),
      "payload.function: module 0x1::acount is not on chain",
    ],
    [
      "an unknown function",
      call({ function: "0x1::account::transfr" }),
      "there is no function 0x1::account::transfr; its entry functions are transfer, generic",
    ],
    [
      "a function that is not entry",
      call({ function: "0x1::account::inner" }),
      "0x1::account::inner is not an entry function",
    ],
    [
      "a type argument too few",
      call({ function: "0x1::account::tagged" }),
      "takes 1 type argument, not 0; add types such as",
    ],
    ["a type argument too many", call({ type_arguments: ["u8"] }), "takes 0 type arguments, not 1; write []"],
    [
      "an argument too few",
      call({ arguments: ["0x2"] }),
      "0x1::account::transfer takes 2 arguments (address, u64), not 1",
    ],
    ["an argument for the signer", call({ arguments: ["0x1", "0x2", "5"] }), "the chain fills in signers"],
    [
      "a wrong value",
      call({ arguments: ["0x2", 5] }),
      'payload.arguments[1]: expected a string of decimal digits such as "5" (u64), got 5; put the number in quotes (argument 1 of 0x1::account::transfer is u64)',
    ],
    [
      "an address without 0x in a type",
      call({ type_arguments: ["1::coin::Coin"] }),
      "the address needs 0x in front",
    ],
    [
      "a reference as a type argument",
      call({ type_arguments: ["&u8"] }),
      "a reference cannot be a type argument",
    ],
    [
      "a signer as a type argument by value",
      call({ function: "0x1::account::generic", type_arguments: ["signer"], arguments: [] }),
      "signer cannot stand for a type",
    ],
    [
      "a type of an unknown module",
      call({ function: "0x1::account::generic", type_arguments: ["0x2::m::S"], arguments: [{}] }),
      "payload.arguments[0]: the module of 0x2::m::S is not on chain (argument 0",
    ],
    [
      "a reference parameter",
      call({ function: "0x1::account::borrow", arguments: ["5"] }),
      "a reference cannot be given as a value",
    ],
    [
      "a function parameter",
      call({ function: "0x1::account::call", arguments: ["5"] }),
      "a function value cannot be given as JSON",
    ],
  ])("with %s is refused, saying so", async (_, body, message) => {
    const text = await refusal(body);
    expect(text.startsWith("invalid: ")).toBe(true);
    expect(text).toContain(message);
  });

  it("takes a signer as a type argument that no value has", async () => {
    const body = call({ function: "0x1::account::tagged", type_arguments: ["signer"], arguments: [] });
    expect(await encode(body)).toContain("0105");
  });

  it("lets the loader's own failure through", async () => {
    const failing = async (): Promise<never> => {
      throw new MoveError("bytecode", "broken");
    };
    const encoding = encodeSubmission(Buffer.from(JSON.stringify(request)), {
      chainId: 4,
      loadModule: failing,
    });
    await expect(encoding).rejects.toBeInstanceOf(MoveError);
  });
});

describe("a script call", () => {
  // One type parameter; no parameters in the first, one of that type in the second.
  const GENERIC = "a11ceb0b060000000105000100010000000102";
  const TAKES_GENERIC = "a11ceb0b060000000105000401090000010000010102";
  const takes = (...params: string[]): object => ({
    abi: {
      name: "main",
      visibility: "public",
      is_entry: true,
      is_view: false,
      generic_type_params: [],
      params,
      return: [],
    },
  });

  it.each<[string, unknown, string]>([
    ["bytes that are no script", script("00"), "payload.code.bytecode: not a compiled script"],
    [
      "a type parameter as a parameter and no type argument",
      script(TAKES_GENERIC, { type_arguments: [], arguments: ["0x1"] }),
      "payload.arguments[0]: the type parameter T0 has no type to stand for",
    ],
    [
      "too many type arguments",
      script(GENERIC, { type_arguments: ["u8", "u8"] }),
      "the script takes 1 type argument, not 2",
    ],
    [
      "a string parameter",
      script("", { arguments: ["x"] }, takes("0x1::string::String")),
      "a script takes only booleans",
    ],
    [
      "a vector of integers",
      script("", { arguments: [["1"]] }, takes("vector<u64>")),
      "a script takes only booleans",
    ],
    [
      "a type parameter in its description",
      script("", { arguments: ["x"] }, takes("T0")),
      'payload.code.abi.params[0]: type "T0"',
    ],
    [
      "an argument too many",
      script("", { arguments: ["1"] }, takes("&signer", "signer")),
      "the script takes 0 arguments, not 1",
    ],
    ["a wrong value", script("", { arguments: [5] }, takes("u64")), "(argument 0 of the script is u64)"],
    [
      "a reference",
      script("", { arguments: [5] }, takes("&mut u64")),
      "a reference cannot be given as a value",
    ],
  ])("with %s is refused, saying so", async (_, body, message) => {
    const text = await refusal(body);
    expect(text.startsWith("invalid: ")).toBe(true);
    expect(text).toContain(message);
  });

  it("takes an empty vector of anything as empty bytes", async () => {
    const empty = await encode(script("", { arguments: [[]] }, takes("vector<u64>")));
    expect(empty).toBe(await encode(script("", { arguments: [""] }, takes("vector<u8>"))));
  });

  it("takes an object as its address", async () => {
    const asObject = await encode(
      script("", { arguments: ["0x5"] }, takes("0x1::object::Object<0x9::a::B>")),
    );
    expect(asObject).toBe(await encode(script("", { arguments: ["0x5"] }, takes("&signer", "address"))));
  });
});
