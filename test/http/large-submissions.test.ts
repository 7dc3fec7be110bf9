// Large submissions are worked on in a thread: the responses are those of the work itself, and others are not kept waiting.
import { afterAll, beforeAll, expect, it } from "vitest";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { createNode, type Node } from "../../src/index.ts";
import type { Ledger } from "../../src/ledger/view.ts";
import { Reader } from "../../src/node/api/reader.ts";
import { LARGE_SUBMISSION_BYTES } from "../../src/node/request-thread/thread.ts";

let node: Node;
let url: string;

beforeAll(async () => {
  node = await createNode({ http: { port: 0, maxWaitMs: 0 } });
  url = node.url ?? "";
});
afterAll(() => node.close());

/** A batch transfer to `recipients` recipients. */
function request(recipients: number, last: unknown = "1"): string {
  const amounts: unknown[] = Array(recipients - 1).fill("1");
  return JSON.stringify({
    sender: "0x1",
    sequence_number: "0",
    max_gas_amount: "2000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "4000000000",
    payload: {
      type: "entry_function_payload",
      function: "0x1::aptos_account::batch_transfer",
      type_arguments: [],
      arguments: [Array(recipients).fill("0x2"), [...amounts, last]],
    },
  });
}

const LARGE = 60_000;

async function post(operation: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/transactions${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

it("gives the bytes that the same call gives in this process", async () => {
  const body = request(LARGE);
  expect(body.length).toBeGreaterThan(10 * LARGE_SUBMISSION_BYTES);
  const { status, text } = await post("/encode_submission", body);
  expect(status).toBe(200);
  const message = Buffer.from(await node.encodeSubmission(body));
  expect(JSON.parse(text)).toBe(`0x${message.toString("hex")}`);
  const asBcs = await fetch(`${node.url}/transactions/encode_submission`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/x-bcs" },
    body,
  });
  const bytes = Buffer.from(await asBcs.arrayBuffer());
  expect(bytes.equals(new BcsWriter(message.length + 5).byteString(message).take())).toBe(true);
});

it("gives the explanation that the same call gives in this process", async () => {
  const body = request(2000);
  expect(body.length).toBeGreaterThan(LARGE_SUBMISSION_BYTES / 2);
  const padded = `${" ".repeat(LARGE_SUBMISSION_BYTES)}${body}`;
  const { status, text } = await post("/explain_submission", padded);
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual(await node.explainSubmission(body));
});

it.each([
  ["a value of the wrong type", request(LARGE, 5)],
  ["a text that is not JSON", `${request(LARGE).slice(0, -1)}]`],
  ["an unknown function", request(LARGE).replace("batch_transfer", "batch_transfr")],
])("refuses %s as the same body that is small", async (_, body) => {
  const small = body.replace(/"0x2",(?="0x2")/g, "").replace(/"1",(?="1")/g, "");
  expect(small.length).toBeLessThan(LARGE_SUBMISSION_BYTES);
  const [large, expected] = [await post("/encode_submission", body), await post("/encode_submission", small)];
  expect(large.status).toBe(400);
  const position = / at line \d+ column \d+|\[\d+\]/g;
  expect(large.text.replace(position, "")).toBe(expected.text.replace(position, ""));
});

it.each(["/batch", "/simulate", ""])(
  "answers a large body to transactions%s as the same one that is small",
  async (path) => {
    const signature = {
      type: "ed25519_signature",
      public_key: `0x${"00".repeat(32)}`,
      signature: `0x${"00".repeat(64)}`,
    };
    const one = { ...JSON.parse(request(2)), signature };
    const bodies: unknown[] = [
      one,
      { ...one, sender: "0x1::a" },
      { ...one, signature: { type: "none" } },
      { ...one, payload: { ...one.payload, function: "0x1::aptos_account::nothing" } },
      { ...JSON.parse(request(2, 5)), signature },
      [one],
      [],
      {},
    ];
    const all = path === "/batch" ? [bodies.slice(0, 5), ...bodies, Array(11).fill(one)] : bodies;
    for (const body of all) {
      const small = JSON.stringify(body);
      const large = `${" ".repeat(LARGE_SUBMISSION_BYTES)}${small}`;
      expect(await post(path, large)).toEqual(await post(path, small));
    }
    const broken = await post(path, `${" ".repeat(LARGE_SUBMISSION_BYTES)}[1,`);
    expect(broken.text).toContain(`at line 1 column ${LARGE_SUBMISSION_BYTES + 4}`);
  },
);

/** Turns of the event loop until the work is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let turns = 0;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  await done;
  return turns;
}

it("leaves the event loop to others meanwhile", async () => {
  // A node is the ledger of its own reader.
  const reader = new Reader(node as unknown as Ledger);
  const body = Buffer.from(request(LARGE));
  const view = await reader.openView();
  const inThread = await turnsDuring(async () => reader.encodeUntrusted(new Uint8Array(body), view));
  const inLoop = await turnsDuring(async () => reader.encode(body, view));
  view.release();
  await reader.close();
  expect(inLoop).toBeLessThan(20);
  expect(inThread).toBeGreaterThan(50 * inLoop);
});

it("refuses more than it has room for, and works on after that", async () => {
  const body = request(LARGE / 4);
  const responses = await Promise.all(Array.from({ length: 40 }, () => post("/encode_submission", body)));
  const statuses = new Set(responses.map(({ status }) => status));
  expect(statuses).toEqual(new Set([200, 503]));
  expect(new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
  expect((await post("/encode_submission", body)).status).toBe(200);
});

it("does not keep a node from closing", async () => {
  const other = await createNode({ http: { port: 0, maxWaitMs: 0 } });
  const response = fetch(`${other.url}/transactions/encode_submission`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: request(LARGE),
  }).then(
    ({ status }) => status,
    () => undefined,
  );
  await other.close();
  expect([undefined, 200, 500, 503]).toContain(await response);
});

it.each(["/encode_submission", "/explain_submission"])("refuses more than 1 MiB to %s", async (path) => {
  const { status, text } = await post(path, request(150_000));
  expect(status).toBe(413);
  expect(JSON.parse(text).message).toContain("expected at most 1048576 bytes");
});
