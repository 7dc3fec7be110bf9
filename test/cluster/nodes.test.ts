// Nodes on a real cluster: a writer, a reader and a standby give the answers of a node in memory at every version,
// through the death of the writer and a cluster that is gone for a while.
import { expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { describeCluster } from "../support/cassandra.ts";
import { openLine } from "../support/line.ts";
import { Pipeline } from "../support/pipelined.ts";
import { type Running, runProgram, startProgram } from "../support/program.ts";
import { askOver, encodeQuestion, questionsAbout } from "../support/questions.ts";
import { until } from "../support/until.ts";

/** Clusters on a busy machine are slow, above all in creating tables. */
const PATIENCE_MS = 600_000;
/** Long enough that a writer on a machine that hardly gets on still shows in time that it lives. */
const LEASE_MS = 12_000;
/** Questions under way at once on each node. */
const AT_ONCE = 16;

const wait = <T>(look: () => Promise<T | undefined | false>): Promise<T> => until(look, PATIENCE_MS / 2);

interface Info {
  readonly sync_state: string;
  readonly sync_mode: string;
  readonly storage_engine: string;
  readonly writer_role?: string;
  readonly writer_token?: string;
}

async function infoOf({ url }: Running): Promise<Info> {
  return (await (await fetch(`${url}/info`)).json()) as Info;
}

async function statusOf({ url }: Running, path = ""): Promise<number> {
  const response = await fetch(`${url}${path}`);
  await response.arrayBuffer();
  return response.status;
}

async function versionOf({ url }: Running): Promise<bigint> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return BigInt(response.headers.get("x-node-ledger-version") ?? "-1");
}

/** A node in memory whose ledger is the one of the same seed, up to the version at least. */
async function modelUpTo(version: bigint, seed: string): Promise<Node> {
  const model = await createNode({ localChain: { seed }, pruneWindow: "off", http: { port: 0 } });
  while (BigInt((await model.ledgerInfo()).ledger_version) < version) await model.produceBlock();
  return model;
}

/** Asks all questions at the versions, and compares with the model: how many answers were compared. */
async function compare(nodes: readonly Running[], model: Node, versions: readonly bigint[]): Promise<number> {
  const guide = model.guide();
  if (guide === undefined || model.url === undefined) throw new Error("the model has no guide");
  const encoding = encodeQuestion(guide, 1);
  // Of each, JSON and BCS in turn: they are read alike.
  const questions = [...questionsAbout(guide).filter((_, i) => [0, 3].includes(i % 4)), encoding];
  const pipelines = [model.url, ...nodes.map(({ url }) => url)].map((url) => new Pipeline(new URL(url)));
  let compared = 0;
  for (const version of versions) {
    for (let from = 0; from < questions.length; from += AT_ONCE) {
      const some = questions.slice(from, from + AT_ONCE).map(async (question) => {
        const [expected, ...others] = await Promise.all(
          pipelines.map((pipeline) => askOver(pipeline, question, version)),
        );
        for (const other of others) {
          // What is encoded is read at the latest version, which each node has its own of.
          const latest = question === encoding ? { readVersion: expected?.readVersion } : {};
          expect({ ...other, ...latest }, `${question.path} at ${version}`).toEqual(expected);
        }
        compared += others.length;
      });
      await Promise.all(some);
    }
  }
  for (const pipeline of pipelines) pipeline.close();
  return compared;
}

describeCluster("Nodes on Cassandra", ({ hosts, keyspace }) => {
  const store = (ledger: string, at = hosts.join(",")): string[] => {
    const url = `cassandra://${at}/${keyspace}/${ledger}`;
    return [
      "--store",
      "cassandra",
      "--store-url",
      url,
      "--lease-time",
      `${LEASE_MS}ms`,
      "--max-wait",
      "0",
      "--log-level",
      "warn",
    ];
  };
  const writing = (ledger: string, seed: string): string[] => {
    const chain = ["--seed", seed, "--block-time", "0", "--blocks", "15", "--prune-window", "off"];
    return [...store(ledger), ...chain];
  };

  it(
    "a writer, a reader and a standby answer alike, and the standby goes on when the writer dies",
    async () => {
      const reader = await startProgram(
        [...store("election"), "--read-only", "--workers", "2"],
        {},
        "listening",
      );
      expect(await statusOf(reader)).toBe(503);
      expect(await statusOf(reader, "/-/ready")).toBe(503);
      const first = await startProgram(writing("election", "first"));
      const standby = await startProgram(writing("election", "first"));
      expect(await infoOf(first)).toMatchObject({ writer_role: "writer", storage_engine: "cassandra" });
      expect(await infoOf(standby)).toMatchObject({ writer_role: "standby", sync_state: "standby" });
      expect(await infoOf(reader)).toMatchObject({ sync_mode: "read-only" });
      await wait(async () => (await versionOf(reader)) > 40n);

      const left = await versionOf(reader);
      first.child.kill("SIGKILL");
      await first.finished;
      const { writer_token: token } = await wait(async () => {
        const info = await infoOf(standby);
        return info.writer_role === "writer" && info;
      });
      expect(BigInt(token ?? "0")).toBeGreaterThan(1n);
      await wait(async () => standby.stderr().includes("blocks 15/15"));
      await wait(async () => (await versionOf(reader)) > left + 40n);

      // Later processes find it taken, whatever its state before.
      const second = await startProgram(writing("election", "first"));
      expect((await infoOf(second)).writer_role).toBe("standby");
      const refused = await runProgram(["start", "--port", "0", ...writing("election", "other")]);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("another seed");

      const head = await versionOf(reader);
      const model = await modelUpTo(head, "first");
      // Around the change of the writer, and at both ends.
      const versions = [0n, left, left + 1n, head];
      const compared = await compare([standby, second, reader], model, versions);
      expect(compared).toBeGreaterThan(850);
      await model.close();
      expect((await standby.stop()).code).toBe(0);
      // A lease that was given back need not lapse first.
      await wait(async () => (await infoOf(second)).writer_role === "writer");
      for (const node of [second, reader]) expect((await node.stop()).code).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    "a cluster that is gone is 503, and all is well when it is back",
    async (context) => {
      const [host = "", port = "9042"] = (hosts[0] ?? "").split(":");
      const line = await openLine({ host, port: Number(port) });
      const place = store("gone", `127.0.0.1:${line.port}`);
      const chain = ["--block-time", "500ms", "--prune-window", "off"];
      const writer = await startProgram([...place, ...chain]);
      const reader = await startProgram([...place, "--read-only"]);
      await wait(async () => (await versionOf(reader)) > 5n);
      const metrics = await (await fetch(`${writer.url.slice(0, -3)}/metrics`)).text();
      if (!metrics.includes("\nsextant_store_hosts_known 1\n")) {
        await Promise.all([writer.stop(), reader.stop()]);
        line.close();
        context.skip("the line can be cut to a cluster of one node only");
      }
      line.cut();
      await wait(async () => (await statusOf(reader)) === 503 && (await statusOf(writer)) === 503);
      expect(await statusOf(reader, "/-/ready")).toBe(503);
      // A restart would not help.
      expect(await statusOf(writer, "/-/healthy")).toBe(200);
      expect(await statusOf(reader, "/-/healthy")).toBe(200);
      expect(await statusOf(reader, "/info")).toBe(200);
      line.mend();
      await wait(async () => (await statusOf(reader)) === 200 && (await statusOf(writer)) === 200);
      const back = await versionOf(reader);
      await wait(async () => (await versionOf(reader)) > back + 10n);
      await wait(async () => (await statusOf(writer, "/-/ready")) === 200);

      // A node that cannot reach its store still ends when it is told to.
      line.cut();
      await wait(async () => (await statusOf(writer)) === 503);
      const [ended, left] = await Promise.all([writer.stop(), reader.stop()]);
      expect([ended.code, left.code]).toEqual([0, 0]);
      line.close();
    },
    PATIENCE_MS,
  );
});
