// The chain of a fork: local blocks on top of another network's state. It has no genesis of its own and no demo
// accounts; its transactions are those that are submitted.
import { byteString } from "../bcs/scalars.ts";
import { readModuleItem } from "../ledger/module-item.ts";
import type { LedgerView } from "../ledger/view.ts";
import { FRAMEWORK } from "../move/address.ts";
import { ModuleError } from "../move/errors.ts";
import { readStoredModule } from "../move/module-cache.ts";
import { makeAuthoredBlock } from "./authored-block.ts";
import { blockRandom } from "./block.ts";
import { createChainItems } from "./chain-items.ts";
import { makeForkBlock, readForkHead } from "./fork-block.ts";
import { type Framework, FUNGIBLE_STRUCTS } from "./framework.ts";
import { resourceItem } from "./item.ts";
import { createKeypair } from "./keys.ts";
import { type BlockSource, chainSeed } from "./local-chain.ts";
import { Submissions } from "./submission/submissions.ts";
import { WorkingState } from "./working-state.ts";

/** The chain of a fork. */
export interface ForkChain extends BlockSource {
  /** Learns from the network's modules what can be modelled on it. Transactions are refused before. */
  learn(view: LedgerView): Promise<void>;
}

/** The chain that forks a network; its faucet's key comes from the seed. */
export function createForkChain(name: string): ForkChain {
  const seed = chainSeed(name);
  let hasFungibleAssets = false;
  let unmodelledReason: string | undefined;
  const framework: Framework = {
    hasFunction: () => false,
    hasStruct: () => false,
    get hasFungibleAssets() {
      return hasFungibleAssets;
    },
    get unmodelledReason() {
      return unmodelledReason;
    },
  };
  const items = createChainItems(seed, framework);
  const faucet = createKeypair(seed, "faucet");
  return {
    produceBlock: (base) => makeForkBlock(items, seed, base),
    authorBlock: (base, changes) =>
      makeAuthoredBlock(
        { items, faucet: faucet.address, randomAt: (height) => blockRandom(seed, height) },
        base,
        changes,
      ),
    submissions: new Submissions({ framework, faucet }),
    learn: async (view) => {
      // Also fetches what blocks need, so that they can be made while the network is out of reach.
      await readForkHead(new WorkingState(), { view });
      try {
        hasFungibleAssets = await hasFungibleStructs(view);
        unmodelledReason = await findOtherFeatures(view);
      } catch (error) {
        if (!(error instanceof ModuleError)) throw error;
        unmodelledReason = `transactions on a network whose ${error.message}`;
      }
    },
  };
}

/**
 * Feature flags under which the framework does what the model does: coins and native balances are in primary stores, and
 * new stores keep their balance in themselves.
 */
const MODELLED_ON = [60, 64, 65, 90];
const MODELLED_OFF = [68];
const FEATURES = resourceItem(FRAMEWORK, "0x1::features::Features", byteString);

/** Why transfers on this network do something else than the model; undefined where they do the same. */
async function findOtherFeatures(view: LedgerView): Promise<string | undefined> {
  const state = new WorkingState();
  await state.load(view, [FEATURES]);
  const flags = state.get(FEATURES);
  // The local chain's own framework has none.
  if (flags === undefined) return undefined;
  const isOn = (flag: number): boolean => ((flags[flag >> 3] ?? 0) & (1 << (flag & 7))) !== 0;
  const other = [...MODELLED_ON.filter((flag) => !isOn(flag)), ...MODELLED_OFF.filter(isOn)];
  if (other.length === 0) return undefined;
  return `transactions on a network where feature ${other.join(", ")} is ${isOn(other[0] ?? 0) ? "on" : "off"}: its transfers do something else`;
}

/** Throws ModuleError. */
async function hasFungibleStructs(view: LedgerView): Promise<boolean> {
  const names = [...new Set(FUNGIBLE_STRUCTS.map((path) => path.split("::", 1)[0] ?? ""))];
  const ids = names.map((name) => ({ address: FRAMEWORK, name }));
  const modules = await Promise.all(ids.map((id) => readModuleItem(view, id)));
  const structs = new Set<string>();
  for (const [i, id] of ids.entries()) {
    const stored = modules[i];
    if (stored === undefined) continue;
    for (const { name } of readStoredModule(id, stored).structs) structs.add(`${id.name}::${name}`);
  }
  return FUNGIBLE_STRUCTS.every((path) => structs.has(path));
}
