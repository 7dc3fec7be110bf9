// Reads request bodies whole, within a limit that also bounds the inflated size, and within one budget for all bodies
// in flight. A refused body is drained, not buffered.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { HttpError, quoteInput } from "../errors.ts";

/** The request headers that this room reads. */
export interface RequestHeaders {
  readonly host?: string | undefined;
  readonly accept?: string | undefined;
  readonly origin?: string | undefined;
  readonly "accept-encoding"?: string | undefined;
  readonly "content-encoding"?: string | undefined;
  readonly "content-length"?: string | undefined;
  readonly "content-type"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
  readonly "last-event-id"?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly "x-forwarded-for"?: string | string[] | undefined;
  readonly "x-request-id"?: string | string[] | undefined;
  readonly "access-control-request-headers"?: string | undefined;
  readonly "access-control-request-method"?: string | undefined;
}

/** Most bytes of a refused body to drain, so that the client reads the response instead of a reset. */
const LINGER_BYTES = 64 * 1024 * 1024;

/** Bodies up to this size are bounded by the number of connections alone. */
export const SMALL_BYTES: number = 16 * 1024;

/** Bytes of a body that are read in one turn of the event loop: node reads and copies them in about 0.3 ms. */
const TURN_BYTES = 256 * 1024;

const INFLATERS: ReadonlyMap<
  string,
  (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>
> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** Bytes of all bodies in flight. */
export interface BodyBudget {
  readonly maxBytes: number;
  usedBytes: number;
}

/** One request's share of the budget; released with the request. */
export class BodyHold {
  readonly maxBytes: number;
  readonly #budget: BodyBudget;
  #heldBytes = 0;

  constructor(maxBytes: number, budget: BodyBudget) {
    this.maxBytes = maxBytes;
    this.#budget = budget;
  }

  /**
   * Counts a chunk; throws above the limit or the budget. Small bodies are exempt from the budget, so that a few slow
   * large ones do not keep them out.
   */
  add(sizeBytes: number): void {
    this.#heldBytes += sizeBytes;
    this.#budget.usedBytes += sizeBytes;
    if (this.#heldBytes > this.maxBytes) throw tooLarge(this.maxBytes);
    if (this.#heldBytes > SMALL_BYTES && this.#budget.usedBytes > this.#budget.maxBytes) {
      throw new HttpError("overloaded", "too many request bodies in flight", {
        headers: ["Retry-After", "1"],
      });
    }
  }

  release(): void {
    this.#budget.usedBytes -= this.#heldBytes;
    this.#heldBytes = 0;
  }
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError("body_too_large", `body: expected at most ${maxBytes} bytes, got more`);
}

/** The client left while its request was being read or served: no response is possible. */
export class Abandoned extends Error {}

/** A closed port: a message to it is dropped at once, with the buffers that it takes along. */
const nobody = new MessageChannel().port1;
nobody.close();

/**
 * Joins the chunks of a body and frees them. Left to the collector, which counts memory outside of the heap like the heap
 * itself, those of some large bodies would cause a full collection.
 */
function join(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const body = Buffer.concat(chunks);
  for (const { buffer, byteLength } of chunks) {
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
    if (isWhole) nobody.postMessage(undefined, [buffer]);
  }
  return body;
}

function collect(request: Readable, hold: BodyHold): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sincePause = 0;
    const goOn = (): void => {
      sincePause = 0;
      request.resume();
    };
    const stopListening = (): void => {
      request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
    };
    const onData = (chunk: Buffer): void => {
      try {
        hold.add(chunk.length);
        chunks.push(chunk);
        sincePause += chunk.length;
        if (sincePause < TURN_BYTES) return;
        // Otherwise node reads up to 2 MiB before it looks at another connection.
        request.pause();
        setImmediate(goOn);
      } catch (error) {
        stopListening();
        reject(error);
      }
    };
    const onEnd = (): void => {
      stopListening();
      resolve(join(chunks));
    };
    const onGone = (): void => {
      stopListening();
      reject(new Abandoned("the client went away"));
    };
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** Refuses a body that the headers declare too large or in an unknown coding. */
export function assertBodyHeaders(headers: RequestHeaders, maxBytes: number): void {
  const declared = headers["content-length"];
  if (declared !== undefined && Number(declared) > maxBytes) {
    throw new HttpError("body_too_large", `body: expected at most ${maxBytes} bytes, got ${declared}`);
  }
  const coding = codingOf(headers);
  if (coding !== "" && !INFLATERS.has(coding)) {
    throw new HttpError(
      "unsupported_media_type",
      `Content-Encoding: expected gzip, br, deflate or none, got ${quoteInput(coding)}`,
      { headers: ["Accept-Encoding", "gzip, br, deflate"] },
    );
  }
}

function codingOf(headers: RequestHeaders): string {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  return coding === "identity" ? "" : coding;
}

/** Reads the body, inflating it if it is compressed. */
export async function readBody(
  request: Readable & { readonly headers: RequestHeaders },
  hold: BodyHold,
): Promise<Uint8Array> {
  const body = await collect(request, hold);
  const inflater = INFLATERS.get(codingOf(request.headers));
  if (inflater === undefined) return body;
  try {
    return await inflater(body, { maxOutputLength: hold.maxBytes });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(hold.maxBytes);
    throw new HttpError(
      "malformed_request",
      `body: expected valid ${codingOf(request.headers)} data, got bytes that do not inflate`,
      { cause: error },
    );
  }
}

/** Drains the rest of a body up to a bound, then closes the connection. */
export function drainBody(request: IncomingMessage): void {
  let dropped = 0;
  request.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) request.socket.destroy();
  });
  request.on("error", () => {});
  request.resume();
}
