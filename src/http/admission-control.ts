// The first to see a request. While the event loop keeps up, requests go straight through. When it falls behind
// they queue, and those that would wait too long are turned away, as are clients that ask more often than
// allowed. What is answered to them is made beforehand: turning away must cost less than serving.
import type { Socket } from "node:net";
import type { Logger } from "../base/log.ts";
import { addCorsHeaders } from "./cors.ts";
import { errorBody } from "./error-body.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import type { Exchange, HeaderSet, RequestHeaders } from "./exchange.ts";
import { plainHeaders, toHeaderSet } from "./headers.ts";
import { LoopWatch } from "./loop-watch.ts";
import { clientOf, RateLimiter } from "./rate-limiter.ts";
import { RequestQueue } from "./request-queue.ts";

/** What the admission is made with. */
export interface AdmissionControlOptions {
  readonly serve: (exchange: Exchange) => void;
  /** Requests that would wait longer are turned away; 0 turns none away. */
  readonly maxWaitMs: number;
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

/** What the admission did since the start, and how it is. */
export interface AdmissionFigures {
  readonly shed: number;
  readonly rateLimited: number;
  readonly queued: number;
  readonly longestLoopDelayMs: number;
}

/** Requests of one connection that may wait; a connection with more is ended. */
const MAX_OF_CONNECTION = 128;
/** Requests that may wait in all, those to be turned away included; connections that bring more are ended. */
const MAX_WAITING = 32_768;
/** Health checks and metrics that overtake the queue between two beats. */
const SPARED_PER_BEAT = 16;
const SPARED_PATHS = ["/v1/-/", "/metrics"] as const;
/** What must still wait, as a share of the longest wait, for one that waited too long to be turned away. */
const STILL_BUSY = 0.5;
const LOG_EVERY_MS = 1000;
/** How late a beat may be in a loop that keeps up: it waits for the requests of one turn. */
const LATE_MS = 4;

interface Prepared {
  readonly status: number;
  readonly headers: HeaderSet;
  readonly body: string;
}

/** A request that is not answered yet. */
interface Waiting {
  readonly exchange: Exchange;
  /** What it is turned away with, where it is. */
  readonly refusal: Prepared | undefined;
  readonly retryAfter: number;
}

function prepare(condition: "overloaded" | "rate_limited", message: string): Prepared {
  const body = errorBody(condition, message);
  const headers = toHeaderSet([...plainHeaders("json").list, "Cache-Control", "no-store"]);
  return { status: ERROR_CATALOGUE[condition].status, headers, body };
}

/** The address that the nearest proxy saw: what stands before it in the list is the client's own claim. */
function forwardedAddress(headers: RequestHeaders): string | undefined {
  const header = headers["x-forwarded-for"];
  const list = typeof header === "string" ? header : header?.at(-1);
  const last = list?.slice(list.lastIndexOf(",") + 1).trim();
  return last === "" ? undefined : last;
}

/** Decides about requests before anything else does. */
export class AdmissionControl {
  readonly #options: AdmissionControlOptions;
  readonly #limiter: RateLimiter | undefined;
  readonly #watch: LoopWatch;
  readonly #queue: RequestQueue<Socket, Waiting>;
  readonly #overloaded: Prepared;
  readonly #rateLimited: Prepared;
  #spared = 0;
  #shed = 0;
  #refused = 0;
  #shedLogged = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: AdmissionControlOptions) {
    this.#options = options;
    this.#limiter = options.rateLimit === undefined ? undefined : new RateLimiter(options.rateLimit);
    this.#overloaded = prepare("overloaded", "the node has more requests than it can answer in time");
    this.#rateLimited = prepare(
      "rate_limited",
      `more than ${options.rateLimit} requests per second from this client`,
    );
    this.#watch = new LoopWatch((nowMs) => this.#beat(nowMs));
    this.#queue = new RequestQueue(
      (one) => this.#serveWaiting(one),
      (one) => this.#turnAway(one),
    );
  }

  /** Serves a request, now or in its turn, or turns it away. */
  take(exchange: Exchange): void {
    const nowMs = exchange.sinceMs;
    if (this.#limiter !== undefined) {
      const retryAfter = this.#countRequest(this.#limiter, exchange);
      if (retryAfter !== undefined) {
        this.#refused++;
        this.#wait({ exchange, refusal: this.#rateLimited, retryAfter });
        return;
      }
    }
    const keepsUp = !this.#queue.isBusy && this.#watch.busyMs(nowMs) <= LATE_MS;
    if (keepsUp || this.#isSpared(exchange.target)) {
      this.#options.serve(exchange);
      return;
    }
    const { maxWaitMs } = this.#options;
    const isTooMuch = maxWaitMs > 0 && this.#queue.expectedWaitMs(exchange.socket) > maxWaitMs;
    if (isTooMuch) this.#shed++;
    this.#wait({ exchange, refusal: isTooMuch ? this.#overloaded : undefined, retryAfter: 1 });
  }

  figures(): AdmissionFigures {
    return {
      shed: this.#shed,
      rateLimited: this.#refused,
      queued: this.#queue.length,
      longestLoopDelayMs: this.#watch.longestDelayMs,
    };
  }

  start(): void {
    this.#watch.start();
  }

  stop(): void {
    this.#watch.stop();
  }

  #wait(one: Waiting): void {
    const { socket } = one.exchange;
    if (this.#queue.total >= MAX_WAITING || this.#queue.countOf(socket) >= MAX_OF_CONNECTION) {
      socket.destroy();
    } else if (one.refusal === undefined) this.#queue.add(socket, one);
    else this.#queue.refuse(socket, one);
  }

  #serveWaiting(one: Waiting): void {
    const { exchange } = one;
    const { serve, maxWaitMs } = this.#options;
    if (exchange.isGone) return;
    const waitedMs = performance.now() - exchange.sinceMs;
    // The estimate was too low, and it was not just a stall: there is still much to do.
    if (maxWaitMs > 0 && waitedMs > maxWaitMs && this.#queue.backlogMs > maxWaitMs * STILL_BUSY) {
      this.#shed++;
      this.#queue.refuse(exchange.socket, { ...one, refusal: this.#overloaded });
    } else serve(exchange);
  }

  /** Watchers must see an overloaded node as overloaded, not as gone. */
  #isSpared(url: string): boolean {
    return (
      this.#spared < SPARED_PER_BEAT &&
      SPARED_PATHS.some((path) => url.startsWith(path)) &&
      ++this.#spared > 0
    );
  }

  /** Counts a request of a client and says so in its answer; the seconds to wait where it is one too many. */
  #countRequest(limiter: RateLimiter, exchange: Exchange): number | undefined {
    const forwarded = this.#options.trustProxy ? forwardedAddress(exchange.headers) : undefined;
    const client = clientOf(forwarded ?? exchange.socket.remoteAddress ?? "");
    const { allowed, remaining, waitSeconds } = limiter.take(client, exchange.sinceMs);
    exchange.addHeader("RateLimit-Limit", `${limiter.limit}`);
    exchange.addHeader("RateLimit-Remaining", `${remaining}`);
    exchange.addHeader("RateLimit-Reset", `${waitSeconds}`);
    return allowed ? undefined : waitSeconds;
  }

  #turnAway({ exchange, refusal, retryAfter }: Waiting): void {
    if (exchange.isGone || refusal === undefined) return;
    const extra = ["Retry-After", `${retryAfter}`];
    const { origin } = exchange.headers;
    if (origin !== undefined) addCorsHeaders(extra, origin, this.#options.exposed);
    const { status, headers, body } = refusal;
    exchange.reply({ status, headers, extra, body, closes: false });
    this.#options.onRequest?.("none", status, 0);
  }

  #beat(nowMs: number): void {
    this.#spared = 0;
    if (this.#shed > this.#shedLogged && nowMs - this.#loggedMs > LOG_EVERY_MS) {
      const delayMs = Math.round(this.#watch.longestDelayMs);
      this.#options.logger.warn({ shed: this.#shed - this.#shedLogged, delayMs }, "overloaded");
      this.#shedLogged = this.#shed;
      this.#loggedMs = nowMs;
    }
    this.#options.onBeat(nowMs);
  }
}
