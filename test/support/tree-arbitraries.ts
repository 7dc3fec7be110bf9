// State updates for fuzz tests of the state tree.
import fc from "fast-check";
import { toHex } from "../../src/base/hex.ts";
import type { TreeUpdate } from "../../src/ledger/state-tree/update.ts";

/** Few distinct bytes at the front make deep common prefixes, splits and collapses frequent. */
export const anyKeyHash: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.array(fc.constantFrom(0x00, 0x01, 0x10, 0xf0), { minLength: 1, maxLength: 3 }), fc.nat(3))
  .map(([head, tail]) => {
    const out = new Uint8Array(32).fill(0xee);
    out.set(head);
    out[4] = tail;
    return out;
  });

/** Undefined for a deletion. */
export const anyValueHash: fc.Arbitrary<Uint8Array | undefined> = fc.option(
  fc.nat(5).map((byte) => new Uint8Array(32).fill(byte)),
  { nil: undefined },
);

/** Updates of one version. */
export const anyUpdates: fc.Arbitrary<TreeUpdate[]> = fc.uniqueArray(
  fc.record({ keyHash: anyKeyHash, valueHash: anyValueHash }),
  {
    maxLength: 12,
    selector: (update) => toHex(update.keyHash),
  },
);
