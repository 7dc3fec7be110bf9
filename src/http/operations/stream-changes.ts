// A balance, sent again whenever it changes, and the blocks, sent as they are committed.
import { toPrefixedHex } from "../../base/hex.ts";
import { balanceStreamRoute, blockStreamRoute } from "../../interface/routes.ts";
import { type BalanceEvent, watchedBalance } from "../../ledger/watch/watched-balance.ts";
import { type BlockEvent, watchedBlocks } from "../../ledger/watch/watched-blocks.ts";
import type { Asker } from "../calls/asker.ts";
import type { WatchOptions } from "../calls/options.ts";
import type { JsonSchema } from "../field.ts";
import { operation } from "../operation.ts";
import { addressField, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import {
  afterField,
  beginEvents,
  eventForm,
  streamRefusedQuery,
  TRUST_SCHEMA,
} from "../schemas/event-stream.ts";
import { AMOUNT_SCHEMA, U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";

const BALANCE_EVENT_SCHEMA: JsonSchema = named("BalanceEvent", {
  type: "object",
  required: ["version", "timestamp_usec", "balance", "trust"],
  properties: {
    version: { ...U64_SCHEMA, description: "The version of this balance." },
    timestamp_usec: { ...U64_SCHEMA, description: "Time of its block, in microseconds." },
    balance: AMOUNT_SCHEMA,
    before: { ...AMOUNT_SCHEMA, description: "In a change: the balance at the version before." },
    transaction_hash: { ...LONG_ADDRESS_SCHEMA, description: "In a change: the transaction." },
    trust: TRUST_SCHEMA,
  },
});

function balanceData({ version, timestampUsec, balance, before, transactionHash }: BalanceEvent): object {
  return {
    version: `${version}`,
    timestamp_usec: `${timestampUsec}`,
    balance: `${balance}`,
    ...(before === undefined ? {} : { before: `${before}` }),
    ...(transactionHash === undefined ? {} : { transaction_hash: toPrefixedHex(transactionHash) }),
  };
}

export interface WatchBalanceCall {
  /**
   * The balance now, and then every change of it. Ends with its signal, and rejects when the node closes. While the
   * caller is busy, nothing is kept for it: what it missed is read from the history.
   */
  watchBalance(address: string, asset: string, options?: WatchOptions): AsyncIterable<BalanceEvent>;
}

/** `GET /v1/accounts/{address}/balance/{asset_type}/stream` */
export const streamBalance = operation({
  id: "stream_balance",
  ...balanceStreamRoute,
  summary: "Changes of a balance as they happen",
  description:
    "Server-sent events: the balance now, then each change of it as soon as its version is committed. A client that connects again with `Last-Event-ID` gets what it missed. A client that reads too slowly is cut off and resumes in the same way. The stream has no end of its own.",
  switchable: false,
  sendsEvents: true,
  params: { address: addressField, asset_type: assetTypeField },
  query: { after: afterField },
  refusedQuery: streamRefusedQuery("after"),
  answer: { events: eventForm("balance", BALANCE_EVENT_SCHEMA, balanceData) },
  handle({ address: owner, asset_type: asset, after }, context) {
    return beginEvents(watchedBalance({ owner, asset }), context, after);
  },
  calls: (node: Asker): WatchBalanceCall => ({
    watchBalance: (address, asset, options = {}) =>
      node.watch(
        () => watchedBalance({ owner: node.args.address(address), asset: node.args.asset(asset) }),
        options,
      ),
  }),
});

const COLUMNS = ["height", "first_version", "last_version", "timestamp_usec", "epoch"] as const;

const BLOCK_EVENT_SCHEMA: JsonSchema = named("BlockEvent", {
  type: "object",
  required: [...COLUMNS, "trust"],
  properties: { ...Object.fromEntries(COLUMNS.map((name) => [name, U64_SCHEMA])), trust: TRUST_SCHEMA },
});

function blockData({ height, firstVersion, version, timestampUsec, epoch }: BlockEvent): object {
  const values = [height, firstVersion, version, timestampUsec, epoch];
  return Object.fromEntries(COLUMNS.map((name, i) => [name, `${values[i]}`]));
}

export interface WatchBlocksCall {
  /** The latest block, and then every block. */
  watchBlocks(options?: WatchOptions): AsyncIterable<BlockEvent>;
}

/** `GET /v1/blocks/stream` */
export const streamBlocks = operation({
  id: "stream_blocks",
  ...blockStreamRoute,
  summary: "Blocks as they are committed",
  description:
    "Server-sent events: the latest block, then each block as soon as it is committed, with its height, versions, time and epoch. The id of an event names the last version of its block. A client that connects again with `Last-Event-ID` gets the blocks that it missed.",
  switchable: false,
  sendsEvents: true,
  query: { after: afterField },
  refusedQuery: streamRefusedQuery("after"),
  answer: { events: eventForm("block", BLOCK_EVENT_SCHEMA, blockData) },
  handle: ({ after }, context) => beginEvents(watchedBlocks, context, after),
  calls: (node: Asker): WatchBlocksCall => ({
    watchBlocks: (options = {}) => node.watch(() => watchedBlocks, options),
  }),
});
