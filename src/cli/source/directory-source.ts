// A data directory as a source: each operation as a call of a read-only node in this process.
import type { CodedError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import {
  answerText,
  type BalanceEvent,
  type BlockEvent,
  createNode,
  formatTrust,
  type HistoryEnd,
  type MinVersionOptions,
  type NodeInfo,
  parseOperand,
  proofToJson,
  type ReadOptions,
  refusalOf,
  wideJson,
} from "../../node.ts";
import { BLOCK_NUMBERS, listLines } from "./response-shapes.ts";
import { type ReadAtOperand, type Source, SourceError } from "./source.ts";

function blockData({ height, firstVersion, version, timestampUsec, epoch, trust }: BlockEvent): object {
  const values = [height, firstVersion, version, timestampUsec, epoch];
  const numbers = BLOCK_NUMBERS.map((name, i) => [name, `${values[i]}`]);
  return { ...Object.fromEntries(numbers), trust: formatTrust(trust) };
}

function balanceData(event: BalanceEvent): object {
  const { version, timestampUsec, balance, before, transactionHash, trust } = event;
  return {
    version: `${version}`,
    timestamp_usec: `${timestampUsec}`,
    balance: `${balance}`,
    ...(before === undefined ? {} : { before: `${before}` }),
    ...(transactionHash === undefined ? {} : { transaction_hash: toPrefixedHex(transactionHash) }),
    trust: formatTrust(trust),
  };
}

const ABSENT_ITEM_CODE = "table_item_not_found";

function historyEnd(name: "from" | "to", text: string | undefined): HistoryEnd | undefined {
  if (text === undefined) return undefined;
  const end = parseOperand(name, `--${name}`, text);
  return "version" in end ? end.version : text;
}

/** An item's error, as a node answers it: either its own bytes are at fault, or the question. */
function errorOf(error: CodedError): { readonly message: string; readonly error_code: string } {
  return {
    message: error.message,
    error_code:
      error.code === "corrupt" || error.code === "damaged" ? "internal_error" : "web_framework_error",
  };
}

function batchText(
  { ledgerVersion, timestampUsec }: { readonly ledgerVersion: bigint; readonly timestampUsec: bigint },
  name: string,
  results: readonly object[],
): string {
  return JSON.stringify({
    ledger_version: `${ledgerVersion}`,
    timestamp_usec: `${timestampUsec}`,
    [name]: results,
  });
}

/** The level of a version by a node's info, which has the latest ranges only; undefined for a version before them. */
function levelAt({ trust_ranges: ranges = [] }: NodeInfo, version: bigint): string | undefined {
  return ranges.findLast(({ first_version: first }) => first <= version)?.level;
}

export async function directorySource(data: string, least: MinVersionOptions): Promise<Source> {
  const node = await createNode({ data, readOnly: true });
  /** Refuses with the messages of the HTTP interface. */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await question();
    } catch (error) {
      const text = refusalOf(error);
      throw text === undefined ? error : new SourceError(text, error);
    }
  };
  const list = async function* <T>(items: AsyncIterable<T>, toLine: (item: T) => string) {
    const iterator = items[Symbol.asyncIterator]();
    for (;;) {
      const next = await ask(() => iterator.next());
      if (next.done === true) return;
      yield toLine(next.value);
    }
  };
  const readOptions = ({ version, at }: ReadAtOperand): ReadOptions => ({
    ledgerVersion: version,
    at,
    ...least,
  });
  return {
    balance: (address, asset, when) =>
      ask(async () => `${await node.balance(address, asset, readOptions(when))}`),
    balances: (queries, when) =>
      ask(async () => {
        const pairs = queries.map(({ address, asset_type: asset }) => ({ address, asset }));
        const { answers, ...read } = await node.balances(pairs, readOptions(when));
        return batchText(
          read,
          "balances",
          answers.map((one) => (typeof one === "bigint" ? { balance: `${one}` } : { error: errorOf(one) })),
        );
      }),
    detail: (address, asset, when) =>
      ask(async () => {
        const detail = await node.balanceDetail(address, asset, readOptions(when));
        return {
          text: JSON.stringify(detail),
          trust: levelAt(await node.info(), BigInt(detail.ledger_version)),
        };
      }),
    history: async function* (address, asset, { from, to, points }) {
      const range = { from: historyEnd("from", from), to: historyEnd("to", to), points, ...least };
      yield* list(node.balanceHistory(address, asset, range), (change) =>
        JSON.stringify({
          version: `${change.version}`,
          timestamp_usec: `${change.timestampUsec}`,
          before: `${change.before}`,
          after: `${change.after}`,
          transaction_hash: toPrefixedHex(change.transactionHash),
        }),
      );
    },
    holdings: (address, when) => list(node.holdings(address, readOptions(when)), JSON.stringify),
    read: (route, values, body) =>
      ask(async () => {
        const bytes = body && new TextEncoder().encode(JSON.stringify(body));
        return (await answerText(node, route, values, least, bytes)).text;
      }),
    list: async function* (route, values) {
      for (let start: string | undefined, isFirst = true; isFirst || start !== undefined; isFirst = false) {
        const asked: object = isFirst
          ? values
          : { ...values, start, ledger_version: undefined, at: undefined };
        const page: { readonly text: string; readonly cursor: string | undefined } = await ask(() =>
          answerText(node, route, asked as typeof values, least),
        );
        yield* listLines(page.text);
        start = page.cursor;
      }
    },
    tableItems: (handle, when) =>
      list(node.tableItems(handle, { ...readOptions(when), since: when.since }), ({ key, value }) =>
        JSON.stringify({ key: toPrefixedHex(key), value: value === undefined ? null : toPrefixedHex(value) }),
      ),
    countTableItems: (handle, when) =>
      ask(() => node.countTableItems(handle, { ...readOptions(when), since: when.since })),
    watch: async function* ({ balance, after }, note) {
      // The answer is not needed, only that the ledger is there.
      await ask(() => node.ledgerInfo(least));
      const events: AsyncIterable<BalanceEvent | BlockEvent> =
        balance === undefined
          ? node.watchBlocks({ after })
          : node.watchBalance(balance.address, balance.asset_type, { after });
      yield* list(events, (event) => {
        if (after !== undefined && event.version <= after)
          note(
            `version ${after} is above the latest of this ledger, ${event.version}; changes may be missing`,
          );
        return JSON.stringify("height" in event ? blockData(event) : balanceData(event));
      });
    },
    rawItem: (handle, key, when) =>
      ask(async () => {
        const value = await node.rawItem(handle, key, readOptions(when));
        if (value === undefined)
          throw new SourceError(`${absentItem(handle, key, when.version)} (${ABSENT_ITEM_CODE})`);
        return JSON.stringify(toPrefixedHex(value));
      }),
    rawItems: (queries, when) =>
      ask(async () => {
        const items = queries.map(({ table_handle: handle, key }) => ({ handle, key }));
        const { answers, ...read } = await node.rawItems(items, readOptions(when));
        return batchText(
          read,
          "items",
          items.map(({ handle, key }, i) => {
            const one = answers[i];
            if (one instanceof Uint8Array) return { value: toPrefixedHex(one) };
            if (one !== undefined) return { error: errorOf(one) };
            const message = absentItem(handle, key, read.ledgerVersion);
            return { error: { message, error_code: ABSENT_ITEM_CODE } };
          }),
        );
      }),
    proof: (query, when, fromWaypoint) =>
      ask(async () => {
        const options = { ...readOptions(when), fromWaypoint };
        return proofToJson(
          "address" in query
            ? await node.proveBalance(query.address, query.asset_type, options)
            : await node.proveRawItem(query.table_handle, query.key, options),
        );
      }),
    encode: (request) =>
      ask(async () => JSON.stringify(toPrefixedHex(await node.encodeSubmission(request, least)))),
    explain: (request) => ask(async () => JSON.stringify(await node.explainSubmission(request, least))),
    info: () => ask(async () => wideJson(await node.info())),
    ledger: () => ask(async () => wideJson(await node.ledgerInfo(least))),
    close: () => node.close(),
  };
}

function absentItem(handle: string, key: string, version: bigint | undefined): string {
  const [table, bytes] = [parseOperand("table", "TABLE_HANDLE", handle), parseOperand("key", "KEY", key)];
  const at = version === undefined ? "" : ` at ledger version ${version}`;
  return `no item under table handle ${toPrefixedHex(table)} and key "${toPrefixedHex(bytes)}"${at}`;
}
