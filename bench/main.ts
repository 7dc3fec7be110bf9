// Runs the benchmarks and prints one table of ratios with their targets. --quick uses little data and few rounds
// and judges no target, --scale shrinks the data sets, --only selects benchmarks by name, --store cassandra runs
// those of that store alone; --json prints rows for machines, --readme the short table of the README.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { benchmarkBatch } from "./batch.ts";
import { benchmarkCassandra } from "./cassandra.ts";
import { benchmarkCheck } from "./check.ts";
import { benchmarkChecksums } from "./checksums.ts";
import { benchmarkEncode } from "./encode.ts";
import { benchmarkFollow } from "./follow.ts";
import { benchmarkGenesis } from "./genesis.ts";
import { benchmarkGrowth } from "./growth.ts";
import { type Benchmark, type BenchRow, formatReadme, formatTable, meetsTarget } from "./harness.ts";
import { benchmarkHistory } from "./history.ts";
import { benchmarkHttp } from "./http.ts";
import { benchmarkLanes } from "./lanes.ts";
import { benchmarkLatency } from "./latency.ts";
import { loadGenerator } from "./load.ts";
import { benchmarkMemory } from "./memory.ts";
import { benchmarkPeers } from "./peers.ts";
import { benchmarkProofs } from "./proofs.ts";
import { benchmarkReads } from "./reads.ts";
import { benchmarkReplication } from "./replication.ts";
import { benchmarkStart } from "./start.ts";
import { benchmarkStore } from "./store.ts";
import { benchmarkStreams } from "./streams.ts";
import { benchmarkWorkers } from "./workers.ts";

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  http: benchmarkHttp,
  reads: benchmarkReads,
  proofs: benchmarkProofs,
  batch: benchmarkBatch,
  checksums: benchmarkChecksums,
  history: benchmarkHistory,
  lanes: benchmarkLanes,
  growth: benchmarkGrowth,
  latency: benchmarkLatency,
  peers: benchmarkPeers,
  start: benchmarkStart,
  streams: benchmarkStreams,
  workers: benchmarkWorkers,
  store: benchmarkStore,
  genesis: benchmarkGenesis,
  replication: benchmarkReplication,
  follow: benchmarkFollow,
  check: benchmarkCheck,
  encode: benchmarkEncode,
  memory: benchmarkMemory,
};

/** Benchmarks that run only with --store, because they need another program. */
const STORES: Readonly<Record<string, Benchmark>> = { cassandra: benchmarkCassandra };

const QUICK_SCALE = 0.01;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    readme: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    scale: { type: "string", default: "1" },
    store: { type: "string" },
  },
});

const { only, quick, json, readme } = values;
const scale = quick ? QUICK_SCALE : Number(values.scale);
const benchmarks = values.store === undefined ? BENCHMARKS : { [values.store]: STORES[values.store] };
const unknown = (values.store === undefined ? only : [values.store])?.find(
  (name) => benchmarks[name] === undefined,
);
if (unknown !== undefined || !(scale > 0 && scale <= 1)) {
  console.error(
    unknown === undefined
      ? "--scale: expected a number above 0 and up to 1"
      : `unknown benchmark ${unknown}; expected one of ${Object.keys({ ...BENCHMARKS, ...STORES }).join(", ")}`,
  );
  process.exit(2);
}

// The benchmarks measure the built program.
const build = spawnSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "inherit", "inherit"] });
if (build.status !== 0) process.exit(1);

console.error(`load generator: ${await loadGenerator()}`);
const rows: BenchRow[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (run === undefined || (values.store === undefined && only !== undefined && !only.includes(name)))
    continue;
  const startedMs = performance.now();
  console.error(`running ${name}`);
  const found = await run({ quick, scale }).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
    return [];
  });
  console.error(`${name} took ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  // A quick run has too little data to judge a target.
  rows.push(...found.map(({ target, ...row }) => (quick || target === undefined ? row : { ...row, target })));
}

if (json) console.log(JSON.stringify(rows, null, 2));
else console.log(readme ? formatReadme(rows) : formatTable(rows));
const judged = rows.filter(({ target }) => target !== undefined);
console.error(`${judged.filter(meetsTarget).length} of ${judged.length} targets met`);
// A leftover of a driver, such as a connection attempt, must not keep the process alive.
setTimeout(() => process.exit(), 3000).unref();
