// Long work for a client that left ends after some slices. A client that only sends no more gets a short answer.
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { functionOf, moduleOf } from "../support/machine.ts";
import { until } from "../support/until.ts";

const LOOP = moduleOf({
  functions: [
    functionOf("watch", "fn():(u64)", "again:; branch again", { isView: true }),
    functionOf("spin", "fn(&signer)", "again:; branch again", { isEntry: true }),
  ],
});

/** Compiled code comes to the limit of work within a slice or two: several requests at once take more of them. */
const AT_ONCE = 10;
/** How long they take, or a little less: then others follow. */
const ROUND_MS = 2000;

let node: Node;
beforeAll(async () => {
  node = await createNode({ localChain: { traffic: false }, http: { port: 0 } });
  await node.publish(LOOP);
  await node.fund("0xb0b", 500_000_000n);
});
afterAll(() => node.close());

function post(path: string, body: object): string {
  const text = JSON.stringify(body);
  return `POST /v1/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

const SPIN = {
  sender: "0xb0b",
  sequence_number: "0",
  max_gas_amount: "2000000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "32503680000",
  payload: {
    type: "entry_function_payload",
    function: "0xcafe::m::spin",
    type_arguments: [],
    arguments: [],
  },
  signature: { type: "no_account_signature" },
};

const REQUESTS: readonly (readonly [operation: string, request: () => string])[] = [
  ["view", () => post("view", { function: "0xcafe::m::watch", type_arguments: [], arguments: [] })],
  ["simulate_transaction", () => post("transactions/simulate", SPIN)],
  ["trace_transaction", () => post("transactions/trace", SPIN)],
];

function open(): Socket {
  const { hostname: host, port } = new URL(node.url ?? "");
  return connect({ host, port: Number(port), allowHalfOpen: true }).on("error", () => {});
}

/** How many requests of an operation ended with each status. */
async function endsOf(operation: string): Promise<Record<string, number>> {
  const text = await (await fetch(new URL("/metrics", node.url))).text();
  const counts = text.matchAll(/_count\{operation="(\w+)",status="(\d+)"\} (\d+)/g);
  return Object.fromEntries(
    [...counts]
      .filter(([, name]) => name === operation)
      .map(([, , status, count]) => [status, Number(count)]),
  );
}

describe("work that takes long", () => {
  it.each(REQUESTS)("of %s ends with its client", async (operation, request) => {
    const LEFT = "499";
    const before = (await endsOf(operation))[LEFT] ?? 0;
    // Other tests of the same process are counted too, with other statuses.
    const hasLeft = async (): Promise<boolean> => ((await endsOf(operation))[LEFT] ?? 0) > before;
    // A busy node lets requests wait, and forgets one whose client leaves before its turn.
    await until(() => {
      for (let i = 0; i < AT_ONCE; i++) {
        const socket = open();
        socket.end(request(), () => socket.destroy());
      }
      return until(hasLeft, ROUND_MS).catch(() => false as const);
    });
  });

  it.each(REQUESTS)(
    "of %s ends with the connection of a client that only closed its side",
    async (_, request) => {
      const socket = open().resume();
      const ended = new Promise((resolve) => socket.once("end", resolve));
      socket.end(request());
      await ended;
      socket.destroy();
    },
  );

  it("is not much for a client that sends no more and reads: it is answered", async () => {
    const socket = open();
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
    });
    const ended = new Promise((resolve) => socket.once("end", resolve));
    const request = post("transactions/trace", { ...SPIN, max_gas_amount: "2" });
    socket.end(request);
    await ended;
    expect(text).toMatch(/^HTTP\/1.1 [24]00 /);
  });
});
