// What the transactions of the chain itself say besides info, events and time.
import { toPrefixedHex } from "../../base/hex.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { struct } from "../../bcs/records.ts";
import { byteString, text } from "../../bcs/scalars.ts";
import type { Transaction } from "../../ledger/formats/transaction.ts";
import { formatAddress } from "../../move/address.ts";
import type {
  BlockEndInfo,
  BlockMetadataExt,
  ValidatorTransaction,
} from "../../transaction/system-transactions.ts";
import { setBits } from "./signature-json.ts";

type Json = Readonly<Record<string, unknown>>;

const RSA_KEY = "0x1::jwks::RSA_JWK";
const rsaKeyCodec = struct({ kid: text, kty: text, alg: text, e: text, n: text });
const UNSUPPORTED_KEY = "0x1::jwks::UnsupportedJWK";
const unsupportedKeyCodec = struct({ id: byteString, payload: byteString });

/** The end of a block. The reference prints these u64 as numbers. */
export function blockEndText(info: BlockEndInfo): string {
  const members = [
    `"block_gas_limit_reached":${info.gasLimitReached}`,
    `"block_output_limit_reached":${info.outputLimitReached}`,
    `"block_effective_block_gas_units":${info.gasUnits}`,
    `"block_approx_output_size":${info.approximateOutputBytes}`,
  ];
  return `{${members.join(",")}}`;
}

function extensionOf(block: BlockMetadataExt): Json {
  if (block.kind === "v0") return { type: "v0" };
  const randomness = block.randomness === undefined ? null : toPrefixedHex(block.randomness.bytes);
  if (block.kind === "v1") return { randomness, type: "v1" };
  const key = block.kind === "v2" ? block.decryptionKey : block.decryptionKey?.key;
  return {
    randomness,
    decryption_key: key === undefined ? null : toPrefixedHex(key.bytes),
    type: block.kind,
  };
}

/** The members of the transaction that opens a block: those before its events, and those behind them. */
export function blockMetadataMembers(
  transaction: Extract<Transaction, { kind: "blockMetadata" | "blockMetadataExt" }>,
): readonly [before: string, after: string] {
  const block = transaction.kind === "blockMetadata" ? transaction.block : transaction.block.block;
  const before = [
    `"id":"${toPrefixedHex(block.id)}"`,
    `"epoch":"${block.epoch}"`,
    `"round":"${block.round}"`,
  ];
  const after = [
    `"previous_block_votes_bitvec":${JSON.stringify([...block.previousVotes])}`,
    `"proposer":"${formatAddress(block.proposer)}"`,
    `"failed_proposer_indices":${JSON.stringify(block.failedProposers)}`,
    `"timestamp":"${block.timestampUsec}"`,
  ];
  if (transaction.kind === "blockMetadataExt") {
    after.push(`"block_metadata_extension":${JSON.stringify(extensionOf(transaction.block))}`);
  }
  return [before.join(","), after.join(",")];
}

/** A web key: an RSA key by its members, any other as numbers of its bytes. */
function webKey({ type, data }: { readonly type: string; readonly data: Uint8Array }): Json {
  try {
    if (type === RSA_KEY) return decodeWith(rsaKeyCodec, data);
    if (type === UNSUPPORTED_KEY) {
      const { id, payload } = decodeWith(unsupportedKeyCodec, data);
      return { id: [...id], payload: [...payload] };
    }
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
  }
  return { id: [], payload: [...data] };
}

function signersOf(signature: {
  readonly bitmask: Uint8Array;
  readonly signature: Uint8Array | undefined;
}): Json {
  return {
    signer_indices: setBits(signature.bitmask),
    sig: signature.signature === undefined ? null : toPrefixedHex(signature.signature),
  };
}

function issuerOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "non_utf8_issuer";
  }
}

/** The members of a transaction that the validators made. */
export function validatorMembers(transaction: ValidatorTransaction): string {
  switch (transaction.kind) {
    case "jwkUpdate": {
      const issuer = JSON.stringify(issuerOf(transaction.issuer));
      const jwks = JSON.stringify(transaction.jwks.map(webKey));
      // The reference prints this u64 as a number.
      const update = `{"issuer":${issuer},"version":${transaction.version},"jwks":${jwks}}`;
      const signers = JSON.stringify(signersOf(transaction.signature));
      return `"quorum_certified_update":{"update":${update},"multi_sig":${signers}},"validator_transaction_type":"observed_jwk_update"`;
    }
    case "dkgResult":
    case "chunkyDkgResult": {
      const transcript = {
        epoch: `${transaction.epoch}`,
        author: formatAddress(transaction.author),
        payload: toPrefixedHex(transaction.transcript),
      };
      const type = transaction.kind === "dkgResult" ? "dkg_result" : "chunky_dkg_result";
      return `"dkg_transcript":${JSON.stringify(transcript)},"validator_transaction_type":"${type}"`;
    }
  }
}
