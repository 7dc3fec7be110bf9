// Admission control. While the event loop keeps up, requests go straight to the dispatcher. When the loop falls
// behind, requests queue; those that would wait longer than the limit get 503, and clients over their rate get 429.
// Both responses are prepared beforehand, because refusing a request must cost less than serving it.
import type { Socket } from "node:net";
import type { Logger } from "../../base/log.ts";
import { HOUR_MS, type NumberSettings, type Numbers } from "../../base/settings.ts";
import { errorBody } from "../error-answer.ts";
import { ERROR_CATALOGUE } from "../error-catalogue.ts";
import type { AccessLog } from "../response/access-log.ts";
import { addCorsHeaders } from "../response/cors.ts";
import { plainHeaders, toHeaderSet } from "../response/headers.ts";
import { givenRequestId } from "../response/request-id.ts";
import type { Exchange, HeaderSet } from "../transport/exchange.ts";
import { clientOf, RateLimiter } from "./rate-limiter.ts";
import { LoopWatch, RequestQueue } from "./request-queue.ts";

export const ADMISSION_NUMBERS = {
  /** Requests that would queue longer get 503; 0 refuses none. */
  maxWaitMs: { fallback: 500, min: 0, max: HOUR_MS },
  /** Requests per second and client; no limit when left out. */
  rateLimit: { fallback: undefined, min: 1, max: 1_000_000 },
} as const satisfies NumberSettings;

/** Limits, and where admitted requests go. */
export interface AdmissionControlOptions {
  readonly serve: (exchange: Exchange) => void;
  readonly settings: Numbers<typeof ADMISSION_NUMBERS>;
  /** Identify clients by X-Forwarded-For, as set by a trusted proxy. */
  readonly trustProxy: boolean;
  /** Value of Access-Control-Expose-Headers. */
  readonly exposed: string;
  readonly logger: Logger;
  /** Undefined when requests are not logged. */
  readonly accessLog: AccessLog | undefined;
  readonly onRequest: ((operationId: string, status: number, seconds: number) => void) | undefined;
  /** Called many times a second, from a timer. */
  readonly onTick: (nowMs: number) => void;
}

/** Counters since the start, and the current queue. */
export interface AdmissionFigures {
  readonly shed: number;
  readonly rateLimited: number;
  readonly queued: number;
  readonly longestLoopDelayMs: number;
}

/** Most queued requests, including those to be refused. Above it, connections that send more are closed. */
const MAX_QUEUED = 32_768;
/** Health checks and metrics requests that may skip the queue between two ticks. */
const MAX_SKIPS_PER_TICK = 16;
const QUEUE_FREE_PATHS = ["/v1/-/", "/metrics"] as const;
/** A request that waited too long is refused only if the backlog is above this share of the limit: a stall alone is no overload. */
const STILL_BUSY = 0.5;
const LOG_EVERY_MS = 1000;
/** A tick this late still counts as keeping up: it waits for the requests of one loop turn. */
const LATE_MS = 4;

interface PreparedResponse {
  readonly status: number;
  readonly headers: HeaderSet;
  readonly body: string;
}

/** A queued request. */
interface QueuedRequest {
  readonly exchange: Exchange;
  /** The prepared refusal; undefined for a request to be served. */
  readonly refusal: PreparedResponse | undefined;
  readonly retryAfter: number;
}

function prepare(condition: "overloaded" | "rate_limited", message: string): PreparedResponse {
  const body = errorBody(condition, message);
  const headers = toHeaderSet([...plainHeaders("json").list, "Cache-Control", "no-store"]);
  return { status: ERROR_CATALOGUE[condition].status, headers, body };
}

/** Serves, queues or refuses each request. */
export class AdmissionControl {
  readonly #options: AdmissionControlOptions;
  readonly #limiter: RateLimiter | undefined;
  readonly #watch: LoopWatch;
  readonly #queue: RequestQueue<Socket, QueuedRequest>;
  readonly #overloaded: PreparedResponse;
  readonly #rateLimited: PreparedResponse;
  #skipped = 0;
  #shed = 0;
  #rateLimitedCount = 0;
  #shedLogged = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: AdmissionControlOptions) {
    this.#options = options;
    const { rateLimit } = options.settings;
    this.#limiter = rateLimit === undefined ? undefined : new RateLimiter(rateLimit);
    this.#overloaded = prepare("overloaded", "the node has more requests than it can answer in time");
    this.#rateLimited = prepare(
      "rate_limited",
      `more than ${rateLimit} requests per second from this client`,
    );
    this.#watch = new LoopWatch((nowMs) => this.#tick(nowMs));
    this.#queue = new RequestQueue(
      (one) => this.#serveQueued(one),
      (one) => this.#refuse(one),
    );
  }

  /** Serves a request now, queues it, or refuses it. */
  take(exchange: Exchange): void {
    const nowMs = exchange.sinceMs;
    if (this.#limiter !== undefined) {
      const retryAfter = this.#countRequest(this.#limiter, exchange);
      if (retryAfter !== undefined) {
        this.#rateLimitedCount++;
        this.#wait({ exchange, refusal: this.#rateLimited, retryAfter });
        return;
      }
    }
    const keepsUp = !this.#queue.isBusy && this.#watch.busyMs(nowMs) <= LATE_MS;
    if (keepsUp || this.#skipsQueue(exchange.target)) {
      this.#options.serve(exchange);
      return;
    }
    const { maxWaitMs } = this.#options.settings;
    const isOverloaded = maxWaitMs > 0 && this.#queue.expectedWaitMs(exchange.socket) > maxWaitMs;
    if (isOverloaded) this.#shed++;
    this.#wait({ exchange, refusal: isOverloaded ? this.#overloaded : undefined, retryAfter: 1 });
  }

  figures(): AdmissionFigures {
    return {
      shed: this.#shed,
      rateLimited: this.#rateLimitedCount,
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

  #wait(one: QueuedRequest): void {
    const { socket } = one.exchange;
    if (this.#queue.total >= MAX_QUEUED) {
      socket.destroy();
      return;
    }
    if (one.refusal === undefined) this.#queue.add(socket, one);
    else this.#queue.refuse(socket, one);
  }

  #serveQueued(one: QueuedRequest): void {
    const { exchange } = one;
    const { serve } = this.#options;
    const { maxWaitMs } = this.#options.settings;
    if (exchange.isGone) return;
    const waitedMs = performance.now() - exchange.sinceMs;
    // The estimate was too low, and the backlog shows that this was no single stall.
    if (maxWaitMs > 0 && waitedMs > maxWaitMs && this.#queue.backlogMs > maxWaitMs * STILL_BUSY) {
      this.#shed++;
      this.#queue.refuse(exchange.socket, { ...one, refusal: this.#overloaded });
    } else serve(exchange);
  }

  /** Health checks skip the queue: monitoring must see an overloaded node as overloaded, not as gone. */
  #skipsQueue(url: string): boolean {
    return (
      this.#skipped < MAX_SKIPS_PER_TICK &&
      QUEUE_FREE_PATHS.some((path) => url.startsWith(path)) &&
      ++this.#skipped > 0
    );
  }

  /** Counts a request and adds the RateLimit headers. Returns the seconds to wait if it is over the limit. */
  #countRequest(limiter: RateLimiter, exchange: Exchange): number | undefined {
    const client = clientOf(exchange, this.#options.trustProxy);
    const { allowed, remaining, waitSeconds } = limiter.take(client, exchange.sinceMs);
    exchange.addHeader("RateLimit-Limit", `${limiter.limit}`);
    exchange.addHeader("RateLimit-Remaining", `${remaining}`);
    exchange.addHeader("RateLimit-Reset", `${waitSeconds}`);
    return allowed ? undefined : waitSeconds;
  }

  #refuse({ exchange, refusal, retryAfter }: QueuedRequest): void {
    if (exchange.isGone || refusal === undefined) return;
    const extra = ["Retry-After", `${retryAfter}`];
    const { origin } = exchange.headers;
    if (origin !== undefined) addCorsHeaders(extra, origin, this.#options.exposed);
    const requestId = givenRequestId(exchange.headers);
    if (requestId !== undefined) extra.push("X-Request-Id", requestId);
    const { status, headers, body } = refusal;
    exchange.respond({ status, headers, extra, body, closes: false });
    this.#options.onRequest?.("none", status, 0);
    this.#options.accessLog?.write(exchange, { status, bytes: Buffer.byteLength(body), requestId });
  }

  #tick(nowMs: number): void {
    this.#skipped = 0;
    if (this.#shed > this.#shedLogged && nowMs - this.#loggedMs > LOG_EVERY_MS) {
      const delayMs = Math.round(this.#watch.longestDelayMs);
      this.#options.logger.warn({ shed: this.#shed - this.#shedLogged, delayMs }, "overloaded");
      this.#shedLogged = this.#shed;
      this.#loggedMs = nowMs;
    }
    this.#options.onTick(nowMs);
  }
}
