// Back-pressure for clients that do not read. Large responses count against one budget until they are sent. A sweep
// once a second closes connections whose unsent bytes are too old or, in total, too many.
import type { Duplex } from "node:stream";
import { HttpError } from "../errors.ts";
import { cutOff } from "../transport/cut-off.ts";

/** Smaller responses are bounded by the sweep alone. */
const LARGE_BYTES = 64 * 1024;
/** Most bytes that one UTF-16 unit of a text takes in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Bounds of unsent bytes. */
export interface UnreadResponseLimits {
  /** For all large responses together, and for all unsent bytes of all connections. */
  readonly budgetBytes: number;
  /** Longest time that a connection may have unsent bytes without a break. */
  readonly answerTimeoutMs: number;
}

interface Connection {
  /** Since when the connection has unsent bytes; 0 if it has none. */
  waitingSince: number;
  /** Free the budget of large responses. Created with the first one: most connections never have any. */
  releases: Set<() => void> | undefined;
}

/** Bounds the bytes that clients do not read. */
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

  /** Watches a connection until it closes. */
  watch(socket: Duplex): void {
    const connection: Connection = { waitingSince: 0, releases: undefined };
    this.#open.set(socket, connection);
    socket.once("close", () => {
      this.#open.delete(socket);
      for (const release of connection.releases ?? []) release();
    });
  }

  /** A connection took everything written to it so far: its time starts again. */
  noteTaken(socket: Duplex): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.waitingSince = 0;
  }

  /** True for an open, watched connection. */
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
      throw new HttpError("overloaded", "too many responses are waiting to be read", {
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

  /** Closes the connections over the bounds; returns how many. */
  sweep(nowMs: number): number {
    let ended = 0;
    let waitingBytes = 0;
    const waiting: Duplex[] = [];
    for (const [socket, connection] of this.#open) {
      const since = connection.waitingSince;
      if (socket.writableLength === 0) {
        connection.waitingSince = 0;
      } else if (since !== 0 && nowMs - since > this.#limits.answerTimeoutMs) {
        cutOff(socket);
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
      cutOff(socket);
      ended++;
    }
    return ended;
  }
}
