// The console while its node stops and another one comes in its place.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { openConsole } from "../support/console.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

describe.skipIf(!hasChromium)("a node that goes away", () => {
  /** Stands at one port in front of whichever node runs. */
  let target: number | undefined;
  const sockets = new Set<Socket>();
  const front = createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined).on("close", () => sockets.delete(client));
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(target, "127.0.0.1");
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  beforeAll(() => new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    front.close();
  });

  it("is said to be gone, keeps what was read, and goes on by itself when it is back", async () => {
    const data = temporaryFolder();
    const start = async () => {
      const node = await startProgram(["--data", data, "--log-level", "warn", "--block-time", "300ms"]);
      target = Number(new URL(node.url).port);
      return node;
    };
    const first = await start();
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const { page, close, otherHosts } = await openConsole(url, "#/");
    const version = page.getByTestId("version");
    const seen = await until(async () => {
      const text = await version.textContent();
      return text !== null && text !== "0" && text;
    });
    const account = await page.context().newPage();
    await account.goto(`${url}/#/account/anna`);
    await account.getByTestId("balance").waitFor();

    await first.stop();
    target = undefined;
    const gone = page.getByTestId("gone");
    await gone.waitFor();
    await account.getByTestId("gone").waitFor();
    expect(await page.getByText("The node does not answer", { exact: true }).count()).toBe(1);
    // The last that it said stays.
    expect(await version.isVisible()).toBe(true);
    expect(await account.getByTestId("balance").isVisible()).toBe(true);
    // A view that was not read yet says why it is empty.
    await page.evaluate("location.hash = '#/account/basil'");
    await page.getByText("This part loads by itself as soon as the node is back.").first().waitFor();

    const second = await start();
    await gone.waitFor({ state: "detached" });
    await page.getByTestId("balance").waitFor();
    await page.evaluate("location.hash = '#/'");
    const number = (text: string): number => Number(text.replaceAll(",", ""));
    await until(async () => number((await version.textContent()) ?? "0") > number(seen));
    expect(otherHosts).toEqual([]);
    await close();
    await second.stop();
  });
});
