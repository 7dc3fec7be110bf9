// The pin of a fork: which network it forks, and at which version. Written with the first commit and never changed.
import { ConfigError } from "../../base/errors.ts";
import { sha3 } from "../../base/sha3.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { hash, text, u64 } from "../../bcs/scalars.ts";
import type { ForkPoint } from "../../ledger/view.ts";
import type { SideRow, Store } from "../../store/contract.ts";
import { SIDE_KEYS } from "../base-rows.ts";

/** A fork point as a store keeps it. */
export interface ForkPin extends ForkPoint {
  /** Hash of the network's record of that version: tells whether the URL still serves the same network. */
  readonly recordHash: Uint8Array;
}

const KEY = Uint8Array.of(SIDE_KEYS.fork);
const pinCodec = struct({ url: text, version: u64, recordHash: hash });

export function pinRow(pin: ForkPin): SideRow {
  return { key: KEY, value: encodeWith(pinCodec, pin) };
}

/** The pin of a store; undefined if it holds no fork. */
export async function loadPin(store: Pick<Store, "getSideRows">): Promise<ForkPin | undefined> {
  const [row] = await store.getSideRows([KEY]);
  return row === undefined ? undefined : decodeWith(pinCodec, new Uint8Array(row));
}

/**
 * The pin of a store that fits what a node was told: a fork of that network, or no fork if it was told of none. Undefined in
 * a store without a ledger, and without a fork. Throws ConfigError for a ledger of another kind.
 */
export async function loadPinFor(
  store: Pick<Store, "getSideRows" | "identity">,
  wanted: { readonly url: URL; readonly version?: bigint | undefined } | undefined,
): Promise<ForkPin | undefined> {
  if (store.identity === undefined) return undefined;
  const pin = await loadPin(store);
  if (wanted === undefined) {
    if (pin === undefined) return undefined;
    throw new ConfigError(
      `the store holds a fork of ${pin.url} at version ${pin.version}: start it with fork ${pin.url}, or use another directory`,
    );
  }
  if (pin === undefined) {
    throw new ConfigError("fork: the store holds a ledger that is no fork; use another directory");
  }
  const held = `the store holds a fork of ${pin.url} at version ${pin.version}`;
  const { url, version } = wanted;
  if (pin.url !== url.href) throw new ConfigError(`fork: ${held}, not of ${url.href}; use another directory`);
  if (version !== undefined && version !== pin.version) {
    throw new ConfigError(`fork-version: ${held}, not at ${version}; use another directory`);
  }
  return pin;
}

export function recordHashOf(record: Uint8Array): Uint8Array {
  return sha3(record);
}
