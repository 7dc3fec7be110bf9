// Takes guards out one by one, in a copy of the tree, and requires that the test which shows each of them fails then,
// and passes with it. Prints a table; exits 1 when a guard can be taken out without anyone noticing.
//   npx tsx scripts/guards.ts [--only TEXT]
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** A guard: the text that makes it, what is left without it, and the test that tells. */
interface Guard {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly without: string;
  readonly test: readonly [file: string, name?: string];
}

const GUARDS: readonly Guard[] = [
  {
    name: "one write transaction around a commit",
    file: "src/store/lmdb/store.ts",
    text: "return this.#root.transactionSync(() => {\n        assertLease(this.#tables, lease, this.#path);\n        return action();\n      });",
    without: "assertLease(this.#tables, lease, this.#path);\n      return action();",
    test: ["test/store/crash.test.ts"],
  },
  {
    name: "no read below the oldest kept version",
    file: "src/store/read-check.ts",
    text: "if (version < position.oldestVersion) {",
    without: "if (version < 0n) {",
    test: ["test/store/two-processes.test.ts", "right value or the right refusal"],
  },
  {
    name: "the writer's lease looked at in each write",
    file: "src/store/lmdb/lease.ts",
    text: "if (row !== undefined && mine.equals(row)) return;",
    without: "if (row !== undefined || mine.length > 0) return;",
    test: ["test/store/faults.test.ts", "taken the lease"],
  },
  {
    name: "refusal of a newer data format",
    file: "src/store/lmdb/format.ts",
    text: "if (format <= FORMAT) return format;",
    without: "if (format > 0) return format;",
    test: ["test/store/faults.test.ts", "newer format"],
  },
  {
    name: "the look at the head before a start",
    file: "src/sync/check/head-check.ts",
    text: "if (!holds) throw damaged(what);",
    without: "if (!holds && what === undefined) throw damaged(what);",
    test: ["test/store/check.test.ts", "does not fit together"],
  },
  {
    name: "the state root of every block",
    file: "src/sync/committer.ts",
    text: "if (equalBytes(root, block.claimedStateRoot)) return;",
    without: "if (root.length > 0) return;",
    test: ["src/sync/committer.test.ts"],
  },
  {
    name: "the waypoint's hash",
    file: "src/sync/anchor.ts",
    text: "if (computed !== formatWaypoint(anchor)) throw",
    without: "if (computed === undefined) throw",
    test: ["test/sync/follower.test.ts", "leads to another waypoint"],
  },
  {
    name: "the hash of each piece of a backup",
    file: "src/store/lmdb/chunks.ts",
    text: "bytesRead !== length || hashOf(chunk) !== hashes[offset / CHUNK_BYTES]",
    without: "bytesRead !== length",
    test: ["src/store/lmdb/chunks.test.ts"],
  },
  {
    name: "the shortest form of lengths in BCS",
    file: "src/bcs/reader.ts",
    text: "if (byte === 0 && shift > 0)",
    without: "if (byte === 0 && shift > 35)",
    test: ["src/bcs/reader.test.ts"],
  },
  {
    name: "turning away what waited too long",
    file: "src/http/server.ts",
    text: "maxWaitMs: options.maxWaitMs ?? HTTP_DEFAULTS.maxWaitMs,",
    without: "maxWaitMs: 0,",
    test: ["test/http/overload.test.ts", "shed quickly"],
  },
  {
    name: "the time for headers",
    file: "src/http/listener.ts",
    text: "headersTimeout: timeouts.headersMs,",
    without: "headersTimeout: 0,",
    test: ["test/http/connections.test.ts", "headers that trickle"],
  },
  {
    name: "the limit of a body",
    file: "src/http/body.ts",
    text: "if (this.#heldBytes > this.maxBytes) throw",
    without: "if (this.#heldBytes < 0) throw",
    test: ["test/http/connections.test.ts", "a body over the limit"],
  },
  {
    name: "the limit of requests per client",
    file: "src/http/rate-limiter.ts",
    text: "const allowed = bucket.tokens >= 1;",
    without: "const allowed = bucket.tokens >= -1e9;",
    test: ["test/http/rate-limit.test.ts", "429"],
  },
  {
    name: "an unforeseen error's text kept inside",
    file: "src/http/error-body.ts",
    text: '"something unforeseen happened; the node\'s log has the cause"',
    without: "String(error)",
    test: ["test/http/errors.test.ts", "tells nothing"],
  },
];

const { values } = parseArgs({ options: { only: { type: "string" } } });
const SAID_LENGTH = 90;
const home = fileURLToPath(new URL("..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "sextant-guards-"));

function copyTree(): void {
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: home,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  for (const file of files.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(home, file), join(copy, file));
  }
  symlinkSync(join(home, "node_modules"), join(copy, "node_modules"));
}

/** Runs one test in the copy: whether it passed, and the first words of what failed. */
function runTest([file, name]: Guard["test"]): { readonly passed: boolean; readonly said: string } {
  const args = ["vitest", "run", file, "--reporter=json", ...(name === undefined ? [] : ["-t", name])];
  const run = spawnSync("npx", args, {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    env: { SEXTANT_SHARED: join(home, "../shared"), ...process.env },
    // A guard that holds back forever shows by its absence, too.
    timeout: 300_000,
  });
  const json = run.stdout.indexOf("{");
  const report = json < 0 ? undefined : (JSON.parse(run.stdout.slice(json)) as TestReport);
  const failure = report?.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === "failed");
  const count = report?.numPassedTests ?? 0;
  const broken = report?.testResults.find(({ message }) => message !== "")?.message;
  return {
    passed: run.status === 0 && count > 0,
    said: (failure?.failureMessages[0] ?? broken ?? run.signal ?? `${count} passed`).split("\n", 1)[0] ?? "",
  };
}

interface TestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** What is wrong with a guard; undefined when its test passes with it and fails without. */
function tryGuard(guard: Guard): { readonly problem?: string; readonly said: string } {
  const path = join(copy, guard.file);
  const original = readFileSync(path, "utf8");
  const parts = original.split(guard.text);
  if (parts.length !== 2) return { problem: `its text is there ${parts.length - 1} times`, said: "" };
  const before = runTest(guard.test);
  if (!before.passed) return { problem: "the test fails with the guard, too", said: before.said };
  writeFileSync(path, parts.join(guard.without));
  try {
    const { passed, said } = runTest(guard.test);
    return passed ? { problem: "NOT NOTICED", said } : { said };
  } finally {
    writeFileSync(path, original);
  }
}

let problems = 0;
try {
  copyTree();
  for (const guard of GUARDS.filter(({ name }) => name.includes(values.only ?? ""))) {
    const { problem, said } = tryGuard(guard);
    if (problem !== undefined) problems++;
    console.log(
      `${problem ?? "noticed"} | ${guard.name} | ${guard.test.join(": ")} | ${said.slice(0, SAID_LENGTH)}`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = problems === 0 ? 0 : 1;
