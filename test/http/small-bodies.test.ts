// Requests that are small by their nature are refused by their size before anything is made of them.
import { expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { parseAddress } from "../../src/move/address.ts";
import { entryFunctionCodec } from "../../src/transaction/executable.ts";
import { startServer, type TestServer } from "../support/http-server.ts";

const server: TestServer = await startServer();
const VIEW_TYPE = "application/x.aptos.view_function+bcs";

async function post(path: string, contentType: string, body: string | Uint8Array): Promise<[number, string]> {
  const headers = { "content-type": contentType };
  const response = await fetch(`${server.url}/v1${path}`, {
    method: "POST",
    headers,
    body: Buffer.from(body),
  });
  const { message } = JSON.parse(await response.text()) as { message: string };
  return [response.status, message];
}

function viewOf(count: number): Uint8Array {
  return encodeWith(entryFunctionCodec, {
    module: { address: parseAddress("0x1"), name: "coin" },
    function: "balance",
    typeArgs: [],
    args: Array(count).fill(new Uint8Array(0)),
  });
}

it.each<[string, string, string, string | Uint8Array, [number, string]]>([
  [
    "arguments of a view in BCS",
    "/view",
    VIEW_TYPE,
    viewOf(129),
    [400, "arguments: expected at most 128 items, got 129"],
  ],
  [
    "a view in BCS",
    "/view",
    VIEW_TYPE,
    viewOf(280_000),
    [413, expect.stringContaining("body: expected at most 262144 bytes, got 280")],
  ],
  [
    "arguments of a view in JSON",
    "/view",
    "application/json",
    JSON.stringify({ function: "0x1::coin::balance", type_arguments: Array(33).fill("u8"), arguments: [] }),
    [400, "type_arguments: expected at most 32 items, got 33"],
  ],
  ["a view that is no object", "/view", "application/json", "[]", [400, "body: expected an object, got []"]],
  [
    "the key of a table item",
    "/tables/0x1/item",
    "application/json",
    JSON.stringify({ key_type: "vector<u64>", value_type: "u64", key: Array(40_000).fill("1") }),
    [413, expect.stringContaining("body: expected at most 65536 bytes, got ")],
  ],
])("%s", async (_, path, contentType, body, expected) => {
  expect(await post(path, contentType, body)).toEqual(expected);
});

it("a method that a path of the reference does not have gets no 404", async () => {
  const served = await fetch(`${server.url}/v1/view`, { method: "PUT" });
  expect([served.status, served.headers.get("allow")]).toEqual([405, "POST"]);
});
