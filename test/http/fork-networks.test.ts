// Forks of public networks, as of their genesis: real modules and real layouts, run by the networks' own code.
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
    // Any function of the network runs, and says why it fails.
    const refused = await fork.impersonate(core, {
      function: "0x1::stake::set_operator",
      arguments: ["0x2"],
    });
    expect(refused).toMatchObject({ success: false });
    expect(refused.vmStatus).toContain("EOWNER_CAP_NOT_FOUND");
    const types = await fetch(`${fork.url}/accounts/0x1/resource/0x1::block::BlockResource`);
    expect(await types.json()).toMatchObject({ type: "0x1::block::BlockResource", data: { height: "4" } });
  });

  it("runs the framework of a network's first day", async () => {
    const { fork } = await startFork("mainnet");
    const holder = "0x000000007c9f6724cfc3ead36713389148bbeb48a310dacd43a767b52ada4be7";
    expect((await fork.ledgerInfo()).chain_id).toBe(1);
    expect(await fork.balance(holder, APT)).toBe(200_000_000n);
    const transfer = { function: "0x1::aptos_account::transfer", arguments: ["0xb0b", 1n] };
    expect(await fork.impersonate(holder, transfer)).toMatchObject({ success: true });
    expect(await fork.balance(holder, APT)).toBe(199_999_999n);
    expect(await fork.balance("0xb0b", APT)).toBe(1n);
  });
});
