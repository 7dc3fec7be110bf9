// The API reference in a real browser: find an operation, fill it in, send it in JSON and BCS, make mistakes, lose the
// node, by mouse and by keyboard.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hasChromium, openVisit } from "../support/chromium.ts";
import { type Running, startProgram } from "../support/program.ts";
import type { Visit } from "../support/visit.ts";

const NODE = ["--store", "memory", "--log-level", "warn", "--blocks", "20"];

describe.skipIf(!hasChromium)("the API reference", () => {
  let node: Running;
  let origin: string;
  beforeAll(async () => {
    node = await startProgram(NODE);
    origin = new URL(node.url).origin;
  });

  async function open(id = ""): Promise<Visit> {
    const visit = await openVisit(origin);
    await visit.page.goto(`/v1/spec${id === "" ? "" : `#${id}`}`);
    await visit.page.getByRole("heading", { level: 1 }).waitFor();
    return visit;
  }

  async function finish({ faults, otherHosts, close }: Visit): Promise<void> {
    expect(otherHosts).toEqual([]);
    expect(faults.filter((fault) => fault.includes("Content Security Policy"))).toEqual([]);
    await close();
  }

  const body = (page: Page) => page.getByLabel("Body of the response");
  const send = (page: Page) => page.getByRole("button", { name: "Send" }).click();

  it("lists every operation of the document, folded, and finds them by words", async () => {
    const visit = await open();
    const { page } = visit;
    const spec = (await (await fetch(`${origin}/v1/spec.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const ids = Object.values(spec.paths).flatMap((methods) =>
      Object.values(methods).map((one) => one.operationId),
    );
    await page.locator("details.operation").first().waitFor();
    for (const id of ids) expect(await page.locator(`details#${id}`).count()).toBe(1);
    expect(await page.locator("details.operation").count()).toBe(ids.length);
    expect(await page.locator("details.operation[open]").count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.type("HOLDINGS account");
    await page.getByText(`1 of ${ids.length} operations`).waitFor();
    expect(await page.locator("details.operation").count()).toBe(1);
    await page.getByRole("searchbox").fill("no such thing");
    await page.getByRole("button", { name: "Show all" }).click();
    expect(await page.getByRole("searchbox").evaluate((input) => input.matches(":focus"))).toBe(true);
    await page
      .locator("details.operation")
      .nth(ids.length - 1)
      .waitFor();
    expect(await page.locator("details.operation").count()).toBe(ids.length);
    await finish(visit);
  });

  it("sends a read and shows the answer of the API, as JSON and as bytes", async () => {
    const visit = await open("get_account_balance");
    const { page } = visit;
    await page.getByText("Optional parameters").click();
    // Fixed, because the chain moves; this version is there from the start.
    await page.getByLabel("ledger_version").first().fill("1");
    await send(page);
    await page.getByText("200 OK").waitFor();
    const curl = await page.getByLabel("The same request with curl").textContent();
    const url = /'(http[^']+)'/.exec(curl ?? "")?.[1] ?? "";
    expect(url).toContain("ledger_version=1");
    expect(await body(page).textContent()).toBe(await (await fetch(url)).text());
    await page.getByLabel("Answer as").selectOption("application/x-bcs");
    await send(page);
    await page.getByText("application/x-bcs, 8 bytes").waitFor();
    const bytes = Buffer.from(
      await (await fetch(url, { headers: { accept: "application/x-bcs" } })).arrayBuffer(),
    );
    const shown = (await body(page).textContent()) ?? "";
    expect(shown.replace(/^0000/, "").replaceAll(" ", "")).toBe(bytes.toString("hex"));
    expect(await page.getByLabel("The same request with curl").textContent()).toContain("| xxd");
    await finish(visit);
  });

  it("fills in every operation so that the node answers it, and keeps the views of the console", async () => {
    const visit = await open();
    const { page } = visit;
    await page.locator("details.operation").first().waitFor();
    const ids = await page.locator("details.operation").evaluateAll((all) => all.map(({ id }) => id));
    // A stream does not end, and an unsigned transaction is refused; in a batch the refusal is part of the answer.
    const sent = ids.filter((id) => !/^stream_|^submit_transaction$/.test(id));
    expect(sent.length).toBeGreaterThan(30);
    for (const id of sent) {
      await page.evaluate(`location.hash = ${JSON.stringify(id)}`);
      const operation = page.locator(`details#${id}[open]`);
      // By key: a click waits until the page stands still.
      await operation.getByRole("button", { name: "Send" }).press("Enter");
      const status = await operation.getByText(/^[2-5]\d\d [A-Z]/).textContent();
      expect(`${id}: ${status}`).toMatch(/: 20[06] /);
      // Long responses of the ones before would be laid out again each time.
      await page.evaluate(`document.getElementById(${JSON.stringify(id)}).open = false`);
    }
    const views = page.getByRole("navigation", { name: "Views" });
    expect(await views.getByRole("link", { name: "API" }).getAttribute("aria-current")).toBe("page");
    await views.getByRole("link", { name: "Blocks" }).click();
    await page.getByRole("heading", { level: 1, name: "Blocks" }).waitFor();
    await finish(visit);
  });

  it("shows numbers above 2^53 with every digit", async () => {
    const visit = await open("get_account_balance");
    const { page } = visit;
    const digits = "18446744073709551615";
    await page.route("**/balance/**", (route) =>
      route.fulfill({
        status: 200,
        contentType: "application/json",
        body: `{"a":[${digits},{}],"b":"x, y: {"}`,
      }),
    );
    await send(page);
    await page.getByText("200 OK").waitFor();
    expect(await body(page).textContent()).toBe(
      `{\n  "a": [\n    ${digits},\n    {}\n  ],\n  "b": "x, y: {"\n}`,
    );
    await finish(visit);
  });

  it("sends a body in JSON and shows the bytes to sign", async () => {
    const visit = await open("encode_submission");
    const { page } = visit;
    await send(page);
    await page.getByText("200 OK").waitFor();
    expect(await body(page).textContent()).toMatch(/^"0x[0-9a-f]{200,}"$/);
    await page.getByLabel("Body").first().fill("{");
    await send(page);
    await page.getByText("400 Bad Request").waitFor();
    expect(await body(page).textContent()).toContain("web_framework_error");
    await finish(visit);
  });

  it("says beside the field what is missing or is no hex, and sends nothing", async () => {
    const visit = await open("view");
    const { page } = visit;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.getByLabel("Form of the body").selectOption({ index: 1 });
    await page.getByLabel("Body", { exact: false }).last().fill("0x0g");
    await send(page);
    await page.getByText('expected hex digits, got "g" at digit 2').waitFor();
    await page.goto("/v1/spec#get_holdings");
    const address = page.locator("#get_holdings-address");
    await address.fill("");
    asked.length = 0;
    await page.locator("#get_holdings").getByRole("button", { name: "Send" }).click();
    await page.getByText("address is needed").waitFor();
    expect(await address.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(asked).toEqual([]);
    await finish(visit);
  });

  it("shows events as they come, until they are stopped", async () => {
    const visit = await open("stream_blocks");
    const { page } = visit;
    await send(page);
    await page.getByText("still open").waitFor();
    await page.getByText(/event: block/).waitFor();
    const stop = page.getByRole("button", { name: "Stop" });
    await stop.press("Enter");
    await page.getByText("still open").waitFor({ state: "detached" });
    // The button is gone; its focus is not.
    await stop.waitFor({ state: "detached" });
    const sender = page.locator("#stream_blocks").getByRole("button", { name: "Send" });
    expect(await sender.evaluate((button) => button.matches(":focus"))).toBe(true);
    await finish(visit);
  });

  it("shows errors and schemas folded", async () => {
    const visit = await open("get_holdings");
    const { page } = visit;
    const error = page.getByText("The path, the query, a header or the body cannot be parsed.");
    expect(await error.isVisible()).toBe(false);
    await page.getByText("Errors and other statuses").click();
    expect(await error.isVisible()).toBe(true);
    await page.getByText("Response", { exact: true }).click();
    await page.getByText("Symbol of the asset, where the ledger has it.").waitFor();
    await finish(visit);
  });

  it("works by keyboard alone: open, fill in, send; back and forward", async () => {
    const visit = await open();
    const { page } = visit;
    // Until the page is drawn, there is nothing to move to.
    await page.getByText("Skip to the operations").waitFor({ state: "attached" });
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the operations");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("spec.json");
    await page.getByRole("link", { name: "Node info" }).first().focus();
    await page.keyboard.press("Enter");
    await page.locator("details#info[open]").waitFor();
    expect(await page.evaluate("document.activeElement.parentElement.id")).toBe("info");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("200 OK").waitFor();
    await page.getByRole("link", { name: "Ledger info" }).first().click();
    await page.locator("details#get_ledger_info[open]").waitFor();
    await page.goBack();
    expect(new URL(page.url()).hash).toBe("#info");
    await page.goForward();
    expect(new URL(page.url()).hash).toBe("#get_ledger_info");
    await finish(visit);
  });

  it("says that the node is gone, and works again when it is back", async () => {
    const own = await startProgram(NODE);
    const { port } = new URL(own.url);
    const visit = await openVisit(own.url);
    const { page } = visit;
    await page.goto("/v1/spec#info");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await own.stop();
    await send(page);
    await page.getByText("The node did not answer").waitFor();
    const again = await startProgram([...NODE, "--port", port]);
    await send(page);
    await page.getByText("200 OK").waitFor();
    expect(await page.getByText("The node did not answer").count()).toBe(0);
    await again.stop();
    await finish(visit);
  });
});
