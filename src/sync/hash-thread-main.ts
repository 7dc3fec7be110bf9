// The thread that hashes pages, see hash-thread.ts.
import { parentPort } from "node:worker_threads";
import { THREAD_END, THREAD_READY } from "../base/thread.ts";
import { hashPage } from "../ledger/record-hashes.ts";

const port = parentPort;
if (port === null) throw new Error("this file runs as a thread of a node");

function hashesOf(page: Uint8Array): Uint8Array | undefined {
  try {
    return hashPage(page);
  } catch {
    // The committer decodes the page too, and names the fault.
    return undefined;
  }
}

port.on("message", (page: Uint8Array | typeof THREAD_END) => {
  if (page === THREAD_END) port.close();
  else port.postMessage(hashesOf(page));
});
port.postMessage(THREAD_READY);
