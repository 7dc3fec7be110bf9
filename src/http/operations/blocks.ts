// A block as clients see it. With its transactions it may be large, so it is read and sent in pieces, each from a view of
// its own that has the same history.

import { ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { nextTurn } from "../../base/wait.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { blockByHeightRoute, blockByVersionRoute } from "../../interface/routes.ts";
import type { OpenView } from "../../ledger/balances/balance-history.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { findNewBlock } from "../../ledger/formats/block-event.ts";
import { readRecordHead } from "../../ledger/formats/record.ts";
import { type Block, type LedgerView, type StoredRecord, withView } from "../../ledger/view.ts";
import { historyOpener } from "../../ledger/watch/event-id.ts";
import { type Asker, fromJson, orNone } from "../calls/asker.ts";
import { fieldOf } from "../calls/operands.ts";
import { knownOptions, type OptionNames } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import type { JsonSchema } from "../field.ts";
import { type Answer, type Context, encodedAnswer, operation, type StreamedAnswer } from "../operation.ts";
import { AnswerText, joinChunks } from "../printing/answer-text.ts";
import { RecordsPrinter } from "../printing/records-text.ts";
import { LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { withTransactionsField } from "../schemas/flag.ts";
import { blockHeightField, ledgerVersionField, U64_SCHEMA } from "../schemas/integer.ts";
import { named, object } from "../schemas/named.ts";
import { COMMITTED_SCHEMA } from "../schemas/transaction.ts";
import { type TransactionAnswer, toTransaction } from "./transaction-pages.ts";

/** Most transactions of a block in an answer, as in the reference. */
const MAX_TRANSACTIONS = 10_000;
/** Records that are read at once, and their bytes; one record may exceed that. */
const RUN = 100;
const RUN_BYTES = 256 << 10;
/** Most bytes of an answer in BCS, which is not sent in pieces. */
const MAX_BCS_BYTES = 64 << 20;

/** The block's id, which the event at its start tells. */
async function blockHash(view: LedgerView, block: Block): Promise<Uint8Array> {
  const [record] = await view.getRecords(block.firstVersion, 1, 1);
  const events = record === undefined ? [] : readRecordHead(record.bytes).events;
  for (const event of events) {
    const started = findNewBlock(event);
    if (started !== undefined) return started.hash;
  }
  throw new LedgerError(
    "corrupt",
    `block ${block.height}: no event at version ${block.firstVersion} starts it`,
  );
}

/** How many of a block's transactions an answer has. */
function countOf({ firstVersion, lastVersion }: Block): number {
  return Math.min(Number(lastVersion - firstVersion) + 1, MAX_TRANSACTIONS);
}

/** The next records of a block; at least one. */
async function readRun(view: LedgerView, next: bigint, left: number): Promise<readonly StoredRecord[]> {
  const records = await view.getRecords(next, Math.min(RUN, left), RUN_BYTES);
  if (records.length === 0) throw new LedgerError("corrupt", `no record at version ${next}`);
  return records;
}

/**
 * What a use of all records of a block gives, run by run. Each run has a view of its own, which is released before the
 * result is taken: a slow client holds none.
 */
async function* mapRuns<T>(
  openView: OpenView,
  block: Block,
  use: (view: LedgerView, records: readonly StoredRecord[]) => Promise<T>,
): AsyncGenerator<T> {
  let next = block.firstVersion;
  for (let left = countOf(block); left > 0; ) {
    yield await withView(openView(), async (view) => {
      const records = await readRun(view, next, left);
      next += BigInt(records.length);
      left -= records.length;
      return use(view, records);
    });
    await nextTurn();
  }
}

/** A block in BCS, with its transactions if views for them are given. */
async function blockBytes(
  block: Block,
  hash: Uint8Array,
  openView: OpenView | undefined,
): Promise<Uint8Array> {
  const writer = new BcsWriter(256).u64(block.height).fixed(hash).u64(block.timestampUsec);
  writer
    .u64(block.firstVersion)
    .u64(block.lastVersion)
    .bool(openView !== undefined);
  if (openView === undefined) return writer.take();
  const chunks = [writer.uleb(countOf(block)).take()];
  let bytes = 0;
  const runs = mapRuns(openView, block, async (_, records) => {
    for (const record of records) {
      bytes += record.bytes.length;
      if (bytes > MAX_BCS_BYTES) {
        throw new HttpError(
          "answer_too_large",
          `the transactions of block ${block.height} have over ${MAX_BCS_BYTES} bytes: read them in pages, with start=${block.firstVersion}`,
        );
      }
      // Copy: the view's bytes are invalid after release.
      chunks.push(Uint8Array.from(record.bytes));
    }
  });
  for await (const _ of runs);
  return joinChunks(chunks);
}

/** A block in the form that is asked for. One of many transactions is sent in pieces. */
export async function blockAnswer(
  { view, ledger, services, form, slices }: Context<"required">,
  block: Block,
  withTransactions: boolean,
): Promise<Answer<string | Uint8Array> | StreamedAnswer> {
  const hash = await blockHash(view, block);
  const about = { version: block.lastVersion, timestampUsec: block.timestampUsec };
  const opener = (): Promise<OpenView> => historyOpener(ledger, view, block.lastVersion);
  if (form === "bcs") {
    const data = await blockBytes(block, hash, withTransactions ? await opener() : undefined);
    return { data, ...about };
  }
  const members = [
    `"block_height":"${block.height}"`,
    `"block_hash":"${toPrefixedHex(hash)}"`,
    `"block_timestamp":"${block.timestampUsec}"`,
    `"first_version":"${block.firstVersion}"`,
    `"last_version":"${block.lastVersion}"`,
  ].join(",");
  if (!withTransactions) return { data: `{${members},"transactions":null}`, ...about };
  const opening = `{${members},"transactions":[`;
  const records = await readRun(view, block.firstVersion, countOf(block));
  if (records.length === countOf(block)) {
    const out = new AnswerText()
      .add(opening)
      .append(await new RecordsPrinter(services.types, view, slices).printAll(records));
    return { data: await out.add("]}").finish(), ...about };
  }
  // Not in the slices of the request: a long answer counts as one while it is made, not while its client reads.
  const runs = mapRuns(await opener(), block, (of, some) =>
    new RecordsPrinter(services.types, of).printAll(some),
  );
  // Read at once, so that what is wrong with it still has its status.
  const first = await runs.next();
  const pieces = async function* (): AsyncGenerator<string | Uint8Array> {
    const start = new AnswerText().add(opening);
    yield (first.done === true ? start : start.append(first.value)).finish();
    for await (const run of runs) yield new AnswerText().add(",").append(run).finish();
    yield "]}";
  };
  return { stream: pieces(), ...about };
}

/** Schema of a block. */
const BLOCK_SCHEMA: JsonSchema = named(
  "Block",
  object({
    block_height: U64_SCHEMA,
    block_hash: LONG_ADDRESS_SCHEMA,
    block_timestamp: { ...U64_SCHEMA, description: "Time of the block, in microseconds." },
    first_version: U64_SCHEMA,
    last_version: U64_SCHEMA,
    transactions: {
      type: "array",
      nullable: true,
      items: COMMITTED_SCHEMA,
      description: `The first ${MAX_TRANSACTIONS} transactions, where they are asked for.`,
    },
  }),
);

/** What the two operations that answer with a block have in common. */
const blockOperation = {
  maxInFlight: 16,
  query: { with_transactions: withTransactionsField },
  answer: encodedAnswer(
    { schema: BLOCK_SCHEMA, description: "The block." },
    "Height, hash, time, first and last version, and an optional vector of records as in `GET /v1/transactions`.",
  ),
} as const;

/** Which block, by one of two, and whether its transactions are wanted. */
export interface BlockQuery {
  readonly height?: bigint | undefined;
  readonly version?: bigint | undefined;
  readonly withTransactions?: boolean | undefined;
}

const QUERY_NAMES: OptionNames<BlockQuery> = { height: true, version: true, withTransactions: true };

/** A block. */
export interface BlockAnswer {
  readonly height: bigint;
  /** Hex. */
  readonly hash: string;
  readonly timestampUsec: bigint;
  readonly firstVersion: bigint;
  readonly lastVersion: bigint;
  /** Undefined unless they were asked for; the first 10,000. */
  readonly transactions: readonly TransactionAnswer[] | undefined;
}

export interface BlockCall {
  /** A block by its height or by a version in it; undefined if there is none yet. */
  block(query: BlockQuery): Promise<BlockAnswer | undefined>;
}

function toBlock(text: string | Uint8Array): BlockAnswer {
  const { transactions, ...block } = fromJson<
    Readonly<Record<string, string>> & {
      readonly transactions: readonly TransactionAnswer["transaction"][] | null;
    }
  >(text);
  return {
    height: BigInt(block.block_height ?? ""),
    hash: block.block_hash ?? "",
    timestampUsec: BigInt(block.block_timestamp ?? ""),
    firstVersion: BigInt(block.first_version ?? ""),
    lastVersion: BigInt(block.last_version ?? ""),
    transactions: transactions?.map(toTransaction),
  };
}

/** `GET /v1/blocks/by_height/{block_height}` */
export const getBlockByHeight = operation({
  ...blockOperation,
  id: "get_block_by_height",
  ...blockByHeightRoute,
  summary: "Block by height",
  description:
    "One block: its hash, time and versions, and its transactions if they are asked for, at most the first 10,000. A block of many transactions comes in pieces; one that fails midway lacks HTTP's final chunk.",
  params: { block_height: blockHeightField },
  errors: ["unprintable", "answer_too_large", "block_not_found", "block_pruned"],
  async handle({ block_height: height, with_transactions: withTransactions = false }, context) {
    const { blockHeight, oldestBlockHeight, fork } = context.view.position;
    // A fork asks its network for older blocks.
    if (height < oldestBlockHeight && fork === undefined) {
      throw new HttpError("block_pruned", `block ${height} is pruned: the oldest is ${oldestBlockHeight}`);
    }
    const block = height > blockHeight ? undefined : await context.view.getBlockByHeight(height);
    if (block === undefined) {
      throw new HttpError("block_not_found", `no block of height ${height}: the latest is ${blockHeight}`);
    }
    return blockAnswer(context, block, withTransactions);
  },
  calls: (node: Asker): BlockCall => ({
    block: async (query) => {
      const known = knownOptions(QUERY_NAMES, query, "query");
      const block_height = fieldOf("height", blockHeightField, known.height);
      const version = fieldOf("version", ledgerVersionField, known.version);
      const with_transactions = fieldOf("withTransactions", withTransactionsField, known.withTransactions);
      if ((block_height === undefined) === (version === undefined)) {
        throw new ConfigError("height, version: expected one of them");
      }
      return version === undefined
        ? orNone(
            "block_not_found",
            node.run(getBlockByHeight, { block_height: block_height ?? 0n, with_transactions }, {}, toBlock),
          )
        : orNone(
            "version_not_found",
            node.run(getBlockByVersion, { version, with_transactions }, {}, toBlock),
          );
    },
  }),
});

/** `GET /v1/blocks/by_version/{version}` */
export const getBlockByVersion = operation({
  ...blockOperation,
  id: "get_block_by_version",
  ...blockByVersionRoute,
  summary: "Block of a version",
  description: "The block that a version is in, as by its height.",
  params: { version: { ...ledgerVersionField, description: "A version in the block." } },
  errors: ["unprintable", "answer_too_large", "version_not_found", "version_pruned"],
  async handle({ version, with_transactions: withTransactions = false }, context) {
    // A read of nothing checks the version.
    await context.view.getItems([], version);
    const block = await context.view.getBlockByVersion(version);
    if (block === undefined) throw new LedgerError("corrupt", `no block has version ${version}`);
    return blockAnswer(context, block, withTransactions);
  },
});
