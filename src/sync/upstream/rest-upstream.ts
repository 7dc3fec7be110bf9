// An upstream over HTTP: any node that serves the `/v1` interface of an Aptos-format ledger, Sextant included.
import { toPrefixedHex } from "../../base/hex.ts";
import { U64_MAX } from "../../base/numbers.ts";
import { MAX_RETRY_AFTER_MS, parseRetryAfter, RateCap } from "../../base/wait.ts";
import {
  brandedHeader,
  CURSOR,
  LEDGER_HEADERS,
  type LedgerHeader,
  READ_VERSION,
} from "../../interface/ledger-headers.ts";
import { BCS_TYPE, JSON_TYPE } from "../../interface/media-types.ts";
import { API_ROOT, urlTo } from "../../interface/route.ts";
import { ledgerInfoRoute, rawStateValueRoute, transactionsRoute } from "../../interface/routes.ts";
import { ABSENT } from "../../json/document.ts";
import { JsonError } from "../../json/errors.ts";
import { parseJson } from "../../json/parse.ts";
import { BeyondHead, UpstreamError } from "./errors.ts";
import {
  DEFAULT_TIMEOUTS,
  parseSourceUrl,
  type ReceivedHeaders,
  SMALL_RESPONSE_BYTES,
  type Timeouts,
  Transport,
  type UpstreamResponse,
} from "./transport.ts";
import {
  MAX_PAGE_BYTES,
  MAX_RECORD_BYTES,
  type RecordsPage,
  type StateValueAnswer,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamHead,
  type UpstreamQuestion,
} from "./upstream.ts";

/** Received header names are lower case. */
function receivedName(brand: string, name: LedgerHeader): string {
  return brandedHeader(brand, name).toLowerCase();
}

const VERSION_SUFFIX = receivedName("", LEDGER_HEADERS.version).slice("x-".length);

function brandOf(headers: ReceivedHeaders): string | undefined {
  for (const name of Object.keys(headers)) {
    if (!name.startsWith("x-") || !name.endsWith(VERSION_SUFFIX)) continue;
    const brand = name.slice("x-".length, -VERSION_SUFFIX.length);
    if (headers[receivedName(brand, LEDGER_HEADERS.chainId)] !== undefined) return brand;
  }
  return undefined;
}

function readU64(headers: ReceivedHeaders, name: string): bigint | undefined {
  const text = headers[name];
  if (text === undefined || !/^\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value <= U64_MAX ? value : undefined;
}

/** The head in a response's headers; undefined without ledger headers. Throws `malformed`. */
function findHead(headers: ReceivedHeaders): UpstreamHead | undefined {
  const brand = brandOf(headers);
  if (brand === undefined) return undefined;
  const read = (field: keyof UpstreamHead): bigint => {
    const name = receivedName(brand, LEDGER_HEADERS[field]);
    const value = readU64(headers, name);
    if (value === undefined || (field === "chainId" && value > 255n)) {
      const expected = field === "chainId" ? "a u8" : "a u64";
      throw new UpstreamError("malformed", `header ${name}: expected ${expected} in decimal digits`);
    }
    return value;
  };
  return {
    chainId: Number(read("chainId")),
    version: read("version"),
    oldestVersion: read("oldestVersion"),
    timestampUsec: read("timestampUsec"),
    epoch: read("epoch"),
    blockHeight: read("blockHeight"),
  };
}

/** As `findHead`, but a response without ledger headers is `malformed`. */
function requireHead(headers: ReceivedHeaders): UpstreamHead {
  const head = findHead(headers);
  if (head === undefined) throw new UpstreamError("malformed", "the response has no ledger headers");
  return head;
}

const MAX_CURSOR_LENGTH = 1024;

/** Where the next page begins; undefined at the end. Throws `malformed`. */
function findCursor(headers: ReceivedHeaders): string | undefined {
  const brand = brandOf(headers);
  const cursor = brand === undefined ? undefined : headers[receivedName(brand, CURSOR)];
  if (typeof cursor !== "string" || cursor === "") return undefined;
  if (cursor.length <= MAX_CURSOR_LENGTH) return cursor;
  throw new UpstreamError("malformed", `a cursor has over ${MAX_CURSOR_LENGTH} characters`);
}

/** The version that a response was read at, if a header says so. */
function findReadVersion(headers: ReceivedHeaders): bigint | undefined {
  const brand = brandOf(headers);
  return brand === undefined ? undefined : readU64(headers, receivedName(brand, READ_VERSION));
}

/** Networks allow an item 1 MiB. Many may be in flight at once. */
const MAX_VALUE_BYTES = 2 * 1024 * 1024;

/** The header that carries the API key. */
export interface ApiKeyHeader {
  readonly name: string;
  readonly value: string;
}

/** Options of a REST upstream. */
export interface RestUpstreamOptions {
  /** Largest page of records in bytes. */
  readonly maxPageBytes?: number;
  readonly timeouts?: Timeouts;
  /** Requests per second; zero means no cap. */
  readonly upstreamRate?: number;
  readonly apiKey?: ApiKeyHeader | undefined;
  /** Value of the User-Agent header. */
  readonly userAgent?: string;
}

/** Parses an upstream's URL and appends `/v1` if missing. Throws ConfigError, which names the option. */
export function parseUpstreamUrl(text: string, option = "upstream"): URL {
  const url = parseSourceUrl(text, option, ["http:", "https:"], "an http or https URL");
  const path = url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname;
  url.pathname = path.endsWith(API_ROOT) ? path : path + API_ROOT;
  return url;
}

export function createRestUpstream(base: URL, options: RestUpstreamOptions = {}): Upstream {
  return new RestUpstream(base, options);
}

class RestUpstream implements Upstream {
  readonly name: string;
  receivedBytes = 0;
  readonly #base: string;
  readonly #transport: Transport;
  readonly #cap: RateCap;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #maxPageBytes: number | undefined;

  constructor(base: URL, options: RestUpstreamOptions) {
    this.name = base.href;
    this.#base = base.href;
    this.#transport = new Transport(options.timeouts ?? DEFAULT_TIMEOUTS);
    this.#cap = new RateCap(options.upstreamRate ?? 0);
    this.#maxPageBytes = options.maxPageBytes;
    this.#headers = {
      "user-agent": options.userAgent ?? "sextant",
      "accept-encoding": "gzip",
      ...(options.apiKey === undefined ? {} : { [options.apiKey.name]: options.apiKey.value }),
    };
  }

  async getHead(signal: AbortSignal): Promise<UpstreamHead> {
    const response = await this.#ask(
      urlTo(this.#base, ledgerInfoRoute),
      JSON_TYPE,
      signal,
      SMALL_RESPONSE_BYTES,
    );
    if (response.status !== 200) throw refusal(response);
    return requireHead(response.headers);
  }

  async getRecords(start: bigint, limit: number, signal: AbortSignal): Promise<RecordsPage> {
    const url = urlTo(this.#base, transactionsRoute, { start, limit });
    const maxBytes = this.#maxPageBytes ?? (limit === 1 ? MAX_RECORD_BYTES : MAX_PAGE_BYTES);
    const response = await this.#ask(url, BCS_TYPE, signal, maxBytes);
    if (response.status === 200) {
      assertBcs(response.headers);
      return { head: requireHead(response.headers), bytes: response.body };
    }
    // For a version beyond the head, nodes respond 400, not an empty page.
    if (response.status === 400) {
      const head = findHead(response.headers);
      if (head !== undefined && head.version < start) throw new BeyondHead(start, head);
    }
    throw refusal(response);
  }

  async getStateValue(stateKey: Uint8Array, version: bigint, signal: AbortSignal): Promise<StateValueAnswer> {
    const url = urlTo(this.#base, rawStateValueRoute, { ledger_version: version });
    const body = JSON.stringify({ key: toPrefixedHex(stateKey) });
    const response = await this.#ask(url, BCS_TYPE, signal, MAX_VALUE_BYTES, body);
    const { head, bytes } = answerIn(response, version, "state_value_not_found");
    return { head, value: bytes };
  }

  async getAnswer(question: UpstreamQuestion, signal: AbortSignal): Promise<UpstreamAnswer> {
    const { version, absentCode } = question;
    const response = await this.#ask(question.toUrl(this.#base), BCS_TYPE, signal, MAX_PAGE_BYTES);
    return { ...answerIn(response, version, absentCode), cursor: findCursor(response.headers) };
  }

  close(): void {
    this.#transport.close();
  }

  async #ask(
    url: string,
    accept: string,
    signal: AbortSignal,
    maxBytes: number,
    body?: string,
  ): Promise<UpstreamResponse> {
    await this.#cap.turn(signal);
    // What it would refuse is not sent: a refusal may count, and another upstream can be asked.
    const { closedMs } = this.#cap;
    if (closedMs > 0) {
      throw new UpstreamError("busy", `its rate limit is used up for ${Math.ceil(closedMs / 1000)} s`, {
        retryAfterMs: closedMs,
      });
    }
    const response = await this.#transport.request({
      method: body === undefined ? "GET" : "POST",
      url: new URL(url),
      headers: {
        ...this.#headers,
        accept,
        ...(body === undefined ? {} : { "content-type": JSON_TYPE }),
      },
      ...(body === undefined ? {} : { body }),
      maxBytes,
      signal,
    });
    this.receivedBytes += response.wireBytes;
    const { left, resetMs } = allowanceIn(response.headers);
    const usedUpMs = response.status === 429 ? pauseIn(response.headers) : left === 0 ? resetMs : undefined;
    if (response.status === 429) this.#cap.slow();
    if (usedUpMs !== undefined) this.#cap.close(usedUpMs);
    return response;
  }
}

/** The first number that matches in the first header that has one. */
function numberIn(texts: readonly (string | undefined)[], pattern: RegExp): number | undefined {
  const found = texts.map((text) => pattern.exec(text?.slice(0, 256) ?? "")?.[1]).find((digits) => digits);
  return found === undefined ? undefined : Number(found);
}

/** Requests that an upstream still allows, and how long until it allows more, as far as it says: in any usual spelling. */
function allowanceIn(headers: ReceivedHeaders): {
  readonly left: number | undefined;
  readonly resetMs: number | undefined;
} {
  const texts = (name: string) => [headers[`ratelimit-${name}`], headers[`x-ratelimit-${name}`]];
  const left =
    numberIn([headers.ratelimit], /\b(?:r|remaining)=(\d{1,9})\b/) ??
    numberIn(texts("remaining"), /^(\d{1,9})\b/);
  const reset =
    numberIn([headers.ratelimit], /\b(?:t|reset)=(\d{1,9})\b/) ?? numberIn(texts("reset"), /^(\d{1,9})$/);
  return { left, resetMs: reset === undefined ? undefined : Math.min(1000 * reset, MAX_RETRY_AFTER_MS) };
}

/** The pause that a refusal asks for. */
function pauseIn(headers: ReceivedHeaders): number | undefined {
  return parseRetryAfter(headers["retry-after"], Date.now()) ?? allowanceIn(headers).resetMs;
}

function mediaTypeOf(headers: ReceivedHeaders): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function assertBcs(headers: ReceivedHeaders): void {
  const type = mediaTypeOf(headers);
  if (type !== BCS_TYPE) {
    const shown = type === "text/html" || type === JSON_TYPE ? type : "another media type";
    throw new UpstreamError("malformed", `expected a response in ${BCS_TYPE}, got ${shown}`);
  }
}

/** The answer in BCS, read at a version if one was asked for; no bytes if there is nothing. */
function answerIn(
  response: UpstreamResponse,
  version: bigint | undefined,
  absentCode: string,
): Omit<UpstreamAnswer, "cursor"> {
  const { status, headers } = response;
  const isAbsent = status === 404 && errorCodeOf(response) === absentCode;
  if (status === 200) assertBcs(headers);
  else if (!isAbsent) {
    const head = findHead(headers);
    if (status === 404 && version !== undefined && head !== undefined && head.version < version)
      throw new BeyondHead(version, head);
    throw refusal(response);
  }
  const head = requireHead(headers);
  if (version !== undefined) assertReadAt(headers, head, version);
  return { head, bytes: isAbsent ? undefined : response.body };
}

/** By the read-version header, else by the upstream's kept range. */
function assertReadAt(headers: ReceivedHeaders, head: UpstreamHead, version: bigint): void {
  const readVersion = findReadVersion(headers);
  const mayBe = head.version >= version && head.oldestVersion <= version;
  if (readVersion === undefined ? mayBe : readVersion === version) return;
  throw new UpstreamError(
    "malformed",
    `asked for a value at version ${version}, the response is for another version`,
  );
}

/** The `error_code` in a JSON error body. */
function errorCodeOf(response: UpstreamResponse): string | undefined {
  if (response.body.length > SMALL_RESPONSE_BYTES || mediaTypeOf(response.headers) !== JSON_TYPE)
    return undefined;
  try {
    const json = parseJson(response.body);
    const code = json.kind(json.root) === "object" ? json.member(json.root, "error_code") : ABSENT;
    if (code === ABSENT || json.kind(code) !== "string") return undefined;
    const text = json.string(code);
    return text.length < 64 ? text : undefined;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return undefined;
  }
}

function refusal(response: UpstreamResponse): UpstreamError {
  const { status } = response;
  const code = errorCodeOf(response);
  const outcome = `status ${status}${code === undefined ? "" : ` ${JSON.stringify(code)}`}`;
  if (status === 410) return new UpstreamError("pruned", `the upstream has pruned the version (${outcome})`);
  if (status === 429 || status === 503) {
    const retryAfterMs = pauseIn(response.headers);
    return new UpstreamError("busy", `the upstream asked to retry later (${outcome})`, { retryAfterMs });
  }
  if (status >= 500) return new UpstreamError("unreachable", `the upstream failed (${outcome})`);
  if (status >= 300 && status < 400) {
    return new UpstreamError("refused", `redirects are not followed (${outcome}): configure the final URL`);
  }
  return new UpstreamError("refused", `the upstream refused the request (${outcome})`);
}
