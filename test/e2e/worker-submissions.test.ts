// Submissions that reach a worker process get to the writer, which makes the blocks.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { NODE_DEFAULTS } from "../../src/node/options.ts";
import { type UserTransaction, userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { startProgram } from "../support/program.ts";
import { signCall } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const BCS = "application/x.aptos.signed_transaction+bcs";
const APT = "0x1::aptos_coin::AptosCoin";
const folder = temporaryFolder();

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
    const sender = createKeypair(chainSeed(NODE_DEFAULTS.seed), "emptier");
    const payer = createKeypair(chainSeed(NODE_DEFAULTS.seed), "gus");
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
});
