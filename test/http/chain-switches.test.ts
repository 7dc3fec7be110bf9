// What an author of tests does with a local chain, over HTTP at the faucet's port.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it, onTestFinished } from "vitest";
import { createSwitches } from "../../src/node/api/author-switches.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";

async function startNode(options: NodeOptions = {}): Promise<Node> {
  const localChain = { faucetPort: 0, traffic: false, seed: "switches" };
  const node = await createNode({ localChain, ...options });
  onTestFinished(() => node.close());
  return node;
}

async function change(
  node: Node,
  name: string,
  body: object = {},
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await fetch(`${node.faucetUrl}/chain/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it("changes balances, time and tables, calls as any account, and goes back", async () => {
  const node = await startNode();
  const anna = node.guide()?.accounts[0]?.address ?? "";
  const table = node.guide()?.tables[0];
  expect(
    await change(node, "set_balance", { address: "0xb0b", asset_type: APT, amount: "700" }),
  ).toMatchObject({
    status: 200,
    body: { version: expect.stringMatching(/^\d+$/), hash: expect.stringMatching(/^0x/) },
  });
  const { body: kept } = await change(node, "snapshot");
  const { ledger_version: before } = await node.ledgerInfo();
  expect(kept).toMatchObject({ version: `${before}` });
  const transfer = { function: "0x1::aptos_account::transfer", arguments: ["0xb0b", "300"] };
  const { body: called } = await change(node, "impersonate", { address: anna, ...transfer });
  expect(called).toMatchObject({ success: true, vm_status: "Executed successfully" });
  expect(await node.balance("0xb0b", APT)).toBe(1000n);
  const handle = table?.handle ?? "";
  expect(
    (await change(node, "put_table_item", { table_handle: handle, key: "0x0102", value: "0x03" })).status,
  ).toBe(200);
  expect(Buffer.from((await node.rawItem(handle, "0x0102")) ?? []).toString("hex")).toBe("03");
  expect(
    (await change(node, "put_table_item", { table_handle: handle, key: "0x0102", value: null })).status,
  ).toBe(200);
  const { body: mined } = await change(node, "mine", { blocks: 3 });
  const { body: later } = await change(node, "advance_time", { ms: 60_000 });
  expect(BigInt(`${later.ledger_timestamp}`) - BigInt(`${mined.ledger_timestamp}`)).toBe(60_000_000n);
  const { body: set } = await change(node, "set_time", { time: "2100-01-01T00:00:00Z" });
  expect(set.ledger_timestamp).toBe(`${Date.parse("2100-01-01T00:00:00Z")}000`);
  expect(await change(node, "revert", { snapshot: kept.snapshot })).toMatchObject({
    status: 200,
    body: { ledger_version: `${before}` },
  });
  expect(await node.balance("0xb0b", APT)).toBe(700n);
});

const COIN_STORE = `0x1::coin::CoinStore<${APT}>`;

it("sets resources and table items by the JSON of their types, and by BCS", async () => {
  const node = await startNode({ http: { port: 0 } });
  const { body: kept } = await change(node, "snapshot");
  const anna = node.guide()?.accounts.find(({ name }) => name === "anna")?.address ?? "";
  const before = await node.resource(anna, COIN_STORE);
  const data = { ...(before?.data as object), coin: { value: "77" } };
  expect(await change(node, "set_resource", { address: anna, type: COIN_STORE, data })).toMatchObject({
    status: 200,
    body: { version: expect.stringMatching(/^\d+$/), hash: expect.stringMatching(/^0x/) },
  });
  expect(await node.balance(anna, APT)).toBe(77n);
  // A member of a group leaves the other members as they are.
  const store = { type: "0x1::fungible_asset::FungibleStore", address: "0xf00d" };
  const fungible = { metadata: { inner: "0xa" }, balance: "5", frozen: true };
  await change(node, "set_resource", { ...store, data: fungible });
  const core = { type: "0x1::object::ObjectCore", address: "0xf00d" };
  const bcs = `0x${"07".padEnd(16, "0")}${"0b".padStart(64, "0")}01${"00".repeat(8)}${"0d".padStart(64, "0")}${"03".padEnd(16, "0")}`;
  expect((await change(node, "set_resource", { ...core, data: bcs })).status).toBe(200);
  expect((await node.resource("0xf00d", core.type))?.data).toMatchObject({ owner: "0xb" });
  expect((await node.resource("0xf00d", store.type))?.data).toMatchObject({ balance: "5", frozen: true });
  expect((await change(node, "set_resource", { ...core, data: null })).status).toBe(200);
  expect(await node.resource("0xf00d", core.type)).toBeUndefined();
  expect((await node.resource("0xf00d", store.type))?.data).toMatchObject({ balance: "5" });

  const handle = node.guide()?.tables.find(({ name }) => name === "prices")?.handle ?? "";
  const types = { key_type: "0x1::string::String", value_type: "u64" };
  const price = { keyType: types.key_type, valueType: types.value_type, key: "ZINC" };
  const item = { table_handle: handle, ...types, key: "ZINC" };
  expect((await change(node, "put_table_item", { ...item, value: "9" })).status).toBe(200);
  expect(await node.tableItem(handle, price)).toBe("9");
  await node.putTableItem(handle, "ZINC", 10n, { keyType: price.keyType, valueType: price.valueType });
  expect(await node.tableItem(handle, price)).toBe("10");
  expect((await change(node, "put_table_item", { ...item, value: null })).status).toBe(200);
  expect(await node.tableItem(handle, price)).toBeUndefined();

  const { genesis_waypoint, waypoint, ledger_version } = await node.info();
  const follower = await createNode({
    follow: { upstreams: [node.url ?? ""], upstreamRate: 0, pollTimeMs: 5 },
    waypoint: `${genesis_waypoint}`,
  });
  onTestFinished(() => follower.close());
  await until(async () => (await follower.ledgerInfo().catch(() => undefined)) !== undefined);
  await follower.ledgerInfo({ minLedgerVersion: BigInt(`${ledger_version}`), waitMs: 30_000 });
  expect((await follower.info()).waypoint).toEqual(waypoint);
  expect(await follower.balance(anna, APT)).toBe(77n);
  await expect(follower.setResource(anna, COIN_STORE, undefined)).rejects.toThrow("makes no blocks");

  await change(node, "revert", kept);
  expect(await node.resource(anna, COIN_STORE)).toEqual(before);
});

it.each([
  [
    "set_resource",
    { address: "0xb0b", type: COIN_STORE, data: { coin: { value: "1" } } },
    "data: the field frozen is missing",
  ],
  ["set_resource", { address: "0xb0b", type: COIN_STORE, data: "0x01" }, "data: expected a 0x1::coin::Coin"],
  ["set_resource", { address: "0xb0b", type: COIN_STORE }, "data: it is missing"],
  ["set_resource", { address: "0xb0b", type: "u64", data: {} }, "type: expected a struct, got u64"],
  ["set_resource", { address: "0xb0b", type: "0x1::no::No", data: {} }, "this ledger has no such type"],
  ["set_resource", { address: "0xb0b", type: "0x1::coin::Coin<u8>", data: {} }, "it has no ability key"],
  [
    "put_table_item",
    { table_handle: "0x1", key_type: "u64", value_type: "bool", key: "1", value: 1 },
    "value: expected",
  ],
  ["put_table_item", { table_handle: "0x1", key_type: "u64", key: "1", value: true }, "valueType: expected"],
  ["set_balance", { address: "0xb0b", asset_type: APT, amount: 7 }, "amount: expected digits"],
  ["set_balance", { asset_type: APT, amount: "7" }, "address: it is missing"],
  [
    "set_balance",
    { address: "0xb0b", asset: APT, amount: "7" },
    "asset: unknown; set_balance takes address, asset_type, amount",
  ],
  ["impersonate", { address: "0xb0b" }, "function: it is missing"],
  [
    "impersonate",
    { address: "0xb0b", function: "0x1::a::b", args: [] },
    "args: unknown; impersonate takes address, function,",
  ],
  ["mine", { blocks: 0 }, "blocks: expected a whole number"],
  ["mine", { blocks: "3" }, "got a value of type string"],
  ["snapshot", { name: "a" }, "name: unknown; snapshot takes nothing"],
  ["mine", { count: 3 }, "count: unknown; mine takes blocks"],
  ["set_time", { time: true }, "time: expected a Date"],
  ["publish", { bytecode: "/etc" }, "bytecode: expected hex"],
  ["publish", { bytecode: "0x0102" }, "bytecode: expected that of a module"],
  ["revert", { snapshot: "7" }, "snapshot: expected one that this node made"],
])("%s with %j is refused", async (name, body, reason) => {
  const node = await startNode();
  const refused = await change(node, name, body);
  const body400 = { message: expect.stringContaining(reason), error_code: "InvalidRequest" };
  expect(refused).toMatchObject({ status: 400, body: body400 });
});

it("is only for this machine: not on other addresses, not for pages of other origins", async () => {
  const node = await startNode();
  expect(await change(node, "fly")).toMatchObject({ status: 404 });
  expect(await change(node, "mine", {}, { origin: "http://localhost:3000" })).toMatchObject({ status: 200 });
  for (const origin of ["https://example.com", "null"])
    expect(await change(node, "mine", {}, { origin })).toMatchObject({ status: 403 });
  const form = { "content-type": "text/plain", origin: "http://localhost:3000" };
  expect(await change(node, "mine", {}, form)).toMatchObject({ status: 415 });
  const open = await startNode({ http: { port: 0, host: "0.0.0.0" } });
  expect(await change(open, "mine")).toMatchObject({ status: 403 });
});

it("refuses with the reason what no chain does", async () => {
  const node = await startNode();
  const anna = node.guide()?.accounts[0]?.address ?? "";
  const call = { address: anna, function: "0x1::aptos_account::transfer" };
  let nested: unknown = 1;
  for (let depth = 0; depth < 4000; depth++) nested = [nested];
  for (const [name, body, message] of [
    ["revert", { snapshot: nested }, "nested deeper than 127"],
    ["set_resource", { address: anna, type: "0x1::a::B", data: Array(50_000).fill(1) }, "too many values"],
    ["set_balance", { address: anna, asset_type: "a".repeat(20_000), amount: "1" }, "asset_type: expected"],
  ] as const) {
    const refused = await change(node, name, body);
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
  }
  for (const given of ["x", [nested]]) {
    const refused = await change(node, "impersonate", { ...call, arguments: given });
    expect(refused).toMatchObject({ status: 400, body: { error_code: "InvalidRequest" } });
  }
  // The chain itself refuses this one: it has no native for it.
  expect(
    await change(node, "impersonate", {
      ...call,
      function: "0x1::coin::migrate_to_fungible_store",
      type_arguments: [APT],
    }),
  ).toMatchObject({
    status: 400,
    body: { error_code: "TransactionFailed" },
  });
  const century = { ms: 3_162_240_000_000 };
  const answers: number[] = [];
  for (let i = 0; i < 81; i++) answers.push((await change(node, "advance_time", century)).status);
  expect([answers[0], answers.at(-1)]).toEqual([200, 400]);
  expect((await change(node, "mine")).status).toBe(200);
});

it("publishes no folder with pipes, huge files or names that are no names", async () => {
  const node = await startNode();
  const folder = temporaryFolder();
  execFileSync("mkfifo", [join(folder, "package-metadata.bcs")]);
  await expect(node.publish(folder)).rejects.toThrow("expected a file of at most");
  rmSync(join(folder, "package-metadata.bcs"));
  writeFileSync(join(folder, "package-metadata.bcs"), Buffer.alloc(2 ** 21 + 1));
  await expect(node.publish(folder)).rejects.toThrow("expected a file of at most");
  const metadataOf = (name: string): Uint8Array =>
    Buffer.concat([
      // Name, upgrade policy and number, digest, manifest; one module with empty sources and no extension; dependencies.
      Buffer.from([1, 0x61, 0, ...Array<number>(8).fill(0), 0, 0, 1, name.length]),
      Buffer.from(name),
      Buffer.from([0, 0, 0, 0, 0]),
    ]);
  writeFileSync(join(folder, "package-metadata.bcs"), metadataOf("../../outside"));
  await expect(node.publish(folder)).rejects.toThrow("modules with names of Move");
  // A file that does not decode is named.
  writeFileSync(join(folder, "package-metadata.bcs"), metadataOf("m").subarray(0, 9));
  await expect(node.publish(folder)).rejects.toThrow("package-metadata.bcs: needs");
  writeFileSync(join(folder, "package-metadata.bcs"), metadataOf("m"));
  mkdirSync(join(folder, "bytecode_modules"));
  writeFileSync(join(folder, "bytecode_modules", "m.mv"), "no module");
  await expect(node.publish(folder)).rejects.toThrow("m.mv: bytecode: expected that of a module");
});

it("dumps its ledger, and another chain of the same seed loads it: state, index, history, proofs and clock", async () => {
  const options = { http: { port: 0 }, proofWindow: "1d" } as const;
  const node = await startNode(options);
  await change(node, "set_balance", { address: "0xb0b", asset_type: APT, amount: "700" });
  // Two epochs, so that proofs need the signatures of their ends.
  for (let i = 0; i < 2; i++) await change(node, "advance_time", { ms: 3_600_000 });
  await change(node, "mine", { blocks: 2 });
  const dump = async (from: Node): Promise<Buffer> => {
    const response = await fetch(`${from.faucetUrl}/chain/dump_state`, { method: "POST" });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "application/octet-stream",
    ]);
    return Buffer.from(await response.arrayBuffer());
  };
  const state = await dump(node);

  const other = await startNode(options);
  await change(other, "mine", { blocks: 1 });
  const { ledger_version: head } = await node.ledgerInfo();
  const waiting = other.balance("0xb0b", APT, { minLedgerVersion: head, waitMs: 30_000 });
  const load = (bytes: Uint8Array) =>
    fetch(`${other.faucetUrl}/chain/load_state`, { method: "POST", body: new Uint8Array(bytes) });
  // A change of any byte is found, and nothing happens.
  const before = await other.info();
  for (const at of [state.length - 40, state.length - 2000]) {
    const changed = Buffer.from(state);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const refused = await load(changed);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('"state: ')]);
  }
  expect((await load(state.subarray(0, -1))).status).toBe(400);
  expect((await other.info()).waypoint).toEqual(before.waypoint);

  const loaded = await load(state);
  expect([loaded.status, await loaded.json()]).toMatchObject([200, { ledger_version: `${head}` }]);
  expect(await waiting).toBe(700n);
  expect((await other.info()).waypoint).toEqual((await node.info()).waypoint);
  expect(await dump(other)).toEqual(state);
  const resourcesOf = async (chain: Node): Promise<object[]> => {
    const found: object[] = [];
    for await (const one of chain.resources("0xb0b")) found.push(one);
    return found;
  };
  expect((await resourcesOf(other)).length).toBeGreaterThan(0);
  expect(await resourcesOf(other)).toEqual(await resourcesOf(node));
  // Also at the first change, with the signatures of all epochs.
  for (const ledgerVersion of [head, 4n]) {
    const proof = { fromWaypoint: `${(await node.info()).genesis_waypoint}`, ledgerVersion };
    expect(await other.proveBalance("0xb0b", APT, proof)).toEqual(
      await node.proveBalance("0xb0b", APT, proof),
    );
  }
  // Both go on alike.
  for (const chain of [node, other]) await change(chain, "mine", { blocks: 3 });
  expect((await other.info()).waypoint).toEqual((await node.info()).waypoint);

  const third = await startNode({ localChain: { faucetPort: 0, seed: "another" } });
  await expect(third.loadState(state)).rejects.toThrow("state: it begins with another genesis");
  await expect(third.loadState("0x" as never)).rejects.toThrow("state: expected bytes");
  const kept = await startNode({ store: { engine: "lmdb", path: temporaryFolder() } });
  expect((await kept.dumpState()).length).toBeGreaterThan(1000);
  await expect(kept.loadState(state)).rejects.toThrow("keeps its ledger in memory");
});

interface Content {
  readonly content: Record<string, { readonly schema: { readonly required: string[]; $ref?: string } }>;
}

it("serves a document of its switches, which take and answer what it says", async () => {
  const node = await startNode();
  const served = (await (await fetch(`${node.faucetUrl}/chain/spec.json`)).json()) as {
    readonly paths: Record<string, { post: { requestBody?: Content; responses: Record<200, Content> } }>;
    readonly components: { readonly schemas: { readonly LedgerHead: { readonly required: string[] } } };
  };
  expect(await new Validator().validate({ ...served })).toEqual({ valid: true });
  const { paths, components } = served;
  expect(Object.keys(paths).sort()).toEqual(
    Object.keys(createSwitches(node))
      .map((name) => `/chain/${name}`)
      .sort(),
  );
  const membersOf = (of: Content | undefined): string[] => {
    const schema = of?.content["application/json"]?.schema;
    return (schema?.$ref === undefined ? schema?.required : components.schemas.LedgerHead.required) ?? [];
  };
  const anna = node.guide()?.accounts[0]?.address;
  for (const [name, body] of [
    ["set_balance", { address: "0xb0b", asset_type: APT, amount: "7" }],
    ["impersonate", { address: anna, function: "0x1::aptos_account::transfer" }],
    ["set_resource", { address: "0xb0b", type: COIN_STORE, data: null }],
    ["put_table_item", { table_handle: "0x7", key: "0x01", value: null }],
    ["advance_time", { ms: 5 }],
    ["snapshot", {}],
    ["revert", { snapshot: "1" }],
  ] as const) {
    const { requestBody, responses } = paths[`/chain/${name}`]?.post ?? {};
    expect(membersOf(requestBody)).toEqual(Object.keys(body));
    const given = name === "impersonate" ? { ...body, arguments: ["0xb0b", "1"] } : body;
    const answer = await change(node, name, given);
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([
      200,
      membersOf(responses?.[200]).sort(),
    ]);
  }
});

async function height(node: Node): Promise<bigint> {
  return (await node.ledgerInfo()).block_height;
}

/** Resolves when nobody else makes blocks. */
async function untilStill(node: Node): Promise<void> {
  await until(async () => {
    const before = await height(node);
    await node.mine(5);
    return (await height(node)) === before + 5n;
  });
}

it("mines no further when the client leaves, or the chain goes back", async () => {
  const node = await startNode();
  const { body: kept } = await change(node, "snapshot");
  const left = new AbortController();
  const first = change(node, "mine", { blocks: 100_000 }, {}, left.signal);
  await until(async () => (await height(node)) > 3n);
  left.abort();
  await expect(first).rejects.toThrow();
  await untilStill(node);
  const before = await height(node);
  const second = change(node, "mine", { blocks: 100_000 });
  await until(async () => (await height(node)) > before + 3n);
  expect((await change(node, "revert", kept)).status).toBe(200);
  expect(await second).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/goes back to a snapshot after \d+ of 100000$/) },
  });
  await untilStill(node);
  expect(await height(node)).toBeLessThan(before);
});

it("keeps the last hundred snapshots, and at most a number of bytes", async () => {
  const node = await startNode();
  for (let i = 0; i < 101; i++) await change(node, "snapshot");
  expect(await change(node, "revert", { snapshot: "1" })).toMatchObject({
    status: 400,
    body: { message: "snapshot: 1 is forgotten: a node keeps the last 100, and at most 256 MiB of them" },
  });
  expect((await change(node, "revert", { snapshot: "2" })).status).toBe(200);
  const { snapshot, revert, put_table_item: put } = createSwitches(node, 8);
  const { signal } = new AbortController();
  const table = { table_handle: node.guide()?.tables[0]?.handle, value: `0x${"ab".repeat(1 << 20)}` };
  for (let i = 10; i < 20; i++) {
    await put({ ...table, key: `0x${i}` }, signal);
    await snapshot({}, signal);
  }
  await expect(revert({ snapshot: "1" }, signal)).rejects.toThrow("at most 8 MiB");
  await revert({ snapshot: "9" }, signal);
  await revert({ snapshot: "10" }, signal);
});
