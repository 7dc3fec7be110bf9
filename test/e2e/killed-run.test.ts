// A killed test run leaves no process behind. The file runs itself: if HANG names a file, this is the run to be killed,
// which writes its process ids to that file and waits.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const HANG = process.env.SEXTANT_TEST_HANG;
const root = fileURLToPath(new URL("../..", import.meta.url));

/** False for a zombie, too. */
function isAlive(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (existsSync("/proc/self/stat")) {
    try {
      return !/\) [ZX] /.test(readFileSync(stat, "utf8"));
    } catch {
      return false;
    }
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

if (HANG !== undefined) {
  it("waits to be killed", async () => {
    const node = await startProgram(["--store", "memory", "--log-level", "error"]);
    const workers = await startProgram([
      "--data",
      temporaryFolder(),
      "--workers",
      "1",
      "--log-level",
      "error",
    ]);
    const stopped = endWithTest(spawn("sleep", ["600"], { stdio: "ignore" }));
    stopped.kill("SIGSTOP");
    const group = endWithTest(spawn("sh", ["-c", "sleep 600 & wait"], { detached: true }), { group: true });
    const pids = [process.pid, node.child.pid, workers.child.pid, stopped.pid, group.pid];
    writeFileSync(`${HANG}.part`, JSON.stringify(pids));
    renameSync(`${HANG}.part`, HANG);
    await new Promise(() => {});
  });
} else {
  it("leaves no process behind when it is killed", async () => {
    const file = join(temporaryFolder(), "pids");
    const args = [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--project",
      "long",
      "test/e2e/killed-run.test.ts",
    ];
    const run = endWithTest(
      spawn(process.execPath, args, {
        cwd: root,
        env: { ...process.env, SEXTANT_TEST_HANG: file },
        stdio: "ignore",
      }),
    );
    const ended = new Promise((resolve) => run.once("exit", resolve));
    await until(() => existsSync(file) || run.exitCode !== null);
    const pids = JSON.parse(readFileSync(file, "utf8")) as number[];
    expect(pids.filter(isAlive)).toEqual(pids);
    run.kill("SIGKILL");
    await ended;
    await until(() => pids.every((pid) => !isAlive(pid)));
  });
}
