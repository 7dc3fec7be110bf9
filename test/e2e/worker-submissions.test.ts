// Submissions that reach a worker process get to the writer, which makes the blocks.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { DEFAULT_SEED } from "../../src/node/options/local-chain-options.ts";
import { type UserTransaction, userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { Pipeline, type PipelinedAnswer } from "../support/pipelined.ts";
import { startProgram } from "../support/program.ts";
import { signCall } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { isAlive, socketsOf, workersOf } from "../support/worker-processes.ts";

const BCS = "application/x.aptos.signed_transaction+bcs";
const APT = "0x1::aptos_coin::AptosCoin";
const folder = temporaryFolder();
/** Submissions in flight when a worker dies. */
const IN_FLIGHT = 60;
/** The sequence number was used before. */
const SEQUENCE_NUMBER_TOO_OLD = 3;

function postText(path: string, body: Uint8Array): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: node\r\nContent-Type: ${BCS}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

const INFO_TEXT = "GET /v1/info HTTP/1.1\r\nHost: node\r\n\r\n";

/** Bytes that no process has read yet from the connections to a port of this machine. */
function unreadBytes(port: string): number {
  const local = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n");
  const unread = rows.map((row) => row.trim().split(/\s+/)).filter(([, address]) => address === local);
  return unread.reduce((sum, [, , , , queues = ""]) => sum + Number.parseInt(queues.slice(9), 16), 0);
}

describe.skipIf(process.platform !== "linux")("submissions to workers", () => {
  it("are executed, simulated and refused as by the writer itself", async () => {
    const node = await startProgram([
      "--data",
      join(folder, "data"),
      ...["--block-time", "50ms", "--workers", "1", "--log-level", "warn"],
    ]);
    const post = async (path: string, body: Uint8Array) => {
      const headers = { "Content-Type": BCS };
      const response = await fetch(`${node.url}${path}`, { method: "POST", body, headers });
      return { status: response.status, body: await response.json() };
    };
    const get = async (path: string) => (await fetch(`${node.url}${path}`)).json();
    const to = parseAddress("0xb0b");
    const sender = createKeypair(chainSeed(DEFAULT_SEED), "emptier");
    const payer = createKeypair(chainSeed(DEFAULT_SEED), "gus");
    const sign = (amount: bigint, nonce: bigint, key = payer): UserTransaction =>
      signCall(key, {
        function: "aptos_account::transfer",
        args: [encodeWith(addressCodec, to), encodeWith(u64, amount)],
        nonce,
        fields: { expirationTimestampSecs: BigInt(Math.floor(Date.now() / 1000)) + 30n },
      });
    const balance = () => get(`/accounts/${formatAddress(to)}/balance/${APT}`);
    await until(async () => BigInt(((await get("")) as { block_height: string }).block_height) > 2n);

    const first = sign(7n, 1n);
    const pending = await post("/transactions", encodeWith(userTransactionCodec, first));
    expect(pending).toMatchObject({ status: 202, body: { type: "pending_transaction" } });
    await until(async () => (await balance()) === 7);
    expect(await post("/transactions", encodeWith(userTransactionCodec, first))).toMatchObject({
      status: 400,
      body: { error_code: "vm_error", vm_error_code: 42 },
    });
    expect(await post("/transactions", Buffer.from("garbage"))).toMatchObject({
      status: 400,
      body: { error_code: "web_framework_error" },
    });
    const batch = [sign(5n, 2n), sign(1n, 3n, sender)];
    expect(await post("/transactions/batch", encodeWith(vector(userTransactionCodec), batch))).toMatchObject({
      status: 206,
      body: { transaction_failures: [{ transaction_index: 1, error: { vm_error_code: 7 } }] },
    });
    await until(async () => (await balance()) === 12);
    const { raw } = sign(5n, 4n);
    const authenticator = {
      kind: "ed25519",
      publicKey: payer.publicKey,
      signature: new Uint8Array(64),
    } as const;
    const simulated = await post(
      "/transactions/simulate",
      encodeWith(userTransactionCodec, { raw, authenticator }),
    );
    expect(simulated).toMatchObject({ status: 200, body: [{ success: true, type: "user_transaction" }] });
    expect(await balance()).toBe(12);
    await node.stop();
  });

  it("are answered or their connection ends when a worker is killed, and a repeated one is executed once", async () => {
    const node = await startProgram([
      "--data",
      join(folder, "killed"),
      ...["--block-time", "50ms", "--workers", "2", "--log-level", "warn"],
    ]);
    const seed = chainSeed(DEFAULT_SEED);
    const [payer, sender] = [createKeypair(seed, "gus"), createKeypair(seed, "sender of many")];
    const to = parseAddress("0xb0b");
    const get = async (path: string) => (await fetch(`${node.url}${path}`)).json();
    const balanceOf = (address: Uint8Array) => get(`/accounts/${formatAddress(address)}/balance/${APT}`);
    const post = async (body: Uint8Array) => {
      const headers = { "Content-Type": BCS };
      const response = await fetch(`${node.url}/transactions`, { method: "POST", body, headers });
      return { status: response.status, body: await response.json() };
    };
    const ledgerSeconds = await until(async () => {
      const ledger = (await get("")) as { block_height: string; ledger_timestamp: string };
      return BigInt(ledger.block_height) > 2n && BigInt(ledger.ledger_timestamp) / 1_000_000n;
    });
    const gift = signCall(payer, {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, sender.address), encodeWith(u64, 1_000_000_000n)],
      nonce: 1n,
      fields: { expirationTimestampSecs: ledgerSeconds + 60n },
    });
    expect((await post(encodeWith(userTransactionCodec, gift))).status).toBe(202);
    await until(async () => (await balanceOf(sender.address)) === 1_000_000_000);
    const bodies = Array.from({ length: IN_FLIGHT }, (_, i) =>
      encodeWith(
        userTransactionCodec,
        signCall(sender, {
          function: "aptos_account::transfer",
          args: [encodeWith(addressCodec, to), encodeWith(u64, BigInt(i) + 1n)],
          fields: { sequenceNumber: BigInt(i) },
        }),
      ),
    );

    const { port } = new URL(node.url);
    const pipelines = bodies.map(() => new Pipeline(new URL(node.url)));
    // An answer shows that a worker accepted the connection.
    await Promise.all(pipelines.map((pipeline) => pipeline.send(INFO_TEXT)));
    const [victim = 0] = workersOf(node).sort((a, b) => socketsOf(b) - socketsOf(a));
    // A stopped writer answers nothing: every submission is in flight until it goes on.
    node.child.kill("SIGSTOP");
    const outcomes = pipelines.map((pipeline, i) =>
      pipeline.send(postText("/v1/transactions", bodies[i] ?? new Uint8Array(0))).catch(() => undefined),
    );
    await until(() => unreadBytes(port) === 0);
    process.kill(victim, "SIGKILL");
    await until(() => !isAlive(victim));
    node.child.kill("SIGCONT");
    const replies: (PipelinedAnswer | undefined)[] = await Promise.all(outcomes);
    expect(replies).toContain(undefined);
    // 503: the other worker waits ten seconds for the stopped writer at most.
    expect([202, 503]).toEqual(expect.arrayContaining(replies.flatMap((reply) => reply?.status ?? [])));

    // The client repeats each submission whose end it does not know.
    await until(() => workersOf(node).length === 2);
    for (const [i, body] of bodies.entries()) {
      if (replies[i]?.status === 202) continue;
      const { status, body: answer } = await until(() => post(body).catch(() => undefined));
      if (status === 202) continue;
      expect(answer).toMatchObject({ error_code: "vm_error", vm_error_code: SEQUENCE_NUMBER_TOO_OLD });
    }
    await until(async () => {
      const account = (await get(`/accounts/${formatAddress(sender.address)}`)) as {
        sequence_number: string;
      };
      return account.sequence_number === `${IN_FLIGHT}`;
    });
    expect(await balanceOf(to)).toBe((IN_FLIGHT * (IN_FLIGHT + 1)) / 2);
    const sent = (await get(
      `/accounts/${formatAddress(sender.address)}/transactions?limit=100`,
    )) as readonly { sequence_number: string; success: boolean }[];
    expect(sent.map(({ sequence_number, success }) => [sequence_number, success])).toEqual(
      bodies.map((_, i) => [`${i}`, true]),
    );
    expect(workersOf(node)).not.toContain(victim);
    for (const pipeline of pipelines) pipeline.close();
    expect((await node.stop()).code).toBe(0);
  });
});
