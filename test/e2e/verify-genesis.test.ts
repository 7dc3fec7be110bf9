// `sextant verify-genesis` as a user runs it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { runProgram } from "../support/program.ts";
import { hasShared, sharedBytes, sharedPath } from "../support/shared.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe.skipIf(!hasShared).each(["mainnet", "devnet"])("verify-genesis of %s", (network) => {
  const file = sharedPath(`networks/${network}/genesis.blob`);
  const waypoint = hasShared
    ? readFileSync(sharedPath(`networks/${network}/waypoint.txt`), "utf8").trim()
    : "";
  const changed = waypoint.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));

  it("agrees with the published waypoint", async () => {
    const run = await runProgram(["verify-genesis", file, "--waypoint", waypoint]);
    expect(run.stderr).toBe("");
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(waypoint);
    expect(run.stdout).toMatch(/verdict +match/);
  });

  it("names both values when one digit differs, and exits 1", async () => {
    const run = await runCommand(["verify-genesis", file, "--waypoint", changed]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(waypoint);
    expect(run.stderr).toContain(changed);
  });

  it("warns without a waypoint, and prints JSON on request", async () => {
    const run = await runCommand(["verify-genesis", file, "--json"]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("nothing proves");
    expect(JSON.parse(run.stdout)).toMatchObject({ waypoint, verdict: "unproven" });
  });
});

describe("verify-genesis of a bad file", () => {
  const folder = temporaryFolder();

  it.skipIf(!hasShared)("gives one clear line with the offset and exits 1", async () => {
    const whole = sharedBytes("networks/devnet/genesis.blob");
    for (const length of [0, 1, 2, 100, 5000, whole.length - 1]) {
      const path = join(folder, "cut.blob");
      writeFileSync(path, whole.subarray(0, length));
      const run = await runCommand(["verify-genesis", path]);
      expect(run.code).toBe(1);
      expect(run.stderr.trim().split("\n")).toHaveLength(1);
      expect(run.stderr).toMatch(/at byte \d+/);
      expect(run.stdout).toBe("");
    }
  });

  it("refuses what is not a file, a bad waypoint and extra operands with exit code 2", async () => {
    const path = join(folder, "some.blob");
    writeFileSync(path, "x");
    for (const args of [[join(folder, "none")], [], [path, "extra"], [path, "--waypoint", "0:xyz"]]) {
      const run = await runCommand(["verify-genesis", ...args]);
      expect(run.code, args.join(" ")).toBe(2);
      expect(run.stderr.trim().split("\n")).toHaveLength(1);
    }
  });
});
