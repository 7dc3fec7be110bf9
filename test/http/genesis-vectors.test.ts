// Real networks over HTTP: every balance, table item and encoded submission of the shared vectors.
import { describe, expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { hasShared, sharedBytes, sharedJson } from "../support/shared.ts";

interface BalanceEntry {
  readonly network: string;
  readonly version: string;
  readonly address: string;
  readonly asset: string;
  readonly expected_balance: string;
}

interface TableEntry {
  readonly network: string;
  readonly version: string;
  readonly handle: string;
  readonly key: string;
  readonly value: string | null;
}

interface EncodeEntry {
  readonly name: string;
  readonly request: unknown;
  readonly expected: string;
}

interface ErrorEntry {
  readonly name: string;
  readonly request?: unknown;
  readonly raw_body?: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly error_code: string;
}

const NETWORKS = ["mainnet", "devnet"] as const;
const JSON_TYPE = { "content-type": "application/json" };
const BCS = { accept: "application/x-bcs" };

async function serve(network: string): Promise<{ url: string; close: () => Promise<void> }> {
  const node = await createNode({
    genesis: sharedBytes(`networks/${network}/genesis.blob`),
    waypoint: Buffer.from(sharedBytes(`networks/${network}/waypoint.txt`))
      .toString()
      .trim(),
    http: { port: 0, maxWaitMs: 0 },
  });
  if (node.url === undefined) throw new Error("the node does not listen");
  return { url: node.url, close: () => node.close() };
}

describe.skipIf(!hasShared)("the genesis of real networks over HTTP", () => {
  it.each(NETWORKS)("%s: every balance, in JSON and in BCS", async (network) => {
    const { url, close } = await serve(network);
    const all = sharedJson<{ entries: BalanceEntry[] }>("vectors/genesis-balances.json").entries;
    const entries = all.filter((entry) => entry.network === network);
    expect(entries.length).toBeGreaterThan(3);
    for (const { address, asset, version, expected_balance } of entries) {
      const path = `${url}/accounts/${address}/balance/${encodeURIComponent(asset)}`;
      for (const query of ["", `?ledger_version=${version}`]) {
        const json = await fetch(path + query);
        expect([json.status, await json.text()]).toEqual([200, expected_balance]);
        const bcs = await fetch(path + query, { headers: BCS });
        expect(Buffer.from(await bcs.arrayBuffer()).readBigUInt64LE()).toBe(BigInt(expected_balance));
      }
    }
    await close();
  });

  it.each(NETWORKS)("%s: every table item, in JSON and in BCS", async (network) => {
    const { url, close } = await serve(network);
    const all = sharedJson<{ entries: TableEntry[] }>("vectors/genesis-table-items.json").entries;
    const entries = all.filter((entry) => entry.network === network);
    expect(entries.length).toBeGreaterThan(0);
    for (const { handle, key, value, version } of entries) {
      const target = `${url}/tables/${handle}/raw_item?ledger_version=${version}`;
      const body = JSON.stringify({ key: `0x${key}` });
      const json = await fetch(target, { method: "POST", headers: JSON_TYPE, body });
      const bcs = await fetch(target, { method: "POST", headers: { ...JSON_TYPE, ...BCS }, body });
      if (value === null) {
        expect([json.status, bcs.status]).toEqual([404, 404]);
        expect(((await json.json()) as { error_code: string }).error_code).toBe("table_item_not_found");
      } else {
        expect(await json.json()).toBe(`0x${value}`);
        expect(Buffer.from(await bcs.arrayBuffer()).toString("hex")).toBe(value);
      }
    }
    await close();
  });

  it("devnet: every encoded submission, in JSON and in BCS", async () => {
    const { url, close } = await serve("devnet");
    const entries = sharedJson<EncodeEntry[]>("vectors/encode-devnet.json");
    expect(entries.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const { name, request, expected } of entries) {
      const target = `${url}/transactions/encode_submission`;
      const body = JSON.stringify(request);
      const json = await fetch(target, { method: "POST", headers: JSON_TYPE, body });
      const bcs = await fetch(target, { method: "POST", headers: { ...JSON_TYPE, ...BCS }, body });
      const hex = expected.replace(/^0x/, "");
      if ((await json.text()) !== `"0x${hex}"`) wrong.push(`${name} in JSON`);
      if (
        !Buffer.from(await bcs.arrayBuffer())
          .toString("hex")
          .endsWith(hex)
      )
        wrong.push(`${name} in BCS`);
    }
    expect(wrong).toEqual([]);
    await close();
  });

  it("devnet: every bad submission, by status and code", async () => {
    const { url, close } = await serve("devnet");
    const entries = sharedJson<ErrorEntry[]>("vectors/encode-errors.json");
    expect(entries.length).toBeGreaterThan(50);
    const wrong: string[] = [];
    for (const { name, request, raw_body, headers, status, error_code } of entries) {
      const response = await fetch(`${url}/transactions/encode_submission`, {
        method: "POST",
        headers: headers ?? JSON_TYPE,
        body: raw_body ?? JSON.stringify(request),
      });
      const body = (await response.json()) as { error_code: string; message: string };
      if (response.status !== status || body.error_code !== error_code) {
        wrong.push(`${name}: ${response.status} ${body.error_code} ${body.message}`);
      }
    }
    expect(wrong).toEqual([]);
    await close();
  });
});
