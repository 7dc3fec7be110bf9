// The local chain: it makes its own blocks. It has no state of its own: seed, ledger and time determine every block, so
// it continues from any stored ledger.
import { sha3 } from "../base/sha3.ts";
import { type AuthoredBlock, type AuthoredChange, makeAuthoredBlock } from "./authored-block.ts";
import { type BlockBase, blockRandom, type MadeBlock, makeBlock } from "./block.ts";
import { type ChainItems, createChainItems } from "./chain-items.ts";
import { encodeGenesis } from "./genesis.ts";
import { type ChainGuide, createGuide } from "./guide.ts";
import { createKeypair } from "./keys.ts";
import { createMachineSource, NetworkFramework } from "./network-framework.ts";
import { Submissions } from "./submission/submissions.ts";

/** Chain id of local chains. */
export const LOCAL_CHAIN_ID = 4;

/** Settings of a local chain. */
export interface LocalChainSettings {
  /** The same seed gives the same ledger. */
  readonly seed: string;
  readonly chainId?: number | undefined;
  /** Time between changes of epoch. Left out, ten minutes for a new chain; one that exists keeps its own. */
  readonly epochTimeMs?: number | undefined;
}

/** Makes blocks, with the transactions that are submitted. */
export interface BlockSource {
  /** Makes the next block. Writes nothing. */
  produceBlock(base: BlockBase): Promise<MadeBlock>;
  /** Makes a block of changes; undefined if the next block must end the epoch. Writes nothing. */
  authorBlock(base: BlockBase, changes: readonly AuthoredChange[]): Promise<AuthoredBlock | undefined>;
  /** Checks, simulates and makes transactions for this chain. */
  readonly submissions: Submissions;
  /** Demo accounts, assets and tables, where the chain has them. */
  guide?(): ChainGuide;
}

/** A chain that makes its own blocks from its genesis on. */
export interface LocalChain extends BlockSource {
  /** Accounts, assets and items that the seed determines. */
  readonly items: ChainItems;
  genesisBlob(): Uint8Array;
  guide(): ChainGuide;
}

/** The 32-byte seed that keys and random numbers derive from. */
export function chainSeed(name: string): Uint8Array {
  return sha3(new TextEncoder().encode(`local chain/${name}`));
}

/** The local chain with these settings. */
export function createLocalChain(settings: LocalChainSettings): LocalChain {
  const { seed: name, chainId = LOCAL_CHAIN_ID, epochTimeMs } = settings;
  const seed = chainSeed(name);
  const items = createChainItems(seed);
  const faucet = createKeypair(seed, "faucet");
  const randomAt = (height: bigint) => blockRandom(seed, height);
  return {
    items,
    genesisBlob: () => encodeGenesis(items, chainId),
    produceBlock: (base) => makeBlock(items, seed, { epochTimeMs, ...base }),
    authorBlock: (base, changes) =>
      makeAuthoredBlock({ items, faucet: faucet.address, randomAt }, { epochTimeMs, ...base }, changes),
    submissions: new Submissions({ framework: new NetworkFramework(createMachineSource()), faucet }),
    guide: () => createGuide(items),
  };
}
