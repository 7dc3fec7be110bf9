// A day of the official clients, unmodified, on a local chain: fund, read, build, simulate, submit, wait, read again. Each
// client checks every number that it sees. Prints a table of clients, calls and results; exit code 1 if one is wrong, 2 if
// a client cannot be had.
//   npm run sdk-day [-- typescript newest aptos python go]
// The TypeScript SDK runs on Network.LOCAL with no settings if the ports of a local network (8080, 8081, 8090) are free;
// else that is said, and all clients get the URLs of other ports.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { startProgram } from "../test/support/program.ts";
import { CACHE, MissingTool, pythonTool, ROOT, run } from "./clients/tools.ts";
import type { CallResult } from "./sdk-day/report.ts";

const HERE = join(ROOT, "scripts", "sdk-day");
const LOCAL_PORTS = [8080, 8081, 8090];
/** Time limit of one client. */
const CLIENT_MS = 900_000;

interface Urls {
  /** Without /v1. */
  readonly node: string;
  readonly faucet: string;
  readonly status: string;
  /** A node that follows the first, keeps little, and names it as its archive; with /v1. */
  readonly pruned: string;
  /** The ports that clients know by themselves. */
  readonly isUsual: boolean;
}

interface Client {
  readonly title: string;
  /** Program, arguments and folder. Throws MissingTool. */
  readonly command: (urls: Urls) => readonly [string, readonly string[], string?];
}

function npmPackage(name: string, version: string): string {
  const folder = join(CACHE, `npm-${name}-${version}`);
  if (existsSync(join(folder, "node_modules", name))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  try {
    run(
      "npm",
      ["install", "--engine-strict=false", "--no-save", "--no-audit", "--no-fund", `${name}@${version}`],
      { cwd: folder },
    );
  } catch (error) {
    throw new MissingTool(
      `${name}@${version} cannot be installed: ${error instanceof Error ? error.message : error}`,
    );
  }
  return folder;
}

function typescriptDay({ node, faucet, status, isUsual }: Urls, ...folder: readonly string[]) {
  const settings = isUsual ? {} : { fullnode: `${node}/v1`, faucet, indexer: status };
  const args = [JSON.stringify(settings), ...folder];
  return [process.execPath, ["--import", "tsx", join(HERE, "typescript.ts"), ...args]] as const;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  typescript: { title: "TypeScript SDK 6.3.1", command: (urls) => typescriptDay(urls) },
  // Under another licence than the one before, so it is fetched for the day and is no package of this project.
  newest: {
    title: "TypeScript SDK 7.3.0",
    command: (urls) => typescriptDay(urls, npmPackage("@aptos-labs/ts-sdk", "7.3.0"), urls.pruned),
  },
  aptos: {
    title: "aptos 1.3.17 (npm)",
    command: ({ node, faucet }) => {
      const folder = npmPackage("aptos", "1.3.17");
      return [process.execPath, ["--import", "tsx", join(HERE, "aptos-1.ts"), folder, node, faucet]];
    },
  },
  python: {
    title: "Python aptos-sdk 0.11.0",
    command: ({ node, faucet }) => {
      const bin = pythonTool("aptos-sdk==0.11.0");
      return [join(bin, "python"), [join(HERE, "day.py"), `${node}/v1`, faucet]];
    },
  },
  go: {
    title: "Go SDK 1.13.0",
    command: ({ node, faucet, status }) => {
      const cwd = join(HERE, "go");
      const program = join(CACHE, "go-sdk-day");
      mkdirSync(CACHE, { recursive: true });
      try {
        run("go", ["build", "-o", program, "."], { cwd });
      } catch (error) {
        throw new MissingTool(
          `the Go SDK cannot be built: ${error instanceof Error ? error.message : error}`,
        );
      }
      return [program, [`${node}/v1`, faucet, status], cwd];
    },
  },
};

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(true)));
  });
}

function day({ command }: Client, urls: Urls): CallResult[] {
  const [program, args, cwd = ROOT] = command(urls);
  const { stdout, stderr, status, error } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    timeout: CLIENT_MS,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  });
  const results = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as CallResult);
  if (status === 0 && results.length > 0) return results;
  const end = `${stderr}`.trim().split("\n").slice(-5).join(" ");
  return [
    ...results,
    { call: "(the whole day)", ok: false, result: `ended with ${error ?? status}: ${end}` },
  ];
}

const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CLIENTS);
for (const name of asked) {
  if (CLIENTS[name] === undefined) throw new Error(`${name}: expected ${Object.keys(CLIENTS).join(", ")}`);
}
const isUsual = (await Promise.all(LOCAL_PORTS.map(isFree))).every(Boolean);
if (!isUsual) {
  console.log(
    `ports ${LOCAL_PORTS.join(", ")} are not all free: the clients get other ones, and Network.LOCAL with no settings is skipped`,
  );
}
const [port, faucetPort] = isUsual ? LOCAL_PORTS : [0, 0];
const ports = ["--port", `${port}`, "--faucet-port", `${faucetPort}`];
const node = await startProgram([
  "--store",
  "memory",
  "--block-time",
  "200ms",
  "--log-level",
  "warn",
  ...ports,
]);
const quiet = ["--store", "memory", "--log-level", "warn", "--port", "0"];
const pruned = await startProgram([
  ...quiet,
  "--upstream",
  node.url,
  "--archive-url",
  node.url,
  "--prune-window",
  "10",
]);
const counts = { ok: 0, wrong: 0, missing: 0 };
try {
  const base = node.url.replace(/\/v1$/, "");
  const info = (await (await fetch(`${node.url}/info`)).json()) as {
    faucet_url?: string;
    status_url?: string;
  };
  const [faucet, status] = [info.faucet_url ?? "", info.status_url ?? ""];
  const urls: Urls = { node: base, faucet, status, pruned: pruned.url, isUsual };
  for (const name of asked) {
    const client = CLIENTS[name] as Client;
    let results: CallResult[];
    try {
      results = day(client, urls);
    } catch (error) {
      if (!(error instanceof MissingTool)) throw error;
      counts.missing++;
      console.log(`| ${client.title} | – | not to be had: ${error.message.split("\n")[0]} |`);
      continue;
    }
    for (const { call, ok, result } of results) {
      counts[ok ? "ok" : "wrong"]++;
      const title =
        isUsual && ["typescript", "newest"].includes(name) ? `${client.title}, Network.LOCAL` : client.title;
      console.log(`| ${title} | ${call} | ${ok ? "" : "WRONG: "}${result} |`);
    }
  }
} finally {
  await pruned.stop();
  await node.stop();
}
console.log(
  `${counts.ok} calls right, ${counts.wrong} wrong; clients that could not be had: ${counts.missing}`,
);
process.exitCode = counts.wrong > 0 ? 1 : counts.missing > 0 ? 2 : 0;
