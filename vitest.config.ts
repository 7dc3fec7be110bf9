// The tests in tiers, a project each. CONTRIBUTING.md, "Where a test lives", has the rule.
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { SkippedReporter } from "./test/support/skipped-reporter.ts";

const FUZZ = ["src/**/*.fuzz.test.ts", "test/fuzz/**/*.test.ts"];
const CLUSTER = ["test/cluster/**/*.test.ts"];
const E2E = ["test/e2e/**/*.test.ts"];
const HTTP = ["test/http/**/*.test.ts", "test/sync/**/*.test.ts"];

type Test = NonNullable<TestProjectInlineConfiguration["test"]>;

function tier(name: string, test: Test): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: { name, ...test, setupFiles: ["test/support/end-with-run.ts", ...(test.setupFiles ?? [])] },
  };
}

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // For the reporter that finds the reason of what was skipped.
    includeTaskLocation: true,
    reporters: ["default", new SkippedReporter()],
    projects: [
      tier("unit", {
        include: ["src/**/*.test.ts", "test/**/*.test.ts"],
        exclude: [...FUZZ, ...CLUSTER, ...E2E, ...HTTP],
        // These tests share no state but modules, so that a process loads the sources once for all of its files.
        isolate: false,
        env: { SEXTANT_RUNS: process.env.SEXTANT_RUNS ?? "200" },
        setupFiles: ["test/support/no-sockets.ts", "test/support/no-processes.ts"],
      }),
      tier("http", { include: HTTP, setupFiles: ["test/support/no-processes.ts"] }),
      tier("e2e", { include: E2E }),
      tier("cluster", { include: CLUSTER }),
      tier("fuzz", { include: FUZZ }),
    ],
  },
});
