// The console of a node that follows others: one that serves, one that is not there, and then none.
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { askNode, openConsole } from "../support/console.ts";
import { freePort } from "../support/free-port.ts";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { findAxeFaults, SCREENS } from "../support/visit.ts";

const QUIET = ["--store", "memory", "--log-level", "error"];
const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

describe.skipIf(!hasChromium)("the console of a follower", () => {
  it("shows each upstream with its state and version, and says when none of them answers", async () => {
    const origin = await startProgram([...QUIET, "--block-time", "300ms"]);
    const absent = `http://127.0.0.1:${await freePort()}/v1`;
    const follower = await startProgram([...QUIET, ...["--upstream", origin.url, "--upstream", absent]]);
    const visit = await openConsole(follower.url, "#/");
    const { page } = visit;
    const rows = page.getByRole("region", { name: "Upstreams" }).locator("tbody tr");
    const used = rows.filter({ hasText: origin.url });
    const resting = rows.filter({ hasText: absent });
    await used.getByText("in use").waitFor();
    await resting.getByText("does not answer").waitFor();
    await resting.getByText(/last fault: .*ECONNREFUSED/).waitFor();
    expect(await rows.count()).toBe(2);
    const versionOf = async () =>
      Number(((await used.getByRole("cell").last().textContent()) ?? "").replaceAll(",", ""));
    const first = await versionOf();
    expect(first).toBeGreaterThan(0);
    await until(async () => (await versionOf()) > first);
    await page.getByText("at the head of the network").waitFor();
    for (const screen of ["desktop", "phone"] as const) {
      await page.setViewportSize(SCREENS[screen]);
      expect(await findAxeFaults(page)).toEqual([]);
      expect(await page.evaluate(OVERFLOW)).toBeLessThanOrEqual(0);
    }

    await origin.stop();
    await used.getByText("does not answer").waitFor();
    await page.getByRole("alert").getByText("The ledger does not move").waitFor();
    // The version that it told last stays.
    expect(await versionOf()).toBeGreaterThan(first);
    expect(visit.faults).toEqual([]);
    expect(visit.otherHosts).toEqual([]);
    await visit.close();
    await follower.stop();
  });

  it("of a fork says that an account may hold more than the balance it shows, and asks for another", async () => {
    const origin = await startProgram([...QUIET, "--blocks", "5", "--block-time", "0"]);
    const { demo_accounts: accounts, demo_assets: assets } = JSON.parse(
      await askNode(origin.url, "info"),
    ) as {
      readonly demo_accounts: Readonly<Record<string, { readonly address: string }>>;
      readonly demo_assets: Readonly<Record<string, string>>;
    };
    const fork = await startProgram([...QUIET, "--fork", origin.url]);
    const { page, close } = await openConsole(fork.url, `#/account/${Object.values(accounts)[0]?.address}`);
    await page.getByRole("heading", { name: "One of the balances" }).waitFor();
    await page.getByText("The account may hold more than this").waitFor();
    const rows = page.getByTestId("holdings").locator("tbody tr");
    expect(await rows.count()).toBe(1);
    await rows.getByText("APT", { exact: true }).waitFor();
    await page.getByLabel("Balance of another asset").fill(assets.SHELL ?? "");
    await page.getByRole("button", { name: "Ask" }).click();
    await rows.getByText("SHELL", { exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await findAxeFaults(page)).toEqual([]);
    await close();
    await fork.stop();
    await origin.stop();
  });
});
