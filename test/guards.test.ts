// The guards that `npm run guards` takes out are where it looks for them, and their tests are there.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { GUARDS } from "../scripts/guards/list.ts";

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");
}

/** Where the names of tests stand: those of a store's contract are beside the tests that use it. */
function namesIn(test: string): string {
  const text = read(test);
  return text.includes("contract.ts") ? text + read("test/store/contract.ts") : text;
}

it.each(GUARDS)("$name", ({ file, text, without, test: [test, name] }) => {
  expect(read(file).split(text).length - 1).toBe(1);
  expect(without).not.toContain(text);
  // A name may hold that of its group and values of its own: its words are there, wherever.
  const names = namesIn(test);
  for (const word of name.split(" ")) expect(names).toContain(word);
});

it("has a name of its own for each", () => {
  expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
});
