// The source of the reading commands: a node by its URL, or a data directory read in place. Both refuse the same
// mistakes with the same exit codes: 2 for bad usage, 75 for a source out of reach, 1 for a refusal or an unusable response.
import { CodedError, ConfigError, errorText, TryAgainError } from "../base/errors.ts";
import { fromHex, toPrefixedHex } from "../base/hex.ts";
import { CURSOR, TRUST } from "../interface/ledger-headers.ts";
import { EVENTS_TYPE, JSON_TYPE, NDJSON_TYPE } from "../interface/media-types.ts";
import { API_ROOT, type Route, type RouteValues, urlTo } from "../interface/route.ts";
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
} from "../interface/routes.ts";
import {
  answerText,
  type BalanceEvent,
  type BlockEvent,
  createNode,
  type HistoryEnd,
  MAX_WAIT_MS,
  type MinVersionOptions,
  type NodeInfo,
  parseOperand,
  proofToJson,
  type ReadOptions,
  refusalOf,
  wideJson,
} from "../node.ts";
import { followEvents } from "./event-stream.ts";
import { durationOption, type Exclusion, textOption } from "./option.ts";

/** The version or time to read at; the latest version if both are undefined. */
export interface ReadAtOperand {
  readonly version: bigint | undefined;
  readonly at: string | undefined;
}

/** Which rows of a table to read. */
export interface TableItemsOperand extends ReadAtOperand {
  readonly since: bigint | undefined;
}

export interface BalanceQueryText {
  readonly address: string;
  readonly asset_type: string;
}

export interface TableQueryText {
  readonly table_handle: string;
  readonly key: string;
}

/** What to prove. */
export type ProofQuery = BalanceQueryText | TableQueryText;

/** The changes to read. */
export interface HistoryTexts {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly points: number | undefined;
}

/** What to watch: a balance, or the blocks. */
export interface WatchQuery {
  readonly balance: BalanceQueryText | undefined;
  /** Begins with the changes after this version. */
  readonly after: bigint | undefined;
}

/** A change of a balance. */
export interface ChangeText {
  readonly version: string;
  readonly timestamp_usec: string;
  readonly before: string;
  readonly after: string;
  readonly transaction_hash: string;
}

/** A JSON text, and how far its node vouches for it, where it says so. */
export interface TrustedText {
  readonly text: string;
  readonly trust: string | undefined;
}

/** A route whose answers come in pages. */
type PagedRoute = Route<
  string,
  "start" | "limit" | "ledger_version" | "at" | "min_ledger_version" | "wait_ms"
>;

/** The operations as JSON texts, in the shapes of the HTTP interface. */
export interface Source {
  balance(address: string, asset: string, at: ReadAtOperand): Promise<string>;
  balances(queries: readonly BalanceQueryText[], at: ReadAtOperand): Promise<string>;
  detail(address: string, asset: string, at: ReadAtOperand): Promise<TrustedText>;
  /** One JSON object for each change. */
  history(address: string, asset: string, range: HistoryTexts): AsyncIterable<string>;
  /** One JSON object for each asset. */
  holdings(address: string, at: ReadAtOperand): AsyncIterable<string>;
  /** One JSON object for each row. */
  tableItems(handle: string, at: TableItemsOperand): AsyncIterable<string>;
  countTableItems(handle: string, at: TableItemsOperand): Promise<bigint>;
  /** One JSON object for each event; `note` gets what happens to the connection. */
  watch(query: WatchQuery, note: (text: string) => void): AsyncIterable<string>;
  rawItem(handle: string, key: string, at: ReadAtOperand): Promise<string>;
  rawItems(queries: readonly TableQueryText[], at: ReadAtOperand): Promise<string>;
  /** The JSON text of any other read. */
  read<R extends Route>(route: R, values: RouteValues<R>, body?: object): Promise<string>;
  /** One JSON object for each item of a list that comes in pages. */
  list<R extends PagedRoute>(route: R, values: RouteValues<R>): AsyncIterable<string>;
  /** A proof bundle. */
  proof(query: ProofQuery, at: ReadAtOperand, fromWaypoint: string | undefined): Promise<string>;
  encode(request: Uint8Array): Promise<string>;
  explain(request: Uint8Array): Promise<string>;
  info(): Promise<string>;
  ledger(): Promise<string>;
  close(): Promise<void>;
}

/** The source refused the request, or its response cannot be used. */
class SourceError extends CodedError<"source"> {
  constructor(message: string, cause?: unknown) {
    super("source", message, { cause });
  }
}

/** Options shared by the reading commands. */
export const sourceOptions = {
  url: textOption("Node to ask (default http://127.0.0.1:8080)", "URL"),
  data: textOption("Data directory to read directly, instead of asking a node", "DIR"),
};

export const sourceExclusions: readonly Exclusion<keyof typeof sourceOptions>[] = [
  { one: "url", others: ["data"] },
];

/** Options of every command that reads the ledger. */
export const minVersionOptions = {
  "min-ledger-version": textOption(
    "Wait until the node has this version, such as the version of your own write",
    "VERSION",
  ),
  wait: durationOption("Longest wait for --min-ledger-version", {
    fallback: 10_000,
    min: 0,
    max: MAX_WAIT_MS,
  }),
};

/** Where to ask, and the least version that the answer needs. */
export interface SourceValues {
  readonly url: string | undefined;
  readonly data: string | undefined;
  readonly "min-ledger-version"?: string | undefined;
  readonly wait?: number;
}

function minVersionOf({ "min-ledger-version": text, wait }: SourceValues): MinVersionOptions {
  if (text === undefined) return {};
  return { minLedgerVersion: parseOperand("version", "--min-ledger-version", text), waitMs: wait };
}

/** Options of commands that read at a version or time. */
export const readAtOptions = {
  "ledger-version": textOption("Read at this version instead of the latest", "VERSION"),
  at: textOption(
    "Read the state at this time: the last version whose block is not later; RFC 3339 (2026-01-31T12:00:00Z) or Unix seconds, with or without an @ in front",
    "TIMESTAMP",
  ),
};

export const readAtExclusions: readonly Exclusion<keyof typeof readAtOptions>[] = [
  { one: "ledger-version", others: ["at"] },
];

/** The version or time that the options name. Throws ConfigError. */
export function readAtOf(values: {
  readonly "ledger-version": string | undefined;
  readonly at: string | undefined;
}): ReadAtOperand {
  const { "ledger-version": version, at } = values;
  if (version !== undefined && at !== undefined) {
    throw new ConfigError("--ledger-version and --at exclude each other");
  }
  if (at !== undefined) parseOperand("time", "--at", at);
  return {
    version: version === undefined ? undefined : parseOperand("version", "--ledger-version", version),
    at,
  };
}

/** Node that the reading commands ask unless told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:8080";
const RESPONSE_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 64 << 20;
/** A u8 on chain. */
const MAX_DECIMALS = 255;
const U64_MAX = 0xffff_ffff_ffff_ffffn;
/** The last moment that a date can name, in microseconds. */
const MAX_TIME_USEC = 8_640_000_000_000_000_000n;

/** Base of a node's URL, without /v1 and slashes at the end. Throws ConfigError. */
function parseNodeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigError(
      `--url: expected an http or https URL such as ${DEFAULT_URL}, got ${JSON.stringify(text)}`,
    );
  }
  // Not repeated: messages end up in logs.
  if (url.username !== "" || url.password !== "") {
    throw new ConfigError("--url: expected a URL without a user and password");
  }
  if (/[?#]/.test(text)) {
    throw new ConfigError(`--url: expected a URL without a query or fragment, got ${JSON.stringify(text)}`);
  }
  const parts = url.pathname.split("/").filter((part) => part !== "");
  if (parts.at(-1) === "v1") parts.pop();
  return [url.origin, ...parts].join("/");
}

/** True for a response of the expected shape. */
type Shape = (text: string) => boolean;

const isU64 = (text: unknown): boolean =>
  typeof text === "string" && /^\d{1,20}$/.test(text) && BigInt(text) <= U64_MAX;

const isHexString: Shape = (text) => {
  const inner = text.startsWith('"0x') && text.endsWith('"') ? text.slice(3, -1) : undefined;
  return inner !== undefined && fromHex(inner) !== undefined;
};

function toObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const isJson: Shape = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const isObject: Shape = (text) => toObject(text) !== undefined;

const LEDGER_NUMBERS = [
  "ledger_version",
  "oldest_ledger_version",
  "block_height",
  "epoch",
  "ledger_timestamp",
];

const isLedger: Shape = (text) => {
  const ledger = toObject(text);
  return (
    typeof ledger?.chain_id === "number" &&
    LEDGER_NUMBERS.every((name) => isU64(ledger[name])) &&
    BigInt(ledger.ledger_timestamp as string) <= MAX_TIME_USEC
  );
};

const isDetail: Shape = (text) => {
  const detail = toObject(text);
  const isTextOrAbsent = (name: string): boolean => ["string", "undefined"].includes(typeof detail?.[name]);
  const { decimals = 0 } = detail ?? {};
  return (
    ["ledger_version", "timestamp_usec", "balance"].every((name) => isU64(detail?.[name])) &&
    ["name", "symbol"].every(isTextOrAbsent) &&
    Number.isInteger(decimals) &&
    (decimals as number) >= 0 &&
    (decimals as number) <= MAX_DECIMALS
  );
};

/** Rows of a page that is asked for. */
const PAGE_ROWS = "1000";

/** A page of a list, and the cursor of the next. */
interface PageText extends TrustedText {
  readonly cursor: string | undefined;
}

function toList(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isListOf(isItem: (item: Readonly<Record<string, unknown>>) => boolean): Shape {
  return (text) =>
    toList(text)?.every(
      (item) => typeof item === "object" && item !== null && isItem(item as Record<string, unknown>),
    ) ?? false;
}

function* listLines(text: string): Generator<string> {
  for (const item of toList(text) ?? []) yield JSON.stringify(item);
}

const isHolding = ({ asset_type, balance, symbol }: Readonly<Record<string, unknown>>): boolean =>
  typeof asset_type === "string" && isU64(balance) && (symbol === undefined || typeof symbol === "string");

const isRow = ({ key, value }: Readonly<Record<string, unknown>>): boolean =>
  isHexString(JSON.stringify(key) ?? "") && (value === null || isHexString(JSON.stringify(value) ?? ""));

const isChange: Shape = (text) => {
  const change = toObject(text);
  return (
    ["version", "timestamp_usec", "before", "after"].every((name) => isU64(change?.[name])) &&
    isHexString(JSON.stringify(change?.transaction_hash) ?? "")
  );
};

const isBalanceEvent: Shape = (text) => {
  const event = toObject(text);
  const hasBefore = event?.before !== undefined;
  return (
    ["version", "timestamp_usec", "balance"].every((name) => isU64(event?.[name])) &&
    (!hasBefore || isU64(event.before)) &&
    (!hasBefore || isHexString(JSON.stringify(event.transaction_hash) ?? ""))
  );
};

const BLOCK_NUMBERS = ["height", "first_version", "last_version", "timestamp_usec", "epoch"];

const isBlock: Shape = (text) => {
  const block = toObject(text);
  return BLOCK_NUMBERS.every((name) => isU64(block?.[name]));
};

function blockData({ height, firstVersion, version, timestampUsec, epoch }: BlockEvent): object {
  const values = [height, firstVersion, version, timestampUsec, epoch];
  return Object.fromEntries(BLOCK_NUMBERS.map((name, i) => [name, `${values[i]}`]));
}

function balanceData({ version, timestampUsec, balance, before, transactionHash }: BalanceEvent): object {
  return {
    version: `${version}`,
    timestamp_usec: `${timestampUsec}`,
    balance: `${balance}`,
    ...(before === undefined ? {} : { before: `${before}` }),
    ...(transactionHash === undefined ? {} : { transaction_hash: toPrefixedHex(transactionHash) }),
  };
}

/** Shape of the results of a batch: as many as there were queries, each a value or an error. */
function batchShape(member: string, count: number, isResult: (result: object) => boolean): Shape {
  return (text) => {
    const batch = toObject(text);
    const results = batch?.[member];
    if (!isU64(batch?.ledger_version) || !isU64(batch?.timestamp_usec)) return false;
    if (!Array.isArray(results) || results.length !== count) return false;
    return results.every((one: unknown) => {
      if (typeof one !== "object" || one === null) return false;
      if (!("error" in one)) return isResult(one);
      const { message, error_code: code } = (one.error ?? {}) as Readonly<Record<string, unknown>>;
      return typeof message === "string" && typeof code === "string";
    });
  };
}

/** Foreign text on one line. */
function oneLine(text: string): string {
  return text
    .slice(0, 1000)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the response has over ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** The value of one of the node's own headers, whatever its brand. */
function brandedValue({ headers }: Response, header: string): string | undefined {
  for (const [name, value] of headers) {
    if (name.startsWith("x-") && name.endsWith(`-${header.toLowerCase()}`)) return value;
  }
  return undefined;
}

/** The lines of a response as they arrive. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_RESPONSE_BYTES) throw new Error(`a line has over ${MAX_RESPONSE_BYTES} bytes`);
    yield* lines;
  }
  if (rest !== "") throw new Error("the last line has no end");
}

function remoteSource(root: string, { minLedgerVersion, waitMs }: MinVersionOptions): Source {
  const at = root + API_ROOT;
  const least = { min_ledger_version: minLedgerVersion, wait_ms: waitMs };
  const timeoutMs = RESPONSE_TIMEOUT_MS + (waitMs ?? 0);
  const unreachable = (error: unknown): TryAgainError =>
    new TryAgainError(`cannot reach ${root}: ${errorText(causeOf(error))}`, error);
  const unlikeNode = (got: string): SourceError =>
    new SourceError(`${root} does not respond as a node does: got ${JSON.stringify(got)}`);
  /** Throws if the response is a refusal or of another type. `text` is the body, if it was read. */
  const assertType = async (response: Response, type: string, text?: string): Promise<void> => {
    if (!response.ok) throw new SourceError(refusal(response.status, text ?? (await readText(response))));
    const got = response.headers.get("content-type") ?? "no content type";
    if (got.split(";")[0]?.trim().toLowerCase() !== type) throw unlikeNode(oneLine(got));
  };
  const askPage = async (url: string, shape: Shape, body?: Uint8Array): Promise<PageText> => {
    const init: RequestInit =
      body === undefined
        ? { headers: { accept: JSON_TYPE } }
        : {
            method: "POST",
            headers: { accept: JSON_TYPE, "content-type": JSON_TYPE },
            body: Buffer.from(body),
          };
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
      text = (await readText(response)).trim();
    } catch (error) {
      throw unreachable(error);
    }
    await assertType(response, JSON_TYPE, text);
    if (shape(text))
      return { text, trust: brandedValue(response, TRUST), cursor: brandedValue(response, CURSOR) };
    throw unlikeNode(oneLine(text).slice(0, 100));
  };
  const askTrusted = async (...question: Parameters<typeof askPage>): Promise<TrustedText> => {
    const { text, trust } = await askPage(...question);
    return { text, trust };
  };
  const ask = async (...question: Parameters<typeof askPage>): Promise<string> =>
    (await askPage(...question)).text;
  /** The pages of a list; each cursor names the version of the first page. */
  const pages = async function* (
    urlFrom: (start: string | undefined) => string,
    shape: Shape,
  ): AsyncGenerator<string> {
    for (let start: string | undefined, isFirst = true; isFirst || start !== undefined; isFirst = false) {
      const { text, cursor }: PageText = await askPage(urlFrom(start), shape);
      yield text;
      // A cursor that does not move would never end.
      if (cursor !== undefined && cursor === start) throw unlikeNode(cursor);
      start = cursor;
    }
  };
  const askJson = (url: string, shape: Shape, body: unknown): Promise<string> =>
    ask(url, shape, new TextEncoder().encode(JSON.stringify(body)));
  const readAt = ({ version, at: time }: ReadAtOperand) => ({
    ledger_version: version?.toString(),
    at: time,
    ...least,
  });
  const pageAt = (when: ReadAtOperand, start: string | undefined) =>
    start === undefined ? readAt(when) : { start };
  return {
    balance: (address, asset_type, when) =>
      ask(urlTo(at, balanceRoute, { address, asset_type, ...readAt(when) }), isU64),
    balances: (queries, when) =>
      askJson(
        urlTo(at, balancesRoute, readAt(when)),
        batchShape("balances", queries.length, (one) => "balance" in one && isU64(one.balance)),
        { queries },
      ),
    detail: (address, asset_type, when) =>
      askTrusted(urlTo(at, detailRoute, { address, asset_type, ...readAt(when) }), isDetail),
    history: async function* (address, asset_type, range) {
      for (let start: string | undefined, isFirst = true; isFirst || start !== undefined; isFirst = false) {
        const url = urlTo(at, historyRoute, { address, asset_type, ...range, start, ...least });
        let response: Response;
        try {
          // Without a time limit: a node closes the connection if its client reads too slowly.
          response = await fetch(url, { headers: { accept: NDJSON_TYPE } });
        } catch (error) {
          throw unreachable(error);
        }
        await assertType(response, NDJSON_TYPE);
        const lines = linesOf(response);
        for (;;) {
          const { value: line, done } = await lines.next().catch((error: unknown) => {
            throw new SourceError(`${root} broke off the response: ${errorText(causeOf(error))}`, error);
          });
          if (done === true) break;
          if (!isChange(line)) throw unlikeNode(oneLine(line).slice(0, 100));
          yield line;
        }
        start = brandedValue(response, CURSOR);
      }
    },
    holdings: async function* (address, when) {
      const urlFrom = (start: string | undefined): string =>
        urlTo(at, holdingsRoute, { address, limit: PAGE_ROWS, ...pageAt(when, start) });
      for await (const page of pages(urlFrom, isListOf(isHolding))) yield* listLines(page);
    },
    tableItems: async function* (table_handle, when) {
      const urlFrom = (start: string | undefined): string => {
        const since = when.since?.toString();
        return urlTo(at, tableItemsRoute, { table_handle, since, limit: PAGE_ROWS, ...pageAt(when, start) });
      };
      for await (const page of pages(urlFrom, isListOf(isRow))) yield* listLines(page);
    },
    countTableItems: async (table_handle, when) => {
      const urlFrom = (start: string | undefined): string => {
        const since = when.since?.toString();
        return urlTo(at, tableItemCountRoute, { table_handle, since, ...pageAt(when, start) });
      };
      let total = 0n;
      for await (const page of pages(urlFrom, (text) => isU64(toObject(text)?.count))) {
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
      const events = followEvents(
        {
          connect: async (id) => {
            const headers = { accept: EVENTS_TYPE, ...(id === undefined ? {} : { "last-event-id": id }) };
            try {
              return await fetch(url, { headers });
            } catch (error) {
              throw unreachable(error);
            }
          },
          assertStream: (response) => assertType(response, EVENTS_TYPE),
          linesOf,
          onLost: (reason) => note(`lost the connection, connecting again: ${reason}`),
        },
        after?.toString(),
      );
      for await (const { name, data } of events) {
        if (name === "gap") note(oneLine(`${toObject(data)?.message}`));
        else if (balance === undefined ? isBlock(data) : isBalanceEvent(data)) yield data;
        else throw unlikeNode(oneLine(data).slice(0, 100));
      }
    },
    rawItem: (table_handle, key, when) =>
      askJson(urlTo(at, rawItemRoute, { table_handle, ...readAt(when) }), isHexString, { key }),
    rawItems: (queries, when) =>
      askJson(
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
      if ("address" in query) return ask(urlTo(at, balanceProofRoute, { ...query, ...asked }), isObject);
      const { table_handle, key } = query;
      return askJson(urlTo(at, rawItemProofRoute, { table_handle, ...asked }), isObject, { key });
    },
    read: (route, values, body) => {
      const url = urlTo<Route>(at, route, { ...values, ...least });
      return body === undefined ? ask(url, isJson) : askJson(url, isJson, body);
    },
    list: async function* (route, values) {
      // Pages after the first name their version in the cursor.
      const urlFrom = (start: string | undefined): string =>
        urlTo<Route>(at, route, {
          ...values,
          ...(start === undefined ? least : { start, ledger_version: undefined, at: undefined }),
        });
      for await (const page of pages(
        urlFrom,
        isListOf(() => true),
      ))
        yield* listLines(page);
    },
    encode: (request) => ask(urlTo(at, encodeRoute, least), isHexString, request),
    explain: (request) => ask(urlTo(at, explainRoute, least), isObject, request),
    info: () => ask(urlTo(at, infoRoute), isObject),
    ledger: () => ask(urlTo(at, ledgerInfoRoute, least), isLedger),
    close: async () => {},
  };
}

/** The node's own words for a refusal, with its code. */
function refusal(status: number, text: string): string {
  const { message, error_code: code } = toObject(text) ?? {};
  if (typeof message === "string") return `${oneLine(message)} (${oneLine(String(code))})`;
  return `the node answered ${status}: ${oneLine(text).slice(0, 200)}`;
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

async function localSource(data: string, least: MinVersionOptions): Promise<Source> {
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
    watch: async function* ({ balance, after }) {
      // The answer is not needed, only that the ledger is there.
      await ask(() => node.ledgerInfo(least));
      const events: AsyncIterable<BalanceEvent | BlockEvent> =
        balance === undefined
          ? node.watchBlocks({ after })
          : node.watchBalance(balance.address, balance.asset_type, { after });
      yield* list(events, (event) =>
        JSON.stringify("height" in event ? blockData(event) : balanceData(event)),
      );
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

/** Opens the source that the options name. */
export async function openSource(options: SourceValues): Promise<Source> {
  const least = minVersionOf(options);
  if (options.url !== undefined && options.data !== undefined) {
    throw new ConfigError("--url and --data exclude each other");
  }
  if (options.data !== undefined) return localSource(options.data, least);
  return remoteSource(parseNodeUrl(options.url ?? DEFAULT_URL), least);
}

/** Runs one question on a source and closes it. */
export async function askSource<T>(
  options: SourceValues,
  question: (source: Source) => Promise<T>,
): Promise<T> {
  const source = await openSource(options);
  try {
    return await question(source);
  } finally {
    await source.close();
  }
}
