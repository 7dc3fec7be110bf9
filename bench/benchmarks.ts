// The benchmarks with the names of their rows, so that a row can be asked for before it is measured.
import { benchmarkBatch } from "./batch.ts";
import { benchmarkCassandra } from "./cassandra.ts";
import { benchmarkCheck } from "./check.ts";
import { benchmarkChecksums } from "./checksums.ts";
import { benchmarkEncode } from "./encode.ts";
import { benchmarkFollow } from "./follow.ts";
import { benchmarkGenesis } from "./genesis.ts";
import { benchmarkGrowth } from "./growth.ts";
import { benchmarkHere, HERE_ROWS } from "./here.ts";
import { benchmarkHistory } from "./history.ts";
import { benchmarkHttp } from "./http.ts";
import { benchmarkLanes } from "./lanes.ts";
import { benchmarkLatency } from "./latency.ts";
import { benchmarkLoop } from "./loop.ts";
import { benchmarkMainnet, MAINNET_ROWS } from "./mainnet/benchmark.ts";
import { benchmarkMemory } from "./memory.ts";
import { benchmarkPeers } from "./peers.ts";
import { benchmarkProofs } from "./proofs.ts";
import { benchmarkReads } from "./reads.ts";
import { benchmarkReplication } from "./replication.ts";
import { benchmarkReplicationCores } from "./replication-cores.ts";
import type { Listed } from "./selection.ts";
import { benchmarkStart } from "./start.ts";
import { benchmarkStore } from "./store.ts";
import { benchmarkStreams, FILTERED_ROW, RANGE_ROW } from "./streams.ts";
import { benchmarkVirtualMachine } from "./virtual-machine.ts";
import { benchmarkWorkers } from "./workers.ts";

/** The benchmarks of the program, in the order in which they run: where time is short, the last are left out. */
export const BENCHMARKS: Readonly<Record<string, Listed>> = {
  start: {
    run: benchmarkStart,
    seconds: 19,
    rows: [
      "sextant --help over node -e 0, CPU time",
      "import, create a node and make one block, over node -e 0, CPU time",
      "start to the first 200, 10,000,000 items, over one second",
      "start to the first 200, 10,000,000 items over 10,000",
    ],
  },
  http: {
    run: benchmarkHttp,
    seconds: 88,
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
  growth: {
    run: benchmarkGrowth,
    seconds: 70,
    rows: [
      "balance of any account, 10,000,000 items over 10,000 items",
      "balance, random version, 10,000,000 items over 10,000 items",
      "raw item, BCS, 10,000,000 items over 10,000 items",
      "balance, random version, a key of 1,000,000 versions over a key of 1 version",
      "all balances of an account, an index of, 1,000,000 accounts over 10,000 accounts",
    ],
  },
  loop: {
    run: benchmarkLoop,
    isByClock: true,
    seconds: 70,
    rows: [
      "longest turn of the event loop by any request, over 20 ms",
      "p99 of a client beside four that encode 1.8 MB, over its p99 alone",
      "p99 of the main thread's CPU time during a request beside four that encode 1.8 MB, over that alone",
    ],
  },
  latency: {
    run: benchmarkLatency,
    isByClock: true,
    seconds: 35,
    rows: ["p99", "CPU time of a request"].map(
      (figure) => `${figure} at half load while a block is made each second, over the bare server's`,
    ),
  },
  workers: {
    run: benchmarkWorkers,
    seconds: 27,
    rows: [
      "two workers over one, requests per second",
      "two workers over one, requests per CPU second of the busiest process",
      "memory of a worker under load, over the limit of 50 MiB",
    ],
  },
  replication: {
    run: benchmarkReplication,
    seconds: 100,
    rows: [
      "verified replication, records per second of processor time",
      "verified replication of mainnet's shape, records per second of processor time",
    ],
  },
  cores: {
    run: benchmarkReplicationCores,
    seconds: 30,
    rows: [
      "verified replication, wall time with two cores over one",
      "verified replication with two processes over one, records per CPU second of the busiest",
    ],
    isByClock: true,
  },
  follow: {
    run: benchmarkFollow,
    seconds: 40,
    rows: [
      "following a node on the same machine, over a replay from memory",
      "longest turn of the event loop while a follower catches up, over 20 ms",
    ],
  },
  mainnet: { run: benchmarkMainnet, seconds: 120, rows: MAINNET_ROWS, isByClock: true },
  check: {
    run: benchmarkCheck,
    seconds: 30,
    rows: ["check of a store, over a raw walk that hashes the same values"],
  },
  genesis: {
    run: benchmarkGenesis,
    seconds: 20,
    rows: [
      "genesis of devnet, against the file hashed once and raw puts",
      "genesis of devnet, against every hash a check needs and raw puts",
      "genesis of local chain, against the file hashed once and raw puts",
      "genesis of local chain, against every hash a check needs and raw puts",
    ],
  },
  batch: {
    run: benchmarkBatch,
    seconds: 29,
    rows: [
      "100 balances in one request over one each",
      "each of 1000 balances in one request, over each of 100",
      "100 raw items in one request over one each",
      "each of 1000 raw items in one request, over each of 100",
    ],
  },
  proofs: {
    run: benchmarkProofs,
    seconds: 90,
    rows: [
      "a change of epoch by 92 of 138 validators, over bare blst",
      "the same without native code, over ours with it",
      "a change of epoch after 1,000 others, over each of the first 10",
      "a proof of a balance over HTTP, over the balance",
      "commit of a block that can be proven later, over one that cannot",
      "disk of a ledger that can be proven, over one that cannot",
      "a proof at an old version, over one at the head",
      "1,000 proven accounts as written to .json.gz, over 0.8 MB",
      "the check of 1,000 proven accounts, over a second",
    ],
  },
  memory: {
    run: benchmarkMemory,
    seconds: 45,
    rows: [
      "memory idle, over the limit of 200 MiB",
      "memory highest in 24 s at full load, over the limit of 200 MiB",
      "memory after load, over the limit of 200 MiB",
      "memory, highest of the second half of the load over the first",
      "memory of a follower at the head, over the limit of 80 MiB",
    ],
  },
  reads: {
    run: benchmarkReads,
    seconds: 21,
    rows: [
      "account against the same accounts' balances, 32 connections",
      "resource against the same accounts' balances, 32 connections",
    ],
  },
  vm: {
    run: benchmarkVirtualMachine,
    seconds: 25,
    rows: [
      "plain instructions per CPU second, over 20 million",
      "transfers through devnet's framework per CPU second, over 400",
      "view 0x1::coin::balance of devnet's framework, over the balance",
    ],
  },
  history: {
    run: benchmarkHistory,
    seconds: 9,
    rows: ["1000 changes of a balance among 1,000,000 versions over among 1000"],
  },
  checksums: { run: benchmarkChecksums, seconds: 10, rows: ["checksums of a balance, share of serving it"] },
  store: {
    run: benchmarkStore,
    seconds: 32,
    rows: [
      "latest read, 10,000,000 items",
      "view opened for one latest read, 10,000,000 items",
      "random version of 1,000,000, over raw gets among as many rows",
      "commit rate, fresh",
      "commit rate, updates",
      "commit rate, half fresh, half updates",
      "pruning",
      "disk after 3 rounds of updates, pruned to the head",
    ],
  },
  lanes: {
    run: benchmarkLanes,
    seconds: 40,
    rows: ["balance, latest", "raw item, BCS", "encode a transfer"].flatMap((request) => [
      `${request}: with the direct lane over without`,
      `${request}: with the direct lane over Fastify 5`,
      `${request}: without the direct lane over Fastify 5`,
    ]),
  },
  peers: {
    run: benchmarkPeers,
    seconds: 35,
    rows: [
      "balance, latest, over PostgreSQL by primary key behind node:http",
      "transfer from JSON to bytes to sign, in process, over the SDK's own classes",
    ],
  },
  encode: { run: benchmarkEncode, seconds: 8, rows: ["transfer, over JSON.parse"] },
  streams: {
    run: benchmarkStreams,
    seconds: 60,
    rows: [
      ...["balances, a few of which change", "the demo accounts' balances"].flatMap((what) => [
        `processor time of a block up to its commit with 1,000 streams of ${what}, over without`,
        `processor time that 1,000 streams of ${what} take after a commit, over a block's second`,
      ]),
      FILTERED_ROW,
      RANGE_ROW,
      "memory of 10,000 idle streams, over a limit of 100 MiB",
    ],
  },
};

/** What says how fast a machine is. */
export const HERE: Readonly<Record<string, Listed>> = {
  here: { run: benchmarkHere, seconds: 100, rows: HERE_ROWS },
};

/** Benchmarks that run only with --store, because they need another program. */
export const STORES: Readonly<Record<string, Readonly<Record<string, Listed>>>> = {
  cassandra: {
    cassandra: {
      run: benchmarkCassandra,
      seconds: 300,
      rows: [
        "cluster: latest reads",
        "cluster: reads at old versions",
        "cluster: commits of 500 writes",
        "commit of a block that can be proven later, over one that cannot, in a cluster",
        "a proof at an old version, over one at the head, in a cluster",
      ],
    },
  },
};
