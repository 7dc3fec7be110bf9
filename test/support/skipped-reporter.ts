// Reports at the end of a run which tests were skipped and why, and which passed only when asked again: a green run with
// such tests must not look complete.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";

/** Texts for known skip conditions; other conditions are shown as written. */
const REASONS: Readonly<Record<string, string>> = {
  "!hasShared":
    "the folder of shared networks and vectors is not beside the project (SEXTANT_SHARED names another)",
  "!hasChromium": "there is no Chromium, and it could not be had (the line `chromium:` of this run says why)",
  "!hasOpenssl": "there is no openssl",
  "!hasFish": "there is no fish",
  "!hasZsh || !hasScript": "there is no zsh, or no script of util-linux",
  "!hasMandoc": "there is no mandoc",
  "!hasScript": "there is no script of util-linux, which makes a terminal",
  "process.getuid?.() === 0": "it runs as root, whom permissions do not stop",
  "maxFiles < IDLE + 500": "too few open files are allowed (ulimit -n)",
  '!hasTool("prlimit", "--version")': "there is no prlimit",
  '!hasTool("docker", "compose", "version")': "there is no docker compose",
  '!hasTool("promtool", "--version")': "there is no promtool (scripts/contrib-tools.sh brings it)",
  '!hasTool("prometheus", "--version")': "there is no prometheus (scripts/contrib-tools.sh brings it)",
  '!hasTool("nginx", "-v")': "there is no nginx (scripts/contrib-tools.sh brings it)",
  '!hasTool("haproxy", "-v")': "there is no haproxy (scripts/contrib-tools.sh brings it)",
  '!hasTool("hadolint", "--version")': "there is no hadolint (scripts/contrib-tools.sh brings it)",
  '!hasTool("kubeconform", "-v") || !existsSync(SWAGGER)':
    "there is no kubeconform or no schemas for it (scripts/contrib-tools.sh brings both)",
  "!canMount()": "a read-only root cannot be made here (unshare and mount need root)",
  '!hasTool("systemd-analyze", "--version")': "there is no systemd-analyze",
  '!hasTool("systemd-analyze", "--version") || !hasTool("strace", "--version")':
    "there is no strace or no systemd-analyze",
  "!canFreeze()": "chattr +i does not work here (it needs root and a file system with that flag)",
  "!canUnshare()": "PID namespaces cannot be made here (unshare needs root, or a system that lets users)",
  'process.platform !== "linux"': "this is not Linux",
};

/** The skip condition of a test or its group; undefined if the source has none. */
function conditionOf(test: TestCase): string | undefined {
  const lines = readFileSync(test.module.moduleId, "utf8").split("\n");
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== "module"; task = task.parent) {
    const line = lines[(task.location?.line ?? 0) - 1] ?? "";
    const from = line.indexOf("skipIf(");
    if (from < 0) continue;
    const start = from + "skipIf(".length;
    let end = start;
    for (let open = 1; end < line.length && open > 0; end++) {
      if (line[end] === "(") open++;
      if (line[end] === ")") open--;
    }
    return line.slice(start, end - 1);
  }
  return undefined;
}

/** Where a test is and what it is called. */
function placeOf({ module, fullName }: TestCase): string {
  return `${relative(process.cwd(), module.moduleId)}: ${fullName}`;
}

/** Prints skipped tests by reason, and unsteady ones with their first error. */
export class SkippedReporter implements Reporter {
  #asked: RegExp | undefined;

  onInit({ config }: Vitest): void {
    this.#asked = config.testNamePattern;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const byReason = new Map<string, TestCase[]>();
    for (const module of modules) {
      for (const test of module.children.allTests("passed")) {
        if (test.diagnostic()?.flaky !== true) continue;
        const [error] = test.result().errors ?? [];
        console.log(`unsteady, failed once and passed when asked again: ${placeOf(test)}`);
        console.log(`  ${(error?.stack ?? error?.message ?? "").split("\n").slice(0, 3).join("\n")}`);
      }
      for (const test of module.children.allTests("skipped")) {
        // Vitest compares names with blanks between them.
        const isAsked = this.#asked?.test(test.fullName.replaceAll(" > ", " ")) ?? true;
        const condition = isAsked ? conditionOf(test) : undefined;
        const result = test.result();
        const note = result.state === "skipped" ? result.note : undefined;
        const reason = note ?? (condition === undefined ? "they were not asked for" : REASONS[condition]);
        const key = reason ?? condition ?? "";
        byReason.set(key, [...(byReason.get(key) ?? []), test]);
      }
    }
    if (byReason.size === 0) console.log("skipped: nothing");
    for (const [reason, tests] of byReason) {
      console.log(`skipped: ${tests.length} ${tests.length === 1 ? "test" : "tests"}, because ${reason}`);
      const names = new Map<string, string[]>();
      for (const { module, fullName } of tests) {
        const file = relative(process.cwd(), module.moduleId);
        names.set(file, [...(names.get(file) ?? []), fullName]);
      }
      for (const [file, skipped] of names)
        console.log(`  ${file}: ${skipped.length === 1 ? skipped[0] : `${skipped.length} tests`}`);
    }
  }
}
