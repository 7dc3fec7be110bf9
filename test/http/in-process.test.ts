// The node as an object: every call resolves or rejects, and a closed node reports that it is closed.
import { describe, expect, it, onTestFinished } from "vitest";
import { CodedError, createNode, type Node, type NodeOptions } from "../../src/index.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
let directories = 0;

async function start(options: NodeOptions = {}): Promise<Node> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

const onDisk = (): NodeOptions => ({ data: `${folder}/${directories++}` });

const COIN = "0x1::aptos_coin::AptosCoin";

describe("a call with a wrong argument", () => {
  const wrong = undefined as never;
  it.each<[string, (node: Node) => Promise<unknown>]>([
    ["balance, address", (node) => node.balance("zz", COIN)],
    ["balance, asset", (node) => node.balance("0x1", "::")],
    ["balance, nothing", (node) => node.balance(wrong, wrong)],
    ["balance, version", (node) => node.balance("0x1", COIN, { ledgerVersion: 7 as never })],
    ["rawItem, handle", (node) => node.rawItem("zz", "0x00")],
    ["rawItem, key", (node) => node.rawItem("0x1", "0x0")],
    ["rawItem, no key", (node) => node.rawItem("0x1", wrong)],
    ["encodeSubmission, text", (node) => node.encodeSubmission("{")],
    ["encodeSubmission, nothing", (node) => node.encodeSubmission(wrong)],
    ["encodeSubmission, a ring", (node) => node.encodeSubmission(ring())],
    ["encodeSubmission, bigint", (node) => node.encodeSubmission({ sequence_number: 1n })],
  ])("rejects and never throws: %s", async (_, call) => {
    const node = await start();
    let caught: unknown;
    // A caller with only .catch() would miss an error thrown before there is a promise.
    await call(node).catch((error: unknown) => {
      caught = error;
    });
    expect(caught).toBeInstanceOf(Error);
    expect(caught).toBeInstanceOf(CodedError);
  });
});

function ring(): object {
  const request: Record<string, unknown> = {};
  request.payload = request;
  return request;
}

describe("blocks made on request", () => {
  it.each([
    ["in memory", {}],
    ["on disk", onDisk()],
  ])("are made one after the other: %s", async (_, options) => {
    const node = await start(options);
    const infos = await Promise.all([node.produceBlock(), node.produceBlock(), node.produceBlock()]);
    expect(infos.map(({ block_height }) => block_height)).toEqual([1n, 2n, 3n]);
    expect(await node.ledgerInfo()).toEqual(infos[2]);
  });

  it("are made between those of a timer", async () => {
    const node = await start({ localChain: { blockTimeMs: 0 } });
    const infos = await Promise.all(Array.from({ length: 20 }, () => node.produceBlock()));
    const heights = infos.map(({ block_height }) => Number(block_height));
    expect(heights).toEqual([...heights].sort((a, b) => a - b));
    expect(new Set(heights).size).toBe(20);
    expect((await node.info()).sync_fault).toBeUndefined();
  });
});

describe("a closed node", () => {
  const CALLS: readonly [string, (node: Node) => unknown][] = [
    ["balance", (node) => node.balance("0x1", COIN)],
    ["rawItem", (node) => node.rawItem("0x1", "0x00")],
    ["encodeSubmission", (node) => node.encodeSubmission({})],
    ["info", (node) => node.info()],
    ["ledgerInfo", (node) => node.ledgerInfo()],
    ["produceBlock", (node) => node.produceBlock()],
    ["guide", async (node) => node.guide()],
  ];

  it.each([
    ["in memory", {}],
    ["on disk", onDisk()],
    ["with a port", { http: { port: 0 } }],
  ])("says so in every call: %s", async (_, options) => {
    const node = await start(options);
    await node.close();
    for (const [name, call] of CALLS) {
      const error: unknown = await Promise.resolve(call(node)).then(
        () => "an answer",
        (fault: unknown) => fault,
      );
      expect(error, name).toBeInstanceOf(CodedError);
      expect((error as Error).message, name).toBe("the node is closed");
    }
    await node.close();
  });

  it("refuses calls while it closes, and finishes earlier ones", async () => {
    const node = await start(onDisk());
    const before = [node.produceBlock(), node.produceBlock(), node.info(), node.balance("0x1", COIN)];
    const closing = [node.close(), node.close()];
    const after = node.ledgerInfo();
    await expect(after).rejects.toThrow("the node is closed");
    const [first, second] = await Promise.all(before);
    expect([first, second]).toMatchObject([{ block_height: 1n }, { block_height: 2n }]);
    await Promise.all(closing);
  });

  it("can be opened again on the same directory", async () => {
    const options = onDisk();
    const node = await start(options);
    const asked = Array.from({ length: 50 }, () => node.balance("0x1", COIN));
    await node.close();
    await Promise.all(asked);
    const again = await start(options);
    await again.produceBlock();
    await until(async () => (await again.ledgerInfo()).block_height === 1n);
  });
});
