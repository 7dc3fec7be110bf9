// Published signed transactions: rebuilt from their JSON, decoded, encoded again, and their signatures checked.
import { createPrivateKey, createPublicKey, type KeyObject, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fromHex, toHex, toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import type { PrimitiveName } from "../../src/move/abi.ts";
import { parseAddress } from "../../src/move/address.ts";
import type { TypeTag } from "../../src/move/type-tag.ts";
import type { ScriptArgument } from "../../src/transaction/executable.ts";
import {
  type RawTransaction,
  rawTransactionCodec,
  type TransactionPayload,
} from "../../src/transaction/raw.ts";
import { signingMessage } from "../../src/transaction/signing-message.ts";
import { hashedForm, userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { hasShared, sharedJson } from "../support/shared.ts";

type TypeJson =
  | PrimitiveName
  | { readonly vector: TypeJson }
  | {
      readonly struct: {
        readonly address: string;
        readonly module: string;
        readonly name: string;
        readonly type_args: readonly TypeJson[];
      };
    };

type ArgumentJson =
  | { readonly U8: number }
  | { readonly U64: string }
  | { readonly U128: string }
  | { readonly Address: string }
  | { readonly U8Vector: string }
  | { readonly Bool: boolean };

type PayloadJson =
  | {
      readonly Script: {
        readonly code: string;
        readonly ty_args: readonly TypeJson[];
        readonly args: readonly ArgumentJson[];
      };
    }
  | {
      readonly EntryFunction: {
        readonly module: { readonly address: string; readonly name: string };
        readonly function: string;
        readonly ty_args: readonly TypeJson[];
        readonly args: readonly string[];
      };
    };

interface Vector {
  readonly kind: string;
  readonly index: number;
  readonly raw_txn: {
    readonly sender: string;
    readonly sequence_number: string;
    readonly payload: PayloadJson;
    readonly max_gas_amount: string;
    readonly gas_unit_price: string;
    readonly expiration_timestamp_secs: string;
    readonly chain_id: number;
  };
  readonly signed_txn_bcs: string;
  readonly private_key: string;
  readonly signing_message: string;
}

function bytes(hex: string): Uint8Array {
  return fromHex(hex.startsWith("0x") ? hex.slice(2) : hex) ?? expect.unreachable(`not hex: ${hex}`);
}

function typeFrom(json: TypeJson): TypeTag {
  if (typeof json === "string") return { kind: json };
  if ("vector" in json) return { kind: "vector", item: typeFrom(json.vector) };
  const { address, module, name, type_args } = json.struct;
  const struct = { address: parseAddress(address), module, name, typeArgs: type_args.map(typeFrom) };
  return { kind: "struct", struct };
}

function argumentFrom(json: ArgumentJson): ScriptArgument {
  if ("U8" in json) return { kind: "u8", value: json.U8 };
  if ("U64" in json) return { kind: "u64", value: BigInt(json.U64) };
  if ("U128" in json) return { kind: "u128", value: BigInt(json.U128) };
  if ("Address" in json) return { kind: "address", value: parseAddress(json.Address) };
  if ("U8Vector" in json) return { kind: "bytes", value: bytes(json.U8Vector) };
  if ("Bool" in json) return { kind: "bool", value: json.Bool };
  return expect.unreachable(`unknown argument ${JSON.stringify(json)}`);
}

function payloadFrom(json: PayloadJson): TransactionPayload {
  if ("Script" in json) {
    const { code, ty_args, args } = json.Script;
    const script = { code: bytes(code), typeArgs: ty_args.map(typeFrom), args: args.map(argumentFrom) };
    return { kind: "script", script };
  }
  const { module, ty_args, args } = json.EntryFunction;
  return {
    kind: "entryFunction",
    entryFunction: {
      module: { address: parseAddress(module.address), name: module.name },
      function: json.EntryFunction.function,
      typeArgs: ty_args.map(typeFrom),
      args: args.map(bytes),
    },
  };
}

function rawFrom(json: Vector["raw_txn"]): RawTransaction {
  return {
    sender: parseAddress(json.sender),
    sequenceNumber: BigInt(json.sequence_number),
    payload: payloadFrom(json.payload),
    maxGasAmount: BigInt(json.max_gas_amount),
    gasUnitPrice: BigInt(json.gas_unit_price),
    expirationTimestampSecs: BigInt(json.expiration_timestamp_secs),
    chainId: json.chain_id,
  };
}

/** The public key of a raw Ed25519 seed, whose PKCS#8 form is a fixed header and the seed. */
function publicKeyOf(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  return createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
}

describe.skipIf(!hasShared)("published signed transactions", () => {
  const vectors = hasShared ? sharedJson<Vector[]>("vectors/transaction-vectors.json") : [];

  it("are all here, of both kinds", () => {
    expect(vectors).toHaveLength(100);
    expect(new Set(vectors.map((vector) => vector.kind)).size).toBe(2);
  });

  it.each(vectors.map((vector) => [vector.kind, vector.index, vector] as const))(
    "%s %i",
    (_kind, _index, vector) => {
      const signed = bytes(vector.signed_txn_bcs);
      const transaction = decodeWith(userTransactionCodec, signed);
      expect(toHex(encodeWith(userTransactionCodec, transaction))).toBe(toHex(signed));
      const reader = new BcsReader(signed);
      userTransactionCodec.skip(reader);
      expect(reader.remaining).toBe(0);
      expect(hashedForm(signed)).toBe(signed);

      const raw = rawFrom(vector.raw_txn);
      expect(transaction.raw).toEqual(raw);
      const message = signingMessage(raw);
      expect(toPrefixedHex(message)).toBe(vector.signing_message);
      expect(signingMessage(encodeWith(rawTransactionCodec, raw))).toEqual(message);

      const { authenticator } = transaction;
      if (authenticator.kind !== "ed25519") return expect.unreachable(authenticator.kind);
      const key = publicKeyOf(bytes(vector.private_key));
      expect(key.export({ format: "der", type: "spki" }).subarray(-32)).toEqual(
        Buffer.from(authenticator.publicKey),
      );
      expect(verify(null, message, key, authenticator.signature)).toBe(true);
    },
  );
});
