// Bundles prove a balance or a table item to somebody who has a waypoint: every changed bit is noticed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { accessPathCodec, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import { parseAddress } from "../../src/move/address.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import type { Bls } from "../../src/proof/bls.ts";
import { bundleCodec, type Claim, decodeBundle, verifyBundle } from "../../src/proof/bundle.ts";
import { toMade } from "../../src/proof/bundle-json.ts";
import { ProofError } from "../../src/proof/errors.ts";
import { bundleToText } from "../../src/proof/made-bundle.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { verifyProofWith } from "../../src/proof/verify-proof.ts";
import { coinStore, fungibleStore, group, stateValue } from "../support/http-ledger.ts";
import { createNetwork, sign } from "../support/proof-network.ts";
import { RUNS } from "../support/property.ts";

const bls: Bls = fastestBls();
const COIN = "0x1::aptos_coin::AptosCoin";
const OWNER = parseAddress("0xada");
const HANDLE = parseAddress("0x7ab1e");

function resourceKey(
  address: typeof OWNER,
  tag: string,
  kind: "resource" | "resourceGroup" = "resource",
): Uint8Array {
  const path = encodeWith(accessPathCodec, { kind, struct: parseStructTag(tag) });
  return encodeWith(stateKeyCodec, { kind: "accessPath", address, path });
}

const tableKey = (key: number): Uint8Array =>
  encodeWith(stateKeyCodec, { kind: "tableItem", handle: HANDLE, key: Uint8Array.of(key) });
const coinKey = resourceKey(OWNER, `0x1::coin::CoinStore<${COIN}>`);
const groupKey = resourceKey(
  primaryStoreAddress(OWNER, parseAddress("0xa")),
  "0x1::object::ObjectGroup",
  "resourceGroup",
);

const network = await createNetwork([
  { key: coinKey, value: stateValue(coinStore(70n)) },
  { key: groupKey, value: stateValue(group([["0x1::fungible_asset::FungibleStore", fungibleStore(30n)]])) },
  ...Array.from({ length: 20 }, (_, i) => ({ key: tableKey(i), value: stateValue(Uint8Array.of(i, i)) })),
]);
const balance = (amount: bigint, asset = COIN): Claim => ({ kind: "balance", address: OWNER, asset, amount });
const tableItem = (key: number, value?: Uint8Array): Claim => ({
  kind: "tableItem",
  handle: HANDLE,
  key: Uint8Array.of(key),
  value,
});

async function bytesOf(claim: Claim, keys: readonly Uint8Array[]): Promise<Uint8Array> {
  return encodeWith(bundleCodec, await network.bundle(claim, keys));
}

function refusal(bytes: Uint8Array): string {
  try {
    verifyBundle(decodeBundle(bytes), network.waypoint, bls);
  } catch (error) {
    if (error instanceof ProofError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "none";
}

describe("a bundle", () => {
  it("proves a balance", async () => {
    const bytes = await bytesOf(balance(100n), [groupKey, coinKey]);
    expect(verifyBundle(decodeBundle(bytes), network.waypoint, bls)).toEqual({
      claim: balance(100n),
      version: 4n,
      signedVersion: 4n,
      signedTimeUsec: 5_000_000n,
    });
  });

  it("proves a table item and the absence of one", async () => {
    expect(refusal(await bytesOf(tableItem(7, Uint8Array.of(7, 7)), [tableKey(7)]))).toBe("none");
    expect(refusal(await bytesOf(tableItem(99), [tableKey(99)]))).toBe("none");
  });

  it.each<[string, Claim, readonly Uint8Array[], string]>([
    ["another amount", balance(101n), [groupKey, coinKey], "claim: the balance is proven to be 100, not 101"],
    ["a part of the balance", balance(70n), [coinKey], "incomplete: "],
    [
      "an item too much",
      balance(100n),
      [groupKey, coinKey, tableKey(1)],
      "malformed: the claim rests on 2 items",
    ],
    ["another spelling", balance(30n, "0x0a"), [groupKey], "malformed: the asset must be written 0xa"],
    ["another value", tableItem(7, Uint8Array.of(7)), [tableKey(7)], "claim: the table item"],
    ["absence of what is there", tableItem(7), [tableKey(7)], "claim: the table item"],
    ["presence of what is not", tableItem(99, Uint8Array.of(1)), [tableKey(99)], "claim: the table item"],
  ])("does not prove %s", async (_, claim, keys, reason) => {
    expect(refusal(await bytesOf(claim, keys))).toContain(reason);
  });

  it("does not verify with a bit changed", async () => {
    const whole = [
      await bytesOf(balance(100n), [groupKey, coinKey]),
      await bytesOf(tableItem(99), [tableKey(99)]),
    ];
    const runs = Number(process.env.SEXTANT_RUNS ?? 100);
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.nat(), (bytes, at) => {
        const bit = at % (8 * bytes.length);
        const changed = bytes.slice();
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(refusal(changed)).not.toBe("none");
      }),
      { numRuns: runs },
    );
  });

  it.each<[string, readonly number[], string]>([
    ["too little stake", [0, 1], "quorum: stake of 21 signed version 4; 31 is needed"],
    ["nobody", [], "quorum"],
  ])("does not verify when %s signed", async (_, signers, reason) => {
    const bundle = await network.bundle(tableItem(7, Uint8Array.of(7, 7)), [tableKey(7)]);
    if (bundle.ledger.kind !== "signed") throw new Error("not signed");
    const { ledgerInfo } = bundle.ledger.last;
    const last = { ...sign(ledgerInfo, signers.length === 0 ? [0] : signers) };
    const signatures =
      signers.length === 0 ? { ...last.signatures, signers: new Uint8Array(1) } : last.signatures;
    const changed = { ...bundle, ledger: { ...bundle.ledger, last: { ...last, signatures } } };
    expect(refusal(encodeWith(bundleCodec, changed))).toContain(reason);
  });

  it("does not verify with a gap in the epochs, a repeated epoch, or another waypoint", async () => {
    const bundle = await network.bundle(tableItem(7, Uint8Array.of(7, 7)), [tableKey(7)]);
    if (bundle.ledger.kind !== "signed") throw new Error("not signed");
    const { ledger } = bundle;
    const withChanges = (epochChanges: typeof ledger.epochChanges) =>
      refusal(encodeWith(bundleCodec, { ...bundle, ledger: { ...ledger, epochChanges } }));
    expect(withChanges([])).toContain(
      "wrong_epoch: the ledger info is of epoch 3, the known validators are of epoch 2",
    );
    expect(withChanges([network.change, network.change])).toContain("wrong_epoch");
    const other = { ...bundle, ledger: { ...ledger, start: { ...ledger.start, timestampUsec: 1n } } };
    expect(refusal(encodeWith(bundleCodec, other))).toContain("waypoint: ");
  });
});

describe("a proof file", () => {
  const waypoint = formatWaypoint(network.waypoint);
  const isProven = (proof: string | Uint8Array): boolean => {
    try {
      verifyProofWith(bls, proof, waypoint);
      return true;
    } catch (error) {
      if (error instanceof ProofError) return false;
      throw error;
    }
  };
  const bundleOf = () => network.bundle(balance(100n), [groupKey, coinKey]);
  const textOf = async (): Promise<string> => bundleToText(toMade(await bundleOf()));

  it("holds as the program writes it, and with the newline of a terminal behind it", async () => {
    const text = await textOf();
    expect(
      [text, `${text}\n`, Buffer.from(text), encodeWith(bundleCodec, await bundleOf())].map(isProven),
    ).toEqual([true, true, true, true]);
  });

  it.each<[string, (text: string) => string]>([
    [
      "a first claim of another amount",
      (text) => text.replace('{"claim":', '{"claim":{"type":"balance","balance":"999999"},"claim":'),
    ],
    ["a member twice", (text) => text.replace('"balance":"100"', '"balance":"999","balance":"100"')],
    ["an escape in a name", (text) => text.replace('"claim"', '"\\u0063laim"')],
    ["an escape in a value", (text) => text.replace('"balance":"100"', '"balance":"\\u003100"')],
    ["another member", (text) => text.replace('{"claim"', '{"note":"999","claim"')],
    [
      "another order of members",
      (text) => text.replace(/("claim":\{[^}]*\}),("ledger_version":"4")/, "$2,$1"),
    ],
    ["white space", (text) => JSON.stringify(JSON.parse(text), null, 2)],
    ["a second newline", (text) => `${text}\n\n`],
    ["upper-case digits", (text) => text.replace(/[a-f](?=[0-9a-f]{20})/, (digit) => digit.toUpperCase())],
  ])("does not hold with %s", async (_, change) => {
    const text = await textOf();
    const changed = change(text);
    expect(changed).not.toBe(text);
    expect(isProven(changed)).toBe(false);
    expect(isProven(Buffer.from(changed))).toBe(false);
  });

  it("does not hold with its items in another order, in JSON or BCS", async () => {
    const { items, ...rest } = await bundleOf();
    const swapped = { ...rest, items: items.toReversed() };
    expect(isProven(bundleToText(toMade(swapped)))).toBe(false);
    expect(refusal(encodeWith(bundleCodec, swapped))).toBe(
      "malformed: the items are not in the order in which the claim rests on them",
    );
  });

  it("does not hold with a byte changed, left out or put in", async () => {
    const text = Buffer.from(await textOf());
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.nat(255), fc.constantFrom(0, 1, 2), (at, byte, kept) => {
        // Replaces one byte, puts one in, or leaves one out.
        const between = kept === 2 ? [] : [byte];
        const changed = Buffer.concat([
          text.subarray(0, at),
          Buffer.from(between),
          text.subarray(kept === 1 ? at : at + 1),
        ]);
        if (!changed.equals(text)) expect(isProven(changed)).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });
});
