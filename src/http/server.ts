// The HTTP server: its options, their defaults, and the parts put together. Built on node:http, so that every
// malformed request can be answered, with a lane of its own for ordinary requests (`transport/direct-lane.ts`).
import { ConfigError } from "../base/errors.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import {
  assertNumbers,
  DAY_MS,
  type NumberOptions,
  type NumberSettings,
  type Numbers,
  numbersOf,
} from "../base/settings.ts";
import { shortenText } from "../base/texts/text.ts";
import { GasPriceEstimator } from "../ledger/gas-price.ts";
import { StateTypes } from "../ledger/items/state-types.ts";
import { parseTrust, TRUST_LEVELS } from "../ledger/trust.ts";
import type { Ledger } from "../ledger/view.ts";
import { HeadWatch } from "../ledger/watch/head-watch.ts";
import { ModuleCache } from "../move/module-cache.ts";
import { ADMISSION_NUMBERS, AdmissionControl, type AdmissionFigures } from "./admission/admission-control.ts";
import { UnreadResponses } from "./admission/unread-responses.ts";
import { Dispatcher } from "./dispatcher.ts";
import { OPERATIONS } from "./operation-list.ts";
import { metrics } from "./operations/node-state.ts";
import { createOpenApi } from "./pages/openapi.ts";
import { StaticFiles } from "./pages/static-files.ts";
import { AccessLog } from "./response/access-log.ts";
import { EventStreams, STREAM_NUMBERS } from "./response/event-streams.ts";
import type { RequestObserver } from "./response/responder.ts";
import { type Services, VIEW_GAS_LIMIT } from "./services.ts";
import { cutOff } from "./transport/cut-off.ts";
import { LISTENER_NUMBERS, type ListenAddress, Listener } from "./transport/listener.ts";
import type { TlsFiles } from "./transport/tls.ts";

/** Numbers that users of the server can set. */
export const HTTP_NUMBERS = {
  ...LISTENER_NUMBERS,
  ...ADMISSION_NUMBERS,
  ...STREAM_NUMBERS,
  /** 0 takes any free port. */
  port: { fallback: 8080, min: 0, max: 65_535 },
  bodyLimitBytes: { fallback: 8 * 1024 * 1024, min: 1, max: 2 ** 30 },
  /** For all request bodies in flight together. */
  bodyBudgetBytes: { fallback: 256 * 1024 * 1024, min: 0, max: 2 ** 40 },
  /** For all responses together that wait to be read. */
  answerBudgetBytes: { fallback: 256 * 1024 * 1024, min: 0, max: 2 ** 40 },
  /** For a client to read all that was sent to it. */
  answerTimeoutMs: { fallback: 120_000, min: 1, max: DAY_MS },
  /** Requests in flight before more are turned away. */
  maxInFlight: { fallback: 10_000, min: 1, max: 1_000_000 },
  /** Requests that wait for their `min_ledger_version`; more are turned away. */
  maxWaiting: { fallback: 1000, min: 0, max: 1_000_000 },
  /** How old the ledger's time may be before reads are refused and the node is not ready; 0 for no limit. */
  maxLagMs: { fallback: 0, min: 0, max: 365 * DAY_MS },
  /** Gas units for one view function; the chain's own limit of work holds too. */
  viewGasLimit: { fallback: VIEW_GAS_LIMIT, min: 1, max: 1_000_000_000 },
} as const satisfies NumberSettings;

/** Defaults of the other options. */
export const HTTP_DEFAULTS = {
  host: "127.0.0.1",
  headerBrands: ["NODE", "APTOS"],
  encode: true,
  jsonOutput: true,
  bcsOutput: true,
  startPage: true,
  console: true,
  logRequests: false,
  trustProxy: false,
} as const;

/** Where and how to answer over HTTP. Every option has a default, stated above or here. */
export interface HttpServerOptions extends NumberOptions<typeof HTTP_NUMBERS> {
  readonly host?: string | undefined;
  /** Words of letters, digits and dashes between `X-` and the names of the ledger headers. */
  readonly headerBrands?: readonly string[] | undefined;
  /** False switches encode_submission and explain_submission off. */
  readonly encode?: boolean | undefined;
  readonly jsonOutput?: boolean | undefined;
  readonly bcsOutput?: boolean | undefined;
  readonly startPage?: boolean | undefined;
  /** False serves plain pages instead of the console and the interactive reference. */
  readonly console?: boolean | undefined;
  /** Logs one line for each response, at level info. */
  readonly logRequests?: boolean | undefined;
  /** Tells clients apart by the last address in X-Forwarded-For: only behind a proxy that sets it. */
  readonly trustProxy?: boolean | undefined;
  /** Certificate chain and key in PEM: serves HTTPS, and loads the files again when they change. Plain HTTP when left out. */
  readonly tls?: TlsFiles | undefined;
  /** Where clients find versions that are pruned here: named in 410 responses. */
  readonly archiveUrl?: string | undefined;
  /** Refuses answers that rest on less, such as `chained` or `agreed 2/3`, with 503. */
  readonly minTrust?: string | undefined;
}

type GivenServices = Pick<Services, "encoder" | "explainer" | "machine" | "nodeInfo"> &
  // The server has its own where these are left out, or does without.
  Partial<
    Pick<
      Services,
      | "submissions"
      | "prover"
      | "simulator"
      | "gasPrices"
      | "types"
      | "unhealthyReason"
      | "unreadyReason"
      | "clock"
    >
  >;

/** The parts of a node that a server needs. */
export interface HttpServices extends GivenServices {
  /** False switches the operations that need the index of items, or that of transactions, off. */
  readonly index?: boolean | undefined;
  readonly transactionIndex?: boolean | undefined;
  readonly ledger: Ledger;
  /** Learns of new versions. Left out, the server looks at the ledger itself. */
  readonly headWatch?: HeadWatch;
  /** Text of /metrics, which is not served without it. */
  readonly metricsPage?: Services["metricsPage"] | undefined;
  /** The node stops soon: each response closes its connection, so that clients go elsewhere without losing a request. */
  readonly isDraining?: () => boolean;
  /** True for a chain that may begin again under the same id: caches keep nothing of it for good. */
  readonly mayRestart?: (chainId: number) => boolean;
  /** Files for browsers; those of the package when left out. */
  readonly files?: StaticFiles;
  readonly logger?: Logger;
  /** Whether ordinary requests are read and answered without node:http; true when left out. */
  readonly isDirect?: boolean;
  /** Called once for each response. */
  readonly onRequest?: RequestObserver;
}

/** What a server holds at the moment, and what it did since the start. */
export interface HttpFigures extends AdmissionFigures {
  readonly connections: number;
  readonly refusedConnections: number;
  readonly unreadResponsesEnded: number;
  readonly inFlight: number;
  /** Requests that wait for a version. */
  readonly waiting: number;
  readonly streams: number;
  readonly streamsCutOff: number;
  readonly answerBytes: number;
}

/** A server that can be started once and closed once. */
export interface HttpServer {
  listen(): Promise<ListenAddress>;
  /** Accepts no more requests, finishes those in flight, closes. */
  close(): Promise<void>;
  figures(): HttpFigures;
}

/** A brand is written into header lines as it is. */
export function isHeaderBrand(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]{0,31}$/.test(text);
}

/** True for a level that `minTrust` takes. */
export function isTrustLevel(text: string): boolean {
  return parseTrust(text) !== undefined;
}

/** Throws ConfigError, naming the option, for options that no server can work with. */
export function assertHttpOptions(options: HttpServerOptions): void {
  assertNumbers("http", HTTP_NUMBERS, options);
  const wrong = options.headerBrands?.find((brand) => !isHeaderBrand(brand));
  if (wrong !== undefined) {
    const got = JSON.stringify(shortenText(wrong));
    throw new ConfigError(`http.headerBrands: expected letters, digits and dashes, got ${got}`);
  }
  if (options.minTrust !== undefined && !isTrustLevel(options.minTrust)) {
    const got = JSON.stringify(shortenText(options.minTrust));
    throw new ConfigError(`http.minTrust: expected ${TRUST_LEVELS}, got ${got}`);
  }
  const { headersTimeoutMs = 0, requestTimeoutMs = HTTP_NUMBERS.requestTimeoutMs.fallback } = options;
  if (headersTimeoutMs > requestTimeoutMs) {
    throw new ConfigError(
      `http.headersTimeoutMs: expected at most requestTimeoutMs (${requestTimeoutMs}), got ${headersTimeoutMs}`,
    );
  }
}

function settingsOf(options: HttpServerOptions): Numbers<typeof HTTP_NUMBERS> {
  const settings = numbersOf(HTTP_NUMBERS, options);
  // The headers are part of the request: their default must not allow them more time.
  const headersTimeoutMs = Math.min(settings.headersTimeoutMs, settings.requestTimeoutMs);
  return { ...settings, headersTimeoutMs };
}

/** Where the build puts the files for browsers. Bundles are as deep as this file. */
const BUILT = new URL("../../dist/", import.meta.url);

function filesOf(options: HttpServices & HttpServerOptions): StaticFiles | undefined {
  if (!(options.console ?? HTTP_DEFAULTS.console)) return undefined;
  return (
    options.files ??
    new StaticFiles({ folder: BUILT, hasConsole: options.startPage ?? HTTP_DEFAULTS.startPage })
  );
}

/** How often connections are looked at for answers that nobody reads. */
const SWEEP_MS = 1000;
/** For work on requests whose connections are gone once the server closes. */
const LEFT_WORK_MS = 2000;

/** Makes a server; it does not listen yet. */
export function createHttpServer(options: HttpServices & HttpServerOptions): HttpServer {
  const settings = settingsOf(options);
  const logger = options.logger ?? silentLogger;
  const accessLog = (options.logRequests ?? HTTP_DEFAULTS.logRequests) ? new AccessLog(logger) : undefined;
  const headerBrands = options.headerBrands ?? HTTP_DEFAULTS.headerBrands;
  const leftOut = [
    ...((options.startPage ?? HTTP_DEFAULTS.startPage) ? [] : ["start_page"]),
    ...(options.metricsPage === undefined ? [metrics.id] : []),
  ];
  const operations = OPERATIONS.filter((operation) => !leftOut.includes(operation.id));
  let document: ReturnType<typeof createOpenApi> | undefined;
  const unreadResponses = new UnreadResponses({
    budgetBytes: settings.answerBudgetBytes,
    answerTimeoutMs: settings.answerTimeoutMs,
  });
  const headWatch = options.headWatch ?? new HeadWatch({ ledger: options.ledger, isTold: () => false });
  const minTrust = options.minTrust === undefined ? undefined : parseTrust(options.minTrust);
  const streams = new EventStreams({
    ledger: options.ledger,
    headWatch,
    minTrust,
    settings,
    onTaken: (socket) => unreadResponses.noteTaken(socket),
    logger,
  });
  const { bodyLimitBytes } = settings;
  const dispatcher = new Dispatcher({
    ledger: options.ledger,
    services: {
      encoder: options.encoder,
      explainer: options.explainer,
      submissions: options.submissions,
      simulator: options.simulator,
      pendingTransaction: async (hash) => options.submissions?.pendingTransaction(hash),
      gasPrices: options.gasPrices ?? new GasPriceEstimator(),
      prover: options.prover,
      types: options.types ?? new StateTypes(new ModuleCache()),
      machine: options.machine,
      viewGasLimit: settings.viewGasLimit,
      nodeInfo: options.nodeInfo,
      unhealthyReason: options.unhealthyReason ?? (() => undefined),
      unreadyReason: options.unreadyReason ?? (() => undefined),
      metricsPage: options.metricsPage ?? (() => Promise.resolve("")),
      clock: options.clock ?? Date.now,
      // On first use: it would take a third of the processor time that a start takes.
      openapi: () => {
        document ??= createOpenApi(operations, headerBrands);
        return document;
      },
    },
    operations,
    headerBrands,
    switches: {
      encode: options.encode ?? HTTP_DEFAULTS.encode,
      index: options.index ?? true,
      transactionIndex: options.transactionIndex ?? true,
      submit: options.submissions !== undefined,
      simulate: options.simulator !== undefined,
      jsonOutput: options.jsonOutput ?? HTTP_DEFAULTS.jsonOutput,
      bcsOutput: options.bcsOutput ?? HTTP_DEFAULTS.bcsOutput,
    },
    bodyLimitBytes,
    bodyBudgetBytes: settings.bodyBudgetBytes,
    maxInFlight: settings.maxInFlight,
    headWatch,
    streams,
    maxWaiting: settings.maxWaiting,
    maxLagMs: settings.maxLagMs,
    minTrust,
    archiveUrl: options.archiveUrl,
    mayRestart: options.mayRestart ?? (() => false),
    files: filesOf(options),
    trustProxy: options.trustProxy ?? HTTP_DEFAULTS.trustProxy,
    unreadResponses,
    logger,
    accessLog,
    onRequest: options.onRequest,
  });
  let sweptMs = 0;
  let unreadResponsesEnded = 0;
  const admission = new AdmissionControl({
    serve: (exchange) => {
      dispatcher.serve(exchange).catch((error: unknown) => {
        logger.error({ err: error }, "request broke off");
        cutOff(exchange.socket);
      });
    },
    settings,
    trustProxy: options.trustProxy ?? HTTP_DEFAULTS.trustProxy,
    exposed: dispatcher.exposedHeaders,
    logger,
    accessLog,
    onRequest: options.onRequest,
    onTick: (nowMs) => {
      if (nowMs - sweptMs < SWEEP_MS) return;
      sweptMs = nowMs;
      unreadResponsesEnded += unreadResponses.sweep(nowMs);
      listener.sweep(nowMs);
      if (options.isDraining?.() === true) dispatcher.closeConnections();
    },
  });
  const listener = new Listener({
    dispatcher,
    admission,
    unreadResponses,
    settings,
    isDirect: options.isDirect ?? true,
    tls: options.tls,
    logger,
    accessLog,
    onRequest: options.onRequest,
  });
  return {
    listen: () => {
      admission.start();
      return listener.listen(options.host ?? HTTP_DEFAULTS.host, settings.port);
    },
    close: async () => {
      dispatcher.startClosing();
      if (options.headWatch === undefined) headWatch.close();
      await listener.close();
      const left = await dispatcher.untilIdle(LEFT_WORK_MS);
      if (left > 0) logger.warn({ requests: left }, "closed before the work for clients that left has ended");
      admission.stop();
    },
    figures: () => ({
      ...admission.figures(),
      connections: unreadResponses.connections,
      refusedConnections: listener.refused,
      unreadResponsesEnded,
      inFlight: dispatcher.inFlight,
      waiting: dispatcher.waiting,
      streams: streams.count,
      streamsCutOff: streams.cutOff,
      answerBytes: unreadResponses.largeBytes,
    }),
  };
}
