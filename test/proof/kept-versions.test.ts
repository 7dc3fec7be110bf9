// Proofs at every kept version, on every engine. test/fuzz/ tries more ledgers, test/cluster/ a real cluster.
import { describe, expect, it } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { openStoreWalk } from "../../src/store/lmdb/walk.ts";
import { checkStore } from "../../src/sync/maintenance/check/store-check.ts";
import { ENGINES } from "../support/booked-ledger.ts";
import { FakeCassandra } from "../support/fake-cassandra.ts";
import { tryKeptVersions } from "../support/kept-versions.ts";
import { RUNS } from "../support/property.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("every kept block end proves every item and absence of a pruned and rewound ledger", () => {
  it("in memory", () => tryKeptVersions(ENGINES.memory, Math.ceil(RUNS / 8)));

  it("in LMDB, where a check finds no fault", async () => {
    let path = "";
    const open = () => {
      path = temporaryFolder();
      return openLmdbStore({ path });
    };
    await tryKeptVersions(open, Math.ceil(RUNS / 20), async () => {
      const walk = await openStoreWalk(path);
      expect((await checkStore(walk)).findings).toEqual([]);
      await walk.close();
    });
  });

  it("in Cassandra", () =>
    tryKeptVersions(() => new FakeCassandra().openWriter({ splitRows: 5 }), Math.ceil(RUNS / 20)));
});
