// An upstream over HTTP: any node that serves the `/v1` interface of an Aptos-format ledger, another Sextant
// included.
import { ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { BCS_TYPE, JSON_TYPE } from "../../interface/media-types.ts";
import { API_ROOT, urlTo } from "../../interface/route.ts";
import { ledgerInfoRoute, rawStateValueRoute, transactionsRoute } from "../../interface/routes.ts";
import { parseRetryAfter, RateCap } from "./backoff.ts";
import { BeyondHead, UpstreamError } from "./errors.ts";
import { findHead, findReadVersion, requireHead } from "./ledger-headers.ts";
import {
  DEFAULT_TIMEOUTS,
  type Received,
  type ReceivedHeaders,
  type Timeouts,
  Transport,
} from "./transport.ts";
import type { RecordsPage, StateValueAnswer, Upstream, UpstreamHead } from "./upstream.ts";

/** Answers other than pages and values are short. */
const SMALL_ANSWER_BYTES = 256 * 1024;

/** A header that carries the key to an upstream. */
export interface ApiKeyHeader {
  readonly name: string;
  readonly value: string;
}

/** Options of a REST upstream. */
export interface RestUpstreamOptions {
  /** Largest page of records or state value in bytes. */
  readonly maxPageBytes?: number;
  readonly timeouts?: Timeouts;
  /** Requests per second; zero means no cap. */
  readonly upstreamRate?: number;
  readonly apiKey?: ApiKeyHeader | undefined;
  /** Name to call it by in the User-Agent header. */
  readonly userAgent?: string;
}

/** Checks the text of an upstream's URL and completes it to its `/v1` base. Throws ConfigError. */
export function parseUpstreamUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigError(`upstream: expected an http or https URL, got ${JSON.stringify(text)}`);
  }
  // Credentials in a URL end up in logs; the environment is the place for a key.
  if (url.username !== "" || url.password !== "") {
    throw new ConfigError("upstream: expected a URL without a user and password");
  }
  if (url.search !== "" || url.hash !== "") throw new ConfigError("upstream: expected a URL without a query");
  const path = url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname;
  url.pathname = path.endsWith(API_ROOT) ? path : path + API_ROOT;
  return url;
}

/** An upstream by its URL. */
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
  readonly #maxPageBytes: number;

  constructor(base: URL, options: RestUpstreamOptions) {
    this.name = base.href;
    this.#base = base.href;
    this.#transport = new Transport(options.timeouts ?? DEFAULT_TIMEOUTS);
    this.#cap = new RateCap(options.upstreamRate ?? 0);
    this.#maxPageBytes = options.maxPageBytes ?? 32 * 1024 * 1024;
    this.#headers = {
      "user-agent": options.userAgent ?? "sextant",
      "accept-encoding": "gzip",
      ...(options.apiKey === undefined ? {} : { [options.apiKey.name]: options.apiKey.value }),
    };
  }

  async getHead(signal: AbortSignal): Promise<UpstreamHead> {
    const answer = await this.#ask(urlTo(this.#base, ledgerInfoRoute), JSON_TYPE, signal, SMALL_ANSWER_BYTES);
    if (answer.status !== 200) throw refusal(answer);
    return requireHead(answer.headers);
  }

  async getRecords(start: bigint, limit: number, signal: AbortSignal): Promise<RecordsPage> {
    const url = urlTo(this.#base, transactionsRoute, { start, limit });
    const answer = await this.#ask(url, BCS_TYPE, signal, this.#maxPageBytes);
    if (answer.status === 200) {
      assertBcs(answer.headers);
      return { head: requireHead(answer.headers), bytes: answer.body };
    }
    // Asking for a version that is not there yet is a 400 here, not an empty page.
    if (answer.status === 400) {
      const head = findHead(answer.headers);
      if (head !== undefined && head.version < start) throw new BeyondHead(start, head);
    }
    throw refusal(answer);
  }

  async getStateValue(stateKey: Uint8Array, version: bigint, signal: AbortSignal): Promise<StateValueAnswer> {
    const url = urlTo(this.#base, rawStateValueRoute, { ledger_version: version });
    const body = JSON.stringify({ key: toPrefixedHex(stateKey) });
    const answer = await this.#ask(url, BCS_TYPE, signal, this.#maxPageBytes, body);
    const isAbsent = answer.status === 404 && errorCodeOf(answer) === "state_value_not_found";
    if (answer.status === 200) assertBcs(answer.headers);
    else if (!isAbsent) {
      const head = findHead(answer.headers);
      if (answer.status === 404 && head !== undefined && head.version < version)
        throw new BeyondHead(version, head);
      throw refusal(answer);
    }
    const head = requireHead(answer.headers);
    assertReadAt(answer.headers, head, version);
    return { head, value: isAbsent ? undefined : answer.body };
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
  ): Promise<Received> {
    await this.#cap.turn(signal);
    const answer = await this.#transport.exchange({
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
    this.receivedBytes += answer.wireBytes;
    return answer;
  }
}

function mediaTypeOf(headers: ReceivedHeaders): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function assertBcs(headers: ReceivedHeaders): void {
  const type = mediaTypeOf(headers);
  if (type !== BCS_TYPE) {
    const shown = type === "text/html" || type === JSON_TYPE ? type : "another media type";
    throw new UpstreamError("malformed", `expected an answer in ${BCS_TYPE}, got ${shown}`);
  }
}

/** The node must have read at the version asked for: it says so, or its kept range shows that it could. */
function assertReadAt(headers: ReceivedHeaders, head: UpstreamHead, version: bigint): void {
  const readVersion = findReadVersion(headers);
  if (
    readVersion === undefined
      ? head.version >= version && head.oldestVersion <= version
      : readVersion === version
  ) {
    return;
  }
  throw new UpstreamError(
    "malformed",
    `asked for a value at version ${version}, the answer is for another one`,
  );
}

/** The error code in an error's JSON body. */
function errorCodeOf(answer: Received): string | undefined {
  if (answer.body.length > SMALL_ANSWER_BYTES || mediaTypeOf(answer.headers) !== JSON_TYPE) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(answer.body).toString("utf8"));
    if (typeof parsed !== "object" || parsed === null || !Object.hasOwn(parsed, "error_code"))
      return undefined;
    const code: unknown = (parsed as { error_code: unknown }).error_code;
    return typeof code === "string" && code.length < 64 ? code : undefined;
  } catch {
    return undefined;
  }
}

function refusal(answer: Received): UpstreamError {
  const { status } = answer;
  const code = errorCodeOf(answer);
  const said = `status ${status}${code === undefined ? "" : ` ${JSON.stringify(code)}`}`;
  if (status === 410) return new UpstreamError("pruned", `the version is pruned there (${said})`);
  if (status === 429 || status === 503) {
    const retryAfterMs = parseRetryAfter(answer.headers["retry-after"], Date.now());
    return new UpstreamError("busy", `asked to come back later (${said})`, { retryAfterMs });
  }
  if (status >= 500) return new UpstreamError("unreachable", `it failed (${said})`);
  if (status >= 300 && status < 400) {
    return new UpstreamError("refused", `redirects are not followed (${said}); give the final URL`);
  }
  return new UpstreamError("refused", `it refused (${said})`);
}
