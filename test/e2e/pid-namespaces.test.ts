// Two containers, one volume: processes that cannot see each other's process ids share a data directory. Each runs in
// its own PID namespace as process 1.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { canUnshare, contain, untilReady } from "../support/pid-namespace.ts";
import { startProgram } from "../support/program.ts";
import { readerSlots } from "../support/reader-slots.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const quick = ["--block-time", "50ms", "--log-level", "error"];

async function versionAt(url: string): Promise<bigint> {
  const info = (await (await fetch(`${url}/info`)).json()) as { ledger_version: string };
  return BigInt(info.ledger_version);
}

/** Checks that the node keeps making blocks. */
async function expectMoving(url: string): Promise<void> {
  const before = await versionAt(url);
  await until(async () => (await versionAt(url)) > before + 5n);
}

describe.skipIf(!canUnshare())("a data directory of two PID namespaces", () => {
  it("keeps its writer: a second one in another namespace is refused, whichever is inside", async () => {
    const data = join(folder, "kept");
    const outside = await startProgram(["--data", data, ...quick]);
    const second = contain(["start", "--port", "0", "--data", data, ...quick]);
    const refused = await second.finished;
    expect(refused).toMatchObject({ code: 75, stdout: "" });
    expect(refused.stderr).toMatch(
      /^sextant: process \d+ of another PID namespace writes to the store at .*\n$/,
    );
    await expectMoving(outside.url);
    expect((await outside.stop()).code).toBe(0);

    const inside = contain(["start", "--port", "0", "--data", data, ...quick]);
    const url = await untilReady(inside);
    const third = await runCommand(["start", "--port", "0", "--data", data, ...quick]);
    expect(third).toMatchObject({ code: 75, stdout: "" });
    expect(third.stderr).toMatch(/^sextant: process 1 of another PID namespace writes to the store at .*\n$/);
    await expectMoving(url);
    expect(inside.stderr()).toBe("");
    await inside.kill();
  });

  it("refuses a process with the id of another process at once and in one line, to write and to read", async () => {
    const data = join(folder, "same-id");
    const first = contain(["start", "--port", "0", "--data", data, ...quick]);
    const url = await untilReady(first);
    for (const args of [["start", "--port", "0", ...quick], ["status"], ["check", "--in-process"]]) {
      const second = await contain([...args, "--data", data]).finished;
      expect(second, args[0]).toMatchObject({ code: 75, stdout: "" });
      expect(second.stderr).toMatch(
        /^sextant: another process with the id 1, in another PID namespace, has .* open.*\n$/,
      );
    }
    // A process with another id can read at the same time.
    expect(await runCommand(["status", "--data", data])).toMatchObject({ code: 0 });
    await expectMoving(url);
    await first.kill();
  });

  it("is taken over at once from a killed writer, but not from a frozen one", async () => {
    const data = join(folder, "taken-over");
    const first = contain(["start", "--port", "0", "--data", data, ...quick]);
    await expectMoving(await untilReady(first));
    // While another reader has it open, the reader table keeps the slots of the dead.
    const reader = await startProgram(["--data", data, "--read-only"]);
    process.kill(await first.pid(), "SIGSTOP");
    expect(await runCommand(["start", "--port", "0", "--data", data, ...quick])).toMatchObject({ code: 75 });
    await first.kill();

    const outside = await startProgram(["--data", data, ...quick]);
    await expectMoving(outside.url);
    outside.child.kill("SIGKILL");
    await outside.finished;
    for (let restart = 0; restart < 2; restart++) {
      const inside = contain(["start", "--port", "0", "--data", data, ...quick]);
      await expectMoving(await untilReady(inside));
      await inside.kill();
    }
    expect((await reader.stop()).code).toBe(0);
    expect(await runCommand(["check", "--in-process", "--data", data])).toMatchObject({ code: 0 });
  });

  it("has no pages pinned by a dead reader with the writer's id", async () => {
    const data = join(folder, "own-id");
    const maker = await startProgram(["--data", data, "--block-time", "0", "--log-level", "error"]);
    await until(async () => (await versionAt(maker.url)) > 300n);
    expect((await maker.stop()).code).toBe(0);
    const reader = await startProgram(["--data", data, "--read-only"]);
    // Killed while it reads, which it may have finished by then.
    const transaction = await until(async () => {
      const dead = contain(["check", "--in-process", "--data", data]);
      let isOver = false;
      void dead.finished.then(() => {
        isOver = true;
      });
      const reading = () =>
        readerSlots(data).find((one) => one.pid === 1 && one.transaction !== undefined)?.transaction;
      await until(() => isOver || reading() !== undefined);
      if (!isOver) process.kill(await dead.pid(), "SIGSTOP");
      await dead.kill();
      return reading();
    });
    const isPinned = (): boolean => readerSlots(data).some((slot) => slot.transaction === transaction);
    const writer = contain(["start", "--port", "0", "--data", data, ...quick]);
    await untilReady(writer);
    // The writer's own first reads may be of the same transaction; they end.
    await until(() => !isPinned());
    await writer.kill();
    expect((await reader.stop()).code).toBe(0);
  });

  it("is backed up by one process at a time", async () => {
    const [data, to] = [join(folder, "backed-up"), join(folder, "backup")];
    const node = await startProgram(["--data", data, "--block-time", "0", "--log-level", "error"]);
    await until(async () => (await versionAt(node.url)) > 300n);
    expect((await node.stop()).code).toBe(0);
    const first = contain(["backup", "--data", data, "--to", to]);
    const draft = join(to, ".partial", "data.mdb");
    await until(() => existsSync(draft) && statSync(draft).size > 0);
    process.kill(await first.pid(), "SIGSTOP");
    const second = await runCommand(["backup", "--data", data, "--to", to]);
    expect(second).toMatchObject({ code: 75, stdout: "" });
    process.kill(await first.pid(), "SIGCONT");
    expect(await first.finished).toMatchObject({ code: 0 });
  });
});
