import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { CHUNK_BYTES, copyFile } from "./backup.ts";

const PAGE_BYTES = 4096;

function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 8) bytes.writeUInt8((at / 8) % 251, at);
  return bytes;
}

it("a copy equals its source, whatever the file held before, and writes no unchanged page", async () => {
  const file = join(temporaryFolder(), "copy");
  const source = bytesOf(2 * CHUNK_BYTES + 5000);
  const read = async (offset: number, length: number) => source.subarray(offset, offset + length);
  const sha256 = createHash("sha256").update(source).digest("hex");
  const flips = fc.array(fc.nat({ max: source.length - 1 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: source.length + 9000 }), flips, async (length, places) => {
      const before = Buffer.concat([source, Buffer.alloc(9000)]).subarray(0, length);
      for (const at of places.filter((place) => place < length)) before[at] = (before[at] ?? 0) ^ 0xff;
      let needed = 0;
      for (let at = 0; at < source.length; at += PAGE_BYTES) {
        const page = source.subarray(at, at + PAGE_BYTES);
        if (!page.equals(before.subarray(at, at + page.length))) needed += page.length;
      }
      await writeFile(file, before);
      const report = await copyFile({ bytes: source.length, read }, file);
      expect((await readFile(file)).equals(source)).toBe(true);
      expect(report).toEqual({ sha256, writtenBytes: needed, keptBytes: source.length - needed });
    }),
    { numRuns: Math.min(RUNS, 25) },
  );
});
