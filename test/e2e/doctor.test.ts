// `sextant doctor` on broken things: each is real, and each has one line that says what is wrong.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { runCommand } from "../support/command.ts";
import { openProgram } from "../support/open-program.ts";
import { startProgram } from "../support/program.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly text: string;
  readonly advice?: string;
}

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listen<S extends Server>(server: S): Promise<number> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function upstream(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createHttpServer(answer))}`;
}

const head = (chainId: number, ageMs = 0): string =>
  JSON.stringify({
    chain_id: chainId,
    ledger_version: "10",
    oldest_ledger_version: "0",
    ledger_timestamp: `${(Date.now() - ageMs) * 1000}`,
  });

/** Patience with a busy machine. */
const PATIENT = ["--timeout", "300s"];

/** What doctor finds; its exit code must be that of its findings. */
async function doctor(...args: string[]): Promise<readonly Finding[]> {
  const { code, stdout } = await runCommand(["doctor", "--json", ...PATIENT, ...args]);
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  expect(code).toBe(findings.some(({ level }) => level === "bad") ? 1 : 0);
  return findings;
}

const of = (findings: readonly Finding[], check: string): readonly Finding[] =>
  findings.filter((finding) => finding.check.startsWith(check));

async function writeStore(): Promise<string> {
  const path = join(temporaryFolder(), "data");
  const store = await openLmdbStore({ path });
  await store.commit(new SyntheticLedger(4, 12).batch(undefined, 20n), SYNTHETIC_IDENTITY);
  await store.close();
  return path;
}

describe("a data directory", () => {
  it("that does not exist yet is fine, and is not made", async () => {
    const path = join(temporaryFolder(), "data");
    const findings = await doctor("--data", path);
    expect(of(findings, "permissions")).toMatchObject([{ level: "ok" }]);
    expect(of(findings, "store")).toMatchObject([{ level: "ok" }]);
    expect(of(findings, "disk").length).toBeGreaterThan(0);
    expect(existsSync(path)).toBe(false);
  });

  it("that this user may not write is bad", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "data");
    mkdirSync(path);
    // Root may write everywhere: another user looks then.
    chmodSync(folder, 0o755);
    chmodSync(path, 0o555);
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { node, bin } = openProgram();
    const run = promisify(execFile)(node, [bin, "doctor", "--data", path], { ...user, cwd: folder });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^bad {3}permissions: .* is not readable and writable .*owner/m,
      ) as string,
    });
  });

  it("that others may read is a warning with the command that mends it; a file is bad", async () => {
    const path = await writeStore();
    chmodSync(path, 0o755);
    chmodSync(join(path, "data.mdb"), 0o644);
    chmodSync(join(path, "lock.mdb"), 0o600);
    expect(of(await doctor("--data", path), "permissions")).toMatchObject([
      { level: "warn", advice: `chmod 700 ${path}` },
      { level: "warn", advice: `chmod 600 ${join(path, "data.mdb")}` },
    ]);
    chmodSync(path, 0o700);
    chmodSync(join(path, "data.mdb"), 0o600);
    expect(of(await doctor("--data", path), "permissions")).toMatchObject([{ level: "ok" }]);
    expect(of(await doctor("--data", join(path, "data.mdb")), "permissions")).toMatchObject([
      { level: "bad" },
    ]);
  });

  it("that is sound is told by its chain and version, a damaged one is bad", async () => {
    const path = await writeStore();
    const file = join(path, "data.mdb");
    expect(of(await doctor("--data", path), "store")).toMatchObject([
      { level: "ok", text: expect.stringMatching(/^chain \d+, version 20, /) as string },
    ]);
    writeFileSync(file, "no database");
    expect(of(await doctor("--data", path), "store")).toMatchObject([{ level: "bad" }]);
  });

  it("that a node writes is a warning that names the process", async () => {
    const data = join(temporaryFolder(), "data");
    const node = await startProgram(["--data", data]);
    const { code, stdout } = await runCommand(["doctor", "--data", data, ...PATIENT]);
    expect(stdout).toMatch(new RegExp(`^warn  lock: process ${node.child.pid} writes to the store`, "m"));
    expect(code).toBe(0);
    await node.stop();
    const after = await runCommand(["doctor", "--data", data, ...PATIENT]);
    expect(after.stdout).toMatch(/^ok {4}lock: no process writes/m);
  });
});

describe("the network", () => {
  it("finds upstreams that are away, are none, or have another chain", async () => {
    const data = await writeStore();
    const free = await listen(createServer());
    servers.at(-1)?.close();
    const none = await upstream((_, response) => response.writeHead(404).end("{}"));
    const locked = await upstream((_, response) => response.writeHead(401).end("{}"));
    const other = await upstream((_, response) => response.end(head(250)));
    const sound = await upstream((_, response) => response.end(head(SYNTHETIC_IDENTITY.chainId)));
    const stale = await upstream((_, response) => response.end(head(SYNTHETIC_IDENTITY.chainId, 3_600_000)));
    const urls = [`http://127.0.0.1:${free}`, none, locked, other, sound, stale];
    const findings = of(
      await doctor("--data", data, ...urls.flatMap((url) => ["--upstream", url])),
      "upstream",
    );
    expect(findings.map(({ level }) => level)).toEqual(["bad", "bad", "bad", "bad", "ok", "warn"]);
    expect(findings[0]?.text).toContain("cannot be reached: ");
    expect(findings[2]?.advice).toContain("SEXTANT_UPSTREAM_API_KEY");
    expect(findings[3]?.text).toBe(`serves chain 250, expected chain ${SYNTHETIC_IDENTITY.chainId}`);
  });

  it("finds a clock that differs from an upstream's", async () => {
    const dated = (offsetMs: number) =>
      upstream((_, response) => {
        response.setHeader("Date", new Date(Date.now() + offsetMs).toUTCString());
        response.end(head(4));
      });
    const [ahead, behind] = [await dated(-3_600_000), await dated(30_000)];
    const urls = ["--upstream", ahead, "--upstream", behind];
    const findings = of(await doctor("--store", "memory", ...urls), "clock");
    expect(findings).toMatchObject([
      { level: "bad", text: expect.stringMatching(/clock is \d+ s ahead of/) as string },
      { level: "warn", text: expect.stringMatching(/clock is \d+ s behind/) as string },
    ]);
  });

  it("finds a cluster that is away", async () => {
    const findings = await doctor("--store", "cassandra", "--store-url", "cassandra://127.0.0.1:1/sextant");
    expect(of(findings, "cluster")).toMatchObject([
      { level: "bad", advice: expect.stringContaining("--store-url") as string },
    ]);
  });
});

describe("its options", () => {
  it("are those that it uses; other options of start are refused", async () => {
    const { code, stdout } = await runCommand(["doctor", "--help-all"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--max-connections");
    for (const other of ["--workers", "--lease-time", "--block-time"]) {
      expect(stdout).not.toContain(other);
      const refused = await runCommand(["doctor", other, "1"]);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`unknown option ${other}`) as string,
      });
    }
  });

  it("in a node's configuration file and environment are used, and its other settings left alone", async () => {
    const folder = temporaryFolder();
    const [config, misspelt] = [join(folder, "node.yaml"), join(folder, "misspelt.yaml")];
    const data = join(folder, "data");
    const keys = `data: ${data}\nport: 0\nworkers: 2\nblock-time: 200ms\nno-such: true\n`;
    writeFileSync(config, keys.replace("no-such", "log-requests"));
    writeFileSync(misspelt, keys);
    const environment = { SEXTANT_LEASE_TIME: "5s", SEXTANT_READ_ONLY: "true" };
    const found = await runCommand(["doctor", "--config", config], environment);
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toContain(data);
    expect(await runCommand(["doctor", "--config", misspelt])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown key no-such") as string,
    });
  });

  it("of an engine are refused with another engine", async () => {
    expect(await runCommand(["doctor", "--store", "memory", "--store-user", "me"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--store-user needs --store cassandra") as string,
    });
  });
});
