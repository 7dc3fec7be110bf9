// Rooms import each other in one direction: the tree obeys the allow-list of scripts/house/rooms.ts, and an import against
// it, or a circle of files, is found.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeFile, findCircles, isTest, readFiles } from "../scripts/house/imports.ts";
import { findTrespasses, MAY_IMPORT } from "../scripts/house/rooms.ts";

const source = readFiles("src").filter(({ name }) => !isTest(name));

describe("import directions", () => {
  it("hold in the whole tree", () => {
    expect(source.length).toBeGreaterThan(300);
    expect(findTrespasses(source)).toEqual([]);
  });

  it.each([
    ["src/base/a.ts", 'export * from "../bcs/errors.ts";'],
    ["src/interface/a.ts", 'import type { A } from "../base/errors.ts";'],
    ["src/ledger/a.ts", 'import {\n  a,\n  b,\n} from "../store/errors.ts";'],
    ["src/ledger/watch/a.ts", 'import { a } from "../../proof/errors.ts";'],
    ["src/store/a.ts", 'const a = await import("../sync/pruner.ts");'],
    ["src/chain/a.ts", 'import "../sync/pruner.ts";'],
    ["src/http/operations/a.ts", 'import { open } from "lmdb";'],
    ["src/store/lmdb/a.ts", 'import { Client } from "cassandra-driver";'],
    ["src/cli/a.ts", 'import { a } from "../node/options.ts";'],
    ["src/node/a.ts", 'import { a } from "../cli/main.ts";'],
  ])("refuse %s with %s", (name, text) => {
    expect(findTrespasses([describeFile(name, text)])).toHaveLength(1);
  });

  it("find a circle of files, of types too", () => {
    const files = [
      describeFile("src/base/a.ts", 'import { b } from "./b.ts";\n'),
      describeFile("src/base/b.ts", 'import type { C } from "./c.ts";\n'),
      describeFile("src/base/c.ts", 'export * from "./a.ts";\n'),
      describeFile("src/base/d.ts", 'import { a } from "./a.ts";\n'),
    ];
    expect(findCircles(files)).toEqual([["src/base/a.ts", "src/base/b.ts", "src/base/c.ts"]]);
  });

  it("leave one door for writing into a store", () => {
    const door = "src/sync/store-writer.ts";
    const writers = source.filter(({ imports }) => imports.includes(door)).map(({ name }) => name);
    // Those that hand changes to the door; the others only name its types.
    expect(writers.filter((name) => name.startsWith("src/sync/")).sort()).toEqual([
      "src/sync/committer.ts",
      "src/sync/fork/begin.ts",
      "src/sync/index-builder.ts",
      "src/sync/lazy/base-filler.ts",
      "src/sync/maintenance/kept-accumulator.ts",
      "src/sync/maintenance/pruner.ts",
      "src/sync/maintenance/rewind.ts",
      "src/sync/proofs/proof-history.ts",
      "src/sync/signatures/signed-rows.ts",
    ]);
    const writing = /(?<!riter)\.(writeSide|preload|prune|rewind|commit)\(/;
    const others = source.filter(({ name }) => !name.startsWith("src/store/") && name !== door);
    const found = others.filter(({ name }) => writing.test(readFileSync(name, "utf8")));
    expect(found.map(({ name }) => name)).toEqual([]);
    expect(writing.test(readFileSync(door, "utf8"))).toBe(true);
  });

  it("are described for every room", () => {
    const text = readFileSync(new URL("../ARCHITECTURE.md", import.meta.url), "utf8");
    const missing = Object.keys(MAY_IMPORT).filter(
      (room) => !new RegExp(`^\\| \`${room}\\b`, "m").test(text),
    );
    expect(missing.filter((room) => room !== "node" && room !== "verify")).toEqual([]);
  });
});
