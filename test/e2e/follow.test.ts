// One node follows another as an operator runs them: real processes over real sockets.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { BCS_TYPE } from "../../src/interface/media-types.ts";
import { urlTo } from "../../src/interface/route.ts";
import { transactionsRoute } from "../../src/interface/routes.ts";
import { Pipeline } from "../support/pipelined.ts";
import { type Running, startProgram } from "../support/program.ts";
import { startProxy } from "../support/proxy.ts";
import { askOver, encodeQuestion, questionsAbout } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const BLOCKS = 120;
const VERSIONS = 5;
/** Requests in flight. */
const AT_ONCE = 40;
const QUIET = ["--log-level", "warn"];
const FOLLOW = [...QUIET, "--prune-window", "off", "--upstream-rate", "0"];

interface Info {
  readonly block_height: string;
  readonly ledger_version: string;
  readonly trust_level: string;
  readonly trust_ranges: readonly Record<string, string>[];
  readonly waypoint: string;
  readonly genesis_waypoint: string;
  readonly sync_state: string;
  readonly versions_behind: string;
}

async function info(node: Running): Promise<Info> {
  return (await (await fetch(`${node.url}/info`)).json()) as Info;
}

/** Anonymous memory of a process; 0 if the system does not report it. */
function anonymousBytes(node: Running): number {
  const path = `/proc/${node.child.pid}/status`;
  if (!existsSync(path)) return 0;
  const line = /RssAnon:\s+(\d+) kB/.exec(readFileSync(path, "utf8"));
  return 1024 * Number(line?.[1] ?? 0);
}

const untilHeight = (node: Running, height: number) =>
  until(async () => {
    const now = await info(node);
    return Number(now.block_height ?? -1) >= height ? now : undefined;
  });

describe("a chain of followers", () => {
  const guide = createLocalChain({ seed: "follow" }).guide();
  const questions = questionsAbout(guide);

  it("ends with the same ledger everywhere, chained and then anchored, despite kill -9", async () => {
    const a = await startProgram([
      ...QUIET,
      ...["--data", join(folder, "a"), "--seed", "follow", "--prune-window", "off"],
      ...["--block-time", "0", "--blocks", `${BLOCKS}`],
    ]);
    const genesis = (await info(a)).genesis_waypoint;
    const followA = ["--data", join(folder, "b"), "--upstream", a.url, "--waypoint", genesis, ...FOLLOW];
    let b = await startProgram(followA, {}, "listening");
    // Killed while catching up, it resumes.
    await untilHeight(b, 50);
    await b.stop("SIGKILL");
    b = await startProgram(followA);
    const followB = ["--data", join(folder, "c"), "--upstream", b.url, "--waypoint", genesis, ...FOLLOW];
    let c = await startProgram(followB);
    const done = await untilHeight(a, BLOCKS);
    await untilHeight(b, BLOCKS);
    await untilHeight(c, BLOCKS);
    for (const node of [b, c]) {
      expect(await info(node)).toMatchObject({
        ledger_version: done.ledger_version,
        waypoint: done.waypoint,
        trust_level: "chained",
        versions_behind: "0",
      });
    }

    const latest = BigInt(done.ledger_version);
    let asked = 0;
    const statuses = new Set<number>();
    const pipelines = [a, b, c].map((node) => new Pipeline(new URL(node.url)));
    for (let turn = 0; turn < VERSIONS; turn++) {
      const version = BigInt(Math.floor(Math.random() * (Number(latest) + 1)));
      const all = [...questions, encodeQuestion(guide, turn)];
      for (let at = 0; at < all.length; at += AT_ONCE) {
        const batch = all.slice(at, at + AT_ONCE).map(async (question) => {
          const [first, ...others] = await Promise.all(
            pipelines.map((pipeline) => askOver(pipeline, question, version)),
          );
          for (const other of others) {
            const isSame =
              other.status === first?.status &&
              other.body === first.body &&
              other.readVersion === first.readVersion;
            // Formats a readable difference only if there is one.
            if (!isSame) expect(other, `${question.path} at ${version}`).toEqual(first);
          }
          asked++;
          if (first !== undefined) statuses.add(first.status);
        });
        await Promise.all(batch);
      }
    }
    for (const pipeline of pipelines) pipeline.close();
    expect(asked).toBe((questions.length + 1) * VERSIONS);
    expect([...statuses].sort()).toEqual([200, 404]);
    const records = await Promise.all(
      [a, b, c].map(async (node) => {
        const page = await fetch(urlTo(node.url, transactionsRoute, { start: latest - 99n, limit: 100 }), {
          headers: { accept: BCS_TYPE },
        });
        return Buffer.from(await page.arrayBuffer()).toString("hex");
      }),
    );
    expect(new Set(records).size).toBe(1);

    // Given a waypoint of A, B matches it in its stored ledger, and a fresh C when it reaches that version.
    await c.stop();
    await b.stop();
    b = await startProgram([...followA, "--waypoint", done.waypoint]);
    expect((await info(b)).trust_ranges).toEqual([
      { first_version: "0", last_version: done.ledger_version, level: "anchored" },
    ]);
    c = await startProgram([
      ...["--data", join(folder, "fresh"), "--upstream", b.url, ...FOLLOW],
      ...["--waypoint", genesis, "--waypoint", done.waypoint],
    ]);
    await untilHeight(c, BLOCKS);
    const anchored = await until(async () => {
      const now = await info(c);
      return now.trust_level === "chained" ? undefined : now;
    });
    expect(anchored.trust_ranges).toEqual([
      { first_version: "0", last_version: done.ledger_version, level: "anchored" },
    ]);
    // Memory is bounded however long the backlog is.
    expect(anonymousBytes(c)).toBeLessThan(300 * 2 ** 20);
    const metrics = await (await fetch(`${c.url.replace(/\/v1$/, "")}/metrics`)).text();
    expect(metrics).toContain("sextant_trust_level 3");
    expect(metrics).toContain("sextant_follow_upstreams_ok 1");
    for (const node of [c, b, a]) expect((await node.stop()).code).toBe(0);
  });

  it("does not print that it is ready while its upstream is gone, and prints it at the head", async () => {
    const proxy = await startProxy("http://127.0.0.1:9");
    const args = ["--data", join(folder, "late-b"), "--upstream", proxy.url];
    const b = await startProgram(args, {}, "listening");
    expect(b.stdout()).toMatch(/^sextant is listening: http\S+ \(not ready: no ledger yet.*\)\n$/);
    await until(() => b.stderr().includes("upstream rests after a failed request"));
    expect((await fetch(`${b.url}/-/ready`)).status).toBe(503);
    expect(b.stdout().split("\n")).toHaveLength(2);
    const chain = ["--data", join(folder, "late-a"), "--prune-window", "off", "--blocks", "5"];
    const a = await startProgram([...chain, "--block-time", "0", ...QUIET]);
    proxy.target = a.url;
    await until(() => b.stdout().includes("sextant is ready: "));
    expect((await fetch(`${b.url}/-/ready`)).status).toBe(200);
    expect((await info(b)).versions_behind).toBe("0");
    expect(b.stderr().match(/the node is ready/g)).toHaveLength(1);
    for (const node of [b, a]) expect((await node.stop()).code).toBe(0);
    await proxy.close();
  });

  it("refuses another network's history: commits nothing and exits with an error", async () => {
    const a = await startProgram([...QUIET, "--data", join(folder, "wrong-a"), "--prune-window", "off"]);
    const other = `0:${"ab".repeat(32)}`;
    const b = await startProgram(
      [
        ...["--data", join(folder, "wrong-b"), "--upstream", a.url, "--waypoint", other],
        ...[...FOLLOW, "--give-up-time", "500ms"],
      ],
      {},
      "listening",
    );
    const ended = await b.finished;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(other);
    // The line names what was known when the node began to listen.
    expect(ended.stdout).toMatch(/no ledger yet|nothing that can be verified/);
    expect(ended.stdout).not.toContain("sextant is ready");
    await a.stop();
  });
});
