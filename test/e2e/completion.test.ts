// Completion in real shells, and the manual page by a real reader of such pages.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadCommands } from "../../src/cli/commands.ts";
import { SHELLS } from "../../src/cli/help/completion.ts";
import { runCommand } from "../support/command.ts";
import { ROOT } from "../support/documentation.ts";
import { temporaryFolder } from "../support/temporary.ts";

const commands = await loadCommands();

const folder = temporaryFolder();
const hasShell = (name: string): boolean => spawnSync(name, ["--version"]).status === 0;
const [hasZsh, hasFish] = ["zsh", "fish"].map(hasShell);
const hasScript = hasShell("script");
const hasMandoc = spawnSync("mandoc", ["-Tlint", "/dev/null"]).error === undefined;
const scriptOf = (shell: string): string => join(folder, `sextant.${shell}`);

beforeAll(async () => {
  for (const shell of SHELLS) {
    const { code, stdout } = await runCommand(["completion", shell]);
    expect(code).toBe(0);
    writeFileSync(scriptOf(shell), stdout);
  }
  writeFileSync(join(folder, "request.json"), "{}");
});

/** What a shell prints on its way to complete a line. */
function run(shell: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, encoding: "utf8", timeout: 300_000 });
  expect(stderr).toBe("");
  return stdout;
}

function inBash(...words: readonly string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const text = `source "${scriptOf("bash")}"; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _sextant; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run("bash", ["--norc", "-c", text]).trim().split("\n");
}

describe("bash", () => {
  it("completes commands, options, words and files", () => {
    expect(inBash("sextant", "")).toEqual([...commands.map(({ name }) => name), "help", "version"]);
    expect(inBash("sextant", "bal")).toEqual(["balance", "balances"]);
    expect(inBash("sextant", "history", "--f")).toEqual(["--from", "--format"]);
    expect(inBash("sextant", "history", "--format", "")).toEqual(["text", "csv", "json"]);
    expect(inBash("sextant", "start", "--no-tr")).toEqual(["--no-traffic"]);
    expect(inBash("sextant", "encode", "req")).toEqual(["request.json"]);
    expect(inBash("sextant", "completion", "z")).toEqual(["zsh"]);
    // A password is never a flag.
    expect(inBash("sextant", "start", "--store-pass")).toEqual(["--store-password-file"]);
  });
});

describe.skipIf(!hasFish)("fish", () => {
  const complete = (line: string): string[] => {
    const out = run("fish", ["--no-config", "-c", `source "${scriptOf("fish")}"; complete -C '${line}'`]);
    return out.trim().split("\n");
  };

  it("completes commands, options, words and files", () => {
    expect(complete("sextant bal")).toEqual([
      "balance\tPrint an account's balance of a coin or fungible asset",
      "balances\tPrint many balances, all at the same version",
    ]);
    expect(complete("sextant history --fro")).toEqual(["--from\tFirst version or time to include"]);
    expect(complete("sextant history --format c")).toEqual(["csv\tOutput format"]);
    expect(complete("sextant encode req")).toEqual(["request.json"]);
  });
});

describe.skipIf(!hasZsh || !hasScript)("zsh", () => {
  /** Types lines, each with a tab behind it, into zsh on a terminal; returns the lines as they then stand. */
  const complete = (lines: readonly string[]): string[] => {
    const kept = join(folder, "kept");
    const settings = [
      "PROMPT= RPROMPT=",
      "autoload -Uz compinit; compinit -D -u",
      `source "${scriptOf("zsh")}"`,
      `keep() { print -r -- "$BUFFER" >> "${kept}"; BUFFER=; zle redisplay }`,
      "zle -N keep; bindkey '^X^K' keep",
    ];
    writeFileSync(join(folder, ".zshrc"), settings.join("\n"));
    spawnSync("script", ["-qec", "zsh -d -i", "/dev/null"], {
      cwd: folder,
      env: { ...process.env, ZDOTDIR: folder, TERM: "xterm" },
      input: `${lines.map((line) => `${line}\t\x18\x0b`).join("")}exit\n`,
      timeout: 300_000,
    });
    return readFileSync(kept, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd());
  };

  it("completes commands, options, words and files", () => {
    const typed = ["verify-g", "history --form", "history --format=cs", "encode requ"];
    expect(complete(typed.map((line) => `sextant ${line}`))).toEqual([
      "sextant verify-genesis",
      "sextant history --format=",
      "sextant history --format=csv",
      "sextant encode request.json",
    ]);
  });
});

describe("the manual page", () => {
  const page = readFileSync(join(ROOT, "docs/sextant.1"), "utf8");

  it("has every command and option", () => {
    for (const { name, options } of commands) {
      expect(page).toContain(`.SS sextant ${name.replaceAll("-", "\\-")}`);
      for (const option of Object.keys(options)) {
        expect(page).toContain(`SEXTANT_${option.toUpperCase().replaceAll("-", "_")}`);
      }
    }
    const { man } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { man: string };
    expect(man).toBe("./docs/sextant.1");
  });

  it.skipIf(!hasMandoc)("is read without a warning, but for its missing date", () => {
    const { stdout } = spawnSync("mandoc", ["-Tlint", "-W", "warning", join(ROOT, "docs/sextant.1")], {
      encoding: "utf8",
    });
    expect(stdout.split("\n").filter((line) => line !== "" && !line.includes("missing date"))).toEqual([]);
    const text = spawnSync("mandoc", ["-Tascii", join(ROOT, "docs/sextant.1")], { encoding: "utf8" }).stdout;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: bold is written as a letter over itself
    expect(text.replaceAll(/.\u0008/g, "")).toMatch(
      /--prune-window WINDOW\n +History to keep: a time \(24h, 30d\)/,
    );
  });
});

describe("a shell without completion", () => {
  it("is refused with those that have it", async () => {
    expect(await runCommand(["completion", "powershell"])).toMatchObject({
      code: 2,
      stderr: 'sextant: SHELL: expected one of bash, zsh, fish, got "powershell"\n',
    });
  });
});
