// Assets and addresses as commands and console write them. Without node.ts: browsers load this too.

/** The one name that every chain has for its own coin. */
export const NATIVE_SYMBOL = "APT";
export const NATIVE_COIN = "0x1::aptos_coin::AptosCoin";
export const NATIVE_METADATA = "0xa";

/** An address with all its digits; undefined for a text that is no address. */
export function fullAddress(text: string): string | undefined {
  const match = /^(?:0x)?([0-9a-f]{1,64})$/i.exec(text.trim());
  return match?.[1] === undefined ? undefined : `0x${match[1].toLowerCase().padStart(64, "0")}`;
}

/** What a balance of an asset does not count: that of a metadata address is the fungible store alone. */
export function leftOutOf(asset: string): string | undefined {
  if (asset.includes("::")) return undefined;
  return fullAddress(asset) === fullAddress(NATIVE_METADATA)
    ? `coins: ${asset} counts the fungible store alone; ${NATIVE_COIN} counts both`
    : `coins, if one is paired with ${asset}: a metadata address counts the fungible store alone; the coin type counts both`;
}
