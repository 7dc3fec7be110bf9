// A process that verifies pages for a follower: it reads the state tree of the follower's store and writes nothing. It
// exits when the channel closes.
import { SOFTWARE_VERSION } from "../../base/software-version.ts";
import { openLmdbStore } from "../../store/lmdb/store.ts";
import { loadPosition } from "../../sync/reading.ts";
import { RemotePageVerifier } from "../../sync/verify/remote-page-verifier.ts";
import { RemoteCalls } from "../workers/remote-calls.ts";
import type { StartOrder, VerifyingFunctions } from "./verifying-process.ts";

let verifier: RemotePageVerifier | undefined;
/** Calls are worked on one after the other, and none after one that failed. */
let work: Promise<unknown> = Promise.resolve();

function inTurn<T>(step: () => Promise<T>): Promise<T> {
  const done = work.then(step);
  work = done;
  return done;
}

async function start({ software, path, version, verification }: StartOrder): Promise<void> {
  if (software !== SOFTWARE_VERSION) {
    throw new Error(`the node is version ${software}, this process ${SOFTWARE_VERSION}`);
  }
  // The node has checked the pages.
  const store = await openLmdbStore({ path, readOnly: true, checksPages: false });
  const position = await loadPosition(store);
  if (position?.version !== version) throw new Error(`expected a store at version ${version}`);
  verifier = new RemotePageVerifier(store, position, verification);
}

async function verify(page: Uint8Array): Promise<Uint8Array> {
  if (verifier === undefined) throw new Error("a page came before the start");
  return verifier.verify(page);
}

const own: VerifyingFunctions = {
  start: (order) => inTurn(() => start(order)),
  verify: (page) => inTurn(() => verify(page)),
  committed: (version) => verifier?.committed(version),
};
// A follower that is gone wants no reply.
const follower = new RemoteCalls((message) => process.send?.(message, undefined, undefined, () => {}), own);

process.on("message", follower.take);
// The follower is gone, or needs no more verdicts. The next write clears the slot of a reader that has ended.
process.on("disconnect", () => process.exit(0));
// A terminal or a service manager signals every process; the follower tells this one when to end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
