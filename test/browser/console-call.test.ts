// View functions are called by a form, and the calls of a transaction are shown.
import { expect, it, onTestFinished } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { askNode, openConsole } from "../support/console.ts";
import { startProgram } from "../support/program.ts";
import { hasShared, sharedPath } from "../support/shared.ts";
import type { Visit } from "../support/visit.ts";

const QUIET = ["--store", "memory", "--log-level", "error"];

async function open(url: string, hash: string): Promise<Visit["page"]> {
  const visit = await openConsole(url, hash);
  onTestFinished(() => visit.close());
  return visit.page;
}

it.skipIf(!hasChromium)("a form calls a view function of a module, and shows what it returned", async () => {
  const node = await startProgram([...QUIET, "--no-traffic"]);
  const page = await open(node.url, "#/account/0x1?part=modules");
  await page.locator("summary", { hasText: /^coin / }).click();
  await page.locator("details[open]").getByRole("link", { name: "balance", exact: true }).click();
  await page.getByLabel(/^T0/).fill("0x1::aptos_coin::AptosCoin");
  await page.getByLabel(/^argument 0/).fill("anna");
  await page.getByRole("button", { name: "Call it" }).click();
  const info = JSON.parse(await askNode(node.url, "info")) as {
    readonly demo_accounts: Readonly<Record<string, { readonly address: string }>>;
  };
  const anna = info.demo_accounts.anna?.address;
  const balance = await askNode(node.url, `accounts/${anna}/balance/0x1::aptos_coin::AptosCoin`);
  const shown = await page.getByTestId("returned").textContent();
  expect(shown?.replace(/\D/g, "")).toBe(balance);
  await page.getByLabel(/^argument 0/).fill("0x");
  await page.getByRole("button", { name: "Call it" }).click();
  await page.locator(".problem", { hasText: "arguments" }).waitFor();
});

it.skipIf(!hasChromium || !hasShared)(
  "the view of a transaction shows its calls, and its fault",
  async () => {
    const genesis = sharedPath("networks/devnet/genesis.blob");
    const node = await startProgram([...QUIET, "--genesis", genesis, "--local-chain", "--faucet-port", "0"]);
    const { faucet_url: faucet } = JSON.parse(await askNode(node.url, "info")) as {
      readonly faucet_url: string;
    };
    const change = async (path: string, body: object): Promise<{ readonly version?: string }> => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(faucet + path, { method: "POST", headers, body: JSON.stringify(body) });
      expect(response.status).toBe(200);
      return (await response.json()) as { readonly version?: string };
    };
    await change("/fund", { address: "0xb0b", amount: 5 });
    const { version } = await change("/chain/impersonate", {
      address: "0xb0b",
      function: "0x1::aptos_account::transfer",
      arguments: ["0xcafe", "6"],
    });
    const page = await open(node.url, `#/transaction/${version}`);
    await page.getByRole("button", { name: "Trace it" }).click();
    expect(await page.getByTestId("fault").textContent()).toContain("EINSUFFICIENT_BALANCE");
    const call = page.locator("details", { hasText: "unchecked_withdraw" }).filter({ hasText: "aborted" });
    await call.locator("summary").click();
    expect(await call.textContent()).toContain("Argument 1u64 6");
  },
);
