// Serves one request: route, arguments, switches, body, view, handler, response. Everything that handlers share
// happens here, once.
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { Slices } from "../base/wait.ts";
import type { TrustLevel } from "../ledger/trust.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { ResumePoint } from "../ledger/watch/event-id.ts";
import { assertReached } from "../ledger/watch/head-watch.ts";
import type { WatchEvent } from "../ledger/watch/watched.ts";
import { InFlight, Unfinished } from "./admission/in-flight.ts";
import { AnswerSlices, LongAnswers } from "./admission/long-answers.ts";
import { clientOf } from "./admission/rate-limiter.ts";
import { assertTrust, lagReason, openRequestView, trustOf } from "./admission/request-view.ts";
import { VersionWaits, type VersionWaitsOptions } from "./admission/version-waits.ts";
import { HttpError, NO_LEDGER, quoteInput } from "./errors.ts";
import { parseField } from "./field.ts";
import type { AnyAnswer, BodyField, EventAnswer, Operation } from "./operation.ts";
import type { StaticFile, StaticFiles } from "./pages/static-files.ts";
import { preflightHeaders } from "./response/cors.ts";
import type { EventStreams } from "./response/event-streams.ts";
import { HeaderMaker, toHeaderSet } from "./response/headers.ts";
import { type Form, isJsonMediaType, MEDIA_TYPES } from "./response/negotiation.ts";
import { Responder, type ResponderOptions } from "./response/responder.ts";
import { OperationChoice, type OperationChoiceOptions, wrongMethod } from "./routing/operation-choice.ts";
import { originForm } from "./routing/url.ts";
import { lastEventIdField, wireOf } from "./schemas/event-stream.ts";
import { minVersionOf } from "./schemas/read-at.ts";
import { type ResolvedRequest, ServedRequest } from "./served-request.ts";
import { Abandoned, assertBodyHeaders, type BodyBudget, BodyHold } from "./transport/body.ts";
import { CLIENT_GONE, type Exchange } from "./transport/exchange.ts";

/** Parts and limits of the dispatcher. */
export interface DispatcherOptions
  extends Omit<ResponderOptions, "headers">,
    OperationChoiceOptions,
    VersionWaitsOptions {
  readonly headerBrands: readonly string[];
  readonly bodyLimitBytes: number;
  readonly bodyBudgetBytes: number;
  readonly maxInFlight: number;
  readonly streams: EventStreams;
  /** 0 for no limit. */
  readonly maxLagMs: number;
  /** Weakest level of an answer that is sent; undefined for any. */
  readonly minTrust: TrustLevel | undefined;
  /** Files for browsers; undefined where they are switched off. */
  readonly files: StaticFiles | undefined;
  /** Whether X-Forwarded-For tells clients apart. */
  readonly trustProxy: boolean;
}

/** Stands for all files for browsers in counts and logs. */
const STATIC_FILE = {
  id: "static_file",
  method: "GET",
  path: "/",
  isDocument: false,
  maxInFlight: undefined,
} as const;

/** Longest request target. The limit of node:http covers target and headers together. */
const MAX_TARGET_LENGTH = 16 * 1024;

/** Where a client that connects again goes on. */
function lastEventIdOf({ headers }: Exchange): ResumePoint | undefined {
  const text = headers["last-event-id"];
  return text === undefined || text === "" ? undefined : parseField("Last-Event-ID", lastEventIdField, text);
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

/** Path and query of a request. Throws HttpError for a target or a host that is none. */
function targetOf({ target, headFault }: Exchange): { readonly path: string; readonly search: string } {
  if (headFault !== undefined) throw new HttpError("malformed_request", headFault);
  if (target.length > MAX_TARGET_LENGTH) {
    throw new HttpError("uri_too_long", `the request target is longer than ${MAX_TARGET_LENGTH} characters`);
  }
  const url = originForm(target);
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, search: "" } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}

/** Bytes of a list of accounts that take a place of its client's share of streams while they are read. */
const BYTES_PER_PLACE = 64 << 10;

/** Serves requests over one ledger. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #choice: OperationChoice;
  readonly #headers: HeaderMaker;
  readonly #responder: Responder;
  readonly #budget: BodyBudget;
  /** Encoded documents, by operation and form. */
  readonly #documents = new Map<string, Promise<Uint8Array>>();
  readonly #inFlight: InFlight;
  readonly #unfinished = new Unfinished();
  readonly #longAnswers = new LongAnswers();
  readonly #waits: VersionWaits;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#choice = new OperationChoice(options);
    this.#headers = new HeaderMaker(options.headerBrands);
    this.#responder = new Responder({ ...options, headers: this.#headers });
    this.#budget = { maxBytes: options.bodyBudgetBytes, usedBytes: 0 };
    this.#inFlight = new InFlight(options.maxInFlight);
    this.#waits = new VersionWaits(options);
  }

  /**
   * Serves one request. Faults become error responses; a rejection is a bug here. Steps that need not wait return no
   * promise, because each wait would cost a short request a turn of the event loop's queue.
   */
  async serve(exchange: Exchange): Promise<void> {
    const request = new ServedRequest(exchange);
    this.#unfinished.begin();
    try {
      const { path, search } = targetOf(exchange);
      const { method, headers } = exchange;
      if (method === "OPTIONS" && headers.origin !== undefined) {
        this.#sendPreflight(request, headers.origin);
        return;
      }
      const finding = this.#options.files?.find(path, headers);
      const file = finding === undefined ? undefined : await finding;
      if (file !== undefined) {
        await this.#sendFile(request, file);
        return;
      }
      const resolved = this.#resolve(request, path, search);
      const admitting = this.#admit(resolved);
      if (admitting !== undefined) await admitting;
      const opening = this.#openView(resolved);
      if (opening !== undefined) await opening;
      const running = this.#run(resolved);
      const answer = running instanceof Promise ? await running : running;
      const sending = this.#send(resolved, answer);
      if (sending !== undefined) await sending;
    } catch (error) {
      if (error instanceof Abandoned) {
        this.#responder.settle(request, CLIENT_GONE);
        // A client that only closed its side would keep the connection for ever.
        exchange.socket.end(() => exchange.socket.destroy());
      } else this.#responder.fail(request, error);
    } finally {
      if (request.countedFor !== undefined) this.#inFlight.leave(request.operation, request.countedFor);
      request.release();
      this.#unfinished.end();
    }
  }

  /** Finds the operation, its arguments without the body, and the form of the response. */
  #resolve(request: ServedRequest, path: string, search: string): ResolvedRequest {
    const { exchange } = request;
    const { operation, segments } = this.#choice.find(exchange.method, path);
    request.operation = operation;
    const args = operation.parseArgs(segments, search);
    request.isPinned = operation.method === "GET" && args.ledger_version !== undefined;
    const form = this.#choice.formOf(operation, exchange.headers.accept);
    const lastEventId = operation.sendsEvents ? lastEventIdOf(exchange) : undefined;
    const client = clientOf(exchange, this.#options.trustProxy);
    const minVersion = operation.ledger === "required" ? minVersionOf(args) : undefined;
    return { request, operation, args, form, client, lastEventId, minVersion };
  }

  /** Reads the body, waits for the version that is asked for, and counts the request as one in flight. */
  #admit(resolved: ResolvedRequest): Promise<void> | undefined {
    const { request, operation, client, minVersion } = resolved;
    if (operation.sendsEvents) this.#holdPlaces(resolved, 1);
    const reading = operation.body && this.#readBody(resolved, operation.body);
    if (reading instanceof Promise || minVersion !== undefined || operation.awaited !== undefined)
      return this.#admitLater(resolved, reading);
    this.#enter(request, client);
    return undefined;
  }

  #readBody(resolved: ResolvedRequest, field: BodyField<unknown>): MaybePromise<unknown> {
    const { request, operation, args } = resolved;
    request.hold = new BodyHold(this.#options.bodyLimitBytes, this.#budget);
    const parser = parserOf(field, request.exchange.headers["content-type"]);
    assertBodyHeaders(request.exchange.headers, request.hold.maxBytes);
    return andThen(request.exchange.readBody(request.hold), (bytes) => {
      if (operation.sendsEvents) this.#holdPlaces(resolved, 1 + Math.floor(bytes.length / BYTES_PER_PLACE));
      return andThen(parser.parse(bytes), (body) => Object.assign(args, { body }));
    });
  }

  async #admitLater(resolved: ResolvedRequest, reading: MaybePromise<unknown>): Promise<void> {
    const { request, operation, client, minVersion } = resolved;
    await reading;
    if (minVersion !== undefined && minVersion.waitMs > 0) await this.#waits.reach(resolved, minVersion);
    if (operation.awaited !== undefined) await this.#waits.awaitItem(resolved, operation.awaited);
    // Neither a body on its way nor a wait must keep other requests out.
    this.#enter(request, client);
  }

  /** Takes places of the client's share of streams, in the place of those that the request has. */
  #holdPlaces({ request, client }: ResolvedRequest, places: number | undefined): void {
    request.leavePlaces?.();
    request.leavePlaces = this.#options.streams.hold(client, places);
  }

  #enter(request: ServedRequest, client: string): void {
    this.#inFlight.enter(request.operation, client);
    request.countedFor = client;
  }

  /** Opens the view that everything about the answer is read from. */
  #openView(resolved: ResolvedRequest): Promise<void> | undefined {
    const { operation } = resolved;
    if (operation.ledger === "none") return undefined;
    const opening = openRequestView(this.#options.ledger, operation);
    if (opening instanceof Promise) return opening.then((view) => this.#takeView(resolved, view));
    this.#takeView(resolved, opening);
    return undefined;
  }

  #takeView({ request, operation, minVersion }: ResolvedRequest, view: LedgerView | undefined): void {
    if (view === undefined) return;
    request.releaseView();
    request.view = view;
    request.headers = this.#headers.prepare(view.position);
    request.trust = request.headers.trust;
    // The ledger may have gone back since the wait.
    if (minVersion !== undefined) assertReached(view.position.version, minVersion);
    if (operation.ledger === "required") this.#assertRecent(view, operation);
  }

  #run(resolved: ResolvedRequest): MaybePromise<AnyAnswer> {
    const { request, operation, args, form, client, lastEventId } = resolved;
    request.assertClient();
    const { exchange, view } = request;
    const { services, ledger, streams } = this.#options;
    const slices = new AnswerSlices(this.#longAnswers, client, () => request.assertStays());
    request.slices = slices;
    return operation.handle(args, {
      view,
      newerView: async () => {
        const newer = await openRequestView(ledger, operation);
        if (newer === undefined) throw new HttpError(operation.unavailable, NO_LEDGER);
        this.#takeView(resolved, newer);
        return newer;
      },
      services,
      ledger,
      form,
      isGone: () => exchange.isGone,
      lastEventId,
      streamHead: streams.streamHead,
      client,
      slices,
    });
  }

  #send(resolved: ResolvedRequest, answer: AnyAnswer): Promise<void> | undefined {
    const { request, operation, form } = resolved;
    // Encode nothing for a client that left: a large response holds memory until it is sent.
    request.assertClient();
    if (request.view !== undefined) {
      request.trust = trustOf(request.view, answer);
      // A transaction that was taken is taken, whatever the ledger rests on.
      if (operation.ledger === "required" && operation.switch !== "submit")
        assertTrust(request.trust, this.#options.minTrust, operation.unavailable);
    }
    if ("watched" in answer) return this.#openStream(resolved, answer);
    if ("stream" in answer) {
      request.releaseView();
      if (operation.sendsEvents) this.#holdPlaces(resolved, answer.places);
      return this.#responder.stream(request, form, answer);
    }
    const encoded = operation.isDocument
      ? this.#document(operation, answer.data, form)
      : operation.encode(answer.data, form, request.slices ?? new Slices());
    if (!(encoded instanceof Promise)) return this.#responder.respond(request, form, answer, encoded);
    return encoded.then((body) => {
      request.assertClient();
      return this.#responder.respond(request, form, answer, body);
    });
  }

  async #sendFile(request: ServedRequest, file: StaticFile): Promise<void> {
    const { method } = request.exchange;
    request.operation = STATIC_FILE;
    this.#enter(request, "");
    if (method !== "GET" && method !== "HEAD") throw wrongMethod(method, ["GET", "HEAD"]);
    const body = await file.read();
    request.assertClient();
    this.#responder.sendFile(request, file, body);
  }

  #openStream(resolved: ResolvedRequest, answer: EventAnswer<WatchEvent>): Promise<void> | undefined {
    const { request, operation, form, lastEventId } = resolved;
    const { state } = answer;
    this.#holdPlaces(resolved, answer.places);
    const format = (event: WatchEvent) => operation.encode(event, form, new Slices());
    const open = (text: string | Uint8Array): void => {
      const sink = this.#responder.startEvents(request, form, answer);
      const opening = `${answer.opening}${typeof text === "string" ? text : Buffer.from(text)}`;
      const beatsFrom = state === undefined ? (lastEventId?.version ?? 0n) : 0n;
      const source = { ...answer, opening, beatsFrom, wire: wireOf(form), format };
      if (request.exchange.method === "HEAD") sink.end();
      else this.#options.streams.open(source, sink, request.takePlaces());
    };
    const opened = andThen(state === undefined ? "" : format(state), open);
    return opened instanceof Promise ? opened : undefined;
  }

  /** Closes each connection after its next response. */
  closeConnections(): void {
    this.#responder.closing = true;
  }

  /** Also ends waits and streams. */
  startClosing(): void {
    this.closeConnections();
    this.#waits.close();
    this.#options.streams.close();
  }

  /**
   * Waits until no request is being served, or for some time, and returns how many are. One whose client left may go on for
   * a while, with its view of the ledger.
   */
  untilIdle(timeoutMs: number): Promise<number> {
    return this.#unfinished.none(timeoutMs);
  }

  /** Value of Access-Control-Expose-Headers. */
  get exposedHeaders(): string {
    return this.#headers.exposed;
  }

  /** Requests being worked on. */
  get inFlight(): number {
    return this.#inFlight.count;
  }

  /** Requests that wait for a version. */
  get waiting(): number {
    return this.#waits.count;
  }

  /** Answers a request with an error without serving it. */
  refuse(exchange: Exchange, error: HttpError): void {
    this.#responder.fail(new ServedRequest(exchange), error);
  }

  /** The bytes of a document, encoded on first use. */
  #document(operation: Operation, data: unknown, form: Form): Promise<Uint8Array> {
    const key = `${operation.id} ${form}`;
    const encode = async (): Promise<Uint8Array> =>
      Buffer.from(await operation.encode(data, form, new Slices()));
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const document = encode();
    this.#documents.set(key, document);
    document.catch(() => this.#documents.delete(key));
    return document;
  }

  #assertRecent(view: LedgerView, operation: Operation): void {
    const { maxLagMs, services } = this.#options;
    if (maxLagMs === 0) return;
    const reason = lagReason(view.position, maxLagMs, services.clock());
    if (reason !== undefined) throw new HttpError(operation.unavailable, reason);
  }

  #sendPreflight(request: ServedRequest, origin: string): void {
    const headers = toHeaderSet(preflightHeaders(origin, request.exchange.headers));
    request.exchange.respond({ status: 200, headers, extra: [], body: "", closes: false });
    this.#responder.settle(request, 200);
  }
}
