// The local chain: a ledger that makes its own blocks. It keeps nothing that must outlive it: every block
// follows from the seed, the ledger and the time, so it goes on wherever the store stands.
import { sha3 } from "../base/sha3.ts";
import { type BlockBase, makeBlock } from "./block.ts";
import { type ChainItems, createChainItems } from "./chain-items.ts";
import { encodeGenesis } from "./genesis.ts";
import { type ChainGuide, createGuide } from "./guide.ts";

/** Chain id of local chains. */
const LOCAL_CHAIN_ID = 4;

/** What makes one local chain differ from another. */
export interface LocalChainSettings {
  /** The same seed gives the same ledger. */
  readonly seed: string;
  /** Chain id that its own genesis sets; on another genesis, that one's counts. */
  readonly chainId?: number;
}

/** A chain that makes its own blocks. */
export interface LocalChain {
  /** Accounts, assets and tables: what follows from the seed. */
  readonly chainItems: ChainItems;
  /** The genesis to start from, unless another network's is used. */
  genesisBlob(): Uint8Array;
  /** The records of the next block, ready to be ingested. Nothing is written. */
  produceBlock(base: BlockBase): Promise<readonly Uint8Array[]>;
  guide(): ChainGuide;
}

/** The seed as the bytes that keys and draws follow from. */
export function chainSeed(name: string): Uint8Array {
  return sha3(new TextEncoder().encode(`local chain/${name}`));
}

/** The local chain of a seed. */
export function createLocalChain({ seed: name, chainId = LOCAL_CHAIN_ID }: LocalChainSettings): LocalChain {
  const seed = chainSeed(name);
  const chainItems = createChainItems(seed);
  return {
    chainItems,
    genesisBlob: () => encodeGenesis(chainItems, seed, chainId),
    produceBlock: async (base) => (await makeBlock(chainItems, seed, base)).records,
    guide: () => createGuide(chainItems),
  };
}
