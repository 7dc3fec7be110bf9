// An archive of plain files from the outside: exported beside a running node, and imported by a node that is killed again
// and again. SEXTANT_KILLS sets how often.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createNode, exportData } from "../../src/node.ts";
import { lockFolder } from "../../src/store/lmdb/backup.ts";
import { runCommand } from "../support/command.ts";
import { launchProgram, startProgram } from "../support/program.ts";
import { infoOf, opened, produce } from "../support/proving.ts";
import { startBytesServer } from "../support/signed-history.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const KILLS = Number(process.env.SEXTANT_KILLS ?? "2");
const COIN = "0x1::aptos_coin::AptosCoin";
const ACCOUNTS = 3000;
const addressOf = (i: number): string => `0x${(i + 0xabc000).toString(16)}`;

async function makeArchive() {
  const [data, out] = [temporaryFolder(), temporaryFolder()];
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({
    address: addressOf(i),
    balances: { [COIN]: BigInt(1000 + i) },
  }));
  const node = opened(
    await createNode({
      data,
      localChain: { seed: "killed import", epochTimeMs: 5_000 },
      accounts,
      pruneWindow: "off",
    }),
  );
  await produce(node, 23);
  const { genesis_waypoint: waypoint } = await infoOf(node);
  await node.close();
  await exportData({
    store: { engine: "lmdb", path: data },
    out,
    onProgress: () => {},
    logger: silentLogger,
    signal: new AbortController().signal,
    sizes: { chunkBytes: 100_000, partVersions: 40n },
  });
  return { out, waypoint };
}

const WHOLE = ["--start-version", "latest", "--state", "whole"];
/** Nobody but the archive tells how far the network is. */
const READY_AT_THE_END = ["--ready-lag", "36500d"];

/** Serves a folder, and never answers for the chunks of the state from an item on. */
async function serve(out: string, heldFrom = Number.POSITIVE_INFINITY) {
  const asked: number[] = [];
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const server = opened(
    await startBytesServer((path) => {
      const file = join(out, path);
      if (!existsSync(file)) return undefined;
      const first = /^\/state.*\/(\d+)-\.chunk$/.exec(path)?.[1];
      if (first === undefined || (asked.push(Number(first)) && Number(first) < heldFrom))
        return readFileSync(file);
      reach();
      return "never";
    }),
  );
  return { url: server.url.href, asked, reached };
}

async function isProven(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/info`).catch(() => undefined);
  const info = (await answer?.json().catch(() => undefined)) as { trust_level?: string } | undefined;
  return info?.trust_level === "proven";
}

async function assertComplete(url: string): Promise<void> {
  for (const i of [0, 1, 77, ACCOUNTS - 1]) {
    const answer = await fetch(`${url}/accounts/${addressOf(i)}/balance/${COIN}`);
    expect([await answer.text(), answer.headers.get("x-node-trust")]).toEqual([`${1000 + i}`, "proven"]);
  }
}

describe("an archive", () => {
  it("is written by one process at a time, which is named", async () => {
    const [data, out] = [temporaryFolder(), temporaryFolder()];
    const node = opened(await createNode({ data, localChain: { epochTimeMs: 5_000 } }));
    await produce(node, 9);
    await node.close();
    const args = ["export", "--data", data, "--out", out];
    const unlock = await lockFolder(join(out, ".export", "lock"), `is exporting to ${out}`);
    const refused = await runCommand(args);
    expect(refused).toMatchObject({ code: 75, stdout: "" });
    expect(refused.stderr).toContain(`process ${process.pid} is exporting to ${out}`);
    await unlock();
    expect(await runCommand(args)).toMatchObject({ code: 0 });
  });

  it("is exported beside a running node, and gives another one its ledger", async () => {
    const [data, out] = [temporaryFolder(), join(temporaryFolder(), "new")];
    const made = await createNode({ data, localChain: { seed: "archive", epochTimeMs: 5_000 } });
    await produce(made, 13);
    await made.close();
    // Else it prunes the first blocks, which have the dates of the seed, beside the export.
    const kept = ["--prune-window", "off"];
    const origin = await startProgram(["--data", data, "--port", "0", "--seed", "archive", ...kept]);
    const { genesis_waypoint: waypoint } = (await (await fetch(`${origin.url}/info`)).json()) as {
      genesis_waypoint: string;
    };
    const done = await runCommand(["export", "--data", data, "--out", out, "--json"]);
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    const report = JSON.parse(done.stdout) as { last_version: string; state_version: string };
    const archive = pathToFileURL(out).href;
    const args = ["--data", temporaryFolder(), "--port", "0", "--waypoint", waypoint, "--upstream", archive];
    const node = await startProgram([...args, ...kept, "--proofs", archive, ...WHOLE, ...READY_AT_THE_END]);
    const asked = ["doctor", "--data", data, "--upstream", archive, "--proofs", archive];
    const doctor = await runCommand([...asked, "--waypoint", waypoint]);
    expect(doctor.stdout).toMatch(/^ok {4}proofs file:\S+: a backup folder, epochs up to \d/m);
    expect(doctor.stdout).toMatch(
      new RegExp(
        `^ok {4}upstream \\S+: a backup folder, .* to ${report.last_version}, newest state \\d`,
        "m",
      ),
    );
    expect(doctor.stdout).toMatch(
      new RegExp(`^ok {4}proofs file:\\S+: has what waypoint ${waypoint} names$`, "m"),
    );
    for (const [other, fault] of [
      [`0:${"0".repeat(64)}`, "has another ledger info than"],
      [`3:${"0".repeat(64)}`, "has no epoch that ends where"],
      ["17", "a waypoint is <version>"],
    ] as const) {
      const { code, stdout } = await runCommand([...asked, "--waypoint", other]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(`bad {3}proofs file:\\S+: ${fault}`)]);
    }
    await until(() => isProven(node.url));
    const index = (await (await fetch(node.url)).json()) as {
      ledger_version: string;
      oldest_ledger_version: string;
    };
    expect(index.oldest_ledger_version).toBe(`${BigInt(report.state_version) + 1n}`);
    await until(async () => {
      const head = (await (await fetch(node.url)).json()) as { ledger_version: string };
      return head.ledger_version === report.last_version;
    });
  });

  it("is imported by a node that is killed, which goes on after its last range", async () => {
    const { out, waypoint } = await makeArchive();
    const data = temporaryFolder();
    const args = (url: string): string[] => {
      const common = ["--data", data, "--port", "0", "--waypoint", waypoint, "--proofs", url];
      return [...READY_AT_THE_END, ...common, "--upstream", `backup+${url}`, ...WHOLE];
    };
    for (let killed = 0; killed < KILLS; killed++) {
      // Four ranges of a thousand items are asked for at once.
      const held = await serve(out, 5000);
      const { child, finished } = launchProgram(["start", ...args(held.url)]);
      await Promise.race([held.reached, finished]);
      expect(child.exitCode).toBe(null);
      child.kill("SIGKILL");
      await finished;
      // Nothing that was stored is asked for again.
      expect(Math.min(...held.asked) > 0).toBe(killed > 0);
    }
    const { url } = await serve(out);
    const node = await startProgram(args(url));
    await until(() => isProven(node.url));
    await assertComplete(node.url);
    await node.stop();
    const check = await runCommand(["check", "--in-process", "--data", data]);
    expect([check.code, check.stdout]).toEqual([0, expect.stringMatching(/verdict +sound/)]);
  }, 600_000);
});
