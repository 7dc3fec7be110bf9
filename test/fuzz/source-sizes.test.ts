// Random lies in size by proof sources: files repeated, nested, cut and put together, listings and metadata of any length,
// peers that send any bytes in pieces of any size. The honest source beside the liar leads on, and nothing ends the node.
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  closeAll,
  judge,
  peerWith,
  serveFolder,
  sourceAt,
  startOfBackup,
} from "../support/hostile-sources.ts";
import { RUNS } from "../support/property.ts";

const CASES = Math.max(5, RUNS / 20);
const MOST_BYTES = 4 * 1024 * 1024;

afterEach(closeAll);

/** Bytes that repeat a piece, up to a few megabytes. */
const repeated = fc
  .record({
    piece: fc.constantFrom(
      "[",
      '{"a":',
      "\n",
      " ",
      '"',
      "\\u0061",
      '{"EpochEndingBackup":{"first_epoch":0,"last_epoch":2,"first_version":0,"last_version":9,"manifest":"m"}}\n',
      "\u0000\u0000\u0000\u0000",
      "\u0000\u0000\u0000\u0001a",
      "\u007f\u007f\u007f\u007f",
    ),
    times: fc.oneof(fc.nat(100), fc.nat(MOST_BYTES)),
  })
  .map(({ piece, times }) =>
    Buffer.from(piece.repeat(Math.min(times, Math.floor(MOST_BYTES / piece.length)))),
  );

describe("a proof source that lies in size", () => {
  it("in a file of a folder", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        repeated,
        fc.constantFrom("instead", "before", "after", "compressed twice"),
        async (at, lie, where) => {
          const files = startOfBackup((all) => {
            const path = [...all.keys()][at % all.size] ?? "";
            const honest = Buffer.from(all.get(path) ?? []);
            if (where === "instead") all.set(path, lie);
            if (where === "before") all.set(path, Buffer.concat([lie, honest]));
            if (where === "after") all.set(path, Buffer.concat([honest, lie]));
            if (where === "compressed twice") all.set(path, gzipSync(lie));
          });
          expect((await judge(sourceAt((await serveFolder(files)).href))).state).not.toBe("untried");
          await closeAll();
        },
      ),
      { numRuns: CASES },
    );
  });

  it("as a peer", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.uint8Array({ maxLength: 64 }), { nil: undefined }),
        fc.option(repeated, { nil: undefined }),
        fc.constantFrom(1, 7, 1000, 65_000),
        fc.constantFrom(undefined, 1, 500),
        async (noise, answer, pieceBytes, fragmentBytes) => {
          const peer = await peerWith({
            ...(noise === undefined ? {} : { noise }),
            ...(answer === undefined ? {} : { answer: () => answer.subarray(0, 200 * pieceBytes) }),
            ...(fragmentBytes === undefined ? {} : { fragmentBytes }),
            pieceBytes,
          });
          // A peer that promises a frame and does not send it would be waited for.
          const source = sourceAt(peer.address);
          const isCut = noise !== undefined && noise.length > 0;
          const cut = isCut ? setTimeout(() => peer.cut(), 200) : undefined;
          expect((await judge(source)).state).not.toBe("untried");
          clearTimeout(cut);
          await closeAll();
        },
      ),
      { numRuns: CASES },
    );
  });
});
