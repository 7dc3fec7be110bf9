// Proofs at every kept version of many random ledgers: see test/support/kept-versions.ts.
import { describe, it } from "vitest";
import { ENGINES } from "../support/booked-ledger.ts";
import { FakeCassandra } from "../support/fake-cassandra.ts";
import { tryKeptVersions } from "../support/kept-versions.ts";
import { RUNS } from "../support/property.ts";

describe("every kept block end proves every item and absence of a pruned and rewound ledger", () => {
  it("in memory", () => tryKeptVersions(ENGINES.memory, Math.ceil(RUNS / 4)));
  it("in LMDB", () => tryKeptVersions(ENGINES.lmdb, Math.ceil(RUNS / 10)));
  it("in Cassandra", () =>
    tryKeptVersions(() => new FakeCassandra().openWriter({ splitRows: 5 }), Math.ceil(RUNS / 10)));
});
