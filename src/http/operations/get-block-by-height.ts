// A block by its height.
import { ConfigError } from "../../base/errors.ts";
import { blockByHeightRoute } from "../../interface/routes.ts";
import { type Asker, fromJson, orNone } from "../calls/asker.ts";
import { fieldOf } from "../calls/operands.ts";
import { knownOptions, type OptionNames } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { withTransactionsField } from "../schemas/flag.ts";
import { blockHeightField, ledgerVersionField } from "../schemas/integer.ts";
import { getBlockByVersion } from "./get-block-by-version.ts";
import { blockAnswer, blockOperation } from "./shared/block-text.ts";
import { type TransactionAnswer, toTransaction } from "./shared/transaction-page.ts";

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
