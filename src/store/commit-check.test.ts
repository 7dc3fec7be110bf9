import { describe, expect, it } from "vitest";
import type { Position } from "../ledger/position.ts";
import { ALL_TRUSTED } from "../ledger/trust.ts";
import { assertFollows, assertIdentity, toStoredPosition } from "./commit-check.ts";
import type { BlockStart, CommitBatch, StoreIdentity } from "./contract.ts";

function position(version: bigint, blockHeight: bigint, chainId = 4): Position {
  return {
    chainId,
    version,
    timestampUsec: 0n,
    epoch: 1n,
    blockHeight,
    oldestVersion: 0n,
    oldestBlockHeight: 0n,
    accumulator: { leafCount: version + 1n, frozen: [] },
    stateRoot: undefined,
    ...ALL_TRUSTED,
  };
}

const block = (height: bigint, firstVersion: bigint): BlockStart => ({
  height,
  firstVersion,
  timestampUsec: 0n,
  epoch: 1n,
});
const write = (version: bigint, value?: Uint8Array) => ({ version, keyHash: new Uint8Array(32), value });
const record = (version: bigint) => ({ version, bytes: new Uint8Array(1) });

/** A batch of versions 11 to 20, in blocks 3 and 4, onto a head at version 10 in block 2. */
const HEAD = { ...position(10n, 2n), oldestVersion: 5n, oldestBlockHeight: 1n };
const GOOD: CommitBatch = {
  previous: 10n,
  position: position(20n, 4n),
  writes: [write(11n), write(11n), write(20n, Uint8Array.of(1))],
  blocks: [block(3n, 11n), block(4n, 15n)],
  records: [record(11n), record(20n)],
  treeNodes: [],
};

describe("a batch follows the head", () => {
  it("where it starts after it and is in order", () => {
    expect(() => assertFollows(GOOD, HEAD)).not.toThrow();
    expect(() =>
      assertFollows({ ...GOOD, blocks: [], position: position(11n, 2n), writes: [], records: [] }, HEAD),
    ).not.toThrow();
  });

  it("where there is none, from its own first block on", () => {
    expect(() => assertFollows({ ...GOOD, previous: undefined }, undefined)).not.toThrow();
    const early = { ...GOOD, previous: undefined, records: [record(10n)] };
    expect(() => assertFollows(early, undefined)).toThrow("record of version 10, expected 11 to 20");
    const bare = { ...GOOD, previous: undefined, blocks: [], writes: [], records: [record(20n)] };
    expect(() => assertFollows(bare, undefined)).not.toThrow();
    expect(() => assertFollows({ ...bare, records: [record(19n)] }, undefined)).toThrow("expected 20 to 20");
  });

  it.each<[string, Partial<CommitBatch>]>([
    ["batch follows version 9, head is 10", { previous: 9n }],
    ["batch follows version none, head is 10", { previous: undefined }],
    ["batch ends at version 10, must be above the head 10", { position: position(10n, 2n) }],
    ["write of version 10, expected 11 to 20", { writes: [write(10n)] }],
    ["write of version 21, expected 11 to 20", { writes: [write(21n)] }],
    ["write of version 12, expected 13 to 20", { writes: [write(13n), write(12n)] }],
    ["empty state value at version 12", { writes: [write(12n, new Uint8Array(0))] }],
    ["record of version 12, expected 13 to 20", { records: [record(12n), record(12n)] }],
    ["block 4 follows block 2", { blocks: [block(4n, 11n)] }],
    ["block 3 starts at version 10, expected 11 to 20", { blocks: [block(3n, 10n)] }],
    ["block 3 starts at version 21, expected 11 to 20", { blocks: [block(3n, 21n)] }],
    ["block 4 starts at version 11, expected 12 to 20", { blocks: [block(3n, 11n), block(4n, 11n)] }],
    ["position is in block 5, last block is 4", { position: position(20n, 5n) }],
  ])("or is refused: %s", (message, change) => {
    const refusal = message.startsWith("empty") ? { message } : { code: "order", message };
    expect(() => assertFollows({ ...GOOD, ...change }, HEAD)).toThrow(expect.objectContaining(refusal));
  });

  it("or is refused where the store is empty", () => {
    expect(() => assertFollows(GOOD, undefined)).toThrow("batch follows version 10, head is none");
  });
});

describe("the chain of a batch", () => {
  const chain = (chainId: number, fill: number): StoreIdentity => ({
    chainId,
    genesisHash: new Uint8Array(32).fill(fill),
  });

  it("is the one that the store holds, or the first that is given", () => {
    const known = chain(4, 1);
    expect(assertIdentity(GOOD, known, undefined)).toBe(known);
    expect(assertIdentity(GOOD, known, chain(4, 1))).toBe(known);
    expect(assertIdentity(GOOD, undefined, known)).toBe(known);
  });

  it.each<[string, StoreIdentity | undefined, StoreIdentity | undefined]>([
    ["the first commit needs a chain identity", undefined, undefined],
    ["this store holds chain 4 of another genesis than chain 4", chain(4, 1), chain(4, 2)],
    ["this store holds chain 4 of another genesis than chain 5", chain(4, 1), chain(5, 1)],
    ["this store holds chain 5, got chain 4", chain(5, 1), undefined],
    ["this store holds chain 5, got chain 4", undefined, chain(5, 1)],
  ])("or is refused: %s", (message, known, given) => {
    expect(() => assertIdentity(GOOD, known, given)).toThrow(
      expect.objectContaining({ code: "identity", message }),
    );
  });
});

describe("the position that a batch leaves", () => {
  it("keeps the oldest version and block of the store, or begins with its own", () => {
    const oldest = ({ version, oldestVersion, oldestBlockHeight }: Position) => [
      version,
      oldestVersion,
      oldestBlockHeight,
    ];
    expect(oldest(toStoredPosition(GOOD, HEAD))).toEqual([20n, 5n, 1n]);
    expect(oldest(toStoredPosition(GOOD, undefined))).toEqual([20n, 11n, 3n]);
    expect(oldest(toStoredPosition({ ...GOOD, blocks: [] }, undefined))).toEqual([20n, 20n, 4n]);
  });
});
