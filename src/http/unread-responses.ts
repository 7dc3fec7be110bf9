// Answers that nobody reads. Large ones are counted against one budget while they wait to be taken; a look at
// all connections once a second ends those that have had bytes waiting for too long, or too many of them.
import type { Duplex } from "node:stream";
import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";

/** Answers below this size are left to the look at the connections. */
const LARGE_BYTES = 64 * 1024;

/** Bounds of what waits to be read. */
export interface UnreadResponseLimits {
  /** For all large answers together, and for all bytes that wait on connections. */
  readonly budgetBytes: number;
  /** How long a connection may have bytes waiting without once having none. */
  readonly answerMs: number;
}

/** Keeps what clients do not read within bounds. */
export class UnreadResponses {
  readonly #limits: UnreadResponseLimits;
  /** Open connections, with the time since which bytes have been waiting; 0 where none are. */
  readonly #waitingSince = new Map<Duplex, number>();
  #largeBytes = 0;

  constructor(limits: UnreadResponseLimits) {
    this.#limits = limits;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#waitingSince.size;
  }

  /** Bytes of large answers that are being taken. */
  get largeBytes(): number {
    return this.#largeBytes;
  }

  /** Looks after a connection until it closes. */
  watch(socket: Duplex): void {
    this.#waitingSince.set(socket, 0);
    socket.once("close", () => this.#waitingSince.delete(socket));
  }

  /** Notes that a connection took all that was written to it so far: the time it has for that begins again. */
  noteTaken(socket: Duplex): void {
    if (this.#waitingSince.has(socket)) this.#waitingSince.set(socket, 0);
  }

  /** True for an open connection that is looked after. */
  isWatched(socket: Duplex): boolean {
    return this.#waitingSince.has(socket);
  }

  /** Takes a large answer into account until it is out; throws when there are too many. */
  assertRoom(exchange: Exchange, sizeBytes: number): void {
    if (sizeBytes < LARGE_BYTES) return;
    if (this.#largeBytes + sizeBytes > this.#limits.budgetBytes) {
      throw new HttpError("overloaded", "too many answers are waiting to be read", {
        headers: ["Retry-After", "1"],
      });
    }
    this.#largeBytes += sizeBytes;
    exchange.whenOut(() => {
      this.#largeBytes -= sizeBytes;
    });
  }

  /** Ends the connections that are over the bounds; returns how many. */
  sweep(nowMs: number): number {
    let ended = 0;
    let waitingBytes = 0;
    const waiting: Duplex[] = [];
    for (const [socket, since] of this.#waitingSince) {
      if (socket.writableLength === 0) {
        if (since !== 0) this.#waitingSince.set(socket, 0);
      } else if (since !== 0 && nowMs - since > this.#limits.answerMs) {
        socket.destroy();
        ended++;
      } else {
        if (since === 0) this.#waitingSince.set(socket, nowMs);
        waitingBytes += socket.writableLength;
        waiting.push(socket);
      }
    }
    if (waitingBytes <= this.#limits.budgetBytes) return ended;
    waiting.sort((a, b) => b.writableLength - a.writableLength);
    for (const socket of waiting) {
      if (waitingBytes <= this.#limits.budgetBytes) break;
      waitingBytes -= socket.writableLength;
      socket.destroy();
      ended++;
    }
    return ended;
  }
}
