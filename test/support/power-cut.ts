// A whole installation on one machine: Cassandra nodes, a writer, a standby and two readers. A power cut kills all of
// them at once; then they start in any order, without anyone to help.
import { execFile, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createNode, type Node } from "../../src/node.ts";
import { endWithTest } from "./children.ts";
import { freePort } from "./free-port.ts";
import { ask, questionsAbout } from "./questions.ts";
import { until } from "./until.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));
const CASSANDRA = fileURLToPath(new URL("../../scripts/cassandra.sh", import.meta.url));
const PATIENCE_MS = 300_000;
const WAITS = "waiting for the store";
const WAITED = "waiting is over";

export interface InstallationOptions {
  /** First three parts of the Cassandra nodes' addresses. */
  readonly net: string;
  readonly nodes: 1 | 3;
  /** Folder of the Cassandra nodes. */
  readonly home: string;
  /** Folder of Cassandra itself, if it is not under `home`. */
  readonly libraries?: string | undefined;
  readonly leaseMs: number;
  readonly keyspace: string;
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/** One process of the program, and its successors after power cuts. */
class Process {
  readonly name: string;
  readonly url: string;
  readonly #args: readonly string[];
  #kill: () => Promise<void> = async () => {};
  #stderr = "";
  /** Set when it exits without being killed. */
  exit: string | undefined;

  constructor(name: string, port: number, args: readonly string[]) {
    this.name = name;
    this.url = `http://127.0.0.1:${port}/v1`;
    this.#args = ["start", "--port", String(port), "--log-format", "json", "--max-wait", "0", ...args];
  }

  start(): void {
    this.#stderr = "";
    let isKilled = false;
    const child = endWithTest(
      spawn(process.execPath, [PROGRAM, ...this.#args], { stdio: ["ignore", "ignore", "pipe"] }),
    );
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    const ended = new Promise<void>((resolve) => {
      child.on("close", (code) => {
        if (!isKilled) this.exit = `${this.name} exited with ${code}: ${this.#stderr}`;
        resolve();
      });
    });
    this.#kill = () => {
      isKilled = true;
      child.kill("SIGKILL");
      return ended;
    };
  }

  kill(): Promise<void> {
    return this.#kill();
  }

  /** Log lines of the present process that contain the text. */
  linesWith(text: string): number {
    return this.#stderr.split("\n").filter((line) => line.includes(text)).length;
  }

  async status(path: string): Promise<number> {
    const response = await fetch(`${this.url}${path}`).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status ?? 0;
  }

  /** Latest version; -1 while it cannot tell. */
  async version(): Promise<bigint> {
    const response = await fetch(this.url).catch(() => undefined);
    await response?.arrayBuffer();
    return BigInt(response?.headers.get("x-node-ledger-version") ?? "-1");
  }

  async role(): Promise<string | undefined> {
    const response = await fetch(`${this.url}/info`).catch(() => undefined);
    return ((await response?.json().catch(() => undefined)) as { writer_role?: string } | undefined)
      ?.writer_role;
  }
}

export class Installation {
  readonly #options: InstallationOptions;
  readonly #processes: readonly Process[];
  /** Commits that a client has seen. */
  #seen = -1n;

  private constructor(options: InstallationOptions, ports: readonly number[]) {
    this.#options = options;
    const hosts = Array.from({ length: options.nodes }, (_, at) => `${options.net}.${at + 1}`);
    const place = [
      "--store",
      "cassandra",
      "--store-url",
      `cassandra://${hosts.join(",")}/${options.keyspace}`,
    ];
    const writing = ["--seed", "power", "--block-time", "200ms", "--prune-window", "off"];
    const names = ["writer", "standby", "reader 1", "reader 2"];
    this.#processes = names.map((name, at) => {
      const own = at < 2 ? ["--lease-time", `${options.leaseMs}ms`, ...writing] : ["--read-only"];
      return new Process(name, ports[at] ?? 0, [...place, ...own]);
    });
  }

  static async plan(options: InstallationOptions): Promise<Installation> {
    const ports = await Promise.all([1, 2, 3, 4].map(freePort));
    return new Installation(options, ports);
  }

  /** Runs scripts/cassandra.sh on this installation's nodes. */
  async #cassandra(...words: string[]): Promise<void> {
    const { net, home, libraries } = this.#options;
    const environment = {
      ...process.env,
      CASSANDRA_NET: net,
      CASSANDRA_HOME_DIR: home,
      ...(libraries === undefined ? {} : { CASSANDRA_LIB_DIR: libraries }),
    };
    await promisify(execFile)(CASSANDRA, words, { env: environment });
  }

  /**
   * Starts everything that is not running in a random order, with pauses of up to `maxPauseMs`; `processesFirst` starts
   * every process of the program before the first node. Returns when all of them serve and the ledger moves on.
   */
  async start({
    isFirst = false,
    processesFirst = false,
    maxPauseMs = 3000,
  }: {
    readonly isFirst?: boolean;
    readonly processesFirst?: boolean;
    readonly maxPauseMs?: number;
  }): Promise<void> {
    const { nodes, random, log } = this.#options;
    const parts = this.#processes.map((one) => ({ name: one.name, start: async () => one.start() }));
    // The nodes of a new cluster start together: that is how the script makes one.
    const machines = isFirst
      ? [{ name: "the cluster", start: () => this.#cassandra("up", String(nodes)) }]
      : Array.from({ length: nodes }, (_, at) => ({
          name: `node ${at + 1}`,
          start: () => this.#cassandra("start", String(at + 1)),
        }));
    const order = processesFirst
      ? [...shuffled(parts, random), ...shuffled(machines, random)]
      : shuffled([...parts, ...machines], random);
    log(`start: ${order.map(({ name }) => name).join(", ")}`);
    const started: Promise<void>[] = [];
    for (const [at, part] of order.entries()) {
      if (processesFirst && at === parts.length) await this.#assertAllWait();
      started.push(part.start());
      await sleep(random() % maxPauseMs);
    }
    await Promise.all(started);
    await this.#assertAllServe();
  }

  /** While there is no node, every process lives, is healthy and not ready, and said once that it waits. */
  async #assertAllWait(): Promise<void> {
    for (const one of this.#processes) {
      await this.#until(one, "waits", () => one.linesWith(WAITS) === 1);
      const statuses = [await one.status("/-/healthy"), await one.status("/-/ready")];
      if (String(statuses) !== "200,503") throw new Error(`${one.name} waits with ${statuses}`);
    }
  }

  /** Every process is ready, nothing that was seen is lost, and the ledger moves on. */
  async #assertAllServe(): Promise<void> {
    const from = this.#seen;
    for (const one of this.#processes) {
      await this.#until(one, "is ready", async () => (await one.status("/-/ready")) === 200);
    }
    for (const one of this.#processes) {
      await this.#until(one, "moves on", async () => (await one.version()) > from + 5n);
      const [began, ended] = [one.linesWith(WAITS), one.linesWith(WAITED)];
      if (began > 1 || began !== ended)
        throw new Error(`${one.name} said ${began} times that it waits, ${ended} times that it is over`);
    }
    const [first] = this.#processes;
    if (first === undefined) throw new Error("an installation without a writer");
    // The lease of the writer that was killed may still run.
    await this.#until(first, "or its standby writes", async () => {
      const roles = await Promise.all(this.#processes.slice(0, 2).map((one) => one.role()));
      return String(roles.sort()) === "standby,writer";
    });
  }

  async #until(one: Process, what: string, look: () => Promise<boolean> | boolean): Promise<void> {
    try {
      await until(() => {
        if (one.exit !== undefined) throw new Error(one.exit);
        return look();
      }, PATIENCE_MS);
    } catch (error) {
      throw new Error(`${one.name} never ${what}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Kills every process and every node in a random order, after noting the newest version that a client saw. */
  async cutPower(): Promise<bigint> {
    const { nodes, random } = this.#options;
    for (const one of this.#processes) {
      const version = await one.version();
      if (version > this.#seen) this.#seen = version;
    }
    const kills = [
      ...this.#processes.map((one) => () => one.kill()),
      ...Array.from({ length: nodes }, (_, at) => () => this.#cassandra("kill", String(at + 1))),
    ];
    await Promise.all(shuffled(kills, random).map((kill) => kill()));
    return this.#seen;
  }

  /** Compares every process with a node in memory of the same seed, at `count` versions. Returns the answers compared. */
  async compare(count: number): Promise<number> {
    const { random } = this.#options;
    const head = await this.#processes[2]?.version();
    if (head === undefined || head < 0n) throw new Error("no reader responds");
    const model = await modelUpTo(head);
    const guide = model.guide();
    if (guide === undefined || model.url === undefined) throw new Error("the model has no guide");
    const questions = questionsAbout(guide);
    let compared = 0;
    for (let turn = 0; turn < count; turn++) {
      const version = turn === 0 ? head : BigInt(random()) % (head + 1n);
      const question = questions[random() % questions.length]!;
      const expected = JSON.stringify(await ask(model.url, question, version));
      for (const one of this.#processes) {
        const found = JSON.stringify(await ask(one.url, question, version));
        if (found !== expected) {
          throw new Error(`${one.name}, ${question.path} at ${version}: ${found}, expected ${expected}`);
        }
        compared++;
      }
    }
    await model.close();
    return compared;
  }

  /** Ends everything and removes the nodes' data. */
  async remove(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.kill()));
    await this.#cassandra("down", "--wipe");
  }
}

async function modelUpTo(version: bigint): Promise<Node> {
  const model = await createNode({
    localChain: { seed: "power" },
    pruneWindow: "off",
    http: { port: 0, maxWaitMs: 0 },
  });
  while (BigInt((await model.ledgerInfo()).ledger_version) < version) await model.produceBlock();
  return model;
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(random() % rest.length, 1)[0]!);
}
