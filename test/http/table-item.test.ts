// Table items by the JSON of their keys, and every wrong request.

import { beforeAll, describe, expect, it } from "vitest";
import { fromHex, toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { text, u64 } from "../../src/bcs/scalars.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { startServer } from "../support/http-server.ts";
import { sdkClient } from "../support/sdk-client.ts";

const STRING = "0x1::string::String";

interface Got {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly json: () => unknown;
}

async function ask(url: string, body: unknown, accept = "application/json"): Promise<Got> {
  const response = await fetch(url, {
    method: "POST",
    headers: { accept, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, bytes, json: () => JSON.parse(Buffer.from(bytes).toString()) };
}

describe("table items of the local chain", () => {
  const chain = createTrackedChain({ seed: "items" });
  const run = new ChainRun(chain, createMemoryStore());
  const prices = formatAddressLong(chain.items.tableHandles.prices);
  const orders = formatAddressLong(chain.items.tableHandles.orders);
  const demo = formatAddressLong(chain.items.demoAddress);
  let root: string;
  let latest: bigint;

  beforeAll(async () => {
    await run.start();
    await run.steps(15);
    latest = (await run.position()).version;
    const { url } = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    root = `${url}/v1`;
  });

  const rows = async (handle: string): Promise<{ key: Uint8Array; value: string }[]> => {
    const found = await fetch(`${root}/tables/${handle}/items?ledger_version=${latest}`);
    const list = (await found.json()) as { key: string; value: string }[];
    return list.map(({ key, value }) => ({ key: fromHex(key.slice(2)) ?? new Uint8Array(), value }));
  };

  it("are the stored ones in JSON and in BCS, at the latest and an older version", async () => {
    const all = await rows(prices);
    expect(all.length).toBeGreaterThan(2);
    for (const { key, value } of all) {
      const body = { key_type: STRING, value_type: "u64", key: decodeWith(text, key) };
      const url = `${root}/tables/${prices}/item?ledger_version=${latest}`;
      const expected = decodeWith(u64, fromHex(value.slice(2)) ?? new Uint8Array());
      expect((await ask(url, body)).json()).toBe(`${expected}`);
      expect(toPrefixedHex((await ask(url, body, "application/x-bcs")).bytes)).toBe(value);
      const older = `ledger_version=${latest / 2n}`;
      const raw = await ask(
        `${root}/tables/${prices}/raw_item?${older}`,
        toPrefixedHex(key),
        "application/x-bcs",
      );
      const item = await ask(`${root}/tables/${prices}/item?${older}`, body, "application/x-bcs");
      expect([item.status, item.bytes]).toEqual([raw.status, raw.bytes]);
    }
    const [order] = await rows(orders);
    const body = {
      key_type: "u64",
      value_type: `${demo}::demo::Order`,
      key: `${decodeWith(u64, order?.key ?? new Uint8Array())}`,
    };
    const printed = (await ask(`${root}/tables/${orders}/item`, body)).json();
    expect(printed).toMatchObject({
      owner: expect.stringMatching(/^0x/),
      amount: expect.stringMatching(/^\d+$/),
    });
  });

  it("are read by the official SDK as they are", async () => {
    const aptos = sdkClient(root);
    const data = { key_type: STRING, value_type: "u64", key: "APT" };
    const [price] = (await rows(prices)).filter(({ key }) => decodeWith(text, key) === "APT");
    expect(await aptos.getTableItem({ handle: prices, data })).toBe(
      `${decodeWith(u64, fromHex(price?.value.slice(2) ?? "") ?? new Uint8Array())}`,
    );
  });

  it.each([
    [
      { key_type: STRING, value_type: "u64", key: "NONE" },
      404,
      "table_item_not_found",
      "no item under table",
    ],
    [{ key_type: "u8", value_type: "u64", key: 1 }, 404, "table_item_not_found", "no item under table"],
    [{ key_type: "u8", value_type: "u64", key: "1" }, 400, "invalid_input", "key: expected a JSON integer"],
    [{ key_type: "u9", value_type: "u64", key: 1 }, 400, "invalid_input", "key_type: "],
    [
      { key_type: "0x1::no::Such", value_type: "u64", key: 1 },
      400,
      "invalid_input",
      "key_type: the module of",
    ],
    [{ key_type: "signer", value_type: "u64", key: "0x1" }, 400, "invalid_input", "key_type: no value"],
    [{ key_type: STRING, value_type: "&u64", key: "APT" }, 400, "invalid_input", "value_type: "],
    [{ key_type: STRING, value_type: "u128", key: "APT" }, 400, "invalid_input", "the item is no u128"],
    [{ key_type: STRING, value_type: "0x1::no::Such", key: "APT" }, 400, "invalid_input", "value_type: "],
    [
      { key_type: STRING, value_type: 1, key: "APT" },
      400,
      "web_framework_error",
      "value_type: expected a Move",
    ],
    [{ key_type: STRING, value_type: "u64" }, 400, "web_framework_error", 'expected a member "key"'],
    [["APT"], 400, "web_framework_error", "body: expected an object"],
  ])("refuses %j with %i %s", async (body, status, code, message) => {
    const got = await ask(`${root}/tables/${prices}/item`, body);
    const error = got.json() as { error_code: string; message: string };
    expect([got.status, error.error_code]).toEqual([status, code]);
    expect(error.message).toContain(message);
  });
});
