// A node on a real terminal of 80 columns and 24 lines, made by `script` of util-linux.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { endWithTest, outputOf } from "../support/children.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const bin = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));
const folder = temporaryFolder();
const hasScript = spawnSync("script", ["--version"]).status === 0;
const [COLUMNS, ROWS] = [180, 30];

interface Terminal {
  /** Everything that was written to the terminal. */
  readonly written: () => string;
  readonly type: (text: string) => void;
  readonly closed: Promise<number | null>;
}

function openTerminal(args: readonly string[], environment: Record<string, string> = {}): Terminal {
  const command = `stty cols ${COLUMNS} rows ${ROWS}; exec "${process.execPath}" "${bin}" ${args.join(" ")}`;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:SEXTANT_|npm_|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  const child = endWithTest(
    spawn("script", ["-qefc", command, "/dev/null"], {
      env: { ...Object.fromEntries(inherited), TERM: "xterm", SEXTANT_MAX_WAIT: "0", ...environment },
      stdio: ["pipe", "pipe", "inherit"],
      detached: true,
    }),
    { group: true },
  );
  const output = outputOf(child);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { written: () => output.stdout, type: (text) => child.stdin.write(text), closed };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOUR = /\u001b\[\d+m/g;

/** The lines that a terminal would show: a carriage return writes over its line. */
function shownLines(written: string): string[] {
  return written
    .replaceAll(COLOUR, "")
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.split("\r").at(-1)?.replace("\u001b[K", "") ?? "");
}

const LIVE = /^height \d+, version \d+, \d+(\.\d)? versions\/s, \d+(\.\d)? requests\/s$/;

describe.skipIf(!hasScript)("a node on a terminal", () => {
  it("shows its screen, the URL and the live line at once, and says goodbye to Ctrl-C", async () => {
    const terminal = openTerminal([
      "start",
      "--port",
      "0",
      "--block-time",
      "100ms",
      "--data",
      join(folder, "a"),
    ]);
    const live = (): string => shownLines(terminal.written()).at(-1) ?? "";
    await until(() => LIVE.test(live()));
    const lines = shownLines(terminal.written());
    expect(lines.length).toBeLessThanOrEqual(ROWS);
    for (const line of lines) expect(line.length, line).toBeLessThan(COLUMNS);
    expect(lines.at(-2)).toMatch(/^sextant is ready: http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(terminal.written()).toMatch(COLOUR);

    const url = /http:\S+\/v1/.exec(lines.at(-2) ?? "")?.[0] ?? "";
    const versionOf = (text: string): number => Number(/version (\d+)/.exec(text)?.[1]);
    const before = versionOf(live());
    await until(async () => {
      await (await fetch(url)).text();
      return versionOf(live()) > before && !live().includes(" 0.0 requests/s");
    });
    terminal.type("\u0003");
    expect(await terminal.closed).toBe(0);
    expect(shownLines(terminal.written()).at(-2)).toMatch(/^sextant stopped at version \d+$/);
  });

  it("has no colours with NO_COLOR, and a log line does not break the live line", async () => {
    const args = [
      "start",
      "--port",
      "0",
      "--block-time",
      "100ms",
      "--data",
      join(folder, "b"),
      "--log-requests",
    ];
    const terminal = openTerminal(args, { NO_COLOR: "1" });
    const lines = (): string[] => shownLines(terminal.written());
    await until(() => LIVE.test(lines().at(-1) ?? ""));
    const url = /ready: (http:\S+\/v1)/.exec(terminal.written())?.[1] ?? "";
    await (await fetch(`${url}/info`)).text();
    await until(() =>
      lines().some((line) => / INFO {2}request method=GET path=\/v1\/info status=200 /.test(line)),
    );
    await until(() => LIVE.test(lines().at(-1) ?? ""));
    expect(terminal.written()).not.toMatch(COLOUR);
    terminal.type("\u0003");
    expect(await terminal.closed).toBe(0);
  });
});
