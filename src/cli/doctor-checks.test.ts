import { describe, expect, it } from "vitest";
import {
  bytesText,
  descriptorFindings,
  findInTime,
  findingLine,
  memoryFindings,
  nodeFindings,
} from "./doctor-checks.ts";

const MIB = 1 << 20;
const levels = (findings: readonly { readonly level: string }[]): string[] =>
  findings.map(({ level }) => level);

describe("the machine", () => {
  it.each([
    ["18.20.0", "2026-01-01", "bad"],
    ["20.18.3", "2026-01-01", "bad"],
    ["20.19.0", "2026-04-30", "ok"],
    ["20.19.0", "2026-05-01", "warn"],
    ["22.12.0", "2026-05-01", "ok"],
    ["23.1.0", "2026-05-01", "warn"],
    ["26.0.0", "2027-05-01", "ok"],
  ])("judges Node %s on %s", (version, day, level) => {
    expect(levels(nodeFindings(version, new Date(day)))).toEqual([level]);
  });

  it("judges memory by the control group's limit, where it is the smaller", () => {
    expect(levels(memoryFindings(8192 * MIB, 128 * MIB))).toEqual(["bad"]);
    expect(levels(memoryFindings(8192 * MIB, 256 * MIB))).toEqual(["warn"]);
    expect(levels(memoryFindings(8192 * MIB, 1024 * MIB))).toEqual(["ok"]);
    expect(levels(memoryFindings(8192 * MIB, 0))).toEqual(["ok"]);
    expect(levels(memoryFindings(128 * MIB, 2 ** 63))).toEqual(["bad"]);
  });

  it("judges open files by the connections that are allowed", () => {
    expect(levels(descriptorFindings(1000, 64))).toEqual(["bad"]);
    expect(levels(descriptorFindings(1000, 1024))).toEqual(["warn"]);
    expect(levels(descriptorFindings(1000, 4096))).toEqual(["ok"]);
    expect(levels(descriptorFindings(1000, Number.POSITIVE_INFINITY))).toEqual(["ok"]);
  });

  it("says what a check that does not end or throws means", async () => {
    const [late] = await findInTime("disk", 1, () => new Promise(() => {}));
    expect(late).toMatchObject({ level: "bad", check: "disk", text: "no result in 0.001 s" });
    const [thrown] = await findInTime("disk", 1000, () => Promise.reject(new Error("gone\nat line 1")));
    expect(thrown).toMatchObject({ level: "bad", text: "gone" });
    expect(findingLine({ check: "disk", level: "bad", text: "full", advice: "free space" })).toBe(
      "bad   disk: full; free space",
    );
    expect([bytesText(512), bytesText(1536), bytesText(300 * MIB)]).toEqual([
      "512 bytes",
      "1.5 KiB",
      "300 MiB",
    ]);
  });
});
