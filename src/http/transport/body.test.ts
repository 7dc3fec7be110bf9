import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { BodyHold, readBody } from "./body.ts";

const CHUNK_BYTES = 64 * 1024;
const CHUNKS = 24;

/** A request whose body is there already, in chunks. */
function requestOf(chunks: readonly Buffer[]): Readable & { headers: object } {
  const left = [...chunks];
  const request = new Readable({
    read() {
      this.push(left.shift() ?? null);
    },
  });
  return Object.assign(request, { headers: {} });
}

function chunksOf(fill: (index: number) => Buffer): Buffer[] {
  return Array.from({ length: CHUNKS }, (_, index) => fill(index));
}

function createHold(): BodyHold {
  return new BodyHold(2 * CHUNKS * CHUNK_BYTES, { maxBytes: 2 * CHUNKS * CHUNK_BYTES, usedBytes: 0 });
}

describe("a large body", () => {
  it("leaves turns of the event loop to others while it is read", async () => {
    const request = requestOf(chunksOf((index) => Buffer.alloc(CHUNK_BYTES, index)));
    const bytesIn: number[] = [0];
    let isDone = false;
    const nextTurn = (): void => {
      bytesIn.push(0);
      if (!isDone) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
    const reading = readBody(request, createHold());
    request.on("data", (chunk: Buffer) => {
      bytesIn[bytesIn.length - 1] = (bytesIn.at(-1) ?? 0) + chunk.length;
    });
    expect((await reading).length).toBe(CHUNKS * CHUNK_BYTES);
    isDone = true;
    expect(Math.max(...bytesIn)).toBeLessThanOrEqual(4 * CHUNK_BYTES);
  });

  it("has the bytes of all its chunks, whose memory is free afterwards", async () => {
    const chunks = chunksOf((index) => Buffer.alloc(CHUNK_BYTES, index));
    const expected = Buffer.concat(chunks);
    const body = await readBody(requestOf(chunks), createHold());
    expect(expected.equals(body)).toBe(true);
    expect(chunks.map(({ length }) => length)).toEqual(Array(CHUNKS).fill(0));
  });

  it("leaves memory alone that its chunks are only a part of", async () => {
    const memory = Buffer.alloc(CHUNKS * CHUNK_BYTES, "abc");
    const chunks = chunksOf((index) => memory.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES));
    const body = await readBody(requestOf(chunks), createHold());
    expect(memory.length).toBe(CHUNKS * CHUNK_BYTES);
    expect(memory.equals(body)).toBe(true);
  });
});
