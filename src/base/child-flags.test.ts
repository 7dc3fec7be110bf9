import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { childFlags } from "./child-flags.ts";

const built = { entry: "main.js" };
const worker = { entry: "main.js", youngGenerationMb: 4 };

describe("flags of child processes", () => {
  it.each([
    [["--enable-source-maps", "--max-old-space-size=512"]],
    [["--max_old_space_size=512", "--no-warnings", "--stack-size=2000"]],
    // Loaders: the program may not run without them.
    [["--import", "./loader.js", "--import=tsx", "-r", "./first.cjs", "--require=./second.cjs"]],
    [["-C", "development", "--conditions=other", "--loader", "./old.js"]],
    [["--cpu-prof", "--cpu-prof-dir=profiles", "--experimental-strip-types"]],
  ])("keep %j", (flags) => {
    expect(childFlags(flags, built)).toEqual(flags);
  });

  it.each([
    // Code, and of which kind it is: a child would run it again.
    [["-e", "code"]],
    [["--eval=code"]],
    [["-p", "code"]],
    [["-pe", "code"]],
    [["--print", "code"]],
    [["--input-type=module", "-e", "code"]],
    [["--input-type", "module", "--eval", "code"]],
    [["--input_type=module"]],
    [["-c"]],
    [["-i"]],
    [["--test", "--test-name-pattern", "one", "--test-reporter=spec"]],
    [["--watch", "--watch-path=src"]],
    [["--run", "script"]],
    [["--build-snapshot"]],
    // Ports, and files of one name.
    [["--inspect"]],
    [["--inspect=127.0.0.1:9229"]],
    [["--inspect-brk"]],
    [["--inspect_wait=0"]],
    [["--inspect-port", "9230"]],
    [["--debug-port=9230"]],
    [["--inspect-publish-uid=http"]],
    [["--cpu-prof-name=one.cpuprofile", "--heap-prof-name", "two"]],
  ])("leave out %j", (flags) => {
    const kept = ["--import", "./loader.js", "--enable-source-maps"];
    expect(childFlags([...flags, ...kept], built)).toEqual(kept);
    expect(childFlags([...kept, ...flags], built)).toEqual(kept);
  });

  it("bound the young generation of a child that asks for it", () => {
    expect(childFlags([], built)).toEqual([]);
    expect(childFlags([], worker)).toEqual(["--max-semi-space-size=4"]);
    expect(childFlags(["--enable-source-maps"], worker, "--max-old-space-size=512")).toEqual([
      "--enable-source-maps",
      "--max-semi-space-size=4",
    ]);
  });

  it("leave a bound that the operator set", () => {
    for (const own of ["--max-semi-space-size=32", "--max_semi_space_size=32"]) {
      expect(childFlags([own], worker)).toEqual([own]);
      expect(childFlags([], worker, `--max-old-space-size=512 ${own}`)).toEqual([]);
    }
    expect(childFlags(["--max-semi-space-size", "32"], worker)).toEqual(["--max-semi-space-size", "32"]);
  });

  it("bring a translator for a source, unless this process has one", () => {
    const source = { entry: "main.ts" };
    expect(childFlags([], source)).toEqual(["--import", "tsx"]);
    expect(childFlags(["--import=./own.js"], source)).toEqual(["--import=./own.js"]);
    expect(childFlags([], source, "--import ./own.js")).toEqual([]);
  });

  it("are right about node: a value never begins with a dash", () => {
    const node = (...flags: string[]): string[] =>
      JSON.parse(
        execFileSync(process.execPath, [...flags, "-p", "JSON.stringify(process.execArgv)"], {
          env: {},
          encoding: "utf8",
          timeout: 60_000,
        }),
      ) as string[];
    const flags = ["--input-type", "commonjs", "--inspect-port", "0", "-C", "development"];
    expect(childFlags(node(...flags), built)).toEqual(["-C", "development"]);
    expect(() =>
      execFileSync(process.execPath, ["-e", "-1"], { env: {}, stdio: "ignore", timeout: 60_000 }),
    ).toThrow();
  });
});
