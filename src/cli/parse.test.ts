import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError } from "../base/errors.ts";
import {
  choiceOption,
  durationOption,
  integerOption,
  listOption,
  switchOption,
  textOption,
  textOptionWithDefault,
} from "./option.ts";
import { parseCommand } from "./parse.ts";

const options = {
  host: textOptionWithDefault("h", "HOST", "127.0.0.1"),
  port: integerOption("p", "PORT", { min: 0, max: 65_535, fallback: 8080 }),
  upstream: listOption("u", "URL"),
  encode: switchOption("e", true),
  json: switchOption("j", false),
  level: choiceOption("l", ["low", "high"], "low"),
  time: durationOption("max-wait", "t", 1000),
  config: textOption("c", "FILE"),
};

const folder = mkdtempSync(join(tmpdir(), "sextant-parse-"));
afterAll(() => rmSync(folder, { recursive: true }));

function configFile(text: string): string {
  const path = join(folder, "config.yaml");
  writeFileSync(path, text);
  return path;
}

const parse = (args: string[], environment: Record<string, string> = {}) =>
  parseCommand(args, options, environment);
const fault = (args: string[], environment: Record<string, string> = {}): string => {
  try {
    parse(args, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error("was accepted");
};

describe("option values", () => {
  it("come from defaults", () => {
    expect(parse([]).values).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      upstream: [],
      encode: true,
      time: 1000,
    });
  });

  it("come from flags, with = or a space, and switches with no-", () => {
    const { values, operands } = parse([
      "a",
      "--port=1",
      "--host",
      "h",
      "--no-encode",
      "--json",
      "--",
      "--b",
    ]);
    expect(values).toMatchObject({ port: 1, host: "h", encode: false, json: true });
    expect(operands).toEqual(["a", "--b"]);
  });

  it("repeat where they may, and only there", () => {
    expect(parse(["--upstream", "a", "--upstream", "b,c"]).values.upstream).toEqual(["a", "b", "c"]);
    expect(fault(["--port", "1", "--port", "2"])).toBe("--port is given twice");
  });

  it("take precedence: flag, environment, configuration file, default", () => {
    const path = configFile("# comment\nport: 3\nhost: from-file\nupstream: [x, y]\nencode: false\n");
    const both = parse(["--config", path, "--port", "1"], { SEXTANT_PORT: "2", SEXTANT_HOST: "from-env" });
    expect(both.values).toMatchObject({ port: 1, host: "from-env", upstream: ["x", "y"], encode: false });
    expect(parse([], { SEXTANT_CONFIG: path, SEXTANT_PORT: "2" }).values).toMatchObject({
      port: 2,
      host: "from-file",
    });
    expect(parse(["--config", path]).values.port).toBe(3);
  });

  it("read times with units", () => {
    expect(parse(["--time", "250ms"]).values.time).toBe(250);
    expect(parse(["--time", "0"]).values.time).toBe(0);
    expect(parse(["--time", "1.5m"]).values.time).toBe(90_000);
  });
});

describe("bad options", () => {
  it.each([
    [["--prot", "1"], "unknown option --prot (did you mean --port?)"],
    [["--port"], "--port needs a value (PORT)"],
    [["--port", "x"], '--port: expected a whole number from 0 to 65535, got "x"'],
    [["--port", "65536"], '--port: expected a whole number from 0 to 65535, got "65536"'],
    [["--level", "mid"], '--level: expected one of low, high, got "mid"'],
    [["--json=maybe"], '--json: expected true or false, got "maybe"'],
    [["--no-port"], "unknown option --no-port: --port is not a switch"],
    [["-p", "1"], "unknown option -p: options are written --name"],
    [["--__proto__", "1"], "unknown option --__proto__"],
    [["--time", "1 day"], '--time: expected a time such as 500ms, 1s, 5m or 1h, got "1 day"'],
  ])("%j", (args, message) => {
    expect(fault(args)).toBe(message);
  });

  it("in the environment name the variable", () => {
    expect(fault([], { SEXTANT_PORT: "" })).toContain("SEXTANT_PORT: expected a whole number");
  });

  it.each([
    ["prot: 1\n", "unknown key prot (did you mean port?)"],
    ["port: [1, 2]\n", "port takes one value, not a list"],
    ["port: {a: 1}\n", "port: expected a text, a number, true or false, or a list of these"],
    ["- a\n", "expected keys with values at the top level"],
    ["port: 1\nport: 2\n", "Map keys must be unique"],
    ["a: &x [1]\nport: *x\n", "config.yaml"],
    ["config: other.yaml\n", "unknown key config"],
  ])("in the file %j", (text, message) => {
    expect(fault(["--config", configFile(text)])).toContain(message);
  });

  it("name a file that cannot be read", () => {
    expect(fault(["--config", join(folder, "none.yaml")])).toContain("cannot read the configuration file");
  });
});
