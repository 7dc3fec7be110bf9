// One HTTP exchange with an upstream, within bounds: time to connect, to the first byte, between bytes and
// altogether; bytes as they come and as they inflate. Redirects are not followed.
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { errorText } from "../../base/errors.ts";
import { UpstreamError } from "./errors.ts";

/** Time bounds of one exchange. */
export interface Timeouts {
  readonly connectMs: number;
  /** From the request to the head of the answer. */
  readonly firstByteMs: number;
  /** Longest silence inside the body. */
  readonly stallMs: number;
  readonly totalMs: number;
}

/** Bounds that suit a public node on a slow line. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  stallMs: 5_000,
  totalMs: 60_000,
};

/** What is asked. */
export interface Exchange {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Largest body, before and after inflating. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** What came. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Bytes of the body as they came. */
  readonly wireBytes: number;
}

/** Connections to one upstream, kept alive between exchanges. */
export class Transport {
  readonly #agent: Agent;
  readonly #secure: boolean;
  readonly #timeouts: Timeouts;

  constructor(base: URL, timeouts: Timeouts) {
    this.#secure = base.protocol === "https:";
    this.#timeouts = timeouts;
    const options = { keepAlive: true, maxSockets: 16, maxFreeSockets: 8 };
    this.#agent = this.#secure ? new SecureAgent(options) : new Agent(options);
  }

  /** Sends a request and reads the whole answer. Throws UpstreamError or the signal's reason. */
  async exchange(what: Exchange): Promise<Received> {
    try {
      return await this.#once(what);
    } catch (error) {
      // The other side may close a kept connection just as it is used again; that says nothing about it.
      if (error instanceof StaleConnection) return this.#once(what);
      throw error;
    }
  }

  async #once(what: Exchange): Promise<Received> {
    what.signal.throwIfAborted();
    const limits = new AbortController();
    const stop = (reason: string): void => limits.abort(new UpstreamError("unreachable", reason));
    const onAbort = (): void => limits.abort(what.signal.reason);
    what.signal.addEventListener("abort", onAbort);
    const { firstByteMs, totalMs } = this.#timeouts;
    const total = setTimeout(() => stop(`no whole answer within ${totalMs} ms`), totalMs);
    const firstByte = setTimeout(() => stop(`no answer within ${firstByteMs} ms`), firstByteMs);
    const request = this.#open(what, limits, stop);
    let isAnswered = false;
    try {
      const response = await headOf(request, what.body, limits.signal);
      isAnswered = true;
      clearTimeout(firstByte);
      const { body, wireBytes } = await this.#readBody(response, what.maxBytes, limits, stop);
      return { status: response.statusCode ?? 0, headers: response.headers, body, wireBytes };
    } catch (error) {
      request.destroy();
      if (limits.signal.aborted) throw limits.signal.reason;
      const isStale = request.reusedSocket && !isAnswered && codeOf(error) === "ECONNRESET";
      throw isStale ? new StaleConnection() : toUpstreamError(error);
    } finally {
      clearTimeout(total);
      clearTimeout(firstByte);
      what.signal.removeEventListener("abort", onAbort);
    }
  }

  #open(what: Exchange, limits: AbortController, stop: (reason: string) => void): ClientRequest {
    const options = { method: what.method, agent: this.#agent, headers: { ...what.headers } };
    const request = (this.#secure ? requestHttps : requestHttp)(what.url, options);
    limits.signal.addEventListener("abort", () => request.destroy(), { once: true });
    request.on("socket", (socket) => {
      if (!socket.connecting) return;
      const { connectMs } = this.#timeouts;
      const timer = setTimeout(() => stop(`no connection within ${connectMs} ms`), connectMs);
      const done = (): void => clearTimeout(timer);
      socket.once(this.#secure ? "secureConnect" : "connect", done).once("close", done);
    });
    return request;
  }

  async #readBody(
    response: IncomingMessage,
    maxBytes: number,
    limits: AbortController,
    stop: (reason: string) => void,
  ): Promise<{ body: Uint8Array; wireBytes: number }> {
    const { stallMs } = this.#timeouts;
    const stall = setTimeout(() => stop(`the answer stood still for ${stallMs} ms`), stallMs);
    const tooLarge = (): void => {
      limits.abort(new UpstreamError("too_large", `the answer is larger than ${maxBytes} bytes`));
    };
    let wireBytes = 0;
    response.on("data", (chunk: Buffer) => {
      stall.refresh();
      wireBytes += chunk.length;
      if (wireBytes > maxBytes) tooLarge();
    });
    try {
      const body = await collect(inflated(response, limits.signal), maxBytes, tooLarge);
      return { body, wireBytes };
    } finally {
      clearTimeout(stall);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

class StaleConnection extends Error {}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function toUpstreamError(error: unknown): Error {
  if (error instanceof UpstreamError) return error;
  const code = codeOf(error);
  if (code.startsWith("Z_") || code === "ERR_BUFFER_TOO_LARGE") {
    return new UpstreamError("malformed", `the answer does not inflate: ${errorText(error)}`, {
      cause: error,
    });
  }
  return new UpstreamError("unreachable", `the exchange failed: ${code === "" ? errorText(error) : code}`, {
    cause: error,
  });
}

function headOf(
  request: ClientRequest,
  body: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
    // A second error after the first must not end the process.
    request.on("error", () => {});
    request.once("close", () =>
      reject(signal.reason ?? new UpstreamError("unreachable", "the connection was cut")),
    );
    request.end(body);
  });
}

function inflated(response: IncomingMessage, signal: AbortSignal): Readable {
  const coding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "") return response;
  if (coding !== "gzip" && coding !== "x-gzip") {
    throw new UpstreamError("malformed", "the answer is in a content coding that was not asked for");
  }
  const gunzip = createGunzip();
  response.on("error", (error) => gunzip.destroy(error));
  signal.addEventListener("abort", () => gunzip.destroy(), { once: true });
  return response.pipe(gunzip);
}

async function collect(stream: Readable, maxBytes: number, tooLarge: () => void): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      tooLarge();
      throw new UpstreamError("too_large", `the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
