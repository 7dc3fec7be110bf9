// A node as a source: each operation as a request over HTTP.
import { API_ROOT, type Route, urlTo } from "../../interface/route.ts";
import {
  balanceProofRoute,
  balanceRoute,
  balanceStreamRoute,
  balancesRoute,
  blockStreamRoute,
  detailRoute,
  encodeRoute,
  explainRoute,
  historyRoute,
  holdingsRoute,
  infoRoute,
  ledgerInfoRoute,
  rawItemProofRoute,
  rawItemRoute,
  rawItemsRoute,
  tableItemCountRoute,
  tableItemsRoute,
} from "../../interface/routes.ts";
import type { MinVersionOptions } from "../../node.ts";
import { NodeClient, oneLine } from "./node-client.ts";
import {
  batchShape,
  isBalanceEvent,
  isBlock,
  isChange,
  isDetail,
  isHexString,
  isHolding,
  isJson,
  isLedger,
  isListOf,
  isObject,
  isRow,
  isU64,
  listLines,
  toObject,
} from "./response-shapes.ts";
import type { ReadAtOperand, Source } from "./source.ts";

/** Rows of a page that is asked for. */
const PAGE_ROWS = "1000";

export function httpSource(root: string, { minLedgerVersion, waitMs }: MinVersionOptions): Source {
  const at = root + API_ROOT;
  const least = { min_ledger_version: minLedgerVersion, wait_ms: waitMs };
  const client = new NodeClient(root, waitMs ?? 0);
  const readAt = ({ version, at: time }: ReadAtOperand) => ({
    ledger_version: version?.toString(),
    at: time,
    ...least,
  });
  const pageAt = (when: ReadAtOperand, start: string | undefined) =>
    start === undefined ? readAt(when) : { start };
  return {
    balance: (address, asset_type, when) =>
      client.ask(urlTo(at, balanceRoute, { address, asset_type, ...readAt(when) }), isU64),
    balances: (queries, when) =>
      client.askJson(
        urlTo(at, balancesRoute, readAt(when)),
        batchShape("balances", queries.length, (one) => "balance" in one && isU64(one.balance)),
        { queries },
      ),
    detail: (address, asset_type, when) =>
      client.askTrusted(urlTo(at, detailRoute, { address, asset_type, ...readAt(when) }), isDetail),
    history: (address, asset_type, range) =>
      client.lines(
        (start) => urlTo(at, historyRoute, { address, asset_type, ...range, start, ...least }),
        isChange,
      ),
    holdings: async function* (address, when) {
      const urlFrom = (start: string | undefined): string =>
        urlTo(at, holdingsRoute, { address, limit: PAGE_ROWS, ...pageAt(when, start) });
      for await (const page of client.pages(urlFrom, isListOf(isHolding))) yield* listLines(page);
    },
    tableItems: async function* (table_handle, when) {
      const urlFrom = (start: string | undefined): string => {
        const since = when.since?.toString();
        return urlTo(at, tableItemsRoute, { table_handle, since, limit: PAGE_ROWS, ...pageAt(when, start) });
      };
      for await (const page of client.pages(urlFrom, isListOf(isRow))) yield* listLines(page);
    },
    countTableItems: async (table_handle, when) => {
      const urlFrom = (start: string | undefined): string => {
        const since = when.since?.toString();
        return urlTo(at, tableItemCountRoute, { table_handle, since, ...pageAt(when, start) });
      };
      let total = 0n;
      for await (const page of client.pages(urlFrom, (text) => isU64(toObject(text)?.count))) {
        total += BigInt(toObject(page)?.count as string);
      }
      return total;
    },
    watch: async function* ({ balance, after }, note) {
      const query = { after, ...least };
      const url =
        balance === undefined
          ? urlTo(at, blockStreamRoute, query)
          : urlTo(at, balanceStreamRoute, { ...balance, ...query });
      for await (const { name, data } of client.events(url, after, note)) {
        if (name === "gap") note(oneLine(`${toObject(data)?.message}`));
        else if (balance === undefined ? isBlock(data) : isBalanceEvent(data)) yield data;
        else throw client.unlikeNode(data);
      }
    },
    rawItem: (table_handle, key, when) =>
      client.askJson(urlTo(at, rawItemRoute, { table_handle, ...readAt(when) }), isHexString, { key }),
    rawItems: (queries, when) =>
      client.askJson(
        urlTo(at, rawItemsRoute, readAt(when)),
        batchShape(
          "items",
          queries.length,
          (one) => "value" in one && isHexString(JSON.stringify(one.value)),
        ),
        { queries },
      ),
    proof: (query, when, from_waypoint) => {
      const asked = { ...readAt(when), from_waypoint };
      if ("address" in query)
        return client.ask(urlTo(at, balanceProofRoute, { ...query, ...asked }), isObject);
      const { table_handle, key } = query;
      return client.askJson(urlTo(at, rawItemProofRoute, { table_handle, ...asked }), isObject, { key });
    },
    read: (route, values, body) => {
      const url = urlTo<Route>(at, route, { ...values, ...least });
      return body === undefined ? client.ask(url, isJson) : client.askJson(url, isJson, body);
    },
    list: async function* (route, values) {
      // Pages after the first name their version in the cursor.
      const urlFrom = (start: string | undefined): string =>
        urlTo<Route>(at, route, {
          ...values,
          ...(start === undefined ? least : { start, ledger_version: undefined, at: undefined }),
        });
      for await (const page of client.pages(
        urlFrom,
        isListOf(() => true),
      ))
        yield* listLines(page);
    },
    encode: (request) => client.ask(urlTo(at, encodeRoute, least), isHexString, request),
    explain: (request) => client.ask(urlTo(at, explainRoute, least), isObject, request),
    info: () => client.ask(urlTo(at, infoRoute), isObject),
    ledger: () => client.ask(urlTo(at, ledgerInfoRoute, least), isLedger),
    close: async () => {},
  };
}
