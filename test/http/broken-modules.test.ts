// A network's node that serves a module whose bytes are no module. Every operation that needs it answers with a 500 that
// names the module and the node; the others answer as before, and the process goes on.
import { describe, expect, it, onTestFinished } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import type { LogFields, Logger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { accessPathCodec, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { parseAddress } from "../../src/move/address.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { begun } from "../support/begun.ts";
import { stateValue } from "../support/http-ledger.ts";
import { type Meddler, startProxy } from "../support/proxy.ts";

const APT = "0x1::aptos_coin::AptosCoin";

async function started<T extends Node>(node: T): Promise<T> {
  onTestFinished(() => node.close());
  return node;
}

function moduleKey(name: string): string {
  const path = encodeWith(accessPathCodec, { kind: "code", module: { address: parseAddress("0x1"), name } });
  return toPrefixedHex(encodeWith(stateKeyCodec, { kind: "accessPath", address: parseAddress("0x1"), path }));
}

/** A network whose node serves other bytes for these modules of 0x1. */
async function startNetwork(...broken: string[]): Promise<{ origin: Node; proxy: Meddler }> {
  const origin = await started(
    await createNode({ localChain: { seed: "broken" }, pruneWindow: "off", http: { port: 0, maxWaitMs: 0 } }),
  );
  await origin.mine(4);
  const proxy = await startProxy(origin.url ?? "", true);
  onTestFinished(() => proxy.close());
  const keys = broken.map(moduleKey);
  proxy.meddle = (passing) =>
    passing.path.includes("/state_values/raw") && keys.some((key) => passing.sent.includes(key))
      ? { ...passing, body: Buffer.from(stateValue(Uint8Array.of(1, 2, 3))) }
      : passing;
  return { origin, proxy };
}

/** A node over the network, and its log. */
async function startOver(options: NodeOptions) {
  const lines: { fields: LogFields; message: string }[] = [];
  const note = (fields: LogFields, message: string): number => lines.push({ fields, message });
  const logger: Logger = { debug: () => {}, info: note, warn: note, error: note };
  const node = await started(
    await createNode({ ...options, pruneWindow: "off", http: { port: 0, maxWaitMs: 0 }, logger }),
  );
  await begun(node);
  return { node, lines };
}

const request = (name: string) => ({
  sender: "0xa",
  sequence_number: "1",
  max_gas_amount: "2",
  gas_unit_price: "3",
  expiration_timestamp_secs: "4",
  payload: { type: "entry_function_payload", function: name, type_arguments: [APT], arguments: ["0xb", "5"] },
});

async function ask(node: Node, path: string, body?: unknown) {
  const response = await fetch(`${node.url}/${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" },
  });
  return {
    status: response.status,
    body: (await response.json()) as { message: string; error_code: string },
  };
}

const QUESTIONS: readonly [what: string, path: string, body?: unknown][] = [
  ["encode", "transactions/encode_submission", request("0x1::coin::transfer")],
  ["explain", "transactions/explain_submission", request("0x1::coin::transfer")],
  ["the module's ABI", "accounts/0x1/module/coin"],
  ["a resource", `accounts/0x1/resource/0x1::coin::CoinInfo%3C${APT}%3E`],
  ["a view", "view", { function: "0x1::coin::balance", type_arguments: [APT], arguments: ["0x1"] }],
  [
    "a table item",
    "tables/0x7ab1e/item",
    { key_type: `0x1::coin::Coin<${APT}>`, value_type: "u8", key: { value: "1" } },
  ],
];

describe.each(["a fork", "a follower that began in the middle"])("%s", (kind) => {
  const over = (url: string): NodeOptions =>
    kind === "a fork"
      ? { fork: { url, upstreamRate: 0 } }
      : { follow: { upstreams: [url], startVersion: "latest", upstreamRate: 0, pollTimeMs: 5 } };

  it("names the module that does not decode, and the node that serves it, in every answer that needs it", async () => {
    const { proxy } = await startNetwork("coin");
    const { node, lines } = await startOver(over(proxy.url));
    for (const [what, path, body] of QUESTIONS) {
      const answer = await ask(node, path, body);
      expect({ what, status: answer.status, code: answer.body.error_code }).toEqual({
        what,
        status: 500,
        code: "internal_error",
      });
      expect(answer.body.message, what).toMatch(/^module 0x1::coin of version \d+ does not decode: /);
      expect(answer.body.message, what).toContain(proxy.url);
    }
    const failed = lines.filter(({ message }) => message === "request failed");
    expect(failed.length).toBeGreaterThan(0);
    for (const { fields } of failed) expect(fields.err).toMatch(/^module 0x1::coin/);
    // What does not need it is answered.
    expect((await ask(node, "accounts/0x1/module/account")).status).toBe(200);
    const page = await ask(node, "transactions?limit=5");
    expect(page.status).toBe(200);
    expect((await ask(node, "accounts/0x1/modules")).body.message ?? "").not.toContain("unforeseen");
    expect((await ask(node, "accounts/0x1/resources")).body.message ?? "").not.toContain("unforeseen");
  });

  it("begins although the modules that it learns from do not decode", async () => {
    const { proxy } = await startNetwork("fungible_asset", "primary_fungible_store", "coin");
    const { node } = await startOver(over(proxy.url));
    expect((await ask(node, "")).status).toBe(200);
  });
});
