// The other views of the console against a node with the local chain, and what all views share: search, URLs, colours,
// times, the keyboard.
import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { askNode, exactOf, goTo, openConsole } from "../support/console.ts";
import { builtFile, type Running, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import type { Look, Visit } from "../support/visit.ts";

interface Info {
  readonly demo_accounts: Readonly<Record<string, { readonly address: string }>>;
  readonly demo_tables: Readonly<Record<string, string>>;
  readonly genesis_waypoint: string;
}

const JSON_BODY = { "Content-Type": "application/json" };

it("all scripts of the console together are under 150 kB compressed", () => {
  const listed = JSON.parse(readFileSync(builtFile("web-files.json"), "utf8")) as Record<
    string,
    { readonly sizes: { readonly identity: number; readonly gzip?: number } }
  >;
  const scripts = Object.entries(listed).filter(([name]) => /^console\/.*\.js$/.test(name));
  expect(scripts.length).toBeGreaterThan(1);
  const bytes = scripts.reduce((sum, [, { sizes }]) => sum + (sizes.gzip ?? sizes.identity), 0);
  expect(bytes).toBeLessThan(150_000);
});

describe.skipIf(!hasChromium)("the console", () => {
  let node: Running;
  let info: Info;
  let visit: Visit;
  const open = async (hash: string, look: Look = {}): Promise<Visit["page"]> => {
    visit = await openConsole(node.url, hash, look);
    return visit.page;
  };

  beforeAll(async () => {
    node = await startProgram(["--store", "memory", "--log-level", "warn", "--block-time", "1s"]);
    info = JSON.parse(await askNode(node.url, "info")) as Info;
  });
  afterEach(async () => {
    expect(visit.otherHosts).toEqual([]);
    await visit.close();
  });

  it("Feed: transactions that fit show as they come, and the filter is said in words", async () => {
    const page = await open("#/feed?sender=anna&success=true");
    await page.getByTestId("filter").getByText("Successful transactions that were sent by").waitFor();
    const rows = page.locator("table.transactions tbody tr");
    await until(async () => (await rows.count()) >= 2);
    const { address } = info.demo_accounts.anna ?? { address: "" };
    const links = await page.locator("table.transactions a[href^='#/transaction/']").all();
    for (const link of links.slice(0, 3)) {
      const version = (await link.getAttribute("href"))?.split("/").at(-1);
      const found = JSON.parse(await askNode(node.url, `transactions/by_version/${version}`)) as {
        readonly sender: string;
        readonly success: boolean;
      };
      expect(found).toMatchObject({ sender: address.replace(/^0x0+/, "0x"), success: true });
    }
    await page.getByLabel("Sent by").fill("0x404");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("None yet").waitFor();
    expect(page.url()).toContain("#/feed?sender=0x404&success=true");
    await page.getByLabel("Sent by").fill("nobody at all");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("The node refuses this filter").waitFor();
  });

  it("Now: version and blocks move by themselves, with trust, window, requests and memory", async () => {
    const page = await open("#/");
    const version = page.getByTestId("version");
    const first = await version.textContent();
    await until(async () => (await version.textContent()) !== first);
    await page.getByText("This node makes the blocks itself.").waitFor();
    await page.getByText("an attacker needs this machine").waitFor();
    await page.getByRole("img", { name: /^Versions \d+ to \d+ are kept, of 0 to \d+$/ }).waitFor();
    const blocks = page.locator("table.blocks tbody tr");
    await until(async () => (await blocks.count()) >= 3);
    await page
      .getByTestId("throughput")
      .getByText(/^\d+\.\d$/)
      .waitFor();
    // What accounts did, in words that lead to the accounts.
    const words = page.locator("table.transactions .words");
    await until(async () => (await words.count()) >= 3);
    expect(await words.first().getByRole("link").first().getAttribute("href")).toMatch(/^#\/account\/0x/);
    await page.getByRole("cell", { name: "info", exact: true }).waitFor();
    await page
      .getByText(/^\d+(\.\d)? MiB$/)
      .first()
      .waitFor();
    expect(visit.faults).toEqual([]);
  });

  it("a transaction: function, arguments by name, events, changes, fee, signers", async () => {
    interface Sent {
      readonly type: string;
      readonly version: string;
      readonly payload?: { readonly function?: string; readonly arguments: readonly string[] };
    }
    let sent: Sent | undefined;
    // The latest transfer that the chain made by itself.
    await until(async () => {
      const { ledger_version: latest } = JSON.parse(await askNode(node.url, "")) as {
        ledger_version: string;
      };
      for (let version = BigInt(latest); version > BigInt(latest) - 12n; version--) {
        const found = JSON.parse(await askNode(node.url, `transactions/by_version/${version}`)) as Sent;
        if (found.payload?.function === "0x1::aptos_account::transfer") sent = found;
      }
      return sent !== undefined;
    });
    const page = await open(`#/transaction/${sent?.version}`);
    await page.getByText("0x1::aptos_account::transfer").first().waitFor();
    await page.getByRole("cell", { name: "amount", exact: true }).waitFor();
    await page.getByRole("cell", { name: sent?.payload?.arguments[1] ?? "", exact: true }).waitFor();
    // In words, with the amount in units, and the names as links.
    const amount = BigInt(sent?.payload?.arguments[1] ?? 0);
    const words = page.getByTestId("words");
    await until(async () => ((await words.textContent()) ?? "").includes(" pays "));
    expect(await words.textContent()).toMatch(/^\w+ pays [\d,.]+ APT to \w+$/);
    expect(await exactOf(words.locator("[data-exact]"))).toBe(`${amount}`);
    const changes = page.getByTestId("balance-changes").locator("[data-exact]");
    expect(await changes.count()).toBe(3);
    expect(await exactOf(changes)).toBe(`${-amount}`);
    expect(await exactOf(changes.nth(1))).toBe(`${amount}`);
    const [receiver] = Object.entries(info.demo_accounts).find(
      ([, { address }]) => BigInt(address) === BigInt(sent?.payload?.arguments[0] ?? 0),
    )!;
    expect(await words.getByRole("link", { name: receiver, exact: true }).getAttribute("href")).toMatch(
      /^#\/account\/0x[0-9a-f]{64}$/,
    );
    await page.getByText("FeeStatement").waitFor();
    await page.getByText(/gas at 100/).waitFor();
    await page.getByRole("heading", { name: /^\d+ changes$/ }).waitFor();
    await page.getByRole("link", { name: "← Previous" }).click();
    await page.waitForURL(`**/transaction/${BigInt(sent?.version ?? 0) - 1n}`);
    expect(visit.faults).toEqual([]);
  });

  it("an address that begins with a zero is linked and named, also where the ledger prints it without", async () => {
    const [trimmed, whole] = [`0x${"c".repeat(63)}`, `0x0${"c".repeat(63)}`];
    const page = await open("#/blocks");
    await page.route("**/v1/info", async (route) => {
      const response = await route.fetch();
      const told = (await response.json()) as Info;
      const accounts = { ...told.demo_accounts, zeno: { address: whole } };
      await route.fulfill({ response, json: { ...told, demo_accounts: accounts } });
    });
    const event = { type: "0x1::m::Seen", data: { who: trimmed, hash: `0x${"d".repeat(64)}` } };
    const transaction = {
      type: "user_transaction",
      version: "7",
      hash: "0x7",
      sender: trimmed,
      success: true,
      payload: { type: "entry_function_payload", function: "0x1::m::f", arguments: [] },
      events: [event],
    };
    await page.route("**/by_version/7", (route) => route.fulfill({ json: transaction }));
    await page.goto("/#/transaction/7");
    await page.reload();
    const links = page.getByRole("main").getByRole("link", { name: /^zeno/ });
    // The sender, the words and the event.
    await until(async () => (await links.count()) === 3);
    for (const link of await links.all()) expect(await link.getAttribute("href")).toBe(`#/account/${whole}`);
  });

  it("blocks arrive, and one leads to its transactions", async () => {
    const page = await open("#/blocks");
    const rows = page.locator("table.blocks tbody tr");
    await until(async () => (await rows.count()) >= 2);
    const name = (await rows.first().getByRole("link").textContent()) ?? "";
    const height = name.replaceAll(",", "");
    // By its name: the first row may be that of another block by now. By key: a row that moves gets no click.
    await rows.getByRole("link", { name, exact: true }).press("Enter");
    await page.getByRole("heading", { name: `Block ${height}` }).waitFor();
    await page.getByRole("heading", { name: /^\d+ transactions$/ }).waitFor();
    await page.getByText("Block metadata").first().waitFor();
    expect(visit.faults).toEqual([]);
  });

  it("a table: rows, an item by its typed key, bytes and value as the API has them", async () => {
    const page = await open("#/table/prices");
    await page.getByRole("link", { name: "GOLD" }).waitFor();
    const key = page.getByLabel("Key", { exact: true });
    await key.fill("APT");
    await page.getByText("0x03415054").waitFor();
    await page.getByRole("button", { name: "Look up" }).click();
    const raw = page.getByTestId("raw");
    await raw.waitFor();
    // At one version, because prices move.
    const version = (
      (await page.locator("dt", { hasText: "At version" }).locator("xpath=..").locator("dd").textContent()) ??
      ""
    ).replaceAll(",", "");
    const body = JSON.stringify({ key: "0x03415054" });
    const path = `tables/${info.demo_tables.prices}/raw_item?ledger_version=${version}`;
    const asked = JSON.parse(
      await askNode(node.url, path, { method: "POST", headers: JSON_BODY, body }),
    ) as string;
    expect(await raw.getAttribute("data-hex")).toBe(asked);
    const value = Buffer.from(asked.slice(2), "hex").readBigUInt64LE();
    await page.getByTestId("decoded").getByText(`${value}`).waitFor();

    await page.getByLabel("Type of the key").selectOption("u8");
    await key.fill("256");
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByText("expected a whole number from 0 to 255").waitFor();
    await page.getByLabel("Type of the key").selectOption("raw");
    await key.fill("0x0");
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByText("expected an even number of hex digits").waitFor();
    await key.fill("0x00");
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByText("The table has no such item").waitFor();
    // A struct as a value.
    await goTo(page, "#/table/orders");
    await page.getByRole("heading", { name: "Table orders" }).waitFor();
    const rows = page.locator("table.rows tbody tr");
    // Every row is decoded, with its owner as a link.
    await rows.first().getByText("filled").waitFor();
    expect(await rows.getByText("filled").count()).toBe(await rows.count());
    await rows.first().getByRole("link").first().click();
    await page.getByTestId("decoded").getByText("owner").waitFor();
    // A table whose types nobody wrote down, until the reader says them.
    const coin = await askNode(
      node.url,
      "accounts/0x1/resource/0x1::coin::CoinInfo<0x1::aptos_coin::AptosCoin>",
    );
    const [{ handle }] = JSON.parse(coin).data.supply.vec[0].aggregator.vec as [{ handle: string }];
    await goTo(page, `#/table/${handle}`);
    await page.getByRole("heading", { name: "Table", exact: true }).waitFor();
    await page.getByText("Decode keys and values").click();
    await page.getByLabel("Their keys are of type").fill("address");
    await page.getByLabel("Their values are of type").fill("u128");
    await page.getByRole("button", { name: "Decode" }).click();
    await rows
      .first()
      .getByText(/^\d{3,}$/)
      .waitFor();
  });

  it.each([
    ["anna", /#\/account\/0x/],
    ["prices", /#\/table\/0x/],
    ["0x1::coin::transfer", /#\/encode\?function=/],
    ["0x1", /#\/account\/0x0+1$/],
    ["block 2", /#\/block\/2$/],
    ["Version 1", /#\/transaction\/1$/],
    ["gold", /#\/asset\/0x\w+%3A%3Ademo/],
    ["0x1::aptos_coin::AptosCoin", /#\/asset\/0x1%3A%3Aaptos_coin%3A%3AAptosCoin$/],
  ])("search: %s leads to its view", async (text, url) => {
    const page = await open("#/blocks");
    // Names need the node's list.
    await page.getByText("live").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    await page.waitForURL(url);
  });

  it("search: what may mean several things, or nothing, is told", async () => {
    const page = await open("#/");
    const search = async (text: string): Promise<void> => {
      await page.getByRole("searchbox").fill(text);
      await page.keyboard.press("Enter");
    };
    await search("2");
    await page.getByRole("link", { name: "Block 2" }).waitFor();
    await page.getByRole("link", { name: "Transaction at version 2" }).waitFor();
    await search("1,794,932,660");
    await page.getByText(/^No transaction has version 1,794,932,660 yet: the latest is [\d,]+\.$/).waitFor();
    await page.getByText(/^No block has height 1,794,932,660 yet/).waitFor();
    await page.getByText(/^As a Unix time in seconds it is 2026-11-17T16:24:20/).waitFor();
    await search("ab".repeat(32));
    await page.getByRole("link", { name: "Transaction with this hash" }).waitFor();
    await search("what is this?");
    await page.getByText("That is nothing a ledger has").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Transaction with this hash" }).waitFor();
    await goTo(page, "#/no/such/view");
    await page.getByText("There is no such view").waitFor();
  });

  it("an asset: name, decimals, supply and who of the demo accounts holds it", async () => {
    const page = await open("#/asset/0xa");
    await page.getByRole("heading", { name: "Asset APT" }).waitFor();
    await page.getByText("Aptos Coin", { exact: true }).waitFor();
    await page.locator("dt", { hasText: "Supply" }).waitFor();
    const rows = page.locator("table.rows tbody tr");
    await until(async () => (await rows.count()) === Object.keys(info.demo_accounts).length);
    await rows.first().getByRole("link").click();
    await page.waitForURL(/#\/account\/0x[0-9a-f]{64}\?asset=0x0+a$/);
    await goTo(page, "#/asset/0xdead");
    await page.getByText("The ledger has no such asset").waitFor();
  });

  it.each([
    ["#/transaction/99999999", "There is no such transaction"],
    ["#/block/99999999", "The ledger has no such block"],
    ["#/block/abc", "The request is not right"],
    ["#/table/zz", "That is no handle"],
  ])("%s says: %s", async (hash, message) => {
    const page = await open(hash);
    await page.getByText(message).waitFor();
  });

  it("the last ten blocks are there at once, and older ones page by page down to genesis", async () => {
    const ended = await startProgram(["--store", "memory", "--blocks", "45", "--block-time", "0"]);
    await until(async () => JSON.parse(await askNode(ended.url, "")).block_height === "45");
    visit = await openConsole(ended.url, "#/blocks");
    const { page } = visit;
    const rows = page.locator("table.blocks tbody tr");
    const ends = async (): Promise<string> => {
      const links = rows.getByRole("link");
      return `${await links.first().textContent()} to ${await links.last().textContent()}`;
    };
    await until(async () => (await rows.count()) === 10);
    expect(await ends()).toBe("45 to 36");
    await page.getByRole("link", { name: "Older →" }).click();
    await until(async () => (await rows.count()) === 25);
    expect(await ends()).toBe("35 to 11");
    await page.getByRole("link", { name: "Older →" }).click();
    await until(async () => (await ends()) === "10 to 0");
    expect(await page.getByRole("link", { name: "Older →" }).count()).toBe(0);
    await page.getByRole("link", { name: "← Newer" }).click();
    await until(async () => (await ends()) === "35 to 11");
    await page.getByLabel("Blocks from this height down").fill("x");
    await page.getByRole("button", { name: "Go" }).click();
    await page.getByText("expected a height, a whole number up to 45").waitFor();
    await page.getByLabel("Blocks from this height down").fill("3");
    await page.getByRole("button", { name: "Go" }).click();
    await until(async () => (await ends()) === "3 to 0");
    await ended.stop();
  });

  it("a failed transaction is told by a word in a list, and the views are one row on a phone", async () => {
    const page = await open("#/blocks", { screen: "small" });
    await page.route("**/blocks/by_height/3?*", async (route) => {
      const response = await route.fetch();
      const block = (await response.json()) as { transactions: { success: boolean }[] };
      const transactions = block.transactions.map((one) => ({ ...one, success: false }));
      await route.fulfill({ response, json: { ...block, transactions } });
    });
    await goTo(page, "#/block/3");
    const failed = page.locator("table.transactions").getByText("failed", { exact: true });
    await failed.first().waitFor();
    expect(await failed.first().isVisible()).toBe(true);
    const tops = await page
      .locator("nav.nav a")
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    // The view that is open is in sight, also where its tab is the last.
    await goTo(page, "#/verify");
    const chosen = page.locator("nav.nav [aria-current]");
    await until(async () => {
      const box = await chosen.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 320;
    });
  });

  it("a pruned version is said to be pruned", async () => {
    const small = ["--blocks", "30", "--block-time", "50ms", "--prune-window", "20"];
    const pruned = await startProgram(["--store", "memory", "--log-level", "warn", ...small]);
    await until(async () => JSON.parse(await askNode(pruned.url, "")).oldest_ledger_version !== "0");
    visit = await openConsole(pruned.url, "#/account/anna?version=0");
    await visit.page.getByText("This version is pruned").first().waitFor();
    await pruned.stop();
  });

  it("times are in the reader's zone with UTC on hover, or the other way round; colours follow the system or the reader", async () => {
    const page = await open("#/transaction/0", { scheme: "dark" });
    await goTo(page, "#/");
    const time = page.locator("time").first();
    await time.waitFor();
    expect(await time.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \(UTC\)/);
    await page.getByRole("button", { name: "Times in your zone" }).click();
    expect(await time.textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    const background = (): Promise<unknown> =>
      page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await background();
    await page.getByRole("button", { name: /^Colours/ }).click();
    const light = await background();
    expect(light).not.toBe(dark);
    // Both choices last.
    await page.reload();
    await time.waitFor();
    expect(await background()).toBe(light);
    expect(await time.textContent()).toContain("UTC");
  });

  it("proofs: the proof of a balance is accepted, one with a changed digit and one from another waypoint are refused", async () => {
    const page = await open("#/account/gus");
    await page.getByRole("button", { name: "Check the proof here" }).click();
    await page.getByRole("heading", { name: "Verify a proof" }).waitFor();
    const check = page.getByRole("button", { name: "Check", exact: true });
    await check.click();
    await page.getByText("expected a version, a colon and 64 hex digits").waitFor();
    await page.getByRole("button", { name: "Use the genesis waypoint of this node" }).click();
    await check.click();
    const proven = page.getByTestId("proven-amount");
    await proven.waitFor();
    const text = await page.getByLabel("The proof as JSON").inputValue();
    const bundle = JSON.parse(text) as {
      claim: { accounts: { address: string; balances: { balance: string }[] }[]; asset_types: string[] };
      points: { version: string }[];
    };
    const [account] = bundle.claim.accounts;
    const claim = {
      address: account?.address ?? "",
      balance: account?.balances[0]?.balance ?? "",
      asset_type: bundle.claim.asset_types[0],
    };
    const [{ version } = { version: "" }] = bundle.points;
    expect(BigInt(claim.balance)).toBeGreaterThan(2n ** 53n);
    // With its date and zone, and as a page to print: what was proven, and nothing else.
    const signed = page.locator("dt", { hasText: "Time of the signed block" }).locator("xpath=..");
    expect(await signed.locator("time").textContent()).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/);
    await page.evaluate("globalThis.print = () => { document.title = 'printed'; }");
    await page.getByRole("button", { name: "Print" }).click();
    expect(await page.title()).toBe("printed");
    await page.emulateMedia({ media: "print" });
    expect(await proven.isVisible()).toBe(true);
    // A shortened address proves nothing on paper.
    expect(await page.locator(".verdict").textContent()).toContain(claim.address);
    expect(await check.isVisible()).toBe(false);
    expect(await page.getByRole("navigation", { name: "Views" }).isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
    expect(await proven.getAttribute("data-exact")).toBe(claim.balance);
    const balance = await askNode(
      node.url,
      `accounts/${info.demo_accounts.gus?.address}/balance/${claim.asset_type}?quoted=true&ledger_version=${version}`,
    );
    expect(JSON.parse(balance)).toBe(claim.balance);

    const refused = page.getByTestId("refused");
    const lie = `${BigInt(claim.balance) + 1n}`;
    await page.getByLabel("The proof as JSON").fill(text.replace(claim.balance, lie));
    await check.click();
    await refused.waitFor();
    expect(await proven.count()).toBe(0);
    await page.getByLabel("The proof as JSON").fill(text);
    await page.getByLabel("Waypoint that you trust").fill(`0:${"00".repeat(32)}`);
    await check.click();
    await refused.waitFor();
    await page.getByLabel("The proof as JSON").fill("hello");
    await check.click();
    await page.getByText("not JSON").waitFor();
  });
});
