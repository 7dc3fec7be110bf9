// A node that only reads, whose data directory is moved away and another one put in its place.
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();

async function chainAt(data: string, seed: string): Promise<void> {
  const node = await createNode({ data, localChain: { seed } });
  await node.produceBlock();
  await node.close();
}

it.each([
  ["another ledger", (data: string) => chainAt(`${data}.next`, "second")],
  ["nothing", async () => {}],
  ["an empty directory", (data: string) => mkdir(`${data}.next`)],
])("stops being ready and serves nothing when %s is in the place of its directory", async (name, prepare) => {
  const data = join(folder, name.replaceAll(" ", "-"));
  await chainAt(data, "first");
  await prepare(data);
  const reader = await createNode({ data, readOnly: true, http: { port: 0 } });
  const ask = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`${reader.url}${path}`);
    return [response.status, await response.text()];
  };
  expect((await ask("/-/ready"))[0]).toBe(200);
  expect((await ask(""))[0]).toBe(200);
  await rename(data, `${data}.old`);
  await rename(`${data}.next`, data).catch(() => {});
  // A view may be as old as a snapshot is kept.
  await until(async () => (await ask("/-/ready"))[0] === 503);
  expect((await ask(""))[0]).toBe(503);
  await expect(reader.ledgerInfo()).rejects.toThrow("the data directory was removed or replaced");
  // The process should be restarted, and then opens the other one.
  expect((await ask("/-/healthy"))[0]).toBe(503);
  expect(await reader.faulted).toMatchObject({ code: "absent" });
  await reader.close();
  await rm(`${data}.old`, { recursive: true });
});

it("goes on when its directory is only written to", async () => {
  const data = join(folder, "written");
  await chainAt(data, "first");
  const reader = await createNode({ data, readOnly: true, http: { port: 0 } });
  for (let i = 0; i < 5; i++) expect((await fetch(`${reader.url}/-/ready`)).status).toBe(200);
  await reader.close();
});
