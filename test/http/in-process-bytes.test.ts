// Bytes passed to and returned by in-process calls belong to the caller: writing into them changes nothing inside the
// node.
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { createNode, type Node } from "../../src/node.ts";
import { transferRequest } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";

const nodes: Node[] = [];

afterAll(async () => {
  for (const node of nodes) await node.close();
});

async function start(options: Parameters<typeof createNode>[0]): Promise<Node> {
  const node = await createNode(options);
  nodes.push(node);
  return node;
}

function item(node: Node): { handle: string; key: string } {
  const [table] = node.guide()?.tables ?? [];
  return { handle: table?.handle ?? "", key: table?.keys[0]?.key ?? "" };
}

function request(node: Node): Record<string, unknown> {
  const [from, to] = node.guide()?.accounts ?? [];
  return transferRequest(from?.address, to?.address, "1000");
}

describe.each([
  ["in memory", () => ({})],
  ["on disk", () => ({ data: join(temporaryFolder(), "data") })],
])("a node %s", (_, place) => {
  it("returns copies: writing into them changes no later read", async () => {
    const node = await start({ ...place(), localChain: {}, pruneWindow: "off", http: { port: 0 } });
    await node.produceBlock();
    const { handle, key } = item(node);
    const old = { ledgerVersion: BigInt((await node.ledgerInfo()).ledger_version) };
    await node.produceBlock();
    const readAll = async (): Promise<(string | undefined)[]> => {
      const response = await fetch(`${node.url}/tables/${handle}/raw_item`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ key }),
      });
      const reads = [await node.rawItem(handle, key), await node.rawItem(handle, key, old)];
      return [await response.text(), ...reads.map((bytes) => bytes && toHex(bytes))];
    };
    const before = await readAll();
    for (const options of [{}, old]) {
      const bytes = await node.rawItem(handle, key, options);
      expect(bytes?.length).toBeGreaterThan(0);
      bytes?.fill(0xee);
    }
    expect(await readAll()).toEqual(before);
  });

  it("returns bytes that share no memory", async () => {
    const node = await start({ ...place(), localChain: {} });
    await node.produceBlock();
    const { handle, key } = item(node);
    const all = [await node.rawItem(handle, key), await node.encodeSubmission(request(node))];
    for (const bytes of all) {
      if (bytes === undefined) throw new Error("no bytes");
      expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, bytes.length]);
    }
  });

  it("reads its arguments during the call, not later", async () => {
    const node = await start({ ...place(), localChain: {} });
    await node.produceBlock();
    const { handle, key } = item(node);
    const keyBytes = Buffer.from(key.slice(2), "hex");
    const read = node.rawItem(handle, keyBytes);
    keyBytes.fill(0);
    expect(await read).toEqual(await node.rawItem(handle, key));

    const object = request(node);
    const body = new TextEncoder().encode(JSON.stringify(object));
    const expected = await node.encodeSubmission(JSON.stringify(object));
    const fromBytes = node.encodeSubmission(body);
    body.fill(32);
    const fromObject = node.encodeSubmission(object);
    object.sequence_number = "1";
    expect([await fromBytes, await fromObject]).toEqual([expected, expected]);
  });

  it("keeps a copy of a genesis", async () => {
    const genesis = createLocalChain({ seed: "bytes", chainId: 77 }).genesisBlob();
    const expected = await (await start({ ...place(), genesis })).info();
    const changed = new Uint8Array(genesis);
    const starting = start({ ...place(), genesis: changed });
    changed.fill(0);
    expect((await (await starting).info()).genesis_waypoint).toBe(expected.genesis_waypoint);
  });
});
