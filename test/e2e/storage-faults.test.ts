// The program on failing storage: it waits for transient faults while it serves reads, and reports damage instead of
// serving it.

import { execFileSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberKey } from "../../src/base/bytes.ts";
import { DEFAULT_SEED } from "../../src/node/options/local-chain-options.ts";
import { createNode } from "../../src/node.ts";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { META } from "../../src/store/lmdb/tables.ts";
import { runCommand } from "../support/command.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { hasTool } from "../support/tools.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const PAGE_BYTES = 4096;
/** Pages overwritten, one at a time; more with SEXTANT_PAGES. */
const PAGES = Number(process.env.SEXTANT_PAGES ?? "3");
const quick = ["--block-time", "0", "--prune-window", "off", "--log-level", "error"];
/** For nodes that need no particular number of blocks: what they make, a check has to read. */
const steady = ["--block-time", "20ms", ...quick.slice(2)];

interface Info {
  readonly sync_state: string;
  readonly sync_fault?: string;
  readonly ledger_version: string;
}

async function info(url: string): Promise<Info> {
  return (await (await fetch(`${url}/info`)).json()) as Info;
}

async function expectSound(data: string): Promise<void> {
  expect(await runCommand(["check", "--in-process", "--data", data])).toMatchObject({ code: 0 });
}

/** Waits until the node cannot write, checks its status and reads, ends the fault, and waits for new writes. */
async function expectToWait(url: string, code: string, passes: () => void): Promise<void> {
  const stuck = await until(async () => {
    const now = await info(url);
    return now.sync_state === "waiting" ? now : undefined;
  });
  expect(stuck.sync_fault).toBe(`the store cannot be written just now (${code})`);
  expect((await fetch(`${url}/-/ready`)).status).toBe(503);
  expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
  const { ledger_version: version } = await info(url);
  const read = await fetch(
    `${url}/accounts/0x1/balance/0x1::aptos_coin::AptosCoin?ledger_version=${version}`,
  );
  expect(read.status).toBe(200);
  passes();
  await until(async () => {
    const now = await info(url);
    return now.sync_state !== "waiting" && BigInt(now.ledger_version) > BigInt(version) + 20n
      ? now
      : undefined;
  });
}

/** The immutable flag, which also stops root and open files, if the file system has it. */
function canFreeze(): boolean {
  const probe = join(folder, "probe");
  mkdirSync(probe, { recursive: true });
  const frozen = hasTool("chattr", "+i", probe);
  if (frozen) execFileSync("chattr", ["-i", probe]);
  return frozen;
}

/** Sizes of a full disk that holds a new store, and of a larger one: a node keeps the last 32 MiB free. */
const [SMALL, LARGE] = ["32m", "256m"];
const disk = join(folder, "disk");

/** Mounts a disk for the test, or resizes the mounted one; false if not permitted. */
function sizeDisk(size: string, isNew = false): boolean {
  mkdirSync(disk, { recursive: true });
  const options = ["-o", isNew ? `size=${size}` : `remount,size=${size}`];
  return hasTool("mount", "-t", "tmpfs", ...options, "tmpfs", disk);
}

function canMount(): boolean {
  return sizeDisk(SMALL, true) && hasTool("umount", disk);
}

describe.skipIf(!canMount())("a disk that fills", () => {
  beforeAll(() => {
    sizeDisk(SMALL, true);
  });

  afterAll(() => {
    // Of a node that a failed test left, too.
    execFileSync("umount", ["--lazy", disk]);
  });

  it("pauses a node that makes blocks and one that follows it, without loss", async () => {
    for (const follows of [false, true]) {
      const leader = follows ? await startProgram(["--data", join(folder, "leader"), ...steady]) : undefined;
      const source = leader === undefined ? steady : ["--upstream", leader.url, ...quick.slice(2)];
      const data = join(disk, `node${source.length}`);
      sizeDisk(LARGE);
      const node = await startProgram(["--data", data, ...source]);
      sizeDisk(SMALL);
      await expectToWait(node.url, "full", () => sizeDisk(LARGE));
      await until(async () => ((await fetch(`${node.url}/-/ready`)).status === 200 ? true : undefined));
      expect((await node.stop()).code).toBe(0);
      await expectSound(data);
      rmSync(data, { recursive: true });
      if (leader !== undefined) expect((await leader.stop()).code).toBe(0);
    }
  });

  it("at the start is reported, and damages nothing", async () => {
    const data = join(disk, "start");
    const start = ["--data", data, ...steady];
    // First without a store, then with one.
    for (const size of ["1m", "20m"]) {
      sizeDisk(size);
      const run = await runProgram(["start", "--port", "0", ...start]);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(/^sextant: no space left for the store .*\n$/);
      sizeDisk(LARGE);
      const node = await startProgram(start);
      await until(async () => (BigInt((await info(node.url)).ledger_version) > 100n ? true : undefined));
      expect((await node.stop()).code).toBe(0);
      await expectSound(data);
    }
  });
});

describe("a file", () => {
  it.skipIf(!canFreeze())("that cannot be written pauses a node, too", async () => {
    const data = join(folder, "frozen");
    const node = await startProgram(["--data", data, ...steady]);
    const file = join(data, "data.mdb");
    execFileSync("chattr", ["+i", file]);
    let waited = true;
    try {
      await expectToWait(node.url, "unwritable", () => execFileSync("chattr", ["-i", file]));
    } catch (error) {
      // If the fault hits lmdb's meta page, lmdb fails for good: then the node must end with an error.
      const end = await Promise.race([node.finished, sleep(60_000, undefined)]);
      if (end?.code !== 1 || !end.stderr.includes("MDB_PANIC")) throw error;
      waited = false;
    } finally {
      execFileSync("chattr", ["-i", file]);
    }
    if (waited) expect((await node.stop()).code).toBe(0);
    await expectSound(data);
    const again = await startProgram(["--data", data, ...steady]);
    expect((await again.stop()).code).toBe(0);
  });
});

/**
 * A module for `--require`: lmdb gives up every commit once the file `attempts` exists, with an error that its
 * mdb_freelist_save has. The file gets a line for each of these commits.
 */
function plantGivenUpCommits(data: string): { readonly module: string; readonly attempts: string } {
  const [module, attempts] = [`${data}-give-up.cjs`, `${data}-given-up`];
  const text = `
    const { appendFileSync, existsSync } = require("node:fs");
    const lmdb = require(${JSON.stringify(createRequire(import.meta.url).resolve("lmdb"))});
    const { open } = lmdb;
    lmdb.open = (options) => {
      const root = open(options);
      const { env } = root;
      const commit = env.commitTxn;
      const value = () => {
        if (!existsSync(${JSON.stringify(attempts)})) return commit.call(env);
        appendFileSync(${JSON.stringify(attempts)}, "given up\\n");
        env.abortTxn();
        const reason = "MDB_BAD_TXN: Transaction must abort, has a child, or is invalid: reserved freelist had a data entry with zero-size, last id 7";
        throw Object.assign(new Error(reason), { code: -30782 });
      };
      Object.defineProperty(env, "commitTxn", { value });
      return root;
    };`;
  writeFileSync(module, text);
  return { module, attempts };
}

describe("a commit that lmdb gives up", () => {
  it.each([
    ["a node", []],
    ["a node with a worker", ["--workers", "1"]],
  ])("ends %s with 75 and one line, writes nothing more, and loses nothing", async (name, more) => {
    const data = join(folder, name.replaceAll(" ", "-"));
    const args = ["--data", data, ...steady, ...more];
    const { module, attempts } = plantGivenUpCommits(data);
    const node = await startProgram(args, { NODE_OPTIONS: `--require ${module}` });
    const { ledger_version: seen } = await until(async () => {
      const now = await info(node.url);
      return BigInt(now.ledger_version) > 20n ? now : undefined;
    });
    writeFileSync(attempts, "");
    const { code, stderr } = await node.finished;
    expect({ code, attempts: readFileSync(attempts, "utf8") }).toEqual({
      code: 75,
      attempts: "given up\n",
    });
    const lines = stderr.split("\n").filter((line) => line.startsWith("sextant: "));
    expect(lines).toEqual([
      expect.stringMatching(
        /^sextant: lmdb gave up a write .* nothing is lost.* start .* continue.*MDB_BAD_TXN/,
      ),
    ]);
    rmSync(attempts);
    // The same start, as a supervisor makes it.
    const again = await startProgram(args, { NODE_OPTIONS: `--require ${module}` });
    await until(async () => BigInt((await info(again.url)).ledger_version) > BigInt(seen) + 20n);
    expect((await again.stop()).code).toBe(0);
    await expectSound(data);
  });
});

describe("a damaged file", () => {
  const sound = join(folder, "sound");
  let original = "";

  beforeAll(async () => {
    const node = await startProgram(["--data", sound, ...quick, "--blocks", "60"]);
    // Up to the last block, so that the pages have the same content every time.
    const isWhole = async (): Promise<boolean> => {
      const { block_height: height } = (await (await fetch(node.url)).json()) as { block_height: string };
      return height === "60";
    };
    await until(isWhole);
    expect((await node.stop()).code).toBe(0);
    original = await dump(sound);
  });

  /** Every row of every table, as text. */
  async function dump(path: string): Promise<string> {
    const environment = await openEnvironment({ path, readOnly: true });
    const rows = Object.entries(environment.tables).flatMap(([name, table]) =>
      [...table.getRange({})].map(
        ({ key, value }) => `${name} ${Buffer.from(key).toString("hex")} ${value.toString("hex")}`,
      ),
    );
    await environment.close();
    return rows.join("\n");
  }

  /** A copy with some pages overwritten. */
  function overwrite(name: string, pages: readonly number[]): string {
    const path = join(folder, name);
    rmSync(path, { recursive: true, force: true });
    cpSync(sound, path, { recursive: true });
    const file = openSync(join(path, "data.mdb"), "r+");
    const garbage = Buffer.alloc(PAGE_BYTES, "sextant");
    for (const page of pages) writeSync(file, garbage, 0, PAGE_BYTES, page * PAGE_BYTES);
    return path;
  }

  it("is found by the check, whichever used page was overwritten", {
    timeout: 600_000 + 30_000 * PAGES,
  }, async () => {
    const count = statSync(join(sound, "data.mdb")).size / PAGE_BYTES;
    const step = Math.max(1, Math.floor(count / PAGES));
    let found = 0;
    let tried = 0;
    for (let page = 2; page < count; page += step) {
      const path = overwrite("page", [page]);
      tried++;
      const run = await runProgram(["check", "--data", path]);
      if (run.code === 0) {
        expect(await dump(path), `page ${page}`).toBe(original);
        continue;
      }
      expect(run.code).toBe(1);
      expect(run.stderr).toMatch(/damage|cannot be read|does not decode/);
      found++;
    }
    expect(found).toBeGreaterThan(PAGES / 8);
    console.log(`overwritten pages: ${tried}, found ${found}, the others held nothing`);
  });

  it("is not served from when the head is damaged; a check finds damage below the head", async () => {
    const bytes = readFileSync(join(sound, "data.mdb"));
    const environment = await openEnvironment({ path: sound, readOnly: true });
    const position = Buffer.from(environment.tables.meta.get(META.position) ?? "");
    const [firstItem] = [...environment.tables.items.getKeys({ limit: 1 })];
    await environment.close();
    const pagesWith = (what: Buffer): number[] => {
      const pages: number[] = [];
      for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1))
        pages.push(Math.floor(at / PAGE_BYTES));
      return pages.filter((page) => page > 1);
    };
    const start = ["start", "--port", "0", "--log-level", "error", "--blocks", "0"];
    const stateRoot = position.subarray(-32);
    const head = await runProgram([...start, "--data", overwrite("head", pagesWith(stateRoot))]);
    expect(head.code).toBe(1);
    expect(head.stdout).toBe("");
    expect(head.stderr).toMatch(/damaged|damage/);

    const item = overwrite("item", pagesWith(Buffer.from(firstItem ?? "")));
    const full = await runProgram(["check", "--in-process", "--data", item]);
    expect(full.code).toBe(1);
    expect(full.stderr).toMatch(/damage/);

    // One bit of an old record, which a start does not read.
    const old = overwrite("record", []);
    const opened = await openEnvironment({ path: old, readOnly: false });
    opened.root.transactionSync(() => {
      const [group] = opened.tables.records.getRange({ start: numberKey(5n), limit: 1 });
      if (group === undefined) throw new Error("there is no record");
      const records = Buffer.from(group.value);
      const middle = records.length >> 1;
      records[middle] = (records[middle] ?? 0) ^ 1;
      opened.tables.records.putSync(group.key, records);
    });
    await opened.close();
    const quickLook = await startProgram([...start.slice(3), "--data", old]);
    expect((await quickLook.stop()).code).toBe(0);
    const wholeLook = await runCommand(["check", "--in-process", "--data", old]);
    expect(wholeLook.code).toBe(1);
    expect(wholeLook.stderr).toMatch(
      /damaged: .*table of records rows: the row of key 0x[0-9a-f]{16} does not match/,
    );
  });
});

describe("a store's file", () => {
  const data = join(folder, "file");
  const anna = "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce";
  const path = `/accounts/${anna}/balance/0x1::aptos_coin::AptosCoin`;
  let balance = 0n;

  beforeAll(async () => {
    const node = await createNode({ data, localChain: { seed: DEFAULT_SEED }, pruneWindow: "off" });
    await node.mine(20);
    balance = await node.balance("anna", "APT");
    await node.close();
  });

  it("with one changed byte in a balance gives a 500 that says so, and the metric counts it", async () => {
    const copy = join(folder, "changed");
    cpSync(data, copy, { recursive: true });
    const digits = Buffer.alloc(8);
    digits.writeBigUInt64LE(balance);
    const bytes = readFileSync(join(copy, "data.mdb"));
    const file = openSync(join(copy, "data.mdb"), "r+");
    let places = 0;
    for (let at = bytes.indexOf(digits); at >= 0; at = bytes.indexOf(digits, at + 1), places++) {
      writeSync(file, Buffer.of((digits[0] ?? 0) ^ 1), 0, 1, at);
    }
    closeSync(file);
    expect(places).toBeGreaterThan(0);

    const node = await startProgram(["--data", copy, ...quick, "--blocks", "0"]);
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(node.url + path);
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({
        error_code: "internal_error",
        message: "the stored bytes are damaged: a row does not match its checksum",
      });
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    const other = await fetch(`${node.url}/accounts/0x1/balance/0x1::aptos_coin::AptosCoin`);
    expect(other.status).toBe(200);
    const metrics = await (await fetch(node.url.replace("/v1", "/metrics"))).text();
    expect(metrics).toMatch(/^sextant_store_damaged_reads_total 2$/m);
    expect((await node.stop()).code).toBe(0);
  });

  it("that is cut off, of another program, or not of lmdb is refused with one line, before it is mapped", async () => {
    const bytes = readFileSync(join(data, "data.mdb"));
    const files: [string, Buffer][] = [
      ["0.6", bytes.subarray(0, Math.floor(bytes.length * 0.6))],
      ["two pages", bytes.subarray(0, 2 * PAGE_BYTES)],
      ["one page", bytes.subarray(0, PAGE_BYTES)],
      ["half a page", bytes.subarray(0, 100)],
      ["text", Buffer.from("someone's notes\n".repeat(1000))],
      ["zeros", Buffer.alloc(50_000)],
    ];
    for (const [name, content] of files) {
      const path = join(folder, `cut ${name}`);
      mkdirSync(path);
      writeFileSync(join(path, "data.mdb"), content);
      for (const command of name === "0.6" ? ["start", "check", "status"] : ["start"]) {
        const args = [command, ...(command === "check" ? ["--in-process"] : []), "--data", path];
        // A signal that ended this process would name no file.
        const run = await (command === "start" && name === "0.6" ? runProgram : runCommand)(args);
        expect(run, `${name}: ${command}`).toMatchObject({ code: 1, signal: null, stdout: "" });
        expect(run.stderr.trim()).toMatch(
          /^sextant: the (store|file) at \S.* (is damaged|is not a database).*$/,
        );
      }
      expect(readFileSync(join(path, "data.mdb")).equals(content)).toBe(true);
    }
  });
});

describe("the data format", () => {
  it("of a newer version is refused with one line, by every command", async () => {
    const data = join(folder, "newer");
    await (await createNode({ data, localChain: {} })).close();
    const environment = await openEnvironment({ path: data, readOnly: false });
    environment.root.transactionSync(() =>
      environment.tables.meta.putSync(META.format, Buffer.from([0, 0, 0, 9])),
    );
    await environment.close();
    for (const args of [
      ["start", "--port", "0"],
      ["check", "--in-process"],
      ["status"],
      ["backup", "--to", join(folder, "none")],
    ]) {
      const run = await runCommand([...args, "--data", data]);
      expect(run.code, args[0]).toBe(2);
      expect(run.stdout).toBe("");
      expect(run.stderr.trim()).toMatch(
        /^sextant: .* has format 9, this version reads \d: use the version that wrote it, or follow or restore .*$/,
      );
    }
  });
});

afterAll(() => {
  const file = join(folder, "frozen", "data.mdb");
  if (existsSync(file)) hasTool("chattr", "-i", file);
});
