import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { assertChunks, CHUNK_BYTES, copyChunks } from "./chunks.ts";

const file = join(temporaryFolder(), "copy");
const PAGE_BYTES = 4096;

function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 8) bytes.writeUInt8((at / 8) % 251, at);
  return bytes;
}

describe("chunked copies", () => {
  const source = bytesOf(2 * CHUNK_BYTES + 5000);
  const read = async (offset: number, length: number) => source.subarray(offset, offset + length);

  it("equal the source, whatever the file held before, and write no unchanged page", async () => {
    const flips = fc.array(fc.nat({ max: source.length - 1 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: source.length + 9000 }), flips, async (length, places) => {
        const before = Buffer.concat([source, Buffer.alloc(9000)]).subarray(0, length);
        const dirty = new Set<number>();
        for (const at of places.filter((place) => place < length)) {
          before[at] = (before[at] ?? 0) ^ 0xff;
        }
        for (let at = 0; at < source.length; at += PAGE_BYTES) {
          const page = source.subarray(at, at + PAGE_BYTES);
          if (!page.equals(before.subarray(at, at + page.length))) dirty.add(at);
        }
        await writeFile(file, before);
        const report = await copyChunks({ bytes: source.length, read }, file);
        expect((await readFile(file)).equals(source)).toBe(true);
        let needed = 0;
        for (const at of dirty) needed += Math.min(PAGE_BYTES, source.length - at);
        expect(report).toMatchObject({ writtenBytes: needed, keptBytes: source.length - needed });
        expect(report.hashes).toHaveLength(3);
        await assertChunks(file, source.length, report.hashes);
      }),
      { numRuns: Math.min(RUNS, 25) },
    );
  });

  it("are refused when a single bit differs or the end is missing", async () => {
    await writeFile(file, source);
    const { hashes } = await copyChunks({ bytes: source.length, read }, file);
    const damaged = expect.objectContaining({ code: "corrupt" });
    for (const at of [0, CHUNK_BYTES - 1, CHUNK_BYTES, source.length - 1]) {
      const changed = Buffer.from(source);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(file, changed);
      await expect(assertChunks(file, source.length, hashes)).rejects.toEqual(damaged);
    }
    await writeFile(file, source.subarray(0, -1));
    await expect(assertChunks(file, source.length, hashes)).rejects.toEqual(damaged);
    await writeFile(file, source);
    await assertChunks(file, source.length, hashes);
  });
});
