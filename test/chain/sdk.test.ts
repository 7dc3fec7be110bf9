// The official SDK reads the balances of every demo account, over HTTP, and agrees with the books.
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { type AssetName, assetText } from "../../src/chain/assets.ts";
import type { DemoAccountName } from "../../src/chain/demo-accounts.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { createBookedChain } from "../support/books.ts";
import { ChainRun } from "../support/chain-run.ts";
import { startServer } from "../support/http-server.ts";

const ASSETS: readonly AssetName[] = ["native", "gold", "shell"];
/** Above this the SDK's own JSON parser rounds; the digits on the wire are compared instead. */
const LARGEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

describe("the official SDK on the local chain", () => {
  const chain = createBookedChain({ seed: "sdk" });
  const run = new ChainRun(chain, createMemoryStore());
  let aptos: Aptos;
  let url: string;

  beforeAll(async () => {
    await run.start();
    await run.steps(60);
    const server = await startServer({ ledger: run.store, headerBrands: ["NODE", "APTOS"] });
    url = `${server.url}/v1`;
    aptos = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: url }));
  });

  it("reads the chain id and the latest version", async () => {
    const info = await aptos.getLedgerInfo();
    const position = await run.position();
    expect(info.chain_id).toBe(4);
    expect(BigInt(info.ledger_version)).toBe(position.version);
    expect(BigInt(info.block_height)).toBe(60n);
  });

  it("reads every balance that the books hold", async () => {
    let exact = 0;
    let rounded = 0;
    for (const [name, { address }] of Object.entries(chain.chainItems.demoAccounts)) {
      for (const asset of ASSETS) {
        const definition = chain.chainItems.assets[asset];
        const store = chain.books.amount(name as DemoAccountName, asset, "store");
        const whole = store + chain.books.amount(name as DemoAccountName, asset, "coin");
        const questions: [string, bigint][] = [
          [assetText(definition), whole],
          [formatAddressLong(definition.metadata), store],
        ];
        for (const [text, booked] of questions) {
          const accountAddress = formatAddressLong(address);
          const answer = await aptos.getBalance({ accountAddress, asset: text as `0x${string}` });
          if (booked <= LARGEST_EXACT) {
            expect(BigInt(answer), `${name} ${text}`).toBe(booked);
            exact++;
          } else {
            expect(Number(answer)).toBe(Number(booked));
            const response = await fetch(
              `${url}/accounts/${accountAddress}/balance/${encodeURIComponent(text)}`,
            );
            expect(await response.text()).toBe(`${booked}`);
            rounded++;
          }
        }
      }
    }
    expect(exact + rounded).toBe(Object.keys(chain.chainItems.demoAccounts).length * ASSETS.length * 2);
    expect(rounded).toBeGreaterThan(1);
  });
});
