// Raw items by keys so long that they are read and hashed in slices: the same answers as for short ones.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/index.ts";

const HANDLE = `0x${"7a".repeat(32)}`;
const MIB = 1024 * 1024;

let node: Node;
beforeAll(async () => {
  node = await createNode({ http: { port: 0 }, localChain: { seed: "large keys" } });
});
afterAll(() => node.close());

async function ask(body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${node.url}/tables/${HANDLE}/raw_item`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe("a raw item by a long key", () => {
  it("is found under every spelling of its body", async () => {
    const key = Uint8Array.from({ length: 400_000 }, (_, i) => i % 251);
    await node.putTableItem(HANDLE, key, "0x2a");
    const hex = Buffer.from(key).toString("hex");
    const found = { status: 200, text: '"0x2a"' };
    for (const text of [`0x${hex}`, hex, hex.toUpperCase()]) {
      expect(await ask(`{"key":"${text}"}`)).toEqual(found);
      expect(await ask(`"${text}"`)).toEqual(found);
      expect(await ask(` \n{ "key"\t:  "${text}" } \r\n`)).toEqual(found);
    }
    // These need a parser.
    expect(await ask(`{"more":[1],"key":"0x${hex}"}`)).toEqual(found);
    expect(await ask(`{"key":"\\u0030x${hex}"}`)).toEqual(found);
    expect(await ask(`"0x${hex.slice(0, -2)}ff"`)).toMatchObject({ status: 404 });
  });

  it("is absent, or refused by what is wrong", async () => {
    const zeros = "00".repeat(4 * MIB - 100);
    expect(await ask(`{"key":"0x${zeros}"}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining("table_item_not_found"),
    });
    const refusals = {
      [`{"key":"0x${zeros}0"}`]: "an even number of hex digits",
      [`{"key":"0x${zeros}zz"}`]: "an even number of hex digits",
      [`"0x${zeros}"}`]: "nothing else",
      [`{"key":"0x${zeros}"`]: "nothing else",
      [`{"key":"0x${zeros}","more":1}`]: "nothing else",
      [`"${"0".repeat(100_001)}"`]: "it has an odd number of digits, 100001",
      [`"${"0".repeat(100_000)}x0"`]: "at position 100000 is not a hex digit",
      [`["${"0".repeat(100_000)}"]`]: "key: expected a string of hex digits",
    };
    for (const [body, reason] of Object.entries(refusals)) {
      const { status, text } = await ask(body);
      expect([status, text.includes(reason)], text).toEqual([400, true]);
    }
    expect(await ask(`"${"00".repeat(4 * MIB)}"`)).toMatchObject({ status: 413 });
  });
});
