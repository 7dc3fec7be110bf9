import { describeStoreContract } from "../../../test/store/contract.ts";
import { RUNS } from "../../../test/support/property.ts";
import { createMemoryStore } from "./store.ts";

describeStoreContract("memory", {
  open: async () => createMemoryStore(),
  dispose: async () => {},
  runs: Math.max(60, Math.ceil(RUNS / 10)),
});
