// Names of a local chain's demo accounts, assets and tables, as the info response has them. A node that makes the chain
// knows them. Any other node knows those of the default seed, if its ledger began with that chain's genesis.
import { equalBytes } from "../base/bytes.ts";
import type { ChainGuide } from "../chain/demo/guide.ts";
import { type BlockSource, createLocalChain, LOCAL_CHAIN_ID } from "../chain/local-chain.ts";
import { checkGenesis } from "../ledger/formats/genesis.ts";
import type { StoreIdentity } from "../store/contract.ts";
import { DEFAULT_SEED } from "./options/local-chain-options.ts";

/** Keys of the info response. */
export interface DemoNames
  extends Partial<Readonly<Record<"demo_assets" | "demo_tables", Readonly<Record<string, string>>>>> {
  /** The seed gives the keys, so they guard nothing. */
  readonly demo_accounts?: Readonly<
    Record<string, { readonly address: string; readonly private_key?: string }>
  >;
}

const NONE: DemoNames = {};

/** What a name stands for, in names of one kind; undefined for no name. */
export function demoNamed(names: Readonly<Record<string, unknown>>, text: string): string | undefined {
  const entry = Object.entries(names).find(([name]) => name.toLowerCase() === text.toLowerCase())?.[1];
  // An account is an object with its address.
  const found = typeof entry === "object" ? (entry as { address?: unknown } | null)?.address : entry;
  return typeof found === "string" ? found : undefined;
}

function namesOf({ accounts, tables }: ChainGuide): DemoNames {
  const assets = accounts.flatMap((account) => account.assets);
  return {
    demo_accounts: Object.fromEntries(
      accounts.map(({ name, address, privateKey }) => [name, { address, private_key: privateKey }]),
    ),
    demo_assets: Object.fromEntries(assets.map(({ symbol, asset }) => [symbol, asset])),
    demo_tables: Object.fromEntries(tables.map(({ name, handle }) => [name, handle])),
  };
}

/** The info without the keys of demo accounts, for clients of other machines. */
export function withoutKeys(info: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { demo_accounts: accounts } = info as DemoNames;
  if (accounts === undefined) return info;
  const addresses = Object.entries(accounts).map(([name, { address }]) => [name, { address }] as const);
  return { ...info, demo_accounts: Object.fromEntries(addresses) };
}

let defaultChain: { readonly genesisHash: Uint8Array; readonly names: DemoNames } | undefined;

function loadDefaultChain(): NonNullable<typeof defaultChain> {
  const chain = createLocalChain({ seed: DEFAULT_SEED });
  return { genesisHash: checkGenesis(chain.genesisBlob()).infoHash, names: namesOf(chain.guide()) };
}

/** The names of one node. */
export class DemoNameInfo {
  #known: DemoNames | undefined;

  /** None for a ledger that is no local chain, or one of a seed that this node does not know. */
  read(chain: BlockSource | undefined, identity: StoreIdentity | undefined): DemoNames {
    if (this.#known !== undefined) return this.#known;
    const guide = chain?.guide?.();
    if (guide !== undefined) this.#known = namesOf(guide);
    else if (identity !== undefined) this.#known = this.#ofLedger(identity);
    return this.#known ?? NONE;
  }

  #ofLedger({ chainId, genesisHash }: StoreIdentity): DemoNames {
    if (chainId !== LOCAL_CHAIN_ID) return NONE;
    defaultChain ??= loadDefaultChain();
    return equalBytes(genesisHash, defaultChain.genesisHash) ? defaultChain.names : NONE;
  }
}
