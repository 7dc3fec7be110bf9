// For every operation the requests that cost most within its limits.
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { createKeypair, type Keypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { addressFromBytes } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import {
  COLLECTOR,
  GROUPED,
  HEAVY_ITEMS,
  HEAVY_TABLE,
  HEAVY_TYPES,
  HOLDER,
  heavyKey,
  heavyType,
} from "./heavy-ledger.ts";
import type { MeterRequest } from "./loop-meter.ts";
import { signCall } from "./submitter.ts";

/** A request with what it is. */
export interface HeavyRequest extends MeterRequest {
  /** Id of the operation. */
  readonly operation: string;
  readonly what: string;
}

/** Variants that cost less than their like. */
const RARE =
  /in brotli|in BCS|blanks|line feeds|known name|escapes|wide|UTF-8|Blob|Nested|Numbers|Texts|an event and|many resources|(numbers|deep lists|members|matrix|many texts|script|byte string).*8388508/;

/** The requests without those that cost less than their like. */
export function usualRequests(requests: readonly HeavyRequest[]): readonly HeavyRequest[] {
  return requests.filter(({ what }) => !RARE.test(what));
}

const MIB = 1 << 20;
const KIB = 1 << 10;
const JSON_TYPE = { "content-type": "application/json" };
const BCS = { accept: "application/x-bcs" };
const COIN = "0x1::aptos_coin::AptosCoin";
const ADDRESS = `0x${"ab".repeat(32)}`;

type MakeBody = () => string | Uint8Array;

function post(path: string, body: MakeBody, headers: Readonly<Record<string, string>> = {}) {
  return { method: "POST", path, body, headers: { ...JSON_TYPE, ...headers } } as const;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  return { method: "GET", path, headers } as const;
}

/** `unit` as often as it fits. */
function filled(bytes: number, open: string, unit: string, close: string): string {
  const room = bytes - Buffer.byteLength(open) - Buffer.byteLength(close);
  return open + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + close;
}

/** Texts that cost a parser most, whatever they are for. */
function heavyTexts(bytes: number): readonly (readonly [what: string, body: MakeBody])[] {
  const deep = `${"[".repeat(120)}${"]".repeat(120)},`;
  const invalid = (): Uint8Array => {
    const text = Buffer.from(filled(bytes, '{"key":"', "é", '"}'));
    text[text.length - 3] = 0xff;
    return text;
  };
  return [
    ["blanks", () => filled(bytes, "", " ", "{}")],
    ["line feeds and no end", () => filled(bytes, "[", "\n", "")],
    ["numbers", () => filled(bytes, "[", "0,", "0]")],
    ["deep lists", () => filled(bytes, "[", deep, "0]")],
    ["members of one name", () => filled(bytes, "{", '"a":0,', '"a":0}')],
    ["members of the known name", () => filled(bytes, "{", '"key":"",', '"key":"0x00"}')],
    ["a long text", () => filled(bytes, '{"key":"0x', "ab", '"}')],
    ["a long text of escapes", () => filled(bytes, '{"key":"', "\\u0030", '"}')],
    ["a long text of wide characters", () => filled(bytes, '{"key":"', "é", '"}')],
    ["bytes that are not UTF-8", invalid],
  ];
}

function withTexts(
  operation: string,
  path: string,
  bytes: number,
  headers: Readonly<Record<string, string>> = {},
): HeavyRequest[] {
  return heavyTexts(bytes).map(([what, body]) => ({
    operation,
    what: `${what}, ${bytes} bytes`,
    ...post(path, body, headers),
  }));
}

const FIELDS = {
  sender: "0x1",
  sequence_number: "0",
  max_gas_amount: "2000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "4000000000",
};

function call(name: string, args: string, more: string = ""): string {
  return `${JSON.stringify(FIELDS).slice(0, -1)},"payload":{"type":"entry_function_payload","function":"${name}","type_arguments":[],"arguments":[${args}]}${more}}`;
}

const SIGNATURE = `,"signature":{"type":"ed25519_signature","public_key":"0x${"00".repeat(32)}","signature":"0x${"00".repeat(64)}"}`;

/** Transactions in JSON of about a size. */
function heavyCalls(
  demo: string,
  bytes: number,
  more = "",
): readonly (readonly [what: string, body: () => string])[] {
  const room = bytes - 1000 - more.length;
  const many = Math.floor(room / 11);
  const listOf = (item: string): string => `[${Array(many).fill(item).join(",")}]`;
  return [
    [
      "a list of recipients",
      () => call("0x1::aptos_account::batch_transfer", `${listOf('"0x2"')},${listOf('"1"')}`, more),
    ],
    ["a long byte string", () => call(`${demo}::demo::take_bytes`, filled(room, '"0x', "ab", '"'), more)],
    [
      "a matrix of empty rows",
      () => call(`${demo}::demo::take_matrix`, filled(room, "[", "[],", "[]]"), more),
    ],
    ["a long text", () => call(`${demo}::demo::take_string`, filled(room, '"', "é", '"'), more)],
    ["a text of escapes", () => call(`${demo}::demo::take_string`, filled(room, '"', "\\u00e9", '"'), more)],
    ["many texts", () => call(`${demo}::demo::take_strings`, filled(room, "[", '"",', '""]'), more)],
    [
      "members of one name",
      () => `{${'"a":0,'.repeat(Math.floor(room / 6))}${call("0x1::a::b", "", more).slice(1)}`,
    ],
    [
      "a script of zeros",
      () =>
        `${JSON.stringify(FIELDS).slice(0, -1)},"payload":{"type":"script_payload","code":{"bytecode":"0x${"00".repeat(room >> 1)}"},"type_arguments":[],"arguments":[]}${more}}`,
    ],
  ];
}

function someAddress(index: number): Uint8Array {
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setUint32(4, index);
  return bytes;
}

/** Signed BCS of a call with as many recipients as a transaction has room for. */
function signedTransfer(sender: Keypair, isSigned: boolean, nonce: bigint): Uint8Array {
  const recipients = Array.from({ length: 1600 }, (_, i) => addressFromBytes(someAddress(i)));
  const { raw, authenticator } = signCall(sender, {
    function: "aptos_account::batch_transfer",
    args: [
      encodeWith(vector(addressCodec), recipients),
      encodeWith(vector(u64), Array(recipients.length).fill(1n)),
    ],
    nonce,
    fields: { maxGasAmount: 2_000_000n },
  });
  const unsigned = { kind: "ed25519", publicKey: sender.publicKey, signature: new Uint8Array(64) } as const;
  return encodeWith(userTransactionCodec, { raw, authenticator: isSigned ? authenticator : unsigned });
}

const SIGNED_TYPE = { "content-type": "application/x.aptos.signed_transaction+bcs" };

/** The requests of a node with a local chain of this seed. */
export function chainRequests(seed: string, demo: string, genesisWaypoint: string): HeavyRequest[] {
  const gus = createKeypair(chainSeed(seed), "gus");
  const encode = (operation: string, bytes: number): HeavyRequest[] => [
    ...withTexts(operation, `/transactions/${operation}`, bytes),
    ...heavyCalls(demo, bytes).map(([what, body]) => ({
      operation,
      what: `${what}, ${bytes} bytes`,
      ...post(`/transactions/${operation}`, body),
    })),
  ];
  const signed = (
    operation: string,
    path: string,
    bytes: number,
    wrap: (one: string) => string,
  ): HeavyRequest[] => [
    ...withTexts(operation, path, bytes),
    ...heavyCalls(demo, bytes - 2, SIGNATURE).map(([what, body]) => ({
      operation,
      what: `${what}, ${bytes} bytes`,
      ...post(path, () => wrap(body())),
    })),
  ];
  const ten = (one: string): string => `[${one}]`;
  const batchOfTen = (): Uint8Array =>
    Buffer.concat([
      Uint8Array.of(10),
      ...Array.from({ length: 10 }, (_, i) => signedTransfer(gus, true, BigInt(i + 1))),
    ]);
  const bytesMessage = (): string => `{"raw_transaction":"0x${"00".repeat(4 * MIB - 20)}"}`;
  return [
    ...[8 * MIB - 100, 32 * KIB - 1].flatMap((bytes) => encode("encode_submission", bytes)),
    ...[8 * MIB - 100, 8 * KIB - 1].flatMap((bytes) => encode("explain_submission", bytes)),
    {
      operation: "explain_submission",
      what: "a raw transaction of zeros",
      ...post("/transactions/explain_submission", bytesMessage),
    },
    ...signed("submit_transaction", "/transactions", 256 * KIB - 10, (one) => one),
    ...signed("simulate_transaction", "/transactions/simulate", 256 * KIB - 10, (one) => one),
    ...signed("trace_transaction", "/transactions/trace", 256 * KIB - 10, (one) => one),
    ...signed("submit_batch_transactions", "/transactions/batch", MIB - 10, ten),
    ...heavyCalls(demo, (MIB - 100) / 10, SIGNATURE).map(([what, body]) => ({
      operation: "submit_batch_transactions",
      what: `ten times ${what}`,
      ...post("/transactions/batch", () => `[${Array(10).fill(body()).join(",")}]`),
    })),
    ...[
      ["simulate_transaction", "/transactions/simulate"] as const,
      ["trace_transaction", "/transactions/trace"] as const,
    ].map(([operation, path]) => ({
      operation,
      what: "BCS of many transfers",
      ...post(path, () => signedTransfer(gus, false, 99n), SIGNED_TYPE),
    })),
    { operation: "trace_by_version", what: "a transaction", ...get("/transactions/by_version/3/trace") },
    {
      operation: "submit_transaction",
      what: "BCS of many transfers",
      ...post("/transactions", () => signedTransfer(gus, true, 100n), SIGNED_TYPE),
    },
    {
      operation: "submit_batch_transactions",
      what: "BCS of ten times many transfers",
      ...post("/transactions/batch", batchOfTen, SIGNED_TYPE),
    },
    ...withTexts(
      "prove_raw_table_item",
      `/tables/${ADDRESS}/raw_item/proof?from_waypoint=${genesisWaypoint}`,
      256 * KIB,
    ),
    ...[[COIN], [longType(600, 1)], Array.from({ length: 1000 }, (_, i) => longType(900, i))].map(
      (types) => ({
        operation: "prove_balances",
        what: `a thousand of ${types.length} types of ${types[0]?.length} characters`,
        ...post(`/balances/proof?authentication_keys=true&from_waypoint=${genesisWaypoint}`, () =>
          JSON.stringify({
            queries: Array.from({ length: 1000 }, (_, i) => ({
              address: toPrefixedHex(someAddress(i)),
              asset_type: types[i % types.length],
            })),
          }),
        ),
      }),
    ),
    {
      operation: "prove_account_resource",
      what: "a member of a group",
      ...get(`/accounts/0xa/resource/0x1::fungible_asset::Metadata/proof?from_waypoint=${genesisWaypoint}`),
    },
    {
      operation: "prove_account_module",
      what: "a long one",
      ...get(`/accounts/0x1/module/coin/proof?from_waypoint=${genesisWaypoint}`),
    },
    ...(
      [
        ["prove_transaction_by_version", "by_version/3"],
        ["prove_event", "by_version/3/events/0"],
        ["prove_transaction_by_hash", `by_hash/0x${"0".repeat(64)}`],
      ] as const
    ).map(([operation, path]) => ({
      operation,
      what: "from genesis",
      ...get(`/transactions/${path}/proof?from_waypoint=${genesisWaypoint}`),
    })),
    {
      operation: "prove_account_balance",
      what: "from genesis",
      ...get(`/accounts/0x1/balance/${COIN}/proof?from_waypoint=${genesisWaypoint}`),
    },
  ];
}

/** A coin type as long as a text may be. */
function longType(length: number, seed: number): string {
  const args = `0x${(seed + 1).toString(16)}::a::B,`;
  const list = args.repeat(Math.floor((length - 40) / args.length));
  return `0x1::a::B<${list.slice(0, -1)}>`;
}

/** The requests of a server over the heavy ledger. */
export function ledgerRequests(): HeavyRequest[] {
  const type = longType(15_000, 1);
  const balances = (length: number, totals: boolean): string =>
    JSON.stringify({
      queries: Array.from({ length: 1000 }, (_, i) => ({
        address: ADDRESS,
        asset_type: longType(length, i),
      })),
      totals,
    });
  const watched = (accounts: number, assets: number, depth = 0): string =>
    JSON.stringify({
      accounts: Array.from({ length: accounts }, (_, i) => `0x${(0xabcde000 + i).toString(16)}`),
      assets: Array.from(
        { length: assets },
        (_, i) => `${"0x1::a::B<".repeat(depth)}0x1::coin${i}::Coin${">".repeat(depth)}`,
      ),
    });
  const items = (keys: readonly string[]): string =>
    JSON.stringify({ queries: keys.map((key) => ({ table_handle: HEAVY_TABLE, key })) });
  const item = (value: string): string =>
    JSON.stringify({ key_type: "vector<u8>", value_type: value, key: heavyKey(0).replace("0x04", "0x") });
  const row = (operation: string, what: string, request: MeterRequest): HeavyRequest => ({
    operation,
    what,
    ...request,
  });
  const every = (path: string, operation: string, what: string): HeavyRequest[] => [
    row(operation, what, get(path)),
    row(operation, `${what}, in BCS`, get(path, BCS)),
    row(operation, `${what}, in brotli`, get(path, { "accept-encoding": "br" })),
  ];
  const keys = Array.from({ length: HEAVY_ITEMS }, (_, i) => heavyKey(i));
  return [
    row("get_account_balance", "a long type", get(`/accounts/0x1/balance/${type}`)),
    row("get_balance_detail", "a long type", get(`/accounts/0x1/balance/${type}/detail`)),
    row("get_balance_history", "4,000 points", get(`/accounts/0x1/balance/${COIN}/history?points=4000`)),
    row("get_balance_history", "a long type", get(`/accounts/0x1/balance/${type}/history?limit=1000`)),
    row("stream_balance", "a long type", get(`/accounts/0x1/balance/${type}/stream`)),
    row("stream_blocks", "from the start", get("/blocks/stream", { "last-event-id": "0" })),
    row("stream_transactions", "all", get("/transactions/stream?start=0")),
    row("stream_transactions", "a rare sender", get(`/transactions/stream?start=0&account=${ADDRESS}`)),
    row("stream_events", "all", get("/events/stream?start=0", { accept: "application/x-ndjson" })),
    row(
      "stream_transactions",
      "a range in BCS",
      get("/transactions/stream?start=0&end=20", { accept: "application/x-bcs" }),
    ),
    row(
      "watch_list",
      "50,000 balances",
      post("/watch?start=0&end=20", () => watched(50_000, 1)),
    ),
    row(
      "watch_list",
      "1,000 nested types",
      post("/watch?start=0&end=20", () => watched(50, 1000, 5)),
    ),
    row("stream_events", "a range in CSV", get("/events/stream?start=0&end=20", { accept: "text/csv" })),
    ...withTexts("get_balances", "/balances", MIB),
    row(
      "get_balances",
      "long types",
      post("/balances", () => balances(900, true)),
    ),
    row(
      "get_balances",
      "long types, in BCS",
      post("/balances", () => balances(900, true), BCS),
    ),
    row(
      "get_balances",
      "wrong types",
      post("/balances", () => balances(900, true).replaceAll("::B<", "::B{")),
    ),
    row("get_holdings", "many", get(`/accounts/${COLLECTOR}/balances?limit=1000`)),
    row("get_account", "one", get(`/accounts/${HOLDER}`)),
    row("get_account_resource", "a long type", get(`/accounts/${HOLDER}/resource/${type}`)),
    ...HEAVY_TYPES.flatMap((name) =>
      every(`/accounts/${HOLDER}/resource/${heavyType(name)}`, "get_account_resource", name),
    ),
    ...[HOLDER, COLLECTOR, GROUPED].flatMap((address) =>
      every(`/accounts/${address}/resources`, "get_account_resources", `of ${address}`),
    ),
    ...every(`/accounts/${HOLDER}/module/large_0`, "get_account_module", "a large ABI"),
    ...every(`/accounts/${HOLDER}/modules`, "get_account_modules", "large ABIs"),
    ...withTexts("get_table_item", `/tables/${HEAVY_TABLE}/item`, 64 * KIB),
    ...["vector<vector<u8>>", "vector<bool>", "vector<u64>", "vector<u8>"].map((value) =>
      row(
        "get_table_item",
        `as ${value}`,
        post(`/tables/${HEAVY_TABLE}/item`, () => item(value)),
      ),
    ),
    row(
      "get_table_item",
      "a key of empty lists",
      post(`/tables/${HEAVY_TABLE}/item`, () =>
        filled(64 * KIB, '{"key_type":"vector<vector<u8>>","value_type":"u8","key":[', '"0x",', '"0x"]}'),
      ),
    ),
    row(
      "get_table_item",
      "long types",
      post(`/tables/${HEAVY_TABLE}/item`, () =>
        JSON.stringify({ key_type: longType(30_000, 1), value_type: longType(30_000, 2), key: "0x" }),
      ),
    ),
    ...withTexts("get_raw_table_item", `/tables/${HEAVY_TABLE}/raw_item`, 8 * MIB),
    row(
      "get_raw_table_item",
      "a large item",
      post(`/tables/${HEAVY_TABLE}/raw_item`, () => `"${heavyKey(1)}"`),
    ),
    row(
      "get_raw_table_item",
      "a large item, in BCS",
      post(`/tables/${HEAVY_TABLE}/raw_item`, () => `"${heavyKey(1)}"`, BCS),
    ),
    ...withTexts("get_raw_table_items", "/tables/raw_items", MIB),
    row(
      "get_raw_table_items",
      "large items",
      post("/tables/raw_items", () => items(keys)),
    ),
    row(
      "get_raw_table_items",
      "large items, in BCS",
      post("/tables/raw_items", () => items(keys), BCS),
    ),
    row(
      "get_raw_table_items",
      "large items, in brotli",
      post("/tables/raw_items", () => items(keys), { "accept-encoding": "br" }),
    ),
    row(
      "get_raw_table_items",
      "long keys",
      post("/tables/raw_items", () => items(Array.from({ length: 1000 }, () => `0x${"ab".repeat(450)}`))),
    ),
    ...every(`/tables/${HEAVY_TABLE}/items?limit=1000`, "get_table_items", "large rows"),
    row("count_table_items", "large rows", get(`/tables/${HEAVY_TABLE}/items/count`)),
    ...withTexts("view", "/view", 256 * KIB),
    ...every("/transactions?start=0&limit=100", "get_transactions", "from the genesis on"),
    ...every("/transactions?start=1&limit=100", "get_transactions", "large ones"),
    ...every("/transactions?limit=100", "get_transactions", "many"),
    ...every("/transactions/by_version/0", "get_transaction_by_version", "the genesis"),
    ...HEAVY_TYPES.flatMap((name, i) =>
      every(
        `/transactions/by_version/${i + 2}`,
        "get_transaction_by_version",
        `an event and a resource of ${name}`,
      ),
    ),
    ...every(
      `/transactions/by_version/${HEAVY_TYPES.length + 2}`,
      "get_transaction_by_version",
      "many resources",
    ),
    ...every(
      `/transactions/by_version/${HEAVY_TYPES.length + 3}`,
      "get_transaction_by_version",
      "a large group",
    ),
    row("get_transaction_by_hash", "an unknown hash", get(`/transactions/by_hash/0x${"ab".repeat(32)}`)),
    row(
      "wait_transaction_by_hash",
      "an unknown hash",
      get(`/transactions/wait_by_hash/0x${"ab".repeat(32)}`),
    ),
    ...every(`/accounts/${HOLDER}/transactions?limit=100`, "get_account_transactions", "none"),
    ...every(
      `/accounts/${HOLDER}/transaction_summaries?limit=100`,
      "get_account_transaction_summaries",
      "none",
    ),
    ...every(
      "/transactions/auxiliary_info?start_version=0&limit=100",
      "get_transactions_auxiliary_info",
      "from the genesis on",
    ),
    ...every("/accounts/0x1/events/3?limit=100", "get_events_by_creation_number", "of blocks"),
    ...every(
      "/accounts/0x1/events/0x1::block::BlockResource/new_block_events?limit=100",
      "get_events_by_event_handle",
      "of blocks",
    ),
    row(
      "get_events_by_event_handle",
      "no handle in a large resource",
      get(`/accounts/${HOLDER}/events/${heavyType("Marks")}/all`),
    ),
    row("estimate_gas_price", "first", get("/estimate_gas_price")),
    ...every("/blocks/by_height/1?with_transactions=true", "get_block_by_height", "large transactions"),
    ...every("/blocks/by_height/2?with_transactions=true", "get_block_by_height", "many transactions"),
    row("get_block_by_version", "as by its height", get("/blocks/by_version/1?with_transactions=false")),
    ...withTexts("get_raw_state_value", "/experimental/state_values/raw", 2 * MIB, BCS),
    row("info", "one", get("/info")),
    row("get_ledger_info", "one", get("/")),
    row("healthy", "one", get("/-/healthy")),
    row("ready", "one", get("/-/ready")),
    ...every("/spec.json", "spec_json", "the document"),
    ...every("/spec.yaml", "spec_yaml", "the document"),
    ...every("/spec", "spec_page", "the page"),
  ];
}
