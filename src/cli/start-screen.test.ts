import { Account, Ed25519PrivateKey } from "@aptos-labs/ts-sdk";
import { describe, expect, it } from "vitest";
import { createNode, type Node } from "../index.ts";
import { colour, hasColours } from "./colour.ts";
import { liveText } from "./progress.ts";
import { startScreen } from "./start-screen.ts";

async function screen(url: string, isColoured = false): Promise<string[]> {
  const node = await createNode();
  const listening = Object.assign(Object.create(null), {
    url,
    guide: () => node.guide(),
    faucetUrl: "http://127.0.0.1:8081",
  }) as Node;
  const text = startScreen(listening, {
    position: "chain 4, version 999999999999, oldest 999999999999",
    hasConsole: true,
    isColoured,
    environment: {},
  });
  await node.close();
  return text.split("\n");
}

describe("the start screen of a local chain", () => {
  it("fits 30 lines; the console is first, the URL of the API is last", async () => {
    const lines = await screen("http://127.0.0.1:8080/v1");
    expect(lines.length).toBeLessThanOrEqual(27);
    expect(lines[1]).toBe("Console: http://127.0.0.1:8080/");
    expect(lines.at(-1)).toBe("sextant is ready: http://127.0.0.1:8080/v1");
    expect(lines).toContain("  sextant balance anna APT");
  });

  it("has the whole address and the private key of each account, and that key signs for it", async () => {
    const lines = await screen("http://127.0.0.1:8080/v1");
    const node = await createNode();
    const accounts = node.guide()?.accounts ?? [];
    await node.close();
    expect(accounts).toHaveLength(9);
    for (const { name, address } of accounts) {
      const [, shown, key = ""] =
        lines
          .find((line) => line.startsWith(`  ${name} `))
          ?.trim()
          .split(/ +/) ?? [];
      expect(shown).toBe(address);
      // An AIP-80 text is never taken for an address.
      expect(key).toMatch(/^ed25519-priv-0x/);
      const signer = Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(key) });
      expect(signer.accountAddress.toStringLong()).toBe(address);
    }
  });

  it("has the faucet's line also without accounts, as on a fork", () => {
    const fork = {
      url: "http://127.0.0.1:8080/v1",
      guide: () => undefined,
      faucetUrl: "http://127.0.0.1:8081",
    };
    const text = startScreen(Object.assign(Object.create(null), fork) as Node, {
      position: "chain 4, version 1, oldest 0",
      hasConsole: false,
      isColoured: false,
      environment: {},
    });
    expect(text.split("\n").slice(1)).toEqual([
      "Faucet: http://127.0.0.1:8081",
      "sextant is ready: http://127.0.0.1:8080/v1",
    ]);
  });

  it("names the URL in its commands if it is not the default", async () => {
    const lines = await screen("http://127.0.0.1:65535/v1");
    expect(lines).toContain("  sextant balance anna APT --url http://127.0.0.1:65535");
  });

  it("is the same text in colour", async () => {
    const url = "http://127.0.0.1:8080/v1";
    const coloured = (await screen(url, true)).join("\n");
    expect(coloured).toContain(colour(url, 36));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are control sequences
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe((await screen(url)).join("\n"));
  });
});

describe("colours", () => {
  it.each<[isTTY: boolean, environment: Record<string, string>, expected: boolean]>([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [false, { FORCE_COLOR: "" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ])("on a terminal: %s, with %j: %s", (isTTY, environment, expected) => {
    expect(hasColours({ isTTY }, environment)).toBe(expected);
  });
});

describe("the live line", () => {
  it("has height, version and both rates", () => {
    const before = { height: 10n, version: 50n, requests: 100, atMs: 1000 };
    const now = { height: 12n, version: 61n, requests: 340, atMs: 3000 };
    expect(liveText(now, before)).toBe("height 12, version 61, 5.5 versions/s, 120 requests/s");
    expect(liveText(before, now)).toBe("height 10, version 50, 0.0 versions/s, 0.0 requests/s");
  });
});
