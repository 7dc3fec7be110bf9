// The lmdb package, loaded by the first store that is opened: a ledger in memory and most commands need none.
import { loadPackage } from "../../base/load-package.ts";

export function loadLmdb(): typeof import("lmdb") {
  return loadPackage("lmdb");
}
