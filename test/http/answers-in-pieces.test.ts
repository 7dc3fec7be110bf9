// An answer that is read in pieces comes from one history: where the ledger goes back meanwhile, it ends with an error.
import { describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { blockAnswer } from "../../src/http/operations/blocks.ts";
import { createNode } from "../../src/index.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";

const APT = "0x1::aptos_coin::AptosCoin";

describe("an answer that is read in pieces", () => {
  it("is of one history of a balance", async () => {
    const node = await createNode({ localChain: { traffic: false } });
    const change = async (count: number, first: bigint): Promise<void> => {
      for (let i = 0; i < count; i++) await node.setBalance("0xbeef", APT, first + BigInt(i));
    };
    // Pieces have 64 changes: the third one is read after the revert.
    await change(20, 1000n);
    const snapshot = await node.snapshot();
    await change(130, 1_000_000n);
    let taken = 0;
    const mixed = async (): Promise<void> => {
      for await (const _ of node.balanceHistory("0xbeef", APT)) {
        if (++taken !== 70) continue;
        await node.revert(snapshot);
        await change(85, 5_000_000n);
      }
    };
    await expect(mixed()).rejects.toMatchObject({ code: "unavailable" });
    let count = 0;
    for await (const _ of node.balanceHistory("0xbeef", APT)) count++;
    expect(count).toBe(105);
    await node.close();
  });

  it("is of one history of a block with its transactions", async () => {
    const runs = await Promise.all(
      ["a", "b"].map((seed) => new ChainRun(createLocalChain({ seed }), createMemoryStore()).start()),
    );
    for (const run of runs) await run.steps(3);
    const [run, other] = runs as [ChainRun, ChainRun];
    /** Views of one store after another, which give a record at a time: a block has many pieces. */
    const ledgerOf = (stores: readonly ChainRun[]) => {
      let opened = 0;
      return {
        openView: async (): Promise<LedgerView> => {
          const view = await (stores[opened++] ?? run).store.openView();
          return {
            position: { ...view.position },
            getRecords: (start: bigint, _: number, bytes: number) => view.getRecords(start, 1, bytes),
            getItems: (keys: readonly Uint8Array[], version: bigint) => view.getItems(keys, version),
            getBlockByVersion: (version: bigint) => view.getBlockByVersion(version),
            release: () => view.release(),
          } as unknown as LedgerView;
        },
      };
    };
    const answer = async (stores: readonly ChainRun[]): Promise<Uint8Array> => {
      const ledger = ledgerOf(stores);
      const view = await ledger.openView();
      const block = await view.getBlockByVersion(view.position.version);
      if (block === undefined) throw new Error("no block");
      const context = { view, ledger, form: "bcs" } as unknown as Parameters<typeof blockAnswer>[0];
      const made = await blockAnswer(context, block, true);
      view.release();
      return (made as { readonly data: Uint8Array }).data;
    };
    expect((await answer([])).length).toBeGreaterThan(1000);
    await expect(answer([run, run, other])).rejects.toMatchObject({ code: "unavailable" });
  });
});
