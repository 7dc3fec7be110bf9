// A program for tests: commits a small chain, raises its trust by one waypoint after the other, and kills itself with
// SIGKILL before, during or after its n-th write. Arguments: path of the store, n, "before", "during" or "after". Prints
// a line after each raise. It starts when its input has data or ends.
import { silentLogger } from "../../src/base/log.ts";
import type { Store } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { loadPosition } from "../../src/sync/reading.ts";
import { loadMatchedWaypoints } from "../../src/sync/waypoints.ts";
import { buildRaisedChain } from "./small-chain.ts";

const [path = "", count = "1", moment = "after"] = process.argv.slice(2);
const WRITES: readonly PropertyKey[] = ["commit", "writeSide"];
let writes = 0;

function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

/** The store, which ends the process at one of its writes. */
function deadly(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (!WRITES.includes(name)) return value.bind(target);
      return async (...args: unknown[]) => {
        const isLast = ++writes === Number(count);
        if (isLast && moment === "before") return die();
        const written: Promise<void> = value.apply(target, args);
        if (isLast && moment === "during") return die();
        await written;
        if (isLast) await die();
      };
    },
  });
}

const chain = await buildRaisedChain();

for await (const _ of process.stdin) break;
const store = deadly(await openLmdbStore({ path }));
const committer = new Committer({ store, logger: silentLogger });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
for (const [height, end] of chain.ends.entries()) {
  const next = (await loadPosition(store))?.version ?? -1n;
  if (next < end) {
    await committer.append(chain.records.slice(Number(next) + 1, Number(end) + 1));
  }
  const waypoint = chain.waypoints[height];
  const isMatched = (await loadMatchedWaypoints(store)).some(({ version }) => version === end);
  if (waypoint === undefined || isMatched) continue;
  await committer.noteMatchedWaypoint(waypoint);
  say(`raise ${end}`);
}
