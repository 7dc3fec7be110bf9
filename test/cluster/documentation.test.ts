// The blocks of the documentation that need a cluster work as written.
import { it } from "vitest";
import { describeCluster } from "../support/cassandra.ts";
import { PAGES, readBlocks } from "../support/documentation.ts";
import { PageRun } from "../support/page-run.ts";
import { temporaryFolder } from "../support/temporary.ts";

const pages = PAGES.map((page) => ({
  page,
  blocks: readBlocks(page).filter(({ word }) => word === "cluster"),
})).filter(({ blocks }) => blocks.length > 0);

describeCluster("documentation", ({ hosts, keyspace }) => {
  it.each(pages)("works as written: $page", async ({ blocks }) => {
    const run = new PageRun(temporaryFolder(), [
      ["10.0.0.1,10.0.0.2,10.0.0.3", hosts.join(",")],
      ["/sextant", `/${keyspace}`],
    ]);
    try {
      for (const block of blocks) await run.run(block);
    } finally {
      await run.stop();
    }
  });
});
