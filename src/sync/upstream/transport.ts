// Bounded HTTP requests to an upstream: time to connect, to the first byte, between bytes and in total; bytes on the
// wire and after inflating. Redirects are not followed.
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Agent, Dispatcher } from "undici";
import { ConfigError, errorText } from "../../base/errors.ts";
import { loadPackage } from "../../base/load-package.ts";
import { takeTurn, withDeadline } from "../../base/wait.ts";
import { UpstreamError } from "./errors.ts";

/** Time bounds of one request. */
export interface Timeouts {
  readonly connectMs: number;
  /** From the sent request to the response headers. */
  readonly firstByteMs: number;
  /** Longest silence inside the body. */
  readonly stallMs: number;
  readonly totalMs: number;
}

/** Suits a public node over a slow connection. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  stallMs: 5_000,
  totalMs: 60_000,
};

const MAX_CONNECTIONS = 16;
/** Largest body of a response that is not 200. */
export const SMALL_RESPONSE_BYTES = 256 * 1024;
/** All headers of a response. */
const MAX_HEADER_BYTES = 16 * 1024;
/** The upstream closed or cut the connection. */
const CUT_CODES = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Largest body of a 200 response, before and after inflating; others are short. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Response headers by lower-case names; repeated ones are joined. */
export type ReceivedHeaders = Readonly<Record<string, string | undefined>>;

/** A complete response. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: ReceivedHeaders;
  readonly body: Uint8Array;
  /** Bytes of the body on the wire. */
  readonly wireBytes: number;
}

/** Connections to one upstream, kept alive between requests. */
export class Transport {
  readonly #agent: Agent;
  readonly #timeouts: Timeouts;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
    const undici = loadPackage("undici") as typeof import("undici");
    this.#agent = new undici.Agent({
      connections: MAX_CONNECTIONS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: timeouts.connectMs },
      headersTimeout: timeouts.firstByteMs,
      bodyTimeout: timeouts.stallMs,
    });
  }

  /** Sends a request and reads the complete response. Throws UpstreamError or the signal's reason. */
  async request(request: UpstreamRequest): Promise<UpstreamResponse> {
    const { totalMs: ms } = this.#timeouts;
    const late = (): UpstreamError =>
      new UpstreamError("unreachable", `no complete response within ${ms} ms`, { isLate: true });
    return withDeadline({ ms, signal: request.signal, late }, async (signal) => {
      try {
        const response = await this.#send(request, signal);
        // Servers may say at length that they refuse.
        const isRefused = response.statusCode !== 200;
        const received = await readResponse(response, isRefused ? SMALL_RESPONSE_BYTES : request.maxBytes);
        // Undici frees a connection one turn of the loop after its response; before that it would open another.
        await takeTurn();
        return received;
      } catch (error) {
        throw signal.aborted ? signal.reason : this.#toUpstreamError(error);
      }
    });
  }

  async #send(
    { method, url, headers, body }: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = url;
    const options = { method, origin, path: pathname + search, headers, signal, body: body ?? null };
    try {
      return await this.#agent.request(options);
    } catch (error) {
      // Retries once: the upstream may close an idle connection just as a request reuses it.
      if (CUT_CODES.includes(codeOf(error))) return this.#agent.request(options);
      throw error;
    }
  }

  close(): void {
    void this.#agent.destroy();
  }

  #toUpstreamError(error: unknown): UpstreamError {
    if (error instanceof UpstreamError) return error;
    const code = codeOf(error);
    const { connectMs, firstByteMs, stallMs } = this.#timeouts;
    const unreachable = (message: string, isLate = false): UpstreamError =>
      new UpstreamError("unreachable", message, { cause: error, isLate });
    if (code === "UND_ERR_CONNECT_TIMEOUT") return unreachable(`no connection within ${connectMs} ms`);
    if (code === "UND_ERR_HEADERS_TIMEOUT") return unreachable(`no response within ${firstByteMs} ms`, true);
    if (code === "UND_ERR_BODY_TIMEOUT") return unreachable(`the response stalled for ${stallMs} ms`, true);
    if (code.startsWith("Z_")) {
      const message = `the response does not inflate: ${errorText(error)}`;
      return new UpstreamError("malformed", message, { cause: error });
    }
    return unreachable(`the request failed: ${code === "" ? errorText(error) : code}`);
  }
}

/** The code of an error of the system; empty for one that has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

async function readResponse(response: Dispatcher.ResponseData, maxBytes: number): Promise<UpstreamResponse> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = `${value}`;
  const wire = { bytes: 0 };
  const onWire = (stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> => bounded(stream, maxBytes, wire);
  const body = isGzip(headers["content-encoding"])
    ? await pipeline(response.body, onWire, createGunzip(), (stream) => collect(bounded(stream, maxBytes)))
    : await pipeline(response.body, onWire, collect);
  return { status: response.statusCode, headers, body, wireBytes: wire.bytes };
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** Counts bytes. Throws as soon as they exceed `maxBytes`. */
async function* bounded(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  count = { bytes: 0 },
): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    count.bytes += chunk.length;
    if (count.bytes > maxBytes) {
      throw new UpstreamError("too_large", `the response is larger than ${maxBytes} bytes`);
    }
    yield chunk;
  }
}

function isGzip(coding: string | undefined): boolean {
  const name = coding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return false;
  if (name === "gzip" || name === "x-gzip") return true;
  throw new UpstreamError("malformed", "the response has a content coding that was not requested");
}

/** The URL of a source. Throws ConfigError, which names the option. */
export function parseSourceUrl(
  text: string,
  option: string,
  protocols: readonly string[],
  expected: string,
): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocols.includes(url.protocol)) {
    throw new ConfigError(`${option}: expected ${expected}, got ${JSON.stringify(text)}`);
  }
  // Not repeated: messages end up in logs, as URLs do. Keys come from the environment.
  if (url.username !== "" || url.password !== "") {
    throw new ConfigError(`${option}: expected a URL without a user and password`);
  }
  if (url.search !== "" || url.hash !== "")
    throw new ConfigError(`${option}: expected a URL without a query`);
  return url;
}
