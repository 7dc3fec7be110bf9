// Commands whose node answers with JSON of another shape: an error that names the field, and nothing on the output.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "../support/command.ts";

/** A node that gives one answer to everything. */
async function startLiar(answer: unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HASH = `0x${"ab".repeat(32)}`;
const TRANSACTION = { type: "user_transaction", hash: HASH, version: "5" };
const BLOCK = {
  block_height: "1",
  block_hash: HASH,
  block_timestamp: "7",
  first_version: "1",
  last_version: "2",
};

it.each([
  [["account", "0x1"], { sequence_number: 7, authentication_key: HASH }, "sequence_number"],
  [["resource", "0x1", "0x1::a::B"], { type: "0x1::a::B" }, "data"],
  [["resources", "0x1"], [{ data: {} }], "0.type"],
  [["module", "0x1", "coin"], { bytecode: "a11c" }, "bytecode"],
  [["modules", "0x1"], [{ bytecode: "0x00", abi: { exposed_functions: {} } }], "0.abi.exposed_functions"],
  [["transaction", "5"], { ...TRANSACTION, hash: 5 }, "hash"],
  [["transactions"], [TRANSACTION, { ...TRANSACTION, version: "-1" }], "1.version"],
  [["block", "--height", "1"], { ...BLOCK, block_timestamp: null }, "block_timestamp"],
  [["block", "--version", "1"], { ...BLOCK, transactions: [5] }, "transactions.0"],
  [["gas-price"], { gas_estimate: "100" }, "gas_estimate"],
  [
    ["view", "0x1::a::b", "7"],
    { bytecode: "0x00", abi: { exposed_functions: [{ name: "b", params: 7 }] } },
    "abi.exposed_functions.0.params",
  ],
] as const)("%j names the field of %j", async (args, answer, field) => {
  const url = await startLiar(answer);
  const { code, stdout, stderr } = await runCommand([...args, "--url", url]);
  expect(stderr).toContain(
    `${url} does not respond as a node does: ${field} is missing or of another kind; got `,
  );
  expect([code, stdout]).toEqual([1, ""]);
});

it.each([
  ["account", "0x1"],
  ["view", "0x1::a::b"],
  ["view", "0x1::a::b", "7"],
  ["transaction", "5"],
  ["transactions"],
  ["block", "--height", "1"],
  ["resources", "0x1"],
  ["gas-price"],
])("%s %s %s refuses null", async (...args) => {
  const url = await startLiar(null);
  const { code, stdout, stderr } = await runCommand([
    ...args.filter((one) => one !== undefined),
    "--url",
    url,
  ]);
  expect(stderr).toContain(`${url} does not respond as a node does: got "null"`);
  expect([code, stdout]).toEqual([1, ""]);
});

it.each([
  [
    { kind: "single_signer", sender: "0x1", payload: { type: "entry_function_payload" } },
    "payload.type_arguments",
  ],
  [{ kind: "single_signer", sender: "0x1", payload: null }, "payload"],
])("explain refuses %j", async (answer, field) => {
  const url = await startLiar(answer);
  const { code, stdout, stderr } = await runCommand(["explain", "-", "--url", url], {}, "{}");
  expect(stderr).toContain(`${field} is missing or of another kind`);
  expect([code, stdout]).toEqual([1, ""]);
});
