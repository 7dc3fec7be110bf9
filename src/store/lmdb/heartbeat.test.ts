// A second writer watches the heartbeat by its own clock; the test controls each pause.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { until } from "../../../test/support/until.ts";
import { silentLogger } from "../../base/log.ts";
import { assertNoHeartbeat, mayBeShared, STILL_LOOKS, startHeartbeat } from "./heartbeat.ts";
import { readBoot } from "./process-mark.ts";

const beat = (number: number, boot = "another-boot"): string => `${boot} ${`${number}`.padStart(15, "0")}\n`;

/** Watches for a heartbeat and runs `meanwhile` in each pause. Returns the number of pauses and the error's code. */
async function look(
  path: string,
  meanwhile: (pauses: number) => void = () => {},
): Promise<{ readonly pauses: number; readonly code: unknown }> {
  let pauses = 0;
  const code: unknown = await assertNoHeartbeat(path, silentLogger, async () => meanwhile(++pauses)).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? Reflect.get(error, "code") : error),
  );
  return { pauses, code };
}

describe("a heartbeat", () => {
  it("that never existed, or is of this machine's current boot, is not watched", async () => {
    const path = temporaryFolder();
    expect(await look(path)).toEqual({ pauses: 0, code: undefined });
    writeFileSync(join(path, "heartbeat"), beat(7, readBoot()));
    expect(await look(path)).toEqual({ pauses: 0, code: undefined });
  });

  it("that stays the same in all looks is of a dead writer, or of this machine before a reboot", async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, "heartbeat"), beat(7));
    expect(await look(path)).toEqual({ pauses: STILL_LOOKS, code: undefined });
  });

  it.each([1, 2, STILL_LOOKS])("that advances at look %i keeps a second writer out", async (at) => {
    const path = temporaryFolder();
    writeFileSync(join(path, "heartbeat"), beat(7));
    const meanwhile = (pauses: number): void => {
      if (pauses === at) writeFileSync(join(path, "heartbeat"), beat(8));
    };
    expect(await look(path, meanwhile)).toEqual({ pauses: at, code: "locked" });
  });

  it("that is removed in between is of a writer that ended", async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, "heartbeat"), beat(7));
    expect(await look(path, () => rmSync(join(path, "heartbeat")))).toEqual({ pauses: 1, code: undefined });
  });

  it("beats until it is stopped, and recreates a removed file", async () => {
    const path = temporaryFolder();
    const file = join(path, "heartbeat");
    const heart = await startHeartbeat(path);
    expect(readFileSync(file, "utf8")).toBe(beat(0, readBoot()));
    await until(() => readFileSync(file, "utf8") === beat(1, readBoot()));
    rmSync(file);
    await until(() => existsSync(file));
    await heart.stop();
    expect(existsSync(file)).toBe(false);
  });
});

describe.skipIf(process.platform !== "linux")("a file system", () => {
  it("counts as shared unless its type is known to be local", () => {
    expect(mayBeShared("/proc")).toBe(true);
    expect(mayBeShared("/dev/shm")).toBe(false);
  });
});
