// Answers: which headers, which caching rule, compressed or not; errors by the catalogue; and what is written down
// about each of them.
import type { Logger } from "../base/log.ts";
import { compress, isCompressible } from "./compression.ts";
import { addCorsHeaders } from "./cors.ts";
import { entityTag } from "./entity-tag.ts";
import { errorBody, faultOf } from "./error-body.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import type { Exchange, HeaderSet } from "./exchange.ts";
import { type HeaderMaker, type PositionHeaders, plainHeaders } from "./headers.ts";
import { LogBudget } from "./log-budget.ts";
import { type Form, negotiateCoding } from "./negotiation.ts";
import type { Operation, StreamedAnswer } from "./operation.ts";
import { createRequestId, givenRequestId } from "./request-id.ts";
import type { UnreadResponses } from "./unread-responses.ts";
import { writePieces } from "./write-pieces.ts";

/** What answers are made with. */
export interface ResponderOptions {
  readonly headers: HeaderMaker;
  readonly unreadResponses: UnreadResponses;
  readonly archivalEndpoint: string | undefined;
  readonly cachePinned: boolean;
  readonly logger: Logger;
  readonly accessLog: boolean;
  readonly onRequest: ((operationId: string, status: number, seconds: number) => void) | undefined;
}

/** A request with what is known about it so far. */
export interface Serving {
  readonly exchange: Exchange;
  operation: Operation | undefined;
  headers: PositionHeaders | undefined;
  /** True for an answer that can never change: a GET that names its version. */
  isPinned: boolean;
}

const PINNED_CACHING = "public, max-age=31536000, immutable";
const NO_EXTRA: readonly string[] = [];

function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => {
    const text = item.trim();
    return text === "*" || (text.startsWith("W/") ? text.slice(2) : text) === etag;
  });
}

/** Answers requests. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #logBudget = new LogBudget();
  /** Set while the server closes: answers then end their connections. */
  closing = false;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Answers with what a handler returned, in one form, read at a version where there is one; `about` are headers on it. */
  answer(
    serving: Serving,
    form: Form,
    bytes: string | Uint8Array,
    version: bigint | undefined,
    about: readonly string[] = NO_EXTRA,
  ): Promise<void> | undefined {
    const { exchange, headers: prepared, isPinned } = serving;
    this.#options.unreadResponses.assertRoom(exchange, bytes.length);
    if (isPinned && this.#options.cachePinned) {
      this.#answerForGood(serving, form, bytes, version, about);
      return undefined;
    }
    const isLatest = prepared !== undefined && version === prepared.position.version && !isPinned;
    const headers = isLatest ? prepared.latest[form] : (prepared?.other[form] ?? plainHeaders(form));
    const extra = isLatest ? about : this.#versionHeaders(version, "Cache-Control", "no-cache", ...about);
    if (isCompressible(form, bytes.length)) return this.#answerPacked(serving, headers, extra, bytes);
    this.send(serving, 200, headers, extra, bytes);
    return undefined;
  }

  /** Answers piece by piece, as fast as the client reads. The pieces are asked for while it does, and not once it is gone. */
  async stream(
    serving: Serving,
    form: Form,
    { stream, version }: StreamedAnswer,
    about: readonly string[],
  ): Promise<void> {
    const { exchange } = serving;
    const response = exchange.startStream({
      status: 200,
      headers: serving.headers?.other[form] ?? plainHeaders(form),
      extra: this.#withOwn(exchange, this.#versionHeaders(version, "Cache-Control", "no-cache", ...about)),
      closes: this.closing,
    });
    if (response === undefined) return;
    try {
      const { unreadResponses } = this.#options;
      const onTaken = (): void => unreadResponses.noteTaken(exchange.socket);
      if (exchange.method === "HEAD") response.end();
      else await writePieces(response, stream, onTaken);
    } catch (error) {
      // The status is out already: only a body without its end tells that it is not whole.
      if (!response.destroyed) this.#logFailure(serving, createRequestId(), 500, error);
      response.destroy();
    } finally {
      this.settle(serving, 200);
    }
  }

  /** Answers with an error. */
  fail(serving: Serving, error: unknown): void {
    const { condition, message, headers: extraHeaders } = faultOf(error);
    const { status } = ERROR_CATALOGUE[condition];
    let requestId: string | undefined;
    if (status >= 500) {
      requestId = givenRequestId(serving.exchange.headers) ?? createRequestId();
      this.#logFailure(serving, requestId, status, error);
    }
    const { archivalEndpoint } = this.#options;
    const extra =
      condition === "version_pruned" && archivalEndpoint !== undefined
        ? { archival_endpoint: archivalEndpoint }
        : {};
    const headers = serving.headers?.other.json ?? plainHeaders("json");
    const own = ["Cache-Control", "no-store", ...extraHeaders];
    this.send(serving, status, headers, own, errorBody(condition, message, extra), requestId);
  }

  /** Sends an answer, with what the request's own headers ask for. */
  send(
    serving: Serving,
    status: number,
    headers: HeaderSet,
    extra: readonly string[],
    body: string | Uint8Array | undefined,
    requestId?: string,
  ): void {
    const { exchange } = serving;
    const all = this.#withOwn(exchange, extra, requestId);
    exchange.reply({ status, headers, extra: all, body, closes: this.closing });
    this.settle(serving, status);
  }

  /** Adds what the request's own headers ask for. */
  #withOwn(exchange: Exchange, extra: readonly string[], requestId?: string): readonly string[] {
    const { origin, "x-request-id": given } = exchange.headers;
    if (origin === undefined && given === undefined && requestId === undefined) return extra;
    const more = extra.slice();
    if (origin !== undefined) addCorsHeaders(more, origin, this.#options.headers.exposed);
    const id = requestId ?? givenRequestId(exchange.headers);
    if (id !== undefined) more.push("X-Request-Id", id);
    return more;
  }

  /** Counts a request that was answered, and logs it where that is wanted. */
  settle({ exchange, operation }: Serving, status: number): void {
    const { onRequest, accessLog, logger } = this.#options;
    if (onRequest === undefined && !accessLog) return;
    const seconds = (performance.now() - exchange.sinceMs) / 1000;
    const id = operation?.id ?? "none";
    onRequest?.(id, status, seconds);
    if (accessLog) {
      const { method, target, socket } = exchange;
      logger.info(
        { operation: id, method, url: target, status, seconds, remote: socket.remoteAddress },
        "request",
      );
    }
  }

  /** A strong tag stands for exact bytes, so what has one is not compressed. */
  #answerForGood(
    serving: Serving,
    form: Form,
    bytes: string | Uint8Array,
    version: bigint | undefined,
    about: readonly string[],
  ): void {
    const etag = entityTag(bytes, form);
    const headers = serving.headers?.other[form] ?? plainHeaders(form);
    const extra = this.#versionHeaders(version, "Cache-Control", PINNED_CACHING, ...about);
    extra.push("ETag", etag);
    const isKnown = matchesEtag(serving.exchange.headers["if-none-match"], etag);
    this.send(serving, isKnown ? 304 : 200, headers, extra, isKnown ? undefined : bytes);
  }

  async #answerPacked(
    serving: Serving,
    headers: HeaderSet,
    extra: readonly string[],
    bytes: string | Uint8Array,
  ): Promise<void> {
    const coding = serving.isPinned
      ? undefined
      : negotiateCoding(serving.exchange.headers["accept-encoding"]);
    if (coding === undefined) {
      this.send(serving, 200, headers, extra, bytes);
      return;
    }
    const packed = await compress(Buffer.from(bytes), coding);
    this.send(serving, 200, headers, [...extra, "Content-Encoding", coding], packed);
  }

  #versionHeaders(version: bigint | undefined, ...more: readonly string[]): string[] {
    const headers: string[] = [];
    if (version !== undefined) this.#options.headers.addReadVersion(headers, version);
    headers.push(...more);
    return headers;
  }

  #logFailure({ operation }: Serving, requestId: string, status: number, error: unknown): void {
    const { logger } = this.#options;
    const omitted = this.#logBudget.take(performance.now());
    if (omitted === undefined) return;
    const fields = {
      operation: operation?.id,
      status,
      requestId,
      err: error,
      ...(omitted > 0 ? { omitted } : {}),
    };
    if (status === 500) logger.error(fields, "request failed");
    else logger.warn(fields, "request not served");
  }
}
