// Calls every operation of a node through openapi-fetch with the types that openapi-typescript generates, and prints the
// id of each. `npm run types` compiles it.
//   npx tsx scripts/clients/typescript.ts http://127.0.0.1:8080/v1
import createClient from "openapi-fetch";
import type { components, paths } from "../../.cache/api-types.ts";

const ADA = "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce";
const COIN = "0x1::aptos_coin::AptosCoin";
const PRICES = "0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815";
const KEY = "0x03415054";

type Schemas = components["schemas"];

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

interface Answered<T> {
  readonly data?: T;
  readonly error?: Schemas["Error"];
  readonly response: Response;
}

/** Returns the typed answer of an operation. */
async function check<T>(
  id: string,
  answering: Promise<Answered<T>>,
  isRight: (data: T) => boolean,
): Promise<T> {
  const { data, error, response } = await answering;
  if (data === undefined || !response.ok || !isRight(data)) {
    throw new Error(`${id}: ${response.status} ${JSON.stringify(error ?? data)}`);
  }
  console.log(id);
  return data;
}

const balancePath = { address: ADA, asset_type: COIN };
const binary = { headers: { accept: "application/x-bcs" }, parseAs: "arrayBuffer" } as const;
const isLong = (bytes: unknown): boolean => (bytes as ArrayBuffer).byteLength > 8;

const ledger = (await check(
  "get_ledger_info",
  client.GET("/", { params: { query: { min_ledger_version: "1", wait_ms: 1000 } } }),
  (data) => typeof data === "object",
)) as Schemas["LedgerInfo"];
const atVersion = { ledger_version: ledger.ledger_version };
const atTime = { at: new Date(Math.floor(Number(ledger.ledger_timestamp) / 1000)).toISOString() };
await check(
  "healthy",
  client.GET("/-/healthy", { params: { query: { duration_secs: 3600 } } }),
  (data) => data !== "",
);
await check("ready", client.GET("/-/ready"), (data) => data !== "");
await check("info", client.GET("/info"), ({ software }) => software === "sextant");

await check(
  "get_account_balance",
  client.GET("/accounts/{address}/balance/{asset_type}", {
    params: { path: balancePath, query: { ...atTime, min_ledger_version: "1", wait_ms: 0 } },
  }),
  (data) => typeof data === "number" && data > 0,
);
await check(
  "get_balance_detail",
  client.GET("/accounts/{address}/balance/{asset_type}/detail", {
    params: { path: balancePath, query: atVersion },
  }),
  ({ symbol, decimals }) => symbol === "APT" && decimals === 8,
);
await check(
  "get_balance_history",
  client.GET("/accounts/{address}/balance/{asset_type}/history", {
    params: { path: balancePath, query: { limit: 2 } },
  }),
  (data) => typeof data === "object" && data[0]?.after !== undefined,
);
const balances: Schemas["BalancesRequest"] = {
  queries: [
    { address: ADA, asset_type: COIN },
    { address: "?", asset_type: COIN },
  ],
  totals: true,
};
await check(
  "get_balances",
  client.POST("/balances", { params: { query: atTime }, body: balances }),
  (data) => typeof data === "object" && data.balances[1]?.error?.error_code === "web_framework_error",
);

const item = await check(
  "get_raw_table_item",
  client.POST("/tables/{table_handle}/raw_item", {
    params: { path: { table_handle: PRICES }, query: atVersion },
    body: { key: KEY },
  }),
  (data) => data.startsWith("0x"),
);
await check(
  "get_table_item",
  client.POST("/tables/{table_handle}/item", {
    params: { path: { table_handle: PRICES }, query: atVersion },
    body: { key_type: "0x1::string::String", value_type: "u64", key: "APT" },
  }),
  (data) => typeof data === "string" && /^\d+$/.test(data),
);
await check(
  "get_raw_table_items",
  client.POST("/tables/raw_items", {
    params: { query: atVersion },
    body: { queries: [{ table_handle: PRICES, key: KEY }] },
  }),
  (data) => typeof data === "object" && data.items[0]?.value === item,
);
await check(
  "get_holdings",
  client.GET("/accounts/{address}/balances", {
    params: { path: { address: ADA }, query: { limit: 2, ...atTime } },
  }),
  ([first]) => first?.balance !== undefined,
);
await check(
  "get_account",
  client.GET("/accounts/{address}", { params: { path: { address: ADA } } }),
  (data) => typeof data === "object" && /^\d+$/.test(data.sequence_number),
);
const ACCOUNT = "0x1::account::Account";
await check(
  "get_account_resource",
  client.GET("/accounts/{address}/resource/{resource_type}", {
    params: { path: { address: ADA, resource_type: ACCOUNT }, query: atVersion },
  }),
  (found) =>
    typeof found === "object" && found.type === ACCOUNT && typeof found.data.sequence_number === "string",
);
await check(
  "get_account_resources",
  client.GET("/accounts/{address}/resources", { params: { path: { address: ADA }, query: atVersion } }),
  (data) => typeof data === "object" && data.some(({ type }) => type === ACCOUNT),
);
await check(
  "get_account_module",
  client.GET("/accounts/{address}/module/{module_name}", {
    params: { path: { address: "0x1", module_name: "coin" } },
  }),
  (data) => typeof data === "object" && data.abi.exposed_functions.some(({ name }) => name === "balance"),
);
await check(
  "get_account_modules",
  client.GET("/accounts/{address}/modules", { params: { path: { address: "0x1" } } }),
  (data) => typeof data === "object" && data.some(({ abi }) => abi.name === "coin"),
);
const table = { path: { table_handle: PRICES }, query: atVersion };
await check(
  "get_table_items",
  client.GET("/tables/{table_handle}/items", { params: table }),
  (data) => typeof data === "object" && data.some(({ key, value }) => key === KEY && value === item),
);
await check(
  "count_table_items",
  client.GET("/tables/{table_handle}/items/count", { params: table }),
  ({ count, is_complete }) => Number(count) > 0 && is_complete,
);
const stateKey = `0x01${PRICES.slice(2)}04${KEY.slice(2)}`;
await check(
  "get_raw_state_value",
  client.POST("/experimental/state_values/raw", { body: { key: stateKey }, ...binary }),
  isLong,
);
await check(
  "get_transactions",
  client.GET("/transactions", { params: { query: { limit: 1 } }, ...binary }),
  isLong,
);
const [committed] = await check(
  "get_transactions",
  client.GET("/transactions", { params: { query: { start: "1", limit: 1 } } }),
  (page) => Array.isArray(page) && page.length === 1,
);
if (committed === undefined || typeof committed === "string") throw new Error("no transaction");
const { hash: txn_hash } = committed;
await check(
  "get_transaction_by_version",
  client.GET("/transactions/by_version/{txn_version}", {
    params: { path: { txn_version: committed.version } },
  }),
  (data) => typeof data === "object" && data.hash === txn_hash,
);
await check(
  "get_transaction_by_hash",
  client.GET("/transactions/by_hash/{txn_hash}", { params: { path: { txn_hash } } }),
  (data) => typeof data === "object" && data.type !== "pending_transaction" && data.version === "1",
);
await check(
  "wait_transaction_by_hash",
  client.GET("/transactions/wait_by_hash/{txn_hash}", { params: { path: { txn_hash } } }),
  (data) => typeof data === "object" && data.hash === txn_hash,
);
await check(
  "prove_account_balance",
  client.GET("/accounts/{address}/balance/{asset_type}/proof", { params: { path: balancePath } }),
  (data) => typeof data === "object",
);
await check(
  "prove_balances",
  client.POST("/balances/proof", {
    params: { query: { authentication_keys: true } },
    body: { queries: [balancePath] },
  }),
  (data) => typeof data === "object",
);
await check(
  "prove_account_resource",
  client.GET("/accounts/{address}/resource/{resource_type}/proof", {
    params: { path: { address: "0x1", resource_type: "0x1::chain_id::ChainId" } },
  }),
  (data) => typeof data === "object",
);
await check(
  "prove_account_module",
  client.GET("/accounts/{address}/module/{module_name}/proof", {
    params: { path: { address: "0x1", module_name: "coin" } },
  }),
  (data) => typeof data === "object",
);
await check(
  "prove_transaction_by_version",
  client.GET("/transactions/by_version/{txn_version}/proof", { params: { path: { txn_version: "1" } } }),
  (data) => typeof data === "object",
);
await check(
  "prove_transaction_by_hash",
  client.GET("/transactions/by_hash/{txn_hash}/proof", { params: { path: { txn_hash } } }),
  (data) => typeof data === "object",
);
await check(
  "prove_event",
  client.GET("/transactions/by_version/{txn_version}/events/{event_index}/proof", {
    params: { path: { txn_version: "1", event_index: "0" } },
  }),
  (data) => typeof data === "object",
);
await check(
  "prove_raw_table_item",
  client.POST("/tables/{table_handle}/raw_item/proof", {
    params: { path: { table_handle: PRICES } },
    body: { key: KEY },
  }),
  (data) => typeof data === "object",
);
await check(
  "get_account_transactions",
  client.GET("/accounts/{address}/transactions", {
    params: { path: { address: ADA }, query: { start: "0", limit: 2 } },
  }),
  (page) => Array.isArray(page),
);
await check(
  "get_account_transaction_summaries",
  client.GET("/accounts/{address}/transaction_summaries", {
    params: { path: { address: ADA }, query: { limit: 2 } },
  }),
  (page) => Array.isArray(page) && page.length > 0,
);
await check(
  "get_events_by_creation_number",
  client.GET("/accounts/{address}/events/{creation_number}", {
    params: { path: { address: "0x1", creation_number: "3" }, query: { limit: 2 } },
  }),
  (page) => Array.isArray(page) && page.length === 2,
);
await check(
  "get_events_by_event_handle",
  client.GET("/accounts/{address}/events/{event_handle}/{field_name}", {
    params: {
      path: { address: "0x1", event_handle: "0x1::block::BlockResource", field_name: "new_block_events" },
    },
  }),
  (page) => Array.isArray(page) && page.length > 0,
);
await check(
  "get_transactions_auxiliary_info",
  client.GET("/transactions/auxiliary_info", { params: { query: { start_version: "0", limit: 2 } } }),
  (page) => Array.isArray(page) && page.length === 2,
);
const byHeight = await check(
  "get_block_by_height",
  client.GET("/blocks/by_height/{block_height}", {
    params: { path: { block_height: "1" }, query: { with_transactions: true } },
  }),
  (data) => typeof data === "object" && (data.transactions?.length ?? 0) > 0,
);
await check(
  "get_block_by_version",
  client.GET("/blocks/by_version/{version}", { params: { path: { version: "1" } } }),
  (data) =>
    typeof data === "object" && typeof byHeight === "object" && data.block_hash === byHeight.block_hash,
);
await check(
  "estimate_gas_price",
  client.GET("/estimate_gas_price"),
  (data) => typeof data === "object" && data.gas_estimate >= 100,
);

await check(
  "view",
  client.POST("/view", {
    body: { function: "0x1::coin::balance", type_arguments: [COIN], arguments: [ADA] },
  }),
  (data) => typeof data === "object" && data.length === 1,
);
const request: Schemas["EncodeSubmissionRequest"] = {
  sender: ADA,
  sequence_number: "0",
  max_gas_amount: "2000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "32425224034",
  payload: {
    type: "entry_function_payload",
    function: "0x1::aptos_account::transfer",
    type_arguments: [],
    arguments: ["0x1234", "5"],
  },
};
const message = await check(
  "encode_submission",
  client.POST("/transactions/encode_submission", { body: request }),
  (data) => data.startsWith("0xb5e97db0"),
);
await check(
  "explain_submission",
  client.POST("/transactions/explain_submission", { body: { type: "signing_message", message } }),
  ({ payload }) =>
    payload.type === "entry_function_payload" && payload.function === "0x1::aptos_account::transfer",
);

await check(
  "explain_submission",
  client.POST("/transactions/explain_submission", { body: { type: "encode_request", ...request } }),
  ({ bytes }) => bytes === message,
);

const [transfer, inBatch] = JSON.parse(process.argv[3] ?? "[]") as Schemas["SubmitTransactionRequest"][];
if (transfer === undefined || inBatch === undefined) throw new Error("expected two signed transactions");
const { signature } = transfer;
if (signature.type !== "ed25519_signature") throw new Error(`expected one signature, got ${signature.type}`);
await check(
  "simulate_transaction",
  client.POST("/transactions/simulate", {
    body: { ...transfer, signature: { ...signature, signature: `0x${"00".repeat(64)}` } },
  }),
  (data) => Array.isArray(data) && data.length === 1,
);
await check(
  "trace_transaction",
  client.POST("/transactions/trace", {
    body: { ...transfer, signature: { ...signature, signature: `0x${"00".repeat(64)}` } },
  }),
  ({ success }) => success,
);
await check(
  "trace_by_version",
  client.GET("/transactions/by_version/{txn_version}/trace", { params: { path: { txn_version: "1" } } }),
  ({ version }) => version === "1",
);
await check(
  "submit_transaction",
  client.POST("/transactions", { body: transfer }),
  (data) => typeof data === "object" && data.hash.startsWith("0x"),
);
await check(
  "submit_batch_transactions",
  client.POST("/transactions/batch", { body: [inBatch] }),
  ({ transaction_failures }) => transaction_failures.length === 0,
);

/** The data of the first event of a kind. Closes the stream, which has no end. */
async function firstEvent(body: ReadableStream<Uint8Array> | null, kind: string): Promise<unknown> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const [, data] = new RegExp(`^event: ${kind}\\ndata: (.*)\\n`, "m").exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data);
  }
  throw new Error(`no event ${kind} in ${text}`);
}

const changes = await check(
  "stream_balance",
  client.GET("/accounts/{address}/balance/{asset_type}/stream", {
    params: { path: balancePath, query: { after: "1" } },
    parseAs: "stream",
  }),
  (body) => body !== null,
);
const change = (await firstEvent(changes, "balance")) as Schemas["BalanceEvent"];
if (change.before === undefined || change.before === change.balance) throw new Error(JSON.stringify(change));
const blocks = await check(
  "stream_blocks",
  client.GET("/blocks/stream", { parseAs: "stream" }),
  (body) => body !== null,
);
const block = (await firstEvent(blocks, "block")) as Schemas["BlockEvent"];
if (!/^\d+$/.test(block.height)) throw new Error(JSON.stringify(block));
for (const [id, path] of [
  ["stream_transactions", "/transactions/stream"],
  ["stream_events", "/events/stream"],
] as const) {
  const records = await check(id, client.GET(path, { parseAs: "stream" }), (body) => body !== null);
  const start = (await firstEvent(records, "start")) as Schemas["StartEvent"];
  if (!/^\d+$/.test(start.version)) throw new Error(JSON.stringify(start));
}

const watched = await check(
  "watch_list",
  client.POST("/watch", { body: { accounts: [ADA], assets: [COIN] }, parseAs: "stream" }),
  (body) => body !== null,
);
const watchedFrom = (await firstEvent(watched, "start")) as Schemas["StartEvent"];
if (!/^\d+$/.test(watchedFrom.version)) throw new Error(JSON.stringify(watchedFrom));

await check("spec_page", client.GET("/spec", { parseAs: "text" }), (data) => data.includes("<html"));
await check("spec_json", client.GET("/spec.json"), ({ openapi }) => openapi === "3.0.3");
await check("spec_yaml", client.GET("/spec.yaml", { parseAs: "text" }), (data) =>
  String(data).includes("openapi: 3.0.3"),
);

const { error } = await client.POST("/tables/{table_handle}/raw_item", {
  params: { path: { table_handle: PRICES } },
  body: { key: "0x00" },
});
if (error?.error_code !== "table_item_not_found") throw new Error("the error of an absent item has no type");
