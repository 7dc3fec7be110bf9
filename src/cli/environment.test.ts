import { describe, expect, it } from "vitest";
import { didYouMean } from "../base/texts/nearest.ts";
import { loadCommand, loadCommands } from "./commands.ts";
import { runCommand, unknownVariables } from "./run-command.ts";

// Loaded here: on a busy machine it takes longer than a test may.
await loadCommands();

const asVariables = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "1"]));

const told = async (...names: string[]): Promise<string[]> =>
  unknownVariables(asVariables(names), await loadCommand("info"), loadCommands);

describe("environment variables that no command reads", () => {
  it("are told, with the nearest one that a command reads", async () => {
    expect(await told("SEXTANT_PROT", "SEXTANT_UPSTREAM_APIKEY", "SEXTANT_XYZZY_PLUGH_42")).toEqual([
      "SEXTANT_PROT is not a setting and is ignored (did you mean SEXTANT_PORT?)",
      "SEXTANT_UPSTREAM_APIKEY is not a setting and is ignored (did you mean SEXTANT_UPSTREAM_API_KEY?)",
      "SEXTANT_XYZZY_PLUGH_42 is not a setting and is ignored",
    ]);
  });

  it("are not those of any command, of API keys or of other programs", async () => {
    const keys = ["", "_1", "_12", "_HEADER", "_3_HEADER"].map((end) => `SEXTANT_UPSTREAM_API_KEY${end}`);
    expect(await told("SEXTANT_PORT", "SEXTANT_MIN_LEDGER_VERSION", "PATH", "SEXTANTS", ...keys)).toEqual([]);
  });

  it("load no other command where this one reads them all", async () => {
    const variables = asVariables(["SEXTANT_PORT", "SEXTANT_UPSTREAM_API_KEY", "PATH"]);
    const loadAll = () => Promise.reject(new Error("the other commands are loaded"));
    const start = await loadCommand("start");
    expect(await unknownVariables(variables, start, loadAll)).toEqual([]);
    await expect(unknownVariables(asVariables(["SEXTANT_PROT"]), start, loadAll)).rejects.toThrow("loaded");
  });
});

describe("the command line", () => {
  const run = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const lines = { out: "", err: "" };
    const code = await runCommand(args, {
      out: (line) => {
        lines.out += `${line}\n`;
      },
      err: (line) => {
        lines.err += `${line}\n`;
      },
      environment,
      readStdin: async () => new Uint8Array(),
    });
    return { code, ...lines };
  };

  it.each(["-v", "-V", "--version", "version"])("%s prints the version", async (flag) => {
    expect(await run([flag])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it("takes a beginning for a misspelt command before it takes a neighbour", async () => {
    expect(await run(["stat"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("did you mean status?"),
    });
    expect((await run(["strat"])).err).toContain("did you mean start?");
    expect(didYouMean("b", ["balance"])).toBe("");
  });

  it("warns of an unknown variable and goes on", async () => {
    const { code, err } = await run(["verify-genesis", "/none"], { SEXTANT_WAYPONT: "0:00" });
    expect(code).toBe(2);
    expect(err).toMatch(
      /^sextant: SEXTANT_WAYPONT is not a setting .*SEXTANT_WAYPOINT\?\)\nsextant: cannot read/,
    );
  });

  it("alone shows what to do next", async () => {
    const { code, out } = await run([]);
    expect(code).toBe(2);
    expect(out).toContain("sextant start ");
    expect(out).toContain("sextant help ");
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeLessThan(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });
});
