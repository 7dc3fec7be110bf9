// A process that verifies pages for a follower: it reads the state tree of the follower's store and writes nothing. It
// exits when the channel closes.
import { errorText } from "../../base/errors.ts";
import { SOFTWARE_VERSION } from "../../base/software-version.ts";
import { openLmdbStore } from "../../store/lmdb/store.ts";
import { loadPosition } from "../../sync/reading.ts";
import { PageVerifier } from "../../sync/verify/page-verifier.ts";
import type { StartOrder, VerifyingOrder, VerifyingReport } from "./verifying-messages.ts";

let verifier: PageVerifier | undefined;
/** Orders are worked on one after the other. */
let work: Promise<void> = Promise.resolve();

function report(message: VerifyingReport): void {
  // A follower that is gone wants no report.
  process.send?.(message, undefined, undefined, () => {});
}

async function start({ software, path, version, verification }: StartOrder): Promise<void> {
  if (software !== SOFTWARE_VERSION) {
    throw new Error(`the node is version ${software}, this process ${SOFTWARE_VERSION}`);
  }
  // The node has checked the pages.
  const store = await openLmdbStore({ path, readOnly: true, checksPages: false });
  const position = await loadPosition(store);
  if (position?.version !== version) throw new Error(`expected a store at version ${version}`);
  verifier = new PageVerifier(store, position, verification);
  report({ kind: "ready" });
}

async function verify(page: Uint8Array): Promise<void> {
  if (verifier === undefined) throw new Error("a page came before the start");
  report({ kind: "verdict", verdict: await verifier.verify(page) });
}

/** Later orders are not worked on after a failure: the follower has ended this process by then, or is about to. */
function queue(step: () => Promise<void>): void {
  work = work.then(step);
  work.catch((error: unknown) => report({ kind: "failed", reason: errorText(error) }));
}

process.on("message", (order: VerifyingOrder) => {
  switch (order.kind) {
    case "start":
      queue(() => start(order));
      return;
    case "page":
      queue(() => verify(order.page));
      return;
    case "committed":
      verifier?.committed(order.version);
  }
});
// The follower is gone, or needs no more verdicts. The next write clears the slot of a reader that has ended.
process.on("disconnect", () => process.exit(0));
// A terminal or a service manager signals every process; the follower tells this one when to end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
