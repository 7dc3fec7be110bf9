// The block of a version.
import { blockByVersionRoute } from "../../interface/routes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { operation } from "../operation.ts";
import { ledgerVersionField } from "../schemas/integer.ts";
import { blockAnswer, blockOperation } from "./shared/block-text.ts";

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
