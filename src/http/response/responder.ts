// Builds responses: headers, caching, compression, errors by the catalogue; and counts and logs each of them.
import { CodedError, errorText } from "../../base/errors.ts";
import type { LogFields, Logger } from "../../base/log.ts";
import { ANCHORED, CHAINED, compareTrust, type TrustLevel } from "../../ledger/trust.ts";
import type { WatchEvent } from "../../ledger/watch/watched.ts";
import type { UnreadResponses } from "../admission/unread-responses.ts";
import { answerOf, errorBody } from "../error-answer.ts";
import { ERROR_CATALOGUE } from "../error-catalogue.ts";
import type { Answer, EventAnswer, StreamedAnswer } from "../operation.ts";
import { notFoundPage } from "../pages/plain-pages.ts";
import type { StaticFile } from "../pages/static-files.ts";
import type { ServedRequest } from "../served-request.ts";
import { cutOff } from "../transport/cut-off.ts";
import { type BodySink, CLIENT_GONE, type Exchange, type HeaderSet } from "../transport/exchange.ts";

import { type AccessLog, LogBudget } from "./access-log.ts";
import {
  CompressedDocuments,
  compress,
  entityTag,
  entityTagInSlices,
  isCompressible,
  isLongBody,
} from "./body-forms.ts";
import { addCorsHeaders } from "./cors.ts";
import { type HeaderMaker, plainHeaders } from "./headers.ts";
import { type Coding, type Form, negotiateCoding, negotiateForm } from "./negotiation.ts";
import { createRequestId, givenRequestId } from "./request-id.ts";
import { writePieces } from "./write-pieces.ts";

/** Called once for each response. */
export type RequestObserver = (
  operationId: string,
  status: number,
  seconds: number,
  exchange?: Exchange,
) => void;

/** Parts of the responder. */
export interface ResponderOptions {
  readonly headers: HeaderMaker;
  readonly unreadResponses: UnreadResponses;
  readonly archiveUrl: string | undefined;
  /** True for a chain that may begin again under the same id: caches keep nothing of it for good. */
  readonly mayRestart: (chainId: number) => boolean;
  readonly logger: Logger;
  /** Undefined when requests are not logged. */
  readonly accessLog: AccessLog | undefined;
  readonly onRequest: RequestObserver | undefined;
}

const IMMUTABLE_CACHING = "public, max-age=31536000, immutable";

function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => {
    const text = item.trim();
    return text === "*" || (text.startsWith("W/") ? text.slice(2) : text) === etag;
  });
}

/** True for a client that would rather read a page than JSON. */
function isBrowser({ method, headers }: Exchange): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && negotiateForm(headers.accept, ["json", "html"]) === "html";
}

function isSameTrust(a: TrustLevel | undefined, b: TrustLevel): boolean {
  return a !== undefined && compareTrust(a, b) === 0;
}

/** Why a request was not served, in one line, and what led to that. */
function refusalFields(error: unknown): LogFields {
  const cause = error instanceof Error ? error.cause : undefined;
  return { err: errorText(error), ...(cause === undefined ? {} : { cause: errorText(cause) }) };
}

/** Sends responses. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #logBudget = new LogBudget();
  /** Operations of probes whose last response was a refusal: only the first of a row is logged. */
  readonly #failingProbes = new Set<string>();
  readonly #compressedDocuments = new CompressedDocuments();
  /** The server is closing or draining: every response closes its connection. */
  closing = false;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Sends what a handler returned, encoded. */
  respond(
    request: ServedRequest,
    form: Form,
    answer: Answer<unknown>,
    bytes: string | Uint8Array,
  ): Promise<void> | undefined {
    const { headers: prepared, isPinned } = request;
    const { version, status = 200 } = answer;
    const about = this.#options.headers.about(answer);
    if (isPinned && version !== undefined && this.#isFinal(request, version)) {
      if (isLongBody(bytes)) {
        return entityTagInSlices(bytes).then((etag) => {
          request.assertClient();
          this.#sendImmutable(request, form, bytes, { version, about, etag });
        });
      }
      this.#sendImmutable(request, form, bytes, { version, about, etag: entityTag(bytes, form) });
      return undefined;
    }
    const isLatest =
      prepared !== undefined &&
      version === prepared.position.version &&
      !isPinned &&
      (request.trust === prepared.trust || isSameTrust(request.trust, prepared.trust));
    const headers = isLatest ? prepared.latest[form] : (prepared?.other[form] ?? plainHeaders(form));
    const extra = isLatest
      ? about
      : this.#readHeaders(request, version, "Cache-Control", "no-cache", ...about);
    if (status === 200 && isCompressible(form, bytes.length))
      return this.#sendCompressed(request, headers, extra, bytes);
    this.send(request, status, headers, extra, bytes);
    return undefined;
  }

  /** Sends a response in pieces, as fast as the client reads. No more pieces are made once the client is gone. */
  async stream(request: ServedRequest, form: Form, answer: StreamedAnswer): Promise<void> {
    const { exchange } = request;
    const requestId = this.#requestIdOf(exchange);
    const about = this.#options.headers.about(answer);
    const extra = this.#readHeaders(request, answer.version, "Cache-Control", "no-cache", ...about);
    const sink = exchange.start({
      status: 200,
      headers: request.headers?.other[form] ?? plainHeaders(form),
      extra: this.#withOwn(exchange, extra, requestId),
      closes: this.closing,
      isEndless: false,
    });
    let counted = 200;
    let bytes = 0;
    try {
      const { unreadResponses } = this.#options;
      const onTaken = (): void => unreadResponses.noteTaken(exchange.socket);
      if (exchange.method === "HEAD") sink.end();
      else bytes = await writePieces(sink, answer.stream, onTaken);
    } catch (error) {
      // The status is sent already: only a body without its end shows that it is not complete.
      counted = sink.socket.destroyed ? CLIENT_GONE : 500;
      if (counted === 500) this.#logFailure(request, requestId ?? createRequestId(), 500, error);
      cutOff(exchange.socket);
    } finally {
      this.settle(request, counted, bytes, requestId);
    }
  }

  /** Starts a response of events. It counts as answered: how long it stays open says nothing of the node. */
  startEvents(request: ServedRequest, form: Form, answer: EventAnswer<WatchEvent>): BodySink {
    const { exchange } = request;
    // The last header keeps proxies from holding events back.
    const caching = ["Cache-Control", "no-cache", "X-Accel-Buffering", "no"];
    const about = this.#options.headers.about(answer);
    const extra = this.#readHeaders(request, answer.version, ...caching, ...about);
    const requestId = this.#requestIdOf(exchange);
    const sink = exchange.start({
      status: 200,
      headers: request.headers?.other[form] ?? plainHeaders(form),
      extra: this.#withOwn(exchange, extra, requestId),
      closes: this.closing,
      isEndless: true,
    });
    this.settle(request, 200, 0, requestId);
    return sink;
  }

  /** Sends a file of the package. */
  sendFile(request: ServedRequest, file: StaticFile, body: Uint8Array): void {
    const { etag, coding, isImmutable } = file;
    const extra = ["Cache-Control", isImmutable ? IMMUTABLE_CACHING : "no-cache", "ETag", etag];
    const isKnown = matchesEtag(request.exchange.headers["if-none-match"], etag);
    if (coding !== undefined && !isKnown) extra.push("Content-Encoding", coding);
    this.send(request, isKnown ? 304 : 200, file.headers, extra, isKnown ? undefined : body, {
      isShared: isImmutable,
    });
  }

  /** Sends an error response. */
  fail(request: ServedRequest, error: unknown): void {
    const { condition, message, headers: extraHeaders, extra: extraKeys = {} } = answerOf(error);
    const { status } = ERROR_CATALOGUE[condition];
    let requestId: string | undefined;
    if (status >= 500) {
      requestId = givenRequestId(request.exchange.headers) ?? createRequestId();
      if (condition !== "unhealthy" || this.#isFirstRefusal(request)) {
        this.#logFailure(request, requestId, status, error);
      }
    }
    const { archiveUrl } = this.#options;
    const extra =
      condition === "version_pruned" && archiveUrl !== undefined
        ? { archival_endpoint: archiveUrl }
        : extraKeys;
    const own = this.#readHeaders(request, undefined, "Cache-Control", "no-store", ...extraHeaders);
    if (condition === "unknown_path" && isBrowser(request.exchange)) {
      this.send(request, status, plainHeaders("html"), own, notFoundPage(request.exchange.target));
      return;
    }
    const headers = request.headers?.other.json ?? plainHeaders("json");
    this.send(request, status, headers, own, errorBody(condition, message, extra), { requestId });
  }

  /**
   * Sends a response with the CORS and request-id headers that the request asks for. Throws before sending if too many
   * bytes are unsent already.
   */
  send(
    request: ServedRequest,
    status: number,
    headers: HeaderSet,
    extra: readonly string[],
    body: string | Uint8Array | undefined,
    {
      requestId,
      isShared = false,
    }: { readonly requestId?: string | undefined; readonly isShared?: boolean } = {},
  ): void {
    const { exchange } = request;
    const onSent =
      body === undefined ? undefined : this.#options.unreadResponses.reserve(exchange.socket, body);
    // A shared cache would hand this id to other clients.
    const id = isShared ? undefined : (requestId ?? this.#requestIdOf(exchange));
    const all = this.#withOwn(exchange, extra, id);
    const counted = exchange.isGone ? CLIENT_GONE : status;
    exchange.respond({ status, headers, extra: all, body, closes: this.closing, onSent, isShared });
    this.settle(request, counted, body, id);
  }

  /** The client's id. With an access log, every request has one: the line and the response have the same. */
  #requestIdOf({ headers }: Exchange): string | undefined {
    return givenRequestId(headers) ?? (this.#options.accessLog === undefined ? undefined : createRequestId());
  }

  /** Adds the CORS and request-id headers. */
  #withOwn(exchange: Exchange, extra: readonly string[], requestId: string | undefined): readonly string[] {
    const { origin } = exchange.headers;
    if (origin === undefined && requestId === undefined) return extra;
    const more = extra.slice();
    if (origin !== undefined) addCorsHeaders(more, origin, this.#options.headers.exposed);
    if (requestId !== undefined) more.push("X-Request-Id", requestId);
    return more;
  }

  /** Counts a finished request, and writes the access log if it is on. */
  settle(
    { exchange, operation }: ServedRequest,
    status: number,
    body?: string | Uint8Array | number | undefined,
    requestId?: string | undefined,
  ): void {
    if (this.#failingProbes.size > 0 && status < 500) this.#failingProbes.delete(operation?.id ?? "");
    const { onRequest, accessLog } = this.#options;
    onRequest?.(operation?.id ?? "none", status, (performance.now() - exchange.sinceMs) / 1000, exchange);
    if (accessLog === undefined) return;
    const bytes =
      typeof body === "string" ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.length : body;
    accessLog.write(exchange, { status, bytes, requestId });
  }

  /** A response at a final version: cacheable for ever. It is not compressed, because a strong ETag names exact bytes. */
  #sendImmutable(
    request: ServedRequest,
    form: Form,
    bytes: string | Uint8Array,
    {
      version,
      about,
      etag,
    }: { readonly version: bigint; readonly about: readonly string[]; readonly etag: string },
  ): void {
    const headers = request.headers?.other[form] ?? plainHeaders(form);
    const extra = this.#readHeaders(request, version, "Cache-Control", IMMUTABLE_CACHING, ...about);
    extra.push("ETag", etag);
    const isKnown = matchesEtag(request.exchange.headers["if-none-match"], etag);
    this.send(request, isKnown ? 304 : 200, headers, extra, isKnown ? undefined : bytes, {
      isShared: true,
    });
  }

  async #sendCompressed(
    request: ServedRequest,
    headers: HeaderSet,
    extra: readonly string[],
    bytes: string | Uint8Array,
  ): Promise<void> {
    const coding = request.isPinned
      ? undefined
      : negotiateCoding(request.exchange.headers["accept-encoding"]);
    if (coding === undefined) {
      this.send(request, 200, headers, extra, bytes);
      return;
    }
    const packed = await this.#compress(request, bytes, coding);
    request.assertClient();
    this.send(request, 200, headers, [...extra, "Content-Encoding", coding], packed);
  }

  /** Compresses a body. Until then the whole body is in memory, so it counts against the budget. */
  async #compress(
    { exchange, operation }: ServedRequest,
    body: string | Uint8Array,
    coding: Coding,
  ): Promise<Uint8Array> {
    if (operation?.isDocument === true && typeof body !== "string") {
      return this.#compressedDocuments.compress(body, coding);
    }
    const release = this.#options.unreadResponses.reserve(exchange.socket, body);
    try {
      return await compress(typeof body === "string" ? Buffer.from(body) : body, coding);
    } finally {
      release?.();
    }
  }

  /** The version that was read and what it rests on, then `more`. */
  #readHeaders({ trust }: ServedRequest, version: bigint | undefined, ...more: readonly string[]): string[] {
    const headers: string[] = [];
    if (version !== undefined) this.#options.headers.addReadVersion(headers, version);
    if (trust !== undefined) this.#options.headers.addTrust(headers, trust);
    headers.push(...more);
    return headers;
  }

  /** A waypoint or a signature fixes the state for good: caches may keep such a response. */
  #isFinal({ headers, trust }: ServedRequest, version: bigint): boolean {
    if (headers === undefined || trust === undefined) return false;
    if (this.#options.mayRestart(headers.position.chainId)) return false;
    return compareTrust(trust, version === 0n ? CHAINED : ANCHORED) >= 0;
  }

  /** True for the first refusal of a probe since it succeeded. */
  #isFirstRefusal({ operation }: ServedRequest): boolean {
    const id = operation?.id ?? "";
    if (this.#failingProbes.has(id)) return false;
    this.#failingProbes.add(id);
    return true;
  }

  #logFailure({ operation }: ServedRequest, requestId: string, status: number, error: unknown): void {
    const { logger } = this.#options;
    const omitted = this.#logBudget.take(performance.now());
    if (omitted === undefined) return;
    const fields = {
      operation: operation?.id,
      status,
      requestId,
      // Only a fault of this program needs its stack.
      ...(status === 500 && !(error instanceof CodedError) ? { err: error } : refusalFields(error)),
      ...(omitted > 0 ? { omitted } : {}),
    };
    if (status === 500) logger.error(fields, "request failed");
    else logger.warn(fields, "request not served");
  }
}
