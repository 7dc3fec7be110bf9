// What the operations that prove something share: their parameters and the forms of a bundle.
import { LedgerError } from "../../ledger/errors.ts";
import { parseWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import { bundleToText, encodeBundle, type MadeBundle } from "../../proof/made-bundle.ts";
import type { Field, JsonSchema } from "../field.ts";
import type { AnswerForm } from "../operation.ts";
import { HEX_BYTES_SCHEMA } from "./hex-bytes.ts";
import { AMOUNT_SCHEMA, U64_SCHEMA } from "./integer.ts";
import { described, named, namedUnion, nullableAnswer } from "./named.ts";
import { readAtFields } from "./read-at.ts";

const WAYPOINT_PATTERN = "^[0-9]{1,20}:[0-9a-fA-F]{64}$";

/** Where a proof begins. */
const fromWaypointField: Field<Waypoint> = {
  schema: { type: "string", pattern: WAYPOINT_PATTERN },
  description:
    "The waypoint that the proof must begin at: one of an epoch's end, such as that of genesis. The bundle then holds every change of epoch since. Left out, it begins at the end of the epoch before.",
  example: `0:${"0".repeat(64)}`,
  // A waypoint of one ledger is none of another.
  omitExample: true,
  expected: "a waypoint, <version>:<64 hex digits>",
  parse: (text) => parseWaypoint(text),
};

/** Parameters of a query. */
export const proofFields = { ...readAtFields, from_waypoint: fromWaypointField } as const;

const HASHES: JsonSchema = { type: "array", items: HEX_BYTES_SCHEMA };
const TEXT: JsonSchema = { type: "string" };

const CLAIM_SCHEMA = namedUnion("ProofClaim", "type", {
  balance: named("BalanceClaim", {
    type: "object",
    required: ["type", "address", "asset_type", "balance"],
    properties: {
      type: { type: "string", enum: ["balance"] },
      address: TEXT,
      asset_type: TEXT,
      balance: AMOUNT_SCHEMA,
    },
  }),
  table_item: named("TableItemClaim", {
    type: "object",
    required: ["type", "table_handle", "key", "value"],
    properties: {
      type: { type: "string", enum: ["table_item"] },
      table_handle: TEXT,
      key: HEX_BYTES_SCHEMA,
      value: nullableAnswer(HEX_BYTES_SCHEMA, "Null if the table has no such item."),
    },
  }),
});

const ITEM_SCHEMA = named("ProvenItem", {
  type: "object",
  required: ["state_key", "state_value", "leaf", "siblings"],
  properties: {
    state_key: described(HEX_BYTES_SCHEMA, "BCS of the state key."),
    state_value: nullableAnswer(HEX_BYTES_SCHEMA, "BCS of the state value; null if there is no such item."),
    leaf: {
      type: "object",
      nullable: true,
      required: ["key_hash", "value_hash"],
      properties: { key_hash: HEX_BYTES_SCHEMA, value_hash: HEX_BYTES_SCHEMA },
      description: "The leaf at the end of the key's way through the state tree; null where there is none.",
    },
    siblings: { ...HASHES, description: "Hashes beside the way, from the root down." },
  },
});

const LEDGER_SCHEMA = namedUnion("ProvenLedger", "type", {
  named: named("NamedLedger", {
    type: "object",
    required: ["type", "ledger_info"],
    properties: {
      type: { type: "string", enum: ["named"] },
      ledger_info: described(HEX_BYTES_SCHEMA, "BCS of what the waypoint itself commits to."),
    },
  }),
  signed: named("SignedLedger", {
    type: "object",
    required: ["type", "start", "epoch_changes", "last"],
    properties: {
      type: { type: "string", enum: ["signed"] },
      start: described(HEX_BYTES_SCHEMA, "BCS of the end of an epoch, which the waypoint commits to."),
      epoch_changes: {
        ...HASHES,
        description: "BCS of the signed ledger infos that end the epochs after it, in order.",
      },
      last: described(HEX_BYTES_SCHEMA, "BCS of the signed ledger info that the version is proven in."),
    },
  }),
});

const BUNDLE_SCHEMA = named("ProofBundle", {
  type: "object",
  required: ["claim", "ledger_version", "items", "transaction_info", "accumulator_siblings", "ledger"],
  properties: {
    claim: CLAIM_SCHEMA,
    ledger_version: { ...U64_SCHEMA, description: "The last version of a block: the claim holds after it." },
    items: { type: "array", items: ITEM_SCHEMA, description: "Every state item that the claim rests on." },
    transaction_info: described(
      HEX_BYTES_SCHEMA,
      "BCS of the info of that version, which has the state root.",
    ),
    accumulator_siblings: { ...HASHES, description: "Hashes beside its way, from the bottom up." },
    ledger: LEDGER_SCHEMA,
  },
});

/** Both forms of a bundle. */
export const bundleForms: { readonly json: AnswerForm<MadeBundle>; readonly bcs: AnswerForm<MadeBundle> } = {
  json: {
    schema: BUNDLE_SCHEMA,
    description: "The bundle. `sextant verify-proof` checks it without a network.",
    encode: bundleToText,
  },
  bcs: {
    schema: { type: "string", format: "binary" },
    description: "The same bundle in BCS.",
    encode: encodeBundle,
  },
};

/** Errors of every proof. */
export const PROOF_ERRORS = ["unprovable"] as const;

/** Said by a server without a prover. */
export function noSignatures(): LedgerError {
  return new LedgerError(
    "no_signatures",
    "this node has no validator signatures, so it cannot prove anything",
  );
}
