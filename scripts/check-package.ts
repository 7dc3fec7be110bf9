// Packs the package, checks what is in it, and installs it as strangers do: with every package manager and on every
// version of node that can be had. Prints a table. Exit code 1 if something failed, 2 if something could not be had.
//   npm run package:check [-- --quick [--built] | --only NAME]
// --quick: npm only, on the node that runs this. --built: packs the build that is there, and replaces only its types.
// --only: package managers whose names start so.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import {
  assertDriverMessage,
  assertImport,
  assertStart,
  assertTypes,
  assertVersion,
  type Installed,
} from "./package/consumer.ts";
import { deadLinks } from "./package/links.ts";
import { MissingTool, managerFile, nodeFolder, npmFile, ROOT, run } from "./package/tools.ts";

const NODES = ["20.19.0", "22", "24"];
/** Scripts that a package manager runs where a package is installed. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];
const REQUIRED = [
  ...[
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "SECURITY.md",
    "bin/sextant.js",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/web-files.json",
    "dist/reference/index.html",
  ],
  ...[
    "contrib/sextant.service",
    "contrib/sextant.example.yaml",
    "examples/in-process.ts",
    "examples/vitest/payroll.test.ts",
    "docs/operate.md",
  ],
];
const FORBIDDEN = /^(?:src|test|bench|scripts|node_modules|\.)|^(?!examples\/).*\.test\.[jt]s|tsconfig/;

interface Manager {
  readonly name: string;
  /** Prepares a project, given the file of the package and what stands for `node`. */
  readonly install: (project: Project) => Installed;
}

interface Project {
  readonly folder: string;
  readonly tarball: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The program `node` of this row. */
  readonly node: string;
}

/** An installation with the program in node_modules/.bin. */
function linked({ folder, environment, node }: Project): Installed {
  return { folder, environment, sextant: [join(folder, "node_modules/.bin/sextant")], node: [node] };
}

/** A package manager that node runs. */
function viaNode(file: () => string, args: readonly string[]): Manager["install"] {
  return (project) => {
    const { folder, environment, node, tarball } = project;
    run(node, [file(), ...args, tarball], { cwd: folder, env: environment });
    return linked(project);
  };
}

/**
 * Yarn resolves the packages of all platforms, which a registry mirror may not offer. Then it gets an empty package
 * instead of those that this machine would not install.
 */
function withoutOtherPlatforms(install: Manager["install"]): Manager["install"] {
  return (project) => {
    try {
      return install(project);
    } catch (error) {
      if (!/No candidates found|Couldn't find any versions/.test(String(error))) throw error;
    }
    const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; os?: string[]; cpu?: string[] }>;
    };
    const others = Object.entries(lock.packages).filter(([, { dev, optional, os = [], cpu = [] }]) => {
      const isHere = os.includes(process.platform) && cpu.includes(process.arch);
      return dev !== true && optional === true && os.length > 0 && !isHere;
    });
    const empty = join(project.folder, "empty");
    mkdirSync(empty);
    writeFileSync(join(empty, "package.json"), '{"name":"empty","version":"0.0.0"}');
    const resolutions = Object.fromEntries(
      others.map(([path]) => [path.slice("node_modules/".length), "file:./empty"]),
    );
    writeManifest(project.folder, { resolutions });
    return install(project);
  };
}

function writeManifest(folder: string, more: object = {}): void {
  const manifest = { name: "consumer", private: true, type: "module", ...more };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}

/** Yarn 4 with one of its two layouts. */
function yarn4(linker: "node-modules" | "pnp"): Manager["install"] {
  return (project) => {
    const { folder, environment, node, tarball } = project;
    const file = managerFile("@yarnpkg/cli-dist@4.18.1", "bin/yarn.js");
    writeFileSync(
      join(folder, ".yarnrc.yml"),
      `nodeLinker: ${linker}\nenableGlobalCache: true\nenableTelemetry: false\n`,
    );
    writeFileSync(join(folder, "yarn.lock"), "");
    run(node, [file, "add", `sextant@file:${tarball}`], { cwd: folder, env: environment });
    if (linker === "node-modules") return linked(project);
    return { folder, environment, sextant: [node, file, "run", "sextant"], node: [node, file, "node"] };
  };
}

const NPM: Manager = {
  name: "npm",
  // Without scripts: neither a compiler nor a download is needed.
  install: viaNode(npmFile, ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]),
};

const GLOBAL: Manager = {
  name: "npm -g",
  install: ({ folder, environment, node, tarball }) => {
    const prefix = join(folder, "global");
    mkdirSync(prefix);
    const args = ["install", "--global", "--prefix", prefix, "--prefer-offline", "--no-audit", "--no-fund"];
    run(node, [npmFile(), ...args, tarball], { cwd: folder, env: environment });
    // A global package is imported by its path.
    mkdirSync(join(folder, "node_modules"));
    run("ln", ["-s", join(prefix, "lib/node_modules/sextant"), join(folder, "node_modules/sextant")]);
    return { folder, environment, sextant: [join(prefix, "bin/sextant")], node: [node] };
  },
};

const MANAGERS: readonly Manager[] = [
  NPM,
  GLOBAL,
  { name: "pnpm 10", install: viaNode(() => managerFile("pnpm@10.34.9", "bin/pnpm.cjs"), ["add"]) },
  {
    name: "yarn 1",
    install: withoutOtherPlatforms(
      viaNode(
        () => managerFile("yarn@1.22.22", "bin/yarn.js"),
        ["add", "--no-lockfile", "--non-interactive"],
      ),
    ),
  },
  { name: "yarn 4", install: withoutOtherPlatforms(yarn4("node-modules")) },
  { name: "yarn 4 pnp", install: withoutOtherPlatforms(yarn4("pnp")) },
  {
    name: "bun",
    install: (project) => {
      const { folder, environment, tarball } = project;
      run(managerFile("bun@1.4.4", "bin/bun.exe"), ["add", tarball], { cwd: folder, env: environment });
      return linked(project);
    },
  },
];

const scratch = mkdtempSync(join(tmpdir(), "sextant-package-"));
const {
  quick,
  built,
  only = "",
} = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    built: { type: "boolean", default: false },
    only: { type: "string" },
  },
}).values;
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

interface Outcome {
  readonly name: string;
  readonly verdict: "ok" | "FAILED" | "not to be had";
  readonly text: string;
}
const outcomes: Outcome[] = [];

async function attempt(name: string, action: () => Promise<string> | string): Promise<void> {
  const started = performance.now();
  const note = (verdict: Outcome["verdict"], text: string): void => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    outcomes.push({ name, verdict, text });
    console.log(`${verdict === "ok" ? "ok" : verdict}  ${name}  ${seconds} s  ${text}`);
  };
  try {
    note("ok", await action());
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    note(error instanceof MissingTool ? "not to be had" : "FAILED", text);
  }
}

/** Packs the project, which builds it first, unless it is built. */
function pack(): string {
  if (built) run("npm", ["run", "build:types"], { cwd: ROOT });
  const scripts = built ? ["--ignore-scripts"] : [];
  const said = run("npm", ["pack", "--json", "--silent", ...scripts, "--pack-destination", scratch], {
    cwd: ROOT,
  });
  const [packed] = JSON.parse(said.slice(said.indexOf("["))) as [{ filename: string }];
  return join(scratch, packed.filename);
}

function assertContents(tarball: string): string {
  const names = run("tar", ["-tzf", tarball])
    .trim()
    .split("\n")
    .map((name) => name.replace(/^package\//, ""));
  const missing = REQUIRED.filter((name) => !names.includes(name));
  const extra = names.filter((name) => FORBIDDEN.test(name));
  const { scripts = {} } = JSON.parse(run("tar", ["-xzOf", tarball, "package/package.json"])) as {
    scripts?: Record<string, string>;
  };
  const installing = INSTALL_SCRIPTS.filter((name) => scripts[name] !== undefined);
  const dead = deadLinks(names, (name) => run("tar", ["-xzOf", tarball, `package/${name}`]));
  if (dead.length > 0) throw new Error(`links to files that the package lacks: ${dead.join(", ")}`);
  if (missing.length > 0) throw new Error(`not in the package: ${missing.join(", ")}`);
  if (extra.length > 0) throw new Error(`should not be in the package: ${extra.slice(0, 10).join(", ")}`);
  if (installing.length > 0) throw new Error(`runs where it is installed: ${installing.join(", ")}`);
  return `${names.length} files`;
}

async function lint(tarball: string): Promise<string> {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
    strict: true,
  });
  if (messages.length > 0) throw new Error(messages.map((m) => formatMessage(m, pkg)).join("\n"));
  run(process.execPath, [
    join(ROOT, "node_modules/@arethetypeswrong/cli/dist/index.js"),
    tarball,
    "--profile",
    "esm-only",
  ]);
  return "publint, attw";
}

/** Runs the example project for test authors, with the package that was packed. */
function tryExample(tarball: string): string {
  const folder = mkdtempSync(join(scratch, "example-"));
  cpSync(join(ROOT, "examples/vitest"), folder, { recursive: true });
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", tarball];
  run(process.execPath, [npmFile(), ...install], { cwd: folder });
  const said = run(process.execPath, [join(folder, "node_modules/vitest/vitest.mjs"), "run"], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return /Tests +(.*)/.exec(said)?.[1] ?? said;
}

/** One row of the table: a package manager on a version of node. */
async function tryManager(
  manager: Manager,
  tarball: string,
  nodeBin: string,
  isFirst: boolean,
): Promise<string> {
  const folder = mkdtempSync(join(scratch, "project-"));
  writeManifest(folder);
  // As in a shell of a stranger: nothing of the npm that runs this.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|SEXTANT_|NODE_OPTIONS$|INIT_CWD$)/i.test(name),
  );
  const environment = { ...Object.fromEntries(own), PATH: `${nodeBin}:${process.env.PATH ?? ""}` };
  const installed = manager.install({ folder, tarball, environment, node: join(nodeBin, "node") });
  assertVersion(installed, version);
  assertImport(installed);
  await assertStart(installed);
  assertDriverMessage(installed);
  if (isFirst) assertTypes(installed, join(ROOT, "node_modules/typescript/bin/tsc"));
  rmSync(folder, { recursive: true });
  return isFirst ? "--version, import, start, balance, types" : "--version, import, start, balance";
}

try {
  const tarball = pack();
  await attempt("contents", () => assertContents(tarball));
  await attempt("lint", () => lint(tarball));
  if (quick) {
    await attempt(`npm on node ${process.versions.node}`, () =>
      tryManager(NPM, tarball, dirname(process.execPath), true),
    );
    await attempt("examples/vitest", () => tryExample(tarball));
  } else {
    for (const wanted of NODES) {
      let nodeBin = "";
      await attempt(`node ${wanted}`, () => {
        nodeBin = nodeFolder(wanted);
        return run(join(nodeBin, "node"), ["--version"]).trim();
      });
      if (nodeBin === "") continue;
      for (const manager of MANAGERS.filter(({ name }) => name.startsWith(only))) {
        await attempt(`${manager.name} on node ${wanted}`, () =>
          tryManager(manager, tarball, nodeBin, manager === NPM),
        );
      }
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

console.log("");
for (const { name, verdict, text } of outcomes) {
  console.log(`${name.padEnd(24)} ${verdict.padEnd(14)} ${text.split("\n")[0]}`);
}
const has = (verdict: Outcome["verdict"]): boolean => outcomes.some((outcome) => outcome.verdict === verdict);
process.exitCode = has("FAILED") ? 1 : has("not to be had") ? 2 : 0;
