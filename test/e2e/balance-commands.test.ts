// The commands about balances, by URL and from a data directory: the same answers.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatTime } from "../../src/base/texts/time-text.ts";
import { runCommand } from "../support/command.ts";
import { type Finished, type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const data = join(folder, "data");
const ADA = "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce";
const BASIL = "0x2a0f0892cbcb1c872b8b6b62610373eb9814535d4b968f194eecdf6fec44c918";
const COIN = "0x1::aptos_coin::AptosCoin";
const PRICES = "0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815";

let node: Running;

/** Runs a command by URL and from the directory, which must end alike. */
async function both(args: readonly string[], input?: string): Promise<Finished> {
  const byUrl = await runCommand([...args, "--url", node.url], {}, input);
  const byData = await runCommand([...args, "--data", data], {}, input);
  expect([byData.code, byData.stdout]).toEqual([byUrl.code, byUrl.stdout]);
  return byUrl;
}

beforeAll(async () => {
  const args = ["--data", data, "--block-time", "0", "--blocks", "20", "--log-level", "warn"];
  node = await startProgram(args);
  await until(async () => {
    const { block_height } = (await (await fetch(node.url)).json()) as { block_height: string };
    return block_height === "20";
  });
});
afterAll(() => node.stop());

describe("commands about balances", () => {
  it("balance and raw-item take a time", async () => {
    const block = (await (await fetch(node.url)).json()) as { ledger_timestamp: string };
    const at = `${BigInt(block.ledger_timestamp) / 1_000_000n - 5n}`;
    const { stdout, code } = await both(["balance", ADA, COIN, "--at", at]);
    const answer = await fetch(`${node.url}/accounts/${ADA}/balance/${COIN}?at=${at}`);
    expect([code, stdout]).toEqual([0, `${await answer.text()}\n`]);
    const item = await both(["raw-item", PRICES, "0x03415054", "--at", at]);
    expect(item.stdout).toMatch(/^0x[0-9a-f]{16}\n$/);
    const late = await both(["balance", ADA, COIN, "--at", "2100-01-01T00:00:00Z"]);
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("after the latest block")]);
    const neither = await both(["balance", ADA, COIN, "--at", at, "--ledger-version", "5"]);
    expect([neither.code, neither.stderr]).toEqual([2, expect.stringContaining("--ledger-version")]);
    expect((await runCommand(["balance", ADA, COIN, "--at", "noon", "--data", data])).code).toBe(2);
  });

  it("holdings and table-items list what single questions answer", async () => {
    const held = await both(["holdings", ADA, "--ledger-version", "20"]);
    expect(held.code).toBe(0);
    const lines = held.stdout.trim().split("\n");
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const [balance = "", asset = ""] = line.split("  ");
      const single = await runCommand(["balance", ADA, asset, "--ledger-version", "20", "--data", data]);
      expect(single.stdout.trim()).toBe(balance);
    }
    const json = await both(["holdings", ADA, "--ledger-version", "20", "--json"]);
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).balance),
    ).toEqual(lines.map((line) => line.split("  ")[0]));
    const rows = (await both(["table-items", PRICES])).stdout.trim().split("\n");
    const [key = "", value] = rows[0]?.split("  ") ?? [];
    expect((await runCommand(["raw-item", PRICES, key, "--data", data])).stdout.trim()).toBe(value);
    expect((await both(["table-items", PRICES, "--count"])).stdout.trim()).toBe(`${rows.length}`);
    const changed = await both(["table-items", PRICES, "--since", "20", "--json"]);
    expect(Object.keys(JSON.parse(changed.stdout.split("\n")[0] ?? "{}"))).toEqual(["key", "value"]);
    const wrong = await both(["table-items", PRICES, "--since", "9", "--ledger-version", "8"]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("since: expected at most")]);
    expect((await runCommand(["holdings", "0xg", "--data", data])).code).toBe(2);
  });

  it("balances reads pairs from a file or the input", async () => {
    const file = join(folder, "pairs.txt");
    writeFileSync(file, `# demo accounts\n${ADA} ${COIN}\n\n${BASIL}\t${COIN}\n`);
    const found = await both(["balances", file, "--totals"]);
    const [first = "", second = "", total = ""] = found.stdout.trim().split("\n");
    expect(found.code).toBe(0);
    const amounts = [first, second].map((line) => BigInt(line.split(" ").at(-1) ?? ""));
    expect(first.startsWith(`${ADA} ${COIN} `)).toBe(true);
    expect(total).toBe(`total ${COIN} ${(amounts[0] ?? 0n) + (amounts[1] ?? 0n)}`);
    const spelled = await both(["balances", "-", "--totals"], `${BASIL} 0xa\n${BASIL} 0x0a\n`);
    expect(spelled.stdout.match(/^total 0xa /gm)).toHaveLength(1);
    expect(spelled.stdout).not.toContain("total 0x0a");
    const json = await both(["balances", "-", "--json", "--ledger-version", "7"], `${ADA} ${COIN}\n`);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ledger_version: "7",
      balances: [{ balance: expect.stringMatching(/^\d+$/) }],
    });
    const wrong = await both(["balances", "-"], `${ADA} ${COIN}\n0xzz ${COIN}\n`);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("0xzz")]);
    expect(wrong.stdout.split("\n")).toHaveLength(2);
    expect((await runCommand(["balances", "-", "--url", node.url], {}, "one\n")).code).toBe(2);
  });

  it("balances asks for more than a thousand in several requests at one version", async () => {
    const many = [...Array(1001).fill(`${ADA} ${COIN}`), `${BASIL} ${COIN}`].join("\n");
    const { stdout, code } = await both(["balances", "-", "--json"], many);
    const { balances } = JSON.parse(stdout) as { balances: { balance: string }[] };
    expect([code, balances.length]).toEqual([0, 1002]);
    expect(balances[1000]).toEqual(balances[0]);
    expect(balances[1001]).not.toEqual(balances[0]);
    const long = `0x1::coin::C<${Array(40)
      .fill(`0x${"ab".repeat(32)}::module::Name`)
      .join(", ")}>`;
    const types = await both(["balances", "-", "--json"], `${ADA} ${long}\n`.repeat(400));
    expect((JSON.parse(types.stdout) as { balances: unknown[] }).balances).toEqual(
      Array(400).fill({ balance: "0" }),
    );
  });

  it("raw-items", async () => {
    const { stdout, code, stderr } = await both(["raw-items", "-"], `${PRICES} 0x03415054\n0x1 0x00\n`);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^0xc906\w+ 0x03415054 0x[0-9a-f]{16}\n$/)]);
    expect(stderr).toContain("0x1 0x00: ");
    const json = await both(["raw-items", "-", "--json"], `${PRICES} 0x03415054\n`);
    expect(Object.keys(JSON.parse(json.stdout) as object)).toEqual([
      "ledger_version",
      "timestamp_usec",
      "items",
    ]);
  });

  it("detail", async () => {
    const { stdout } = await both(["detail", ADA, COIN]);
    expect(stdout).toMatch(/^display +\d+\.\d{8}$/m);
    expect(stdout).toMatch(/^coin\.exists +true$/m);
    const json = JSON.parse((await both(["detail", ADA, COIN, "--json"])).stdout) as object;
    expect(json).toMatchObject({ symbol: "APT", decimals: 8, fungible: { exists: false } });
  });

  it("statement, in five formats", async () => {
    const { ledger_timestamp: usec } = (await (await fetch(node.url)).json()) as { ledger_timestamp: string };
    const ago = (seconds: bigint): string => formatTime(BigInt(usec) - seconds * 1_000_000n);
    const period = ["--from", ago(15n), "--to", ago(0n)];
    /** What the node says, which is also what its directory says, except where it was asked. */
    const print = async (...args: readonly string[]): Promise<string> => {
      const [byUrl = "", byData = ""] = await Promise.all(
        [
          ["--url", node.url],
          ["--data", data],
        ].map(async (source) => {
          const { code, stdout, stderr } = await runCommand(["statement", ADA, ...args, ...source]);
          expect([code, stderr]).toEqual([0, ""]);
          return stdout;
        }),
      );
      expect(byUrl.replaceAll(node.url, "")).toBe(byData.replaceAll(`data directory ${data}`, ""));
      return byUrl;
    };
    const asset = ["--asset", COIN, ...period];
    const statement = JSON.parse(await print(...asset, "--format", "json")) as { changes: object[] };
    expect(statement).toMatchObject({ symbol: "APT", chain_id: 4, adds_up: true });
    expect(statement.changes.length).toBeGreaterThan(3);
    const lines = (text: string): string[] => text.trim().split("\n");
    expect(lines(await print(...asset))).toHaveLength(statement.changes.length + 4);
    expect(await print(...asset, "--format", "html")).toMatch(/^<!doctype html>\n.*<\/html>\n$/s);
    // Nothing of these 15 seconds has two rows.
    expect(lines(await print(...asset, "--format", "koinly"))).toHaveLength(statement.changes.length + 1);
    expect(await print(...asset, "--format", "cointracking")).toMatch(/^"Type","Buy Amount",/);
    const all = lines(await print("--from", ago(15n), "--to", "now", "--format", "json"));
    expect(all.map((line) => (JSON.parse(line) as { symbol: string }).symbol)).toEqual(["APT", "GOLD"]);
    const early = await both(["statement", ADA, "--asset", COIN, "--from", ago(5n), "--to", "2100-01-01"]);
    expect([early.code, early.stdout, early.stderr]).toEqual([
      1,
      "",
      expect.stringContaining("after the latest"),
    ]);
    for (const args of [
      ["--asset", COIN, "--from", "2026-01-01"],
      ["--month", "2026-01", "--to", "now"],
      ["--quarter", "2026-01"],
      ["--asset", COIN, "--from", "2026-01-02", "--to", "2026-01-02"],
    ]) {
      expect((await runCommand(["statement", ADA, ...args, "--data", data])).code).toBe(2);
    }
  });

  it("explain says where a text is neither hex nor JSON", async () => {
    for (const [text, reason] of [
      ["0xzz", '"z" at position 2 is not a hex digit'],
      ["0xabcz", '"z" at position 5 is not a hex digit'],
      ["not hex", '"n" at position 0 is not a hex digit'],
      ['"0xab', '"\\"" at position 0 is not a hex digit'],
      ["0xabc", "it has an odd number of digits, 3"],
      ["0x", "it has no digits"],
      ["", "it has no digits"],
    ] as const) {
      const { code, stderr } = await both(["explain", "-"], text);
      const said = `expected a signing message in hex, or a JSON object, got ${JSON.stringify(text)}: ${reason}`;
      expect([code, stderr]).toEqual([2, `sextant: -: ${said}\n`]);
    }
  });

  it("every command that reads at a version or a time refuses both", async () => {
    for (const args of [
      ["balance", ADA, COIN],
      ["detail", ADA, COIN],
      ["raw-item", PRICES, "0x03415054"],
      ["balances", "-"],
      ["raw-items", "-"],
      ["holdings", ADA],
      ["table-items", PRICES],
    ]) {
      const { code, stderr } = await both([...args, "--at", "2026-01-01", "--ledger-version", "1"]);
      expect([args, code, stderr]).toEqual([
        args,
        2,
        "sextant: --ledger-version and --at exclude each other\n",
      ]);
    }
  });

  it("history, in three formats and in samples", async () => {
    const answer = await fetch(`${node.url}/accounts/${ADA}/balance/${COIN}/history?limit=1000`);
    const changes = (await answer.json()) as Record<string, string>[];
    const json = await both(["history", ADA, COIN, "--format", "json"]);
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(changes);
    const csv = await both(["history", ADA, COIN, "--format", "csv"]);
    const [names, ...lines] = csv.stdout.trim().split("\n");
    expect(names).toBe("version,timestamp_usec,before,after,transaction_hash");
    expect(lines).toEqual(changes.map((change) => Object.values(change).join(",")));
    const text = await both(["history", ADA, COIN, "--from", "5", "--to", "@99999999999"]);
    expect([text.code, text.stderr]).toEqual([1, expect.stringContaining("after the latest block")]);
    const part = await both(["history", ADA, COIN, "--from", "5", "--to", "30"]);
    const inside = changes.filter(({ version = "" }) => Number(version) >= 5 && Number(version) <= 30);
    expect(
      part.stdout
        .trim()
        .split("\n")
        .map((line) => line.split("  ")[0]),
    ).toEqual(inside.map(({ version }) => version));
    const few = await both(["history", ADA, COIN, "--points", "4", "--format", "json"]);
    expect(few.stdout.trim().split("\n").length).toBeLessThanOrEqual(4);
    const reversed = await both(["history", ADA, COIN, "--from", "30", "--to", "5"]);
    expect([reversed.code, reversed.stdout]).toEqual([2, ""]);
    const time = `@${BigInt(changes[0]?.timestamp_usec ?? 0) / 1_000_000n + 1n}`;
    const mixed = await both(["history", ADA, COIN, "--from", "50", "--to", time, "--format", "csv"]);
    expect([mixed.code, mixed.stdout, mixed.stderr]).toEqual([1, "", expect.stringContaining("from: ")]);
    const none = await both(["history", "0x404", COIN, "--format", "csv"]);
    expect([none.code, none.stdout]).toEqual([0, `${names}\n`]);
    expect((await runCommand(["history", ADA, COIN, "--from", "1.5", "--data", data])).code).toBe(2);
    expect((await runCommand(["history", ADA, COIN, "--from", "1.5", "--url", node.url])).code).toBe(2);
    expect((await runCommand(["history", ADA, COIN, "--points", "3", "--data", data])).code).toBe(2);
  });
});
