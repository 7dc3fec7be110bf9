// Bytes of a stream in the lengths that a format asks for. Reads no further than it is asked, so a sender that goes on
// waits; copies each byte a few times at most, however small the pieces are; and lets other work of the process run.
import { Slices } from "../../base/wait.ts";
import { BcsWriter } from "../../bcs/writer.ts";

const NEWLINE = 10;

/** A stream of one piece. */
export async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #slices = new Slices("writer");
  /** Came, and was not taken yet. */
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** The next bytes: `count`, or fewer at the end of the stream. Valid until the next call. */
  async take(count: number): Promise<Uint8Array> {
    await this.#slices.pause();
    if (this.#rest.length < count) await this.#gather(count);
    return this.#cut(count, count);
  }

  /** The next line without its end: `maxBytes` and one more if it is longer; undefined at the end of the stream. */
  async takeLine(maxBytes: number): Promise<Uint8Array | undefined> {
    await this.#slices.pause();
    let end = this.#rest.indexOf(NEWLINE);
    for (let known = -1; end < 0 && this.#rest.length <= maxBytes && known < this.#rest.length; ) {
      known = this.#rest.length;
      await this.#gather(known + 1);
      end = this.#rest.indexOf(NEWLINE, known);
    }
    if (end < 0 && this.#rest.length === 0) return undefined;
    return end < 0 || end > maxBytes ? this.#cut(maxBytes + 1, maxBytes + 1) : this.#cut(end, end + 1);
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  /** Holds at least `count` bytes, unless the stream ends. Memory grows with what came, not with what was asked for. */
  async #gather(count: number): Promise<void> {
    const first = this.#rest.length === 0 ? await this.#pieces.next() : undefined;
    if (first?.done === true) return;
    if (first !== undefined) this.#rest = first.value;
    if (this.#rest.length >= count) return;
    const writer = new BcsWriter(2 * this.#rest.length).fixed(this.#rest);
    while (writer.length < count) {
      const next = await this.#pieces.next();
      if (next.done === true) break;
      writer.fixed(next.value);
      await this.#slices.pause();
    }
    this.#rest = writer.take();
  }

  #cut(length: number, behind: number): Uint8Array {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(behind);
    return taken;
  }
}
