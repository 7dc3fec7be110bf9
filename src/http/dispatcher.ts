// Serves one request: route, arguments, switches, body, view, handler, response. Everything that handlers share
// happens here, once.
import { Slices } from "../base/wait.ts";
import type { TrustLevel } from "../ledger/trust.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { ResumePoint } from "../ledger/watch/event-id.ts";
import type { WatchEvent } from "../ledger/watch/watched.ts";
import { ClientShares } from "./admission/client-shares.ts";
import { InFlight, Unfinished } from "./admission/in-flight.ts";
import { AnswerSlices, LongAnswers } from "./admission/long-answers.ts";
import { clientOf } from "./admission/rate-limiter.ts";
import { assertTrust, lagReason, openRequestView, trustOf } from "./admission/request-view.ts";
import { VersionWaits, type VersionWaitsOptions } from "./admission/version-waits.ts";
import { HttpError, NO_LEDGER, quoteInput } from "./errors.ts";
import { parseField } from "./field.ts";
import type { BodyField, EventAnswer, Operation } from "./operation.ts";
import type { StaticFile, StaticFiles } from "./pages/static-files.ts";
import { preflightHeaders } from "./response/cors.ts";
import type { EventStreams } from "./response/event-streams.ts";
import { HeaderMaker, toHeaderSet } from "./response/headers.ts";
import { type Form, isJsonMediaType, MEDIA_TYPES } from "./response/negotiation.ts";
import { Responder, type ResponderOptions, type Serving } from "./response/responder.ts";
import { OperationChoice, type OperationChoiceOptions, wrongMethod } from "./routing/operation-choice.ts";
import { originForm } from "./routing/url.ts";
import { lastEventIdField } from "./schemas/event-stream.ts";
import { minVersionOf } from "./schemas/min-version.ts";
import { Abandoned, assertBodyHeaders, type BodyBudget, BodyHold } from "./transport/body.ts";
import { CLIENT_GONE, type Exchange } from "./transport/exchange.ts";

/** Parts and limits of the dispatcher. */
export interface DispatcherOptions
  extends Omit<ResponderOptions, "headers">,
    OperationChoiceOptions,
    Omit<VersionWaitsOptions, "headers"> {
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
const STATIC_FILE = { id: "static_file", method: "GET", path: "/", isDocument: false } as const;

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

function toServing(exchange: Exchange): Serving {
  return { exchange, operation: undefined, headers: undefined, trust: undefined, isPinned: false };
}

/** Serves requests over one ledger. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #choice: OperationChoice;
  readonly #headers: HeaderMaker;
  readonly #responder: Responder;
  readonly #budget: BodyBudget;
  /** Encoded documents, by operation and form. */
  readonly #documents = new Map<string, Uint8Array>();
  readonly #inFlight: InFlight;
  readonly #unfinished = new Unfinished();
  readonly #longAnswers = new LongAnswers();
  readonly #waits: VersionWaits;
  /** Answers that are sent at the pace of their readers. */
  readonly #streamed = new Map<Operation, ClientShares>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#choice = new OperationChoice(options);
    this.#headers = new HeaderMaker(options.headerBrands);
    this.#responder = new Responder({ ...options, headers: this.#headers });
    this.#budget = { maxBytes: options.bodyBudgetBytes, usedBytes: 0 };
    this.#inFlight = new InFlight(options.maxInFlight);
    this.#waits = new VersionWaits({ ...options, headers: this.#headers });
  }

  /** Serves one request. Faults become error responses; a rejection is a bug here. */
  async serve(exchange: Exchange): Promise<void> {
    const serving = toServing(exchange);
    let isCounted = false;
    let counted: Operation | undefined;
    let view: LedgerView | undefined;
    let hold: BodyHold | undefined;
    let slices: AnswerSlices | undefined;
    this.#unfinished.begin();
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
        this.#inFlight.enter();
        isCounted = true;
        await this.#sendFile(serving, file);
        return;
      }
      const { operation, segments } = this.#choice.find(exchange.method, path);
      serving.operation = operation;
      const args = operation.parseArgs(segments, mark < 0 ? "" : url.slice(mark + 1));
      serving.isPinned = operation.method === "GET" && args.ledger_version !== undefined;
      const form = this.#choice.formOf(operation, headers.accept);
      const lastEventId = operation.isStream ? lastEventIdOf(exchange) : undefined;
      if (operation.isStream) this.#options.streams.assertRoom(this.#clientOf(exchange));
      if (operation.body !== undefined) {
        hold = new BodyHold(this.#options.bodyLimitBytes, this.#budget);
        const parser = parserOf(operation.body, exchange.headers["content-type"]);
        assertBodyHeaders(exchange.headers, hold.maxBytes);
        const body = exchange.readBody(hold);
        const parsed = parser.parse(body instanceof Promise ? await body : body);
        args.body = parsed instanceof Promise ? await parsed : parsed;
      }
      const minVersion = operation.ledger === "required" ? minVersionOf(args) : undefined;
      if (minVersion !== undefined) await this.#waits.reach(serving, operation, minVersion);
      if (operation.awaited !== undefined)
        await this.#waits.awaitItem(serving, operation, operation.awaited, args);
      // Requests count from here on, with their body complete and their version there: neither must keep others out.
      this.#inFlight.enter(operation);
      isCounted = true;
      counted = operation;
      const { timesBack } = this.#options.streams;
      const describe = (opened: LedgerView): void => {
        view = opened;
        serving.headers = this.#headers.prepare(view.position);
        serving.trust = serving.headers.trust;
        if (operation.ledger === "required") this.#assertRecent(view, operation);
      };
      if (operation.ledger !== "none") {
        const opening = openRequestView(this.#options.ledger, operation);
        const opened = opening instanceof Promise ? await opening : opening;
        if (opened !== undefined) describe(opened);
      }
      if (exchange.isGone) throw new Abandoned("the client went away");
      const { services, ledger } = this.#options;
      const { streamHead } = this.#options.streams;
      const client = this.#clientOf(exchange);
      const isGone = (): boolean => exchange.isGone;
      slices = new AnswerSlices(this.#longAnswers);
      const newerView = async (): Promise<LedgerView> => {
        const newer = await openRequestView(ledger, operation);
        if (newer === undefined) throw new HttpError(operation.unavailable, NO_LEDGER);
        view?.release();
        describe(newer);
        return newer;
      };
      const context = {
        view,
        newerView,
        services,
        ledger,
        form,
        isGone,
        lastEventId,
        streamHead,
        client,
        slices,
      };
      const handled = operation.handle(args, context);
      const answer = handled instanceof Promise ? await handled : handled;
      // Encode nothing for a client that left: a large response holds memory until it is sent.
      if (exchange.isGone) throw new Abandoned("the client went away");
      if (view !== undefined) {
        serving.trust = trustOf(view, answer);
        // A transaction that was taken is taken, whatever the ledger rests on.
        if (operation.ledger === "required" && operation.switch !== "submit")
          assertTrust(serving.trust, this.#options.minTrust, operation.unavailable);
      }
      const about = this.#headers.about(answer);
      if ("watched" in answer) {
        this.#openStream(serving, { operation, form, timesBack }, answer);
        return;
      }
      if ("stream" in answer) {
        view?.release();
        view = undefined;
        await this.#stream(serving, operation, () => this.#responder.stream(serving, form, answer, about));
        return;
      }
      const encoded = operation.isDocument
        ? this.#document(operation, answer.data, form)
        : operation.encode(answer.data, form, slices);
      const body = encoded instanceof Promise ? await encoded : encoded;
      if (exchange.isGone) throw new Abandoned("the client went away");
      const sending = this.#responder.respond(serving, form, body, answer.version, about, answer.status);
      if (sending !== undefined) await sending;
    } catch (error) {
      this.#failOrCount(serving, error);
    } finally {
      if (isCounted) this.#inFlight.leave(counted);
      slices?.end();
      view?.release();
      hold?.release();
      this.#unfinished.end();
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

  /** Sends an answer at the pace of its reader. It takes a place until then. */
  async #stream({ exchange }: Serving, operation: Operation, send: () => Promise<void>): Promise<void> {
    const { maxInFlight = this.#options.maxInFlight, id } = operation;
    const shares =
      this.#streamed.get(operation) ?? new ClientShares(maxInFlight, `requests of ${id} are read`);
    this.#streamed.set(operation, shares);
    const client = this.#clientOf(exchange);
    shares.enter(client);
    try {
      await send();
    } finally {
      shares.leave(client);
    }
  }

  #clientOf(exchange: Exchange): string {
    return clientOf(exchange, this.#options.trustProxy);
  }

  #openStream(
    serving: Serving,
    asked: { readonly operation: Operation; readonly form: Form; readonly timesBack: number },
    answer: EventAnswer<WatchEvent>,
  ): void {
    const { operation, form, timesBack } = asked;
    const { streams } = this.#options;
    const client = this.#clientOf(serving.exchange);
    streams.assertRoom(client);
    const { watched, opening, state, after, version } = answer;
    const format = (event: WatchEvent): string => `${operation.encode(event, form, new Slices())}`;
    const first = state === undefined ? opening : opening + format(state);
    const sink = this.#responder.startEvents(serving, form, version, this.#headers.about(answer));
    if (serving.exchange.method === "HEAD") sink.end();
    else {
      const isResumed = state === undefined;
      const source = { watched, opening: first, after, timesBack, isResumed, format };
      streams.open(source, sink, client);
    }
  }

  /** Sends an error response; a client that left is only counted. */
  #failOrCount(serving: Serving, error: unknown): void {
    if (error instanceof Abandoned) this.#responder.settle(serving, CLIENT_GONE);
    else this.#responder.fail(serving, error);
  }

  /** Closes each connection after its next response. */
  startClosing(): void {
    this.#responder.closing = true;
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
    this.#responder.fail(toServing(exchange), error);
  }

  /** The bytes of a document, encoded on first use. */
  async #document(operation: Operation, data: unknown, form: Form): Promise<Uint8Array> {
    const key = `${operation.id} ${form}`;
    const document =
      this.#documents.get(key) ?? Buffer.from(await operation.encode(data, form, new Slices()));
    this.#documents.set(key, document);
    return document;
  }

  #assertRecent(view: LedgerView, operation: Operation): void {
    const { maxLagMs, services } = this.#options;
    if (maxLagMs === 0) return;
    const reason = lagReason(view.position, maxLagMs, services.clock());
    if (reason !== undefined) throw new HttpError(operation.unavailable, reason);
  }

  #sendPreflight(serving: Serving, origin: string): void {
    const list = preflightHeaders(origin, serving.exchange.headers);
    serving.exchange.respond({ status: 200, headers: toHeaderSet(list), extra: [], body: "", closes: false });
    this.#responder.settle(serving, 200);
  }
}
