// Bodies of twice the size that a server hands to the encoder, in every shape that could cost too much.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import { HOSTILE_BODIES, SIZE } from "../support/hostile-bodies.ts";
import type { HostileReport } from "../support/hostile-run.ts";
import { hasShared } from "../support/shared.ts";
import { AS_BUILT } from "../support/typescript.ts";

/** In yardsticks: 16 times what the engine's own parser takes for the plainest body of that size. */
const MAX_TIMES = 4;
/** Garbage that is not collected yet included. */
const MAX_EXTRA_BYTES = 80 * 1024 * 1024;
/** What the shapes leave of a body. */
const FEWEST_BYTES = SIZE - 8000;

describe.skipIf(!hasShared)("encodeSubmission on large bodies", () => {
  let child: ChildProcess;
  let folder: string;

  async function answer<T>(): Promise<T> {
    const [message] = (await once(child, "message")) as [T];
    return message;
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sextant-hostile-"));
    child = endWithTest(
      fork(fileURLToPath(new URL("../support/hostile-run.ts", import.meta.url)), {
        execArgv: [...AS_BUILT, "--expose-gc"],
      }),
    );
    expect(await answer<string>()).toMatch(/^\d+ bytes$/);
  });

  afterAll(() => {
    child.disconnect();
    rmSync(folder, { recursive: true });
  });

  it.each(HOSTILE_BODIES)("answers in bounded time and memory: %s", async (_name, build) => {
    const text = build();
    const size = Buffer.byteLength(text);
    expect(size).toBeGreaterThan(FEWEST_BYTES);
    expect(size).toBeLessThanOrEqual(SIZE);
    const path = join(folder, "body");
    writeFileSync(path, text);
    child.send(path);
    const report = await answer<HostileReport>();
    expect(report.outcome).toMatch(/^(\d+ bytes$|JsonError: |TransactionError: )/);
    expect(report.outcome.length).toBeLessThan(1200);
    expect(report.times).toBeLessThan(MAX_TIMES);
    expect(report.extraBytes).toBeLessThan(MAX_EXTRA_BYTES);
  });
});
