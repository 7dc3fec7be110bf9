// The encoder against a node with the local chain: the bytes are those of the API, and every mistake is told next to the
// field that has it.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { askNode, openConsole } from "../support/console.ts";
import { type Running, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import type { Visit } from "../support/visit.ts";

interface Info {
  readonly demo_accounts: Readonly<Record<string, { readonly address: string }>>;
}

describe.skipIf(!hasChromium)("the encoder", () => {
  let node: Running;
  let info: Info;
  let visit: Visit;

  const open = async (hash = "#/encode"): Promise<Visit["page"]> => {
    visit = await openConsole(node.url, hash);
    return visit.page;
  };
  const fieldError = (label: string): Promise<string | null> =>
    visit.page
      .locator(".field")
      .filter({ has: visit.page.locator("label b", { hasText: new RegExp(`^${label}$`) }) })
      .locator(".field-error")
      .textContent();

  beforeAll(async () => {
    node = await startProgram(["--store", "memory", "--log-level", "warn", "--block-time", "1s"]);
    info = JSON.parse(await askNode(node.url, "info")) as Info;
  });
  afterEach(async () => {
    expect(visit.otherHosts).toEqual([]);
    await visit.close();
  });

  it("makes a form by the ABI, and shows the request, its bytes and each field's range", async () => {
    const page = await open();
    await page.getByLabel("to address").fill("basil");
    await page.getByLabel("amount u64").fill("18446744073709551615");
    const bytes = page.getByTestId("bytes");
    await bytes.waitFor();
    const request = (await page.getByLabel("request", { exact: true }).textContent()) ?? "";
    expect(JSON.parse(request).payload).toEqual({
      type: "entry_function_payload",
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: [info.demo_accounts.basil?.address, "18446744073709551615"],
    });
    const headers = { "Content-Type": "application/json" };
    const asked = await askNode(node.url, "transactions/encode_submission", {
      method: "POST",
      headers,
      body: request,
    });
    expect(await bytes.getAttribute("data-hex")).toBe(JSON.parse(asked));
    // What is drawn is every byte once, in order.
    expect(`0x${await bytes.textContent()}`).toBe(JSON.parse(asked));
    // Pointing at bytes marks the field, and the other way round.
    await bytes.locator(".byte-field").nth(1).hover();
    expect(await page.locator(".byte-table tr.active").textContent()).toContain("sender");
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: "chain_id" }).focus();
    const active = bytes.locator(".byte-field.active");
    expect(await active.textContent()).toBe("04");
    // The amount is more than anna has: the ledger's state warns of it.
    await page.locator(".warnings li").first().waitFor();
  });

  it("says in words what the transaction would do, or why it would fail", async () => {
    const [sender = "", to = ""] = Object.keys(info.demo_accounts);
    const page = await open();
    await page.getByLabel("to address").fill(to);
    await page.getByLabel("amount u64").fill("150000000");
    const words = page.getByTestId("words");
    await until(async () => (await words.count()) === 1 && /pays/.test((await words.textContent()) ?? ""));
    expect(await words.textContent()).toBe(`would succeed ${sender} pays 1.5 APT to ${to}`);
    expect(await page.getByTestId("balance-changes").locator("tbody tr").count()).toBe(3);
    await page.getByLabel("amount u64").fill("18446744073709551615");
    await until(async () => /would fail/.test((await words.textContent().catch(() => "")) ?? ""));
  });

  it("asks again with the next number when the sender's number is used before the simulation", async () => {
    const [sender = "", to = ""] = Object.keys(info.demo_accounts);
    const page = await open();
    const used: string[] = [];
    // The demo traffic moves on between the question for the number and the first simulation.
    await page.route("**/v1/transactions/simulate", async (route) => {
      const { sequence_number: number } = route.request().postDataJSON();
      used.push(number);
      if (used.length === 1)
        await until(
          async () =>
            JSON.parse(await askNode(node.url, `accounts/${info.demo_accounts[sender]?.address}`))
              .sequence_number !== number,
        );
      await route.continue();
    });
    await page.getByLabel("to address").fill(to);
    await page.getByLabel("amount u64").fill("150000000");
    await page.getByText("would succeed").waitFor();
    const request = JSON.parse((await page.getByLabel("request", { exact: true }).textContent()) ?? "");
    expect(BigInt(request.sequence_number)).toBeGreaterThan(BigInt(used[0] ?? ""));
  });

  it.each([
    ["to address", "to", "0xzz", "hex digit"],
    ["amount u64", "amount", "18446744073709551616", "does not fit a u64"],
    ["amount u64", "amount", "-1", "expected"],
    ["amount u64", "amount", "1.5", "expected"],
    ["sender address", "sender", "nobody", "expected an address"],
  ])("%s: a mistake is told at its field (%s, %s)", async (label, name, text, message) => {
    const page = await open();
    await page.getByLabel("to address").fill("basil");
    await page.getByLabel("amount u64").fill("1");
    await page.getByTestId("bytes").waitFor();
    await page.getByLabel(label).fill(text);
    await page.locator(".field-error").first().waitFor();
    expect(await fieldError(name)).toContain(message);
    expect(await page.getByLabel(label).getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByTestId("bytes").count()).toBe(0);
  });

  it("takes text, options, lists and structs of the demo module", async () => {
    const demo = info.demo_accounts.demo?.address;
    const page = await open(`#/encode?function=${demo}::demo::take_many`);
    await page.getByLabel("argument 0 bool").selectOption("true");
    await page.getByLabel("argument 1 u8").fill("7");
    await page.getByLabel("argument 2 u64").fill("9007199254740993");
    await page.getByLabel("argument 3 address").fill("anna");
    await page.getByLabel("argument 4").fill('a "quoted" \u05d0 text');
    await page.getByLabel("argument 5 vector<u8>").fill("0xdead");
    await page.getByLabel("has a value").uncheck();
    await page.getByTestId("bytes").waitFor();
    const request = JSON.parse((await page.getByLabel("request", { exact: true }).textContent()) ?? "");
    expect(request.payload.arguments).toEqual([
      true,
      7,
      "9007199254740993",
      info.demo_accounts.anna?.address,
      'a "quoted" \u05d0 text',
      "0xdead",
      { vec: [] },
    ]);
  });

  it("takes numbers and names in lists without quotes, and keeps the form in the link", async () => {
    const [, one = "", two = ""] = Object.keys(info.demo_accounts);
    const page = await open("#/encode?function=0x1::aptos_account::batch_transfer");
    const recipients = page.getByLabel("vector<address>");
    await recipients.fill(`${one}, ${two}`);
    await page.getByLabel("vector<u64>").fill("1, 18446744073709551615");
    await page.getByTestId("bytes").waitFor();
    const argumentsOf = async () =>
      JSON.parse((await page.getByLabel("request", { exact: true }).textContent()) ?? "").payload.arguments;
    const expected = [
      [info.demo_accounts[one]?.address, info.demo_accounts[two]?.address],
      ["1", "18446744073709551615"],
    ];
    expect(await argumentsOf()).toEqual(expected);
    await page.waitForURL(/form=.*18446744073709551615/);
    await page.reload();
    await page.getByTestId("bytes").waitFor();
    expect(await recipients.inputValue()).toBe(`${one}, ${two}`);
    expect(await argumentsOf()).toEqual(expected);
    // Another function begins with an empty form, and the way back leads to this one.
    await page.goto("/#/encode?function=0x1::aptos_account::transfer");
    await page.getByText("Fill in the arguments").waitFor();
    await page.goBack();
    await page.getByTestId("bytes").waitFor();
    expect(await recipients.inputValue()).toBe(`${one}, ${two}`);
    // What is no form in a link is left out.
    await page.goto(`/#/encode?form=${encodeURIComponent('{"args":[{"text":5}],"sender":[]}')}`);
    await page.getByText("Fill in the arguments").waitFor();
    expect(visit.faults).toEqual([]);
  });

  it("has a field for each member of a struct, also of one inside another", async () => {
    const demo = info.demo_accounts.demo?.address;
    const page = await open(`#/encode?function=${demo}::demo::take_route`);
    await page.getByLabel(/^name/).fill("coast");
    await page.getByLabel(/^stops/).fill('[{"x": 1, "y": -2}]');
    const end = page.getByRole("group", { name: /^end/ });
    await end.getByLabel(/^x/).fill("9007199254740993");
    await end.getByLabel(/^y/).fill("-5");
    await page.getByTestId("bytes").waitFor();
    const request = JSON.parse((await page.getByLabel("request", { exact: true }).textContent()) ?? "");
    expect(request.payload.arguments).toEqual([
      { name: "coast", stops: [{ x: "1", y: "-2" }], end: { vec: [{ x: "9007199254740993", y: "-5" }] } },
    ]);
    await end.getByLabel(/^x/).fill("-1");
    await page.locator(".field-error").waitFor();
    await end.getByLabel("has a value").uncheck();
    await page.getByTestId("bytes").waitFor();
  });

  it("gives an account something to spend", async () => {
    const address = `0x${"5e".repeat(32)}`;
    const page = await open();
    await page.getByLabel("sender address").fill(address);
    await page.getByTestId("faucet").click();
    await page.getByRole("link", { name: /^transaction \d/ }).waitFor();
    const path = `accounts/${address}/balance/0x1::aptos_coin::AptosCoin?quoted=true`;
    expect(JSON.parse(await askNode(node.url, path))).toBe("10000000000");
  });

  it("says at the field that JSON is not JSON, and which function a module does not have", async () => {
    const demo = info.demo_accounts.demo?.address;
    const page = await open(`#/encode?function=${demo}::demo::take_matrix`);
    await page.getByLabel("argument 0").fill("[[1,");
    await page.locator(".field-error").waitFor();
    expect(await fieldError("argument 0")).toContain("that is not JSON");
    await page.getByLabel("argument 0").fill('[["1"],["2","18446744073709551615"]]');
    await page.getByTestId("bytes").waitFor();
    await page.goto("/#/encode?function=0x1::coin::no_such_function");
    await page.getByText("coin has no entry function no_such_function").waitFor();
    await page.goto("/#/encode?function=0xdead::m::f");
    await page.getByText("nothing that can be called is published there").waitFor();
  });

  it("signs with a demo key, submits, and shows where it arrived", async () => {
    const page = await open();
    await page.getByLabel("to address").fill("fay");
    await page.getByLabel("amount u64").fill("123");
    await until(async () => await page.getByTestId("submit").isEnabled());
    await page.getByTestId("submit").click();
    const link = page.getByRole("link", { name: /^transaction / });
    await link.waitFor();
    await link.click();
    await page.getByText("succeeded").first().waitFor();
    await page.getByText("123", { exact: true }).first().waitFor();
  });
});
