// A block by its height.
import { blockByHeightRoute } from "../../interface/routes.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { blockHeightField } from "../schemas/integer.ts";
import { blockAnswer, blockOperation } from "./shared/block-text.ts";

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
});
