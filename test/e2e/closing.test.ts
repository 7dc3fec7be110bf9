// Statements that prove themselves, and folders that are written at the end of each day, whatever happens to the process.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { verifyProof } from "../../src/verify.ts";
import { runCommand } from "../support/command.ts";
import { launchProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const DAY_MS = 86_400_000;
const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);
const DAYS = path("days");
let node: Node;
let url: string;
let waypoint: string;

async function startNode(pruneWindow: string): Promise<Node> {
  const made = await createNode({ localChain: { seed: "closing" }, pruneWindow, http: { port: 0 } });
  await made.mine(3);
  return made;
}

/** Goes on to two seconds before a midnight of the ledger, and a block after it. */
async function passMidnight(chain: Node): Promise<string> {
  const usec = await timeOf(chain);
  const midnight = (usec / BigInt(DAY_MS * 1000) + 1n) * BigInt(DAY_MS);
  await chain.setTime(new Date(Number(midnight) - 2000).toISOString());
  await chain.mine(3);
  await chain.setTime(new Date(Number(midnight) + 2000).toISOString());
  await chain.mine(2);
  return `${new Date(Number(midnight)).toISOString().slice(0, 16).replace(":", "")}Z`;
}

async function timeOf(chain: Node): Promise<bigint> {
  return BigInt((await chain.ledgerInfo()).ledger_timestamp);
}

beforeAll(async () => {
  node = await startNode("off");
  url = node.url ?? "";
  waypoint = (await node.info()).genesis_waypoint as string;
  writeFileSync(path("wallets.txt"), "anna\nbasil\n");
});
afterAll(() => node.close());

const verify = (file: string, ...more: string[]) =>
  runCommand(["verify-proof", file, "--waypoint", waypoint, ...more]);
const closeArgs = (out: string, at = url): string[] => [
  "close",
  ...["--daily", "00:00Z", "--accounts", path("wallets.txt"), "--asset", "APT"],
  ...["--out", out, "--url", at, "--from-waypoint", waypoint],
];

describe("the proofs of a statement", () => {
  let lines: readonly string[];
  let period: readonly string[];
  const check = (changed: readonly string[]) => {
    writeFileSync(path("changed.json"), `${changed.join("\n")}\n`);
    return verify(path("changed.json"));
  };

  beforeAll(async () => {
    const from = new Date(Number((await timeOf(node)) / 1000n) + 1).toISOString();
    await node.mine(12);
    const asked = ["--from", from, "--to", "now", "--format", "json"];
    const proofs = ["--proofs", path("anna.json"), "--from-waypoint", waypoint];
    const made = await runCommand(["statement", "anna", "--asset", "APT", ...asked, ...proofs, "--url", url]);
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("verify-proof")]);
    const stated = JSON.parse(made.stdout) as Record<string, string> & {
      readonly changes: readonly { readonly kind: string }[];
    };
    expect(new Set(stated.changes.map(({ kind }) => kind))).toEqual(new Set(["paid", "received", "fee"]));
    const { stdout, code } = await verify(path("anna.json"), "--json");
    const shown = JSON.parse(stdout) as Record<string, string>;
    expect([code, shown]).toEqual([
      0,
      expect.objectContaining({
        verdict: "proven",
        address: stated.address,
        asset_type: APT,
        from: stated.from,
        to: stated.to,
        deposits: stated.received,
        withdrawals: stated.paid,
        fees: stated.fees,
      }),
    ]);
    expect(shown.statement).toMatch(
      /^Account 0x\w+, \S+, from \S+ to before \S+: opened with \d+ \(after version \d+\), \d+ deposits of \d+, \d+ withdrawals? of \d+, \d+ fees of \d+, closed with \d+ \(after version \d+\)\. Each of these has a receipt, /,
    );
    period = ["--from", stated.from ?? "", "--to", stated.to ?? ""];
    lines = readFileSync(path("anna.json"), "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(3 + Number(shown.receipts));
  });

  it("hold without a node in the library that browsers run", () => {
    const { claim } = verifyProof(lines.join("\n"), waypoint);
    expect(claim).toMatchObject({ kind: "statements", statements: [{ asset: APT }] });
  });

  it("without a receipt leave its amount unexplained", async () => {
    const ledgerOf = (line = ""): string => line.slice(line.lastIndexOf(',"ledger":'));
    for (let i = 3; i < lines.length; i++) {
      // The next one may rest on the ledger of the one that is left out.
      const next = lines[i + 1];
      const isAbove = ledgerOf(next).includes('"above"') && !ledgerOf(lines[i]).includes('"above"');
      const kept =
        next === undefined
          ? lines
          : lines.with(i + 1, isAbove ? next.replace(ledgerOf(next), ledgerOf(lines[i])) : next);
      const { code, stdout, stderr } = await check(kept.toSpliced(i, 1));
      expect([i, code, stdout]).toEqual([i, 1, ""]);
      expect(stderr).toMatch(/unexplained: .* -?[1-9]\d* has no receipt/);
      expect((await check(lines.toSpliced(i, 1))).code).toBe(1);
    }
  });

  it("with a changed digit are refused, and the line is named", async () => {
    for (const [i, line] of lines.entries()) {
      const digits = [...line.matchAll(/(?<=[0-9a-f"x])[0-9](?=[0-9a-f"])/g)].map(({ index }) => index);
      // Receipts are alike: in each another place.
      for (const part of i < 4 ? [0, 1, 2, 3, 4, 5, 6, 7] : [i % 8]) {
        const at = digits[Math.floor(((part + 0.5) * digits.length) / 8)] ?? 0;
        const digit = (Number(line[at]) + 1) % 10;
        const { code, stdout, stderr } = await check(
          lines.with(i, `${line.slice(0, at)}${digit}${line.slice(at + 1)}`),
        );
        expect([i, at, code, stdout]).toEqual([i, at, 1, ""]);
        expect(stderr).toContain(i === 0 ? "changed.json proves nothing: " : `line ${i + 1}: `);
      }
    }
  });

  it("of a coin beside those of the asset paired with it, which count the same receipts, are refused", async () => {
    const proofs = ["--proofs", path("paired.json"), "--from-waypoint", waypoint];
    const made = await runCommand([
      "statement",
      "anna",
      ...["--asset", "0xa"],
      ...period,
      ...proofs,
      "--url",
      url,
    ]);
    expect(made.code).toBe(0);
    const paired = readFileSync(path("paired.json"), "utf8").trimEnd().split("\n");
    expect((await check(paired)).code).toBe(0);
    const both = await check([...lines, ...paired]);
    expect([both.code, both.stdout]).toEqual([1, ""]);
    expect(both.stderr).toMatch(/two statements of 0x\w+ in 0x1::aptos_coin::AptosCoin and 0xa overlap/);
  });

  it("in another order, twice, cut, or of another account are refused", async () => {
    const [head = "", opening = "", closing = "", ...receipts] = lines;
    const [first = "", second = ""] = receipts;
    const basil = ["statement", "basil", "--asset", "APT", "--from", "@1", "--to", "now"];
    // Genesis has no signature, so the earliest statement begins after the first block.
    const early = await runCommand([...basil, "--proofs", path("none.json"), "--url", url]);
    expect([early.code, early.stdout, existsSync(path("none.json"))]).toEqual([1, "", false]);
    const other = await runCommand(
      ["prove", "basil", "APT", "--out", path("basil.json"), "--url", url].concat(
        "--from-waypoint",
        waypoint,
      ),
    );
    expect(other.code).toBe(0);
    const foreign = readFileSync(path("basil.json"), "utf8").trim();
    for (const [name, changed, reason] of [
      ["swapped", [head, opening, closing, second, first], "is not after the one before it"],
      ["twice", [head, opening, closing, first, first], "is not after the one before it"],
      ["the whole statement twice", [...lines, ...lines], "two statements of 0x"],
      ["two heads", [head, head, opening, closing], "balance is missing"],
      ["only a head", [head], "balance is missing"],
      ["only the opening", [head, opening], "balance is missing"],
      ["the closing first", [head, closing, opening, ...receipts], "is not proven to be the last one before"],
      ["a receipt first", [head, first], "balance is missing"],
      ["three balances", [head, opening, closing, closing], "two balances"],
      ["another account", [head, opening, foreign, ...receipts], "line "],
      ["no head", [opening, closing, ...receipts], "does not continue"],
      ["a head behind", [opening, head], "follows other proofs"],
    ] as const) {
      const { code, stdout, stderr } = await check(changed);
      expect([name, code, stdout]).toEqual([name, 1, ""]);
      expect(stderr).toContain(reason);
    }
  });
});

const FILES = ["balances.csv", "balances.proof.json", "statement.csv", "statement.proof.json"];

/** Checks that a folder of a day is whole. */
async function expectWhole(day: string): Promise<void> {
  expect(readdirSync(join(DAYS, day)).toSorted()).toEqual(FILES);
  const at = `${day.slice(0, 13)}:${day.slice(13, 15)}:00Z`;
  const before = new Date(Date.parse(at) - 1).toISOString();
  const list = ["--list", join(DAYS, day, "balances.csv"), "--at", before];
  const balances = await verify(join(DAYS, day, "balances.proof.json"), ...list);
  expect([day, balances.code, balances.stderr]).toEqual([day, 0, expect.stringContaining("all as proven")]);
  const statement = await verify(join(DAYS, day, "statement.proof.json"), "--at", before);
  expect([day, statement.code, statement.stderr]).toEqual([day, 0, ""]);
  expect(statement.stdout.match(/to before \S+/g)).toEqual(
    Array(2).fill(`to before ${day.slice(0, 13)}:00:00.000000Z:`),
  );
  // What a day closes with, the next one opens with.
  const csv = readFileSync(join(DAYS, day, "statement.csv"), "utf8");
  expect(csv.match(/^closing,/gm)).toHaveLength(2);
}

describe("the end of a day", () => {
  it("is closed once; days that nobody closed are made up for, in order", async () => {
    const first = await passMidnight(node);
    const opened = await passMidnight(node);
    const both = await runCommand([...closeArgs(DAYS), "--asset", "0xa", "--once"]);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("0xa counts the same stores")]);
    const begun = await runCommand([...closeArgs(DAYS), "--once"]);
    expect([begun.code, begun.stderr]).toEqual([0, ""]);
    // An empty folder begins with the last day.
    expect(readdirSync(DAYS)).toEqual([opened]);
    expect(first < opened).toBe(true);
    const again = await runCommand([...closeArgs(DAYS), "--once"]);
    expect([again.code, again.stdout]).toEqual([0, ""]);
    const missed = [await passMidnight(node), await passMidnight(node)];
    const made = await runCommand([...closeArgs(DAYS), "--once"]);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(readdirSync(DAYS)).toEqual([opened, ...missed]);
    for (const day of readdirSync(DAYS)) await expectWhole(day);
  });

  it("that the node does not keep any more is named, and the next one is closed", async () => {
    const short = await startNode("36h");
    try {
      const out = path("short");
      await passMidnight(short);
      const lost = await passMidnight(short);
      const { ledger_version } = await short.ledgerInfo();
      mkdirSync(out);
      // As if the day before the lost one had been closed.
      const before = new Date(Date.parse(`${lost.slice(0, 10)}T00:00:00Z`) - DAY_MS);
      mkdirSync(join(out, `${before.toISOString().slice(0, 10)}T0000Z`));
      for (let day = 0; day < 2; day++) await passMidnight(short);
      const kept = await passMidnight(short);
      await until(async () => {
        const { oldest_ledger_version: oldest } = await short.ledgerInfo();
        return BigInt(oldest) > BigInt(ledger_version);
      });
      const { genesis_waypoint } = await short.info();
      const args = [...closeArgs(out, short.url).slice(0, -1), `${genesis_waypoint}`, "--once"];
      const made = await runCommand(args);
      expect([made.code, made.stderr]).toEqual([
        1,
        expect.stringContaining(`${lost.slice(0, 10)}T00:00:00.000000Z cannot be closed any more: `),
      ]);
      expect(readdirSync(out)).toContain(kept);
      expect(readdirSync(out)).not.toContain(lost);
    } finally {
      await short.close();
    }
  });

  it("is closed by a process that waits for it, and is whole or not there when it is killed at any time", async () => {
    const kills = Number(process.env.SEXTANT_KILLS ?? FILES.length + 2);
    const expected = readdirSync(DAYS);
    const unfinished = join(DAYS, ".unfinished");
    const filesOf = (): number => (existsSync(unfinished) ? readdirSync(unfinished).length : 0);
    for (let kill = 0; kill < kills; kill++) {
      expected.push(await passMidnight(node));
      const { child, finished } = launchProgram(closeArgs(DAYS));
      // A different moment each time: before it writes, with each number of files, and after it.
      const wanted = kill % (FILES.length + 2);
      await until(() => readdirSync(DAYS).includes(expected.at(-1) ?? "") || filesOf() >= wanted);
      child.kill("SIGKILL");
      expect((await finished).signal).toBe("SIGKILL");
      for (const day of readdirSync(DAYS)) {
        if (day !== ".unfinished")
          expect([day, readdirSync(join(DAYS, day)).toSorted()]).toEqual([day, FILES]);
      }
    }
    const waiting = launchProgram(closeArgs(DAYS));
    await until(() => expected.every((day) => existsSync(join(DAYS, day))));
    expected.push(await passMidnight(node));
    await until(() => existsSync(join(DAYS, expected.at(-1) ?? "")));
    waiting.child.kill("SIGTERM");
    await waiting.finished;
    expect(readdirSync(DAYS)).toEqual(expected);
    for (const day of expected.slice(-kills - 1)) await expectWhole(day);
  });

  it("is refused without a time, accounts, an asset or a folder", async () => {
    for (const [args, reason] of [
      [["--daily", "24:00Z"], "--daily: expected a time of day in UTC, such as 00:00Z, got 24:00Z"],
      [["--daily", "00:00Z"], "--accounts: expected a file"],
      [["--daily", "00:00Z", "--accounts", path("wallets.txt")], "--out: expected a folder"],
      [
        ["--daily", "00:00Z", "--accounts", path("wallets.txt"), "--out", path("x")],
        "--asset: expected an asset",
      ],
    ] as const) {
      const { code, stderr } = await runCommand(["close", ...args]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
  });
});
