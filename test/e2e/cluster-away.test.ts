// Commands whose cluster is not there: a node waits for it, whatever it would do with the store; other commands give up.
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { copyData, createNode } from "../../src/node.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();

/** A port of this machine on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

const url = `cassandra://127.0.0.1:${await closedPort()}/away`;
const place = ["--store", "cassandra", "--store-url", url, "--log-format", "json"];

describe.each([
  ["a writer", []],
  ["a writer with workers", ["--workers", "1"]],
  ["a reader", ["--read-only"]],
])("without its cluster, %s", (_, more) => {
  it("waits: healthy, not ready, one line in the log, and stops when told to", async () => {
    const node = await startProgram([...place, ...more], {}, "listening");
    const status = async (path: string): Promise<number> => {
      const response = await fetch(`${node.url}${path}`);
      await response.arrayBuffer();
      return response.status;
    };
    expect(await status("/-/healthy")).toBe(200);
    expect(await status("/-/healthy?duration_secs=10")).toBe(503);
    expect(await status("/-/ready")).toBe(503);
    expect(await status("")).toBe(503);
    const info = (await (await fetch(`${node.url}/info`)).json()) as Record<string, unknown>;
    expect(info).toMatchObject({ sync_state: "waiting", storage_engine: "none" });
    const { code, stderr } = await node.stop();
    expect(code).toBe(0);
    const lines = stderr.split("\n").filter((line) => line.includes("waiting for the store"));
    // A worker waits by itself.
    expect(lines).toHaveLength(more.includes("--workers") ? 2 : 1);
    for (const line of lines) expect(line).toContain("does not respond: connect ECONNREFUSED");
    expect(stderr).not.toContain("innerErrors");
  });
});

it("in a process, a node without its cluster is an error of one line", async () => {
  const starting = createNode({ store: { engine: "cassandra", url } });
  await expect(starting).rejects.toMatchObject({ code: "unreachable" });
  await expect(starting).rejects.toThrow(/^[^\n]*ECONNREFUSED[^\n]*$/);
});

it("a copy gives up after a while, with one line", async () => {
  const data = join(folder, "source");
  const source = await createNode({ data, localChain: {} });
  await source.close();
  const lines: string[] = [];
  const copying = copyData({
    from: { engine: "lmdb", path: data },
    to: { engine: "cassandra", url },
    share: 1,
    patienceMs: { open: 1500 },
    onProgress: () => {},
    logger: { ...silentLogger, warn: (_, text) => lines.push(text) },
  });
  await expect(copying).rejects.toMatchObject({ code: "unreachable" });
  await expect(copying).rejects.toThrow(/^[^\n]*ECONNREFUSED[^\n]*; gave up after 2 s$/);
  expect(lines).toEqual(["the cluster is out of reach: trying again"]);
});
