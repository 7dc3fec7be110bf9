// The help of `start`: ten options first, and every option under a heading.
import { describe, expect, it } from "vitest";
import { loadCommand, loadCommands } from "../commands.ts";
import { commandHelp, optionGroups } from "./help.ts";

const commands = await loadCommands();
const startCommand = await loadCommand("start");

const flags = (text: string): readonly string[] => text.match(/^ {2}(--[a-z-]+|SEXTANT_\w+)/gm) ?? [];

describe("sextant start", () => {
  it("--help shows the ten main options and names the groups of the rest", () => {
    const text = commandHelp(startCommand, false);
    expect(flags(text)).toHaveLength(10);
    expect(text).toContain("--help-all shows all");
    expect(text).toContain("Serving, Limits, Storage, Following, Local chain, TLS, Logging");
  });

  it("--help-all shows every option once, by group", () => {
    const text = commandHelp(startCommand, true);
    expect(new Set(flags(text)).size).toBe(Object.keys(startCommand.options).length);
    expect([...optionGroups(startCommand).keys()]).not.toContain("Options");
    for (const heading of optionGroups(startCommand).keys()) expect(text).toContain(`\n${heading}:\n`);
  });
});

describe.each(commands)("sextant $name", (command) => {
  it("shows all of its options with --help, unless it has main options", () => {
    const all = flags(commandHelp(command, true)).length;
    expect(flags(commandHelp(command, false))).toHaveLength(command.mainOptions?.length ?? all);
    expect(all).toBe(Object.keys(command.options).length);
  });
});
