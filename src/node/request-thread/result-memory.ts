// Memory of printed results. V8 counts a buffer outside of its heap like the heap itself, so that each result of some
// megabytes would cause a full collection of the node's heap. It does not count shared memory, which is used again here
// once a result is sent.
import { lend } from "../../http/transport/lent-bytes.ts";

/** Shared memory of all results. Above it, results are in memory that V8 counts. */
const MAX_SHARED_BYTES = 64 << 20;

export const NO_MEMORY = new SharedArrayBuffer(0);

export class ResultMemory {
  /** True while spare memory is kept. */
  isOpen = false;
  readonly #spares: SharedArrayBuffer[] = [];
  readonly #known = new WeakSet<SharedArrayBuffer>();
  /** Of all that is known and not collected. */
  #sharedBytes = 0;
  readonly #collected = new FinalizationRegistry<number>((sizeBytes) => {
    this.#sharedBytes -= sizeBytes;
  });

  /** True if a result may be in new shared memory. */
  get hasRoom(): boolean {
    return this.#sharedBytes < MAX_SHARED_BYTES;
  }

  /** Memory of a result that was sent. */
  take(): SharedArrayBuffer {
    return this.#spares.pop() ?? NO_MEMORY;
  }

  /** Keeps memory for the next result. Nothing may read or write it any more. */
  keep(memory: SharedArrayBuffer): void {
    if (this.isOpen && memory !== NO_MEMORY) this.#spares.push(memory);
  }

  /** A result, whose memory comes back when it is sent. If it does not, the collector takes it. */
  lend(memory: SharedArrayBuffer, sizeBytes: number): Uint8Array {
    if (!this.#known.has(memory)) {
      this.#known.add(memory);
      this.#sharedBytes += memory.byteLength;
      this.#collected.register(memory, memory.byteLength);
    }
    const result = Buffer.from(memory, 0, sizeBytes);
    lend(result, () => this.keep(memory));
    return result;
  }

  /** Leaves spare memory to the collector: no result is expected soon. */
  close(): void {
    this.isOpen = false;
    this.#spares.length = 0;
  }
}
