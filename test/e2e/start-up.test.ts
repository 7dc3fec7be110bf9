// What a start loads: most of its time goes there. The help loads no command, a node in a process only the parts that it
// has, and neither loads a package that only some runs need.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A file of the project, as a text in a script. */
const file = (path: string): string => JSON.stringify(join(ROOT, path));

function run(...args: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const { status: code, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { code, stdout, stderr };
}

/** The files of the build that a file of it imports before it runs, itself among them. */
function importedBy(path: string, allowed = /^node:/, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/^(?:import|export)\b.*"([^"]+)";$/gm)) {
    if (name.startsWith(".")) importedBy(join(dirname(path), name), allowed, found);
    else expect(name).toMatch(allowed);
  }
  return found;
}

/** The sources in files of the build. */
function sourcesOf(files: Iterable<string>): string[] {
  // A file that only passes on what others export has no map.
  return [...files].flatMap((path) => {
    if (!existsSync(`${path}.map`)) return [];
    const { sources } = JSON.parse(readFileSync(`${path}.map`, "utf8")) as { sources: readonly string[] };
    return sources.map((source) => relative(ROOT, join(dirname(path), source)));
  });
}

/** A copy of the package that has only these files of the build, and only the named packages. */
function copyWith(files: Iterable<string>, packages: readonly string[]): string {
  const folder = temporaryFolder();
  for (const path of ["bin", "package.json", ...[...files].map((one) => relative(ROOT, one))]) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  for (const name of packages) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
  return folder;
}

describe("sextant --help", () => {
  const files = importedBy(join(ROOT, "dist/cli/main.js"));
  const folder = copyWith(files, []);
  const program = join(folder, "bin/sextant.js");

  it("has no command and no part of a node among what it imports", () => {
    const sources = sourcesOf(files);
    expect(sources).toContain("src/cli/commands.ts");
    expect(
      sources.filter(
        (source) => !/^src\/(base|base\/texts|interface|cli|cli\/help)\/[a-z-]+\.ts$/.test(source),
      ),
    ).toEqual([]);
    expect(files.size).toBeLessThan(8);
  });

  it.each(["--help", "--version"])("%s needs no other file and no package", (flag) => {
    const whole = run(join(ROOT, "bin/sextant.js"), flag);
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    expect(run(program, flag)).toEqual(whole);
  });

  it("is not in the way of a misspelt command", () => {
    expect(run(program, "strat")).toEqual({
      code: 2,
      stdout: "",
      stderr: "sextant: unknown command strat (did you mean start?)\n",
    });
  });

  it("is told apart from a command that cannot be loaded", () => {
    const { code, stdout, stderr } = run(program, "start", "--help");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^sextant: cannot load the program: Cannot find module [^\n]*\n$/);
  });
});

describe("a node in a process", () => {
  const files = importedBy(join(ROOT, "dist/index.js"));

  it("has no server, no follower and no store on disk among what it imports", () => {
    const sources = sourcesOf(files);
    expect(sources).toContain("src/node/sextant-node.ts");
    const others = [
      "http/server",
      "node/http-frontend",
      "node/following/following",
      "store/lmdb/store",
      "cli/",
    ];
    const isOther = (source: string): boolean => others.some((one) => source.startsWith(`src/${one}`));
    expect(sources.filter(isOther)).toEqual([]);
    expect(files.size).toBeLessThan(8);
  });

  it("makes a block with no other files but those of the machine, and no package but that of signatures", () => {
    const parts = readdirSync(join(ROOT, "dist/parts")).map((name) => join(ROOT, "dist/parts", name));
    const entries = /^src\/(vm\/ledger\/ledger-machine|chain\/natives\/index)\.ts$/;
    const machine = parts.filter((path) => sourcesOf([path]).some((one) => entries.test(one)));
    expect(machine).not.toEqual([]);
    // Files that only pass on what the machine exports.
    const passing = parts.filter(
      (path) =>
        path.endsWith(".js") &&
        sourcesOf([path]).length === 0 &&
        machine.some((one) => readFileSync(path, "utf8").includes(basename(one))),
    );
    const loaded = [...machine, ...passing].flatMap((path) => [...importedBy(path)]);
    const folder = copyWith([...files, ...loaded], ["@chainsafe"]);
    const script = join(folder, "use.mjs");
    writeFileSync(
      script,
      `import { createNode } from "./dist/index.js";
      const node = await createNode();
      console.log((await node.produceBlock()).block_height);
      await node.close();`,
    );
    expect(run(script)).toEqual({ code: 0, stdout: "1n\n", stderr: "" });
  });
});

function loadedBy(source: string, ...options: readonly string[]): string[] {
  const script = `import { createRequire } from "node:module";
    ${source}
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  const { stdout, stderr } = run(...options, "--input-type=module", "-e", script);
  expect(stderr).toBe("");
  return JSON.parse(stdout) as string[];
}

const atStart = loadedBy(
  `const { runCommand } = await import(${file("dist/cli/run-command.js")});
  await runCommand(["start", "--help"], { out: () => {}, err: () => {}, environment: {} });`,
);

it.each([
  ["cassandra-driver", `await import(${file("src/store/cassandra/store.ts")});`],
  [
    "undici",
    `const { Transport } = await import(${file("src/sync/upstream/transport.ts")}); new Transport({}).close();`,
  ],
  ["lmdb", `(await import(${file("src/store/lmdb/native.ts")})).loadLmdb();`],
  ["pino", `(await import(${file("src/cli/log.ts")})).createLogger("error", "json");`],
  [
    "yaml",
    `const { textOption } = await import(${file("src/base/option.ts")});
    const options = { config: textOption("A file", "FILE") };
    (await import(${file("src/cli/parse.ts")})).parseCommand(["--config", "/dev/null"], options, {});`,
  ],
])("the options of a node load no %s, but its use does", (name, use) => {
  const isOf = (path: string): boolean => path.includes(`/node_modules/${name}/`);
  expect(atStart.filter(isOf)).toEqual([]);
  expect(loadedBy(use, "--import", "tsx").some(isOf)).toBe(true);
});
