// A process that replicates the records of a file into a store, as many at a time as it is told, and says how fast it was.
import { readFileSync } from "node:fs";
import { silentLogger } from "../src/base/log.ts";
import { decodePage } from "../src/ledger/formats/record.ts";
import { lmdbEngine } from "../src/node/engines/lmdb.ts";
import { Committer } from "../src/sync/committer.ts";
import { Follower } from "../src/sync/follow/follower.ts";
import type { Upstream } from "../src/sync/upstream/upstream.ts";
import { createRecordedUpstream } from "../test/support/recorded-upstream.ts";
import type { Window } from "./replication-cores.ts";
import { treeCpuMicros } from "./servers.ts";

const [file = "", path = "", verifierFrom = "", verifierUntil = ""] = process.argv.slice(2);
const decoded = decodePage(readFileSync(file));
const records = decoded.map(({ bytes }) => Uint8Array.from(bytes));
/** Records up to the end of each block: only whole blocks are committed. */
const blockEnds = decoded.flatMap(({ info }, i) => (info.stateCheckpointHash === undefined ? [] : [i + 1]));

/** Records that may be fetched, and what waits for more of them. */
let open = 0;
const onOpen: (() => void)[] = [];

/** An upstream that has all records and serves them as far as it was told. */
function gatedUpstream(): Upstream {
  const upstream = createRecordedUpstream({ name: "recorded", chainId: 4, records });
  const getRecords = upstream.getRecords.bind(upstream);
  upstream.getRecords = async (start, limit, signal) => {
    while (Number(start) >= open) await new Promise<void>((resolve) => onOpen.push(resolve));
    return getRecords(start, Math.min(limit, open - Number(start)), signal);
  };
  return upstream;
}

const { store, startVerifier } = await lmdbEngine.open(
  { path },
  { readOnly: false, genesis: undefined, logger: silentLogger },
);
const committer = new Committer({ store, logger: silentLogger });
let committed = 0;
let onCommit = (): void => {};
const follower = new Follower({
  upstreams: [gatedUpstream()],
  committer,
  ledger: store,
  logger: silentLogger,
  startVerifier:
    startVerifier && (({ version }, signal) => startVerifier(version, committer.verification, signal)),
  pace: { verifierFromVersions: BigInt(verifierFrom), verifierUntilVersions: BigInt(verifierUntil) },
  onCommit: ({ position }) => {
    committed = Number(position.version) + 1;
    onCommit();
  },
});
void follower.faulted.then((error) => {
  throw error;
});

/** Processor time so far, of this process and of the one that verifies for it, in microseconds. */
async function cpuMicros(): Promise<{ readonly committing: number; readonly verifying: number }> {
  const { user, system } = process.cpuUsage();
  const committing = user + system;
  return { committing, verifying: (await treeCpuMicros(process.pid)) - committing };
}

async function takeWindow(count: number): Promise<Window> {
  const [first, startedMs, used] = [committed, performance.now(), await cpuMicros()];
  const until = blockEnds.findLast((end) => end <= first + count) ?? 0;
  if (until <= first) throw new Error(`no whole block in ${count} records after ${first}`);
  const reached = new Promise<void>((resolve) => {
    onCommit = () => {
      if (committed >= until) resolve();
    };
  });
  open = until;
  for (const resolve of onOpen.splice(0)) resolve();
  await reached;
  const [done, ms, after] = [committed - first, performance.now() - startedMs, await cpuMicros()];
  return {
    recordsPerSecond: (1000 * done) / ms,
    committingMicros: (after.committing - used.committing) / done,
    verifyingMicros: (after.verifying - used.verifying) / done,
  };
}

process.on("message", (count: number) => void takeWindow(count).then((window) => process.send?.(window)));
process.on("disconnect", () => process.exit(0));
