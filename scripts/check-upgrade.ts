// Tries the upgrade of the data format on stores that the older program wrote. Builds that program from the repository's
// history, lets it write stores of several kinds, upgrades them with the program of this tree, and compares every row
// and what both programs answer; kills the upgrade at many points; tries the way back.
//   npm run upgrade:check [-- --commit COMMIT]... [--kills COUNT] [--blocks COUNT]
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createNode } from "../src/index.ts";
import { openEnvironment } from "../src/store/lmdb/environment.ts";
import { openRow } from "../src/store/lmdb/sealed-rows.ts";
import { META, SEALED_TABLES } from "../src/store/lmdb/tables.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The last commit whose stores have format 1, and the last one before the trust level was stored with the ledger. */
const OLD_COMMITS = ["c191ee4", "71a3e99"];
const GENESIS = join(process.env.SEXTANT_SHARED ?? join(ROOT, "../shared"), "networks/devnet/genesis.blob");
/** Time limit of one wait. */
const WAIT_MS = 120_000;

const { values } = parseArgs({
  options: {
    commit: { type: "string", multiple: true, default: OLD_COMMITS },
    kills: { type: "string", default: "20" },
    blocks: { type: "string", default: "40" },
  },
});
const scratch = mkdtempSync(join(tmpdir(), "sextant-upgrade-check-"));
const children = new Set<ChildProcess>();

function assert(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Error(text);
}

/** Extracts and builds the program of a commit; returns its folder. */
function buildOld(commit: string): string {
  const folder = join(scratch, `program-${commit}`);
  mkdirSync(folder);
  const tar = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: tar });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    cwd: folder,
    stdio: "inherit",
  });
  return folder;
}

interface Started {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a node of a program's folder and waits until it serves. */
async function start(program: string, args: readonly string[]): Promise<Started> {
  const line = [join(program, "bin/sextant.js"), "start", "--port", "0", "--log-level", "warn", ...args];
  const child = spawn(process.execPath, line, { stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "exit").finally(() => children.delete(child));
  const limit = setTimeout(() => child.kill("SIGKILL"), WAIT_MS);
  let url: string | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    url = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(text)?.[0];
    if (url !== undefined) break;
  }
  clearTimeout(limit);
  assert(url !== undefined, `start ${args.join(" ")}: ${stderr}`);
  child.stdout.resume();
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = (await exited) as [number | null];
      assert(code === 0, `stopping gave ${code}: ${stderr}`);
    },
  };
}

async function ask(url: string, path: string, body?: string): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    ...(body === undefined ? {} : { method: "POST", body, headers: { "Content-Type": "application/json" } }),
    signal: AbortSignal.timeout(WAIT_MS),
  });
  // Messages of errors may be worded differently; the status may not.
  return `${response.status} ${response.ok ? await response.text() : ""}`;
}

interface Head {
  readonly ledger_version: string;
  readonly oldest_ledger_version: string;
}

async function headOf(url: string): Promise<Head> {
  const response = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS) });
  return (await response.json()) as Head;
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await isDone())) {
    assert(performance.now() < deadline, `waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Every balance and table item of the local chain's accounts and tables at every version of a range, as one text. */
async function answersOf(program: string, data: string, range: Head): Promise<string> {
  const node = await start(program, ["--data", data, "--read-only"]);
  try {
    const { ledger_version: latest, oldest_ledger_version: oldest } = range;
    const questions: { readonly path: string; readonly body?: string }[] = [
      ...guide.accounts.flatMap(({ address }) =>
        ASSETS.map((asset) => ({ path: `/accounts/${address}/balance/${asset}` })),
      ),
      ...guide.tables.flatMap(({ handle, keys }) =>
        keys.map(({ key }) => ({ path: `/tables/${handle}/raw_item`, body: JSON.stringify({ key }) })),
      ),
    ];
    const lines: string[] = [];
    // One version below what is kept, too.
    for (let version = BigInt(oldest) - 1n; version <= BigInt(latest); version++) {
      if (version < 0n) continue;
      for (const { path, body } of questions) {
        const at = `${path}?ledger_version=${version}`;
        lines.push(`${at} ${body ?? ""} ${await ask(node.url, at, body)}`);
      }
    }
    return lines.join("\n");
  } finally {
    await node.stop();
  }
}

async function rangeOf(program: string, data: string): Promise<Head> {
  const node = await start(program, ["--data", data, "--read-only"]);
  const head = await headOf(node.url);
  await node.stop();
  return head;
}

/** Hash and number of all rows, without the checksums of the current format and what names formats and writers. */
async function rowsOf(path: string): Promise<string> {
  const environment = await openEnvironment({ path, readOnly: true, anyFormat: true });
  try {
    const { format, tables } = environment;
    const hash = createHash("sha256");
    let rows = 0;
    const isSealed = format?.format === 2;
    const add = (table: string, key: Buffer, value: Buffer): void => {
      rows++;
      hash.update(
        `${table} ${key.toString("hex")} ${(isSealed ? openRow(key, value) : value).toString("hex")}\n`,
      );
    };
    for (const name of SEALED_TABLES) {
      for (const { key, value } of tables[name].getRange({})) add(name, Buffer.from(key), value);
    }
    for (const key of [META.identity, META.position]) {
      const value = tables.meta.get(key);
      if (value !== undefined) add("meta", key, value);
    }
    return `${rows} rows, ${hash.digest("hex")}`;
  } finally {
    await environment.close();
  }
}

/** Runs a command of a program to its end. */
async function run(program: string, args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [join(program, "bin/sextant.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  children.delete(child);
  return { code, said };
}

/** Upgrades in small writes, each time killed after a few of them, until one attempt comes to the end. */
async function upgradeUnderKills(path: string, kills: number): Promise<number> {
  let killed = 0;
  for (;;) {
    const script = join(ROOT, "test/support/store-upgrader.ts");
    const child = spawn(process.execPath, ["--import", "tsx", script, path, "5"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.add(child);
    const exited = once(child, "exit");
    let writes = 0;
    const most = killed < kills ? 1 + Math.floor(Math.random() * 30) : Number.POSITIVE_INFINITY;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === "write" && ++writes === most) child.kill("SIGKILL");
    }
    const [code] = (await exited) as [number | null];
    children.delete(child);
    if (code === 0) return killed;
    assert(child.killed, `the upgrade ended with ${code}`);
    killed++;
  }
}

/** Writes the stores of one old program; names and directories. */
async function writeStores(old: string, folder: string): Promise<Map<string, string>> {
  const stores = new Map<string, string>();
  const { blocks } = values;
  const make = async (
    name: string,
    args: readonly string[],
    isDone: (head: Head) => boolean,
  ): Promise<void> => {
    const data = join(folder, name);
    const node = await start(old, ["--data", data, ...args]);
    await until(`${name} is written`, async () => isDone(await headOf(node.url)));
    await node.stop();
    stores.set(name, data);
  };
  const chain = ["--block-time", "0", "--blocks", blocks];
  const hasBlocks = ({ ledger_version }: Head): boolean => Number(ledger_version) > Number(blocks);
  await make("history", [...chain, "--prune-window", "off"], hasBlocks);
  await make(
    "pruned",
    [...chain, "--prune-window", "30"],
    (head) => hasBlocks(head) && Number(head.oldest_ledger_version) > 0,
  );
  if (existsSync(GENESIS)) await make("genesis", ["--genesis", GENESIS], () => true);
  else console.log("left out: an imported genesis (no ../shared)");
  const origin = await start(old, [
    "--data",
    join(folder, "history"),
    "--blocks",
    "1",
    "--block-time",
    "1h",
    "--prune-window",
    "off",
  ]);
  const { ledger_version: end } = await headOf(origin.url);
  await make(
    "follower",
    ["--upstream", origin.url.replace(/\/v1$/, ""), "--prune-window", "off"],
    (head) => head.ledger_version === end,
  );
  await origin.stop();
  return stores;
}

async function checkStore(old: string, name: string, data: string): Promise<void> {
  const range = await rangeOf(old, data);
  const [rows, answers] = [await rowsOf(data), await answersOf(old, data, range)];
  const killed = `${data}-killed`;
  cpSync(data, killed, { recursive: true });
  // It may make a block; the versions of the old store are compared.
  const source = name === "genesis" ? ["--genesis", GENESIS] : ["--block-time", "1h", "--blocks", "1"];
  const upgrade = await start(ROOT, ["--data", data, "--prune-window", "off", ...source]);
  await upgrade.stop();
  const backup = join(data, "format-1");
  assert(existsSync(join(backup, "data.mdb")), `${name}: no backup was made`);
  assert((await rowsOf(backup)) === rows, `${name}: the backup has other rows`);
  const after = await answersOf(ROOT, data, range);
  assert(
    after === answers,
    `${name}: the answers differ after the upgrade: ${firstDifference(answers, after)}`,
  );
  const kills = await upgradeUnderKills(killed, Number(values.kills));
  assert((await rowsOf(killed)) === rows, `${name}: other rows after an upgrade with kills`);
  for (const path of [data, killed]) {
    const { code, said } = await run(ROOT, ["check", "--data", path]);
    assert(code === 0, `${name}: sextant check: ${said}`);
  }
  const refused = await run(old, ["start", "--data", data, "--port", "0"]);
  assert(refused.code !== 0 && /format 2/.test(refused.said), `${name}: the old program: ${refused.said}`);
  const back = await answersOf(old, backup, range);
  assert(
    back === answers,
    `${name}: the old program answers otherwise on the backup: ${firstDifference(answers, back)}`,
  );
  console.log(`ok  ${name}: ${rows.split(",")[0]}, ${answers.split("\n").length} answers, ${kills} kills`);
  console.log(`    the old program on the upgraded store says: ${refused.said.trim().split("\n").at(-1)}`);
}

function firstDifference(one: string, other: string): string {
  const [left, right] = [one.split("\n"), other.split("\n")];
  const at = left.findIndex((line, i) => line !== right[i]);
  return `${left[at]} / ${right[at]}`;
}

const node = await createNode();
const shown = node.guide();
await node.close();
assert(shown !== undefined, "the local chain has a guide");
const guide = shown;
const ASSETS = [...new Set(guide.accounts.flatMap(({ assets }) => assets.map(({ asset }) => asset)))];
try {
  for (const commit of values.commit) {
    console.log(`stores of commit ${commit}`);
    const old = buildOld(commit);
    const folder = join(scratch, `stores-${commit}`);
    mkdirSync(folder);
    for (const [name, data] of await writeStores(old, folder)) await checkStore(old, name, data);
  }
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
}
