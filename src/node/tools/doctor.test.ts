import { describe, expect, it } from "vitest";
import { bytesText, descriptorFindings, findInTime } from "./doctor.ts";

const MIB = 1 << 20;
const levels = (findings: readonly { readonly level: string }[]): string[] =>
  findings.map(({ level }) => level);

describe("the machine", () => {
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
    expect([bytesText(512), bytesText(1536), bytesText(300 * MIB)]).toEqual([
      "512 bytes",
      "1.5 KiB",
      "300 MiB",
    ]);
  });
});
