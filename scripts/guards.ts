// Takes guards out one by one, in a copy of the tree, and requires that the test which shows each of them fails then,
// and passes with it. Prints a table; exits 1 when a guard can be taken out without anyone noticing.
//   npx tsx scripts/guards.ts [--only TEXT] [--from NUMBER] [--to NUMBER]
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { GUARDS, type Guard } from "./guards/list.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    from: { type: "string", default: "1" },
    to: { type: "string", default: `${GUARDS.length}` },
  },
});
const SAID_LENGTH = 90;
/** A test that waits in vain shows that a guard is gone, too: so long, or so many times what it took with the guard. */
const [VAIN_MS, VAIN_TIMES] = [20_000, 8];
/** What loading the sources may take beside the tests. */
const LOADING_MS = 60_000;
/** What no run with all guards in place takes. */
const STUCK_MS = 1_800_000;
const NEVER_ENDED = "it never came to its end";
const SKIPPED = "skipped";
const home = fileURLToPath(new URL("..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "sextant-guards-"));
let running: ChildProcess | undefined;

/** Ends what a run started and left behind. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}

/** Everything happens in the copy: whatever ends this script, the tree is as it was. */
function cleanUp(): void {
  if (running !== undefined) endGroup(running);
  rmSync(copy, { recursive: true, force: true });
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    cleanUp();
    process.exit(1);
  });
}

function copyTree(): void {
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: home,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  for (const file of files.split("\0").filter(Boolean)) {
    if (statSync(join(home, file), { throwIfNoEntry: false })?.isFile() !== true) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(home, file), join(copy, file));
  }
  symlinkSync(join(home, "node_modules"), join(copy, "node_modules"));
}

/** Runs a program of node_modules in the copy: what it said; undefined when it had to be ended. */
function run(program: string, args: readonly string[], limitMs = STUCK_MS): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(home, "node_modules", program), ...args], {
      cwd: copy,
      env: { SEXTANT_SHARED: join(home, "../shared"), ...process.env },
      stdio: ["ignore", "pipe", "ignore"],
      // A group of its own, so that what it started ends with it.
      detached: true,
    });
    running = child;
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), limitMs);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      endGroup(child);
      running = undefined;
      resolve(code === null ? undefined : stdout);
    });
  });
}

/** Compiles the copy; what does not fit the types is compiled all the same. */
async function build(): Promise<void> {
  await run("typescript/bin/tsc", ["-p", "tsconfig.build.json"]);
}

type Verdict =
  | "noticed"
  | "not tried here"
  | "NOT NOTICED"
  | "DOES NOT RUN"
  | "DOES NOT RUN WITHOUT"
  | "FAILS WITH THE GUARD, TOO";

interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number | null;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** What became of the tests of a guard. */
interface Outcome {
  readonly passed: number;
  readonly ms: number;
  /** The first words of what failed; undefined when nothing did. */
  readonly failure: string | undefined;
  /** Why no test ran, where none did: that is no sign of a missing guard. */
  readonly broken: string | undefined;
}

/** Runs the tests of some guards in the copy, all at once; undefined when they had to be ended. */
async function runTests(guards: readonly Guard[], limitMs?: number): Promise<TestReport | undefined> {
  const files = [...new Set(guards.map(({ test: [file] }) => file))];
  const names = [...new Set(guards.map(({ test: [, name] }) => name))];
  const pattern = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const args = [
    ...["run", ...files, "--reporter=json", "-t", pattern],
    // Most of the time would go into making the same sources ready again and again.
    "--experimental.fsModuleCache=true",
    `--experimental.fsModuleCachePath=${join(copy, ".modules")}`,
    ...(limitMs === undefined ? [] : ["--bail=1", `--testTimeout=${limitMs}`]),
  ];
  // A test that holds up its whole process cannot be ended by the time it is given.
  const stdout = await run(
    "vitest/vitest.mjs",
    args,
    limitMs === undefined ? STUCK_MS : 2 * limitMs + LOADING_MS,
  );
  const json = stdout?.indexOf("{") ?? -1;
  if (stdout === undefined) return undefined;
  return json < 0 ? { testResults: [] } : (JSON.parse(stdout.slice(json)) as TestReport);
}

function outcomeOf(report: TestReport | undefined, { test: [file, name] }: Guard): Outcome {
  if (report === undefined) return { passed: 0, ms: 0, failure: NEVER_ENDED, broken: undefined };
  const result = report.testResults.find((one) => one.name.endsWith(`/${file}`));
  const tests = (result?.assertionResults ?? []).filter(({ fullName }) => fullName.includes(name));
  const failed = tests.find(({ status }) => status === "failed");
  const passed = tests.filter(({ status }) => status === "passed").length;
  const isBroken = failed === undefined && passed === 0;
  return {
    passed,
    ms: tests.reduce((sum, { duration }) => sum + (duration ?? 0), 0),
    failure: failed?.failureMessages[0]
      ?.split("\n", 1)[0]
      ?.replace("Error: STACK_TRACE_ERROR", "it waited in vain"),
    broken: isBroken ? result?.message || (tests.length > 0 ? SKIPPED : "it did not run") : undefined,
  };
}

/** Takes a guard out, runs its test, and puts it back. */
async function runWithout(guard: Guard, withGuardMs: number): Promise<Outcome> {
  const path = join(copy, guard.file);
  const original = readFileSync(path, "utf8");
  const parts = original.split(guard.text);
  if (parts.length !== 2) throw new Error(`${guard.name}: its text is there ${parts.length - 1} times`);
  writeFileSync(path, parts.join(guard.without));
  try {
    if (guard.isBuilt === true) await build();
    const limitMs = Math.ceil(Math.max(VAIN_MS, VAIN_TIMES * withGuardMs));
    return outcomeOf(await runTests([guard], limitMs), guard);
  } finally {
    writeFileSync(path, original);
  }
}

/** Whether a guard is noticed when it is gone, in words. */
async function judge(guard: Guard, sound: TestReport | undefined): Promise<readonly [Verdict, string]> {
  const before = outcomeOf(sound, guard);
  if (before.broken === SKIPPED) return ["not tried here", "its test is skipped on this machine"];
  if (before.broken !== undefined) return ["DOES NOT RUN", before.broken];
  if (before.failure !== undefined) return ["FAILS WITH THE GUARD, TOO", before.failure];
  const { failure, broken, passed } = await runWithout(guard, before.ms);
  if (broken !== undefined) return ["DOES NOT RUN WITHOUT", broken];
  return failure === undefined ? ["NOT NOTICED", `${passed} passed`] : ["noticed", failure];
}

async function main(): Promise<boolean> {
  copyTree();
  const first = Number(values.from);
  const guards = GUARDS.slice(first - 1, Number(values.to)).filter(({ name }) => name.includes(values.only));
  if (guards.some(({ isBuilt }) => isBuilt === true)) await build();
  const sound = await runTests(guards);
  const counts = new Map<Verdict, number>();
  for (const [index, guard] of guards.entries()) {
    const [verdict, said] = await judge(guard, sound);
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    const test = guard.test.join(": ");
    console.log(`${first + index} | ${verdict} | ${guard.name} | ${test} | ${said.slice(0, SAID_LENGTH)}`);
  }
  const noticed = counts.get("noticed") ?? 0;
  const skipped = counts.get("not tried here") ?? 0;
  const minutes = (performance.now() / 60_000).toFixed(1);
  console.log(`${guards.length} guards, ${noticed} noticed, ${skipped} not tried here; ${minutes} min`);
  return noticed > 0 && noticed + skipped === guards.length;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  cleanUp();
}
