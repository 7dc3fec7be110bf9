// A heartbeat keeps a second writer out by that one's own clock: each look is a pause that the test fills.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { until } from "../../../test/support/until.ts";
import { silentLogger } from "../../base/log.ts";
import { assertNoHeartbeat, mayBeShared, STILL_LOOKS, startHeartbeat } from "./heartbeat.ts";
import { readBoot } from "./process-mark.ts";

const beat = (number: number, boot = "another-boot"): string => `${boot} ${`${number}`.padStart(15, "0")}\n`;

/** Looks for a heartbeat; `meanwhile` happens in each pause. The number of pauses, and the code of the refusal. */
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
  it("that was never there, or is of this start of this machine, is not waited for", async () => {
    const path = temporaryFolder();
    expect(await look(path)).toEqual({ pauses: 0, code: undefined });
    writeFileSync(join(path, "heartbeat"), beat(7, readBoot()));
    expect(await look(path)).toEqual({ pauses: 0, code: undefined });
  });

  it("that stands still for all looks is of a dead writer, or of this machine before a reboot", async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, "heartbeat"), beat(7));
    expect(await look(path)).toEqual({ pauses: STILL_LOOKS, code: undefined });
  });

  it.each([1, 2, STILL_LOOKS])("that goes on at look %i keeps a second writer out", async (at) => {
    const path = temporaryFolder();
    writeFileSync(join(path, "heartbeat"), beat(7));
    const meanwhile = (pauses: number): void => {
      if (pauses === at) writeFileSync(join(path, "heartbeat"), beat(8));
    };
    expect(await look(path, meanwhile)).toEqual({ pauses: at, code: "locked" });
  });

  it("that is taken away meanwhile was of a writer that ended", async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, "heartbeat"), beat(7));
    expect(await look(path, () => rmSync(join(path, "heartbeat")))).toEqual({ pauses: 1, code: undefined });
  });

  it("beats in place until it is stopped, and comes back where it is removed", async () => {
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
  it("counts as one of several machines unless it is known to be of one", () => {
    expect(mayBeShared("/proc")).toBe(true);
    expect(mayBeShared("/dev/shm")).toBe(false);
  });
});
