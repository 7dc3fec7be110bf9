// Waiting and watching in processes that do not write: workers, readers of a data directory, and the commands.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { runCommand } from "../support/command.ts";
import { EventReader } from "../support/event-client.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const ADA = "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce";
const COIN = "0x1::aptos_coin::AptosCoin";

describe("waiting and watching", () => {
  it("work in workers, in read-only processes and as commands, and end with the node", async () => {
    const data = join(temporaryFolder(), "data");
    const args = ["--data", data, "--block-time", "100ms", "--log-level", "warn", "--prune-window", "off"];
    const node = await startProgram([...args, "--workers", "2"]);
    const replica = await startProgram(["--data", data, "--read-only", "--log-level", "warn"]);
    const path = `/accounts/${ADA}/balance/${COIN}`;
    const streams = await Promise.all(
      [node, node, node, node, replica].map(({ url }) => EventReader.open(`${url}${path}/stream`)),
    );
    const blocks = await EventReader.open(`${replica.url}/blocks/stream`);
    const { ledger_version: head } = (await (await fetch(node.url)).json()) as { ledger_version: string };
    const wanted = BigInt(head) + 5n;
    for (const { url } of [node, replica]) {
      const response = await fetch(`${url}${path}?min_ledger_version=${wanted}&wait_ms=30000`);
      expect(response.status).toBe(200);
      expect(BigInt(response.headers.get("x-node-read-version") ?? 0)).toBeGreaterThanOrEqual(wanted);
    }
    await until(() => [...streams, blocks].every((reader) => reader.data.length > 5));

    // As commands, by URL and from the directory.
    for (const source of [
      ["--url", node.url],
      ["--data", data],
    ]) {
      const watched = await runCommand([
        "watch",
        ADA,
        COIN,
        "--after",
        "1",
        "--count",
        "4",
        "--json",
        ...source,
      ]);
      expect([watched.code, watched.stderr]).toEqual([0, ""]);
      const found = watched.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object);
      const history = await runCommand([
        "history",
        ADA,
        COIN,
        "--from",
        "2",
        "--format",
        "json",
        "--url",
        node.url,
      ]);
      const expected = history.stdout
        .split("\n")
        .slice(0, 4)
        .map((line) => {
          const { after: balance, ...change } = JSON.parse(line) as { after: string };
          return { ...change, balance, trust: "local" };
        });
      expect(found).toEqual(expected);
      const made = await runCommand(["watch", "--count", "2", ...source]);
      expect(made.stdout).toMatch(
        /^\d+ {2}\S+ {2}block (\d+) from version \d+\n\d+ {2}\S+ {2}block \d+ from version \d+\n$/,
      );
      const now = BigInt(
        ((await (await fetch(node.url)).json()) as { ledger_version: string }).ledger_version,
      );
      const waited = await runCommand([
        "balance",
        ADA,
        COIN,
        "--min-ledger-version",
        `${now + 4n}`,
        ...source,
      ]);
      expect([waited.code, waited.stdout]).toEqual([0, expect.stringMatching(/^\d+\n$/)]);
      const late = await runCommand([
        ...["balance", ADA, COIN, "--min-ledger-version", `${now + 1_000_000n}`, "--wait", "0"],
        ...source,
      ]);
      expect([late.code, late.stderr]).toEqual([
        1,
        expect.stringMatching(/behind version \d+.*\(internal_error\)/),
      ]);
    }

    expect((await node.stop()).code).toBe(0);
    await until(() => streams.slice(0, 4).every(({ isOver }) => isOver));
    expect((await replica.stop()).code).toBe(0);
    await until(() => [...streams, blocks].every(({ isOver }) => isOver));

    // What was told is what the ledger has.
    const history = await runCommand(["history", ADA, COIN, "--format", "json", "--data", data]);
    const changes = history.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { version: string; after: string });
    for (const { data: events } of streams) {
      const first = BigInt(events[0]?.version ?? 0);
      const expected = changes
        .filter(({ version }) => BigInt(version) > first)
        .map(({ version, after }) => [version, after]);
      const told = events.slice(1).map(({ version, balance }) => [version, balance]);
      // The node may have ended before it told its last commits.
      expect(told).toEqual(expected.slice(0, told.length));
      expect(told.length).toBeGreaterThan(4);
    }
  });

  it("a command goes on when the node is started again", async () => {
    const data = join(temporaryFolder(), "data");
    const start = (port: number) =>
      createNode({
        data,
        pruneWindow: "off",
        localChain: { blockTimeMs: 100 },
        http: { port, maxWaitMs: 0 },
      });
    const first = await start(0);
    const url = first.url ?? "";
    const finished = runProgram(["watch", "--after", "0", "--count", "60", "--json", "--url", url]);
    await until(async () => {
      const page = await (await fetch(new URL("/metrics", url))).text();
      return page.includes("sextant_http_streams 1") && Number((await first.ledgerInfo()).block_height) > 20;
    });
    await first.close();
    const second = await start(Number(new URL(url).port));
    const { code, stdout, stderr } = await finished;
    expect(code).toBe(0);
    expect(stderr).toContain("lost the connection, connecting again");
    const heights = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { height: string }).height);
    expect(heights).toEqual(Array.from({ length: 60 }, (_, i) => `${i + 1}`));
    await second.close();
  });
});
