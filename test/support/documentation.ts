// The pages of the documentation: their code blocks, links and named files, and what a block's output looks like.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadCommands } from "../../src/cli/commands.ts";
import { parseCommand } from "../../src/cli/parse.ts";

const commands = await loadCommands();

/** The project's folder. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Why a block is not run: it installs packages, takes minutes, asks a public host, or needs Cassandra. */
export const WORDS = ["install", "long", "network", "cluster"] as const;

/** A fenced block of a page. */
export interface Block {
  /** Page and line, for messages. */
  readonly place: string;
  readonly language: string;
  /** The word behind the language in the fence. */
  readonly word: string;
  readonly text: string;
  /** The `text` block directly after this one. */
  readonly output: string | undefined;
}

/** Every page that people read, by its path in the project. */
export const PAGES: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...pagesIn("docs"),
  ...pagesIn("docs/appendix"),
];

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => `${folder}/${name}`);
}

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** The fenced blocks of a page, in order. */
export function readBlocks(page: string): Block[] {
  const text = readPage(page);
  const fences = [...text.matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)];
  return fences.map((fence, i) => {
    const next = fences[i + 1];
    const isFollowed =
      next?.[1] === "text" && text.slice(fence.index + fence[0].length, next.index).trim() === "";
    return {
      place: `${page}:${text.slice(0, fence.index).split("\n").length}`,
      language: fence[1] ?? "",
      word: fence[2] ?? "",
      text: fence[3] ?? "",
      output: isFollowed ? next[3] : undefined,
    };
  });
}

/**
 * What an output must look like: the words of a shown one, with any number, hash and amount of space. `…` stands for
 * the rest of a word or line, and alone for any lines. An output that goes on, as that of a server, need not end there.
 */
export function shapeOf(shown: string, { goesOn = false } = {}): RegExp {
  const lines = shown.trimEnd().split("\n");
  // A line that matches in several ways is tried once: else their number multiplies from line to line.
  const pattern = lines.map((line, i) =>
    line.trim() === "…" ? "(?:.*\\n)*?" : `(?=(?<line${i}>${lineShape(line)}\\n))\\k<line${i}>`,
  );
  return new RegExp(`^${pattern.join("")}${goesOn ? "" : "$"}`);
}

function lineShape(line: string): string {
  return line
    .trimEnd()
    .split("…")
    .map((part) =>
      part
        .replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")
        .replaceAll(/0x[0-9a-f]+|\b[0-9a-f]{64}\b|\d+(?:\\\.\d+)*| +/g, (token) => {
          if (token.startsWith(" ")) return " +";
          if (token.startsWith("0x")) return "0x[0-9a-f]+";
          return token.length === 64 ? "[0-9a-f]{64}" : "\\d+(?:\\.\\d+)*";
        }),
    )
    .join(".*");
}

/** Takes the place of every program: bash reads the block, and only the command lines are kept. */
const RECORDER = `
PATH=/nonexistent
# In one write: the programs of a pipeline run at once.
record() { local line; printf -v line '%s\\037' "$@"; printf '%s\\036' "$line" >&3; echo 0:${"0".repeat(64)}; }
sextant() { record sextant "$@"; }
command_not_found_handle() { record "$@"; }
`;

/** The command lines of a block, without running them. What one would print is a waypoint for all. */
export function commandLines({ text }: Block, folder: string): string[][] {
  const run = spawnSync("bash", ["-c", RECORDER + text], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const record = String(run.output[3] ?? "");
  return record
    .split("\x1e")
    .filter((line) => line !== "")
    .map((line) => line.split("\x1f").slice(0, -1))
    .map((words) => (words[0] === "npx" && words[1] === "sextant" ? words.slice(1) : words));
}

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};
const NPM_COMMANDS = ["ci", "install"];

/** Throws where a command line names an option, a command, an npm script or a file that does not exist. */
export function checkCommandLine([program = "", ...args]: readonly string[]): void {
  if (program === "sextant") checkProgramLine(args);
  if (program === "npm") {
    const name = args[0] === "run" ? args[1] : args[0];
    if (name === undefined || !(NPM_COMMANDS.includes(name) || Object.hasOwn(scripts, name))) {
      throw new Error(`npm has no ${name} here`);
    }
  }
  for (const path of args.filter((arg) => /^[\w.-]+\/.*\.(?:ts|js|sh)$/.test(arg))) {
    if (!existsSync(join(ROOT, path))) throw new Error(`there is no ${path}`);
  }
}

function checkProgramLine([name, ...args]: readonly string[]): void {
  if (name === "--version" || name === "help") return;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new Error(`sextant has no command ${name}`);
  if (args.some((arg) => arg.startsWith("--help"))) return;
  // The configuration file of an example need not exist.
  const config = args.indexOf("--config");
  parseCommand(config < 0 ? args : args.toSpliced(config, 2), command.options, {});
}

/** Links of a page to other places of the project that lead nowhere. */
export function deadLinks(page: string): string[] {
  const prose = readPage(page).replaceAll(/^```[\s\S]*?^```$/gm, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
}

function anchorsOf(page: string): string[] {
  const headings = [...readPage(page).matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? "");
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

/** Files and folders that a page names and the project does not have. Words in capitals stand for any name. */
export function missingFiles(page: string): string[] {
  const tops = "src|test|docs|scripts|bench|contrib|examples|bin|\\.ci";
  const named = readPage(page).matchAll(new RegExp(`(?<![\\w./-])(?:${tops})/[\\w./-]*\\w/?`, "g"));
  return [...new Set([...named].map((match) => match[0]))].filter(
    (path) => !(/\b[A-Z]{4,}\b/.test(path) || existsSync(join(ROOT, path))),
  );
}

/** npm scripts that a page names in its text and the project does not have. */
export function missingScripts(page: string): string[] {
  const named = [...readPage(page).matchAll(/`npm run ([\w:-]+)/g)].map((match) => match[1] ?? "");
  return named.filter((name) => !Object.hasOwn(scripts, name));
}
