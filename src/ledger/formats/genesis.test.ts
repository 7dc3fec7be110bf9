import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { hasShared, sharedBytes, sharedJson } from "../../../test/support/shared.ts";
import { stateRootOf } from "../../../test/support/state-root.ts";
import { toHex } from "../../base/hex.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { LedgerError } from "../errors.ts";
import { leafHashOf } from "../state-tree/tree-node.ts";
import { formatWaypoint } from "../waypoint.ts";
import { checkGenesis, MAX_GENESIS_BYTES } from "./genesis.ts";
import { decodeRecord } from "./record.ts";
import { stateValueHash } from "./state-value.ts";

const NETWORKS: [string, object][] = [
  ["mainnet", { chainId: 1, items: 1394, events: 1499, validators: 31 }],
  ["devnet", { chainId: 243, items: 302, events: 37, validators: 5 }],
];
/** Bits to flip, the first half of them in as many bytes at the front. */
const FLIPS = Math.max(48, Math.ceil(RUNS / 2));
const FRONT = FLIPS / 2;
const blobOf = (network: string) => sharedBytes(`networks/${network}/genesis.blob`);
const waypointOf = (network: string) =>
  Buffer.from(sharedBytes(`networks/${network}/waypoint.txt`))
    .toString()
    .trim();

function failureOf(blob: Uint8Array): LedgerError {
  try {
    checkGenesis(blob);
  } catch (error) {
    expect(error).toBeInstanceOf(LedgerError);
    return error as LedgerError;
  }
  throw new Error("the blob was accepted");
}

describe.skipIf(!hasShared)("genesis", () => {
  it.each(NETWORKS)("of %s has the published waypoint and state root", (network, figures) => {
    const check = checkGenesis(blobOf(network));
    const roots = sharedJson<{ genesis_state_roots: Record<string, string> }>(
      "vectors/genesis-balances.json",
    );
    expect(check).toMatchObject(figures);
    expect(formatWaypoint(check.waypoint)).toBe(waypointOf(network));
    expect(toHex(check.stateRoot)).toBe(roots.genesis_state_roots[network]);
    const leaves = check.writes.map(({ keyHash, value }) => ({
      keyHash,
      leafHash: leafHashOf(keyHash, stateValueHash(value!)),
    }));
    expect(toHex(stateRootOf(leaves))).toBe(toHex(check.stateRoot));
  });

  it("of an older network, read from its first page, has the recorded root", () => {
    const page = sharedBytes("vectors/testnet-pages/testnet-start0-limit4.page.bcs");
    const first = decodeRecord(firstRecord(page));
    const check = checkGenesis(first.transaction);
    expect(toHex(check.record)).toBe(toHex(first.bytes));
    expect(toHex(check.stateRoot)).toBe("6e9c67140e4e2ae27e6b1b2b1f6f7b9f07d89fc89068632fa937ea46de9e0153");
  });

  it("truncated at any length gives one clear error with the offset", () => {
    const blob = blobOf("devnet");
    const lengths = new Set<number>();
    for (let i = 0; i < 300; i++) lengths.add(i).add(blob.length - 1 - i);
    for (let length = 300; length < blob.length; length += 4001) lengths.add(length);
    for (const length of lengths) {
      const error = failureOf(blob.subarray(0, length));
      expect(error.code).toBe("corrupt");
      expect(error.message).toMatch(/^not a genesis: .* \(at byte \d+\)$/);
      expect(error.details.offset).toBeLessThanOrEqual(length);
    }
  });

  it("with one byte more is refused", () => {
    const blob = blobOf("devnet");
    const longer = new BcsWriter(blob.length + 1).fixed(blob).u8(0).take();
    expect(failureOf(longer).message).toContain(`1 bytes left over (at byte ${blob.length})`);
  });

  it("with a flipped bit is refused or has another waypoint", () => {
    const blob = Uint8Array.from(sharedBytes("networks/devnet/genesis.blob"));
    const published = waypointOf("devnet");
    let refused = 0;
    for (let i = 0; i < FLIPS; i++) {
      // Dense at the front, where the structure is, then in wide strides that end near the last byte.
      const at = i < FRONT ? i : Math.floor((blob.length * (i + 1 - FRONT)) / (FLIPS + 1 - FRONT));
      const bit = 1 << (i % 8);
      blob[at]! ^= bit;
      try {
        expect(formatWaypoint(checkGenesis(blob).waypoint)).not.toBe(published);
      } catch (error) {
        expect(error).toBeInstanceOf(LedgerError);
        expect((error as LedgerError).code).toBe("corrupt");
        refused++;
      }
      blob[at]! ^= bit;
    }
    expect(refused).toBeGreaterThan(5);
    expect(formatWaypoint(checkGenesis(blob).waypoint)).toBe(published);
  });
});

/** Cuts version 0 out of a page: after the one-byte count, before the records of the page that starts at version 1. */
function firstRecord(page: Uint8Array): Uint8Array {
  const rest = sharedBytes("vectors/testnet-pages/testnet-start1-limit3.page.bcs").length - 1;
  return page.subarray(1, page.length - rest);
}

describe("a file that is not a genesis", () => {
  const withWrites = (count: number) => Uint8Array.from([1, 0, 0, count, 0]);

  it.each([
    ["an empty file", new Uint8Array(0), "needs 1 bytes, 0 left (at byte 0)"],
    [
      "another kind of transaction",
      Uint8Array.from([3, ...new Uint8Array(32)]),
      "variant 1, not 3 (at byte 0)",
    ],
    ["a script", Uint8Array.from([1, 1, ...new Uint8Array(35)]), "without executing it (at byte 1)"],
    ["an empty write set", withWrites(0), "sets no chain id"],
    ["a count beyond the end", withWrites(9), "elements need at least"],
  ])("is refused: %s", (_, blob, message) => {
    expect(failureOf(blob).message).toContain(message);
  });

  it("is refused unread when it is too large", () => {
    const huge = new Uint8Array(MAX_GENESIS_BYTES + 1);
    expect(failureOf(huge).message).toContain("larger than");
  });
});
