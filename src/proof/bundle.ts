// Bundles: everything that proves a balance or a table item to somebody who has a waypoint and nothing else.
import { equalBytes } from "../base/bytes.ts";
import { decodeWith, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, hash, text, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { type Asset, parseAsset } from "../ledger/balances/asset.ts";
import { balanceKeys } from "../ledger/balances/balance-keys.ts";
import { addParts, amountOfPart } from "../ledger/balances/balance-parts.ts";
import { stateKeyCodec, stateKeyHashOfBcs } from "../ledger/formats/state-key.ts";
import { stateValueCodec, stateValueData, stateValueHash } from "../ledger/formats/state-value.ts";
import { transactionInfoCodec, transactionInfoHash } from "../ledger/formats/transaction-info.ts";
import { tableItemKeyHash } from "../ledger/key-hash.ts";
import type { StateItem } from "../ledger/view.ts";
import { type Waypoint, type WaypointPreimage, waypointPreimageCodec } from "../ledger/waypoint.ts";
import { formatAddress, parseAddress } from "../move/address.ts";
import { MoveError } from "../move/errors.ts";
import { formatStructTag } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { addressCodec } from "../move/wire.ts";
import { checkAccumulatorProof } from "./accumulator-proof.ts";
import type { Bls } from "./bls.ts";
import { assertNamed, EpochChain } from "./epoch-chain.ts";
import { ProofError } from "./errors.ts";
import { signedLedgerInfoCodec } from "./ledger-info.ts";
import { checkStateProof, stateProofCodec } from "./state-proof.ts";

/** What a bundle claims. */
export const claimCodec = variants("Claim", {
  balance: { address: addressCodec, asset: text, amount: u64 },
  /** Without a value: the table has no such item. */
  tableItem: { handle: addressCodec, key: byteString, value: option(byteString) },
});
export type Claim = ValueOf<typeof claimCodec>;

const provenItemCodec = struct({
  /** BCS of the state key. */
  key: byteString,
  /** BCS of the state value; undefined where the item does not exist. */
  value: option(byteString),
  proof: stateProofCodec,
});
export type ProvenItem = ValueOf<typeof provenItemCodec>;
export const itemsCodec = vector(provenItemCodec);
export const siblingsCodec = vector(hash);

/**
 * The ledger that a version is in, and why it is the network's. No byte is in it that no hash or signature covers: of
 * the ledger info that the waypoint names, only what the waypoint hashes.
 */
const ledgerCodec = variants("ProvenLedger", {
  named: { ledgerInfo: waypointPreimageCodec },
  signed: {
    /** The end of an epoch, which the waypoint names. */
    start: waypointPreimageCodec,
    /** The ends of the epochs after it, one after the other. */
    epochChanges: vector(signedLedgerInfoCodec),
    last: signedLedgerInfoCodec,
  },
});
type ProvenLedger = ValueOf<typeof ledgerCodec>;

export const bundleCodec = variants("ProofBundle", {
  v0: {
    claim: claimCodec,
    /** The last version of a block: the claim holds after it. */
    version: u64,
    items: itemsCodec,
    /** Info of `version`, which has the state root. */
    info: transactionInfoCodec,
    /** Siblings of the info in the accumulator, from the bottom up. */
    siblings: siblingsCodec,
    ledger: ledgerCodec,
  },
});
export type ProofBundle = ValueOf<typeof bundleCodec>;

/** What a checked bundle proves. */
export interface Proven {
  readonly claim: Claim;
  readonly version: bigint;
  /** Version and time of the signed ledger info. */
  readonly signedVersion: bigint;
  readonly signedTimeUsec: bigint;
}

/** Decodes a bundle. Only the bytes that encoding it gives are taken. Throws ProofError `malformed`. */
export function decodeBundle(bytes: Uint8Array): ProofBundle {
  let bundle: ProofBundle;
  try {
    bundle = decodeWith(bundleCodec, bytes);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new ProofError("malformed", `not a proof bundle: ${error.message}`, { cause: error });
  }
  if (equalBytes(encodeWith(bundleCodec, bundle), bytes)) return bundle;
  throw new ProofError("malformed", "not a proof bundle: it has other bytes than this program writes");
}

/** Checks a bundle from a waypoint on. Trusts nothing else. Throws ProofError with the first reason against it. */
export function verifyBundle(bundle: ProofBundle, waypoint: Waypoint, bls: Bls): Proven {
  const { claim, version, info, siblings, items } = bundle;
  const ledger = checkLedger(bundle.ledger, waypoint, bls);
  const leaf = transactionInfoHash(encodeWith(transactionInfoCodec, info));
  checkAccumulatorProof(siblings, ledger, version, leaf);
  const { stateCheckpointHash: root } = info;
  if (root === undefined) {
    throw new ProofError("mismatch", `version ${version} does not end a block: it has no state root`);
  }
  checkClaim(claim, new ProvenItems(items, root));
  return { claim, version, signedVersion: ledger.version, signedTimeUsec: ledger.timestampUsec };
}

/** Checks that the waypoint leads to the ledger. */
function checkLedger(ledger: ProvenLedger, waypoint: Waypoint, bls: Bls): WaypointPreimage {
  if (ledger.kind === "named") {
    assertNamed(waypoint, ledger.ledgerInfo);
    return ledger.ledgerInfo;
  }
  const chain = EpochChain.begin(waypoint, ledger.start, bls);
  for (const change of ledger.epochChanges) chain.advance(change);
  chain.check(ledger.last);
  return ledger.last.ledgerInfo;
}

/** The items of a bundle, each checked at its first use. */
class ProvenItems {
  readonly #items: readonly (ProvenItem & { readonly keyHash: Uint8Array })[];

  constructor(items: readonly ProvenItem[], root: Uint8Array) {
    this.#items = items.map((item) => {
      const keyHash = hashOfKey(item.key);
      checkStateProof(item.proof, root, keyHash, item.value && hashOfValue(item.value));
      return { ...item, keyHash };
    });
  }

  get count(): number {
    return this.#items.length;
  }

  /** The value of a key. Items stand in the order in which the claim's rule names their keys. Throws ProofError. */
  at(place: number, keyHash: Uint8Array): Uint8Array | undefined {
    const item = this.#items[place];
    if (item !== undefined && equalBytes(item.keyHash, keyHash)) return item.value;
    if (this.#items.some((other) => equalBytes(other.keyHash, keyHash)))
      throw new ProofError("malformed", "the items are not in the order in which the claim rests on them");
    throw new ProofError("incomplete", "the bundle lacks an item that its claim rests on");
  }
}

function hashOfKey(bcs: Uint8Array): Uint8Array {
  decodeStrictly("key", () => decodeWith(stateKeyCodec, bcs));
  return stateKeyHashOfBcs(bcs);
}

function hashOfValue(bcs: Uint8Array): Uint8Array {
  decodeStrictly("value", () => decodeWith(stateValueCodec, bcs));
  return stateValueHash(bcs);
}

function decodeStrictly(what: string, decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new ProofError("malformed", `the ${what} of an item does not decode: ${error.message}`, {
      cause: error,
    });
  }
}

function checkClaim(claim: Claim, items: ProvenItems): void {
  if (claim.kind === "tableItem") {
    const value = items.at(0, tableItemKeyHash(claim.handle, claim.key, undefined));
    const data = value && stateValueData(value);
    const isSame =
      data === undefined || claim.value === undefined ? data === claim.value : equalBytes(data, claim.value);
    if (!isSame) throw new ProofError("claim", "the table item is proven to have another value");
    assertNothingElse(items, 1);
    return;
  }
  const keys = balanceKeys(claim.address, assetOf(claim.asset), undefined);
  const amounts = keys.map((keyHash, place) => amountOfPart(place, asItem(items.at(place, keyHash))));
  const amount = addParts(amounts);
  if (amount !== claim.amount) {
    throw new ProofError("claim", `the balance is proven to be ${amount}, not ${claim.amount}`);
  }
  assertNothingElse(items, keys.length);
}

/** The asset of a text in its one spelling, so that no byte of a bundle can change. */
function assetOf(asset: string): Asset {
  try {
    const parsed = parseAsset(asset);
    const spelling = asset.includes(":")
      ? formatStructTag(parseStructTag(asset))
      : formatAddress(parseAddress(asset));
    if (spelling !== asset) throw new ProofError("malformed", `the asset must be written ${spelling}`);
    return parsed;
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new ProofError("malformed", `asset: ${error.message}`, { cause: error });
  }
}

/** An item that the claim does not rest on could make a reader believe more than is claimed. */
function assertNothingElse({ count }: ProvenItems, expected: number): void {
  if (count !== expected)
    throw new ProofError("malformed", `the claim rests on ${expected} items; the bundle has ${count}`);
}

/** Amounts do not depend on the version that wrote an item. */
function asItem(value: Uint8Array | undefined): StateItem | undefined {
  return value && { version: 0n, value };
}
