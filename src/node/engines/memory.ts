// The ledger in memory: it ends with the process.
import { createMemoryStore } from "../../store/memory/store.ts";
import type { StoreEngine } from "../store-engine.ts";

export const memoryEngine: StoreEngine<object> = {
  table: { flags: {}, numbers: {}, others: {} },
  assertOptions: () => {},
  open: async () => ({ store: createMemoryStore(), lease: undefined }),
  isShared: false,
  hasDriver: false,
  baseIndexRows: undefined,
};
