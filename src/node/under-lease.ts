// The writer's lease for commands that write to a store without being a node.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../base/log.ts";
import { StoreError } from "../store/errors.ts";
import type { OpenedStore } from "./store-engine.ts";
import { WriterElection } from "./writer-election.ts";

const LOOK_MS = 100;

/** Runs the work while this process holds a store's lease; aborts it when the lease is lost. */
export async function underLease<T>(
  { lease }: OpenedStore,
  { logger, signal }: { readonly logger: Logger; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const ended = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
  if (lease === undefined) return work(ended);
  const election = new WriterElection({
    lease,
    begin: async () => {},
    end: async () => lost.abort(new StoreError("locked", "another process took over writing the store")),
    onFault: (error) => lost.abort(error),
    logger,
  });
  await election.start();
  try {
    if (!(await becomesWriter(election, lease.ttlMs, ended))) {
      throw new StoreError("locked", "another process writes the store");
    }
    return await work(ended);
  } finally {
    await election.stop();
  }
}

/** Waits to become the writer, long enough for the lease of a crashed writer to expire. */
async function becomesWriter(election: WriterElection, ttlMs: number, signal: AbortSignal): Promise<boolean> {
  const untilMs = performance.now() + 2 * ttlMs;
  while (election.role !== "writer" && performance.now() < untilMs) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return election.role === "writer";
}
