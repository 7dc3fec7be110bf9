// The official SDK as the judge: random calls are built with its own classes and sent as JSON through the
// encoder; the bytes must be the same.
import { createPrivateKey, sign as ed25519Sign } from "node:crypto";
import {
  AccountAddress,
  Bool,
  ChainId,
  Ed25519PublicKey,
  Ed25519Signature,
  EntryFunction,
  type EntryFunctionArgument,
  FeePayerRawTransaction,
  generateSigningMessageForTransaction,
  I8,
  I16,
  I32,
  I64,
  I128,
  I256,
  Identifier,
  ModuleId,
  MoveOption,
  MoveString,
  MoveVector,
  MultiAgentTransaction,
  parseTypeTag,
  RawTransaction,
  type Serializable,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import type { AbiType } from "../../src/move/abi.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { INTEGER_RANGES } from "../../src/move/scalar-text.ts";
import { formatTypeTag, type TypeTag } from "../../src/move/type-tag.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { frameworkModules, functionAbi, loaderOf, moduleAbi, ONE, structType } from "../support/abi.ts";
import { RUNS } from "../support/property.ts";
import { transferRequest } from "../support/submitter.ts";

/** One argument in every form: its type, the SDK's value, and the JSON to send. */
interface Sample {
  readonly type: AbiType;
  readonly sdk: Serializable & EntryFunctionArgument;
  readonly json: unknown;
}

const CALLED = parseAddress("0xca11ed");

const text = fc.string({ unit: "binary", maxLength: 12 });
const addressBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** An address as clients write it: with and without prefix, short and long, in either case. */
const addressText = fc
  .tuple(addressBytes, fc.nat({ max: 31 }), fc.constantFrom("short", "long", "bare", "upper"))
  .map(([bytes, zeros, form]) => {
    const address = Uint8Array.from(bytes).fill(0, 0, zeros);
    const hex = toHex(address);
    const written = {
      short: formatAddress(address),
      long: `0x${hex}`,
      bare: hex,
      upper: `0x${hex.toUpperCase()}`,
    };
    return { sdk: new AccountAddress(address), json: written[form as keyof typeof written] };
  });

/** Stands for a fee payer who is not known yet. */
const ZERO = { sdk: AccountAddress.ZERO, json: "0x0" };

const smallIntegers = { u8: U8, u16: U16, u32: U32, i8: I8, i16: I16, i32: I32 } as const;
const largeIntegers = { u64: U64, u128: U128, u256: U256, i64: I64, i128: I128, i256: I256 } as const;

const small = Object.entries(smallIntegers).map(([name, Sdk]) => {
  const { min, max } = INTEGER_RANGES[name as keyof typeof smallIntegers];
  return fc.integer({ min: Number(min), max: Number(max) }).map(
    (value): Sample => ({
      type: { kind: name as keyof typeof smallIntegers },
      sdk: new Sdk(value),
      json: value,
    }),
  );
});

const large = Object.entries(largeIntegers).map(([name, Sdk]) =>
  fc
    .tuple(fc.bigInt(INTEGER_RANGES[name as keyof typeof largeIntegers]), fc.constantFrom("", "+", "000"))
    .map(
      ([value, prefix]): Sample => ({
        type: { kind: name as keyof typeof largeIntegers },
        sdk: new Sdk(value),
        json: value < 0n ? `${value}` : `${prefix}${value}`,
      }),
    ),
);

const bool = fc
  .boolean()
  .map((value): Sample => ({ type: { kind: "bool" }, sdk: new Bool(value), json: value }));
const address = addressText.map(({ sdk, json }): Sample => ({ type: { kind: "address" }, sdk, json }));
const string = text.map(
  (value): Sample => ({ type: structType("string", "String"), sdk: new MoveString(value), json: value }),
);
const bytes = fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.boolean()).map(
  ([value, isPrefixed]): Sample => ({
    type: { kind: "vector", item: { kind: "u8" } },
    sdk: MoveVector.U8([...value]),
    json: `${isPrefixed ? "0x" : ""}${toHex(value)}`,
  }),
);
/** An object inside another type. */
const nestedObject = addressText.map(
  ({ sdk, json }): Sample => ({
    type: structType("object", "Object", [structType("coin", "Coin")]),
    sdk,
    json: { inner: json },
  }),
);

const leaf: fc.Arbitrary<Sample> = fc.oneof(bool, ...small, ...large, address, string, bytes, nestedObject);

/** Several samples of one and the same type, which `shape` picks. */
function listOf(depth: number, maxLength: number): fc.Arbitrary<{ type: AbiType; items: Sample[] }> {
  const kinds: fc.Arbitrary<Sample>[] = [bool, ...small, ...large, address, string, bytes, nestedObject];
  return fc.nat({ max: kinds.length + (depth > 0 ? 5 : -1) }).chain((pick) => {
    const kind = kinds[pick];
    if (kind !== undefined) {
      return fc
        .tuple(kind, fc.array(kind, { maxLength }))
        .map(([witness, items]) => ({ type: witness.type, items }));
    }
    const isOption = pick % 2 === 0;
    return fc.array(listOf(depth - 1, 3), { minLength: 1, maxLength: 1 }).chain(([seed]) => {
      const inner = seed!;
      const build = isOption ? option : vector;
      // Sub-lists of one list, so that all of them have its type.
      return fc
        .array(fc.subarray(inner.items, isOption ? { maxLength: Math.min(1, inner.items.length) } : {}), {
          maxLength,
        })
        .map((lists) => {
          const items = lists.map((list) => build({ type: inner.type, items: list }));
          return { type: build({ type: inner.type, items: [] }).type, items };
        });
    });
  });
}

function isU8(type: AbiType): boolean {
  return type.kind === "u8";
}

function hexOfU8(items: readonly Sample[]): string {
  return `0x${toHex(Uint8Array.from(items.map((item) => item.json as number)))}`;
}

function vector({ type, items }: { type: AbiType; items: readonly Sample[] }): Sample {
  return {
    type: { kind: "vector", item: type },
    sdk: new MoveVector(items.map((item) => item.sdk)),
    json: isU8(type) ? hexOfU8(items) : items.map((item) => item.json),
  };
}

function option({ type, items }: { type: AbiType; items: readonly Sample[] }): Sample {
  return {
    type: structType("option", "Option", [type]),
    sdk: new MoveOption(items[0]?.sdk ?? null),
    json: { vec: isU8(type) ? hexOfU8(items) : items.map((item) => item.json) },
  };
}

/** An object as a parameter of its own: written as its bare address. */
const topLevelObject = addressText.map(
  ({ sdk, json }): Sample => ({
    type: structType("object", "Object", [structType("none", "Such")]),
    sdk,
    json,
  }),
);

const sample: fc.Arbitrary<Sample> = fc.oneof(
  leaf.filter((one) => one.type.kind !== "struct" || one.type.name !== "Object"),
  topLevelObject,
  listOf(2, 4).map(vector),
  listOf(2, 1).map(option),
);

/** The same type as text arguments can say it; undefined where they cannot. */
function tagOf(type: AbiType): TypeTag | undefined {
  switch (type.kind) {
    case "vector": {
      const item = tagOf(type.item);
      return item && { kind: "vector", item };
    }
    case "struct": {
      const typeArgs = type.typeArgs.map(tagOf);
      return typeArgs.includes(undefined)
        ? undefined
        : { kind: "struct", struct: { ...type, typeArgs: typeArgs as TypeTag[] } };
    }
    case "parameter":
    case "reference":
    case "function":
      return undefined;
    default:
      return type.kind.startsWith("i") ? undefined : { kind: type.kind };
  }
}

/** Nesting as the chain counts it: a vector once, a struct once for itself and once for its arguments. */
function depthOf(tag: TypeTag): number {
  if (tag.kind === "vector") return 1 + depthOf(tag.item);
  if (tag.kind !== "struct") return 0;
  return Math.max(1, ...tag.struct.typeArgs.map((arg) => 2 + depthOf(arg)));
}

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const signers: readonly AbiType[] = [
  { kind: "signer" },
  { kind: "reference", mutable: false, to: { kind: "signer" } },
  { kind: "reference", mutable: true, to: { kind: "signer" } },
];

/** Addresses that differ, the sender first: nobody signs twice. The fee payer may be one of them. */
const signing = fc
  .uniqueArray(addressText, { minLength: 1, maxLength: 4, selector: ({ sdk }) => sdk.toString() })
  .chain(([sender, ...others]) =>
    fc.record({
      sender: fc.constant(sender!),
      secondary: fc.constantFrom(undefined, others),
      feePayer: fc.oneof(
        fc.constant(undefined),
        fc.constant(ZERO),
        fc.constantFrom(sender!, ...others),
        addressText,
      ),
    }),
  );

const transaction = fc.record({
  signing,
  sequenceNumber: u64,
  maxGas: u64,
  gasPrice: u64,
  expiration: u64,
  chainId: fc.integer({ min: 0, max: 255 }),
  optionForm: fc.constantFrom("struct" as const, "enum" as const),
  signerCount: fc.nat({ max: 2 }),
  args: fc.array(fc.tuple(sample, fc.boolean()), { maxLength: 5 }),
});

describe("encodeSubmission against the SDK", () => {
  it("gives the SDK's signing message for calls of every argument type", async () => {
    await fc.assert(
      fc.asyncProperty(transaction, async (run) => {
        const { sender, secondary, feePayer } = run.signing;
        const typeArgs: TypeTag[] = [];
        const params: AbiType[] = signers.slice(0, Math.min(run.signerCount, 1 + (secondary?.length ?? 0)));
        for (const [{ type }, isGeneric] of run.args) {
          const spoken = isGeneric ? tagOf(type) : undefined;
          const tag = spoken !== undefined && depthOf(spoken) <= 8 ? spoken : undefined;
          // As a type argument an Object is still a parameter of its own, so its form stays.
          params.push(tag === undefined ? type : { kind: "parameter", index: typeArgs.length });
          if (tag !== undefined) typeArgs.push(tag);
        }
        const modules = [
          ...frameworkModules(run.optionForm),
          moduleAbi(CALLED, "called", {
            functions: [
              functionAbi("call_me", params, { visibility: "private", typeParams: typeArgs.map(() => []) }),
            ],
          }),
        ];
        const loadModule = loaderOf(modules);
        const typeTexts = typeArgs.map(formatTypeTag);
        const request = {
          sender: sender.json,
          sequence_number: `${run.sequenceNumber}`,
          max_gas_amount: `${run.maxGas}`,
          gas_unit_price: `${run.gasPrice}`,
          expiration_timestamp_secs: `${run.expiration}`,
          ...(secondary && { secondary_signers: secondary.map((signer) => signer.json) }),
          ...(feePayer && { fee_payer: feePayer.json }),
          payload: {
            type: "entry_function_payload",
            function: "0xca11ed::called::call_me",
            type_arguments: typeTexts,
            arguments: run.args.map(([{ json }]) => json),
          },
        };
        const message = await encodeSubmission(Buffer.from(JSON.stringify(request)), {
          chainId: run.chainId,
          loadModule,
        });

        const call = new EntryFunction(
          new ModuleId(new AccountAddress(CALLED), new Identifier("called")),
          new Identifier("call_me"),
          typeTexts.map((type) => parseTypeTag(type)),
          run.args.map(([{ sdk }]) => sdk),
        );
        const raw = new RawTransaction(
          sender.sdk,
          run.sequenceNumber,
          new TransactionPayloadEntryFunction(call),
          run.maxGas,
          run.gasPrice,
          run.expiration,
          new ChainId(run.chainId),
        );
        const expected = secondary
          ? new MultiAgentTransaction(
              raw,
              secondary.map((signer) => signer.sdk),
              feePayer?.sdk,
            )
          : new SimpleTransaction(raw, feePayer?.sdk);
        expect(toHex(message)).toBe(toHex(generateSigningMessageForTransaction(expected)));
        if (feePayer === undefined) return;
        const withPayer = new FeePayerRawTransaction(
          raw,
          (secondary ?? []).map((signer) => signer.sdk),
          feePayer.sdk,
        );
        expect(toHex(message.subarray(32))).toBe(toHex(withPayer.bcsToBytes()));
      }),
      { numRuns: RUNS },
    );
  });

  it("gives bytes whose Ed25519 signature the SDK accepts over its own message", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), u64, async (seed, amount) => {
        // PKCS #8 wrapping of a raw Ed25519 seed.
        const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
        const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
        const jwk = key.export({ format: "jwk" });
        const publicKey = new Ed25519PublicKey(Buffer.from(jwk.x!, "base64url"));
        const sender = publicKey.authKey().derivedAddress();
        const module = moduleAbi(ONE, "aptos_account", {
          functions: [functionAbi("transfer", [signers[1]!, { kind: "address" }, { kind: "u64" }])],
        });
        const request = transferRequest(sender.toString(), "0xb0b", `${amount}`, { sequence_number: "1" });
        const body = Buffer.from(JSON.stringify(request));
        const message = await encodeSubmission(body, { chainId: 4, loadModule: async () => module });
        const signature = new Ed25519Signature(ed25519Sign(null, message, key));

        const call = EntryFunction.build(
          "0x1::aptos_account",
          "transfer",
          [],
          [AccountAddress.from("0xb0b", { maxMissingChars: 63 }), new U64(amount)],
        );
        const raw = new RawTransaction(
          sender,
          1n,
          new TransactionPayloadEntryFunction(call),
          200000n,
          100n,
          32425224034n,
          new ChainId(4),
        );
        const expected = generateSigningMessageForTransaction(new SimpleTransaction(raw));
        expect(publicKey.verifySignature({ message: expected, signature })).toBe(true);
        const other = generateSigningMessageForTransaction(new SimpleTransaction(raw, AccountAddress.ONE));
        expect(publicKey.verifySignature({ message: other, signature })).toBe(false);
      }),
      { numRuns: 25 },
    );
  });
});
