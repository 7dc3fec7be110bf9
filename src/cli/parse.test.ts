import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError } from "../base/errors.ts";
import {
  choiceOption,
  durationOption,
  type Exclusion,
  integerOption,
  listOption,
  type Requirement,
  secretOption,
  switchOption,
  textOption,
  textOptionWithDefault,
} from "../base/option.ts";
import { parseCommand } from "./parse.ts";

const options = {
  host: textOptionWithDefault("h", "HOST", "127.0.0.1"),
  port: integerOption("p", "PORT", { min: 0, max: 65_535, fallback: 8080 }),
  upstream: listOption("u", "URL"),
  secret: secretOption("s"),
  encode: switchOption("e", true),
  json: switchOption("j", false),
  level: choiceOption("l", ["low", "high"], "low"),
  time: durationOption("t", { min: 0, max: 3_600_000, fallback: 1000 }),
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
  it("of a list are split at commas outside of the arguments of a type", () => {
    const types = ["0x1::a::A<0x1::b::B<u8, u64>, vector<u8>>", "0x1::c::C<u8,0x1::d::D<u8>>"];
    expect(parse(["--upstream", `x,${types.join(" , ")},y`]).values.upstream).toEqual(["x", ...types, "y"]);
  });

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

  it.each([
    "0123456",
    "007",
    "1e5",
    "0x10",
    "0o17",
    "1_000",
    "12345678901234567890123",
    "1.50",
    "-0",
    "+5",
    ".5",
    ".inf",
    ".nan",
    "yes",
    "no",
    "on",
    "True",
    "null",
    "~",
    "2026-11-15",
    "12:30:45",
  ])("keep the text of %s as it stands in the file, like a flag does", (text) => {
    const path = configFile(`host: ${text}\nsecret: ${text}\nupstream: [${text}, "${text}"]\n`);
    expect(parse(["--config", path]).values).toMatchObject({
      host: text,
      secret: text,
      upstream: [text, text],
    });
    const single = configFile(`host: '${text}'\nupstream: ${text}\nsecret: |-\n  ${text}\n`);
    expect(parse(["--config", single]).values).toMatchObject({
      host: text,
      secret: text,
      upstream: [text],
    });
  });

  it.each([
    ["port: 8081", { port: 8081 }],
    ["port: '8081'", { port: 8081 }],
    ["port: 0080", { port: 80 }],
    ["encode: false\njson: true", { encode: false, json: true }],
    ["encode: False\njson: TRUE", { encode: false, json: true }],
    ["time: 250ms", { time: 250 }],
    ["time: 2", { time: 2000 }],
    ["time: 1.50", { time: 1500 }],
    ["level: high", { level: "high" }],
  ])("are numbers, switches, times and choices from the file too: %j", (text, values) => {
    expect(parse(["--config", configFile(text)]).values).toMatchObject(values);
  });

  it("that exclude each other are decided by precedence, flags first", () => {
    const path = configFile("time: 5s\nlevel: high\njson: true\n");
    const exclusions: Exclusion[] = [
      { one: "upstream", others: ["time", "json"] },
      { one: ["port", (port) => port === 1], others: ["upstream", ["level", (level) => level === "high"]] },
      { one: "host", others: ["level"], refusal: ": a host has no level" },
    ];
    const requirements: Requirement[] = [
      { options: ["host"], isMet: ({ port }) => port === 1, needs: "--port 1" },
    ];
    const read = (args: string[], environment: Record<string, string>) =>
      parseCommand([...args, "--config", path], options, environment, { exclusions, requirements });
    const environment = { SEXTANT_UPSTREAM: "a" };

    const byFlag = read(["--port", "1"], environment);
    // The flag removed what would have removed these.
    expect(byFlag.values).toMatchObject({ port: 1, upstream: [], time: 5000, json: true, level: "low" });
    expect(byFlag.ignored).toEqual([
      "SEXTANT_UPSTREAM is ignored: --port excludes it",
      `${path}: level is ignored: --port excludes it`,
    ]);
    const byVariable = read(["--port", "2"], environment);
    expect(byVariable.values).toMatchObject({ upstream: ["a"], time: 1000, json: false, level: "high" });
    expect(byVariable.ignored.length).toBe(2);
    // Of the same precedence: refused. Switched off: excludes nothing.
    expect(() => read(["--port", "1", "--upstream", "a"], {})).toThrow(
      "--port and --upstream exclude each other",
    );
    expect(() => read(["--host", "a", "--level", "low"], {})).toThrow("--level: a host has no level");
    expect(() => read([], { SEXTANT_HOST: "a" })).toThrow("SEXTANT_HOST needs --port 1");
    expect(read(["--port", "1"], { SEXTANT_HOST: "a" }).values.host).toBe("a");
    expect(read(["--no-json"], environment).values).toMatchObject({ json: false, upstream: ["a"] });
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
    [["--__proto__", "1"], "unknown option --__proto__ (--help lists the options)"],
    [["--time", "1 day"], '--time: expected a time such as 500ms, 1s, 5m, 1h or 2d, got "1 day"'],
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
    ["port: 0x10\n", 'port: expected a whole number from 0 to 65535, got "0x10"'],
    ["port:\n", "port: expected a whole number"],
    ["host:\n", "host: expected some text"],
    ["json: yes\n", 'json: expected true or false, got "yes"'],
    ["upstream: [a, [b]]\n", "upstream: expected a text, a number, true or false, or a list of these"],
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
