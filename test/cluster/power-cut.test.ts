// A power cut on a small installation: a Cassandra node of this test's own, a writer, a standby and two readers are killed
// at once, and come back although every process starts before the node. scripts/cassandra-power-cut.ts does the same
// with three nodes and in random orders.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { answers } from "../support/cassandra.ts";
import { Installation } from "../support/power-cut.ts";
import { createRandom } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";

const libraries =
  process.env.CASSANDRA_LIB_DIR ??
  fileURLToPath(new URL("../../.cache/cassandra/lib-5.0.4", import.meta.url));
/** It needs Cassandra itself to start a node, and runs with the other tests of a cluster only. */
const isWanted = existsSync(join(libraries, "complete")) && (await answers("127.0.0.1"));
const home = temporaryFolder();

it("a power cut loses nothing, and nobody has to help", async (context) => {
  if (!isWanted) context.skip("no Cassandra answers on 127.0.0.1 (scripts/cassandra.sh up starts one)");
  const installation = await Installation.plan({
    net: "127.0.41",
    nodes: 1,
    home,
    libraries,
    leaseMs: 4000,
    keyspace: "power",
    random: createRandom(1),
    log: () => {},
  });
  try {
    // The first start, too: there is no keyspace, and two processes create it at once.
    await installation.start({ isFirst: true, processesFirst: true, maxPauseMs: 200 });
    expect(await installation.cutPower()).toBeGreaterThan(0n);
    await installation.start({ processesFirst: true, maxPauseMs: 200 });
    expect(await installation.compare(30)).toBe(120);
  } finally {
    await installation.remove();
  }
});
