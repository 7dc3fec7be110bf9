// Symbols and decimals of assets, asked once each and shared by all views.
import { useEffect } from "preact/hooks";
import { type Answer, ask, isDefinite, path } from "./api.ts";
import { fullAddress } from "./format.ts";
import type { KnownAssets } from "./meaning.ts";
import { createStore, useStore } from "./store.ts";

const known = createStore<KnownAssets>({});
const asked = new Set<string>();

async function load(asset: string): Promise<void> {
  asked.add(asset);
  try {
    // Of any account: the asset's own facts come with each balance.
    const relative = `${path("accounts", "0x1", "balance", asset)}/detail`;
    const { name, symbol, decimals, fungible } = (await ask<Answer<"get_balance_detail">>(relative)).data;
    const id = fungible?.metadata ?? fullAddress(asset) ?? asset;
    known.set({ ...known.get(), [asset]: { id, name, symbol, decimals } });
  } catch (error) {
    if (error instanceof Error && isDefinite(error)) known.set({ ...known.get(), [asset]: { id: asset } });
    else asked.delete(asset);
  }
}

/** The facts of these assets as far as they are known by now; the others are asked for. */
export function useAssets(assets: readonly string[]): KnownAssets {
  const facts = useStore(known);
  const missing = assets.filter((asset) => !asked.has(asset)).join("\n");
  useEffect(() => {
    for (const asset of missing === "" ? [] : missing.split("\n")) if (!asked.has(asset)) void load(asset);
  }, [missing]);
  return facts;
}
