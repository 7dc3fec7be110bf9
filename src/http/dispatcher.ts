// Serves one request: route, arguments, switches, body, view, handler, answer. Everything that handlers have
// in common is done here, once.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../base/log.ts";
import { LedgerError } from "../ledger/errors.ts";
import type { Ledger, LedgerView } from "../ledger/view.ts";
import { Abandoned, assertBodyHeaders, type BodyBudget, BodyHold, drainBody, readBody } from "./body.ts";
import { compress, isCompressible } from "./compression.ts";
import { addCorsHeaders, isPreflightMethod, preflightHeaders } from "./cors.ts";
import { entityTag } from "./entity-tag.ts";
import { errorBody, faultOf } from "./error-body.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { HttpError, quoteInput } from "./errors.ts";
import { HeaderMaker, type PositionHeaders, plainHeaders } from "./headers.ts";
import { LogBudget } from "./log-budget.ts";
import {
  type Coding,
  type Form,
  isJsonMediaType,
  MEDIA_TYPES,
  negotiateCoding,
  negotiateForm,
} from "./negotiation.ts";
import type { Operation } from "./operation.ts";
import type { PassThrough } from "./pass-through.ts";
import { createRequestId, givenRequestId } from "./request-id.ts";
import { Router } from "./router.ts";
import type { Services } from "./services.ts";
import type { SlowReaders } from "./slow-readers.ts";
import { headerLines, WholeAnswers } from "./whole-answer.ts";

/** What the operator can turn off. */
export interface Switches {
  readonly encode: boolean;
  readonly jsonOutput: boolean;
  readonly bcsOutput: boolean;
}

/** What the dispatcher is made with. */
export interface DispatcherOptions {
  readonly ledger: Ledger;
  readonly services: Services;
  readonly operations: readonly Operation[];
  readonly headerBrands: readonly string[];
  readonly switches: Switches;
  readonly bodyLimitBytes: number;
  readonly bodyBudgetBytes: number;
  readonly maxInFlight: number;
  readonly maxLagMs: number | undefined;
  readonly archivalEndpoint: string | undefined;
  /** For the next request of a connection. */
  readonly keepAliveMs: number;
  /** Takes what is not served here. */
  readonly passThrough: PassThrough | undefined;
  readonly idleMs: number;
  readonly slowReaders: SlowReaders;
  readonly cachePinned: boolean;
  readonly logger: Logger;
  readonly accessLog: boolean;
  readonly onRequest: ((operationId: string, status: number, seconds: number) => void) | undefined;
}

/** Longest request target; node's own limit is for target and headers together. */
const MAX_TARGET_LENGTH = 16 * 1024;
const PINNED_CACHING = "public, max-age=31536000, immutable";

/** One request while it is served. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedMs: number;
  /** True until the client that waits for it was told to go on. */
  awaitsContinue: boolean;
  operation: Operation | undefined;
  headers: PositionHeaders | undefined;
  /** Made for a request that failed inside. */
  requestId: string | undefined;
  /** True for an answer that can never change: a GET that names its version. */
  pinned: boolean;
}

function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue: boolean,
): Exchange {
  return {
    request,
    response,
    startedMs: performance.now(),
    awaitsContinue,
    operation: undefined,
    headers: undefined,
    requestId: undefined,
    pinned: false,
  };
}

/** A compressed body. */
interface Packed {
  readonly coding: Coding;
  readonly bytes: Uint8Array;
}

/** Path of a request target, which may be absolute. */
function originForm(target: string): string {
  const scheme = target.startsWith("http://") ? 7 : target.startsWith("https://") ? 8 : 0;
  if (scheme === 0) return target;
  const slash = target.indexOf("/", scheme);
  return slash < 0 ? "/" : target.slice(slash);
}

function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => {
    const text = item.trim();
    return text === "*" || (text.startsWith("W/") ? text.slice(2) : text) === etag;
  });
}

/** Serves requests over one ledger. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #router: Router;
  readonly #headers: HeaderMaker;
  readonly #budget: BodyBudget;
  readonly #logBudget = new LogBudget();
  readonly #wholeAnswers: WholeAnswers;
  #inFlight = 0;
  /** Set while the server closes: answers then end their connections. */
  closing = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#router = new Router(options.operations);
    this.#headers = new HeaderMaker(options.headerBrands);
    this.#wholeAnswers = new WholeAnswers(options.keepAliveMs);
    this.#budget = { maxBytes: options.bodyBudgetBytes, usedBytes: 0 };
  }

  /** Serves one request. Whatever goes wrong inside is answered; a rejection is a fault of this code. */
  async serve(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<void> {
    const exchange = createExchange(request, response, awaitsContinue);
    let inFlight = 0;
    let view: LedgerView | undefined;
    let hold: BodyHold | undefined;
    try {
      const target = request.url ?? "/";
      if (target.length > MAX_TARGET_LENGTH) {
        throw new HttpError(
          "uri_too_long",
          `the request target is longer than ${MAX_TARGET_LENGTH} characters`,
        );
      }
      if (request.method === "OPTIONS" && request.headers.origin !== undefined) {
        this.#answerPreflight(exchange, request.headers.origin);
        return;
      }
      const url = originForm(target);
      const mark = url.indexOf("?");
      const { operation, segments } = this.#route(exchange, mark < 0 ? url : url.slice(0, mark));
      exchange.operation = operation;
      const args = operation.parseArgs(segments, mark < 0 ? "" : url.slice(mark + 1));
      exchange.pinned = operation.method === "GET" && args.ledger_version !== undefined;
      const form = this.#negotiate(operation, request.headers.accept);
      if (operation.body !== undefined) {
        hold = new BodyHold(this.#options.bodyLimitBytes, this.#budget);
        args.body = operation.body.parse(await this.#readBody(exchange, hold));
      }
      // Bodies on their way are not counted: slow ones must not keep others out.
      inFlight = 1;
      if (++this.#inFlight > this.#options.maxInFlight) {
        throw new HttpError("overloaded", "too many requests in hand", { headers: ["Retry-After", "1"] });
      }
      if (operation.ledger !== "none") {
        view = await this.#openView(operation);
        if (view !== undefined) exchange.headers = this.#headers.prepare(view.position);
        if (view !== undefined && operation.ledger === "required") this.#assertRecent(view, operation);
      }
      if (response.destroyed) throw new Abandoned("the client went away");
      const { data, version } = await operation.handle(args, { view, services: this.#options.services });
      const bytes = operation.encode(data, form);
      this.#options.slowReaders.assertRoom(response, bytes.length);
      const packed = isCompressible(form, bytes.length) ? await this.#pack(exchange, bytes) : undefined;
      this.#answer(exchange, form, bytes, version, packed);
    } catch (error) {
      if (await this.#passOn(exchange, error)) return;
      if (!(error instanceof Abandoned)) this.#fail(exchange, error);
    } finally {
      this.#inFlight -= inFlight;
      view?.release();
      hold?.release();
    }
  }

  /** Hands what is not served here to the upstream, where one is configured; true when it was answered. */
  async #passOn(exchange: Exchange, error: unknown): Promise<boolean> {
    const { passThrough } = this.#options;
    if (passThrough === undefined || !(error instanceof HttpError) || !error.isElsewhere) return false;
    const { request, response } = exchange;
    try {
      if (exchange.awaitsContinue) response.writeContinue();
      exchange.awaitsContinue = false;
      const status = await passThrough.serve(request, response, originForm(request.url ?? "/"));
      this.#settle(exchange, status);
    } catch (failure) {
      if (!response.headersSent) this.#fail(exchange, failure);
    }
    return true;
  }

  /** Value of Access-Control-Expose-Headers. */
  get exposedHeaders(): string {
    return this.#headers.exposed;
  }

  /** Requests being worked on. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Answers a request with an error without serving it. */
  refuse(request: IncomingMessage, response: ServerResponse, error: HttpError): void {
    this.#fail(createExchange(request, response, true), error);
  }

  #route(exchange: Exchange, path: string): { operation: Operation; segments: readonly string[] } {
    const { request } = exchange;
    if (request.headers.host === undefined && request.httpVersion === "1.1") {
      throw new HttpError("malformed_request", "the Host header is missing");
    }
    const method = request.method ?? "GET";
    const match = this.#router.find(method, path);
    if (match === undefined) {
      throw new HttpError("unknown_path", `nothing is served at ${quoteInput(path)}`, { isElsewhere: true });
    }
    if ("operation" in match) return match;
    const allowed = match.join(", ");
    throw new HttpError("wrong_method", `${method} is not served at this path, only ${allowed}`, {
      headers: ["Allow", allowed],
      isElsewhere: true,
    });
  }

  #negotiate(operation: Operation, accept: string | undefined): Form {
    const { switches } = this.#options;
    if (operation.switch !== undefined && !switches[operation.switch]) {
      throw new HttpError("disabled", `${operation.id} is switched off on this node`);
    }
    const form = negotiateForm(accept, operation.forms);
    if (operation.forms.length === 1 && form === "bcs" && negotiateForm(accept, ["json", "bcs"]) !== "bcs") {
      throw new HttpError(
        "disabled",
        `${operation.id} answers in ${MEDIA_TYPES.bcs} only: ask for it in Accept`,
        { isElsewhere: true },
      );
    }
    if (operation.switchable) {
      if (form === "json" && !switches.jsonOutput)
        throw new HttpError("disabled", "JSON output is switched off on this node");
      if (form === "bcs" && !switches.bcsOutput)
        throw new HttpError("disabled", "BCS output is switched off on this node");
    }
    return form;
  }

  async #readBody(exchange: Exchange, hold: BodyHold): Promise<Uint8Array> {
    const { request, response } = exchange;
    const contentType = request.headers["content-type"];
    if (contentType === undefined || !isJsonMediaType(contentType)) {
      const got = contentType === undefined ? "none" : quoteInput(contentType);
      throw new HttpError("unsupported_media_type", `Content-Type: expected application/json, got ${got}`);
    }
    assertBodyHeaders(request, hold.maxBytes);
    if (exchange.awaitsContinue) {
      exchange.awaitsContinue = false;
      response.writeContinue();
    }
    return readBody(request, hold);
  }

  async #openView(operation: Operation): Promise<LedgerView | undefined> {
    try {
      return await this.#options.ledger.openView();
    } catch (error) {
      if (operation.ledger === "optional") return undefined;
      const message =
        error instanceof LedgerError && error.code === "no_ledger"
          ? "there is no ledger yet"
          : "the storage is out of reach";
      throw new HttpError(operation.unavailable, message, { cause: error });
    }
  }

  #assertRecent(view: LedgerView, operation: Operation): void {
    const { maxLagMs, services } = this.#options;
    if (maxLagMs === undefined || operation.servedStale) return;
    const lagMs = BigInt(services.clock()) - view.position.timestampUsec / 1000n;
    if (lagMs > BigInt(maxLagMs)) {
      throw new HttpError(
        operation.unavailable,
        `the ledger is ${lagMs} ms behind, more than the ${maxLagMs} ms allowed`,
      );
    }
  }

  #answerPreflight(exchange: Exchange, origin: string): void {
    const { headers } = exchange.request;
    const method = headers["access-control-request-method"];
    if (!isPreflightMethod(method)) {
      throw new HttpError(
        "preflight_refused",
        `Access-Control-Request-Method: expected GET, HEAD or POST, got ${method === undefined ? "none" : quoteInput(method)}`,
      );
    }
    const requested = headers["access-control-request-headers"];
    exchange.response.writeHead(200, preflightHeaders(origin, requested)).end();
    this.#settle(exchange, 200);
  }

  #answer(
    exchange: Exchange,
    form: Form,
    bytes: string | Uint8Array,
    version: bigint | undefined,
    packed: Packed | undefined,
  ): void {
    const { headers: prepared, request } = exchange;
    if (prepared !== undefined && version === prepared.position.version && !exchange.pinned) {
      if (packed === undefined && this.#sendWhole(exchange, prepared.latestLines[form], bytes)) return;
      this.#sendPacked(exchange, prepared.latest[form].slice(), bytes, packed);
      return;
    }
    const headers = prepared === undefined ? plainHeaders(form) : prepared.other[form].slice();
    if (version !== undefined) this.#headers.addReadVersion(headers, version);
    if (!exchange.pinned || !this.#options.cachePinned) {
      headers.push("Cache-Control", "no-cache");
      if (packed === undefined && this.#sendWhole(exchange, headerLines(headers), bytes)) return;
      this.#sendPacked(exchange, headers, bytes, packed);
      return;
    }
    // A strong tag stands for exact bytes, so what has one is not compressed.
    const etag = entityTag(bytes, form);
    headers.push("Cache-Control", PINNED_CACHING, "ETag", etag);
    const isKnown = matchesEtag(request.headers["if-none-match"], etag);
    if (!isKnown && this.#sendWhole(exchange, headerLines(headers), bytes)) return;
    this.#send(exchange, isKnown ? 304 : 200, headers, isKnown ? undefined : bytes);
  }

  /** Sends an ordinary short answer; false when it is none. */
  #sendWhole(exchange: Exchange, lines: string, body: string | Uint8Array): boolean {
    const { request, response } = exchange;
    const { origin, "x-request-id": requestId } = request.headers;
    const isOrdinary =
      origin === undefined && requestId === undefined && !this.closing && !exchange.awaitsContinue;
    if (!isOrdinary || !this.#wholeAnswers.send(request, response, 200, lines, body)) return false;
    this.#sent(exchange, 200);
    return true;
  }

  #sendPacked(
    exchange: Exchange,
    headers: string[],
    bytes: string | Uint8Array,
    packed: Packed | undefined,
  ): void {
    if (packed !== undefined) headers.push("Content-Encoding", packed.coding);
    this.#send(exchange, 200, headers, packed === undefined ? bytes : packed.bytes);
  }

  /** Compresses a large body where the client takes it. */
  async #pack(exchange: Exchange, bytes: string | Uint8Array): Promise<Packed | undefined> {
    const coding = negotiateCoding(exchange.request.headers["accept-encoding"]);
    if (coding === undefined || exchange.pinned) return undefined;
    return { coding, bytes: await compress(Buffer.from(bytes), coding) };
  }

  #fail(exchange: Exchange, error: unknown): void {
    const { condition, message, headers: extraHeaders } = faultOf(error);
    const { status } = ERROR_CATALOGUE[condition];
    if (status >= 500) {
      exchange.requestId = givenRequestId(exchange.request) ?? createRequestId();
      this.#logFailure(exchange, status, error);
    }
    const { archivalEndpoint } = this.#options;
    const extra =
      condition === "version_pruned" && archivalEndpoint !== undefined
        ? { archival_endpoint: archivalEndpoint }
        : {};
    const headers =
      exchange.headers === undefined ? plainHeaders("json") : exchange.headers.other.json.slice();
    headers.push("Cache-Control", "no-store", ...extraHeaders);
    this.#send(exchange, status, headers, errorBody(condition, message, extra));
  }

  #logFailure({ operation, requestId }: Exchange, status: number, error: unknown): void {
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

  #send(exchange: Exchange, status: number, headers: string[], body: string | Uint8Array | undefined): void {
    const { request, response } = exchange;
    const { origin } = request.headers;
    const requestId = exchange.requestId ?? givenRequestId(request);
    if (origin !== undefined) addCorsHeaders(headers, origin, this.#headers.exposed);
    if (requestId !== undefined) headers.push("X-Request-Id", requestId);
    if (body !== undefined) headers.push("Content-Length", String(Buffer.byteLength(body)));
    // A client that still waits may send its body or not: only a new connection is unambiguous.
    if (this.closing || exchange.awaitsContinue) headers.push("Connection", "close");
    response.writeHead(status, headers);
    response.end(body);
    this.#sent(exchange, status);
  }

  #sent(exchange: Exchange, status: number): void {
    const { socket } = exchange.request;
    // Node hangs up on a client that does not read on in time. A short answer is gone by now.
    if (socket.writableLength > 0) socket.setTimeout(this.#options.idleMs);
    this.#settle(exchange, status);
  }

  #settle(exchange: Exchange, status: number): void {
    const { request, startedMs, operation } = exchange;
    if (!request.complete) drainBody(request);
    const { onRequest, accessLog, logger } = this.#options;
    if (onRequest === undefined && !accessLog) return;
    const seconds = (performance.now() - startedMs) / 1000;
    const id = operation?.id ?? "none";
    onRequest?.(id, status, seconds);
    if (accessLog) {
      const { method, url, socket } = request;
      logger.info({ operation: id, method, url, status, seconds, remote: socket.remoteAddress }, "request");
    }
  }
}
