// The source of the reading commands: a node by its URL, or a data directory read in place. Both refuse the same
// mistakes with the same exit codes: 2 for bad usage or an unreachable source, 1 for a refusal or an unusable response.
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { fromHex, toPrefixedHex } from "../base/hex.ts";
import { JSON_TYPE } from "../interface/media-types.ts";
import { API_ROOT, urlTo } from "../interface/route.ts";
import {
  balanceRoute,
  encodeRoute,
  explainRoute,
  infoRoute,
  ledgerInfoRoute,
  rawItemRoute,
} from "../interface/routes.ts";
import { createNode, parseOperand, refusalOf } from "../node.ts";
import { type Exclusion, textOption } from "./option.ts";

/** The operations as JSON texts, in the shapes of the HTTP interface. */
export interface Source {
  balance(address: string, asset: string, version: bigint | undefined): Promise<string>;
  rawItem(handle: string, key: string, version: bigint | undefined): Promise<string>;
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
  data: textOption("Data directory to read in place, instead of asking a node", "DIR"),
};

export const sourceExclusions: readonly Exclusion<keyof typeof sourceOptions>[] = [
  { one: "url", others: ["data"] },
];

/** Option of commands that read at a version. */
export const versionOption = {
  "ledger-version": textOption("Read at this version instead of the latest", "VERSION"),
};

/** The version that the option names. Throws ConfigError. */
export function versionOf(values: { readonly "ledger-version": string | undefined }): bigint | undefined {
  const text = values["ledger-version"];
  return text === undefined ? undefined : parseOperand("version", "--ledger-version", text);
}

const DEFAULT_URL = "http://127.0.0.1:8080";
const RESPONSE_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 64 << 20;
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

function remoteSource(root: string): Source {
  const at = root + API_ROOT;
  const ask = async (url: string, shape: Shape, body?: Uint8Array): Promise<string> => {
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
      response = await fetch(url, { ...init, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
      text = (await readText(response)).trim();
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new ConfigError(`cannot reach ${root}: ${errorText(cause)}`, error);
    }
    if (!response.ok) throw new SourceError(refusal(response.status, text));
    const type = response.headers.get("content-type") ?? "no content type";
    const isJson = /^application\/json *(?:;|$)/i.test(type);
    if (isJson && shape(text)) return text;
    const got = isJson ? oneLine(text).slice(0, 100) : oneLine(type);
    throw new SourceError(`${root} does not respond as a node does: got ${JSON.stringify(got)}`);
  };
  return {
    balance: (address, asset_type, version) =>
      ask(urlTo(at, balanceRoute, { address, asset_type, ledger_version: version?.toString() }), isU64),
    rawItem: (table_handle, key, version) =>
      ask(
        urlTo(at, rawItemRoute, { table_handle, ledger_version: version?.toString() }),
        isHexString,
        new TextEncoder().encode(JSON.stringify({ key })),
      ),
    encode: (request) => ask(urlTo(at, encodeRoute), isHexString, request),
    explain: (request) => ask(urlTo(at, explainRoute), isObject, request),
    info: () => ask(urlTo(at, infoRoute), isObject),
    ledger: () => ask(urlTo(at, ledgerInfoRoute), isLedger),
    close: async () => {},
  };
}

/** The node's own words for a refusal, with its code. */
function refusal(status: number, text: string): string {
  const { message, error_code: code } = toObject(text) ?? {};
  if (typeof message === "string") return `${oneLine(message)} (${oneLine(String(code))})`;
  return `the node answered ${status}: ${oneLine(text).slice(0, 200)}`;
}

async function localSource(data: string): Promise<Source> {
  const node = await createNode({ data, readOnly: true });
  /** Refuses with the messages of the HTTP interface. */
  const ask = async (question: () => Promise<string>): Promise<string> => {
    try {
      return await question();
    } catch (error) {
      const text = refusalOf(error);
      throw text === undefined ? error : new SourceError(text, error);
    }
  };
  const at = (version: bigint | undefined) => (version === undefined ? {} : { ledgerVersion: version });
  return {
    balance: (address, asset, version) =>
      ask(async () => `${await node.balance(address, asset, at(version))}`),
    rawItem: (handle, key, version) =>
      ask(async () => {
        const value = await node.rawItem(handle, key, at(version));
        if (value === undefined) throw absentItem(handle, key, version);
        return JSON.stringify(toPrefixedHex(value));
      }),
    encode: (request) => ask(async () => JSON.stringify(toPrefixedHex(await node.encodeSubmission(request)))),
    explain: (request) => ask(async () => JSON.stringify(await node.explainSubmission(request))),
    info: () => ask(async () => JSON.stringify(await node.info())),
    ledger: () => ask(async () => JSON.stringify(await node.ledgerInfo())),
    close: () => node.close(),
  };
}

function absentItem(handle: string, key: string, version: bigint | undefined): SourceError {
  const [table, bytes] = [parseOperand("table", "TABLE_HANDLE", handle), parseOperand("key", "KEY", key)];
  const at = version === undefined ? "" : ` at ledger version ${version}`;
  return new SourceError(
    `no item under table handle ${toPrefixedHex(table)} and key "${toPrefixedHex(bytes)}"${at} (table_item_not_found)`,
  );
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
  return remoteSource(parseNodeUrl(options.url ?? DEFAULT_URL));
}

/** Runs one question on a source and closes it. */
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
