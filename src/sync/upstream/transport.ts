// One HTTP exchange with an upstream, within bounds: time to connect, to the first byte, between bytes and
// altogether; bytes as they come and as they inflate. Redirects are not followed.
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import { errorText } from "../../base/errors.ts";
import { UpstreamError } from "./errors.ts";

/** Time bounds of one exchange. */
export interface Timeouts {
  readonly connectMs: number;
  /** From the sent request to the head of the answer. */
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

const MAX_CONNECTIONS = 16;
/** The other side closed the connection, or cut it. */
const CUT_CODES = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

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

/** Headers of an answer by lower-case names. One that came several times has its values joined. */
export type ReceivedHeaders = Readonly<Record<string, string | undefined>>;

/** What came. */
export interface Received {
  readonly status: number;
  readonly headers: ReceivedHeaders;
  readonly body: Uint8Array;
  /** Bytes of the body as they came. */
  readonly wireBytes: number;
}

/** Connections to one upstream, kept alive between exchanges. */
export class Transport {
  readonly #agent: Agent;
  readonly #timeouts: Timeouts;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
    this.#agent = new Agent({
      connections: MAX_CONNECTIONS,
      connect: { timeout: timeouts.connectMs },
      headersTimeout: timeouts.firstByteMs,
      bodyTimeout: timeouts.stallMs,
    });
  }

  /** Sends a request and reads the whole answer. Throws UpstreamError or the signal's reason. */
  async exchange(what: Exchange): Promise<Received> {
    what.signal.throwIfAborted();
    // Not AbortSignal.any(): a signal that lives as long as the node would remember every exchange.
    const limits = new AbortController();
    const onAbort = (): void => limits.abort(what.signal.reason);
    what.signal.addEventListener("abort", onAbort);
    const { totalMs } = this.#timeouts;
    const total = setTimeout(() => {
      limits.abort(new UpstreamError("unreachable", `no whole answer within ${totalMs} ms`));
    }, totalMs);
    try {
      const answer = await this.#send(what, limits.signal);
      const received = await readAnswer(answer, what.maxBytes);
      // Undici takes a connection back one turn of the loop after its answer; until then it would open another.
      await nextTurn();
      return received;
    } catch (error) {
      const reason = limits.signal.aborted ? limits.signal.reason : this.#toUpstreamError(error);
      // Hangs up on an answer that is not read to its end.
      limits.abort(reason);
      throw reason;
    } finally {
      clearTimeout(total);
      what.signal.removeEventListener("abort", onAbort);
    }
  }

  async #send(
    { method, url, headers, body }: Exchange,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = url;
    const options = { method, origin, path: pathname + search, headers, signal, body: body ?? null };
    try {
      return await this.#agent.request(options);
    } catch (error) {
      // The other side may close a kept connection just as it is used again; that says nothing about it.
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
    const unreachable = (message: string): UpstreamError =>
      new UpstreamError("unreachable", message, { cause: error });
    if (code === "UND_ERR_CONNECT_TIMEOUT") return unreachable(`no connection within ${connectMs} ms`);
    if (code === "UND_ERR_HEADERS_TIMEOUT") return unreachable(`no answer within ${firstByteMs} ms`);
    if (code === "UND_ERR_BODY_TIMEOUT") return unreachable(`the answer stood still for ${stallMs} ms`);
    if (code.startsWith("Z_")) {
      const message = `the answer does not inflate: ${errorText(error)}`;
      return new UpstreamError("malformed", message, { cause: error });
    }
    return unreachable(`the exchange failed: ${code === "" ? errorText(error) : code}`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

async function readAnswer(answer: Dispatcher.ResponseData, maxBytes: number): Promise<Received> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) headers[name] = `${value}`;
  const wire = { bytes: 0 };
  const onWire = (stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> => bounded(stream, maxBytes, wire);
  const body = isPacked(headers["content-encoding"])
    ? await pipeline(answer.body, onWire, createGunzip(), (stream) => collect(bounded(stream, maxBytes)))
    : await pipeline(answer.body, onWire, collect);
  return { status: answer.statusCode, headers, body, wireBytes: wire.bytes };
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** Counts what passes. Throws as soon as it is more than agreed to. */
async function* bounded(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  count = { bytes: 0 },
): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    count.bytes += chunk.length;
    if (count.bytes > maxBytes) {
      throw new UpstreamError("too_large", `the answer is larger than ${maxBytes} bytes`);
    }
    yield chunk;
  }
}

function isPacked(coding: string | undefined): boolean {
  const name = coding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return false;
  if (name === "gzip" || name === "x-gzip") return true;
  throw new UpstreamError("malformed", "the answer is in a content coding that was not asked for");
}
