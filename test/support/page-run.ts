// Runs the blocks of one page as a reader would: in one folder, with the built program as `sextant`, and with ports
// that are free here in place of the written ones.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import { endWithTest, outputOf } from "./children.ts";
import { runCommand } from "./command.ts";
import { type Block, commandLines, ROOT, shapeOf } from "./documentation.ts";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

/** Most commands run in the process of the test, which answers at this port: a start costs half a second of CPU time. */
const sextantAt = (port: number): string => `case "$1" in
  start | check | export) exec "${process.execPath}" "${ROOT}/bin/sextant.js" "$@" ;;
esac
variables=(); for name in "\${!SEXTANT_@}"; do variables+=("$name=\${!name}"); done
input=; for word; do [ "$word" != - ] || input=$(cat; echo .); done
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$(($# + \${#variables[@]} + 3))" "$PWD" "\${input%.}" "$#" "$@" "\${variables[@]}" >&3
read -r code length <&3
head -c "$length" <&3
cat <&3 >&2
exit "$code"`;

const PROGRAMS = {
  npx: `if [ "$1" = sextant ]; then shift; npm_lifecycle_event=npx exec sextant "$@"; fi
    exec "${ROOT}/node_modules/.bin/$1" "\${@:2}"`,
  // The packages are installed, and the program is built.
  npm: `case "$1" in ci) ;; start) npm_lifecycle_event=start exec sextant start ;; *) echo "npm $1 does not run here" >&2; exit 1 ;; esac`,
};

const DEFAULT_PORT = "8080";
const WRITTEN_PORTS = /\b(?:808\d|8443|9090)\b/g;
const READY = "sextant is ready";
/** For a node to get to the state that a page shows. */
const STATUS_MS = 120_000;

/** What a block has printed. */
export interface BlockRun {
  readonly block: Block;
  readonly stdout: string;
}

interface Shell {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly closed: Promise<number | null>;
}

export class PageRun {
  readonly #folder: string;
  readonly #ports = new Map<string, string>();
  readonly #servers = new Map<string, Shell>();
  readonly #commands = createServer((socket) => this.#runCommand(socket));
  /** Where the process was, while commands run in the page's folder. */
  #home = "";
  #running = 0;
  /** Texts of the page and what stands for them here. */
  readonly #replacements: readonly (readonly [string, string])[];

  /** Puts the files that the pages take as given into the folder: a genesis and its waypoint. */
  constructor(folder: string, replacements: readonly (readonly [string, string])[] = []) {
    this.#folder = folder;
    this.#replacements = replacements;
    mkdirSync(join(folder, ".programs"));
    for (const [name, text] of Object.entries(PROGRAMS)) this.#install(name, text);
    const genesis = createLocalChain({ seed: "documentation" }).genesisBlob();
    writeFileSync(join(folder, "genesis.blob"), genesis);
    writeFileSync(join(folder, "waypoint.txt"), `${formatWaypoint(checkGenesis(genesis).waypoint)}\n`);
    // A response ends its line, and an error response fails the block.
    writeFileSync(join(folder, ".curlrc"), 'silent\nshow-error\nfail-with-body\nwrite-out = "\\n"\n');
  }

  #install(name: string, text: string): void {
    const path = join(this.#folder, ".programs", name);
    writeFileSync(path, `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(path, 0o755);
  }

  async #listen(): Promise<void> {
    if (this.#commands.listening) return;
    await new Promise<void>((resolve) => this.#commands.listen(0, "127.0.0.1", resolve));
    this.#install("sextant", sextantAt((this.#commands.address() as AddressInfo).port));
  }

  /** Reads fields that end with a zero byte: their number, the folder, standard input, the number of arguments, these, and variables. */
  #runCommand(socket: Socket): void {
    let text = "";
    let hasBegun = false;
    socket.setEncoding("utf8").on("data", async (piece: string) => {
      text += piece;
      const [count = "", folder = "", input = "", length = "", ...rest] = text.split("\0").slice(0, -1);
      if (hasBegun || length === "" || rest.length + 3 < Number(count)) return;
      hasBegun = true;
      const variables = rest.slice(Number(length)).map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)] as const;
      });
      if (this.#running++ === 0) this.#home = process.cwd();
      process.chdir(folder);
      const args = rest.slice(0, Number(length));
      const { code, stdout, stderr } = await runCommand(args, Object.fromEntries(variables), input);
      if (--this.#running === 0) process.chdir(this.#home);
      socket.end(`${code} ${Buffer.byteLength(stdout)}\n${stdout}${stderr}`);
    });
  }

  /** Presses Ctrl-C where the first node of the page runs. Throws where the node does not end as shown. */
  async interrupt(block: Block): Promise<void> {
    const [port, shell] = [...this.#servers][0] ?? [];
    if (port === undefined || shell?.child.pid === undefined) throw new Error(`${block.place}: no node runs`);
    const before = shell.output.stdout.length;
    this.#servers.delete(port);
    process.kill(-shell.child.pid, "SIGINT");
    const code = await shell.closed;
    const printed = shell.output.stdout.slice(before);
    const isAsShown = block.output !== undefined && shapeOf(block.output).test(printed);
    if (code !== 0 || !isAsShown)
      throw new Error(`exit code ${code}, not as shown in ${block.place}\n${printed}`);
  }

  /** Runs a block to its end, or until the node that it starts is ready. Throws where the output is not as shown. */
  async run(block: Block): Promise<BlockRun> {
    await this.#listen();
    const lines = commandLines(block, this.#folder);
    const starts = lines.filter(isStart);
    if (starts.length > 1) throw new Error(`${block.place}: a block starts one node at most`);
    const text = await this.#translate(block.text);
    if (starts[0] !== undefined) return this.#start(block, text, portOf(starts[0]));
    const isStatus = lines.every(([, command]) => command === "status");
    const shape = block.output === undefined ? /^/ : shapeOf(block.output);
    let stdout = await this.#finish(block, text);
    // A follower may be at the head now and a block behind the next moment.
    if (isStatus) {
      const again = async (): Promise<boolean> => {
        if (!shape.test(stdout)) stdout = await this.#finish(block, text);
        return shape.test(stdout);
      };
      await until(again, STATUS_MS).catch(() => {});
    }
    if (!shape.test(stdout)) throw new Error(`not the output shown in ${block.place}\n${stdout}`);
    return { block, stdout };
  }

  async #finish({ place }: Block, text: string): Promise<string> {
    const { output, closed } = this.#spawn(text);
    const code = await closed;
    if (code !== 0) throw new Error(`exit code ${code} of ${place}\n${output.stdout}${output.stderr}`);
    return output.stdout;
  }

  async #start(block: Block, text: string, port: string): Promise<BlockRun> {
    await this.#stopServer(port);
    const shell = this.#spawn(text);
    this.#servers.set(port, shell);
    const { output, closed } = shell;
    const describe = (): string => `${block.place}\n${output.stdout}${output.stderr}`;
    const shape = block.output === undefined ? /^/ : shapeOf(block.output, { goesOn: true });
    let hasEnded = false;
    closed.then(() => {
      hasEnded = true;
    });
    await until(() => hasEnded || output.stdout.includes(READY));
    // A node prints its start screen in pieces.
    const isAsShown = (): boolean => shape.test(this.#written(output.stdout));
    await until(() => hasEnded || isAsShown(), STATUS_MS).catch(() => {});
    if (hasEnded) throw new Error(`no node runs after ${describe()}`);
    if (!isAsShown()) throw new Error(`not the output shown in ${describe()}`);
    return { block, stdout: output.stdout };
  }

  /** Stops every node of the page. */
  async stop(): Promise<void> {
    for (const port of [...this.#servers.keys()]) await this.#stopServer(port);
    this.#commands.close();
  }

  async #stopServer(port: string): Promise<void> {
    const shell = this.#servers.get(port);
    this.#servers.delete(port);
    if (shell?.child.pid === undefined || shell.child.exitCode !== null) return;
    // The shell leads a group, with the node in it.
    process.kill(-shell.child.pid, "SIGTERM");
    await shell.closed;
  }

  #spawn(text: string): Shell {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith("SEXTANT_") && name !== "npm_lifecycle_event",
    );
    const env = {
      ...Object.fromEntries(inherited),
      PATH: `${join(this.#folder, ".programs")}:${process.env.PATH}`,
      CURL_HOME: this.#folder,
      SEXTANT_PORT: this.#ports.get(DEFAULT_PORT),
      // Those of another page may have the usual ones.
      SEXTANT_FAUCET_PORT: "0",
      SEXTANT_URL: `http://127.0.0.1:${this.#ports.get(DEFAULT_PORT)}`,
      // A machine that gives a test little time must not fail it.
      SEXTANT_MAX_WAIT: "0",
    };
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", text], {
      cwd: this.#folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    endWithTest(child, { group: true });
    const output = outputOf(child);
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, output, closed };
  }

  /** What a node prints, with the ports of the page. The port of the page's first node is the default. */
  #written(printed: string): string {
    const ports = [...this.#ports].reduce(
      (text, [port, here]) => text.replaceAll(`:${here}`, `:${port}`),
      printed,
    );
    return ports.replaceAll(` --url http://127.0.0.1:${DEFAULT_PORT}`, "");
  }

  async #translate(text: string): Promise<string> {
    for (const port of new Set([DEFAULT_PORT, ...(text.match(WRITTEN_PORTS) ?? [])])) {
      if (!this.#ports.has(port)) this.#ports.set(port, `${await freePort()}`);
    }
    const replaced = this.#replacements.reduce((all, [written, here]) => all.replaceAll(written, here), text);
    return replaced.replaceAll(WRITTEN_PORTS, (port) => this.#ports.get(port) ?? port);
  }
}

function isStart([program, command, ...rest]: readonly string[]): boolean {
  const isHelp = rest.some((arg) => arg.startsWith("--help"));
  return (program === "npm" || program === "sextant") && command === "start" && !isHelp;
}

function portOf(words: readonly string[]): string {
  const at = words.indexOf("--port");
  return (at < 0 ? undefined : words[at + 1]) ?? DEFAULT_PORT;
}
