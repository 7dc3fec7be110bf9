import { describe, expect, it } from "vitest";
import { workerFlags } from "./worker-flags.ts";

describe("flags of workers", () => {
  it("keep those of the program and bound the young generation", () => {
    expect(workerFlags([])).toEqual(["--max-semi-space-size=4"]);
    expect(workerFlags(["--enable-source-maps"], "--max-old-space-size=512")).toEqual([
      "--enable-source-maps",
      "--max-semi-space-size=4",
    ]);
  });

  it("leave a bound that the operator set", () => {
    for (const own of ["--max-semi-space-size=32", "--max_semi_space_size=32"]) {
      expect(workerFlags([own])).toEqual([own]);
      expect(workerFlags([], `--max-old-space-size=512 ${own}`)).toEqual([]);
    }
    expect(workerFlags(["--max-semi-space-size", "32"])).toEqual(["--max-semi-space-size", "32"]);
  });

  it("have no code of the program: a worker would run it again", () => {
    const semiSpace = "--max-semi-space-size=4";
    for (const flags of [
      ["-e", "code"],
      ["--eval=code"],
      ["-p", "code"],
      ["--input-type=module", "-e", "code"],
    ]) {
      expect(workerFlags([...flags, "--enable-source-maps"])).toEqual(["--enable-source-maps", semiSpace]);
    }
  });
});
