// A rewind and other blocks between any two reads of a process that writes, or of one that only looks at the store: a
// watcher is told every block of one history, and that it lost its place when that history is undone.
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { HeadWatch } from "../../src/ledger/watch/head-watch.ts";
import { watchChanges } from "../../src/ledger/watch/watch-changes.ts";
import { watchedBlocks } from "../../src/ledger/watch/watched-blocks.ts";
import { EventReader } from "../support/event-client.ts";
import { ForkedHistories } from "../support/forked-histories.ts";
import { startServer } from "../support/http-server.ts";
import { until } from "../support/until.ts";

/** More than one piece of a catch-up. */
const BLOCKS = 70;
/** Before each of the first views of a watcher; later ones are looks like those before them. */
const PLACES = Array.from({ length: 8 }, (_, i) => i + 1);
/** HTTP adds the resuming, which is the same after every view. */
const HTTP_PLACES = [1, 2, 5];

const ledger = await new ForkedHistories().start();
await ledger.grow(BLOCKS);

/** What a watcher saw: ids of blocks, and undefined where it was told that its place is lost. */
function assertTold(told: readonly (string | undefined)[], isLossTold: boolean): void {
  for (const [i, id] of told.entries()) {
    const last = told[i - 1];
    if (id === undefined || last === undefined || ledger.before.get(id) === last) continue;
    // Nothing but a rewind makes a watcher lose its place.
    expect([isLossTold, last, id, ledger.isBefore(last, id)]).toEqual([false, last, id, false]);
  }
}

/** The ledger goes back and on before a view of the watcher, and then grows, while the watcher waits. */
async function disturb(watch: HeadWatch, isTold: boolean, at: number, isThere: () => boolean): Promise<void> {
  const grow = async (blocks: number): Promise<void> => {
    for (let i = 0; i < blocks; i++) {
      const [previous, version] = await ledger.grow(1);
      if (isTold) watch.committed({ previous, version, writes: undefined });
    }
  };
  // One writer.
  let turn = Promise.resolve();
  const write = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work);
    return turn;
  };
  let isDone = false;
  ledger.injectAt(at, () =>
    write(async () => {
      const to = await ledger.goBack(9);
      if (isTold) watch.wentBack(to);
      await grow(10);
      isDone = true;
    }),
  );
  // Looks at the store go on while there is a watcher; a process that writes looks only after a commit.
  for (let i = 0; i < PLACES.length && isTold && !isDone; i++) {
    await write(() => grow(1));
    await until(() => isDone || isThere());
  }
  await until(() => isDone);
  await grow(1);
  await until(isThere);
}

describe.each([
  ["now", "looks", undefined],
  ["now", "writes", undefined],
  ["a version of long ago", "looks", 0n],
  ["a version of long ago", "writes", 0n],
] as const)("watchers from %s on, in a process that %s", (_, process, after) => {
  const isTold = process === "writes";
  beforeEach(() => ledger.goBack(ledger.height - BLOCKS));

  it.each(PLACES)("in the process, with a rewind before view %i", async (at) => {
    const watch = new HeadWatch({ ledger, isTold: () => isTold });
    const stop = new AbortController();
    onTestFinished(() => {
      stop.abort();
      watch.close();
    });
    const point = after === undefined ? undefined : { version: after, mark: undefined };
    const told: string[] = [];
    const disturbed = disturb(watch, isTold, at, () => told.at(-1) === ledger.headId);
    void (async () => {
      const start = { after: point, signal: stop.signal };
      for await (const { id } of watchChanges(ledger, watch, watchedBlocks, start)) told.push(id);
    })();
    await disturbed;
    assertTold(told, false);
  });

  it.each(HTTP_PLACES)("over HTTP, with a rewind before view %i", async (at) => {
    const watch = new HeadWatch({ ledger, isTold: () => isTold });
    const server = await startServer({ ledger, headWatch: watch, streamHeartbeatMs: 64 });
    const told: (string | undefined)[] = [];
    let isOver = false;
    let reader: EventReader | undefined;
    let lastId: string | undefined;
    onTestFinished(() => {
      isOver = true;
      reader?.close();
      watch.close();
    });
    const disturbed = disturb(watch, isTold, at, () => lastId === ledger.headId && told.at(-1) === lastId);
    void (async () => {
      const query = after === undefined ? "" : `?after=${after}`;
      while (!isOver) {
        const headers = lastId === undefined ? {} : { "last-event-id": lastId };
        const open = await EventReader.open(`${server.url}/v1/blocks/stream${query}`, headers);
        reader = open;
        let read = 0;
        await until(() => {
          for (const { event, id } of open.blocks.slice(read)) {
            if (event === "gap") told.push(undefined);
            if (event === "block") told.push(id);
            // A heartbeat's id too: a client resumes behind it.
            if (id !== undefined && told.at(-1) !== id) told.push(id);
            lastId = id ?? lastId;
            read++;
          }
          return open.isOver || isOver;
        });
      }
    })();
    await disturbed;
    assertTold(told, true);
  });
});
