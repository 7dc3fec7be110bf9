// Reads of a ledger that started in the middle while its items are written, deleted, written again and pruned.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, it } from "vitest";
import type { Store } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { baseStep, runBaseProgram } from "../support/base-run.ts";
import { RUNS } from "../support/property.ts";

async function onMemory(program: Uint8Array): Promise<void> {
  await runBaseProgram(createMemoryStore(), program);
}

async function onLmdb(program: Uint8Array): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), "sextant-base-"));
  let store: Store | undefined;
  try {
    store = await openLmdbStore({ path });
    await runBaseProgram(store, program);
  } finally {
    await store?.close();
    await rm(path, { recursive: true });
  }
}

/** Key 0 is read at the base, deleted, created, deleted again; the first deletion is pruned. */
const DELETED_TWICE = Uint8Array.from([
  baseStep("endBlock"),
  baseStep("readAll"),
  baseStep("delete"),
  baseStep("endBlock"),
  baseStep("endBlock"),
  baseStep("write"),
  baseStep("endBlock"),
  baseStep("delete"),
  baseStep("endBlock"),
  baseStep("prune", 2),
  baseStep("readAll"),
]);

/** Mostly changes of two keys, one per block: rare among random bytes. */
const anyChange = fc
  .tuple(fc.constantFrom("write" as const, "delete" as const), fc.nat(1), fc.nat(7))
  .map(([name, key, end]) => [baseStep(name, key), baseStep(end === 0 ? "endVersion" : "endBlock", end)]);
const anyProgram = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: anyChange },
      { weight: 1, arbitrary: fc.nat(255).map((byte) => [byte]) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom("prune" as const, "readAll" as const), fc.nat(31))
          .map(([name, argument]) => [baseStep(name, argument)]),
      },
    ),
    { maxLength: 40 },
  )
  .chain((steps) => fc.tuple(fc.constant(steps.flat()), fc.boolean(), fc.nat(31)))
  .map(([steps, isReadFirst, floor]) =>
    // Items that are read before they are written are kept as base rows.
    Uint8Array.from([
      ...(isReadFirst ? [baseStep("endBlock"), baseStep("readAll")] : []),
      ...[...steps, baseStep("endBlock"), baseStep("prune", floor)],
    ]),
  );

describe.each([
  { engine: "memory", run: onMemory, runs: 12 * RUNS },
  { engine: "lmdb", run: onLmdb, runs: Math.ceil(RUNS / 2) },
])("a ledger that started in the middle, on $engine", ({ run, runs }) => {
  it("keeps an item deleted that was deleted, created and deleted again, at every kept version", async () => {
    await run(DELETED_TWICE);
  });

  it("keeps an item deleted whose deletions come in one commit", async () => {
    await run(
      Uint8Array.from([
        ...[baseStep("endBlock"), baseStep("readAll"), baseStep("delete"), baseStep("endBlock", 1)],
        ...[baseStep("endBlock", 1), baseStep("write"), baseStep("endBlock", 1)],
        ...[baseStep("delete"), baseStep("endBlock"), baseStep("prune", 2), baseStep("readAll")],
      ]),
    );
  });

  it("gives the same as a plain model for every read at every kept version, through random writes and prunings", async () => {
    await fc.assert(fc.asyncProperty(anyProgram, run), { numRuns: runs });
  });
});
