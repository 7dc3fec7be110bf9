// Where the reading commands read: a node by its URL, or a data directory in place.
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { toPrefixedHex } from "../base/hex.ts";
import { CURSOR } from "../interface/ledger-headers.ts";
import { JSON_TYPE, NDJSON_TYPE } from "../interface/media-types.ts";
import { API_ROOT, urlTo } from "../interface/route.ts";
import {
  balanceRoute,
  balancesRoute,
  detailRoute,
  encodeRoute,
  historyRoute,
  infoRoute,
  ledgerInfoRoute,
  rawItemRoute,
  rawItemsRoute,
} from "../interface/routes.ts";
import { createNode, type HistoryEnd, type ReadOptions } from "../node.ts";
import { textOption } from "./option.ts";

/** Which state a command asks about, as its options say. */
export interface ReadAtTexts {
  readonly "ledger-version"?: string | undefined;
  readonly at?: string | undefined;
}

export interface BalanceQueryText {
  readonly address: string;
  readonly asset_type: string;
}

export interface TableQueryText {
  readonly table_handle: string;
  readonly key: string;
}

/** Which changes a command asks for. */
export interface HistoryTexts {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly points?: number | undefined;
}

/** What the reading commands ask for; answers are JSON texts as the HTTP interface gives them. */
export interface Source {
  balance(address: string, asset: string, at: ReadAtTexts): Promise<string>;
  balances(queries: readonly BalanceQueryText[], at: ReadAtTexts): Promise<string>;
  detail(address: string, asset: string, at: ReadAtTexts): Promise<string>;
  /** One JSON object for each change. */
  history(address: string, asset: string, range: HistoryTexts): AsyncIterable<string>;
  rawItem(handle: string, key: string, at: ReadAtTexts): Promise<string>;
  rawItems(queries: readonly TableQueryText[], at: ReadAtTexts): Promise<string>;
  encode(request: Uint8Array): Promise<string>;
  info(): Promise<string>;
  ledger(): Promise<string>;
  close(): Promise<void>;
}

/** The node or directory answered, and the answer is no. */
export class SourceError extends CodedError<"source"> {
  constructor(message: string, cause?: unknown) {
    super("source", message, { cause });
  }
}

/** Options shared by the reading commands. */
export const sourceOptions = {
  url: textOption("Node to ask (default http://127.0.0.1:8080)", "URL", (text) =>
    URL.canParse(text) ? undefined : "a URL such as http://127.0.0.1:8080",
  ),
  data: textOption("Read this data directory in place instead of asking a node", "DIR"),
};

/** Options of the commands that read at one version. */
export const readAtOptions = {
  "ledger-version": textOption("Read at this version instead of the latest", "VERSION"),
  at: textOption(
    "Read at the last version whose block is not after this time: RFC 3339 or Unix seconds",
    "TIME",
  ),
};

/** For a whole answer of a node, unless it is streamed. */
const ANSWER_MS = 30_000;

function remoteSource(base: string): Source {
  let end = base.length;
  while (base[end - 1] === "/") end--;
  const root = base.slice(0, base.endsWith(API_ROOT, end) ? end - API_ROOT.length : end);
  const at = root + API_ROOT;
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(url, init);
    } catch (error) {
      throw new SourceError(`cannot reach ${root}: ${errorText(causeOf(error))}`, error);
    }
    if (!response.ok) throw new SourceError(refusal(response.status, await response.text()));
    return response;
  };
  const ask = async (url: string, body?: Uint8Array): Promise<string> => {
    const init: RequestInit =
      body === undefined
        ? { headers: { accept: JSON_TYPE } }
        : {
            method: "POST",
            headers: { accept: JSON_TYPE, "content-type": JSON_TYPE },
            body: Buffer.from(body),
          };
    const response = await send(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
    return response.text();
  };
  const askJson = (url: string, body: unknown): Promise<string> =>
    ask(url, new TextEncoder().encode(JSON.stringify(body)));
  const readAt = ({ "ledger-version": ledger_version, at: time }: ReadAtTexts) => ({
    ledger_version,
    at: time,
  });
  return {
    balance: (address, asset_type, when) =>
      ask(urlTo(at, balanceRoute, { address, asset_type, ...readAt(when) })),
    balances: (queries, when) => askJson(urlTo(at, balancesRoute, readAt(when)), { queries }),
    detail: (address, asset_type, when) =>
      ask(urlTo(at, detailRoute, { address, asset_type, ...readAt(when) })),
    history: async function* (address, asset_type, range) {
      for (let start: string | undefined, isFirst = true; isFirst || start !== undefined; isFirst = false) {
        const url = urlTo(at, historyRoute, { address, asset_type, ...range, start });
        // However long it takes: the node gives up a reader that is too slow, and says so by breaking off.
        const response = await send(url, { headers: { accept: NDJSON_TYPE } });
        yield* linesOf(response, root);
        start = cursorOf(response);
      }
    },
    rawItem: (table_handle, key, when) =>
      askJson(urlTo(at, rawItemRoute, { table_handle, ...readAt(when) }), { key }),
    rawItems: (queries, when) => askJson(urlTo(at, rawItemsRoute, readAt(when)), { queries }),
    encode: (request) => ask(urlTo(at, encodeRoute), request),
    info: () => ask(urlTo(at, infoRoute)),
    ledger: () => ask(urlTo(at, ledgerInfoRoute)),
    close: async () => {},
  };
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** Where the next page begins, under whatever brand the node has. */
function cursorOf({ headers }: Response): string | undefined {
  for (const [name, value] of headers) {
    if (name.startsWith("x-") && name.endsWith(`-${CURSOR.toLowerCase()}`)) return value;
  }
  return undefined;
}

/** The lines of an answer as they come. */
async function* linesOf({ body }: Response, root: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw new SourceError(`${root} broke off the answer: ${errorText(causeOf(error))}`, error);
  }
}

/** The node's own words for a refusal, with its status. */
function refusal(status: number, text: string): string {
  try {
    const { message, error_code } = JSON.parse(text) as { message?: unknown; error_code?: unknown };
    if (typeof message === "string") return `${message} (${status} ${String(error_code)})`;
  } catch {
    // Not the error body of such a node: shown as it is.
  }
  return `the node answered ${status}: ${text.slice(0, 200)}`;
}

const NO_ITEM = "the table has no item under this key";

function readOptions({ "ledger-version": version, at }: ReadAtTexts): ReadOptions {
  if (version !== undefined && !/^\d{1,20}$/.test(version))
    throw new ConfigError(`--ledger-version: expected a version number, got ${version}`);
  return {
    ...(version === undefined ? {} : { ledgerVersion: BigInt(version) }),
    ...(at === undefined ? {} : { at }),
  };
}

function historyEnd(option: string, text: string): HistoryEnd {
  if (/^\d{1,20}$/.test(text)) return BigInt(text);
  if (text.startsWith("@") || text.includes("-")) return text;
  throw new ConfigError(`${option}: expected a version, RFC 3339, or Unix seconds behind an @, got ${text}`);
}

/** An item's error, as a node answers it: either its own bytes are at fault, or the question. */
function errorOf(error: CodedError): { readonly message: string; readonly error_code: string } {
  return {
    message: error.message,
    error_code: error.code === "corrupt" ? "internal_error" : "web_framework_error",
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

async function localSource(data: string): Promise<Source> {
  const node = await createNode({ data, readOnly: true });
  return {
    balance: async (address, asset, when) => `${await node.balance(address, asset, readOptions(when))}`,
    balances: async (queries, when) => {
      const pairs = queries.map(({ address, asset_type: asset }) => ({ address, asset }));
      const { answers, ...read } = await node.balances(pairs, readOptions(when));
      return batchText(
        read,
        "balances",
        answers.map((one) => (typeof one === "bigint" ? { balance: `${one}` } : { error: errorOf(one) })),
      );
    },
    detail: async (address, asset, when) =>
      JSON.stringify(await node.balanceDetail(address, asset, readOptions(when))),
    history: async function* (address, asset, { from, to, points }) {
      const range = {
        ...(from === undefined ? {} : { from: historyEnd("--from", from) }),
        ...(to === undefined ? {} : { to: historyEnd("--to", to) }),
        ...(points === undefined ? {} : { points }),
      };
      for await (const change of node.balanceHistory(address, asset, range)) {
        yield JSON.stringify({
          version: `${change.version}`,
          timestamp_usec: `${change.timestampUsec}`,
          before: `${change.before}`,
          after: `${change.after}`,
          transaction_hash: toPrefixedHex(change.transactionHash),
        });
      }
    },
    rawItem: async (handle, key, when) => {
      const value = await node.rawItem(handle, key, readOptions(when));
      if (value === undefined) throw new SourceError(`${NO_ITEM} (table_item_not_found)`);
      return JSON.stringify(toPrefixedHex(value));
    },
    rawItems: async (queries, when) => {
      const items = queries.map(({ table_handle: handle, key }) => ({ handle, key }));
      const { answers, ...read } = await node.rawItems(items, readOptions(when));
      return batchText(
        read,
        "items",
        answers.map((one) => {
          if (one instanceof Uint8Array) return { value: toPrefixedHex(one) };
          return {
            error:
              one === undefined ? { message: NO_ITEM, error_code: "table_item_not_found" } : errorOf(one),
          };
        }),
      );
    },
    encode: async (request) => JSON.stringify(toPrefixedHex(await node.encodeSubmission(request))),
    info: async () => JSON.stringify(await node.info()),
    ledger: async () => JSON.stringify(await node.ledgerInfo()),
    close: () => node.close(),
  };
}

/** Opens the source that the options name. */
async function openSource(options: {
  readonly url: string | undefined;
  readonly data: string | undefined;
}): Promise<Source> {
  if (options.url !== undefined && options.data !== undefined) {
    throw new ConfigError("--url and --data exclude each other");
  }
  if (options.data !== undefined) return localSource(options.data);
  return remoteSource(options.url ?? "http://127.0.0.1:8080");
}

/** Runs one question against a source and closes it. */
export async function askSource<T>(
  options: { readonly url: string | undefined; readonly data: string | undefined },
  question: (source: Source) => Promise<T>,
): Promise<T> {
  const source = await openSource(options);
  try {
    return await question(source);
  } finally {
    await source.close();
  }
}

/** Checks the number of operands of a command. */
export function operandsOf<const N extends readonly string[]>(
  operands: readonly string[],
  names: N,
): { readonly [K in keyof N]: string } {
  if (operands.length < names.length) throw new ConfigError(`missing ${names[operands.length]}`);
  if (operands.length > names.length) throw new ConfigError(`unexpected ${operands[names.length]}`);
  return operands as { readonly [K in keyof N]: string };
}
