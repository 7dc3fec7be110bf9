// The first ten minutes of an operator: the example configuration, a start, a restart, a backup and a restore.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const EXAMPLE = readFileSync("contrib/sextant.example.yaml", "utf8");

it("configures, starts, restarts, backs up and restores a follower", async () => {
  const folder = temporaryFolder();
  const config = join(folder, "sextant.yaml");
  const data = join(folder, "data");
  const chain = await startProgram(["--store", "memory", "--block-time", "200ms", "--log-level", "warn"]);

  writeFileSync(config, EXAMPLE);
  expect((await runCommand(["start", "--config", config, "--data", data])).stderr).toContain("upstream");
  const port = await freePort();
  const filledIn = EXAMPLE.replace(/upstream: .*/, `upstream: [${chain.url}]`).replace("8080", `${port}`);
  writeFileSync(config, filledIn.replace("drain-time: 10s", "drain-time: 1s"));

  const start = () => startProgram(["--port", `${port}`, "--config", config, "--data", data]);
  const health = async () => (await runCommand(["health", "--ready", "--config", config])).code;
  const versionOf = async (...source: string[]): Promise<number> => {
    const { stdout } = await runCommand(["status", "--json", ...source]);
    return Number((JSON.parse(stdout) as { ledger_version: string }).ledger_version);
  };
  let node = await start();
  expect(await health()).toBe(0);
  const before = await versionOf("--url", node.url);
  expect((await node.stop()).code).toBe(0);
  expect(await health()).not.toBe(0);
  node = await start();
  await until(async () => (await versionOf("--url", node.url)) > before);

  const backup = join(folder, "backup");
  const restored = join(folder, "restored");
  expect(await runCommand(["backup", "--data", data, "--to", backup])).toMatchObject({ code: 0 });
  expect(await runCommand(["restore", "--from", backup, "--data", restored])).toMatchObject({ code: 0 });
  expect(await runCommand(["check", "--in-process", "--data", restored])).toMatchObject({ code: 0 });
  const version = await versionOf("--data", restored);
  const asked = ["balance", "anna", "APT", "--ledger-version", `${version}`];
  const balance = await runCommand([...asked, "--data", restored]);
  expect(balance.stdout).toMatch(/^\d+\n$/);
  expect(await runCommand([...asked, "--url", chain.url])).toEqual(balance);

  expect((await node.stop()).code).toBe(0);
  node = await startProgram(["--port", `${port}`, "--config", config, "--data", restored]);
  await until(async () => (await versionOf("--url", node.url)) > version);
});
