// Prints what the project weighs, and fails where a number is above its limit: `npm run house`. A change that needs a
// higher limit says in its commit what it buys; a change that makes the house lighter lowers the limit.
import { startCommand } from "../src/cli/commands/start.ts";
import { findCircles, isTest, readFiles, type SourceFile } from "./house/imports.ts";

/** A file that only one other uses, and that is shorter than this, rarely deserves to be one. */
const SHORT_LINES = 60;

/** What CI takes today, and what the project wants. A limit falls until it is the goal; a change that raises one says what it buys. */
const LIMITS = {
  "lines of src without tests and vm": { limit: 87_528, goal: 60_000 },
  "lines of src/vm without tests": { limit: 13_501, goal: 10_000 },
  "files of src without tests": { limit: 640, goal: 520 },
  "lines of tests": { limit: 78_388, goal: 50_000 },
  "short files with one importer": { limit: 13, goal: 25 },
  "circles of files": { limit: 0, goal: 0 },
  "options of start": { limit: 60, goal: 60 },
  "most files at the root of a room": { limit: 22, goal: 22 },
} as const;

const source = readFiles("src").filter(({ name }) => !isTest(name));
const tests = [...readFiles("src"), ...readFiles("test")].filter(({ name }) => isTest(name));

/** The virtual machine has an allowance of its own. */
function isOfMachine({ name }: SourceFile): boolean {
  return name.startsWith("src/vm/");
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

function lonelyFiles(): readonly SourceFile[] {
  const importers = new Map<string, number>();
  for (const { imports } of source) {
    for (const target of imports) importers.set(target, (importers.get(target) ?? 0) + 1);
  }
  return source.filter(({ name, lines }) => lines < SHORT_LINES && importers.get(name) === 1);
}

function rootSizes(): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { name } of source) {
    const [, room = "", ...rest] = name.split("/");
    if (rest.length === 1) sizes.set(room, (sizes.get(room) ?? 0) + 1);
  }
  return sizes;
}

const circles = findCircles(source);
const lonely = lonelyFiles();
const roots = rootSizes();
const numbers: Readonly<Record<keyof typeof LIMITS, number>> = {
  "lines of src without tests and vm": linesOf(source.filter((file) => !isOfMachine(file))),
  "lines of src/vm without tests": linesOf(source.filter(isOfMachine)),
  "files of src without tests": source.length,
  "lines of tests": linesOf(tests),
  "short files with one importer": lonely.length,
  "circles of files": circles.length,
  "options of start": Object.keys(startCommand.options).length,
  "most files at the root of a room": Math.max(...roots.values()),
};

let heavy = 0;
for (const [name, { limit, goal }] of Object.entries(LIMITS)) {
  const number = numbers[name as keyof typeof LIMITS];
  const verdict = number > limit ? "TOO MANY" : "";
  if (number > limit) heavy++;
  console.log(`${`${number}`.padStart(7)}  ${name} (limit ${limit}, goal ${goal}) ${verdict}`.trimEnd());
}
if (process.argv.includes("--list")) {
  for (const circle of circles) console.log(`circle: ${circle.join(" ")}`);
  for (const { name, lines } of lonely) console.log(`short: ${name} ${lines}`);
  for (const [room, files] of roots) console.log(`root: src/${room} ${files}`);
}
process.exitCode = heavy === 0 ? 0 : 1;
