// Bundles prove a balance or a table item to somebody who has a waypoint: every changed bit is noticed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { accessPathCodec, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { formatWaypoint, waypointPreimageCodec } from "../../src/ledger/waypoint.ts";
import { parseAddress } from "../../src/move/address.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import type { Bls } from "../../src/proof/bls.ts";
import {
  BundleVerifier,
  decodeBundle,
  encodeBundle,
  type Point,
  type ProofBundle,
} from "../../src/proof/bundle.ts";
import { bundleToText, decodeBundleJson } from "../../src/proof/bundle-json.ts";
import { type StateClaim, stateKeysOf } from "../../src/proof/claim.ts";
import { ProofError } from "../../src/proof/errors.ts";
import { type SignedLedgerInfo, signedLedgerInfoCodec } from "../../src/proof/ledger-info.ts";
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

const timeKey = resourceKey(parseAddress("0x1"), "0x1::timestamp::CurrentTimeMicroseconds");

const network = await createNetwork([
  { key: timeKey, value: stateValue(encodeWith(u64, 4_500_000n)) },
  { key: coinKey, value: stateValue(coinStore(70n)) },
  { key: groupKey, value: stateValue(group([["0x1::fungible_asset::FungibleStore", fungibleStore(30n)]])) },
  ...Array.from({ length: 20 }, (_, i) => ({ key: tableKey(i), value: stateValue(Uint8Array.of(i, i)) })),
]);
const balance = (amount: bigint, asset = COIN): StateClaim => ({
  kind: "balances",
  assets: [asset],
  accounts: [{ address: OWNER, amounts: [{ asset: 0, amount }] }],
  hasKeys: false,
});
const tableItem = (key: number): StateClaim => ({
  kind: "tableItem",
  handle: HANDLE,
  key: Uint8Array.of(key),
});

const bytesOf = async (claim: StateClaim): Promise<Uint8Array> => encodeBundle(await network.bundle(claim));

function refusal(bundle: Uint8Array | ProofBundle): string {
  try {
    const read = bundle instanceof Uint8Array ? decodeBundle(bundle) : bundle;
    new BundleVerifier(network.waypoint, bls).verify(read);
  } catch (error) {
    if (error instanceof ProofError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "none";
}

/** A bundle with its only point changed. */
function withPoint(bundle: ProofBundle, change: (point: Point) => Partial<Point>): ProofBundle {
  return { ...bundle, points: bundle.points.map((point) => ({ ...point, ...change(point) })) };
}

describe("a bundle", () => {
  it("proves a balance", async () => {
    const bytes = await bytesOf(balance(100n));
    expect(new BundleVerifier(network.waypoint, bls).verify(decodeBundle(bytes))).toEqual({
      claim: {
        kind: "balances",
        accounts: [
          {
            address: "0xada",
            authenticationKey: undefined,
            balances: [
              { asset: COIN, balance: 100n, coinEvents: { deposits: "0x0 0", withdrawals: "0x0 0" } },
            ],
          },
        ],
        totals: new Map([[COIN, 100n]]),
      },
      ledgerVersion: 4n,
      timestampUsec: 4_500_000n,
      nextTimestampUsec: undefined,
      signedVersion: 4n,
      signedTimestampUsec: 5_000_000n,
    });
  });

  it("proves a table item and the absence of one", async () => {
    const valueAt = async (key: number) => {
      const { claim } = new BundleVerifier(network.waypoint, bls).verify(
        await network.bundle(tableItem(key)),
      );
      return claim.kind === "table_item" ? claim.value : "another claim";
    };
    expect(await valueAt(7)).toEqual(Uint8Array.of(7, 7));
    expect(await valueAt(99)).toBe(undefined);
  });

  const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
  const claimed = (claim: Partial<Extract<StateClaim, { kind: "balances" }>>) => (bundle: ProofBundle) =>
    ({ ...bundle, claim: { ...balance(100n), ...claim } }) as ProofBundle;
  const amount = { asset: 0, amount: 0n };
  const account = { address: OWNER, amounts: [] };
  it.each<[path: string, count: number, change: (bundle: ProofBundle) => ProofBundle]>([
    ["claim.assets", 1001, claimed({ assets: times(1001, "") })],
    ["claim.accounts", 1001, claimed({ accounts: times(1001, account) })],
    [
      "claim.accounts[0].amounts",
      1001,
      claimed({ accounts: [{ address: OWNER, amounts: times(1001, amount) }] }),
    ],
    ["points", 4, (bundle) => ({ ...bundle, points: times(4, bundle.points[0] as Point) })],
    [
      "points[0].siblings",
      65,
      (bundle) => withPoint(bundle, () => ({ siblings: times(65, new Uint8Array(32)) })),
    ],
    [
      "points[0].eventSiblings",
      65,
      (bundle) => withPoint(bundle, () => ({ eventSiblings: times(65, new Uint8Array(32)) })),
    ],
    [
      "points[0].state.values",
      3002,
      (bundle) =>
        withPoint(bundle, ({ state }) => ({ state: state && { ...state, values: times(3002, undefined) } })),
    ],
    [
      "ledger.epochChanges",
      1001,
      (bundle) => {
        if (bundle.ledger.kind !== "signed") throw new Error("expected signatures");
        return { ...bundle, ledger: { ...bundle.ledger, epochChanges: times(1001, bundle.ledger.last) } };
      },
    ],
  ])("has a bounded number of items in %s: none is read of more", async (path, count, change) => {
    const hostile = change(await network.bundle(balance(100n)));
    // The place of the count itself: nothing behind it was read.
    expect(refusal(encodeBundle(hostile))).toContain(`${path}: sequence of ${count} elements is too long`);
    expect(() => decodeBundleJson(bundleToText(hostile))).toThrow(`expected a list of at most ${count - 1}`);
  });

  it("claims a bounded number of balances and types of a bounded length, which are counted before they are parsed", async () => {
    const honest = await network.bundle(balance(100n));
    const accounts = times(2, { address: OWNER, amounts: times(501, amount) });
    expect(refusal(claimed({ accounts })(honest))).toBe(
      "malformed: the claim has 1002 balances, more than 1000",
    );
    const long = `0x1::a::B<${times(3000, "0x1::c::Doubled").join(", ")}>`;
    const reason = `has ${long.length} characters, more than 32768`;
    expect(refusal(claimed({ assets: [long] })(honest))).toBe(`malformed: the asset ${reason}`);
    const claim = { kind: "resource", address: OWNER, type: long, group: undefined } as const;
    expect(refusal({ ...honest, claim })).toBe(`malformed: the type ${reason}`);
  });

  it.each<[string, StateClaim, readonly StateClaim[], string]>([
    [
      "another amount",
      balance(101n),
      [balance(101n)],
      `claim: the balance of 0xada in ${COIN} is proven to be 100, not 101`,
    ],
    [
      "a part of the balance",
      balance(30n),
      [balance(30n, "0xa")],
      "malformed: the claim names 3 items; the proof has 2",
    ],
    [
      "an item too much",
      balance(100n),
      [balance(100n), tableItem(1)],
      "malformed: the claim names 3 items; the proof has 4",
    ],
    ["other items", tableItem(7), [tableItem(8)], "mismatch: "],
    [
      "another spelling",
      balance(30n, "0x0a"),
      [balance(30n, "0xa")],
      "malformed: the asset must be written 0xa",
    ],
  ])("does not prove %s", async (_, claim, proven, reason) => {
    const keys = new Map(proven.flatMap(stateKeysOf).map((key) => [toHex(key), key]));
    const { points, ...bundle } = await network.bundle(tableItem(1), [...keys.values()]);
    expect(refusal({ ...bundle, points, claim })).toContain(reason);
  });

  it.each<[string, (point: Point) => Partial<Point>, string]>([
    [
      "a value that is not there",
      ({ state }) => ({ state: state && { ...state, values: [undefined, ...state.values.slice(1)] } }),
      "mismatch: ",
    ],
    ["no state", () => ({ state: undefined }), "malformed: the bundle has other parts"],
    [
      "a transaction",
      () => ({ transaction: Uint8Array.of(3, ...new Uint8Array(32)) }),
      "mismatch: the transaction is not that of version 4",
    ],
    ["siblings of an event", () => ({ eventSiblings: [] }), "malformed: the bundle has other parts"],
    [
      "a hash too much",
      ({ state }) => ({ state: state && { ...state, hashes: [...state.hashes, new Uint8Array(32)] } }),
      "malformed: the walk through the state tree does not use everything",
    ],
    [
      "a node too much",
      ({ state }) => ({ state: state && { ...state, nodes: Uint8Array.of(...state.nodes, 1) } }),
      "malformed: the walk through the state tree does not use everything",
    ],
    [
      "a hash too few",
      ({ state }) => ({ state: state && { ...state, hashes: state.hashes.slice(1) } }),
      "malformed: the walk through the state tree has too few hashes",
    ],
    [
      "a walk without end",
      ({ state }) => ({ state: state && { ...state, nodes: new Uint8Array(5000) } }),
      "malformed: the walk through the state tree has",
    ],
  ])("does not verify with %s", async (_, change, reason) => {
    expect(refusal(withPoint(await network.bundle(balance(100n)), change))).toContain(reason);
  });

  it("does not verify with a version twice", async () => {
    const bundle = await network.bundle(balance(100n));
    expect(refusal({ ...bundle, points: [...bundle.points, ...bundle.points] })).toContain(
      "not in ascending order",
    );
  });

  it("does not verify with a bit changed", async () => {
    const whole = [await bytesOf(balance(100n)), await bytesOf(tableItem(99))];
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.nat(), (bytes, at) => {
        const bit = at % (8 * bytes.length);
        const changed = bytes.slice();
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(refusal(changed)).not.toBe("none");
      }),
      { numRuns: RUNS },
    );
  });

  it.each<[string, readonly number[], string]>([
    ["too little stake", [0, 1], "quorum: stake of 21 signed version 4; 31 is needed"],
    ["nobody", [], "quorum"],
  ])("does not verify when %s signed", async (_, signers, reason) => {
    const bundle = await network.bundle(tableItem(7));
    const { ledgerInfo } = network.last;
    const last = { ...sign(ledgerInfo, signers.length === 0 ? [0] : signers) };
    const signatures =
      signers.length === 0 ? { ...last.signatures, signers: new Uint8Array(1) } : last.signatures;
    const bytes = encodeWith(signedLedgerInfoCodec, { ...last, signatures });
    expect(refusal({ ...bundle, ledger: { ...bundle.ledger, last: bytes } })).toContain(reason);
  });

  it("does not verify with a gap in the epochs, a repeated epoch, or another waypoint", async () => {
    const bundle = await network.bundle(tableItem(7));
    const { ledger } = bundle;
    const withChanges = (changes: readonly SignedLedgerInfo[]) => {
      const epochChanges = changes.map((change) => encodeWith(signedLedgerInfoCodec, change));
      return refusal({ ...bundle, ledger: { ...ledger, epochChanges } });
    };
    expect(withChanges([])).toContain(
      "wrong_epoch: the ledger info is of epoch 3, the known validators are of epoch 2",
    );
    expect(withChanges([network.change, network.change])).toContain("wrong_epoch");
    const start = encodeWith(waypointPreimageCodec, { ...network.start, timestampUsec: 1n });
    expect(refusal({ ...bundle, ledger: { ...ledger, start } })).toContain("waypoint: ");
    expect(refusal({ ...bundle, ledger: { kind: "above" } })).toContain("incomplete: ");
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
  const bundleOf = () => network.bundle(balance(100n));
  const textOf = async (): Promise<string> => bundleToText(await bundleOf());

  it("holds as the program writes it, and with the newline of a terminal behind it", async () => {
    const text = await textOf();
    for (const form of [text, `${text}\n`, Buffer.from(text), encodeBundle(await bundleOf())])
      expect(isProven(form)).toBe(true);
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
    ["another order of members", (text) => text.replace(/("asset":0),("balance":"100")/, "$2,$1")],
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

  it.each(["[", "{},", '"",', '"k\\"":0,'])("is refused before many a %s is parsed", (part) => {
    const proof = `{"claim":${part.repeat(200_000)}`;
    expect(() => verifyProofWith(bls, proof, waypoint)).toThrow("it has more parts than any bundle");
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
