// What the operations that prove something share: their parameters and the forms of a bundle.
import { LedgerError } from "../../ledger/errors.ts";
import { parseWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import { encodeBundle, type ProofBundle } from "../../proof/bundle.ts";
import { bundlePieces } from "../../proof/bundle-json.ts";
import type { Field, JsonSchema } from "../field.ts";
import { type AnswerForm, bcsForm } from "../operation.ts";
import { AnswerText, addPieces } from "../printing/answer-text.ts";
import { HEX_BYTES_SCHEMA } from "./hex-bytes.ts";
import { AMOUNT_SCHEMA, ledgerVersionField, U64_SCHEMA } from "./integer.ts";
import { described, list, named, namedUnion, nullableAnswer, object } from "./named.ts";
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

/** The place of an event in its transaction. */
export const eventIndexField: Field<bigint> = {
  ...ledgerVersionField,
  description: "The place of the event among those of the transaction, from 0.",
  example: "0",
};

/** Parameters of a query. */
export const proofFields = { ...readAtFields, from_waypoint: fromWaypointField } as const;

const HASHES: JsonSchema = list(HEX_BYTES_SCHEMA);
const TEXT: JsonSchema = { type: "string" };

type Members = Readonly<Record<string, JsonSchema>>;

/** An object that has all of its members. */
function whole(name: string, properties: Members): JsonSchema {
  return named(name, object(properties));
}

/** Objects of several kinds; the member `type` tells which. */
function kinds(
  name: string,
  members: Readonly<Record<string, readonly [name: string, Members]>>,
): JsonSchema {
  const schemas = Object.entries(members).map(([type, [kind, properties]]) => [
    type,
    whole(kind, { type: { type: "string", enum: [type] }, ...properties }),
  ]);
  return namedUnion(name, "type", Object.fromEntries(schemas) as Members);
}

const TIME = nullableAnswer(U64_SCHEMA, "Time of the block in microseconds; null if it is not proven.");

const CLAIM_SCHEMA = kinds("ProofClaim", {
  balances: [
    "BalancesClaim",
    {
      asset_types: { type: "array", items: TEXT, description: "In ascending order." },
      accounts: {
        type: "array",
        description: "In ascending order of their addresses.",
        items: whole("BalancesOfAccount", {
          address: TEXT,
          balances: list(
            whole("ClaimedBalance", {
              asset: { type: "integer", minimum: 0, description: "Place in `asset_types`, from 0." },
              balance: AMOUNT_SCHEMA,
            }),
          ),
        }),
      },
      authentication_keys: {
        type: "boolean",
        description: "Whether the authentication key of each account is proven too.",
      },
    },
  ],
  table_item: ["TableItemClaim", { table_handle: TEXT, key: HEX_BYTES_SCHEMA }],
  resource: [
    "ResourceClaim",
    {
      address: TEXT,
      resource_type: TEXT,
      group_type: nullableAnswer(TEXT, "The resource group that holds it; null for an item of its own."),
    },
  ],
  module: ["ModuleClaim", { address: TEXT, module_name: TEXT }],
  transaction: ["TransactionClaim", { version: U64_SCHEMA, hash: HEX_BYTES_SCHEMA, timestamp_usec: TIME }],
  event: [
    "EventClaim",
    {
      version: U64_SCHEMA,
      index: described(U64_SCHEMA, "Place among the events of the transaction, from 0."),
      event: described(HEX_BYTES_SCHEMA, "BCS of the event."),
      store: {
        type: "object",
        nullable: true,
        required: ["owner", "metadata"],
        properties: { owner: TEXT, metadata: TEXT },
        description: "For a deposit into a primary store: its owner and its asset.",
      },
      timestamp_usec: TIME,
    },
  ],
});

const POINT_SCHEMA = whole("ProvenVersion", {
  version: U64_SCHEMA,
  transaction_info: described(HEX_BYTES_SCHEMA, "BCS of the info of that version."),
  accumulator_siblings: { ...HASHES, description: "Hashes beside its way, from the bottom up." },
  transaction: nullableAnswer(HEX_BYTES_SCHEMA, "The bytes that the transaction's hash covers."),
  event_siblings: {
    ...HASHES,
    nullable: true,
    description: "Hashes beside the way of the event, from the bottom up.",
  },
  state: {
    type: "object",
    nullable: true,
    required: ["values", "nodes", "hashes"],
    properties: {
      values: {
        type: "array",
        items: nullableAnswer(HEX_BYTES_SCHEMA, "BCS of the state value; null if there is no such item."),
        description: "In the order of the key hashes that the claim names.",
      },
      nodes: described(HEX_BYTES_SCHEMA, "Kinds of the nodes of the walk through the state tree."),
      hashes: { ...HASHES, description: "Hashes beside the walk, in its order." },
    },
  },
});

const LEDGER_SCHEMA = kinds("ProvenLedger", {
  named: [
    "NamedLedger",
    { ledger_info: described(HEX_BYTES_SCHEMA, "BCS of what the waypoint itself commits to.") },
  ],
  signed: [
    "SignedLedger",
    {
      start: described(HEX_BYTES_SCHEMA, "BCS of the end of an epoch, which the waypoint commits to."),
      epoch_changes: {
        ...HASHES,
        description: "BCS of the signed ledger infos that end the epochs after it, in order.",
      },
      last: described(HEX_BYTES_SCHEMA, "BCS of the signed ledger info that the versions are proven in."),
    },
  ],
});

const BUNDLE_SCHEMA = whole("ProofBundle", {
  claim: CLAIM_SCHEMA,
  claim_hash: described(HEX_BYTES_SCHEMA, "SHA3-256 of the claim's BCS."),
  points: {
    type: "array",
    items: POINT_SCHEMA,
    description: "The versions that the claim rests on, in ascending order.",
  },
  ledger: LEDGER_SCHEMA,
});

/** Both forms of a bundle. */
export const bundleForms: { readonly json: AnswerForm<ProofBundle>; readonly bcs: AnswerForm<ProofBundle> } =
  {
    json: {
      schema: BUNDLE_SCHEMA,
      description: "The bundle. `sextant verify-proof` checks it without a network.",
      encode: async (bundle, slices) =>
        (await addPieces(new AnswerText(), bundlePieces(bundle), slices)).finish(),
    },
    bcs: bcsForm("The same bundle in BCS.", encodeBundle),
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
