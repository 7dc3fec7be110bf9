// A follower hands submissions on to its upstream, and nothing else: what comes back is told in this node's own words.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { transactionCodec, transactionHash } from "../../src/ledger/formats/transaction.ts";
import { formatAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { submissionTargetOf } from "../../src/node/following/following.ts";
import { UpstreamSubmissions } from "../../src/node/following/upstream-submissions.ts";
import { RequestThread } from "../../src/node/request-thread/thread.ts";
import { createNode } from "../../src/node.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { type Call, signCall } from "../support/submitter.ts";
import { until } from "../support/until.ts";

const BCS = "application/x.aptos.signed_transaction+bcs";
const sender = createKeypair(chainSeed("forward"), "sender");
const TRANSFER: Call = {
  function: "aptos_account::transfer",
  args: [encodeWith(addressCodec, sender.address), encodeWith(u64, 1n)],
};
const signed = (sequenceNumber = 0n): Buffer =>
  Buffer.from(
    encodeWith(userTransactionCodec, signCall(sender, { ...TRANSFER, fields: { sequenceNumber } })),
  );

function post(url: string, body: Uint8Array | string, path = "/transactions"): Promise<Response> {
  const type = typeof body === "string" ? "application/json" : BCS;
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": type },
    body: Buffer.from(body),
  });
}

/** Answers as an upstream that takes the transaction, when its body has come. */
function accept(
  request: IncomingMessage,
  response: ServerResponse,
  when: (answer: () => void) => void,
): void {
  const chunks: Buffer[] = [];
  request
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("end", () => {
      const transaction = decodeWith(userTransactionCodec, Buffer.concat(chunks));
      const hash = transactionHash(encodeWith(transactionCodec, { kind: "user", transaction }));
      when(() => response.writeHead(202).end(JSON.stringify({ hash: toPrefixedHex(hash) })));
    });
}

/** A server that hands submissions on to an upstream that answers as the test says. */
async function forwarding(
  answer: RequestListener,
): Promise<{ server: TestServer; url: string; submissions: UpstreamSubmissions }> {
  const upstream = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  await until(() => upstream.listening);
  const submissions = new UpstreamSubmissions({
    target: new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`),
    headers: {},
    refusal: () => undefined,
    loadModule: () => async () => undefined,
    thread: new RequestThread(),
  });
  const server = await startServer({ submissions });
  onTestFinished(() => submissions.close());
  return { server, url: `${server.url}/v1`, submissions };
}

describe("a follower that forwards submissions", () => {
  it("answers as a node that takes them, and knows what waits at its upstream", async () => {
    const origin = await createNode({ localChain: { seed: "forward" }, http: { port: 0 } });
    onTestFinished(() => origin.close());
    await origin.mine();
    await origin.fund(formatAddress(sender.address), 1_000_000_000n);
    await origin.mine();
    const node = await createNode({
      http: { port: 0 },
      follow: { upstreams: [origin.url ?? ""], forwardSubmissions: true, pollTimeMs: 5 },
    });
    onTestFinished(() => node.close());
    await node.untilReady();
    const url = node.url ?? "";
    const taken = await post(url, signed());
    const pending = (await taken.json()) as { hash: string; type: string };
    expect([taken.status, taken.headers.get("content-type")]).toEqual([202, "application/json"]);
    expect(pending).toMatchObject({ type: "pending_transaction", sender: toPrefixedHex(sender.address) });
    const byHash = async (): Promise<string> =>
      ((await (await fetch(`${url}/transactions/by_hash/${pending.hash}`)).json()) as { type: string }).type;
    expect(await byHash()).toBe("pending_transaction");
    const { type: _, hash: __, ...request } = pending;
    const again = await post(url, JSON.stringify(request));
    expect([again.status, await again.json()]).toMatchObject([202, { hash: pending.hash }]);
    await origin.mine();
    await until(async () => {
      const type = await byHash();
      expect(["pending_transaction", "user_transaction"]).toContain(type);
      return type === "user_transaction";
    });
    const old = await post(url, signed());
    expect([old.status, await old.json()]).toMatchObject([
      400,
      { error_code: "vm_error", message: expect.stringContaining("the upstream refused the transaction: ") },
    ]);
    // Nothing else is handed on: the follower simulates by itself, and what is signed is not simulated.
    const simulated = await post(url, signed(), "/transactions/simulate");
    expect([simulated.status, simulated.headers.get("x-node-ledger-version")]).toEqual([
      400,
      expect.any(String),
    ]);
    expect((await fetch(`${url}/transactions/by_hash/0x${"77".repeat(32)}`)).status).toBe(404);
  });

  it.each([{ apiKey: { value: "k" } }, { apiKeys: [{ value: "k" }] }])("sends the key of %j", (keys) => {
    const target = submissionTargetOf({
      upstreams: ["https://a.test/v1"],
      forwardSubmissions: true,
      ...keys,
    });
    expect(target?.headers).toMatchObject({ authorization: "Bearer k" });
  });

  it.each<[string, number, Record<string, string>, string, number, string]>([
    [
      "a page",
      200,
      { "content-type": "text/html", "set-cookie": "a=b" },
      "<script>alert(1)</script>",
      503,
      "answered 200",
    ],
    ["a redirect", 302, { location: "http://127.0.0.1:1/" }, "", 503, "answered 302"],
    ["nonsense", 500, { "service-worker-allowed": "/" }, "]", 503, "answered 500"],
    ["a code that it may not give", 404, {}, '{"error_code":"account_not_found"}', 503, "answered 404"],
    [
      "a refusal",
      400,
      { "strict-transport-security": "max-age=1", "x-upstream": "999" },
      '{"message":"bad\\n<b>signature","error_code":"vm_error","vm_error_code":1,"extra":"x"}',
      400,
      "the upstream refused the transaction: bad <b>signature",
    ],
  ])("tells %s of its upstream in its own words", async (_, status, headers, body, expected, words) => {
    const { url } = await forwarding((request, response) => {
      request.resume();
      response.writeHead(status, headers).end(body);
    });
    const response = await post(url, signed());
    const told = (await response.json()) as Record<string, unknown>;
    expect([response.status, told.message]).toEqual([expected, expect.stringContaining(words)]);
    expect(Object.keys(told).every((key) => ["message", "error_code", "vm_error_code"].includes(key))).toBe(
      true,
    );
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    for (const name of Object.keys(headers)) {
      if (name !== "content-type") expect([name, response.headers.get(name)]).toEqual([name, null]);
    }
  });

  it.each([
    ["a page", "text/html", "<html></html>"],
    ["another hash", "application/json", `{"hash":"0x${"ab".repeat(32)}"}`],
    ["nothing", "application/json", ""],
  ])("does not take %s for an acceptance", async (_, type, body) => {
    const { url } = await forwarding((_request, response) => {
      response.writeHead(202, { "content-type": type }).end(body);
    });
    const answer = await post(url, signed());
    expect(answer.status).toBe(503);
    expect(((await answer.json()) as { message: string }).message).toContain(
      "it may have taken the transaction",
    );
  });

  it("knows what it handed on while the upstream is out of reach, and says so of what it does not know", async () => {
    let isGone = false;
    const { url, submissions } = await forwarding((request, response) => {
      if (isGone) request.socket.destroy();
      else accept(request, response, (answer) => answer());
    });
    const taken = await post(url, signed());
    const { hash } = (await taken.json()) as { hash: string };
    expect(taken.status).toBe(202);
    isGone = true;
    const bytes = Buffer.from(hash.slice(2), "hex");
    expect(await submissions.pendingTransaction(bytes)).toMatchObject({ bytes: new Uint8Array(signed()) });
    await expect(submissions.pendingTransaction(Buffer.alloc(32, 1))).rejects.toThrow(
      "the upstream does not say whether it has the transaction",
    );
  });

  it("lets no unfinished request take a connection to the upstream", async () => {
    const { server, url } = await forwarding((request, response) =>
      accept(request, response, (answer) => answer()),
    );
    const sockets = Array.from({ length: 130 }, (): Socket => {
      const socket = connect(server.port, server.host);
      socket.on("error", () => {});
      socket.write(
        `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nContent-Type: ${BCS}\r\nContent-Length: 200\r\n\r\nhalf`,
      );
      return socket;
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await until(() => server.figures().connections >= 130);
    expect((await post(url, signed())).status).toBe(202);
  });

  it("gives one client a share of what may wait", async () => {
    const held: (() => void)[] = [];
    const { url } = await forwarding((request, response) =>
      accept(request, response, (answer) => held.push(answer)),
    );
    const waiting = Array.from({ length: 8 }, (_, i) => post(url, signed(BigInt(i))));
    await until(() => held.length === 8);
    const refused = await post(url, signed(9n));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    for (const answer of held.splice(0)) answer();
    for (const one of await Promise.all(waiting)) expect(one.status).toBe(202);
    const later = post(url, signed(9n));
    await until(() => held.length === 1);
    held[0]?.();
    expect((await later).status).toBe(202);
  });
});
