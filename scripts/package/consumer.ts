// A stranger's project with Sextant installed: what it must be able to do.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { run } from "./tools.ts";

/** Time limit of one wait. */
const WAIT_MS = 60_000;
/** A demo account of the default local chain. */
const ANNA = "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce";
const APT = "0x1::aptos_coin::AptosCoin";

const PROGRAM = `import { createNode } from "sextant";
const node = await createNode();
await node.produceBlock();
console.log(String(await node.balance("${ANNA}", "${APT}")));
await node.close();
`;

const TYPED = `import { type BalanceChange, ConfigError, createNode, type Node, type StoreOptions, verifyGenesis } from "sextant";
const stores: StoreOptions[] = [
  { engine: "memory" },
  { engine: "lmdb", path: "data" },
  { engine: "cassandra", url: "cassandra://127.0.0.1/sextant" },
];
export async function first(node: Node): Promise<BalanceChange | undefined> {
  const balance: bigint = await node.balance("${ANNA}", "${APT}");
  // @ts-expect-error: a balance is a bigint.
  const wrong: string = balance;
  if (wrong === "") return undefined;
  for await (const change of node.balanceHistory("${ANNA}", "${APT}")) return change;
  return undefined;
}
export const nodes: Promise<Node>[] = stores.map((store) => createNode({ store }));
export const report = verifyGenesis(new Uint8Array());
export const isUsage = (error: unknown): boolean => error instanceof ConfigError;
`;

/** An installed package: how to run its program, and node in its project. */
export interface Installed {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Program and first arguments that stand for `sextant`. */
  readonly sextant: readonly [string, ...string[]];
  /** Program and first arguments that stand for `node`. */
  readonly node: readonly [string, ...string[]];
}

function call(
  { folder, environment }: Installed,
  [program, ...first]: readonly [string, ...string[]],
  ...args: string[]
) {
  return run(program, [...first, ...args], { cwd: folder, env: environment });
}

export function assertVersion(installed: Installed, version: string): void {
  const said = call(installed, installed.sextant, "--version").trim();
  if (said !== version) throw new Error(`sextant --version: expected ${version}, got ${said}`);
}

/** Imports the package in an ESM project. */
export function assertImport(installed: Installed): void {
  writeFileSync(join(installed.folder, "program.mjs"), PROGRAM);
  const said = call(installed, installed.node, "program.mjs");
  if (!/^[1-9]\d*$/m.test(said)) throw new Error(`the program printed ${said}`);
}

/** Without the optional driver, the message says how to install it. */
export function assertDriverMessage(installed: Installed): void {
  try {
    call(
      installed,
      installed.sextant,
      "start",
      "--port",
      "0",
      "--store",
      "cassandra",
      "--store-url",
      "cassandra://127.0.0.1/x",
    );
  } catch (error) {
    const { message } = error as Error;
    if (/ended with 2:\nsextant: .*npm install cassandra-driver.*$/.test(message)) return;
    throw error;
  }
  throw new Error("a start on a cluster without the driver: expected a refusal");
}

/** Compiles against the published types as a strict consumer without types of node. */
export function assertTypes({ folder }: Installed, tsc: string): void {
  const project = join(folder, "typed");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  writeFileSync(join(project, "index.ts"), TYPED);
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
    noEmit: true,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  run(process.execPath, [tsc, "-p", project]);
}

/** Starts a node on a data directory, reads a balance from it and stops it. */
export async function assertStart({ folder, environment, sextant }: Installed): Promise<void> {
  const [program, ...first] = sextant;
  const args = [...first, "start", "--port", "0", "--data", join(folder, "data")];
  const child = spawn(program, args, {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "exit");
  // The group: some managers run the program as their child.
  const end = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const limit = setTimeout(end, WAIT_MS, "SIGKILL");
  try {
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      url = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(line)?.[0];
      if (url !== undefined) break;
    }
    if (url === undefined) throw new Error(`the node did not start: ${stderr}`);
    child.stdout.resume();
    const response = await fetch(`${url}/accounts/${ANNA}/balance/${APT}`);
    const balance = await response.text();
    if (!response.ok || !/^[1-9]\d*$/.test(balance)) throw new Error(`a balance: got ${balance}`);
    end("SIGTERM");
    const [code] = (await exited) as [number | null];
    // A package manager that runs the program ends by the signal itself.
    const isEnded = code === 0 || (sextant.length > 1 && code === 128 + constants.signals.SIGTERM);
    if (!isEnded) throw new Error(`SIGTERM: expected exit code 0, got ${code}: ${stderr}`);
  } finally {
    clearTimeout(limit);
    end("SIGKILL");
  }
}
