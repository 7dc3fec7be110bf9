import { defineConfig } from "vitest/config";
import { SkippedReporter } from "./test/support/skipped-reporter.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // For the reporter that finds the reason of what was skipped.
    includeTaskLocation: true,
    reporters: ["default", new SkippedReporter()],
  },
});
