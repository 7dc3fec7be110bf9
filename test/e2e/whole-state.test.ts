// A complete replica is killed again and again while it fetches the state: it goes on after its last range, and ends with
// the answers of the chain. SEXTANT_KILLS sets how often.
import { beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { runCommand } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { launchProgram, startProgram } from "../support/program.ts";
import { infoOf, opened, produce } from "../support/proving.ts";
import { startProxy } from "../support/proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const KILLS = Number(process.env.SEXTANT_KILLS ?? "2");
const TIMEOUT_MS = 600_000 + 20_000 * KILLS;
const COIN = "0x1::aptos_coin::AptosCoin";
const ACCOUNTS = 3000;

async function startOrigin(): Promise<Node> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({
    address: `0x${(i + 0xabc000).toString(16)}`,
    balances: { [COIN]: BigInt(1000 + i) },
  }));
  const node = await createNode({
    http: { port: 0, proofPort: 0 },
    localChain: { seed: "killed replica", epochTimeMs: 5_000 },
    accounts,
    pruneWindow: "off",
  });
  await produce(node, 20);
  return node;
}

let origin: Node;
let waypoint: string;
beforeAll(async () => {
  origin = await startOrigin();
  waypoint = (await infoOf(origin)).genesis_waypoint;
  return () => origin.close();
});

describe("a complete replica that is killed", () => {
  it(
    "goes on after the last range that it stored, and has every item in the end",
    async () => {
      let [killed, replicas] = [0, 0];
      while (killed < KILLS) {
        const data = temporaryFolder();
        const args = ["--data", data, "--upstream", origin.url ?? "", "--port", "0", "--waypoint", waypoint];
        args.push("--start-version", "latest", "--state", "whole", "--proofs");
        let fetched = 0;
        for (let run = 0; killed < KILLS && run < 2; run++) {
          // Four are asked for at once: the fifth comes when the first is stored.
          const held = await holdAt(5 + (killed % 2));
          const { child, finished } = launchProgram(["start", ...args, held.url]);
          await Promise.race([held.reached, finished]);
          expect(child.exitCode).toBe(null);
          child.kill("SIGKILL");
          await finished;
          killed++;
          const first = Math.min(...held.starts);
          // Nothing that was stored is asked for again.
          if (run > 0) expect(first).toBeGreaterThan(fetched);
          fetched = first;
        }
        const node = await startProgram([...args, origin.proofUrl ?? ""]);
        await until(() => isWhole(node.url));
        for (const i of [0, 1, 77, ACCOUNTS - 1]) {
          const path = `accounts/0x${(i + 0xabc000).toString(16)}/balance/${COIN}`;
          const answer = await fetch(`${node.url}/${path}`);
          expect([await answer.text(), answer.headers.get("x-node-trust")]).toEqual([
            `${1000 + i}`,
            "proven",
          ]);
        }
        await node.stop();
        const check = await runCommand(["check", "--in-process", "--data", data]);
        expect([check.code, check.stdout]).toEqual([0, expect.stringMatching(/verdict +sound/)]);
        replicas++;
      }
      expect(replicas).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

describe("a complete replica that fetches its state", () => {
  it("tells how far it is", async () => {
    const held = await holdAt(5);
    const port = `${await freePort()}`;
    const args = ["--data", temporaryFolder(), "--upstream", origin.url ?? "", "--port", port];
    args.push("--start-version", "latest", "--state", "whole", "--waypoint", waypoint, "--proofs", held.url);
    const { child, finished } = launchProgram(["start", ...args]);
    await held.reached;
    const url = `http://127.0.0.1:${port}/v1`;
    const info = await until(async () => {
      const answer = (await (await fetch(`${url}/info`)).json()) as Record<string, unknown>;
      return Number(answer.state_items) >= 1000 ? answer : undefined;
    });
    expect(info).toMatchObject({ sync_mode: "follow", state_version: expect.stringMatching(/^\d+$/) });
    expect(info).not.toHaveProperty("index");
    const { code, stdout } = await runCommand(["status", "--url", url]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/state_items +[1-9]\d{3}\n/)]);
    expect((await fetch(`${url}/-/ready`)).status).toBe(503);
    child.kill("SIGKILL");
    await finished;
  });
});

/** A proxy before the chain's proofs that leaves one question for a range without an answer. */
async function holdAt(question: number) {
  const proxy = opened(await startProxy(origin.proofUrl ?? ""));
  const starts: number[] = [];
  const reached = new Promise<void>((resolve) => {
    proxy.meddle = (passing) => {
      const [, start, limit] = /^\/state_snapshot_chunk\/\d+\/(\d+)\/(\d+)$/.exec(passing.path) ?? [];
      // Smaller ones search for single items.
      if (start === undefined || Number(limit) <= 16 || starts.push(Number(start)) < question) return passing;
      resolve();
      return undefined;
    };
  });
  return { url: proxy.url, starts, reached };
}

async function isWhole(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/info`).catch(() => undefined);
  const info = (await answer?.json().catch(() => undefined)) as { trust_level?: string } | undefined;
  return info?.trust_level === "proven";
}
