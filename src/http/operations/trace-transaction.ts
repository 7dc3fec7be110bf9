// Traces: the calls of a transaction that is simulated, or runs again on the state before it.
import { equalBytes } from "../../base/bytes.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { traceByVersionRoute, traceRoute } from "../../interface/routes.ts";
import { readRecord } from "../../ledger/formats/record.ts";
import { transactionCodec } from "../../ledger/formats/transaction.ts";
import { type ExecutionStatus, executionStatusCodec } from "../../ledger/formats/transaction-info.ts";
import { VmError } from "../../vm/errors.ts";
import type { TransactionOutput } from "../../vm/transaction/status.ts";
import { type Asker, fromJson, toBody } from "../calls/asker.ts";
import { HttpError } from "../errors.ts";
import { type JsonSchema, parseField } from "../field.ts";
import { type Context, operation } from "../operation.ts";
import { AnswerText } from "../printing/answer-text.ts";
import type { CallTrace } from "../printing/call-trace.ts";
import { ModulesAt } from "../printing/modules-at.ts";
import { StoredValuePrinter } from "../printing/move-json.ts";
import { vmStatus } from "../printing/vm-status.ts";
import { ANSWER_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { U64_SCHEMA } from "../schemas/integer.ts";
import { MOVE_VALUE_SCHEMA } from "../schemas/move-type.ts";
import { list, named, object, type Properties } from "../schemas/named.ts";
import { signedTransactionBody } from "../schemas/submission.ts";
import { transactionVersionField } from "../schemas/transaction.ts";
import { assertCommitted } from "./get-transaction.ts";

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;

const VALUE_SCHEMA = named("TracedValue", {
  ...object(
    { type: TEXT },
    {
      value: MOVE_VALUE_SCHEMA,
      bytes: { ...TEXT, description: "BCS in hex of a value whose type is not on the ledger." },
      omitted: { ...FLAG, description: "True for a value that is too long, or has no BCS." },
    },
  ),
  description: "A value; of a reference, what it refers to.",
});

const ITEM_SCHEMA = named(
  "TracedItem",
  object({
    kind: { type: "string", enum: ["resource", "table_item"] },
    owner: { ...ANSWER_ADDRESS_SCHEMA, description: "The account, or the handle of the table." },
    key: { ...TEXT, description: "The type of the resource, or the key of the item: BCS in hex." },
  }),
);

const CALL_SCHEMA = named(
  "TracedCall",
  object(
    {
      depth: { type: "integer", minimum: 0, description: "0 for a call of the chain itself." },
      function: TEXT,
      type_arguments: list(TEXT),
      arguments: list(VALUE_SCHEMA),
      gas_used: {
        ...U64_SCHEMA,
        description: "With that of its own calls. In parts of a unit: `gas_scaling` of them are one.",
      },
      reads: { ...list(ITEM_SCHEMA), description: "Items that it was the first to use, in its session." },
      writes: { ...list(ITEM_SCHEMA), description: "Items that it was the first to change." },
      events: list(VALUE_SCHEMA),
      aborted: { ...FLAG, description: "True if a fault ended it." },
    },
    { omitted: { ...U64_SCHEMA, description: "Entries of its lists that are left out." } },
  ),
);

const FAULT_SCHEMA = named(
  "TracedFault",
  object(
    { status: { ...TEXT, description: "The name of the chain's status." }, description: TEXT },
    {
      location: { ...TEXT, description: "The module, or `script`." },
      function: TEXT,
      code_offset: { type: "integer", minimum: 0, description: "The instruction." },
      abort_code: U64_SCHEMA,
      reason_name: { ...TEXT, description: "The name that the module has for the abort code." },
    },
  ),
);

const REQUIRED: Properties = {
  success: FLAG,
  vm_status: TEXT,
  gas_used: U64_SCHEMA,
  gas_scaling: { ...U64_SCHEMA, description: "Parts of a unit of gas." },
  calls: list(CALL_SCHEMA),
  omitted_calls: U64_SCHEMA,
};
const OPTIONAL: Properties = { fault: FAULT_SCHEMA };

const TRACE_SCHEMA: JsonSchema = named("TransactionTrace", object(REQUIRED, OPTIONAL));

const REPLAY_SCHEMA: JsonSchema = named(
  "CommittedTrace",
  object({ version: U64_SCHEMA, ...REQUIRED }, { matches_ledger: FLAG, ...OPTIONAL }),
);

/** Checks and runs of long calls take turns. */
const MAX_IN_FLIGHT = 16;

const BOUNDS =
  "Long traces are cut: calls after the first thousand, or after 4 MiB, are counted in `omitted_calls`; events and items after the first thousand of each, or after 4 MiB, in `omitted` of their call; values of more than 16 KiB, or after 1 MiB of all, are marked `omitted`. There are no calls on a local chain, whose framework has no code.";

/** The machine is loaded with the first trace. */
async function createTrace(): Promise<CallTrace> {
  return new (await import("../printing/call-trace.ts")).CallTrace();
}

type Traced = { readonly status: ExecutionStatus; readonly gasUsed: bigint };

async function print(
  trace: CallTrace,
  { view, services, slices }: Context<"required">,
  version: bigint,
  { status, gasUsed }: Traced,
  more: object = {},
): Promise<string | Uint8Array> {
  const state = await (await services.machine()).open(view, version, slices);
  const printer = new StoredValuePrinter(services.types, view, version, slices);
  const calls = await trace.print(printer, (location, code) => state.abortInfo(location, code));
  const known = {
    ...more,
    success: status.kind === "success",
    vm_status: await vmStatus(status, new ModulesAt(services.types, view, version)),
    gas_used: `${gasUsed}`,
  };
  return new AnswerText()
    .add(`${JSON.stringify(known).slice(0, -1)},`)
    .append(calls)
    .add("}")
    .finish();
}

function answerOf(schema: typeof TRACE_SCHEMA) {
  const encode = (encoded: string | Uint8Array): string | Uint8Array => encoded;
  return { json: { schema, description: "The calls, in the order in which they began.", encode } };
}

/** A value in a trace; of a reference, what it refers to. */
export interface TracedValue {
  readonly type: string;
  readonly value?: unknown;
  /** Hex of the BCS, where the ledger does not have the type. */
  readonly bytes?: string;
  /** True for a value that is too long, or has no BCS. */
  readonly omitted?: boolean;
}

/** A resource with its type as the key, or a table item with its key in hex. */
export interface TracedItem {
  readonly kind: "resource" | "table_item";
  /** The account, or the handle of the table. */
  readonly owner: string;
  readonly key: string;
}

export interface TracedCall {
  /** 0 for a call of the chain itself. */
  readonly depth: number;
  readonly function: string;
  readonly type_arguments: readonly string[];
  readonly arguments: readonly TracedValue[];
  /** With that of its own calls, in parts of a unit. */
  readonly gas_used: string;
  readonly reads: readonly TracedItem[];
  readonly writes: readonly TracedItem[];
  readonly events: readonly TracedValue[];
  readonly aborted: boolean;
  /** Entries of its lists that the bounds of an answer left out. */
  readonly omitted?: string;
}

/** The calls of a transaction, as `POST /v1/transactions/trace` and `GET …/by_version/{txn_version}/trace` answer. */
export interface TraceAnswer {
  readonly success: boolean;
  readonly vm_status: string;
  readonly gas_used: string;
  /** Parts of a unit of gas. */
  readonly gas_scaling: string;
  readonly fault?: {
    readonly status: string;
    readonly description: string;
    readonly location?: string;
    readonly function?: string;
    readonly code_offset?: number;
    readonly abort_code?: string;
    readonly reason_name?: string;
  };
  /** In the order in which they began. */
  readonly calls: readonly TracedCall[];
  /** Calls that the bounds of an answer left out. */
  readonly omitted_calls: string;
  /** Of a committed transaction. */
  readonly version?: string;
  readonly matches_ledger?: boolean;
}

export interface TraceCall {
  /**
   * All calls of a transaction, with arguments, gas, items, events and the place of a fault: of a committed one by its
   * version, or of one as `simulate` takes it, in JSON. There are none where the framework has no code.
   */
  trace(what: bigint | object | string): Promise<TraceAnswer>;
}

/** `POST /v1/transactions/trace` */
export const traceTransaction = operation({
  id: "trace_transaction",
  ...traceRoute,
  summary: "Trace a transaction",
  description: `Simulates a transaction on the head of the ledger, as \`simulate_transaction\` does, and answers with all its calls: arguments, gas, items that they read and wrote, events, and where a fault ended them. ${BOUNDS}`,
  switch: "simulate",
  maxInFlight: MAX_IN_FLIGHT,
  body: signedTransactionBody,
  answer: answerOf(TRACE_SCHEMA),
  errors: ["invalid_transaction", "refused_transaction", "unprintable"],
  async handle({ body }, context) {
    const { view, services, slices } = context;
    const trace = await createTrace();
    if (services.simulator === undefined) throw new Error("simulations are switched off");
    const estimates = { maxGasAmount: false, gasUnitPrice: undefined };
    const record = await services.simulator(body, view, estimates, slices, trace);
    const { version } = view.position;
    const { info } = readRecord(new BcsReader(record));
    return { data: await print(trace, context, version, info), version };
  },
  calls: (node: Asker): TraceCall => ({
    trace: async (what) => {
      if (typeof what !== "bigint") {
        const body = { bytes: toBody(what), isJson: true };
        return node.run(traceTransaction, { body }, {}, fromJson<TraceAnswer>);
      }
      const txn_version = parseField("version", transactionVersionField, `${what}`);
      return node.run(traceByVersion, { txn_version }, {}, fromJson<TraceAnswer>);
    },
  }),
});

/** `GET /v1/transactions/by_version/{txn_version}/trace` */
export const traceByVersion = operation({
  id: "trace_by_version",
  ...traceByVersionRoute,
  summary: "Trace a committed transaction",
  description: `Runs a committed transaction again on the state before it, which the node must keep, and answers with all its calls as \`trace_transaction\` does. \`matches_ledger\` says whether status, gas and changes were those of the ledger. ${BOUNDS}`,
  maxInFlight: MAX_IN_FLIGHT,
  params: { txn_version: transactionVersionField },
  answer: answerOf(REPLAY_SCHEMA),
  errors: ["unprintable", "transaction_not_found", "version_pruned"],
  async handle({ txn_version: version }, context) {
    const { view, services, slices } = context;
    assertCommitted(view, version);
    if (version === 0n) throw new HttpError("version_pruned", "there is no state before version 0");
    const [stored] = await view.getRecords(version, 1, 1);
    if (stored === undefined) throw new Error(`no record at version ${version} of the kept range`);
    const { info, changes, transaction: bytes } = readRecord(new BcsReader(stored.bytes));
    const block = await view.getBlockByVersion(version);
    const machine = await services.machine();
    const before = await machine.openTransactions(view, slices, "request", version - 1n);
    const tracer = await createTrace();
    const transaction = decodeWith(transactionCodec, bytes);
    const transactionIndex = Number(version - (block?.firstVersion ?? version));
    const usage = before.usageIn(changes);
    const options = { areSignaturesValid: true, transactionIndex, tracer, usage };
    const run = (isOwners: boolean): Promise<TransactionOutput> =>
      before.execute(transaction, { ...options, isOwners }).catch((error: unknown) => {
        if (!(error instanceof VmError)) throw error;
        // A limit of this node for one run, or a fault of the chain's own transaction.
        const message = `the transaction cannot be run again here: ${error.message}`;
        throw new HttpError("unprintable", message, { cause: error });
      });
    let output = await run(false);
    // A block has it, so the owner of the chain made it, who needs no signature and pays no gas.
    if (output.status === undefined) output = await run(true);
    const { status = { kind: "miscellaneous", statusCode: BigInt(output.discardCode ?? 0) } } = output;
    const gasUsed = BigInt(output.gasUsed);
    const matches =
      info.gasUsed === gasUsed &&
      equalBytes(encodeWith(executionStatusCodec, info.status), encodeWith(executionStatusCodec, status)) &&
      equalBytes(output.writeSet, changes);
    const data = await print(
      tracer,
      context,
      version,
      { status, gasUsed },
      { version: `${version}`, matches_ledger: matches },
    );
    return { data, version, timestampUsec: block?.timestampUsec };
  },
});
