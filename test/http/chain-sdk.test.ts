// The official SDK reads the expected balances of every demo account over HTTP.
import type { Aptos } from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { type AssetName, assetText } from "../../src/chain/demo/assets.ts";
import type { DemoAccountName } from "../../src/chain/demo/demo-accounts.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { startServer } from "../support/http-server.ts";
import { sdkClient } from "../support/sdk-client.ts";

const ASSETS: readonly AssetName[] = ["native", "gold", "shell"];
/** Above this the SDK's JSON parser rounds, so the test compares the digits on the wire. */
const LARGEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

describe("the official SDK on the local chain", () => {
  const chain = createTrackedChain({ seed: "sdk" });
  const run = new ChainRun(chain, createMemoryStore());
  let aptos: Aptos;
  let url: string;

  beforeAll(async () => {
    await run.start();
    await run.steps(60);
    const server = await startServer({ ledger: run.store });
    url = `${server.url}/v1`;
    aptos = sdkClient(url);
  });

  it("reads the chain id and the latest version", async () => {
    const info = await aptos.getLedgerInfo();
    const position = await run.position();
    expect(info.chain_id).toBe(4);
    expect(BigInt(info.ledger_version)).toBe(position.version);
    expect(BigInt(info.block_height)).toBe(60n);
  });

  it("finds the account of a key that was never rotated", async () => {
    const { anna } = chain.items.demoAccounts;
    const authenticationKey = formatAddressLong(anna.address);
    const found = await aptos.lookupOriginalAccountAddress({ authenticationKey });
    expect(found.toString()).toBe(authenticationKey);
  });

  it("reads every expected balance", async () => {
    let exact = 0;
    let rounded = 0;
    for (const [name, { address }] of Object.entries(chain.items.demoAccounts)) {
      for (const asset of ASSETS) {
        const definition = chain.items.assets[asset];
        const store = chain.expectedBalances.amount(name as DemoAccountName, asset, "store");
        const whole = store + chain.expectedBalances.amount(name as DemoAccountName, asset, "coin");
        const questions: [string, bigint][] = [
          [assetText(definition), whole],
          [formatAddressLong(definition.metadata), store],
        ];
        for (const [text, expected] of questions) {
          const accountAddress = formatAddressLong(address);
          const answer = await aptos.getBalance({ accountAddress, asset: text as `0x${string}` });
          if (expected <= LARGEST_EXACT) {
            expect(BigInt(answer), `${name} ${text}`).toBe(expected);
            exact++;
          } else {
            expect(Number(answer)).toBe(Number(expected));
            const response = await fetch(
              `${url}/accounts/${accountAddress}/balance/${encodeURIComponent(text)}`,
            );
            expect(await response.text()).toBe(`${expected}`);
            rounded++;
          }
        }
      }
    }
    expect(exact + rounded).toBe(Object.keys(chain.items.demoAccounts).length * ASSETS.length * 2);
    expect(rounded).toBeGreaterThan(1);
  });
});
