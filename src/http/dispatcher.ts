// Serves one request: route, arguments, switches, body, view, handler, response. Everything that handlers share
// happens here, once.
import type { MaybePromise } from "../base/maybe-promise.ts";
import { LedgerError } from "../ledger/errors.ts";
import {
  compareTrust,
  formatTrust,
  TRUSTED,
  type TrustLevel,
  trustOfAnswer,
  weakestTrust,
} from "../ledger/trust.ts";
import type { Ledger, LedgerView } from "../ledger/view.ts";
import type { HeadWatch } from "../ledger/watch/head-watch.ts";
import { assertReached, type MinVersion } from "../ledger/watch/min-version.ts";
import type { WatchEvent } from "../ledger/watch/watched.ts";
import { Abandoned, assertBodyHeaders, type BodyBudget, BodyHold } from "./body.ts";
import { isPreflightMethod, preflightHeaders } from "./cors.ts";
import type { Condition } from "./error-catalogue.ts";
import { HttpError, NO_LEDGER, quoteInput } from "./errors.ts";
import type { EventStreams } from "./event-streams.ts";
import { CLIENT_GONE, type Exchange } from "./exchange.ts";
import { HeaderMaker, toHeaderSet } from "./headers.ts";
import { lagReason } from "./max-lag.ts";
import { type Form, isAccepted, isJsonMediaType, MEDIA_TYPES, negotiateForm } from "./negotiation.ts";
import {
  type Answer,
  type BodyField,
  type EventAnswer,
  type Operation,
  type ParsedArgs,
  parseField,
  type StreamedAnswer,
} from "./operation.ts";
import { isPassable, type PassThrough } from "./pass-through.ts";
import { findReferencePath, isReferenceRequest } from "./reference-paths.ts";
import { originForm } from "./request-target.ts";
import { Responder, type ResponderOptions, type Serving } from "./responder.ts";
import { Router } from "./router.ts";
import { lastEventIdField } from "./schemas/event-stream.ts";
import { minVersionOf } from "./schemas/min-version.ts";
import type { Services } from "./services.ts";
import type { StaticFile, StaticFiles } from "./static-files.ts";

/** What the operator can switch off. */
export interface Switches {
  readonly encode: boolean;
  readonly index: boolean;
  readonly transactionIndex: boolean;
  /** Off where no blocks are made. */
  readonly submit: boolean;
  readonly jsonOutput: boolean;
  readonly bcsOutput: boolean;
}

/** Parts and limits of the dispatcher. */
export interface DispatcherOptions extends Omit<ResponderOptions, "headers"> {
  readonly ledger: Ledger;
  readonly services: Services;
  readonly operations: readonly Operation[];
  readonly headerBrands: readonly string[];
  readonly switches: Switches;
  readonly bodyLimitBytes: number;
  readonly bodyBudgetBytes: number;
  readonly maxInFlight: number;
  readonly headWatch: HeadWatch;
  readonly streams: EventStreams;
  /** Requests that wait for a version. */
  readonly maxWaiting: number;
  /** 0 for no limit. */
  readonly maxLagMs: number;
  /** Weakest level of an answer that is sent; undefined for any. */
  readonly minTrust: TrustLevel | undefined;
  /** Files for browsers; undefined where they are switched off. */
  readonly files: StaticFiles | undefined;
  /** Serves the paths that this node does not; undefined without an upstream. */
  readonly passThrough: PassThrough | undefined;
}

/** Stands for all files for browsers in counts and logs. */
const STATIC_FILE = { id: "static_file", method: "GET", path: "/", isDocument: false } as const;

/** Longest request target. The limit of node:http covers target and headers together. */
const MAX_TARGET_LENGTH = 16 * 1024;

/** Runs an operation without a view if it allows that; throws otherwise. */
function withoutView(operation: Operation, error: unknown): undefined {
  const code = error instanceof LedgerError ? error.code : undefined;
  const isAwaited = code === "no_ledger" || code === "unavailable";
  if (operation.ledger === "optional" || (operation.ledger === "awaited" && isAwaited)) return undefined;
  const message = code === "no_ledger" ? NO_LEDGER : "the storage is out of reach";
  throw new HttpError(operation.unavailable, message, { cause: error });
}

/** Where a client that connects again goes on. */
function lastEventIdOf({ headers }: Exchange): bigint | undefined {
  const text = headers["last-event-id"];
  return text === undefined || text === "" ? undefined : parseField("Last-Event-ID", lastEventIdField, text);
}

function notServed(method: string, path: string): HttpError {
  return new HttpError(
    "not_served",
    `${method} ${path} is not served by this node; ask a full node, or follow one with pass-through`,
    { isElsewhere: true },
  );
}

/** What an answer rests on. One in pieces reads further items as it is sent, so those count at their weakest. */
function trustOf(
  view: LedgerView,
  answer: Answer<unknown> | StreamedAnswer | EventAnswer<WatchEvent>,
): TrustLevel {
  const level = trustOfAnswer(view, answer.version ?? view.position.version);
  return !("data" in answer) && view.fetchedTrust !== undefined ? weakestTrust(level, TRUSTED) : level;
}

/** The parser of a body's media type. Throws HttpError for another type. */
function parserOf(
  body: BodyField<unknown>,
  contentType: string | undefined,
): Pick<BodyField<unknown>, "parse"> {
  if (contentType !== undefined && isJsonMediaType(contentType)) return body;
  const { bcs } = body;
  if (bcs !== undefined && contentType?.split(";")[0]?.trim().toLowerCase() === bcs.mediaType) return bcs;
  const expected = bcs === undefined ? MEDIA_TYPES.json : `${MEDIA_TYPES.json} or ${bcs.mediaType}`;
  const got = contentType === undefined ? "none" : quoteInput(contentType);
  throw new HttpError("unsupported_media_type", `Content-Type: expected ${expected}, got ${got}`);
}

/** Whether another node may serve a request that failed here. Any node of the reference has the lists of its own paths. */
function isElsewhere({ operation }: Serving, error: unknown): boolean {
  if (error instanceof HttpError) return error.isElsewhere;
  return (
    error instanceof LedgerError &&
    error.code === "not_indexed" &&
    operation !== undefined &&
    isReferenceRequest(operation.method, operation.path)
  );
}

function wrongMethod(method: string, methods: readonly string[]): HttpError {
  const allowed = methods.join(", ");
  return new HttpError("wrong_method", `${method} is not served at this path, only ${allowed}`, {
    headers: ["Allow", allowed],
    isElsewhere: true,
  });
}

function toServing(exchange: Exchange): Serving {
  return { exchange, operation: undefined, headers: undefined, trust: undefined, isPinned: false };
}

/** Serves requests over one ledger. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #router: Router;
  readonly #headers: HeaderMaker;
  readonly #responder: Responder;
  readonly #budget: BodyBudget;
  /** Encoded documents, by operation and form. */
  readonly #documents = new Map<string, Uint8Array>();
  #inFlight = 0;
  /** End the waits for a version. */
  readonly #waits = new Set<() => void>();
  /** Requests that wait for what their operation awaits. */
  readonly #awaiting = new Map<Operation, number>();
  #isClosing = false;
  /** Requests in flight of operations with a bound of their own. */
  readonly #inFlightOf = new Map<Operation, number>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#router = new Router(options.operations);
    this.#headers = new HeaderMaker(options.headerBrands);
    this.#responder = new Responder({ ...options, headers: this.#headers });
    this.#budget = { maxBytes: options.bodyBudgetBytes, usedBytes: 0 };
  }

  /** Serves one request. Faults become error responses; a rejection is a bug here. */
  async serve(exchange: Exchange): Promise<void> {
    const serving = toServing(exchange);
    let inFlight = 0;
    let leave: (() => void) | undefined;
    let view: LedgerView | undefined;
    let hold: BodyHold | undefined;
    try {
      const { target, headers, hostFault } = exchange;
      if (hostFault !== undefined) throw new HttpError("malformed_request", hostFault);
      if (target.length > MAX_TARGET_LENGTH) {
        throw new HttpError(
          "uri_too_long",
          `the request target is longer than ${MAX_TARGET_LENGTH} characters`,
        );
      }
      if (exchange.method === "OPTIONS" && headers.origin !== undefined) {
        this.#sendPreflight(serving, headers.origin);
        return;
      }
      const url = originForm(target);
      const mark = url.indexOf("?");
      const path = mark < 0 ? url : url.slice(0, mark);
      const finding = this.#options.files?.find(path, headers);
      const file = finding === undefined ? undefined : await finding;
      if (file !== undefined) {
        serving.operation = STATIC_FILE;
        inFlight = 1;
        this.#countIn();
        await this.#sendFile(serving, file);
        return;
      }
      const { operation, segments } = this.#route(exchange.method, path);
      serving.operation = operation;
      if (operation.isBetterElsewhere && this.#options.passThrough !== undefined) {
        throw new HttpError("not_served", `${operation.id} is passed on`, { isElsewhere: true });
      }
      const args = operation.parseArgs(segments, mark < 0 ? "" : url.slice(mark + 1));
      serving.isPinned = operation.method === "GET" && args.ledger_version !== undefined;
      const form = this.#negotiate(operation, headers.accept);
      const lastEventId = operation.isStream ? lastEventIdOf(exchange) : undefined;
      if (operation.isStream) this.#options.streams.assertRoom();
      if (operation.body !== undefined) {
        hold = new BodyHold(this.#options.bodyLimitBytes, this.#budget);
        const parser = parserOf(operation.body, exchange.headers["content-type"]);
        assertBodyHeaders(exchange.headers, hold.maxBytes);
        const body = exchange.readBody(hold);
        const parsed = parser.parse(body instanceof Promise ? await body : body);
        args.body = parsed instanceof Promise ? await parsed : parsed;
      }
      const minVersion = operation.ledger === "required" ? minVersionOf(args) : undefined;
      if (minVersion !== undefined) await this.#reach(serving, operation, minVersion);
      if (operation.awaited !== undefined) await this.#await(serving, operation, operation.awaited, args);
      // Requests count from here on, with their body complete and their version there: neither must keep others out.
      inFlight = 1;
      this.#countIn();
      if (operation.maxInFlight !== undefined) leave = this.#enter(operation, operation.maxInFlight);
      const { timesBack } = this.#options.headWatch;
      if (operation.ledger !== "none") {
        const opened = this.#openView(operation);
        view = opened instanceof Promise ? await opened : opened;
        if (view !== undefined) {
          serving.headers = this.#headers.prepare(view.position);
          serving.trust = serving.headers.trust;
        }
        if (view !== undefined && operation.ledger === "required") this.#assertRecent(view, operation);
      }
      if (exchange.isGone) throw new Abandoned("the client went away");
      const { services, ledger } = this.#options;
      const mayBeUndone = this.#mayBeUndone;
      const isGone = (): boolean => exchange.isGone;
      const context = { view, services, ledger, form, isGone, lastEventId, mayBeUndone };
      const handled = operation.handle(args, context);
      const answer = handled instanceof Promise ? await handled : handled;
      // Encode nothing for a client that left: a large response holds memory until it is sent.
      if (exchange.isGone) throw new Abandoned("the client went away");
      if (view !== undefined) {
        serving.trust = trustOf(view, answer);
        if (operation.ledger === "required") this.#assertTrust(serving.trust, operation.unavailable);
      }
      const about = this.#headers.about(answer);
      if ("watched" in answer) {
        this.#openStream(serving, { operation, form, timesBack }, answer);
        return;
      }
      if ("stream" in answer) {
        view?.release();
        view = undefined;
        await this.#responder.stream(serving, form, answer, about);
        return;
      }
      const encoded = operation.isDocument
        ? this.#document(operation, answer.data, form)
        : operation.encode(answer.data, form);
      const body = encoded instanceof Promise ? await encoded : encoded;
      const sending = this.#responder.respond(serving, form, body, answer.version, about, answer.status);
      if (sending !== undefined) await sending;
    } catch (error) {
      if (await this.#passOn(serving, error)) return;
      this.#failOrCount(serving, error);
    } finally {
      this.#inFlight -= inFlight;
      leave?.();
      view?.release();
      hold?.release();
    }
  }

  /** Counts a request as in flight. Throws when there are too many. */
  #countIn(): void {
    if (++this.#inFlight > this.#options.maxInFlight) {
      throw new HttpError("overloaded", "too many requests in flight", { headers: ["Retry-After", "1"] });
    }
  }

  async #sendFile(serving: Serving, file: StaticFile): Promise<void> {
    const { exchange } = serving;
    if (exchange.method !== "GET" && exchange.method !== "HEAD")
      throw wrongMethod(exchange.method, ["GET", "HEAD"]);
    const body = await file.read();
    if (exchange.isGone) throw new Abandoned("the client went away");
    this.#responder.sendFile(serving, file, body);
  }

  readonly #mayBeUndone = (version: bigint): boolean => this.#options.headWatch.mayBeUndone(version);

  #openStream(
    serving: Serving,
    asked: { readonly operation: Operation; readonly form: Form; readonly timesBack: number },
    answer: EventAnswer<WatchEvent>,
  ): void {
    const { operation, form, timesBack } = asked;
    const { streams } = this.#options;
    streams.assertRoom();
    const { watched, opening, state, after, version } = answer;
    const format = (event: WatchEvent): string => `${operation.encode(event, form)}`;
    const first = state === undefined ? opening : opening + format(state);
    const sink = this.#responder.startEvents(serving, form, version, this.#headers.about(answer));
    if (serving.exchange.method === "HEAD") sink.end();
    else {
      const isResumed = state === undefined;
      streams.open({ watched, opening: first, after, timesBack, isResumed, format }, sink);
    }
  }

  /** Passes a request that this node does not serve to the upstream. Returns true if the upstream answers it. */
  async #passOn(serving: Serving, error: unknown): Promise<boolean> {
    const { passThrough } = this.#options;
    if (passThrough === undefined || !isElsewhere(serving, error)) return false;
    const url = originForm(serving.exchange.target);
    if (!isPassable(url)) return false;
    const node = serving.exchange.toNodeRequest();
    if (node === undefined) return true;
    if (this.#responder.closing) node.response.shouldKeepAlive = false;
    try {
      this.#assertTrust(TRUSTED, "unavailable");
      this.#responder.settle(serving, await passThrough.serve(node, url));
    } catch (failure) {
      this.#failOrCount(serving, failure);
    }
    return true;
  }

  /** Sends an error response; a client that left is only counted. */
  #failOrCount(serving: Serving, error: unknown): void {
    if (error instanceof Abandoned) this.#responder.settle(serving, CLIENT_GONE);
    else this.#responder.fail(serving, error);
  }

  /** Closes each connection after its next response. */
  startClosing(): void {
    this.#responder.closing = true;
    this.#isClosing = true;
    for (const end of this.#waits) end();
    this.#options.streams.close();
  }

  /** Value of Access-Control-Expose-Headers. */
  get exposedHeaders(): string {
    return this.#headers.exposed;
  }

  /** Requests being worked on. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that wait for a version. */
  get waiting(): number {
    return this.#waits.size;
  }

  /** Answers a request with an error without serving it. */
  refuse(exchange: Exchange, error: HttpError): void {
    this.#responder.fail(toServing(exchange), error);
  }

  #route(method: string, path: string): { operation: Operation; segments: readonly string[] } {
    const match = this.#router.find(method, path);
    if (match !== undefined && "operation" in match) return match;
    const referencePath = findReferencePath(path);
    // Where this node serves the path, a method that nobody has is a wrong method, not a path of another node.
    if (referencePath !== undefined && (match === undefined || isReferenceRequest(method, path))) {
      throw notServed(method, referencePath);
    }
    if (match === undefined) {
      throw new HttpError("unknown_path", `nothing is served at ${quoteInput(path)}`, { isElsewhere: true });
    }
    throw wrongMethod(method, match);
  }

  #negotiate(operation: Operation, accept: string | undefined): Form {
    const { switches } = this.#options;
    if (operation.switch !== undefined && !switches[operation.switch]) {
      // No switch of the operator: only a node that makes blocks has a use for transactions.
      if (operation.switch === "submit") throw notServed(operation.method, operation.path);
      throw new HttpError("disabled", `${operation.id} is switched off on this node`, {
        isElsewhere: isReferenceRequest(operation.method, operation.path),
      });
    }
    const form = negotiateForm(accept, operation.forms);
    if (operation.forms.length === 1 && form === "bcs" && !this.#takesBcs(accept)) {
      throw new HttpError(
        "disabled",
        `${operation.id} answers in ${MEDIA_TYPES.bcs} only: ask for it in Accept`,
        { isElsewhere: true },
      );
    }
    if (operation.switchable) {
      if ((form === "json" || form === "ndjson") && !switches.jsonOutput)
        throw new HttpError("disabled", "JSON output is switched off on this node");
      if (form === "bcs" && !switches.bcsOutput)
        throw new HttpError("disabled", "BCS output is switched off on this node");
    }
    return form;
  }

  /** True for a client of an operation in BCS only. With an upstream, one that prefers JSON gets it from there. */
  #takesBcs(accept: string | undefined): boolean {
    return this.#options.passThrough === undefined
      ? isAccepted(accept, "bcs")
      : negotiateForm(accept, ["json", "bcs"]) === "bcs";
  }

  /** Counts a request of an operation with a bound; the function returned ends that. Throws when there are too many. */
  #enter(operation: Operation, maxInFlight: number): () => void {
    const count = this.#inFlightOf.get(operation) ?? 0;
    if (count >= maxInFlight) {
      throw new HttpError("overloaded", `${maxInFlight} requests of ${operation.id} are being worked on`, {
        headers: ["Retry-After", "1"],
      });
    }
    this.#inFlightOf.set(operation, count + 1);
    return () => this.#inFlightOf.set(operation, (this.#inFlightOf.get(operation) ?? 1) - 1);
  }

  /** The bytes of a document, encoded on first use. */
  async #document(operation: Operation, data: unknown, form: Form): Promise<Uint8Array> {
    const key = `${operation.id} ${form}`;
    const document = this.#documents.get(key) ?? Buffer.from(await operation.encode(data, form));
    this.#documents.set(key, document);
    return document;
  }

  #openView(operation: Operation): MaybePromise<LedgerView | undefined> {
    try {
      const opened = this.#options.ledger.openView();
      if (!(opened instanceof Promise)) return opened;
      return opened.catch((error: unknown) => withoutView(operation, error));
    } catch (error) {
      return withoutView(operation, error);
    }
  }

  /** Waits until the ledger is at a version. Holds no view meanwhile. Throws when it is not, or the client left. */
  async #reach(serving: Serving, operation: Operation, minVersion: MinVersion): Promise<void> {
    const { version, waitMs } = minVersion;
    if ((await this.#lookAtHead(serving, operation)) >= version) return;
    if (waitMs > 0) {
      await this.#wait(serving.exchange, minVersion);
      if (serving.exchange.isGone) throw new Abandoned("the client went away");
      await this.#lookAtHead(serving, operation);
    }
    assertReached(serving.headers?.position.version ?? 0n, minVersion);
  }

  /** Waits until what an operation awaits is there. No view is open meanwhile, and the store is asked after commits only. */
  async #await(
    serving: Serving,
    operation: Operation,
    { waitMs, maxWaiting, isThere }: NonNullable<Operation["awaited"]>,
    args: ParsedArgs,
  ): Promise<void> {
    const { services } = this.#options;
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const view = await this.#openView(operation);
      if (view === undefined) return;
      const { version } = view.position;
      try {
        if (await isThere(args, view, services)) return;
      } finally {
        view.release();
      }
      const leftMs = untilMs - performance.now();
      const waiting = this.#awaiting.get(operation) ?? 0;
      if (leftMs <= 0 || waiting >= maxWaiting || this.#isClosing) return;
      this.#awaiting.set(operation, waiting + 1);
      try {
        await this.#wait(serving.exchange, { version: version + 1n, waitMs: leftMs });
      } finally {
        this.#awaiting.set(operation, (this.#awaiting.get(operation) ?? 1) - 1);
      }
      if (serving.exchange.isGone) throw new Abandoned("the client went away");
      // A client that sends no more is not kept waiting.
      if (serving.exchange.socket.readableEnded) return;
    }
  }

  /** The latest version. Also prepares the headers of it, for an error. */
  async #lookAtHead(serving: Serving, operation: Operation): Promise<bigint> {
    const view = await this.#openView(operation);
    if (view === undefined) throw new HttpError(operation.unavailable, NO_LEDGER);
    const { position } = view;
    view.release();
    serving.headers = this.#headers.prepare(position);
    return position.version;
  }

  async #wait({ socket }: Exchange, { version, waitMs }: MinVersion): Promise<void> {
    const { headWatch, maxWaiting } = this.#options;
    if (this.#waits.size >= maxWaiting) {
      throw new HttpError("overloaded", `${maxWaiting} requests wait for a version already`, {
        headers: ["Retry-After", "1"],
      });
    }
    if (this.#isClosing) return;
    const { done, end } = headWatch.wait(version, waitMs);
    this.#waits.add(end);
    // Pipelined requests may wait side by side.
    socket.setMaxListeners(0);
    // A client that sends no more may have left: it gets its answer now, in case it still reads.
    socket.on("close", end).on("end", end);
    if (socket.readableEnded) end();
    await done;
    socket.off("close", end).off("end", end);
    this.#waits.delete(end);
  }

  #assertRecent(view: LedgerView, operation: Operation): void {
    const { maxLagMs, services } = this.#options;
    if (maxLagMs === 0) return;
    const reason = lagReason(view.position, maxLagMs, services.clock());
    if (reason !== undefined) throw new HttpError(operation.unavailable, reason);
  }

  #assertTrust(trust: TrustLevel, unavailable: Condition): void {
    const { minTrust } = this.#options;
    if (minTrust === undefined || compareTrust(trust, minTrust) >= 0) return;
    throw new HttpError(
      unavailable,
      `the answer would rest on trust level ${formatTrust(trust)}, and this node answers from ${formatTrust(minTrust)} on`,
    );
  }

  #sendPreflight(serving: Serving, origin: string): void {
    const { headers } = serving.exchange;
    const method = headers["access-control-request-method"];
    if (!isPreflightMethod(method)) {
      throw new HttpError(
        "preflight_refused",
        `Access-Control-Request-Method: expected GET, HEAD or POST, got ${method === undefined ? "none" : quoteInput(method)}`,
      );
    }
    const list = preflightHeaders(origin, headers["access-control-request-headers"]);
    serving.exchange.reply({ status: 200, headers: toHeaderSet(list), extra: [], body: "", closes: false });
    this.#responder.settle(serving, 200);
  }
}
