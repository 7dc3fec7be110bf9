// Questions about balances as calls: the same answers as over HTTP.
import { afterAll, describe, expect, it } from "vitest";
import { CodedError, ConfigError, createNode } from "../../src/index.ts";

const node = await createNode({ localChain: {}, pruneWindow: "off", http: { port: 0 } });
afterAll(() => node.close());
for (let i = 0; i < 30; i++) await node.produceBlock();
const guide = node.guide();
const pairs = (guide?.accounts ?? []).flatMap(({ address, assets }) =>
  assets.map(({ asset }) => ({ address, asset })),
);
const [pair] = pairs;
if (pair === undefined) throw new Error("the local chain shows no account");
const { address, asset } = pair;

async function get(path: string): Promise<{ headers: Headers; body: unknown }> {
  const response = await fetch(`${node.url}${path}`);
  return { headers: response.headers, body: JSON.parse(await response.text()) };
}

describe("calls about balances", () => {
  it("at a time, as a Date or a text", async () => {
    const { headers } = await get("");
    const usec = BigInt(headers.get("x-node-ledger-timestampusec") ?? "0") - 7_500_000n;
    const date = new Date(Number(usec / 1000n));
    const { body, headers: read } = await get(
      `/accounts/${address}/balance/${asset}?quoted=true&at=${date.toISOString()}`,
    );
    const version = BigInt(read.get("x-node-read-version") ?? "0");
    expect(version).toBeLessThan(BigInt(headers.get("x-node-ledger-version") ?? "0"));
    for (const at of [
      date,
      date.toISOString(),
      `${usec / 1_000_000n}.${`${usec % 1_000_000n}`.padStart(6, "0")}`,
    ]) {
      expect(`${await node.balance(address, asset, { at })}`).toBe(body);
    }
    expect(await node.balance(address, asset, { ledgerVersion: version })).toBe(BigInt(String(body)));
    await expect(node.balance(address, asset, { at: "2100-01-01T00:00:00Z" })).rejects.toMatchObject({
      code: "version_not_found",
    });
    await expect(node.balance(address, asset, { at: "soon" })).rejects.toThrow("at: expected a time");
    await expect(node.balance(address, asset, { at: date, ledgerVersion: 1n })).rejects.toThrow(ConfigError);
  });

  it("many at once", async () => {
    const { answers, ledgerVersion } = await node.balances(
      [...pairs, { address: "x", asset: "0xa" }, ...pairs],
      { ledgerVersion: 60n },
    );
    expect(ledgerVersion).toBe(60n);
    for (const [i, one] of pairs.entries()) {
      const single = await node.balance(one.address, one.asset, { ledgerVersion });
      expect([answers[i], answers[pairs.length + 1 + i]]).toEqual([single, single]);
    }
    expect(answers[pairs.length]).toBeInstanceOf(CodedError);
    await expect(node.balances(pairs, { ledgerVersion: 100_000n })).rejects.toMatchObject({
      code: "version_not_found",
    });
    const items = (guide?.tables ?? []).flatMap(({ handle, keys }) =>
      keys.map(({ key }) => ({ handle, key })),
    );
    const found = await node.rawItems([
      ...items,
      { handle: "0x1", key: "0x00" },
      { handle: "0x1", key: "0x0" },
    ]);
    for (const [i, { handle, key }] of items.entries()) {
      expect(found.answers[i]).toEqual(await node.rawItem(handle, key));
    }
    expect(found.answers.at(-2)).toBeUndefined();
    expect(found.answers.at(-1)).toBeInstanceOf(CodedError);
    expect(found.answers.filter((one) => one instanceof Uint8Array).length).toBeGreaterThan(3);
  });

  it("the parts of one", async () => {
    for (const one of pairs) {
      const path = `/accounts/${one.address}/balance/${encodeURIComponent(one.asset)}/detail`;
      expect(await node.balanceDetail(one.address, one.asset)).toEqual((await get(path)).body);
    }
    const old = await node.balanceDetail(address, asset, { ledgerVersion: 3n });
    expect(old.ledger_version).toBe("3");
  });

  it("the changes of one", async () => {
    for (const one of pairs) {
      const path = `/accounts/${one.address}/balance/${encodeURIComponent(one.asset)}/history?limit=1000`;
      const changes = [];
      for await (const { version, timestampUsec, before, after, transactionHash } of node.balanceHistory(
        one.address,
        one.asset,
      )) {
        changes.push({
          version: `${version}`,
          timestamp_usec: `${timestampUsec}`,
          before: `${before}`,
          after: `${after}`,
          transaction_hash: `0x${Buffer.from(transactionHash).toString("hex")}`,
        });
      }
      expect(changes).toEqual((await get(path)).body);
    }
    const versions = async (options: Parameters<typeof node.balanceHistory>[2]): Promise<bigint[]> => {
      const found = [];
      for await (const { version } of node.balanceHistory(address, asset, options)) found.push(version);
      return found;
    };
    const all = await versions({});
    const [first = 0n, second = 0n, third = 0n] = all;
    expect(await versions({ from: second, to: third })).toEqual([second, third]);
    expect(await versions({ from: new Date(0) })).toEqual(all);
    expect(await versions({ to: "1" })).toEqual([first]);
    const sampled = await versions({ points: 8 });
    expect([sampled.at(0), sampled.at(-1), sampled.length <= 8]).toEqual([first, all.at(-1), true]);
    await expect(versions({ points: 1 })).rejects.toThrow("points");
    await expect(versions({ from: 100_000n })).rejects.toMatchObject({ code: "version_not_found" });
    await expect(versions({ to: "then" })).rejects.toThrow("to: expected a time");
  });
});
