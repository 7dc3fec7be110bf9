// The access log: one line for each response, also for those that admission control sends. Its fields are data, which
// the logger escapes: no request can write a line of its own.
import type { Logger } from "../../base/log.ts";
import { shortenText } from "../../base/texts/text.ts";
import type { Exchange } from "../transport/exchange.ts";

/** Characters of a request target that a line shows. */
const MAX_SHOWN_TARGET = 2000;

/** What a line says of a response. */
interface LoggedResponse {
  readonly status: number;
  /** Bytes of the body; undefined where another node made it. */
  readonly bytes: number | undefined;
  readonly requestId: string | undefined;
}

export class AccessLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  write(exchange: Exchange, { status, bytes, requestId }: LoggedResponse): void {
    const { method, target, sinceMs, socket } = exchange;
    this.#logger.info(
      {
        method,
        path: shortenText(target, MAX_SHOWN_TARGET),
        status,
        ms: Math.round((performance.now() - sinceMs) * 1000) / 1000,
        bytes,
        requestId,
        client: socket.remoteAddress,
      },
      "request",
    );
  }

  /** Bytes that are no request: there is no method and no path. */
  writeBroken(status: number): void {
    this.#logger.info({ status }, "request");
  }
}

const LINES_PER_SECOND = 20;

/** Bounds what failing requests can make a node write to its log: clients must not fill a disk. */
export class LogBudget {
  #second = 0;
  #lines = 0;
  #held = 0;

  /** The number of omitted lines before this one; undefined if this line must be omitted too. */
  take(nowMs: number): number | undefined {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#lines = 0;
    }
    if (++this.#lines > LINES_PER_SECOND) {
      this.#held++;
      return undefined;
    }
    const held = this.#held;
    this.#held = 0;
    return held;
  }
}
