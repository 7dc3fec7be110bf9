// The local chain: it makes its own blocks. It has no state of its own: seed, ledger and time determine every block, so
// it continues from any stored ledger.
import { sha3 } from "../base/sha3.ts";
import type { RecordSpans } from "../ledger/formats/record.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { SignedLedgerInfo } from "../proof/ledger-info.ts";
import type { AuthoredChange } from "./authoring.ts";
import {
  type AuthoredBlock,
  type BlockBase,
  type BlockChain,
  type MadeBlock,
  makeAuthoredBlock,
  makeBlock,
  signAgain,
} from "./block.ts";
import { type ChainItems, createChainItems } from "./chain-items.ts";
import { type ChainGuide, createGuide } from "./demo/guide.ts";
import { encodeGenesis } from "./genesis.ts";
import { createKeypair } from "./keys.ts";
import { createMachineSource, type MachineSource, openHead } from "./machine-source.ts";
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
  /** Runs its transactions. */
  readonly machine?: MachineSource | undefined;
}

/** Makes blocks, with the transactions that are submitted. */
export interface BlockSource {
  /** Makes the next block. Writes nothing. */
  produceBlock(base: BlockBase): Promise<MadeBlock>;
  /** Makes a block of changes; undefined if the next block must end the epoch. Writes nothing. */
  authorBlock(base: BlockBase, changes: readonly AuthoredChange[]): Promise<AuthoredBlock | undefined>;
  /** What the chain's validators signed about a block on the view. Undefined if their keys are not ours. */
  signAgain(view: LedgerView, block: readonly RecordSpans[]): Promise<SignedLedgerInfo | undefined>;
  /** Checks and makes transactions for this chain. */
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

/** What makes the blocks of a chain, on whatever ledger it is given. */
export function createBlockSource(
  chain: BlockChain,
  machine: MachineSource,
  epochTimeMs: number | undefined,
): BlockSource {
  const open = (base: BlockBase) => openHead(machine, base.view, "writer");
  return {
    produceBlock: async (base) => makeBlock(chain, { epochTimeMs, ...base }, await open(base)),
    authorBlock: async (base, changes) =>
      makeAuthoredBlock(chain, { epochTimeMs, ...base }, await open(base), changes),
    signAgain: (view, block) => signAgain(chain, view, block),
    submissions: new Submissions({ machine, faucet: createKeypair(chain.seed, "faucet") }),
  };
}

/** The local chain with these settings. */
export function createLocalChain(settings: LocalChainSettings): LocalChain {
  const { seed: name, chainId = LOCAL_CHAIN_ID, epochTimeMs, machine = createMachineSource() } = settings;
  const seed = chainSeed(name);
  const items = createChainItems(seed);
  const source = createBlockSource({ seed, items }, machine, epochTimeMs);
  return {
    ...source,
    items,
    genesisBlob: () => encodeGenesis(items, source.submissions.faucet, chainId),
    guide: () => createGuide(items),
  };
}
