// The blocks, sent as they are committed.

import { blockStreamRoute } from "../../interface/routes.ts";
import { type BlockEvent, watchedBlocks } from "../../ledger/watch/watched-blocks.ts";
import type { Asker } from "../calls/asker.ts";
import type { WatchOptions } from "../calls/options.ts";
import type { JsonSchema } from "../field.ts";
import { operation } from "../operation.ts";
import {
  afterField,
  beginEvents,
  eventForm,
  streamRefusedQuery,
  TRUST_SCHEMA,
} from "../schemas/event-stream.ts";
import { U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";

const COLUMNS = ["height", "first_version", "last_version", "timestamp_usec", "epoch"] as const;

const EVENT_SCHEMA: JsonSchema = named("BlockEvent", {
  type: "object",
  required: [...COLUMNS, "trust"],
  properties: { ...Object.fromEntries(COLUMNS.map((name) => [name, U64_SCHEMA])), trust: TRUST_SCHEMA },
});

function toData({ height, firstVersion, version, timestampUsec, epoch }: BlockEvent): object {
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
  ledger: "required",
  switchable: false,
  sendsEvents: true,
  params: {},
  query: { after: afterField },
  refusedQuery: streamRefusedQuery,
  answer: { events: eventForm("block", EVENT_SCHEMA, toData) },
  handle: ({ after }, context) => beginEvents(watchedBlocks, context, after),
  calls: (node: Asker): WatchBlocksCall => ({
    watchBlocks: (options = {}) => node.watch(() => watchedBlocks, options),
  }),
});
