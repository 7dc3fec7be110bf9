// Responses that nobody reads. Large ones count against one budget until they are sent; a look at
// all connections once a second ends those that have had bytes waiting for too long, or too many of them.
import type { Duplex } from "node:stream";
import { HttpError } from "./errors.ts";

/** Responses below this size are left to the look at the connections. */
const LARGE_BYTES = 64 * 1024;
/** Most bytes that one UTF-16 unit of a text takes in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Bounds of what waits to be read. */
export interface UnreadResponseLimits {
  /** For all large answers together, and for all bytes that wait on connections. */
  readonly budgetBytes: number;
  /** How long a connection may have bytes waiting without once having none. */
  readonly answerTimeoutMs: number;
}

interface Connection {
  /** Since when bytes have been waiting; 0 where none are. */
  waitingSince: number;
  /** Give back what large responses hold. Made with the first one: most connections never have any. */
  releases: Set<() => void> | undefined;
}

/** Keeps what clients do not read within bounds. */
export class UnreadResponses {
  readonly #limits: UnreadResponseLimits;
  readonly #open = new Map<Duplex, Connection>();
  #largeBytes = 0;

  constructor(limits: UnreadResponseLimits) {
    this.#limits = limits;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#open.size;
  }

  /** Bytes of large responses that are not sent yet. */
  get largeBytes(): number {
    return this.#largeBytes;
  }

  /** Looks after a connection until it closes. */
  watch(socket: Duplex): void {
    const connection: Connection = { waitingSince: 0, releases: undefined };
    this.#open.set(socket, connection);
    socket.once("close", () => {
      this.#open.delete(socket);
      for (const release of connection.releases ?? []) release();
    });
  }

  /** True for an open connection that is looked after. */
  isWatched(socket: Duplex): boolean {
    return this.#open.has(socket);
  }

  /**
   * Counts a response until the returned function is called or its connection is closed; throws when there are too many
   * bytes. Returns nothing for a small response, and for one whose connection is closed: nothing waits there.
   */
  reserve(socket: Duplex, body: string | Uint8Array): (() => void) | undefined {
    if (body.length * MAX_UNIT_BYTES < LARGE_BYTES) return undefined;
    const sizeBytes = Buffer.byteLength(body);
    const connection = this.#open.get(socket);
    if (sizeBytes < LARGE_BYTES || connection === undefined) return undefined;
    if (this.#largeBytes + sizeBytes > this.#limits.budgetBytes) {
      throw new HttpError("overloaded", "too many answers are waiting to be read", {
        headers: ["Retry-After", "1"],
      });
    }
    connection.releases ??= new Set();
    const { releases } = connection;
    const release = (): void => {
      if (releases.delete(release)) this.#largeBytes -= sizeBytes;
    };
    releases.add(release);
    this.#largeBytes += sizeBytes;
    return release;
  }

  /** Ends the connections that are over the bounds; returns how many. */
  sweep(nowMs: number): number {
    let ended = 0;
    let waitingBytes = 0;
    const waiting: Duplex[] = [];
    for (const [socket, connection] of this.#open) {
      const since = connection.waitingSince;
      if (socket.writableLength === 0) {
        connection.waitingSince = 0;
      } else if (since !== 0 && nowMs - since > this.#limits.answerTimeoutMs) {
        socket.destroy();
        ended++;
      } else {
        if (since === 0) connection.waitingSince = nowMs;
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
