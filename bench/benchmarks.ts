// The benchmarks with the names of their rows, so that a row can be asked for before it is measured.
import { benchmarkBatch } from "./batch.ts";
import { benchmarkCassandra } from "./cassandra.ts";
import { benchmarkCheck } from "./check.ts";
import { benchmarkChecksums } from "./checksums.ts";
import { benchmarkEncode } from "./encode.ts";
import { benchmarkFollow } from "./follow.ts";
import { benchmarkGenesis } from "./genesis.ts";
import { benchmarkGrowth } from "./growth.ts";
import { benchmarkHistory } from "./history.ts";
import { benchmarkHttp } from "./http.ts";
import { benchmarkLanes } from "./lanes.ts";
import { benchmarkLatency } from "./latency.ts";
import { benchmarkLoop } from "./loop.ts";
import { benchmarkMemory } from "./memory.ts";
import { benchmarkPeers } from "./peers.ts";
import { benchmarkProofs } from "./proofs.ts";
import { benchmarkReads } from "./reads.ts";
import { benchmarkReplication } from "./replication.ts";
import type { Listed } from "./selection.ts";
import { benchmarkStart } from "./start.ts";
import { benchmarkStore } from "./store.ts";
import { benchmarkStreams } from "./streams.ts";
import { benchmarkWorkers } from "./workers.ts";

/** The benchmarks of the program, in the order in which they run. */
export const BENCHMARKS: Readonly<Record<string, Listed>> = {
  http: {
    run: benchmarkHttp,
    seconds: 90,
    rows: [
      "balance, latest, 32 connections",
      "balance, latest, same thousand accounts, 32 connections",
      "balance, random version, 32 connections",
      "raw item, BCS, 32 connections",
      "raw item, JSON, 32 connections",
      "encode a transfer, 32 connections",
      "info, 32 connections",
    ],
  },
  reads: {
    run: benchmarkReads,
    seconds: 20,
    rows: [
      "account against the same accounts' balances, 32 connections",
      "resource against the same accounts' balances, 32 connections",
    ],
  },
  proofs: {
    run: benchmarkProofs,
    seconds: 60,
    rows: [
      "a change of epoch by 92 of 138 validators, over bare blst",
      "the same without native code, over ours with it",
      "1,000 epochs replayed from a waypoint, each over each of 10",
      "a proof of a balance over HTTP, over the balance",
      "commit of a block with versioned tree nodes, over without",
      "disk of a block inside the proof window, over without",
    ],
  },
  batch: {
    run: benchmarkBatch,
    seconds: 25,
    rows: [
      "100 balances in one request over one each",
      "each of 1000 balances in one request, over each of 100",
      "100 raw items in one request over one each",
      "each of 1000 raw items in one request, over each of 100",
    ],
  },
  checksums: { run: benchmarkChecksums, seconds: 12, rows: ["checksums of a balance, share of serving it"] },
  history: {
    run: benchmarkHistory,
    seconds: 10,
    rows: ["1000 changes of a balance among 1,000,000 versions over among 1000"],
  },
  lanes: {
    run: benchmarkLanes,
    seconds: 50,
    rows: ["balance, latest", "raw item, BCS", "encode a transfer"].flatMap((request) => [
      `${request}: with the direct lane over without`,
      `${request}: with the direct lane over Fastify 5`,
      `${request}: without the direct lane over Fastify 5`,
    ]),
  },
  growth: {
    run: benchmarkGrowth,
    seconds: 70,
    rows: [
      "balance, latest, 10,000,000 items over 10,000 items",
      "balance, random version, 10,000,000 items over 10,000 items",
      "raw item, BCS, 10,000,000 items over 10,000 items",
      "balance, random version, a key of 1,000,000 versions over a key of 1 version",
      "all balances of an account, an index of, 1,000,000 accounts over 10,000 accounts",
    ],
  },
  loop: {
    run: benchmarkLoop,
    seconds: 120,
    rows: [
      "longest turn of the event loop by any request, over 20 ms",
      "p99 of a client beside four that encode 1.8 MB, over its p99 alone",
    ],
  },
  latency: {
    run: benchmarkLatency,
    seconds: 70,
    rows: ["a block each second, one worker", "a block each second, no worker"].flatMap((setting) => [
      `p99 at half load, ${setting}, over the bare server's`,
      `CPU time of a request at half load, ${setting}, over the bare server's`,
    ]),
  },
  peers: {
    run: benchmarkPeers,
    seconds: 50,
    rows: [
      "balance, latest, over PostgreSQL by primary key behind node:http",
      "transfer from JSON to bytes to sign, in process, over the SDK's own classes",
    ],
  },
  start: {
    run: benchmarkStart,
    seconds: 40,
    rows: [
      "sextant --help over node -e 0, CPU time",
      "import, create a node and make one block, over node -e 0, CPU time",
      "start to the first 200, 10,000,000 items, over one second",
      "start to the first 200, 10,000,000 items over 10,000",
    ],
  },
  streams: {
    run: benchmarkStreams,
    seconds: 70,
    rows: [
      ...[
        "idle balances",
        "balances, a few of which change",
        "the demo accounts' balances",
        "the blocks",
      ].flatMap((what) => [
        `processor time of a block up to its commit with 1,000 streams of ${what}, over without`,
        `processor time that 1,000 streams of ${what} take after a commit, over a block's second`,
      ]),
      "memory of 10,000 idle streams, over a limit of 100 MiB",
    ],
  },
  workers: {
    run: benchmarkWorkers,
    seconds: 20,
    rows: [
      "two workers over one, requests per second",
      "two workers over one, requests per CPU second of each",
      "memory of a worker under load, over the limit of 50 MiB",
    ],
  },
  store: {
    run: benchmarkStore,
    seconds: 40,
    rows: [
      "latest read, 5,000,000 items",
      "random version of 1,000,000, 5,000,000 items",
      "view opened for one latest read, 5,000,000 items",
      "latest read: ratio at the large size over the small",
      "random version: ratio at the large size over the small",
      "commit rate, fresh",
      "commit rate, updates",
      "commit rate, half fresh, half updates",
      "pruning",
      "disk after 3 rounds of updates, pruned to the head",
    ],
  },
  genesis: {
    run: benchmarkGenesis,
    seconds: 30,
    rows: [
      "genesis of devnet, against the file hashed once and raw puts",
      "genesis of devnet, against every hash a check needs and raw puts",
      "genesis of local chain, against the file hashed once and raw puts",
      "genesis of local chain, against every hash a check needs and raw puts",
    ],
  },
  replication: {
    run: benchmarkReplication,
    seconds: 80,
    rows: [
      "verified replication, records per second of processor time",
      "verified replication, wall time with two cores over one",
    ],
  },
  follow: {
    run: benchmarkFollow,
    seconds: 60,
    rows: ["following a node on the same machine, over a replay from memory"],
  },
  check: {
    run: benchmarkCheck,
    seconds: 40,
    rows: ["check of a store, over a raw walk that hashes the same values"],
  },
  encode: { run: benchmarkEncode, seconds: 8, rows: ["transfer, over JSON.parse"] },
  memory: {
    run: benchmarkMemory,
    seconds: 70,
    rows: [
      "memory idle, over the limit of 200 MiB",
      "memory highest in 30 s at full load, over the limit of 200 MiB",
      "memory after load, over the limit of 200 MiB",
      "memory, highest of the second half of the load over the first",
      "memory of a follower at the head, over the limit of 80 MiB",
    ],
  },
};

/** Benchmarks that run only with --store, because they need another program. */
export const STORES: Readonly<Record<string, Readonly<Record<string, Listed>>>> = {
  cassandra: {
    cassandra: {
      run: benchmarkCassandra,
      seconds: 300,
      rows: ["cluster: latest reads", "cluster: reads at old versions", "cluster: commits of 500 writes"],
    },
  },
};
