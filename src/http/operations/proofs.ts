// Proofs of balances, items, transactions and events, for somebody who trusts a waypoint and nobody else.
import { ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { decodeWith } from "../../bcs/codec.ts";
import {
  balanceProofRoute,
  balancesProofRoute,
  eventProofRoute,
  moduleProofRoute,
  rawItemProofRoute,
  resourceProofRoute,
  transactionHashProofRoute,
  transactionProofRoute,
} from "../../interface/routes.ts";
import { findByHash } from "../../ledger/transaction-finder.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import { formatStructTag, structTagCodec } from "../../move/type-tag.ts";
import { encodeBundle, type ProofBundle } from "../../proof/bundle.ts";
import { MAX_PAIRS } from "../../proof/claim.ts";
import { balancesQuestion, type ProofQuestion } from "../../proof/question.ts";
import type { Asker } from "../calls/asker.ts";
import { fieldOf, readAtArgs, toBytes, toText } from "../calls/operands.ts";
import {
  assertObject,
  knownOptions,
  type OptionNames,
  PROVE_BALANCES_NAMES,
  PROVE_NAMES,
  PROVE_RECORD_NAMES,
  type ProveBalancesOptions,
  type ProveOptions,
  type ProveRecordOptions,
} from "../calls/options.ts";
import { assertBodySize, HttpError } from "../errors.ts";
import { parseField } from "../field.ts";
import { type Answer, type Context, operation } from "../operation.ts";
import { addressField, tableHandleField } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import { batchBody, readAtOf } from "../schemas/batch.ts";
import { authenticationKeysField } from "../schemas/flag.ts";
import { moduleNameField, resourceTypeField } from "../schemas/move-type.ts";
import { bundleForms, eventIndexField, noSignatures, PROOF_ERRORS, proofFields } from "../schemas/proof.ts";
import { rawTableItemBody } from "../schemas/raw-table-item.ts";
import { type ReadAtArgs, readPointOf } from "../schemas/read-at.ts";
import { transactionHashField, transactionVersionField } from "../schemas/transaction.ts";
import { BALANCES_BODY } from "./get-balances.ts";
import { assertCommitted } from "./get-transaction.ts";

/** A proof of a thousand balances takes a second. */
const MAX_IN_FLIGHT = 4;
/** A bundle repeats the key in every form that it is checked in. Keys of real tables have less than a kilobyte. */
const MAX_KEY_BODY_BYTES = 256 * 1024;

const OF_STATE = { query: proofFields, answer: bundleForms, errors: PROOF_ERRORS } as const;
const OF_RECORD = {
  query: { from_waypoint: proofFields.from_waypoint },
  answer: bundleForms,
  errors: [...PROOF_ERRORS, "transaction_not_found", "version_pruned"],
} as const;

interface ProofArgs extends ReadAtArgs {
  readonly from_waypoint: Waypoint | undefined;
}

/** The bundle that answers a question. Throws HttpError and LedgerError. */
async function provenAnswer(
  { view, services }: Context<"required">,
  question: ProofQuestion,
  args: Partial<ProofArgs>,
): Promise<Answer<ProofBundle>> {
  if (services.prover === undefined) throw noSignatures();
  const { ledger_version, at, from_waypoint: fromWaypoint } = args;
  const isLatest = ledger_version === undefined && at === undefined;
  const version = isLatest ? undefined : (await readPointOf(view, { ledger_version, at })).version;
  const data = await services.prover(view, question, { version, fromWaypoint });
  const { claim, points } = data;
  return { data, version: "version" in claim ? claim.version : points[0]?.version };
}

/** What a call asks for of a proof. */
function proofArgs<O extends ProveOptions>(
  options: O,
  names: OptionNames<ProveOptions> = PROVE_NAMES,
): ProofArgs {
  const { fromWaypoint } = knownOptions<ProveOptions>(names, options);
  const from_waypoint = fieldOf("fromWaypoint", proofFields.from_waypoint, fromWaypoint);
  return { from_waypoint, ...readAtArgs(options, names) };
}

/** The same of a proof of a record. */
function recordArgs(options: ProveRecordOptions): Pick<ProofArgs, "from_waypoint"> {
  const { fromWaypoint } = knownOptions(PROVE_RECORD_NAMES, options);
  return { from_waypoint: fieldOf("fromWaypoint", proofFields.from_waypoint, fromWaypoint) };
}

/** Proofs in BCS, which `verifyProof` of `sextant/verify` checks. */
export interface StateProofCalls {
  /**
   * A proof of a balance. The version must end a block inside the proof window; left out, it is the newest signed one.
   */
  proveBalance(address: string, asset: string, options?: ProveOptions): Promise<Uint8Array>;
  /** A proof of up to 1,000 balances at one version. */
  proveBalances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options?: ProveBalancesOptions,
  ): Promise<Uint8Array>;
  /** A proof of a resource, or that there is none. */
  proveResource(address: string, type: string, options?: ProveOptions): Promise<Uint8Array>;
  /** A proof of a module's bytecode, or that there is none. */
  proveModule(address: string, name: string, options?: ProveOptions): Promise<Uint8Array>;
  /** A proof of a table item, or that there is none. */
  proveRawItem(handle: string, key: string | Uint8Array, options?: ProveOptions): Promise<Uint8Array>;
}

/** `GET /v1/accounts/{address}/balance/{asset_type}/proof` */
export const proveAccountBalance = operation({
  ...OF_STATE,
  id: "prove_account_balance",
  ...balanceProofRoute,
  summary: "Proof of a balance",
  description:
    "A balance with its proof: the state items that it is computed from, present or absent, their place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.",
  params: { address: addressField, asset_type: assetTypeField },
  handle(args, context) {
    const question = balancesQuestion([{ address: args.address, asset: args.asset_type }], false);
    return provenAnswer(context, question, args);
  },
  calls: (node: Asker): StateProofCalls => ({
    proveBalance: async (address, asset, options = {}) => {
      const asked = proofArgs(options);
      const args = { address: node.args.address(address), asset_type: node.args.asset(asset), ...asked };
      return node.run(proveAccountBalance, args, options, encodeBundle);
    },
    proveBalances: async (pairs, options = {}) => {
      if (!Array.isArray(pairs) || pairs.length === 0 || pairs.length > MAX_PAIRS)
        throw new ConfigError(`pairs: expected a list of 1 to ${MAX_PAIRS} pairs`);
      const queries = pairs.map((pair, i) => {
        assertObject(`pairs[${i}]`, pair);
        const text = `${pair.asset}`;
        return { owner: node.args.address(pair.address), asset: node.args.asset(pair.asset), text };
      });
      const body = { queries, totals: false, ledger_version: undefined, at: undefined };
      const { authenticationKeys: authentication_keys } = options;
      const args = { body, authentication_keys, ...proofArgs(options, PROVE_BALANCES_NAMES) };
      return node.run(proveBalances, args, options, encodeBundle);
    },
    proveResource: async (address, type, options = {}) => {
      const resource_type = parseField("type", resourceTypeField, toText("type", type));
      const args = { address: node.args.address(address), resource_type, ...proofArgs(options) };
      return node.run(proveAccountResource, args, options, encodeBundle);
    },
    proveModule: async (address, name, options = {}) => {
      const module_name = parseField("name", moduleNameField, toText("name", name));
      const args = { address: node.args.address(address), module_name, ...proofArgs(options) };
      return node.run(proveAccountModule, args, options, encodeBundle);
    },
    proveRawItem: async (handle, key, options = {}) => {
      const asked = proofArgs(options);
      const args = { table_handle: node.args.handle(handle), body: toBytes(key), ...asked };
      return node.run(proveRawTableItem, args, options, encodeBundle);
    },
  }),
});

/** `POST /v1/balances/proof` */
export const proveBalances = operation({
  ...OF_STATE,
  id: "prove_balances",
  ...balancesProofRoute,
  maxInFlight: MAX_IN_FLIGHT,
  summary: "Proof of many balances",
  description:
    "The balances of up to 1,000 pairs of an account and an asset at one version, in one proof with one check of signatures. A pair that is asked for twice is proven once. A query that cannot be asked refuses the whole. Version and waypoint as in `prove_account_balance`.",
  query: { ...proofFields, authentication_keys: authenticationKeysField },
  body: batchBody({ ...BALANCES_BODY, name: "BalancesProofRequest", hasTotals: false }),
  handle({ body: { queries, totals: _, ...inBody }, ...args }, context) {
    const pairs = queries.map((query, i) => {
      if (!(query instanceof HttpError)) return { address: query.owner, asset: query.asset };
      throw new HttpError(query.code, `queries[${i}]: ${query.message}`);
    });
    const question = balancesQuestion(pairs, args.authentication_keys ?? false);
    return provenAnswer(context, question, { ...args, ...readAtOf(args, inBody) });
  },
});

/** `GET /v1/accounts/{address}/resource/{resource_type}/proof` */
export const proveAccountResource = operation({
  ...OF_STATE,
  id: "prove_account_resource",
  ...resourceProofRoute,
  summary: "Proof of a resource",
  description:
    "One resource of an account with its proof, or the proof that there is none: by itself, or in the resource group that its type belongs to by the node's word. Version and waypoint as in `prove_account_balance`.",
  params: { address: addressField, resource_type: resourceTypeField },
  async handle(args, context) {
    const { view, services } = context;
    const { address, resource_type: type } = args;
    const tag = await services.types.groupOf(view, type, view.position.version);
    const group = tag && formatStructTag(decodeWith(structTagCodec, tag));
    const claim = { kind: "resource", address, type: type.text, group } as const;
    return provenAnswer(context, { kind: "state", claim }, args);
  },
});

/** `GET /v1/accounts/{address}/module/{module_name}/proof` */
export const proveAccountModule = operation({
  ...OF_STATE,
  id: "prove_account_module",
  ...moduleProofRoute,
  summary: "Proof of a module",
  description:
    "The bytecode of one module with its proof, or the proof that there is none. Version and waypoint as in `prove_account_balance`.",
  params: { address: addressField, module_name: moduleNameField },
  handle(args, context) {
    const { address, module_name: name } = args;
    return provenAnswer(context, { kind: "state", claim: { kind: "module", address, name } }, args);
  },
});

/** `POST /v1/tables/{table_handle}/raw_item/proof` */
export const proveRawTableItem = operation({
  ...OF_STATE,
  id: "prove_raw_table_item",
  ...rawItemProofRoute,
  summary: "Proof of a table item",
  description:
    "One table item with its proof, or the proof that there is none: its place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.",
  params: { table_handle: tableHandleField },
  body: {
    ...rawTableItemBody,
    description:
      "The BCS bytes of the key in hex, at most 256 KiB. A bare JSON string instead of the object is taken too.",
    parse(bytes) {
      assertBodySize(bytes, MAX_KEY_BODY_BYTES);
      return rawTableItemBody.parse(bytes);
    },
  },
  handle(args, context) {
    const { table_handle: handle, body: key } = args;
    const claim = { kind: "tableItem", handle, key } as const;
    return provenAnswer(context, { kind: "state", claim }, args);
  },
});

/** Proofs in BCS that records are in the ledger. */
export interface RecordProofCalls {
  /** A proof of a transaction by its version, or its hash in hex. */
  proveTransaction(versionOrHash: bigint | string, options?: ProveRecordOptions): Promise<Uint8Array>;
  /** A proof of an event by the version of its transaction and its place there, from 0. */
  proveEvent(version: bigint, index: bigint, options?: ProveRecordOptions): Promise<Uint8Array>;
}

/** `GET /v1/transactions/by_version/{txn_version}/proof` */
export const proveTransactionByVersion = operation({
  ...OF_RECORD,
  id: "prove_transaction_by_version",
  ...transactionProofRoute,
  summary: "Proof of a transaction",
  description:
    "A transaction with the proof that it is in the ledger at this version, and of the time of its block where the state of that block can be proven too.",
  params: { txn_version: transactionVersionField },
  async handle(args, context) {
    const { txn_version: version } = args;
    assertCommitted(context.view, version);
    return provenAnswer(context, { kind: "transaction", version }, args);
  },
  calls: (node: Asker): RecordProofCalls => ({
    proveTransaction: async (given, options = {}) => {
      const asked = recordArgs(options);
      if (typeof given !== "string") {
        const args = { txn_version: given, ...asked };
        return node.run(proveTransactionByVersion, args, options, encodeBundle);
      }
      const txn_hash = parseField("hash", transactionHashField, given);
      return node.run(proveTransactionByHash, { txn_hash, ...asked }, options, encodeBundle);
    },
    proveEvent: async (txn_version, event_index, options = {}) => {
      const args = { txn_version, event_index, ...recordArgs(options) };
      return node.run(proveEvent, args, options, encodeBundle);
    },
  }),
});

/** `GET /v1/transactions/by_version/{txn_version}/events/{event_index}/proof`: of a deposit, a receipt */
export const proveEvent = operation({
  ...OF_RECORD,
  id: "prove_event",
  ...eventProofRoute,
  summary: "Proof of an event",
  description:
    "An event with the proof that a transaction of the ledger emitted it, and of the time of the block. For a deposit it also proves the account, the asset and the amount: a receipt.",
  params: { txn_version: transactionVersionField, event_index: eventIndexField },
  async handle(args, context) {
    const { txn_version: version, event_index: index } = args;
    assertCommitted(context.view, version);
    return provenAnswer(context, { kind: "event", version, index }, args);
  },
});

/** `GET /v1/transactions/by_hash/{txn_hash}/proof` */
export const proveTransactionByHash = operation({
  ...OF_RECORD,
  id: "prove_transaction_by_hash",
  ...transactionHashProofRoute,
  switch: "transactionIndex",
  summary: "Proof of a transaction by its hash",
  description: "As `prove_transaction_by_version`, for a committed transaction that is found by its hash.",
  params: { txn_hash: transactionHashField },
  async handle(args, context) {
    const record = await findByHash(context.view, args.txn_hash);
    if (record === undefined) {
      throw new HttpError(
        "transaction_not_found",
        `no committed transaction ${toPrefixedHex(args.txn_hash)}`,
      );
    }
    return provenAnswer(context, { kind: "transaction", version: record.version }, args);
  },
});
