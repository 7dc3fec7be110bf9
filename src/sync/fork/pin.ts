// The pin of a fork: which network it forks, and at which version. Written with the first commit and never changed.
import { ConfigError } from "../../base/errors.ts";
import type { Store } from "../../store/contract.ts";
import { FORK_PIN, type ForkPin } from "../side-rows.ts";

/**
 * The pin of a store that fits what a node was told: a fork of that network, or no fork if it was told of none. Undefined in
 * a store without a ledger, and without a fork. Throws ConfigError for a ledger of another kind.
 */
export async function loadPinFor(
  store: Pick<Store, "getSideRows" | "identity">,
  wanted: { readonly url: URL; readonly version?: bigint | undefined } | undefined,
): Promise<ForkPin | undefined> {
  if (store.identity === undefined) return undefined;
  const pin = await FORK_PIN.load(store);
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
    throw new ConfigError(`start-version: ${held}, not at ${version}; use another directory`);
  }
  return pin;
}
