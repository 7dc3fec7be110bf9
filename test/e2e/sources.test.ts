// The reading commands on a node (--url) and on a data directory (--data): the same mistake has the same exit code and
// the same kind of message on both, and whatever a server answers, only an answer of the right shape is printed.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { type Finished, type Running, runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const data = join(folder, "data");
const COIN = "0x1::aptos_coin::AptosCoin";
const TABLE = "0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815";
const requests = { broken: join(folder, "broken.json"), empty: join(folder, "empty.json") };

/** What a command says when it fails: one line, and nothing on standard output. */
function expectRefusal(run: Finished, code: number, message: RegExp): void {
  expect(run).toMatchObject({ code, stdout: "" });
  expect(run.stderr).toMatch(/^sextant: [^\n]+\n$/);
  expect(run.stderr).toMatch(message);
}

describe("the same mistake on a node and on its data directory", () => {
  let node: Running;

  beforeAll(async () => {
    writeFileSync(requests.broken, "{");
    writeFileSync(requests.empty, "{}");
    node = await startProgram([
      "--data",
      data,
      "--block-time",
      "0",
      "--blocks",
      "200",
      "--prune-window",
      "100",
    ]);
    await until(async () => {
      const { block_height: height } = (await (await fetch(node.url)).json()) as { block_height: string };
      return height === "200";
    });
    await until(
      async () => (await fetch(`${node.url}/accounts/0x1/balance/${COIN}?ledger_version=1`)).status === 410,
    );
  });

  afterAll(async () => {
    await node.stop();
  });

  const both = (args: readonly string[]): Promise<[Finished, Finished]> =>
    Promise.all([runCommand([...args, "--url", node.url]), runCommand([...args, "--data", data])]);

  const DIGITS = "expected a u64 in decimal digits";
  const HEX = "expected an even number of hex digits, with or without 0x";

  /** Not understood: refused before anything is asked, so in the same words. */
  it.each<[name: string, args: string[], message: string]>([
    [
      "an address that is none",
      ["balance", "0xzz", COIN],
      'ADDRESS: expected 1 to 64 hex digits, with or without 0x, got "0xzz": "z" at position 2',
    ],
    ["an empty address", ["balance", "", COIN], "ADDRESS: expected 1 to 64 hex digits"],
    [
      "an asset that is none",
      ["balance", "0x1", "0x1::"],
      'ASSET: expected a hex address or a struct tag, got "0x1::"',
    ],
    [
      "a table handle that is none",
      ["raw-item", "0xzz", "0x00"],
      'TABLE_HANDLE: expected 1 to 64 hex digits, with or without 0x, got "0xzz"',
    ],
    ["a key that is no hex", ["raw-item", TABLE, "xyz"], `KEY: ${HEX}, got "xyz"`],
    ["a key of half a byte", ["raw-item", TABLE, "0x0"], `KEY: ${HEX}, got "0x0"`],
    [
      "a version that is no number",
      ["balance", "0x1", COIN, "--ledger-version", "abc"],
      `--ledger-version: ${DIGITS}, got "abc"`,
    ],
    [
      "a version below zero",
      ["balance", "0x1", COIN, "--ledger-version", "-1"],
      `--ledger-version: ${DIGITS}, got "-1"`,
    ],
    [
      "a version with a fraction",
      ["raw-item", TABLE, "0x00", "--ledger-version", "1.5"],
      `--ledger-version: ${DIGITS}, got "1.5"`,
    ],
    [
      "a version above 64 bits",
      ["balance", "0x1", COIN, "--ledger-version", "18446744073709551616"],
      `--ledger-version: ${DIGITS}, got`,
    ],
    [
      "an empty version",
      ["balance", "0x1", COIN, "--ledger-version", ""],
      "--ledger-version: expected some text",
    ],
    [
      "an operand too few",
      ["balance", "0x1"],
      "missing ASSET; usage: sextant balance ADDRESS ASSET [options]",
    ],
    ["an operand too many", ["raw-item", TABLE, "0x00", "0x01"], "unexpected 0x01"],
    ["a request file that is not there", ["encode", join(folder, "none.json")], "cannot read"],
  ])("%s: exit code 2", async (_, args, message) => {
    const [remote, local] = await both(args);
    expectRefusal(remote, 2, /./);
    expect(remote.stderr).toContain(message);
    expect(local).toEqual(remote);
  });

  /** Understood, and the answer is no. */
  it.each<[name: string, args: string[], message: RegExp]>([
    [
      "a version above the head",
      ["balance", "0x1", COIN, "--ledger-version", "99999"],
      /version 99999 is above the latest, \d+ \(version_not_found\)/,
    ],
    [
      "an item's version above the head",
      ["raw-item", TABLE, "0x03415054", "--ledger-version", "18446744073709551615"],
      /is above the latest, \d+ \(version_not_found\)/,
    ],
    [
      "a pruned version",
      ["balance", "0x1", COIN, "--ledger-version", "1"],
      /version 1 is below the oldest kept, \d+ \(version_pruned\)/,
    ],
    [
      "an item's pruned version",
      ["raw-item", TABLE, "0x03415054", "--ledger-version", "1"],
      /below the oldest kept, \d+ \(version_pruned\)/,
    ],
    [
      "an absent item",
      ["raw-item", TABLE, "0xff"],
      /no item under table handle 0x\w+ and key "0xff".* \(table_item_not_found\)/,
    ],
    [
      "an absent table",
      ["raw-item", "0x77", "00"],
      /no item under table handle 0x0*77 and key "0x00".* \(table_item_not_found\)/,
    ],
    ["a request that is no JSON", ["encode", requests.broken], /body: expected .* \(web_framework_error\)/],
    [
      "a request without its fields",
      ["encode", requests.empty],
      /sender is missing.* \(web_framework_error\)/,
    ],
  ])("%s: exit code 1", async (_, args, message) => {
    const [remote, local] = await both(args);
    expectRefusal(remote, 1, message);
    expectRefusal(local, 1, message);
  });

  it.each([
    ["balance", "0x1", COIN],
    ["raw-item", TABLE, "0x00"],
    ["info"],
    ["status"],
    ["encode", requests.empty],
  ])("%s where there is nothing to ask: exit code 2", async (...args) => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const url = `http://127.0.0.1:${port}`;
    expectRefusal(await runCommand([...args, "--url", url]), 75, new RegExp(`cannot reach ${url}: `));
    const none = join(folder, "nothing");
    expectRefusal(await runCommand([...args, "--data", none]), 2, /there is no store at /);
  });

  it("a process ends as the command does", async () => {
    for (const args of [
      ["balance", "zz", COIN],
      ["balance", "0x1", COIN, "--ledger-version", "1"],
      ["raw-item", TABLE, "0x03415054"],
    ]) {
      for (const source of [
        ["--url", node.url],
        ["--data", data],
      ]) {
        expect(await runProgram([...args, ...source])).toEqual(await runCommand([...args, ...source]));
      }
    }
  });

  it("no mistake: the same answer", async () => {
    for (const args of [
      ["balance", "0x1", COIN, "--ledger-version", "+001050"],
      ["raw-item", TABLE, "0x03415054"],
      ["raw-item", TABLE, "03415054", "--json"],
    ]) {
      const [remote, local] = await both(args);
      expect(remote).toMatchObject({ code: 0, stderr: "" });
      expect(local).toEqual(remote);
    }
  });
});

describe("a store without a ledger yet", () => {
  it("is told of alike by a node and by its data directory", async () => {
    const empty = join(folder, "empty");
    const follow = ["--upstream", "http://127.0.0.1:9", "--log-level", "error"];
    const node = await startProgram(["--data", empty, ...follow], {}, "listening");
    try {
      for (const [code, args] of [
        [0, ["info"]],
        [1, ["status"]],
        [1, ["balance", "0x1", COIN]],
        [1, ["raw-item", TABLE, "0x00"]],
      ] as const) {
        const remote = await runCommand([...args, "--url", node.url]);
        const local = await runCommand([...args, "--data", empty]);
        expect([args[0], remote.code, local.code]).toEqual([args[0], code, code]);
        if (code === 0) continue;
        expectRefusal(remote, 1, /there is no ledger yet \(internal_error\)/);
        expectRefusal(local, 1, /there is no ledger yet \(internal_error\)/);
      }
    } finally {
      await node.stop("SIGKILL");
    }
  });
});

describe("a URL that is no node's", () => {
  let url = "";
  let answer = { status: 200, type: "text/html", body: "<!doctype html>\n<html>\n<p>12</p></html>" };
  const server = createServer((_, response) => {
    response.writeHead(answer.status, { "content-type": answer.type });
    response.end(answer.body);
  });

  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close());

  const COMMANDS = [
    ["balance", "0x1", COIN],
    ["raw-item", TABLE, "0x00"],
    ["encode", requests.empty],
    ["info"],
    ["status"],
    ["trace", "5"],
  ];

  it.each([
    ["a query", "/?x=1", "without a query or fragment"],
    ["an empty query", "/?", "without a query or fragment"],
    ["a fragment", "/#top", "without a query or fragment"],
  ])("is refused by name with %s", async (_, tail, expected) => {
    for (const args of COMMANDS) {
      expectRefusal(
        await runCommand([...args, "--url", `${url}${tail}`]),
        2,
        new RegExp(`--url: expected .*${expected}`),
      );
    }
  });

  it("is refused with a user and password, which are not repeated", async () => {
    const run = await runCommand(["info", "--url", url.replace("http://", "http://someone:s3cret@")]);
    expectRefusal(run, 2, /--url: expected .*without a user and password/);
    expect(run.stderr).not.toContain("s3cret");
    expectRefusal(
      await runCommand(["info", "--url", "ftp://127.0.0.1"]),
      2,
      /--url: expected an http or https URL/,
    );
    expectRefusal(
      await runCommand(["info", "--url", "127.0.0.1:8080"]),
      2,
      /--url: expected an http or https URL/,
    );
  });

  it.each([
    ["a page", 200, "text/html", "<!doctype html>\n<html>\n<p>12</p></html>"],
    ["a page that says it is JSON", 200, "application/json", "<!doctype html>\n<html></html>"],
    ["a number of another type", 200, "text/plain", "12"],
    ["a page of an error", 502, "text/html", "<html>\n<h1>Bad gateway</h1>\n</html>"],
    ["JSON of another service", 200, "application/json", '{"status":"ok","items":[]}'],
    ["a list", 200, "application/json", "[1,2]"],
    ["null", 200, "application/json", "null"],
    ["nothing", 200, "application/json", ""],
    ["a number below zero", 200, "application/json", "-5"],
    ["a fraction", 200, "application/json", "1.5"],
    ["a number above 64 bits", 200, "application/json", "18446744073709551616"],
    ["a string that is no hex", 200, "application/json", '"0xzz"'],
    ["half a byte", 200, "application/json", '"0x123"'],
  ])("that answers with %s: exit code 1, one line, and nothing printed", async (_, status, type, body) => {
    answer = { status, type, body };
    for (const args of COMMANDS) {
      // An object is what the node says of itself, whatever is in it.
      if (args[0] === "info" && body.startsWith("{")) continue;
      expectRefusal(await runCommand([...args, "--url", url]), 1, new RegExp(`(${url}|the node answered)`));
    }
  });

  const CALL = { depth: 0, function: "f", type_arguments: [], arguments: [], gas_used: "1", reads: [] };
  const traceOf = (call: object, more: object = {}): string => {
    const calls = [{ ...CALL, writes: [], events: [], aborted: false, ...call }];
    const known = { success: true, vm_status: "ok", gas_used: "1", gas_scaling: "1", omitted_calls: "0" };
    return JSON.stringify({ ...known, calls, ...more });
  };

  it("whose trace is none is refused, and whose trace has control characters does not control the terminal", async () => {
    const trace = async (body: string): Promise<Finished> => {
      answer = { status: 200, type: "application/json", body };
      return runCommand(["trace", "5", "--url", url]);
    };
    for (const body of [
      traceOf({ depth: -1 }),
      traceOf({ depth: 4e8 }),
      traceOf({ arguments: [{ type: "u64" }] }),
      traceOf({ reads: [null] }),
      traceOf({}, { omitted_calls: "\u001b[2J 9" }),
      traceOf({}, { fault: null }),
    ])
      expectRefusal(await trace(body), 1, new RegExp(url));
    const evil = "\u001b[31m\u202e\u0007";
    const item = { kind: "resource", owner: evil, key: evil };
    const value = { type: evil, value: evil };
    const call = { function: evil, arguments: [value], reads: [item], writes: [item], events: [value] };
    const fault = { status: evil, description: evil, location: evil, function: evil, code_offset: evil };
    const run = await trace(traceOf({ ...call, omitted: "7" }, { vm_status: evil, fault }));
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("fault in \\u001b[31m\\u202e\\u0007::");
    expect(run.stdout).toContain("7 more entries are left out");
    expect(run.stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("is a node's with or without /v1 and slashes at its end", async () => {
    answer = { status: 200, type: "application/json; charset=utf-8", body: "7" };
    for (const tail of ["", "/", "/v1", "/v1/", "//"]) {
      const run = await runCommand(["balance", "0x1", COIN, "--url", `${url}${tail}`]);
      expect(run).toMatchObject({ code: 0, stdout: "7\n", stderr: "" });
    }
  });
});
