// Proofs of every item of real genesis states: each holds for its item, and for nothing else.
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { readTreePath } from "../../src/ledger/state-tree/path.ts";
import { checkStateProof, type StateProof } from "../../src/proof/state-proof.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";

describe.skipIf(!hasShared).each(["mainnet", "devnet"])("the genesis of %s", (network) => {
  const check = hasShared ? checkGenesis(sharedBytes(`networks/${network}/genesis.blob`)) : undefined;
  const nodes = new Map((check?.treeNodes ?? []).map(({ key, value }) => [toHex(key), value]));
  const values = new Map(
    (check?.writes ?? []).flatMap(({ keyHash, value }) =>
      value === undefined ? [] : [[toHex(keyHash), { keyHash, valueHash: stateValueHash(value) }] as const],
    ),
  );
  const root = check?.stateRoot ?? new Uint8Array(32);

  async function prove(keyHash: Uint8Array): Promise<StateProof> {
    const path = await readTreePath(keyHash, async (keys) => keys.map((key) => nodes.get(toHex(key))));
    return { leaf: path.leaf && values.get(toHex(path.leaf.keyHash)), siblings: path.siblings };
  }

  const refuses = (proof: StateProof, keyHash: Uint8Array, valueHash: Uint8Array | undefined): void =>
    expect(() => checkStateProof(proof, root, keyHash, valueHash)).toThrow();

  /** A hash with one bit changed: at the end it has the same way, in the middle another one. */
  function near(hash: Uint8Array, bit: number): Uint8Array {
    const out = new Uint8Array(hash);
    out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
    return out;
  }

  it("is proven item by item", async () => {
    expect(values.size).toBeGreaterThan(300);
    const other = new Uint8Array(32).fill(7);
    for (const { keyHash, valueHash } of values.values()) {
      const proof = await prove(keyHash);
      checkStateProof(proof, root, keyHash, valueHash);
      refuses(proof, keyHash, undefined);
      refuses(proof, keyHash, other);
      expect(() => checkStateProof(proof, other, keyHash, valueHash)).toThrow();
      for (const bit of [3, 9, 255]) {
        const absent = near(keyHash, bit);
        refuses(proof, absent, valueHash);
        if (values.has(toHex(absent))) continue;
        const absence = await prove(absent);
        checkStateProof(absence, root, absent, undefined);
        refuses(absence, absent, valueHash);
        refuses(absence, keyHash, undefined);
      }
    }
  });
});
