import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStoreContract } from "../../../test/store/contract.ts";
import { RUNS } from "../../../test/support/property.ts";
import type { Store } from "../contract.ts";
import { openLmdbStore } from "./store.ts";

const paths = new Map<Store, string>();

describeStoreContract("lmdb", {
  open: async () => {
    const path = await mkdtemp(join(tmpdir(), "sextant-store-"));
    const store = await openLmdbStore({ path });
    paths.set(store, path);
    return store;
  },
  dispose: async (store) => {
    await rm(paths.get(store) ?? "", { recursive: true });
    paths.delete(store);
  },
  runs: Math.max(20, Math.ceil(RUNS / 40)),
});
