import fc from "fast-check";
import { expect, it } from "vitest";
import { RUNS } from "../../test/support/property.ts";
import type { LedgerPosition } from "../ledger/view.ts";
import { findBlockAtTime, findBlockByVersion } from "./block-search.ts";
import type { BlockStart } from "./contract.ts";

/** Each twice as large as the one before: a guess by the share always falls next to the first block. */
const doubling = Array.from({ length: 300 }, (_, i) => ({
  versions: 2n ** BigInt(i),
  usec: 2n ** BigInt(i),
}));

/** Blocks from a height on; sizes and times between them grow evenly, in jumps, or not at all. */
const ledger = fc.record({
  oldest: fc.bigInt({ min: 0n, max: 1000n }),
  steps: fc.oneof(
    fc.constant(doubling),
    fc.array(
      fc.record({
        versions: fc.oneof(fc.bigInt({ min: 1n, max: 8n }), fc.bigInt({ min: 1n, max: 10n ** 12n })),
        usec: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 15n })),
      }),
      { minLength: 1, maxLength: 300 },
    ),
  ),
});

it("finds the block of every version and time, in few reads however the blocks are spread", () => {
  fc.assert(
    fc.property(ledger, fc.nat(), ({ oldest, steps }, seed) => {
      const blocks: BlockStart[] = [];
      let [firstVersion, timestampUsec] = [oldest, 0n];
      for (const [i, { versions, usec }] of steps.entries()) {
        blocks.push({ height: oldest + BigInt(i), epoch: 1n, firstVersion, timestampUsec } as BlockStart);
        firstVersion += versions;
        timestampUsec += usec;
      }
      const position = {
        version: firstVersion - 1n,
        oldestVersion: oldest,
        blockHeight: oldest + BigInt(blocks.length - 1),
        oldestBlockHeight: oldest,
      } as LedgerPosition;
      let reads = 0;
      const read = (height: bigint): BlockStart | undefined => {
        reads++;
        return blocks[Number(height - oldest)];
      };
      const most = 3 * Math.ceil(Math.log2(blocks.length + 1)) + 3;
      const at = blocks[seed % blocks.length] as BlockStart;
      for (const offset of [-1n, 0n, 1n]) {
        const version = at.firstVersion + offset;
        const time = at.timestampUsec + offset;
        const isKept = version >= oldest && version <= position.version;
        for (const [found, expected] of [
          [() => findBlockByVersion(read, position, version), isKept && byLast("firstVersion", version)],
          [() => findBlockAtTime(read, position, time), byLast("timestampUsec", time)],
        ] as const) {
          reads = 0;
          expect(found()?.height).toBe(expected === false ? undefined : expected?.height);
          expect(reads).toBeLessThanOrEqual(most);
        }
      }
      const block = findBlockByVersion(read, position, at.firstVersion);
      const next = blocks[(seed % blocks.length) + 1];
      expect(block).toEqual({ ...at, lastVersion: (next?.firstVersion ?? firstVersion) - 1n });

      function byLast(of: "firstVersion" | "timestampUsec", limit: bigint): BlockStart | undefined {
        return blocks.findLast((block) => block[of] <= limit);
      }
    }),
    { numRuns: RUNS },
  );
});
