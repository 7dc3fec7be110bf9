// Commands whose cluster is not there: a node waits for it, whatever it would do with the store, and in a process it is an error.
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { startProgram } from "../support/program.ts";

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
