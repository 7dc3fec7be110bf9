import { it } from "vitest";
import { describeCluster } from "../support/cassandra.ts";
import { tryKeptVersions } from "../support/kept-versions.ts";
import { RUNS } from "../support/property.ts";
import { tryProvenVersions } from "../support/proven-versions.ts";

describeCluster("a pruned and rewound ledger", (cluster) => {
  it("proves every item and absence at every kept block end", () =>
    tryKeptVersions(() => cluster.openWriter({ splitRows: 5 }), 2));

  // SEXTANT_RUNS=4000 proves 200 at each block end.
  it("proves items and absences in whole bundles, if it is of a local chain", async () =>
    tryProvenVersions(await cluster.openWriter(), Math.ceil(RUNS / 20)));
});
