// Power cuts of an installation of three Cassandra nodes, a writer, a standby and two readers: all of them are killed at
// once, in the middle of their work, and start in random orders with random pauses. Exits 1 if a process exits or is not
// ready again, says more than once that it waits, or if a version that a client saw is lost or changed.
//   npx tsx scripts/cassandra-power-cut.ts [--rounds 3] [--seed N] [--nodes 1|3]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Installation } from "../test/support/power-cut.ts";
import { createRandom } from "../test/support/synthetic-ledger.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    nodes: { type: "string", default: "3" },
  },
});
const LEASE_MS = 10_000;
/** Longest pause between two starts: a node takes longer than this to serve. */
const MAX_PAUSE_MS = 5000;
const COMPARED = 60;

const random = createRandom(Number(values.seed));
const home = mkdtempSync(join(tmpdir(), "power-cut-"));
const startedMs = performance.now();
const log = (line: string): void =>
  console.log(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(4)} s  ${line}`);
const installation = await Installation.plan({
  net: "127.0.42",
  nodes: values.nodes === "1" ? 1 : 3,
  home,
  libraries:
    process.env.CASSANDRA_LIB_DIR ?? fileURLToPath(new URL("../.cache/cassandra/lib-5.0.4", import.meta.url)),
  leaseMs: LEASE_MS,
  keyspace: "power",
  random,
  log,
});
try {
  await installation.start({ isFirst: true, maxPauseMs: MAX_PAUSE_MS });
  log("the first start: all serve");
  for (let round = 1; round <= Number(values.rounds); round++) {
    await sleep(random() % 5000);
    const seen = await installation.cutPower();
    log(`power cut ${round}: a client saw version ${seen}`);
    // Every other time no node is there before the last process.
    await installation.start({ processesFirst: round % 2 === 0, maxPauseMs: MAX_PAUSE_MS });
    log(`all serve again; ${await installation.compare(COMPARED)} answers compared`);
  }
} catch (error) {
  log(`FAILED ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await installation.remove();
  rmSync(home, { recursive: true, force: true });
}
process.exit();
