// What a transaction's bytes do not say: its place in its block. Followed from the block, and held against the hash in the
// transaction's info.
import { equalBytes } from "../../base/bytes.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { API_ROOT } from "../../interface/route.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { readInfoBytes } from "../../ledger/formats/record.ts";
import {
  type AuxiliaryInfo,
  auxiliaryInfoCodec,
  auxiliaryInfoHash,
  transactionInfoCodec,
} from "../../ledger/formats/transaction-info.ts";
import type { Block, StoredRecord } from "../../ledger/view.ts";
import { HttpError } from "../errors.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { limitField, startField } from "../schemas/integer.ts";
import { list, named } from "../schemas/named.ts";
import { transactionCount } from "./transaction-pages.ts";

const MAX_BYTES = 16 << 20;

function infoOf({ version, bytes }: StoredRecord, block: Block | undefined): AuxiliaryInfo {
  const { auxiliaryInfoHash: hash } = decodeWith(transactionInfoCodec, readInfoBytes(bytes));
  if (hash === undefined || block === undefined) return { kind: "none" };
  const info: AuxiliaryInfo = { kind: "v1", transactionIndex: Number(version - block.firstVersion) };
  if (equalBytes(auxiliaryInfoHash(info) ?? hash, hash)) return info;
  throw new LedgerError("corrupt", `version ${version} has the auxiliary info of another place in its block`);
}

/** `GET /v1/transactions/auxiliary_info` */
export const getAuxiliaryInfo = operation({
  id: "get_transactions_auxiliary_info",
  method: "GET",
  path: `${API_ROOT}/transactions/auxiliary_info`,
  summary: "Places of transactions in their blocks",
  description:
    "The place of each transaction of a range of versions in its block, where the transaction's info commits to it. A page may hold fewer than asked for.",
  query: { start_version: startField, limit: limitField },
  answer: encodedAnswer(
    {
      schema: list(
        named("PersistedAuxiliaryInfo", {
          type: "object",
          properties: { transaction_index: { type: "integer", format: "int64", minimum: 0 } },
        }),
      ),
      description: "One object a version, empty where the transaction's info commits to no place.",
    },
    "A BCS vector of PersistedAuxiliaryInfo.",
  ),
  errors: ["invalid_page", "version_pruned"],
  async handle({ start_version: start, limit }, { view, form }) {
    const { version: head, oldestVersion } = view.position;
    const count = transactionCount(limit);
    // As for transactions, the last ones unless asked.
    const last = head - BigInt(count) + 1n;
    const isPruned = last < oldestVersion;
    const first = start ?? (isPruned ? oldestVersion : last);
    if (first > head) {
      throw new HttpError(
        "invalid_page",
        `start_version: expected at most the latest version ${head}, got ${first}`,
      );
    }
    const infos: AuxiliaryInfo[] = [];
    let block: Block | undefined;
    for (const record of await view.getRecords(first, count, MAX_BYTES)) {
      if (block === undefined || record.version > block.lastVersion)
        block = await view.getBlockByVersion(record.version);
      infos.push(infoOf(record, block));
    }
    if (form === "bcs") {
      const writer = new BcsWriter(64).uleb(infos.length);
      for (const info of infos) writer.fixed(encodeWith(auxiliaryInfoCodec, info));
      return { data: writer.take(), version: undefined };
    }
    const data = JSON.stringify(
      infos.map((info) => (info.kind === "v1" ? { transaction_index: info.transactionIndex } : {})),
    );
    return { data, version: undefined };
  },
});
