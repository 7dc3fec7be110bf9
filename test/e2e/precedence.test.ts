// Flag, environment, configuration file: when options exclude each other, the stronger source wins and the weaker one is
// ignored. Two from the same source are an error.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
const QUIET = ["--log-level", "error"];
const NOWHERE = "cassandra://127.0.0.1:1/sextant";

/** Environment variables that the image sets. */
function imageEnvironment(): Record<string, string> {
  const text = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const assignments = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, line]) => line?.split(" ") ?? []);
  return Object.fromEntries(assignments.map((one) => one.split("=") as [string, string]));
}

function configFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function engineOf(url: string): Promise<unknown> {
  return ((await (await fetch(`${url}/info`)).json()) as Record<string, unknown>).storage_engine;
}

describe("an environment with SEXTANT_DATA, as an image may have it", () => {
  const environment = { SEXTANT_DATA: join(folder, "from-environment") };

  it("does not affect --store memory, and the node reports what it ignores", async () => {
    const node = await startProgram(["--store", "memory", ...QUIET], environment);
    expect(await engineOf(node.url)).toBe("memory");
    expect(node.stderr()).toBe("sextant: SEXTANT_DATA is ignored: --store excludes it\n");

    for (const [command, ...operands] of [
      ["info"],
      ["status"],
      ["balance", "0x1", "0x1::aptos_coin::AptosCoin"],
    ] as const) {
      const asked = await runCommand([command, ...operands, "--url", node.url], environment);
      expect([asked.code, asked.stderr]).toEqual([
        0,
        "sextant: SEXTANT_DATA is ignored: --url excludes it\n",
      ]);
    }
    await node.stop();
  });

  it("does not affect --store cassandra: the node connects to the cluster", async () => {
    const args = ["--store", "cassandra", "--store-url", NOWHERE];
    const node = await startProgram(args, environment, "listening");
    const { code, stderr } = await node.stop();
    expect(stderr).toContain("SEXTANT_DATA is ignored");
    expect(stderr).not.toContain("needs --store");
    expect(stderr).toContain("waiting for the store");
    expect(code).toBe(0);
  });

  it("gives way to --data, and to nothing else from the environment", async () => {
    const both = await runCommand(["start", ...QUIET], { ...environment, SEXTANT_STORE: "memory" });
    expect([both.code, both.stderr]).toEqual([2, "sextant: SEXTANT_DATA needs --store lmdb\n"]);
    const flags = await runCommand(["start", "--store", "memory", "--data", join(folder, "x")]);
    expect([flags.code, flags.stderr]).toEqual([2, "sextant: --data needs --store lmdb\n"]);
    const ask = await runCommand(["info", "--url", "http://127.0.0.1:1", "--data", join(folder, "x")]);
    expect([ask.code, ask.stderr]).toEqual([2, "sextant: --url and --data exclude each other\n"]);
  });
});

describe("the environment of the image", () => {
  it("lets flags, variables and a configuration file choose another store", async () => {
    const environment = { ...imageEnvironment(), SEXTANT_HOST: "127.0.0.1" };
    const path = configFile("memory.yaml", "store: memory\n");
    const byFlag = await startProgram(["--store", "memory", ...QUIET], environment);
    const byVariable = await startProgram(QUIET, { ...environment, SEXTANT_STORE: "memory" });
    const byFile = await startProgram(["--config", path, ...QUIET], environment);
    for (const node of [byFlag, byVariable, byFile]) {
      expect(await engineOf(node.url)).toBe("memory");
      await node.stop();
    }
  });
});

describe("a configuration file", () => {
  it("gives way to a flag that excludes one of its keys, and drops the keys that depend on it", async () => {
    const path = configFile(
      "follower.yaml",
      'upstream: ["http://127.0.0.1:1", "http://127.0.0.1:2"]\nagree: 2/2\nforward-submissions: true\nworkers: 2\n',
    );
    const args = ["--config", path, "--store", "memory", "--local-chain", ...QUIET];
    const node = await startProgram(args);
    expect(await engineOf(node.url)).toBe("memory");
    expect(node.stderr()).toBe(
      `${[
        `${path}: workers is ignored: --store excludes it`,
        `${path}: upstream is ignored: --local-chain excludes it`,
        `${path}: agree is ignored: --local-chain excludes it`,
        `${path}: forward-submissions is ignored: --local-chain excludes it`,
      ]
        .map((line) => `sextant: ${line}`)
        .join("\n")}\n`,
    );
    await node.stop();
  });

  it("gives way to the environment, and keeps its other keys", async () => {
    const path = configFile("memory-and-more.yaml", "store: memory\nheader-brand: APTOS\n");
    const environment = { SEXTANT_DATA: join(folder, "chosen"), SEXTANT_CONFIG: path };
    const node = await startProgram(QUIET, environment);
    expect(await engineOf(node.url)).toBe("lmdb");
    expect((await fetch(node.url)).headers.get("x-aptos-chain-id")).toBe("4");
    expect(node.stderr()).toBe(`sextant: ${path}: store is ignored: SEXTANT_DATA excludes it\n`);
    await node.stop();
  });

  it("with keys that exclude each other is an error", async () => {
    const path = configFile("both.yaml", `store: memory\ndata: ${join(folder, "y")}\n`);
    const { code, stderr } = await runCommand(["start", "--config", path]);
    expect([code, stderr]).toEqual([2, `sextant: ${path}: data needs --store lmdb\n`]);
  });
});

describe("a default", () => {
  it("gives way to a flag: a shorter request timeout also shortens the one for headers", async () => {
    const node = await startProgram(["--store", "memory", "--request-timeout", "5s", ...QUIET]);
    await node.stop();
  });
});
