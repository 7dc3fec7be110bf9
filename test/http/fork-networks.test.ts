// Forks of public networks, as of their genesis: real modules and real layouts. What the model does not have is refused.
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { hasShared, sharedPath } from "../support/shared.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const U64_MAX = 0xffff_ffff_ffff_ffffn;

async function startNode(options: NodeOptions): Promise<Node> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

async function startFork(network: string): Promise<{ readonly origin: Node; readonly fork: Node }> {
  const origin = await startNode({
    genesis: sharedPath(`networks/${network}/genesis.blob`),
    http: { port: 0 },
  });
  const fork = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 }, http: { port: 0 } });
  return { origin, fork };
}

describe.skipIf(!hasShared)("a fork of a public network's genesis", () => {
  it("moves balances by the network's own stores and answers with its chain id", async () => {
    const { origin, fork } = await startFork("devnet");
    expect((await fork.ledgerInfo()).chain_id).toBe(243);
    const core = "0xa550c18";
    expect(await fork.balance(core, APT)).toBe(U64_MAX);
    const moved = await fork.impersonate(core, {
      function: "0x1::aptos_account::transfer",
      arguments: ["0xb0b", 1_000n],
    });
    expect(moved).toMatchObject({ success: true });
    expect(await fork.balance(core, APT)).toBe(U64_MAX - 1_000n);
    expect(await fork.balance("0xb0b", APT)).toBe(1_000n);
    expect(await fork.balance("0xb0b", "0xa")).toBe(1_000n);
    expect(await origin.balance("0xb0b", APT)).toBe(0n);
    await fork.fund("0xb0b", 5n);
    expect(await fork.balance("0xb0b", APT)).toBe(1_005n);
    // A function of the network's own modules is known, but not modelled.
    await expect(
      fork.impersonate(core, { function: "0x1::staking_proxy::set_operator", arguments: ["0x1", "0x2"] }),
    ).rejects.toThrow("not modelled here: 0x1::staking_proxy::set_operator");
    const types = await fetch(`${fork.url}/accounts/0x1/resource/0x1::block::BlockResource`);
    expect(await types.json()).toMatchObject({ type: "0x1::block::BlockResource", data: { height: "2" } });
  });

  it("refuses transactions on a framework that does something else, and serves its state", async () => {
    const { fork } = await startFork("mainnet");
    const holder = "0x000000007c9f6724cfc3ead36713389148bbeb48a310dacd43a767b52ada4be7";
    expect((await fork.ledgerInfo()).chain_id).toBe(1);
    expect(await fork.balance(holder, APT)).toBe(200_000_000n);
    await expect(
      fork.impersonate(holder, { function: "0x1::aptos_account::transfer", arguments: ["0xb0b", 1n] }),
    ).rejects.toThrow("not modelled here");
    await fork.mine(2);
    expect(await fork.balance(holder, APT)).toBe(200_000_000n);
  });
});
