// The faucet and the status that clients of a local network expect beside its node.
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Logger } from "../../src/base/log.ts";
import { silentLogger } from "../../src/base/log.ts";
import { listenForFunding } from "../../src/http/side/faucet.ts";
import type { SideServer } from "../../src/http/side/side-server.ts";
import { createNode, type Node } from "../../src/node.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const BOB = `0x${"0".repeat(61)}b0b`;

let node: Node;
beforeAll(async () => {
  node = await createNode({
    http: { port: 0 },
    localChain: { traffic: false, faucetPort: 0 },
  });
});
afterAll(() => node.close());

function post(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const json = { "Content-Type": "application/json", ...headers };
  return fetch(url, {
    method: "POST",
    headers: json,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("faucet", () => {
  it("POST /fund mints, and answers when that is committed", async () => {
    const before = await node.balance(BOB, APT);
    const response = await post(
      `${node.faucetUrl}/fund`,
      { address: BOB, amount: 1234 },
      { Origin: "http://x.example" },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("http://x.example");
    const { txn_hashes } = (await response.json()) as { txn_hashes: string[] };
    expect(txn_hashes.length).toBeGreaterThan(0);
    for (const hash of txn_hashes) expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await node.balance(BOB, APT)) - before).toBe(1234n);
    // The account can be read now, which clients do before they send from it.
    expect((await fetch(`${node.url}/accounts/${BOB}`)).status).toBe(200);
  });

  it.each(["faucet", "indexer"] as const)("answers browsers that send credentials (%s)", async (name) => {
    const url = node.sdkConfig?.[name] ?? "";
    const origin = "https://dapp.example";
    const preflight = await fetch(`${url}/fund`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-aptos-client",
      },
    });
    const got = await fetch(url, { headers: { origin } });
    for (const { headers } of [preflight, got]) {
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-allow-credentials")).toBe("true");
      expect(headers.get("vary")).toContain("Origin");
    }
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type,x-aptos-client");
  });

  it("takes nothing that a page can send without asking first", async () => {
    const before = await node.balance(BOB, APT);
    const origin = "https://anywhere.example";
    const form = await fetch(`${node.faucetUrl}/mint?amount=77&address=${BOB}`, {
      method: "POST",
      headers: { origin },
    });
    const text = await fetch(`${node.faucetUrl}/fund`, {
      method: "POST",
      headers: { origin, "content-type": "text/plain" },
      body: JSON.stringify({ address: BOB, amount: 5 }),
    });
    expect([form.status, text.status]).toEqual([415, 415]);
    expect(await node.balance(BOB, APT)).toBe(before);
  });

  it("POST /mint takes a query and answers with the hashes", async () => {
    const before = await node.balance(BOB, APT);
    const response = await post(`${node.faucetUrl}/mint?amount=77&address=${BOB.slice(2)}`);
    expect(await response.json()).toHaveLength(1);
    expect((await node.balance(BOB, APT)) - before).toBe(77n);
  });

  it("funds many at once, each exactly", async () => {
    const owners = Array.from({ length: 20 }, (_, i) => `0xfee${i.toString(16)}`);
    const responses = await Promise.all(
      owners.map((address, i) => post(`${node.faucetUrl}/fund`, { address, amount: i + 1 })),
    );
    expect(responses.map(({ status }) => status)).toEqual(owners.map(() => 200));
    const balances = await Promise.all(owners.map((owner) => node.balance(owner, APT)));
    expect(balances).toEqual(owners.map((_, i) => BigInt(i + 1)));
  });

  it.each<[string, string, RequestInit, number, string]>([
    ["no address", "/fund", { method: "POST", body: "{}" }, 400, "address: expected an address in hex"],
    ["a bad address", "/fund", { method: "POST", body: '{"address":"0xzz"}' }, 400, "address: "],
    [
      "a negative amount",
      "/fund",
      { method: "POST", body: '{"address":"0x1","amount":-1}' },
      400,
      "amount: expected a whole number",
    ],
    [
      "half a coin",
      "/fund",
      { method: "POST", body: '{"address":"0x1","amount":0.5}' },
      400,
      "amount: expected a whole number",
    ],
    [
      "too much",
      "/mint?address=0x1&amount=100000000000000001",
      { method: "POST" },
      400,
      "amount: expected at most",
    ],
    ["no JSON", "/fund", { method: "POST", body: "{" }, 400, "the body is not JSON"],
    ["a list", "/fund", { method: "POST", body: "[]" }, 400, "expected a JSON object"],
    [
      "a large body",
      "/fund",
      { method: "POST", body: " ".repeat(70_000) },
      413,
      "expected a body of at most",
    ],
    ["GET", "/fund", {}, 405, "/fund takes POST, not GET"],
    [
      "another path",
      "/elsewhere",
      {},
      404,
      "here are GET /, POST /fund, POST /mint, POST /chain/NAME and GET /chain/spec.json",
    ],
  ])("refuses %s", async (_, path, init, status, message) => {
    const version = (await node.ledgerInfo()).ledger_version;
    const response = await fetch(`${node.faucetUrl}${path}`, init);
    expect(response.status).toBe(status);
    const body = (await response.json()) as { message: string; txn_hashes: string[] };
    expect(body.message).toContain(message);
    expect(body.txn_hashes).toEqual([]);
    expect((await node.ledgerInfo()).ledger_version).toBe(version);
  });

  it("says that it is well", async () => {
    expect(await (await fetch(`${node.faucetUrl}/`)).text()).toBe("tap:ok");
  });

  describe("bounds", () => {
    let faucet: SideServer | undefined;
    afterEach(() => faucet?.close());

    it("turns away a client that asks too often", async () => {
      let funded = 0;
      faucet = await listenForFunding({
        host: "127.0.0.1",
        port: 0,
        fund: async () => [`0x${funded++}`],
        unreadyReason: () => undefined,
        clock: () => 1000,
        logger: silentLogger,
      });
      const statuses: number[] = [];
      for (let i = 0; i < 103; i++)
        statuses.push((await post(`${faucet.url}/fund`, { address: "0x1" })).status);
      expect(funded).toBe(100);
      expect(statuses.slice(100)).toEqual([429, 429, 429]);
    });

    it("lets 200 changes wait at once, and takes back the places of clients that left", async () => {
      let held = 0;
      const hold = (_: object, signal: AbortSignal): Promise<object> =>
        new Promise((resolve) => {
          held++;
          signal.addEventListener("abort", () => {
            held--;
            resolve({});
          });
        });
      const switches = { hold, pass: async () => ({}) };
      const fund = async () => [];
      const unreadyReason = () => undefined;
      const options = { host: "127.0.0.1", port: 0, fund, unreadyReason, switches, logger: silentLogger };
      faucet = await listenForFunding(options);
      const left = new AbortController();
      const ask = (name: string): Promise<Response> =>
        fetch(`${faucet?.url}/chain/${name}`, {
          method: "POST",
          signal: name === "hold" ? left.signal : null,
        });
      const asked = Array.from({ length: 200 }, () => ask("hold").catch(() => undefined));
      await until(() => held === 200);
      const refused = await ask("pass");
      expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("200 at once")]);
      left.abort();
      await until(() => held === 0);
      await Promise.all(asked);
      expect((await ask("pass")).status).toBe(200);
    });

    it("says why it cannot mint", async () => {
      const fund = async () => [];
      const unreadyReason = () => "the node makes no blocks now";
      faucet = await listenForFunding({
        host: "127.0.0.1",
        port: 0,
        fund,
        unreadyReason,
        logger: silentLogger,
      });
      const response = await post(`${faucet.url}/fund`, { address: "0x1" });
      expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
        503,
        unreadyReason(),
      ]);
      expect((await fetch(faucet.url)).status).toBe(503);
    });
  });
});

describe("status", () => {
  // As the SDK 6.3.1 asks.
  const QUERY = `
    query getProcessorStatus($where_condition: processor_status_bool_exp) {
  processor_status(where: $where_condition) {
    last_success_version
    processor
    last_updated
  }
}
    `;
  const indexer = (): string => node.sdkConfig?.indexer ?? "";
  const ask = async (body: unknown) => (await post(indexer(), body)).json();
  const where = (name: string) => ({ where_condition: { processor: { _eq: name } } });

  it("answers with the node's own position", async () => {
    const { ledger_version, ledger_timestamp } = await node.mine();
    const last_updated = new Date(Number(BigInt(ledger_timestamp) / 1000n)).toISOString().slice(0, -1);
    const row = {
      last_success_version: Number(ledger_version),
      processor: "fungible_asset_processor",
      last_updated,
    };
    expect(await ask({ query: QUERY, variables: where("fungible_asset_processor") })).toEqual({
      data: { processor_status: [row] },
    });
    expect(await ask({ query: QUERY })).toEqual({ data: { processor_status: [row] } });
    expect(await ask({ query: "{ processor_status { processor } }" })).toEqual({
      data: { processor_status: [{ processor: "fungible_asset_processor" }] },
    });
  });

  it("answers the Go SDK's form of the question", async () => {
    const query =
      "query ($processor_name:String!){processor_status(where: {processor: {_eq: $processor_name}}){last_success_version}}";
    const version = Number((await node.ledgerInfo()).ledger_version);
    const of = (processor_name: string) => ask({ query, variables: { processor_name } });
    expect(await of("fungible_asset_processor")).toEqual({
      data: { processor_status: [{ last_success_version: version }] },
    });
    expect(await of("default_processor")).toEqual({ data: { processor_status: [] } });
  });

  it("claims nothing for processors that are not here", async () => {
    const literal = '{ processor_status(where: {processor: {_eq: "default_processor"}}) { processor } }';
    expect(await ask({ query: literal })).toEqual({ data: { processor_status: [] } });
    expect(await ask({ query: QUERY, variables: where("token_v2_processor") })).toEqual({
      data: { processor_status: [] },
    });
  });

  it.each<[string, unknown]>([
    ["another query", { query: "query q { current_fungible_asset_balances { amount } }" }],
    ["two questions", { query: "{ processor_status { processor } ledger_infos { chain_id } }" }],
    ["a limit", { query: "{ processor_status(limit: 0) { processor } }" }],
    ["an unknown field", { query: "{ processor_status { nothing } }" }],
    [
      "another condition",
      { query: QUERY, variables: { where_condition: { last_success_version: { _gt: 5 } } } },
    ],
    ["a field of every object", { query: "{ processor_status { constructor } }" }],
    ["white space without end", { query: `query${" ".repeat(60_000)}!` }],
    ["white space below the limit", { query: `query${" ".repeat(4000)}!` }],
    ["no query", {}],
    ["nothing", null],
  ])("says what is here: %s", async (_, body) => {
    const { data, errors } = (await ask(body)) as { data?: unknown; errors: { message: string }[] };
    expect(data).toBeUndefined();
    expect(errors[0]?.message).toMatch(/here is only|the only condition here/);
  });
});

describe("ports", () => {
  it("that are taken are told in one line each, and the node starts without them", async () => {
    const port = await freePort();
    const taken = [port, port + 9].map((one) => createServer().listen(one, "127.0.0.1"));
    await Promise.all(taken.map((server) => once(server, "listening")));
    const lines: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (fields, message) => lines.push(`${message} ${JSON.stringify(fields)}`),
    };
    const other = await createNode({
      http: { port: 0 },
      localChain: { faucetPort: port },
      logger,
    });
    try {
      expect(lines).toEqual([
        `the node starts without its faucet server {"port":${port},"reason":"the port is taken","option":"--faucet-port"}`,
        `the node starts without its status server {"port":${port + 9},"reason":"the port is taken","option":"--faucet-port"}`,
      ]);
      expect(other.faucetUrl).toBeUndefined();
      expect(other.sdkConfig).toEqual({ network: expect.stringMatching(/^sextant-/), fullnode: other.url });
      expect(other.sdkConfig?.network).not.toBe(node.sdkConfig?.network);
      await other.mine();
    } finally {
      await other.close();
      for (const server of taken) server.close();
    }
  });

  it("are closed with the node", async () => {
    const other = await createNode({ localChain: { faucetPort: 0 } });
    const url = other.faucetUrl ?? "";
    expect((await fetch(url)).status).toBe(200);
    await other.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  it("are for local chains", async () => {
    const plain = await createNode({ http: { port: 0 } });
    expect(plain.faucetUrl).toBeUndefined();
    await plain.close();
  });
});

describe("demo accounts", () => {
  it("have private keys in the info response, which are those of their addresses", async () => {
    const { Ed25519PrivateKey, Account } = await import("@aptos-labs/ts-sdk");
    const info = (await (await fetch(`${node.url}/info`)).json()) as {
      demo_accounts: Record<string, { address: string; private_key: string }>;
    };
    const accounts = Object.values(info.demo_accounts);
    expect(accounts).toHaveLength(9);
    for (const { address, private_key } of accounts) {
      const account = Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(private_key) });
      expect(account.accountAddress.toStringLong()).toBe(address);
    }
  });
});
