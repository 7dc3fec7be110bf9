// A chain on a network's state: local blocks on top of its genesis or of a fork of it. It has no genesis of its own and no
// demo accounts; its transactions are those that are submitted.
import type { LedgerView } from "../ledger/view.ts";
import { makeAuthoredBlock } from "./authored-block.ts";
import { type BlockBase, BlockBuilder, blockRandom, type MadeBlock } from "./block.ts";
import { type ChainItems, createChainItems } from "./chain-items.ts";
import { makeAuthoredFrameworkBlock, makeFrameworkBlock } from "./framework-block.ts";
import { createKeypair } from "./keys.ts";
import { type BlockSource, chainSeed } from "./local-chain.ts";
import { type MachineSource, NetworkFramework } from "./network-framework.ts";
import { nextBlock, readForkHead, runPrologue } from "./prologue.ts";
import { Submissions } from "./submission/submissions.ts";
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

/** The chain on a network's state. A fork of a local chain, whose framework has no code, runs what the local chain models. */
export function createNetworkChain({ seed: name, machine, epochTimeMs }: NetworkChainSettings): NetworkChain {
  const seed = chainSeed(name);
  const framework = new NetworkFramework(machine);
  const items = createChainItems(seed);
  const keys = createKeypair(seed, "faucet");
  const chain = { items, faucet: keys.address, randomAt: (height: bigint) => blockRandom(seed, height) };
  return {
    async produceBlock(given) {
      const base = { epochTimeMs, ...given };
      const head = await framework.open(base.view, "writer");
      return head === undefined ? makeForkBlock(items, seed, base) : makeFrameworkBlock(chain, base, head);
    },
    async authorBlock(given, changes) {
      const base = { epochTimeMs, ...given };
      const head = await framework.open(base.view, "writer");
      return head === undefined
        ? makeAuthoredBlock(chain, base, changes)
        : makeAuthoredFrameworkBlock(chain, base, head, changes);
    },
    async prepare(view) {
      if (!(await framework.hasCode(view))) await readForkHead(new WorkingState(), { view });
    },
    submissions: new Submissions({ framework, faucet: keys }),
  };
}

/**
 * Makes the block of a fork of a local chain. Nobody proposes it, and no epoch ends. Throws ChainError if the network lacks what every block needs.
 */
async function makeForkBlock(items: ChainItems, seed: Uint8Array, base: BlockBase): Promise<MadeBlock> {
  const state = new WorkingState();
  const head = await readForkHead(state, base);
  const height = head.block.height + 1n;
  const random = blockRandom(seed, height);
  const proposedUsec = base.timestampUsec > head.timeUsec ? base.timestampUsec : head.timeUsec + 1n;
  const block = nextBlock(head, random, { timestampUsec: proposedUsec, isNil: false });
  const { timestampUsec } = block;
  const builder = new BlockBuilder({ state, items, coinSupplies: new Map() }, base, head, random);
  const prologue = builder.begin(timestampUsec);
  runPrologue(prologue, head, block, undefined);
  builder.addSystem({ kind: "blockMetadata", block }, prologue);
  const hasMore = base.submitted !== undefined && (await builder.addSubmitted(base.submitted, timestampUsec));
  await builder.addLast(builder.lastTransaction(block.id), builder.begin(timestampUsec));
  // A signature would confirm roots that nobody has.
  return { height, records: builder.records, signed: undefined, movements: builder.movements, hasMore };
}
