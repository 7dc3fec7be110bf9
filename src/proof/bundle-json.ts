// Reads bundles in JSON. Only the text that `bundleToText` gives is taken, and a newline behind it: no other byte of a
// proof can be changed, and no two readers of the file can read two claims.
import { fromHex } from "../base/hex.ts";
import { U64_MAX } from "../base/numbers.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { transactionInfoCodec } from "../ledger/formats/transaction-info.ts";
import { type WaypointPreimage, waypointPreimageCodec } from "../ledger/waypoint.ts";
import { parseAddress } from "../move/address.ts";
import { MoveError } from "../move/errors.ts";
import type { ProofBundle } from "./bundle.ts";
import { ProofError } from "./errors.ts";
import { type SignedLedgerInfo, signedLedgerInfoCodec } from "./ledger-info.ts";
import { bundleToText, type MadeBundle } from "./made-bundle.ts";

type Json = Readonly<Record<string, unknown>>;
const U64_DIGITS = /^(0|[1-9][0-9]{0,19})$/;

function fail(name: string, expected: string): never {
  throw new ProofError("malformed", `not a proof bundle: ${name}: expected ${expected}`);
}

function objectOf(name: string, value: unknown): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(name, "an object");
  return value as Json;
}

function listOf<T>(name: string, value: unknown, read: (name: string, item: unknown) => T): T[] {
  if (!Array.isArray(value)) fail(name, "a list");
  return value.map((item, i) => read(`${name}[${i}]`, item));
}

function textOf(name: string, value: unknown): string {
  return typeof value === "string" ? value : fail(name, "a text");
}

function bytesOf(name: string, value: unknown): Uint8Array {
  const text = textOf(name, value);
  const bytes = text.startsWith("0x") ? fromHex(text.slice(2)) : undefined;
  return bytes ?? fail(name, "hex digits after 0x");
}

function hashOf(name: string, value: unknown): Uint8Array {
  const bytes = bytesOf(name, value);
  return bytes.length === 32 ? bytes : fail(name, "a hash of 32 bytes");
}

function u64Of(name: string, value: unknown): bigint {
  const text = textOf(name, value);
  if (!U64_DIGITS.test(text) || BigInt(text) > U64_MAX) fail(name, "the digits of a number of 64 bits");
  return BigInt(text);
}

function optional<T>(name: string, value: unknown, read: (name: string, value: unknown) => T): T | undefined {
  return value === null ? undefined : read(name, value);
}

function claimOf(value: unknown): ProofBundle["claim"] {
  const claim = objectOf("claim", value);
  if (claim.type === "balance") {
    return {
      kind: "balance",
      address: parseAddress(textOf("claim.address", claim.address)),
      asset: textOf("claim.asset_type", claim.asset_type),
      amount: u64Of("claim.balance", claim.balance),
    };
  }
  if (claim.type !== "table_item") fail("claim.type", "balance or table_item");
  return {
    kind: "tableItem",
    handle: parseAddress(textOf("claim.table_handle", claim.table_handle)),
    key: bytesOf("claim.key", claim.key),
    value: optional("claim.value", claim.value, bytesOf),
  };
}

function itemOf(name: string, value: unknown): ProofBundle["items"][number] {
  const item = objectOf(name, value);
  return {
    key: bytesOf(`${name}.state_key`, item.state_key),
    value: optional(`${name}.state_value`, item.state_value, bytesOf),
    proof: {
      leaf: optional(`${name}.leaf`, item.leaf, (leafName, given) => {
        const leaf = objectOf(leafName, given);
        return {
          keyHash: hashOf(`${leafName}.key_hash`, leaf.key_hash),
          valueHash: hashOf(`${leafName}.value_hash`, leaf.value_hash),
        };
      }),
      siblings: listOf(`${name}.siblings`, item.siblings, hashOf),
    },
  };
}

function ledgerOf(value: unknown): MadeBundle["ledger"] {
  const ledger = objectOf("ledger", value);
  if (ledger.type === "named") {
    return { kind: "named", ledgerInfo: bytesOf("ledger.ledger_info", ledger.ledger_info) };
  }
  if (ledger.type !== "signed") fail("ledger.type", "named or signed");
  return {
    kind: "signed",
    start: bytesOf("ledger.start", ledger.start),
    epochChanges: listOf("ledger.epoch_changes", ledger.epoch_changes, bytesOf),
    last: bytesOf("ledger.last", ledger.last),
  };
}

function parse(text: string): MadeBundle {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProofError("malformed", "not a proof bundle: the text is not JSON", { cause });
  }
  const bundle = objectOf("the text", value);
  return {
    kind: "v0",
    claim: claimOf(bundle.claim),
    version: u64Of("ledger_version", bundle.ledger_version),
    items: listOf("items", bundle.items, itemOf),
    info: bytesOf("transaction_info", bundle.transaction_info),
    siblings: listOf("accumulator_siblings", bundle.accumulator_siblings, hashOf),
    ledger: ledgerOf(bundle.ledger),
  };
}

function decodeLedger(ledger: MadeBundle["ledger"]): ProofBundle["ledger"] {
  const preimage = (bytes: Uint8Array) => decodeWith(waypointPreimageCodec, bytes);
  const signed = (bytes: Uint8Array) => decodeWith(signedLedgerInfoCodec, bytes);
  if (ledger.kind === "named") return { kind: "named", ledgerInfo: preimage(ledger.ledgerInfo) };
  const { start, epochChanges, last } = ledger;
  return {
    kind: "signed",
    start: preimage(start),
    epochChanges: epochChanges.map(signed),
    last: signed(last),
  };
}

/** Reads a bundle in JSON. Throws ProofError `malformed`. */
export function decodeBundleJson(text: string): ProofBundle {
  try {
    const made = parse(text);
    const written = bundleToText(made);
    if (text !== written && text !== `${written}\n`) {
      throw new ProofError(
        "malformed",
        "not a proof bundle: it has another member, order, spelling or white space than this program writes; take the file as it was written",
      );
    }
    // Every part in BCS decodes strictly, so that no two texts give one bundle.
    return { ...made, info: decodeWith(transactionInfoCodec, made.info), ledger: decodeLedger(made.ledger) };
  } catch (error) {
    if (!(error instanceof BcsError || error instanceof MoveError)) throw error;
    throw new ProofError("malformed", `not a proof bundle: ${error.message}`, { cause: error });
  }
}

/** A decoded bundle as it is made. */
export function toMade(bundle: ProofBundle): MadeBundle {
  const preimage = (value: WaypointPreimage) => encodeWith(waypointPreimageCodec, value);
  const bytes = (signed: SignedLedgerInfo) => encodeWith(signedLedgerInfoCodec, signed);
  const { ledger } = bundle;
  const info = encodeWith(transactionInfoCodec, bundle.info);
  if (ledger.kind === "named") {
    return { ...bundle, info, ledger: { kind: "named", ledgerInfo: preimage(ledger.ledgerInfo) } };
  }
  const { start, epochChanges, last } = ledger;
  return {
    ...bundle,
    info,
    ledger: {
      kind: "signed",
      start: preimage(start),
      epochChanges: epochChanges.map(bytes),
      last: bytes(last),
    },
  };
}
