// Runs the blocks of one page as a reader would: in one folder, with the built program as `sextant`, and with ports
// that are free here in place of the written ones.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { endWithTest } from "./children.ts";
import { type Block, commandLines, ROOT, shapeOf } from "./documentation.ts";
import { until } from "./until.ts";

const PROGRAMS = {
  sextant: `exec "${process.execPath}" "${ROOT}/bin/sextant.js" "$@"`,
  npx: `if [ "$1" = sextant ]; then shift; exec sextant "$@"; fi
    exec "${ROOT}/node_modules/.bin/$1" "\${@:2}"`,
  // The packages are installed, and the program is built.
  npm: `case "$1" in ci) ;; start) exec sextant start ;; *) echo "npm $1 does not run here" >&2; exit 1 ;; esac`,
};

const DEFAULT_PORT = "8080";
const WRITTEN_PORTS = /\b(?:808\d|8443|9090)\b/g;
const READY = "sextant is ready";

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
  /** Texts of the page and what stands for them here. */
  readonly #replacements: readonly (readonly [string, string])[];

  constructor(folder: string, replacements: readonly (readonly [string, string])[] = []) {
    this.#folder = folder;
    this.#replacements = replacements;
    mkdirSync(join(folder, ".programs"));
    for (const [name, text] of Object.entries(PROGRAMS)) {
      const path = join(folder, ".programs", name);
      writeFileSync(path, `#!/usr/bin/env bash\n${text}\n`);
      chmodSync(path, 0o755);
    }
    // A response ends its line, and an error response fails the block.
    writeFileSync(join(folder, ".curlrc"), 'silent\nshow-error\nfail-with-body\nwrite-out = "\\n"\n');
  }

  /** Runs a block to its end, or until the node that it starts is ready. Throws where the output is not as shown. */
  async run(block: Block): Promise<BlockRun> {
    const starts = commandLines(block, this.#folder).filter(isStart);
    if (starts.length > 1) throw new Error(`${block.place}: a block starts one node at most`);
    const port = starts[0] === undefined ? undefined : portOf(starts[0]);
    if (port !== undefined) await this.#stopServer(port);
    const shell = this.#spawn(await this.#translate(block.text));
    const { output } = shell;
    const describe = (): string => `${block.place}\n${output.stdout}${output.stderr}`;
    let code: number | null | undefined;
    shell.closed.then((value) => {
      code = value;
    });
    const isReady = (): boolean => port !== undefined && output.stdout.includes(READY);
    await until(() => code !== undefined || isReady());
    if (isReady() && port !== undefined) this.#servers.set(port, shell);
    else if (code !== 0 || port !== undefined) throw new Error(`exit code ${code} of ${describe()}`);
    if (block.output !== undefined) {
      const shape = shapeOf(block.output, { goesOn: port !== undefined });
      // A node prints its start screen in pieces.
      const isAsShown = (): boolean => shape.test(output.stdout);
      if (port !== undefined) await until(isAsShown, 10_000).catch(() => {});
      if (!isAsShown()) throw new Error(`not the output shown in ${describe()}`);
    }
    return { block, stdout: output.stdout };
  }

  /** Stops every node of the page. */
  async stop(): Promise<void> {
    for (const port of [...this.#servers.keys()]) await this.#stopServer(port);
  }

  async #stopServer(port: string): Promise<void> {
    const shell = this.#servers.get(port);
    this.#servers.delete(port);
    if (shell?.child.pid === undefined) return;
    // The shell leads a group, with the node in it.
    process.kill(-shell.child.pid, "SIGTERM");
    await shell.closed;
  }

  #spawn(text: string): Shell {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SEXTANT_"));
    const env = {
      ...Object.fromEntries(inherited),
      PATH: `${join(this.#folder, ".programs")}:${process.env.PATH}`,
      CURL_HOME: this.#folder,
      SEXTANT_PORT: this.#ports.get(DEFAULT_PORT),
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
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      output.stdout += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      output.stderr += piece;
    });
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, output, closed };
  }

  async #translate(text: string): Promise<string> {
    for (const port of new Set([DEFAULT_PORT, ...(text.match(WRITTEN_PORTS) ?? [])])) {
      if (!this.#ports.has(port)) this.#ports.set(port, await freePort());
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

function freePort(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(`${port}`));
    });
  });
}
