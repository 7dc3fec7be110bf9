// The first to see a request. Turns requests away while the node has more work than it can do in time, and
// those of clients that ask more often than allowed. What it answers is made beforehand, because turning
// away must cost less than serving.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../base/log.ts";
import { drainBody } from "./body.ts";
import { addCorsHeaders } from "./cors.ts";
import { errorBody } from "./error-body.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { plainHeaders } from "./headers.ts";
import { LoopWatch } from "./loop-watch.ts";
import { clientOf, RateLimiter } from "./rate-limiter.ts";

/** What the gate is made with. */
export interface GateOptions {
  /** How long the event loop may be busy before what is left is turned away; 0 turns nothing away. */
  readonly maxLoopDelayMs: number;
  /** Requests per second and client; no limit when left out. */
  readonly rateLimit: number | undefined;
  /** Whether the client is the one that a proxy in front names. */
  readonly trustProxy: boolean;
  /** Value of Access-Control-Expose-Headers. */
  readonly exposed: string;
  readonly logger: Logger;
  readonly onRequest: ((operationId: string, status: number, seconds: number) => void) | undefined;
  /** Called many times a second, from a timer. */
  readonly onBeat: (nowMs: number) => void;
}

/** What the gate did since the start. */
export interface GateFigures {
  readonly shed: number;
  readonly rateLimited: number;
  readonly longestLoopDelayMs: number;
}

/**
 * Requests that are still served once the loop is late: one large piece of work with a few requests behind it
 * is no overload.
 */
const SERVED_LATE = 64;
/** How long those may take together. */
const SERVED_LATE_MS = 1000;
/** Among those that would be turned away, health checks and metrics still served in a turn. */
const SPARED_PER_TURN = 16;
const SPARED_PATHS = ["/v1/-/healthy", "/metrics"] as const;
const RETRY_AFTER_SECONDS = "1";
const LOG_EVERY_MS = 1000;

interface Prepared {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

function prepare(condition: "overloaded" | "rate_limited", message: string): Prepared {
  const body = errorBody(condition, message);
  const headers = [...plainHeaders("json"), "Cache-Control", "no-store", "Content-Length", `${body.length}`];
  return { status: ERROR_CATALOGUE[condition].status, headers, body };
}

/** The address that the nearest proxy saw: what stands before it in the list is the client's own claim. */
function forwardedAddress(request: IncomingMessage): string | undefined {
  const header = request.headers["x-forwarded-for"];
  const list = typeof header === "string" ? header : header?.at(-1);
  const last = list?.slice(list.lastIndexOf(",") + 1).trim();
  return last === "" ? undefined : last;
}

/** Decides about requests before anything else does. */
export class Gate {
  readonly #options: GateOptions;
  readonly #limiter: RateLimiter | undefined;
  readonly #watch: LoopWatch;
  readonly #overloaded: Prepared;
  readonly #rateLimited: Prepared;
  /** Requests since the loop is late, and when the first of them came. */
  #late = 0;
  #lateSinceMs = 0;
  #sparedInTurn = 0;
  #shed = 0;
  #refused = 0;
  #shedLogged = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#limiter = options.rateLimit === undefined ? undefined : new RateLimiter(options.rateLimit);
    this.#overloaded = prepare("overloaded", "the node has more requests than it can answer in time");
    this.#rateLimited = prepare(
      "rate_limited",
      `more than ${options.rateLimit} requests per second from this client`,
    );
    this.#watch = new LoopWatch((nowMs) => this.#beat(nowMs));
  }

  /** True when the request may be served; otherwise it has been answered. */
  admit(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): boolean {
    if (this.#isTooMuch(performance.now()) && !this.#isSpared(request.url ?? "")) {
      this.#shed++;
      this.#turnAway(request, response, awaitsContinue, this.#overloaded, RETRY_AFTER_SECONDS);
      return false;
    }
    return (
      this.#limiter === undefined || this.#isWithinRate(this.#limiter, request, response, awaitsContinue)
    );
  }

  figures(): GateFigures {
    return {
      shed: this.#shed,
      rateLimited: this.#refused,
      longestLoopDelayMs: this.#watch.longestDelayMs,
    };
  }

  start(): void {
    this.#watch.start();
  }

  stop(): void {
    this.#watch.stop();
  }

  #isTooMuch(nowMs: number): boolean {
    const { maxLoopDelayMs } = this.#options;
    if (maxLoopDelayMs === 0 || this.#watch.busyMs(nowMs) <= maxLoopDelayMs) return false;
    if (++this.#late === 1) this.#lateSinceMs = nowMs;
    return this.#late > SERVED_LATE || nowMs - this.#lateSinceMs > SERVED_LATE_MS;
  }

  /** Watchers must see an overloaded node as overloaded, not as gone. */
  #isSpared(url: string): boolean {
    return (
      this.#sparedInTurn < SPARED_PER_TURN &&
      SPARED_PATHS.some((path) => url.startsWith(path)) &&
      ++this.#sparedInTurn > 0
    );
  }

  #isWithinRate(
    limiter: RateLimiter,
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
  ): boolean {
    const forwarded = this.#options.trustProxy ? forwardedAddress(request) : undefined;
    const client = clientOf(forwarded ?? request.socket.remoteAddress ?? "");
    const { allowed, remaining, waitSeconds } = limiter.take(client, performance.now());
    response.setHeader("RateLimit-Limit", `${limiter.limit}`);
    response.setHeader("RateLimit-Remaining", `${remaining}`);
    response.setHeader("RateLimit-Reset", `${waitSeconds}`);
    if (allowed) return true;
    this.#refused++;
    this.#turnAway(request, response, awaitsContinue, this.#rateLimited, `${waitSeconds}`);
    return false;
  }

  #turnAway(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
    prepared: Prepared,
    retryAfter: string,
  ): void {
    const headers = [...prepared.headers, "Retry-After", retryAfter];
    const { origin } = request.headers;
    if (origin !== undefined) addCorsHeaders(headers, origin, this.#options.exposed);
    // A client that still waits may send its body or not: only a new connection is unambiguous.
    if (awaitsContinue) headers.push("Connection", "close");
    response.writeHead(prepared.status, headers);
    response.end(prepared.body);
    if (!request.complete) drainBody(request);
    this.#options.onRequest?.("none", prepared.status, 0);
  }

  #beat(nowMs: number): void {
    this.#late = 0;
    this.#sparedInTurn = 0;
    if (this.#shed > this.#shedLogged && nowMs - this.#loggedMs > LOG_EVERY_MS) {
      const delayMs = Math.round(this.#watch.longestDelayMs);
      this.#options.logger.warn({ shed: this.#shed - this.#shedLogged, delayMs }, "overloaded");
      this.#shedLogged = this.#shed;
      this.#loggedMs = nowMs;
    }
    this.#options.onBeat(nowMs);
  }
}
