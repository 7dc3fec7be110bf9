// Where the ledger stands.
import { BcsWriter } from "../../bcs/writer.ts";
import { ledgerInfoRoute } from "../../interface/routes.ts";
import { assertNotRefuted } from "../../ledger/trust.ts";
import type { LedgerPosition } from "../../ledger/view.ts";
import { operation } from "../operation.ts";
import { U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";

/** Variant of a full node in the BCS form. */
const FULL_NODE = 1;

function toJson(position: LedgerPosition): string {
  return JSON.stringify({
    chain_id: position.chainId,
    epoch: String(position.epoch),
    ledger_version: String(position.version),
    oldest_ledger_version: String(position.oldestVersion),
    ledger_timestamp: String(position.timestampUsec),
    node_role: "full_node",
    oldest_block_height: String(position.oldestBlockHeight),
    block_height: String(position.blockHeight),
    git_hash: null,
    encryption_key: null,
  });
}

/** 64-bit values are digit strings, as clients of this response expect. */
function toBcs(position: LedgerPosition): Uint8Array {
  return new BcsWriter()
    .u8(position.chainId)
    .text(String(position.epoch))
    .text(String(position.version))
    .text(String(position.oldestVersion))
    .text(String(position.timestampUsec))
    .uleb(FULL_NODE)
    .text(String(position.oldestBlockHeight))
    .text(String(position.blockHeight))
    .take();
}

/** `GET /v1` */
export const getLedgerInfo = operation({
  id: "get_ledger_info",
  ...ledgerInfoRoute,
  aliases: ["/v1/"],
  summary: "Ledger info",
  description: "The chain, the latest and the oldest version and block, and the ledger's time.",
  ledger: "required",
  switchable: true,
  params: {},
  query: {},
  answer: {
    json: {
      schema: named("LedgerInfo", {
        type: "object",
        required: [
          "chain_id",
          "epoch",
          "ledger_version",
          "oldest_ledger_version",
          "ledger_timestamp",
          "node_role",
          "oldest_block_height",
          "block_height",
        ],
        properties: {
          chain_id: { type: "integer", format: "int32" },
          epoch: U64_SCHEMA,
          ledger_version: U64_SCHEMA,
          oldest_ledger_version: U64_SCHEMA,
          ledger_timestamp: U64_SCHEMA,
          node_role: { type: "string", enum: ["validator", "full_node"] },
          oldest_block_height: U64_SCHEMA,
          block_height: U64_SCHEMA,
          git_hash: { type: "string", nullable: true },
          encryption_key: { type: "string", nullable: true },
        },
      }),
      description: "The position of the ledger; 64-bit values are strings.",
      encode: toJson,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "The same without the last two members, as a BCS struct with digit strings.",
      encode: toBcs,
    },
  },
  handle: (_, { view }) => {
    assertNotRefuted(view.position, view.position.version);
    return { data: view.position, version: undefined };
  },
});
