// The documentation keeps its word: its commands run as written and print what is shown, its TypeScript compiles under
// `strict` and runs, and what it links to and names exists. A fence with one of `WORDS` is not run, only its command
// lines are checked; test/cluster/documentation.test.ts runs those with `cluster`.
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode } from "../../src/node.ts";
import {
  type Block,
  checkCommandLine,
  commandLines,
  deadLinks,
  missingFiles,
  missingScripts,
  PAGES,
  ROOT,
  readBlocks,
  readPage,
  shapeOf,
  WORDS,
} from "../support/documentation.ts";
import { type BlockRun, PageRun } from "../support/page-run.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";

const execute = promisify(execFile);
const isShell = ({ language }: Block): boolean => language === "sh";
/** What a reader presses; the text is `Ctrl-C`. */
const isKeys = ({ language }: Block): boolean => language === "keys";

/** What a page promises beyond the shape of its outputs. */
const PROMISES: Readonly<Record<string, (runs: readonly BlockRun[]) => void>> = {
  "README.md": (runs) => {
    const answers = stdoutOf(runs, "curl '").split("\n");
    expect(answers[0]).toMatch(/^[1-9]\d+$/);
    expect(answers[1]).toMatch(/^"0x[0-9a-f]{16}"$/);
    // The salt of a raw transaction, then the transaction.
    expect(answers[2]).toMatch(
      /^"0xb5e97db07fa0bd0e5598aa3643a9bc6f6693bddc1a9fec9e674a461eaa00b193[0-9a-f]+"$/,
    );
    expect(JSON.parse(answers[3] ?? "")).toMatchObject({ software: "sextant", storage_engine: "lmdb" });
  },
  "docs/follow.md": (runs) => {
    expect(stdoutOf(runs, "status --url http://127.0.0.1:8082")).toMatch(/trust_level +chained/);
    expect(stdoutOf(runs, "status --url http://127.0.0.1:8083")).toMatch(/trust_level +trusted/);
  },
};

function stdoutOf(runs: readonly BlockRun[], command: string): string {
  const found = runs.find(({ block }) => block.text.includes(command));
  if (found === undefined) throw new Error(`no block runs ${command}`);
  return found.stdout;
}

describe.each(PAGES)("%s", (page) => {
  const blocks = readBlocks(page).filter(isShell);
  // The examples of the reference page are apart from each other.
  const isReference = page === "docs/cli.md";
  const steps = readBlocks(page).filter((block) => isShell(block) || isKeys(block));
  const runnable = isReference ? [] : steps.filter(({ word }) => word === "");

  it("names commands, options, scripts and files that exist", () => {
    const folder = temporaryFolder();
    for (const block of blocks) {
      expect(["", ...WORDS]).toContain(block.word);
      const lines = commandLines(block, folder);
      expect(lines.length, block.place).toBeGreaterThan(0);
      for (const line of lines) expect(() => checkCommandLine(line), block.place).not.toThrow();
    }
    expect(missingFiles(page)).toEqual([]);
    expect(missingScripts(page)).toEqual([]);
  });

  it("links to places that exist", () => {
    expect(deadLinks(page)).toEqual([]);
  });

  if (runnable.length === 0) return;
  it("works as written", async () => {
    const run = new PageRun(temporaryFolder());
    try {
      const runs: BlockRun[] = [];
      for (const block of runnable) {
        if (isKeys(block)) await run.interrupt(block);
        else runs.push(await run.run(block));
      }
      PROMISES[page]?.(runs);
    } finally {
      await run.stop();
    }
  });
});

describe("the TypeScript of the pages", () => {
  const blocks = PAGES.flatMap(readBlocks).filter(({ language }) => language === "ts");
  const folder = temporaryFolder();
  const files = blocks.map((block, i) => ({ block, path: join(folder, `block-${i}.mts`) }));
  for (const { block, path } of files) writeFileSync(path, block.text);

  it("compiles under strict", async () => {
    expect(blocks.length).toBeGreaterThan(0);
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: {
        strict: true,
        typeRoots: [join(ROOT, "node_modules/@types")],
        skipLibCheck: true,
        paths: { sextant: [join(ROOT, "dist/index.d.ts")] },
      },
      include: ["*.mts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const failure = await execute(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder]).catch(
      (error) => error,
    );
    expect(failure.code, failure.stdout).toBeUndefined();
  });

  it("runs, as do the longer example and the smallest indexer", async () => {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/sextant"));
    const shapes = [
      ...files.map(({ block, path }) => ({ path, place: block.place, shape: shapeOf(block.output ?? "…") })),
      ...[
        ["examples/in-process.ts", /anna has \d+ \(at version 1: \d+\)\nto sign: 0xb5e97db0/],
        ["examples/indexer.ts", /^deposits up to version \d+: \d+, cursor \d+-[0-9a-f]{16}\n$/],
      ].map(([place, shape]) => ({
        path: join(ROOT, place as string),
        place: place as string,
        shape: shape as RegExp,
      })),
    ];
    // In one process, which ends once none of them holds anything.
    const runner = join(folder, "runner.mjs");
    writeFileSync(
      runner,
      "for (const path of process.argv.slice(2)) { await import(path); console.log('\\f'); }",
    );
    const paths = shapes.map(({ path }) => path);
    const { stdout } = await execute(process.execPath, [...AS_BUILT, runner, ...paths]);
    const outputs = stdout.split("\f\n");
    for (const [i, { place, shape }] of shapes.entries()) expect(outputs[i], place).toMatch(shape);
  });

  it("has an example of the SDK with proven answers, which goes on from its state", async () => {
    const node = await createNode({ http: { port: 0 }, localChain: { epochTimeMs: 3000 } });
    onTestFinished(() => node.close());
    for (let i = 0; i < 5; i++) await node.produceBlock();
    const { url = "" } = node;
    const { address = "" } = node.guide()?.accounts[0] ?? {};
    const balance = await node.balance(address, "0x1::aptos_coin::AptosCoin");
    const cwd = temporaryFolder();
    for (const waypoint of [String((await node.info()).genesis_waypoint), "none is needed now"]) {
      const args = [...AS_BUILT, join(ROOT, "examples/verified-sdk.ts"), url, waypoint, address];
      const { stdout } = await execute(process.execPath, args, { cwd });
      expect(stdout).toMatch(new RegExp(`^proven up to version \\d+: ${address} has ${balance}$`, "m"));
      expect(stdout).toContain("refused: GET");
    }
  });
});

describe("the README and the page on following", () => {
  it("show the same commands", () => {
    const readme = readPage("README.md");
    const following = readBlocks("docs/follow.md").filter(isShell);
    for (const { text } of following.slice(0, 3)) expect(readme).toContain(text);
  });
});
