// The tests in tiers, a project each, and in two sizes: `npm test` for a change, `npm run test:long` for the rest.
// CONTRIBUTING.md, "Where a test lives", has the rules.
import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { SkippedReporter } from "./test/support/skipped-reporter.ts";

const FUZZ = ["src/**/*.fuzz.test.ts", "test/fuzz/**/*.test.ts"];
const CLUSTER = ["test/cluster/**/*.test.ts"];
const BROWSER = ["test/browser/**/*.test.ts"];
const E2E = ["test/e2e/**/*.test.ts"];
const HTTP = ["test/http/**/*.test.ts", "test/sync/**/*.test.ts"];

/**
 * Files of other tiers that belong to the long size: many kills, faults of storage, documentation that runs every page,
 * and whatever takes more than about fifteen seconds.
 */
const LONG = [
  "test/e2e/{archive,backup,closed-nodes,closing,connections,container,damaged-store,developer,documentation}.test.ts",
  "test/e2e/{draft-claims,follow,golden-vectors-script,independent-verifier,interrupts,killed-run,kubernetes,lies}.test.ts",
  "test/e2e/{monitoring,operator,package,pid-namespaces,relay,rewind,rolling-restart,storage-faults,store-crash}.test.ts",
  "test/e2e/{systemd-unit,two-processes,verifying-process,whole-state,workers}.test.ts",
  "test/http/{caches,cut-answers,loop-hold,streams-and-rewinds}.test.ts",
  "test/sync/{archive,base-rows,hostile-sources,lazy,lies,limited-upstreams,whole-state}.test.ts",
];

/** Tests of the last turns wait for processes more than they work, and share no state but modules. */
const LATE = {
  maxWorkers: Math.min(5, availableParallelism() + 2),
  isolate: false,
  setupFiles: ["test/support/end-children.ts"],
  // Node loads the built program as it is.
  server: { deps: { external: [/\/dist\//] } },
};

type Test = NonNullable<TestProjectInlineConfiguration["test"]>;

/** A test that waits for processes or sockets is asked again where it fails: if it passes then, the report names it as unsteady. */
const ASKED_AGAIN = { retry: 1 };

/** Tiers of one turn run side by side, after those of the turns before. */
function tier(name: string, turn: number, test: Test): TestProjectInlineConfiguration {
  const setupFiles = [
    "test/support/end-with-run.ts",
    "test/support/property-seed.ts",
    "test/support/bytes-equality.ts",
    ...(test.setupFiles ?? []),
  ];
  return { extends: true, test: { name, ...test, setupFiles, sequence: { groupOrder: turn } } };
}

export default defineConfig({
  test: {
    pool: "forks",
    // One more than there are processors: some tests wait.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    // Longer than any wait inside of a test, which says what it waited for.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // For the reporter that finds the reason of what was skipped.
    includeTaskLocation: true,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new SkippedReporter()],
    projects: [
      tier("unit", 0, {
        include: ["src/**/*.test.ts", "test/**/*.test.ts"],
        exclude: [...FUZZ, ...CLUSTER, ...BROWSER, ...E2E, ...HTTP, ...LONG],
        // These tests share no state but modules, so that a process loads the sources once for all of its files.
        // It does so for files that run one after the other: hence a turn of its own.
        isolate: false,
        env: { SEXTANT_RUNS: process.env.SEXTANT_RUNS ?? "60" },
        setupFiles: ["test/support/no-sockets.ts", "test/support/no-processes.ts"],
      }),
      tier("http", 1, {
        include: HTTP,
        exclude: LONG,
        ...ASKED_AGAIN,
        isolate: false,
        setupFiles: ["test/support/no-processes.ts"],
      }),
      tier("e2e", 2, {
        include: E2E,
        exclude: LONG,
        ...ASKED_AGAIN,
        ...LATE,
      }),
      tier("long", 2, {
        include: [...LONG, ...CLUSTER, ...FUZZ, ...BROWSER],
        ...LATE,
        // Each run draws other cases; `npm run fuzz` and a larger SEXTANT_RUNS draw more of them.
        env: { SEXTANT_RUNS: process.env.SEXTANT_RUNS ?? "40" },
        globalSetup: ["test/support/cassandra-setup.ts", "test/support/chromium-setup.ts"],
      }),
    ],
  },
});
