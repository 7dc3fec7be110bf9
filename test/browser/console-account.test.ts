// The account view against a node with the local chain: what it shows is what the API says, digit by digit.
import { beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { askNode, downloadOf, exactOf, goTo, openConsole } from "../support/console.ts";
import { type Running, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";

interface Info {
  readonly ledger_version: string;
  readonly demo_accounts: Readonly<Record<string, { readonly address: string }>>;
  readonly demo_assets: Readonly<Record<string, string>>;
}

interface Change {
  readonly version: string;
  readonly timestamp_usec: string;
  readonly after: string;
  readonly transaction_hash: string;
}

describe.skipIf(!hasChromium)("the account view", () => {
  let node: Running;
  let info: Info;
  const balancePath = (name: string, asset: string): string =>
    `accounts/${info.demo_accounts[name]?.address}/balance/${encodeURIComponent(asset)}`;
  const history = async (name: string, query = ""): Promise<Change[]> =>
    JSON.parse(await askNode(node.url, `${balancePath(name, APT)}/history${query}`)) as Change[];

  beforeAll(async () => {
    const blocks = ["--blocks", "30", "--block-time", "100ms"];
    node = await startProgram([
      "--store",
      "memory",
      "--prune-window",
      "off",
      "--log-level",
      "warn",
      ...blocks,
    ]);
    // All blocks are made: what the page and the test read is one state.
    await until(async () => JSON.parse(await askNode(node.url, "")).block_height === "30");
    info = JSON.parse(await askNode(node.url, "info")) as Info;
  });

  it("shows every asset with name, decimals and exact balance, and the parts of the chosen one", async () => {
    const { page, close, faults, otherHosts } = await openConsole(node.url, "#/account/gus");
    const rows = page.getByTestId("holdings").locator("tbody tr");
    await rows.nth(1).waitFor();
    const held = JSON.parse(
      await askNode(node.url, `accounts/${info.demo_accounts.gus?.address}/balances`),
    ) as readonly { asset_type: string; balance: string; symbol: string; decimals: number }[];
    expect(held.length).toBeGreaterThan(1);
    expect(await rows.count()).toBe(held.length);
    for (const { balance, symbol, decimals } of held) {
      const row = rows.filter({ hasText: symbol });
      expect(await exactOf(row.locator("[data-exact]"))).toBe(balance);
      expect(await row.textContent()).toContain(`${decimals} decimals`);
    }
    // More than 2^53: a number of JavaScript would lose digits.
    const apt = held.find(({ symbol }) => symbol === "APT")?.balance ?? "";
    expect(BigInt(apt)).toBeGreaterThan(2n ** 53n);
    await page.getByText("Aptos Coin").first().waitFor();
    const balance = page.getByTestId("balance");
    expect(await exactOf(balance)).toBe(apt);
    const shown = ((await balance.textContent()) ?? "").replace(/[^\d.]/g, "");
    expect(shown.replace(".", "").padEnd(apt.length, "0")).toBe(apt);
    await page.getByRole("heading", { name: "Primary store" }).waitFor();
    expect(faults).toEqual([]);
    expect(otherHosts).toEqual([]);
    await close();
  });

  it("shows one balance in the list and below it, also when blocks come between the two reads", async () => {
    const [before, latest] = (await history("clio")).slice(-2);
    expect(latest!.after).not.toBe(before!.after);
    const { page, close } = await openConsole(node.url, "#/account");
    // The list is read a moment before the last change.
    await page.route(
      ({ pathname }) => pathname.endsWith("/balances"),
      (route) =>
        route.continue({ url: `${route.request().url()}&ledger_version=${BigInt(latest!.version) - 1n}` }),
    );
    await goTo(page, "#/account/clio");
    const balance = page.getByTestId("balance");
    await until(async () => (await balance.count()) === 1 && (await exactOf(balance)) === before!.after);
    const row = page.getByTestId("holdings").locator("tbody tr").filter({ hasText: "APT" });
    expect(await exactOf(row.locator("[data-exact]"))).toBe(before!.after);
    await close();
  });

  it("reads an earlier version and an earlier time, by URL and by the controls, and goes back and forward", async () => {
    const [first, second] = (await history("clio")).slice(-2);
    expect(second).toBeDefined();
    const { page, close } = await openConsole(node.url, "#/account/clio");
    const balance = page.getByTestId("balance");
    await balance.waitFor();
    expect(await exactOf(balance)).toBe(second!.after);
    const now = page.url();

    await page.getByText("At a version").click();
    await page.getByLabel("Version", { exact: true }).fill(first!.version);
    await page.getByRole("button", { name: "Read" }).click();
    await page.waitForURL(`**version=${first!.version}*`);
    await until(async () => (await exactOf(balance)) === first!.after);

    // The browser's zone in these tests is UTC; the input has whole seconds.
    const at = new Date(Math.floor(Number(BigInt(first!.timestamp_usec) / 1_000_000n)) * 1000);
    const text = at.toISOString().slice(0, 19);
    await page.getByText("At a time").click();
    await page.getByLabel("Time, in your zone").fill(text);
    await page.getByRole("button", { name: "Read" }).click();
    await page.waitForURL("**at=*");
    const then = await askNode(node.url, `${balancePath("clio", APT)}?at=${text}Z&quoted=true`);
    await until(async () => (await exactOf(balance)) === JSON.parse(then));

    await page.goBack();
    await until(async () => (await exactOf(balance)) === first!.after);
    await page.goBack();
    expect(page.url()).toBe(now);
    await until(async () => (await exactOf(balance)) === second!.after);
    await page.goForward();
    await until(async () => (await exactOf(balance)) === first!.after);
    await close();
  });

  it("draws the history, tells exact digits under the cursor, zooms, and saves the changes in the unit of the asset", async () => {
    const changes = await history("anna", "?limit=1000");
    const { page, close } = await openConsole(node.url, "#/account/anna");
    const chart = page.getByTestId("chart");
    await chart.locator("canvas").waitFor();
    const amount = page.getByTestId("chart-amount");
    expect(await exactOf(amount)).toBe(changes.at(-1)?.after);
    // By keyboard, from change to change.
    await chart.focus();
    await page.keyboard.press("Home");
    const timed = changes.filter(({ timestamp_usec }) => timestamp_usec !== "0");
    await until(async () => (await exactOf(amount)) === timed[0]?.after);
    await page.keyboard.press("ArrowRight");
    await until(async () => (await exactOf(amount)) === timed[1]?.after);

    // By drawing over a part of it: the URL names that part.
    const box = (await chart.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.4, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 100, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    const { from, to } = Object.fromEntries(new URLSearchParams(page.url().split("?")[1]));
    expect(BigInt(from!)).toBeLessThan(BigInt(to!));
    const all = page.getByRole("button", { name: "All", exact: true });
    expect(await all.getAttribute("aria-pressed")).toBe("false");
    await all.click();
    await until(() => !page.url().includes("from="));
    await until(async () => (await all.getAttribute("aria-pressed")) === "true");
    expect(await all.isEnabled()).toBe(true);

    const csv = await downloadOf(page, () => page.getByRole("button", { name: "Download CSV" }).click());
    const [names, ...rows] = csv.text.trim().split("\n");
    expect(names).toBe("time,version,before,change,after,unit,transaction_hash");
    const inUnits = (digits: string): string => digits.padStart(9, "0").replace(/(?=\d{8}$)/, ".");
    expect(rows.map((row) => row.split(",").slice(4))).toEqual(
      changes.map(({ after, transaction_hash: hash }) => [inUnits(after), "APT", hash]),
    );
    await close();
  });

  it("saves a statement that adds up", async () => {
    const changes = (await history("anna", "?limit=1000")).filter((one) => one.timestamp_usec !== "0");
    const { page, close } = await openConsole(node.url, "#/account/anna");
    await page.getByRole("button", { name: "Statement…" }).click();
    const second = (usec: string, add: number): string =>
      new Date(Number(BigInt(usec) / 1_000_000n) * 1000 + add).toISOString().slice(0, 19);
    const [from, to] = [second(changes[0]!.timestamp_usec, 1000), second(changes.at(-1)!.timestamp_usec, 0)];
    await page.getByLabel("From", { exact: true }).fill(to);
    await page.getByLabel("Until", { exact: true }).fill(from);
    await page.getByRole("button", { name: "CSV", exact: true }).click();
    await page.getByText("the beginning must be before the end").waitFor();
    await page.getByLabel("From", { exact: true }).fill(from);
    await page.getByLabel("Until", { exact: true }).fill(to);
    const { text, name } = await downloadOf(page, () =>
      page.getByRole("button", { name: "CSV", exact: true }).click(),
    );
    expect(name).toMatch(/^statement-apt-[0-9a-f]{8}\.csv$/);
    const lines = text.trim().split("\n");
    expect(lines[0]).toContain("entry,time,version");
    expect(lines[1]).toMatch(/^opening,/);
    expect(lines.at(-1)).toMatch(/^closing,/);
    expect(lines.at(-1)).toContain(`,${new URL(node.url).origin},`);
    await close();
  });

  it.each([
    ["the balance", "/detail", { status: 503, json: { message: "too busy", error_code: "internal_error" } }],
    ["the list", "/balances", { status: 503, json: { message: "too busy", error_code: "internal_error" } }],
    ["the history", "/history", { status: 429, json: { message: "too many", error_code: "internal_error" } }],
    ["half a balance", "/detail", { status: 200, body: '{"balance":' }],
  ])("keeps a form and what was typed in it when a read of %s fails", async (_, end, failure) => {
    const { page, close } = await openConsole(node.url, "#/account");
    // The stream of changes is in the hands of the test: a change is what makes the page read again.
    let change = (): void => undefined;
    const changed = new Promise<void>((resolve) => {
      change = resolve;
    });
    let streams = 0;
    await page.route("**/stream*", async (route) => {
      if (!route.request().url().includes("/balance/")) return route.continue();
      streams += 1;
      // It tells one change; the page gets no second stream, whose first event would make it read once more.
      if (streams > 1) return route.abort();
      await changed;
      const event = "event: balance\ndata: {}\n\n";
      return route.fulfill({ contentType: "text/event-stream", body: event.repeat(2) });
    });
    await goTo(page, "#/account/anna");
    await page.getByRole("button", { name: "Statement…" }).click();
    const from = page.getByLabel("From", { exact: true });
    const to = page.getByLabel("Until", { exact: true });
    await from.fill("2001-02-03T04:05:06");
    await to.fill("2002-03-04T05:06:07");
    const form = await from.elementHandle();
    await page.route(
      ({ pathname }) => pathname.endsWith(end),
      (route) => route.fulfill(failure),
      { times: 1 },
    );
    change();

    // The failure is told next to what was read before, and the form is the same one.
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    expect(await page.getByTestId("holdings").isVisible()).toBe(true);
    expect(await page.getByTestId("balance").isVisible()).toBe(true);
    expect(await page.getByTestId("chart").isVisible()).toBe(true);
    await retry.click();
    await retry.waitFor({ state: "detached" });
    expect(await form?.evaluate((element) => element.isConnected)).toBe(true);
    expect(await from.inputValue()).toBe("2001-02-03T04:05:06");
    expect(await to.inputValue()).toBe("2002-03-04T05:06:07");
    await close();
  });

  it("reads no account before the node has told which names it knows: anna is also a hex number", async () => {
    const { page, close } = await openConsole(node.url, "#/account");
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    await page.route("**/v1/info", async (route) => {
      await told;
      await route.continue();
    });
    const asked = new Set<string>();
    page.on("request", (request) => {
      const address = /\/v1\/accounts\/(0x[0-9a-f]+)/.exec(request.url())?.[1];
      if (address !== undefined) asked.add(address);
    });
    await goTo(page, "#/account/anna");
    await page.reload();
    await page.getByText("Loading…").first().waitFor();
    tell();
    await page.getByTestId("balance").waitFor();
    expect([...asked]).toEqual([info.demo_accounts.anna?.address]);
    await close();
  });

  it("shows resources as a tree and modules with functions that lead to the encoder", async () => {
    const { page, close } = await openConsole(node.url, "#/account/anna?part=resources");
    await page.getByText("0x1::account::Account", { exact: true }).waitFor();
    const { sequence_number } = JSON.parse(
      await askNode(node.url, `accounts/${info.demo_accounts.anna?.address}`),
    );
    const account = page.locator("details.resource", { hasText: "0x1::account::Account" });
    expect(await account.textContent()).toContain(`sequence_number${sequence_number}`);
    await goTo(page, "#/account/0x1?part=modules");
    await page.getByText("aptos_account", { exact: true }).click();
    await page.getByRole("link", { name: "batch_transfer", exact: true }).click();
    await page.getByRole("heading", { name: "Encode a transaction" }).waitFor();
    expect(page.url()).toContain("batch_transfer");
    await close();
  });

  it.each([
    ["#/account/zz", "That is no address"],
    ["#/account/anna?version=99999999", "The ledger has no such version"],
    ["#/account/anna?version=abc", "The request is not right"],
    ["#/account/anna?at=yesterday", "The request is not right"],
    ["#/account/0xdeadbeef", "No balances here"],
    ["#/account/0xdeadbeef?part=resources", "No resources here"],
    ["#/account/0xdeadbeef?part=modules", "No modules here"],
  ])("%s says: %s", async (hash, message) => {
    const { page, close } = await openConsole(node.url, hash);
    await page.getByText(message).first().waitFor();
    await close();
  });

  it("says what is wrong with a typed address, next to the field", async () => {
    const { page, close } = await openConsole(node.url, "#/account");
    await page.getByLabel("Address or demo name").fill("0xnope");
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByText("expected an address of up to 64 hex digits").waitFor();
    expect(await page.getByLabel("Address or demo name").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Address or demo name").fill("basil");
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByRole("heading", { name: "Account basil" }).waitFor();
    await close();
  });
});
