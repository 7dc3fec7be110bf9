// Bundles as they are made and sent: what is stored in BCS stays so, because a bundle may hold a thousand changes of epoch.
import { toPrefixedHex } from "../base/hex.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { formatAddress } from "../move/address.ts";
import { type Claim, claimCodec, itemsCodec, type ProofBundle, siblingsCodec } from "./bundle.ts";

/** The ledger of a bundle; all parts in BCS. */
export type MadeLedger =
  | { readonly kind: "named"; readonly ledgerInfo: Uint8Array }
  | {
      readonly kind: "signed";
      readonly start: Uint8Array;
      readonly epochChanges: readonly Uint8Array[];
      readonly last: Uint8Array;
    };

export interface MadeBundle extends Omit<ProofBundle, "ledger" | "info"> {
  /** BCS of the info. */
  readonly info: Uint8Array;
  readonly ledger: MadeLedger;
}

const [NAMED, SIGNED] = [0, 1];

/** BCS of a bundle: what `decodeBundle` reads. */
export function encodeBundle({ claim, version, items, info, siblings, ledger }: MadeBundle): Uint8Array {
  const writer = new BcsWriter(4096).uleb(0);
  claimCodec.write(writer, claim);
  writer.u64(version);
  itemsCodec.write(writer, items);
  writer.fixed(info);
  siblingsCodec.write(writer, siblings);
  if (ledger.kind === "named") {
    return writer.uleb(NAMED).fixed(ledger.ledgerInfo).take();
  }
  writer.uleb(SIGNED).fixed(ledger.start).uleb(ledger.epochChanges.length);
  for (const change of ledger.epochChanges) writer.fixed(change);
  return writer.fixed(ledger.last).take();
}

function claimJson(claim: Claim): Readonly<Record<string, unknown>> {
  if (claim.kind === "balance") {
    const { address, asset, amount } = claim;
    return { type: "balance", address: formatAddress(address), asset_type: asset, balance: `${amount}` };
  }
  const { handle, key, value } = claim;
  return {
    type: "table_item",
    table_handle: formatAddress(handle),
    key: toPrefixedHex(key),
    value: value === undefined ? null : toPrefixedHex(value),
  };
}

function ledgerJson(ledger: MadeLedger): Readonly<Record<string, unknown>> {
  if (ledger.kind === "named") return { type: "named", ledger_info: toPrefixedHex(ledger.ledgerInfo) };
  return {
    type: "signed",
    start: toPrefixedHex(ledger.start),
    epoch_changes: ledger.epochChanges.map(toPrefixedHex),
    last: toPrefixedHex(ledger.last),
  };
}

/** JSON of a bundle, in its one spelling: what people ask about in words, what only programs read as hex of its BCS. */
export function bundleToText(bundle: MadeBundle): string {
  const { claim, version, items, info, siblings, ledger } = bundle;
  return JSON.stringify({
    claim: claimJson(claim),
    ledger_version: `${version}`,
    items: items.map(({ key, value, proof: { leaf, siblings: beside } }) => ({
      state_key: toPrefixedHex(key),
      state_value: value === undefined ? null : toPrefixedHex(value),
      leaf:
        leaf === undefined
          ? null
          : { key_hash: toPrefixedHex(leaf.keyHash), value_hash: toPrefixedHex(leaf.valueHash) },
      siblings: beside.map(toPrefixedHex),
    })),
    transaction_info: toPrefixedHex(info),
    accumulator_siblings: siblings.map(toPrefixedHex),
    ledger: ledgerJson(ledger),
  });
}
