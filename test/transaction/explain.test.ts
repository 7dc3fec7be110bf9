// Explanations of bytes to sign: every vector is explained and encoded again from nothing but its explanation, and
// no damaged bytes are ever said to match what they do not.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import type { ModuleLoader } from "../../src/move/abi.ts";
import type { FunctionParamTag, TypeTag } from "../../src/move/type-tag.ts";
import { createNode } from "../../src/node.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { TransactionError } from "../../src/transaction/errors.ts";
import { MAX_MESSAGE_BYTES } from "../../src/transaction/explain/decode.ts";
import { explainSubmission } from "../../src/transaction/explain/explain.ts";
import type { Explanation } from "../../src/transaction/explain/explanation.ts";
import {
  type RawTransaction,
  rawTransactionCodec,
  type TransactionPayload,
} from "../../src/transaction/raw.ts";
import { signingMessage } from "../../src/transaction/signing-message.ts";
import { functionAbi, loaderOf, moduleAbi, ONE, structAbi } from "../support/abi.ts";
import { requestFrom, wrongInExplanation } from "../support/explained.ts";
import { genesisLoader } from "../support/genesis-modules.ts";
import { localChainVectors, typeVectorLoader, typeVectors } from "../support/golden-vectors.ts";
import { anyAddress } from "../support/move-arbitraries.ts";
import { RUNS } from "../support/property.ts";
import { hasShared, sharedJson } from "../support/shared.ts";
import { anyRawTransaction } from "../support/transaction-arbitraries.ts";

/** No account has anything. */
const accounts = { sequenceNumber: () => undefined, balance: () => 0n };
const timestampUsec = 1_700_000_000_000_000n;
const noModules: ModuleLoader = async () => undefined;

function explain(request: object, loadModule: ModuleLoader, chainId = 4): Promise<Explanation> {
  const body = Buffer.from(JSON.stringify(request));
  return explainSubmission(body, { chainId, loadModule, timestampUsec, accounts });
}

const hex = (bytes: Uint8Array): string => toPrefixedHex(bytes);
const bytesOf = (text: string): Uint8Array => Buffer.from(text.replace(/^0x/, ""), "hex");

/** Warnings about the ledger, which the vectors know nothing of. */
const ABOUT_LEDGER = /^(wrong_chain|expir|sender_|sequence_|recipient|amount_|fee_)/;

/** Warnings that speak against the bytes themselves. */
function complaints({ warnings }: Explanation): string[] {
  return warnings
    .filter(({ code }) => !ABOUT_LEDGER.test(code))
    .map(({ code, message }) => `${code}: ${message}`);
}

/** Explains a message, checks the explanation, and makes the same bytes from it again. */
async function roundTrip(expected: string, chainId: number, loadModule: ModuleLoader): Promise<Explanation> {
  const explanation = await explain({ message: expected }, loadModule, chainId);
  expect(wrongInExplanation(explanation, bytesOf(expected))).toBeUndefined();
  return explanation;
}

describe("explained golden vectors", () => {
  it.each(typeVectors.vectors)("$name", async ({ name, request, chain_id, expected }) => {
    const explanation = await roundTrip(expected, chain_id, typeVectorLoader);
    expect(await explain(request, typeVectorLoader, chain_id)).toEqual(explanation);
    // The bytes do not say these types: one came with the request, of the other there is no item.
    if (name === "script_described" || name === "script_empty_vector") return;
    const again = Buffer.from(JSON.stringify(requestFrom(explanation)));
    expect(hex(await encodeSubmission(again, { chainId: chain_id, loadModule: typeVectorLoader }))).toBe(
      expected,
    );
    // Functions without a signer parameter, and envelopes with more signers than they take, are among the vectors.
    const isAboutSigners = (text: string): boolean => text.startsWith("wrong_signers");
    expect(complaints(explanation).filter((text) => !isAboutSigners(text))).toEqual([]);
  });

  it("of the local chain, as that explains them", async () => {
    const node = await createNode();
    for (const { name, request, expected } of localChainVectors.vectors) {
      const explanation = await node.explainSubmission({ message: expected });
      expect(wrongInExplanation(explanation, bytesOf(expected)), name).toBeUndefined();
      expect(complaints(explanation), name).toEqual([]);
      expect(await node.explainSubmission(request), name).toEqual(explanation);
      expect(hex(await node.encodeSubmission(requestFrom(explanation)!)), name).toBe(expected);
    }
    await node.close();
  });
});

describe.skipIf(!hasShared)("explained recorded vectors", () => {
  it("encode-devnet.json, each encoded again from its explanation", async () => {
    const vectors = sharedJson<{ name: string; request: object; expected: string }[]>(
      "vectors/encode-devnet.json",
    );
    expect(vectors.length).toBe(149);
    const loadModule = genesisLoader("devnet");
    let again = 0;
    for (const { name, request, expected } of vectors) {
      const explanation = await explain({ message: expected }, loadModule, 243);
      expect(wrongInExplanation(explanation, bytesOf(expected)), name).toBeUndefined();
      expect(await explain(request, loadModule, 243), name).toEqual(explanation);
      const isWhole = complaints(explanation).every((text) => text.startsWith("wrong_signers"));
      if (!isWhole) continue;
      const body = Buffer.from(JSON.stringify(requestFrom(explanation)));
      expect(hex(await encodeSubmission(body, { chainId: 243, loadModule })), name).toBe(expected);
      again++;
    }
    // The rest has no value for an argument: generic scripts without type arguments, bytecode that is none.
    expect(again).toBeGreaterThan(140);
  });

  it("transaction-vectors.json, as messages and as raw transactions", async () => {
    const vectors = sharedJson<{ kind: string; index: number; signing_message: string }[]>(
      "vectors/transaction-vectors.json",
    );
    expect(vectors.length).toBe(100);
    for (const { kind, index, signing_message: message } of vectors) {
      const name = `${kind} ${index}`;
      const explanation = await explain({ message }, noModules);
      expect(wrongInExplanation(explanation, bytesOf(message)), name).toBeUndefined();
      const raw = bytesOf(message).subarray(32);
      const bare = await explain({ raw_transaction: hex(raw) }, noModules);
      expect(wrongInExplanation(bare, raw), name).toBeUndefined();
      expect(bare.kind).toBe("raw_transaction");
    }
  });
});

/** `right` for an explanation that is, or the text of the refusal. Anything else fails. */
async function judged(
  request: object,
  bytes: Uint8Array,
  loadModule: ModuleLoader,
): Promise<"right" | string> {
  try {
    const explanation = await explain(request, loadModule);
    const wrong = wrongInExplanation(explanation, bytes);
    if (wrong !== undefined) throw new Error(wrong);
    return "right";
  } catch (error) {
    if (error instanceof TransactionError) return error.message;
    throw error;
  }
}

/** The explanation of a message, which must be right; undefined when it is refused. */
async function explanationOf(message: Uint8Array): Promise<Explanation | undefined> {
  try {
    const explanation = await explain({ message: hex(message) }, noModules);
    expect(wrongInExplanation(explanation, message)).toBeUndefined();
    return explanation;
  } catch (error) {
    if (error instanceof TransactionError) return undefined;
    throw error;
  }
}

const anySigners = fc.option(fc.array(anyAddress, { maxLength: 3 }), { nil: undefined });
const anyPayer = fc.option(anyAddress, { nil: undefined });
const anyMessage = fc
  .tuple(anyRawTransaction, anySigners, anyPayer)
  .map(([raw, signers, payer]) => Uint8Array.from(signingMessage(raw, signers, payer)));

const transfer: RawTransaction = {
  sender: ONE,
  sequenceNumber: 0n,
  payload: {
    kind: "entryFunction",
    entryFunction: { module: { address: ONE, name: "m" }, function: "f", typeArgs: [], args: [] },
  },
  maxGasAmount: 2n,
  gasUnitPrice: 3n,
  expirationTimestampSecs: 1_700_000_060n,
  chainId: 4,
};

type Call = Extract<TransactionPayload, { kind: "entryFunction" }>["entryFunction"];

function calling(parts: Partial<Call>): RawTransaction {
  const { entryFunction } = transfer.payload as Extract<TransactionPayload, { kind: "entryFunction" }>;
  return { ...transfer, payload: { kind: "entryFunction", entryFunction: { ...entryFunction, ...parts } } };
}

describe("an explanation", () => {
  it("is right for any transaction, or refused", async () => {
    let right = 0;
    await fc.assert(
      fc.asyncProperty(anyMessage, async (message) => {
        if ((await judged({ message: hex(message) }, message, noModules)) === "right") right++;
      }),
      { numRuns: RUNS },
    );
    expect(right).toBeGreaterThan(RUNS / 10);
  });

  it("is right for any raw transaction, or refused", async () => {
    await fc.assert(
      fc.asyncProperty(anyRawTransaction, async (raw) => {
        const bytes = encodeWith(rawTransactionCodec, raw);
        await judged({ raw_transaction: hex(bytes) }, bytes, noModules);
      }),
      { numRuns: RUNS },
    );
  });

  it("never says that it matches bytes of which one bit differs from what its fields encode to", async () => {
    const vectors = typeVectors.vectors;
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.nat(vectors.length - 1), fc.nat(), async (pick, place) => {
        const bytes = Uint8Array.from(bytesOf(vectors[pick]!.expected));
        const before = await explain({ message: hex(bytes) }, typeVectorLoader);
        const bit = place % (8 * bytes.length);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        const outcome = await judged({ message: hex(bytes) }, bytes, typeVectorLoader);
        outcomes.add(outcome === "right" ? "right" : "refused");
        if (outcome !== "right") return;
        // What was explained before cannot be what is explained now.
        const after = await explain({ message: hex(bytes) }, typeVectorLoader);
        expect(after.fields).not.toEqual(before.fields);
      }),
      { numRuns: RUNS },
    );
    expect([...outcomes].sort()).toEqual(["refused", "right"]);
  });

  it("differs in its fields for any two messages of which one bit differs", async () => {
    let both = 0;
    await fc.assert(
      fc.asyncProperty(anyMessage, fc.nat(), async (bytes, place) => {
        const before = await explanationOf(bytes);
        const bit = place % (8 * bytes.length);
        const changed = Uint8Array.from(bytes);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        const after = await explanationOf(changed);
        if (before === undefined || after === undefined) return;
        both++;
        expect(after.fields).not.toEqual(before.fields);
      }),
      { numRuns: 2 * RUNS },
    );
    expect(both).toBeGreaterThan(RUNS / 10);
  });

  it("differs in its fields for any two function types", async () => {
    const seen = new Map<string, string>();
    let explained = 0;
    const look = async (tag: TypeTag): Promise<void> => {
      const message = signingMessage(calling({ typeArgs: [tag] }));
      const explanation = await explanationOf(message);
      if (explanation === undefined) return;
      explained++;
      const fields = JSON.stringify(explanation.fields.map(({ name, value }) => [name, value]));
      expect(seen.get(fields) ?? hex(message), explanation.fields[8]?.value).toBe(hex(message));
      seen.set(fields, hex(message));
    };
    for (let abilities = 0; abilities < 256; abilities++) {
      await look({ kind: "function", args: [], results: [], abilities });
    }
    expect(explained).toBe(16);
    // Small ones, so that many are drawn that are nearly the same.
    const tag = fc.letrec<{ tag: TypeTag; param: FunctionParamTag }>((tie) => ({
      tag: fc.oneof(
        { maxDepth: 3, depthIdentifier: "tag" },
        fc.constantFrom<TypeTag>({ kind: "u8" }, { kind: "bool" }),
        fc.record({ kind: fc.constant("vector" as const), item: tie("tag") }),
        fc.record({
          kind: fc.constant("function" as const),
          args: fc.array(tie("param"), { maxLength: 2, depthIdentifier: "tag" }),
          results: fc.array(tie("param"), { maxLength: 2, depthIdentifier: "tag" }),
          abilities: fc.nat(3),
        }),
      ),
      param: fc.record({ as: fc.constantFrom("reference", "mutable", "value"), type: tie("tag") }),
    })).tag;
    await fc.assert(fc.asyncProperty(tag, look), { numRuns: RUNS });
  });

  it("is one for every bit of a message: none can be changed without a trace", async () => {
    const vector = typeVectors.vectors.find(({ name }) => name === "fee_payer_known_signers_2")!;
    const bytes = Uint8Array.from(bytesOf(vector.expected));
    const seen = new Set<string>();
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      const answer = await explain({ message: hex(bytes) }, typeVectorLoader).catch(
        (error: unknown) => error,
      );
      if (answer instanceof Error) expect(answer).toBeInstanceOf(TransactionError);
      else {
        const explanation = answer as Explanation;
        expect(wrongInExplanation(explanation, bytes)).toBeUndefined();
        seen.add(JSON.stringify(explanation.fields));
      }
      bytes[bit >> 3]! ^= 1 << (bit & 7);
    }
    // Among others all bits of three addresses and four u64.
    expect(seen.size).toBeGreaterThan(8 * (3 * 32 + 4 * 8));
  });

  it("is refused for every beginning of a message, and for a message with a byte too many", async () => {
    const message = bytesOf(typeVectors.vectors.find(({ name }) => name === "fee_payer_known")!.expected);
    for (let length = 0; length < message.length; length++) {
      const part = message.subarray(0, length);
      expect(await judged({ message: hex(part) }, part, typeVectorLoader)).toMatch(/^message: /);
    }
    const longer = Buffer.concat([message, Uint8Array.of(0)]);
    expect(await judged({ message: hex(longer) }, longer, typeVectorLoader)).toContain("1 bytes left over");
  });
});

async function refusal(raw: RawTransaction): Promise<string> {
  const bytes = encodeWith(rawTransactionCodec, raw);
  return judged({ raw_transaction: hex(bytes) }, bytes, noModules);
}

describe("what is not explained", () => {
  it("is what is larger than it may be", async () => {
    const room =
      MAX_MESSAGE_BYTES - encodeWith(rawTransactionCodec, calling({ args: [new Uint8Array(0)] })).length;
    // The length of the argument takes three bytes instead of one.
    expect(await refusal(calling({ args: [new Uint8Array(room - 2)] }))).toBe("right");
    expect(await refusal(calling({ args: [new Uint8Array(room - 1)] }))).toContain(
      `raw_transaction: ${MAX_MESSAGE_BYTES + 1} bytes are more than`,
    );
    const many = (count: number): Uint8Array[] => Array.from({ length: count }, () => new Uint8Array(0));
    expect(await refusal(calling({ args: many(1024) }))).toBe("right");
    expect(await refusal(calling({ args: many(1025) }))).toContain("payload.arguments: 1025 are more than");
    const types = (count: number) => Array.from({ length: count }, () => ({ kind: "u8" as const }));
    expect(await refusal(calling({ typeArgs: types(256) }))).toBe("right");
    expect(await refusal(calling({ typeArgs: types(257) }))).toContain("payload.type_arguments: 257");
    const signers = (count: number): Uint8Array =>
      signingMessage(
        transfer,
        Array.from({ length: count }, () => ONE),
      );
    expect(await judged({ message: hex(signers(2048)) }, signers(2048), noModules)).toBe("right");
    expect(await judged({ message: hex(signers(2049)) }, signers(2049), noModules)).toContain(
      "secondary_signers: 2049 addresses",
    );
  });

  it("is a type that is nested without end, with a message that is not", async () => {
    const raw = encodeWith(rawTransactionCodec, calling({ typeArgs: [{ kind: "u8" }] }));
    const at = hex(raw).indexOf("0101", 2 + 2 * 70) / 2 - 1;
    const deep = Buffer.concat([raw.subarray(0, at + 1), new Uint8Array(2000).fill(6), raw.subarray(at + 1)]);
    const message = await judged({ raw_transaction: hex(deep) }, deep, noModules);
    expect(message).toMatch(
      /^raw_transaction: payload\.entryFunction\.typeArgs\[0\]\.item.*nested too deeply/,
    );
    expect(message.length).toBeLessThan(250);
  });

  it("is a name that could be taken for something else", async () => {
    const struct = { address: ONE, module: "m", name: "S", typeArgs: [] };
    for (const name of ["", "a b", "transfer\u202e", "f<u8>", "\u0430", "1a", "x::y"]) {
      expect(await refusal(calling({ function: name }))).toContain("payload.function");
      expect(await refusal(calling({ module: { address: ONE, name } }))).toContain("is not an identifier");
      for (const tag of [
        { ...struct, name },
        { ...struct, module: name },
      ]) {
        const inside = { kind: "vector" as const, item: { kind: "struct" as const, struct: tag } };
        expect(await refusal(calling({ typeArgs: [{ kind: "u8" }, inside] }))).toContain(
          "payload.type_arguments[1]",
        );
      }
    }
  });

  it("is a payload that nobody can run or see", async () => {
    const config = { kind: "v1" as const, multisigAddress: undefined, replayProtectionNonce: undefined };
    const payload = (kind: "empty" | "encrypted"): RawTransaction => ({
      ...transfer,
      payload: { kind: "payload", payload: { kind: "v1", executable: { kind }, extraConfig: config } },
    });
    expect(await refusal(payload("empty"))).toContain("it runs nothing");
    expect(await refusal(payload("encrypted"))).toContain("encrypted");
    expect(await refusal({ ...transfer, payload: { kind: "moduleBundle", placeholder: 0n } })).toContain(
      "module bundles were removed",
    );
  });

  it.each<[unknown, string]>([
    [{}, "the body: expected one of message, raw_transaction"],
    [{ message: "0x", raw_transaction: "0x" }, "the body: expected one of"],
    [{ message: "0x", sender: "0x1" }, "the body: expected one of"],
    [{ message: 5 }, "message: expected the bytes as a hex string"],
    [{ message: "0x0" }, "message: expected the bytes as a hex string"],
    [{ raw_transaction: "zz" }, "raw_transaction: expected the bytes as a hex string"],
    [{ message: `0x${"00".repeat(40)}` }, "message: the first 32 bytes are not the prefix"],
    [{ sender: "0x1" }, "sequence_number is missing"],
    ["0x00", "the body: expected an object"],
  ])("is a body of no known form: %#", async (body, reason) => {
    const error: unknown = await explain(body as object, noModules).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(TransactionError);
    expect((error as TransactionError).message).toContain(reason);
  });
});

describe("an argument", () => {
  const text = { kind: "struct", address: ONE, module: "string", name: "String", typeArgs: [] } as const;
  const loadModule = loaderOf([
    moduleAbi(ONE, "m", {
      functions: [
        functionAbi("f", [
          { kind: "reference", mutable: false, to: { kind: "signer" } },
          { kind: "u64" },
          { kind: "vector", item: { kind: "bool" } },
          text,
        ]),
      ],
    }),
  ]);
  const args = (...hexes: string[]): RawTransaction => calling({ args: hexes.map(bytesOf) });
  const explained = async (raw: RawTransaction): Promise<Explanation> => {
    const message = signingMessage(raw);
    const explanation = await explain({ message: hex(message) }, loadModule);
    expect(wrongInExplanation(explanation, message)).toBeUndefined();
    return explanation;
  };

  it("is shown as bytes, with a warning, where it does not fit its type or the type is not known", async () => {
    const explanation = await explained(args("0500000000000000", "0202", "0161"));
    expect(explanation.payload).toMatchObject({
      arguments: [
        { type: "u64", value: "5" },
        { type: "vector<bool>", bytes: "0x0202" },
        { type: "0x1::string::String", bytes: "0x0161" },
      ],
    });
    expect(complaints(explanation)).toEqual([
      "wrong_arguments: payload.arguments[1]: [0]: a boolean is 0 or 1, not 2 (at byte 1); expected vector<bool>",
      "argument_not_decoded: payload.arguments[2]: the module of 0x1::string::String is not on chain (argument 2 of 0x1::m::f is 0x1::string::String)",
    ]);
  });

  it("whose value does not encode to its bytes is no ground for an answer", async () => {
    // No compiler makes such an enum: one name stands for two variants, so a value cannot say which it is.
    const twice = { kind: "struct", address: ONE, module: "m", name: "Twice", typeArgs: [] } as const;
    const odd = loaderOf([
      moduleAbi(ONE, "m", {
        structs: [structAbi("Twice", 0, { variants: ["A", "A"].map((name) => ({ name, fields: [] })) })],
        functions: [functionAbi("f", [twice])],
      }),
    ]);
    expect((await explain({ message: hex(signingMessage(args("00"))) }, odd)).matches).toBe(true);
    await expect(explain({ message: hex(signingMessage(args("01"))) }, odd)).rejects.toThrow(
      "what these bytes decode to encodes to other bytes: do not sign them",
    );
  });

  it("is shown as bytes without a type where their number is wrong", async () => {
    const explanation = await explained(args("0500000000000000"));
    expect(explanation.payload).toMatchObject({ arguments: [{ bytes: "0x0500000000000000" }] });
    expect(complaints(explanation)).toEqual([
      expect.stringContaining("wrong_arguments: payload.arguments: "),
    ]);
  });

  it("is shown as bytes where its value would print to too much, and leaves room for the next", async () => {
    const long = { kind: "struct", address: ONE, module: "m", name: "Long", typeArgs: [] } as const;
    const named = loaderOf([
      moduleAbi(ONE, "m", {
        structs: [structAbi("Long", 0, { fields: [{ name: "n".repeat(250), type: { kind: "u8" } }] })],
        functions: [
          functionAbi("f", [
            { kind: "vector", item: long },
            { kind: "vector", item: long },
          ]),
        ],
      }),
    ]);
    const count = 100_000;
    const raw = calling({
      args: [Buffer.concat([bytesOf("a08d06"), new Uint8Array(count)]), bytesOf("0107")],
    });
    const message = signingMessage(raw);
    const explanation = await explain({ message: hex(message) }, named);
    expect(wrongInExplanation(explanation, message)).toBeUndefined();
    const { arguments: shown } = explanation.payload as Extract<
      Explanation["payload"],
      { type: "entry_function_payload" }
    >;
    expect(shown[0]).toMatchObject({
      type: "vector<0x1::m::Long>",
      bytes: expect.stringMatching(/^0xa08d06/),
    });
    expect(JSON.stringify(shown[1]?.value)).toBe(`[{"${"n".repeat(250)}":7}]`);
    expect(complaints(explanation)).toEqual([
      expect.stringMatching(/^argument_not_decoded: .*too large to print/),
    ]);
    expect(JSON.stringify(explanation).length).toBeLessThan(8 * count);
  });
});
