// A program for tests: commits a small chain and raises its trust by one waypoint after the other, until killed. Argument:
// path of the store. Prints a line after each commit and each raise. It starts when its input has data or ends.
import { silentLogger } from "../../src/base/log.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { Committer, loadPosition } from "../../src/sync/committer.ts";
import { loadMatchedWaypoints } from "../../src/sync/matched-waypoints.ts";
import { buildRaisedChain } from "./small-chain.ts";

const [path = ""] = process.argv.slice(2);
const chain = await buildRaisedChain();

for await (const _ of process.stdin) break;
const store = await openLmdbStore({ path });
const committer = new Committer({ store, logger: silentLogger });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
for (const [height, end] of chain.ends.entries()) {
  const next = (await loadPosition(store))?.version ?? -1n;
  if (next < end) {
    await committer.append(chain.records.slice(Number(next) + 1, Number(end) + 1));
    say(`commit ${end}`);
  }
  const waypoint = chain.waypoints[height];
  const isMatched = (await loadMatchedWaypoints(store)).some(({ version }) => version === end);
  if (waypoint === undefined || isMatched) continue;
  await committer.noteMatchedWaypoint(waypoint);
  say(`raise ${end}`);
}
say("done");
