// Hostile requests: generated ones that a client library can send, byte strings that are barely HTTP, and invariants of
// the response to any of them.
import { type Agent, request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { COIN, PAIR, TABLE, TABLE_KEY } from "./http-ledger.ts";
import { anyCharacter } from "./property.ts";

/** Of the message of a single signer. */
const PREFIX = "b5e97db07fa0bd0e5598aa3643a9bc6f6693bddc1a9fec9e674a461eaa00b193";

const segment = fc.oneof(
  fc.constantFrom(
    "v1",
    "V1",
    "accounts",
    "balance",
    "tables",
    "raw_item",
    "transactions",
    "encode_submission",
    "explain_submission",
    "history",
    "detail",
    "balances",
    "raw_items",
  ),
  fc.constantFrom(
    "info",
    "-",
    "healthy",
    "spec",
    "spec.json",
    "spec.yaml",
    "",
    ".",
    "..",
    "%2e%2e",
    "%00",
    "%",
  ),
  fc.constantFrom(
    "0x1",
    "0xc1",
    TABLE,
    COIN,
    encodeURIComponent(PAIR),
    "0xa",
    "0x",
    "0xbad1",
    "1".repeat(65),
  ),
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ unit: fc.constantFrom(..."0xab:<>,% vector u8%3C%253E"), maxLength: 60 }).map(encodeURI),
  fc.integer({ min: 1, max: 3000 }).map((length) => "vector%3C".repeat(length / 9)),
);

const path = fc.oneof(
  { weight: 3, arbitrary: fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`) },
  {
    weight: 3,
    arbitrary: fc.tuple(segment, segment).map(([owner, asset]) => `/v1/accounts/${owner}/balance/${asset}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.oneof(segment, fc.constantFrom("0xc1", "0xf0")), fc.constantFrom(COIN, "0xa"), fc.boolean())
      .map(
        ([owner, asset, isHistory]) =>
          `/v1/accounts/${owner}/balance/${asset}/${isHistory ? "history" : "detail"}`,
      ),
  },
  { weight: 2, arbitrary: segment.map((handle) => `/v1/tables/${handle}/raw_item`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      `/v1/tables/${TABLE}/raw_item`,
      "/v1/transactions/encode_submission",
      "/v1/transactions/explain_submission",
      "/v1/balances",
      "/v1/tables/raw_items",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      `/v1/accounts/0xc1/balance/${COIN}`,
      "/",
      "/v1",
      "/v1/info",
      "/v1/-/healthy",
      "/v1/spec",
      "/v1/spec.yaml",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "/v1/accounts/0x1/resources",
      "/v1/transactions",
      "/v1/view",
      "/v1/../x",
      "/v1//x",
    ),
  },
);

/** What stands before the path in an absolute target, right or wrong. */
const authority = fc.oneof(
  { weight: 15, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "http://h",
      "HTTP://h:80",
      "https://[::1]:443",
      "http://h?x=",
      "http://u@h",
      "http://",
    ),
  },
);

const queryValue = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "12",
    "30",
    "31",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "1e9",
    "true",
    "1700000002",
    "@1700000002.5",
    "2023-11-14T22:13:22Z",
    "2023-11-15T00:13:22+02:00",
    "2023-02-30T00:00:00Z",
    "9999-12-31T23:59:60.999999999-23:59",
  ),
  fc.string({ unit: anyCharacter, maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.integer({ min: 0, max: 4000 }).map((length) => "9".repeat(length)),
);
const queryName = fc.oneof(
  fc.constantFrom(
    "ledger_version",
    "quoted",
    "duration_secs",
    "at",
    "from",
    "to",
    "limit",
    "start",
    "points",
    "ledger%5fversion",
    "__proto__",
    "constructor",
    "",
  ),
  fc.string({ unit: "grapheme-ascii", maxLength: 10 }).map(encodeURIComponent),
);
const query = fc.oneof(
  fc.constantFrom("", "?ledger_version=12", "?ledger_version=3", "?ledger_version=30&quoted=true"),
  fc.constantFrom(
    "?at=1700000002",
    "?at=1",
    "?from=12",
    "?from=12&to=20&limit=2",
    "?points=8",
    "?start=15&limit=1",
  ),
  fc
    .array(fc.tuple(queryName, queryValue), { maxLength: 4 })
    .map((pairs) =>
      pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`,
    ),
);

const headerText = fc.string({ unit: fc.constantFrom(...'abc019,;=/*"\\ q.-\t\u00ff'), maxLength: 60 });
/** What a client may say to be the business of one connection, the framing of its request included. */
const connection = fc
  .array(
    fc.constantFrom(
      "close",
      "keep-alive",
      "Content-Length",
      "transfer-encoding",
      "host",
      "x-request-id",
      "upgrade",
      "",
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((options) => options.join(", "));
const headers = fc.record(
  {
    accept: fc.oneof(
      fc.constantFrom("application/x-bcs", "application/json", "*/*", "application/x-bcs;q=0"),
      fc.constantFrom("text/csv", "application/x-ndjson"),
      headerText,
    ),
    "accept-encoding": fc.oneof(fc.constantFrom("gzip", "br", "gzip;q=0, *"), headerText),
    "content-type": fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom("application/json", "application/json; charset=x", "a/b+json"),
      },
      { weight: 1, arbitrary: headerText },
    ),
    "content-encoding": fc.oneof(
      { weight: 3, arbitrary: fc.constant("identity") },
      { weight: 2, arbitrary: fc.constantFrom("gzip", "br", "deflate", "zstd", "gzip, gzip") },
    ),
    origin: fc.oneof(fc.constant("https://a.example"), headerText),
    "access-control-request-method": fc.constantFrom("GET", "POST", "DELETE", "x"),
    "if-none-match": headerText,
    "x-request-id": headerText,
    upgrade: fc.constantFrom("websocket", "h2c"),
    connection,
    "x-forwarded-for": fc.oneof(fc.constantFrom("203.0.113.7:50001", "[::1]:1", "unknown", ","), headerText),
    "x-long": fc.integer({ min: 0, max: 20_000 }).map((length) => "y".repeat(length)),
  },
  { requiredKeys: [] },
);

/** Bodies of batches: good queries, bad ones, and members that do not belong there. */
const batchText = fc
  .record(
    {
      queries: fc.oneof(
        fc.array(
          fc.oneof(
            fc.record({ address: segment, asset_type: fc.constantFrom(COIN, PAIR, "0xa", "0x", "") }),
            fc.record({
              table_handle: fc.constantFrom(TABLE, "0x1", "x"),
              key: fc.constantFrom(TABLE_KEY, "0x", "0x1", "zz"),
            }),
            fc.anything({ maxDepth: 1 }),
          ),
          { maxLength: 5 },
        ),
        fc.constantFrom(Array(1001).fill({ address: "0x1", asset_type: "0xa" }), {}, null),
      ),
      ledger_version: fc.constantFrom("12", "3", "31", 5, "x", null),
      at: fc.constantFrom("1700000002", "1", "2100-01-01T00:00:00Z", "noon", 5),
      totals: fc.oneof(fc.boolean(), fc.constant("yes")),
      other: fc.constant(1),
    },
    { requiredKeys: ["queries"] },
  )
  .map((request) => JSON.stringify(request) ?? "");

const jsonText = fc.oneof(
  { weight: 3, arbitrary: batchText },
  fc.constantFrom(
    JSON.stringify({ key: TABLE_KEY }),
    JSON.stringify(TABLE_KEY),
    '{"invalid":1}',
    "{}",
    "null",
    '{"message":"0x"}',
    `{"message":"0x${PREFIX}${"00".repeat(100)}"}`,
    `{"raw_transaction":"${"00".repeat(90)}"}`,
  ),
  fc.json(),
  fc.constantFrom(
    "[",
    "{",
    '"',
    '{"key":',
    '{"key":"0x0',
    "nul",
    "1e999999",
    '{"__proto__":{"key":"0x01"}}',
    "\ufeff{}",
  ),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => "[".repeat(depth)),
  fc.integer({ min: 1, max: 70_000 }).map((length) => `"${"0".repeat(length)}"`),
  fc.integer({ min: 1, max: 4000 }).map((length) => `{"key":${"9".repeat(length)}}`),
);
/** Requests that hide in a body: nobody must ever be asked for them. */
const SMUGGLED_PATH = "/v1/smuggled";
const smuggled = fc
  .constantFrom("GET", "POST", "DELETE")
  .map((method) =>
    Buffer.from(`${method} ${SMUGGLED_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`),
  );
const bomb = gzipSync(Buffer.alloc(2_000_000, 32));
const body = fc.oneof(
  { weight: 6, arbitrary: jsonText.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: jsonText.map((text) => gzipSync(text)) },
  { weight: 1, arbitrary: fc.constant(bomb) },
  { weight: 2, arbitrary: smuggled },
);

/** Requests that a client library can send. */
export const hostile = fc
  .record({
    /** Whether method and content type fit the path, so that more of the server is reached. */
    fits: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
    method: fc.constantFrom("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"),
    target: fc.tuple(authority, path, query).map((parts) => parts.join("")),
    headers,
    body: fc.option(body, { nil: undefined, freq: 4 }),
    chunked: fc.boolean(),
    /** Whether the client disconnects before the response. */
    abandon: fc.integer({ min: 0, max: 40 }).map((number) => number === 0),
  })
  .map((one) => {
    if (!one.fits) return one;
    const isPost =
      one.target.includes("raw_item") ||
      one.target.includes("_submission") ||
      one.target.startsWith("/v1/balances");
    if (!isPost) return { ...one, method: "GET" };
    const isPacked = one.body?.[0] === 0x1f;
    const coding = isPacked ? "gzip" : "identity";
    const fitting = { "content-type": "application/json", "content-encoding": coding };
    return { ...one, method: "POST", headers: { ...one.headers, ...fitting } };
  });
export type Hostile = typeof hostile extends fc.Arbitrary<infer T> ? T : never;

/** Traces of a stack or of this machine's paths, which must not leak. */
const INSIDE = [/\n {4}at [^\n]{1,200}:\d+:\d+/, /node_modules/, /file:\/\//] as const;

/** The internals that a response leaks; undefined if none. */
export function findInside(body: Buffer, headers: readonly string[]): string | undefined {
  const text = `${headers.join("\n")}\n${body.toString("latin1")}`;
  if (text.includes(process.cwd())) return process.cwd();
  for (const pattern of INSIDE) {
    const match = pattern.exec(text);
    if (match !== null) return match[0];
  }
  return undefined;
}

/** Header in which the upstream of a test says what it was asked for. */
const SEEN_HEADER = "x-upstream-saw";

/** Whether what the upstream was asked for is what a client asked for. */
function isSame(asked: string, method: string, target: string): boolean {
  const path = asked.slice(method.length + 1);
  return asked.startsWith(`${method} /v1/`) && target.endsWith(path);
}

/** Sends one and returns the status, undefined if the client disconnected; rejects on a forbidden response. */
export function sendHostile(port: number, agent: Agent, one: Hostile): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { method, target, chunked, abandon } = one;
    const framing =
      one.body === undefined
        ? {}
        : chunked
          ? { "transfer-encoding": "chunked" }
          : { "content-length": one.body.length };
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      agent,
      method,
      path: target,
      headers: { ...one.headers, ...framing },
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        const asked = response.headers[SEEN_HEADER];
        if (asked !== undefined && !isSame(`${asked}`, method, target)) {
          reject(new Error(`${method} ${target} got the answer to ${asked}`));
        }
        const inside = findInside(Buffer.concat(chunks), response.rawHeaders);
        if (inside !== undefined) reject(new Error(`${status} ${target} lets out ${inside}`));
        if (status >= 400 && method !== "HEAD") {
          const error = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
          if (typeof error.message !== "string" || typeof error.error_code !== "string") {
            reject(new Error(`${status} without the documented body`));
          }
        }
        resolve(status);
      });
    });
    // A connection that ends with the answer, while the body is still sent, may take the answer with it.
    const mayBreak =
      abandon || (one.body !== undefined && /close|upgrade/.test(one.headers.connection ?? ""));
    request.on("error", (error) =>
      mayBreak
        ? resolve(undefined)
        : reject(new Error(JSON.stringify(one).replace(/9{20,}|y{20,}/g, "LONG"), { cause: error })),
    );
    if (one.body !== undefined) request.write(one.body);
    request.end();
    if (abandon) setTimeout(() => request.destroy(), 1);
  });
}

/** Byte strings that are barely HTTP. */
export const rawRequest = fc
  .tuple(
    fc.constantFrom("GET", "POST", "DELETE", "BREW", "get", "", "CONNECT", "PRI"),
    fc.oneof(
      fc.tuple(authority, path).map((parts) => parts.join("")),
      fc.string({ unit: "binary-ascii", maxLength: 40 }),
    ),
    fc.constantFrom("HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP", "\r\n"),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          "Host: x",
          "host: y",
          "Host: a b",
          "Content-Length: 5",
          "Content-Length: -1",
          "Content-Length: 99999999999999999999",
        ),
        fc.constantFrom(
          "Transfer-Encoding: chunked",
          "Transfer-Encoding: x",
          "Expect: 100-continue",
          "Connection: close",
          "Connection: content-length, transfer-encoding",
        ),
        fc.constantFrom(
          "Content-Type: application/json",
          "Upgrade: h2c",
          ": x",
          "No colon",
          "X\x00: y",
          " folded",
        ),
        fc.string({ unit: "binary-ascii", maxLength: 40 }),
      ),
      { maxLength: 6 },
    ),
    fc.constantFrom(
      "",
      "hello",
      "5\r\nhello\r\n0\r\n\r\n",
      "ffffffffff\r\n",
      "zz\r\n",
      "\x00\x00",
      "0;a=b\r\n\r\n",
      // Behind a request without a body this is the client's own next request, so the upstream may see it.
      "GET /v1/pipelined HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
  )
  .map(([method, target, version, lines, tail]) =>
    Buffer.from(`${method} ${target} ${version}\r\n${lines.join("\r\n")}\r\n\r\n${tail}`, "latin1"),
  );
