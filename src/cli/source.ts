// The source of the reading commands: a node at a URL, or a data directory opened in place.
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { toPrefixedHex } from "../base/hex.ts";
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
import { createNode } from "../node.ts";
import { type Exclusion, textOption } from "./option.ts";

/** Answers are JSON texts as in the HTTP interface. */
export interface Source {
  balance(address: string, asset: string, ledgerVersion: string | undefined): Promise<string>;
  rawItem(handle: string, key: string, ledgerVersion: string | undefined): Promise<string>;
  encode(request: Uint8Array): Promise<string>;
  explain(request: Uint8Array): Promise<string>;
  info(): Promise<string>;
  ledger(): Promise<string>;
  close(): Promise<void>;
}

/** The node or the directory refused the request. */
class SourceError extends CodedError<"source"> {
  constructor(message: string, cause?: unknown) {
    super("source", message, { cause });
  }
}

/** Options shared by the reading commands. */
export const sourceOptions = {
  url: textOption("Node to ask (default http://127.0.0.1:8080)", "URL", (text) =>
    URL.canParse(text) ? undefined : "a URL such as http://127.0.0.1:8080",
  ),
  data: textOption("Data directory to read in place, instead of asking a node", "DIR"),
};

export const sourceExclusions: readonly Exclusion<keyof typeof sourceOptions>[] = [
  { one: "url", others: ["data"] },
];

function remoteSource(base: string): Source {
  let end = base.length;
  while (base[end - 1] === "/") end--;
  const root = base.slice(0, base.endsWith(API_ROOT, end) ? end - API_ROOT.length : end);
  const at = root + API_ROOT;
  const ask = async (url: string, body?: Uint8Array): Promise<string> => {
    const init: RequestInit =
      body === undefined
        ? { headers: { accept: JSON_TYPE } }
        : {
            method: "POST",
            headers: { accept: JSON_TYPE, "content-type": JSON_TYPE },
            body: Buffer.from(body),
          };
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new SourceError(`cannot reach ${root}: ${errorText(cause)}`, error);
    }
    const text = await response.text();
    if (!response.ok) throw new SourceError(refusal(response.status, text));
    return text;
  };
  return {
    balance: (address, asset_type, ledger_version) =>
      ask(urlTo(at, balanceRoute, { address, asset_type, ledger_version })),
    rawItem: (table_handle, key, ledger_version) =>
      ask(
        urlTo(at, rawItemRoute, { table_handle, ledger_version }),
        new TextEncoder().encode(JSON.stringify({ key })),
      ),
    encode: (request) => ask(urlTo(at, encodeRoute), request),
    explain: (request) => ask(urlTo(at, explainRoute), request),
    info: () => ask(urlTo(at, infoRoute)),
    ledger: () => ask(urlTo(at, ledgerInfoRoute)),
    close: async () => {},
  };
}

/** The message and status of a refusal. */
function refusal(status: number, text: string): string {
  try {
    const { message, error_code } = JSON.parse(text) as { message?: unknown; error_code?: unknown };
    if (typeof message === "string") return `${message} (${status} ${String(error_code)})`;
  } catch {
    // Not an error body of this interface: shown as it is.
  }
  return `the node answered ${status}: ${text.slice(0, 200)}`;
}

async function localSource(data: string): Promise<Source> {
  const node = await createNode({ data, readOnly: true });
  const version = (text: string | undefined): { ledgerVersion?: bigint } => {
    if (text === undefined) return {};
    if (!/^\d{1,20}$/.test(text))
      throw new ConfigError(`--ledger-version: expected a version number, got ${text}`);
    return { ledgerVersion: BigInt(text) };
  };
  return {
    balance: async (address, asset, at) => `${await node.balance(address, asset, version(at))}`,
    rawItem: async (handle, key, at) => {
      const value = await node.rawItem(handle, key, version(at));
      if (value === undefined)
        throw new SourceError("the table has no item under this key (table_item_not_found)");
      return JSON.stringify(toPrefixedHex(value));
    },
    encode: async (request) => JSON.stringify(toPrefixedHex(await node.encodeSubmission(request))),
    explain: async (request) => JSON.stringify(await node.explainSubmission(request)),
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
