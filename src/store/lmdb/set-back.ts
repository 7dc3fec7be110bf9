// Whether another process set the head back, see transaction-number.ts, since the last commit: what the writer read
// meanwhile may be of an older head. Store and thread share the flag. It is raised inside the transaction that sets the
// head right, so no commit can slip in between.
import { StoreError } from "../errors.ts";

/** One number: 1 after the head was set back. */
export type SetBackFlag = Int32Array;

export function createSetBackFlag(): SetBackFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function noteSetBack(flag: SetBackFlag): void {
  Atomics.store(flag, 0, 1);
}

/** Refuses a write once. Call inside its transaction. */
export function assertNotSetBack(flag: SetBackFlag, path: string): void {
  if (Atomics.exchange(flag, 0, 0) === 0) return;
  throw new StoreError(
    "unwritable",
    `another process opened the store at ${path} and set its head back; nothing of this write was kept`,
  );
}
