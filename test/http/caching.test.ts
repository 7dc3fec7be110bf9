// Only responses that can never change under the same URL may be cached for good. A process decides that from its
// store, whatever its options.
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { begun } from "../support/begun.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const nodes: Node[] = [];
const PORT = { port: 0 } as const;
const NETWORK_ID = 77;
const ASSET = "0x1::aptos_coin::AptosCoin";
/** A network whose genesis is not that of a local chain. */
const genesis = createLocalChain({ seed: "network", chainId: NETWORK_ID }).genesisBlob();
const genesisWaypoint = formatWaypoint(checkGenesis(genesis).waypoint);

afterAll(async () => {
  for (const node of nodes) await node.close();
});

async function start(options: NodeOptions): Promise<Node> {
  const node = await createNode({ pruneWindow: "off", ...options });
  nodes.push(node);
  return begun(node);
}

async function stop(node: Node): Promise<void> {
  nodes.splice(nodes.indexOf(node), 1);
  await node.close();
}

async function cachingOf(node: Node, version: bigint): Promise<string | null> {
  const response = await fetch(`${node.url}/accounts/0x1/balance/${ASSET}?ledger_version=${version}`);
  expect(response.status).toBe(200);
  return response.headers.get("cache-control");
}

/** Cache-Control at a version, after the node has read its store. */
async function settledCachingOf(node: Node, version: bigint, wanted: string): Promise<void> {
  await until(async () => (await cachingOf(node, version)) === wanted);
}

const FOR_GOOD = "public, max-age=31536000, immutable";

/** A started node has read its store. */
async function expectNeverForGood(node: Node, versions: readonly bigint[]): Promise<void> {
  for (const version of versions) expect(await cachingOf(node, version)).toBe("no-cache");
}

describe("responses at a given version", () => {
  it("of a local chain are never cached for good, nor by a process that only reads its store", async () => {
    const data = join(folder, "local");
    const waypoint = formatWaypoint(checkGenesis(createLocalChain({ seed: "one" }).genesisBlob()).waypoint);
    const writer = await start({ data, waypoint, localChain: { seed: "one" }, http: PORT });
    await writer.produceBlock();
    await expectNeverForGood(writer, [0n, 1n]);
    await stop(writer);
    const reader = await start({ data, readOnly: true, http: PORT });
    await expectNeverForGood(reader, [0n, 1n]);
  });

  it("of a node that follows a local chain are never cached for good", async () => {
    const origin = await start({ data: join(folder, "followed"), localChain: {}, http: PORT });
    await origin.produceBlock();
    const { waypoint, genesis_waypoint } = (await origin.info()) as Record<string, string>;
    const replica = await start({
      data: join(folder, "replica-of-local"),
      follow: { upstreams: [origin.url ?? ""], pollTimeMs: 20 },
      waypoint: [genesis_waypoint ?? "", waypoint ?? ""],
      http: PORT,
    });
    await until(async () => String((await replica.info()).trust_level).startsWith("anchored"));
    await expectNeverForGood(replica, [0n, 1n]);
  });

  it("of a network's genesis are cached for good only when a waypoint matched it", async () => {
    const proven = join(folder, "proven");
    const unproven = await start({ data: join(folder, "unproven"), genesis, http: PORT });
    await expectNeverForGood(unproven, [0n]);
    const writer = await start({ data: proven, genesis, waypoint: genesisWaypoint, http: PORT });
    await settledCachingOf(writer, 0n, FOR_GOOD);
    await stop(writer);
    const reader = await start({ data: proven, readOnly: true, http: PORT });
    await settledCachingOf(reader, 0n, FOR_GOOD);
  });

  it("of a network that is followed are cached for good up to the last waypoint that matched", async () => {
    const origin = await start({
      data: join(folder, "network"),
      genesis,
      localChain: { seed: "network" },
      http: PORT,
    });
    const anchored = BigInt((await origin.produceBlock()).ledger_version);
    const { waypoint } = (await origin.info()) as Record<string, string>;
    const behind = anchored + 1n;
    await origin.produceBlock();
    await expectNeverForGood(origin, [0n, 1n]);

    const data = join(folder, "replica");
    const follow = { upstreams: [origin.url ?? ""], pollTimeMs: 20 };
    const chained = await start({ data, follow, genesis, waypoint: genesisWaypoint, http: PORT });
    await until(async () => BigInt((await chained.ledgerInfo()).ledger_version) >= behind);
    await settledCachingOf(chained, 0n, FOR_GOOD);
    await expectNeverForGood(chained, [1n, anchored, behind]);
    await stop(chained);

    const anchors = [genesisWaypoint, waypoint ?? ""];
    const replica = await start({ data, follow, genesis, waypoint: anchors, http: PORT });
    await settledCachingOf(replica, anchored, FOR_GOOD);
    expect(await cachingOf(replica, 1n)).toBe(FOR_GOOD);
    await expectNeverForGood(replica, [behind]);
    await stop(replica);

    const reader = await start({ data, readOnly: true, http: PORT });
    await settledCachingOf(reader, anchored, FOR_GOOD);
    await expectNeverForGood(reader, [behind]);
  });
});
