import { it } from "vitest";
import { describeCluster } from "../support/cassandra.ts";
import { tryKeptVersions } from "../support/kept-versions.ts";

describeCluster("a pruned and rewound ledger", (cluster) => {
  it("proves every item and absence at every kept block end", () =>
    tryKeptVersions(() => cluster.openWriter({ splitRows: 5 }), 2));
});
