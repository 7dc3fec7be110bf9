// A chain on a network's state: local blocks on top of its genesis or of a fork of it. It has no genesis of its own and no
// demo accounts; its transactions are those that are submitted.
import type { LedgerView } from "../ledger/view.ts";
import { type BlockSource, chainSeed, createBlockSource } from "./local-chain.ts";
import { type MachineSource, openHead } from "./machine-source.ts";
import { nextBlock, readChainHead } from "./prologue.ts";
import { blockRandom } from "./random.ts";
import { WorkingState } from "./working-state.ts";

export interface NetworkChainSettings {
  /** The faucet's key comes from it. */
  readonly seed: string;
  readonly machine: MachineSource;
  /** As in LocalChainSettings. */
  readonly epochTimeMs?: number | undefined;
}

export interface NetworkChain extends BlockSource {
  /** Fetches what every block needs, so that blocks can be made while the network is out of reach. */
  prepare(view: LedgerView): Promise<void>;
}

/** The chain on a network's state, or on a fork of a local chain. */
export function createNetworkChain({ seed: name, machine, epochTimeMs }: NetworkChainSettings): NetworkChain {
  const seed = chainSeed(name);
  return {
    ...createBlockSource({ seed }, machine, epochTimeMs),
    async prepare(view) {
      const transactions = await openHead(machine, view, "writer");
      // A network's code asks for much more, and only a run finds out for what.
      if (!transactions.isInterface) return;
      const head = await readChainHead(new WorkingState(), view);
      const timestampUsec = head.timeUsec + 1n;
      const block = nextBlock(head, blockRandom(seed, head.block.height + 1n), {
        timestampUsec,
        isNil: false,
      });
      await transactions.execute({ kind: "blockMetadata", block }, { areSignaturesValid: true });
    },
  };
}
