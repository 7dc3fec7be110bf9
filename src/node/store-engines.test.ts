import { describe, expect, it } from "vitest";
import { engineOf, type StoreOptions, storeOptionsOf } from "./store-engines.ts";

describe("the store of a node", () => {
  it("is in memory, in a data directory, or the one that is named", () => {
    const store = { engine: "lmdb", path: "p" } as const;
    expect(storeOptionsOf({})).toEqual({ engine: "memory" });
    expect(storeOptionsOf({ data: "d" })).toEqual({ engine: "lmdb", path: "d" });
    expect(storeOptionsOf({ store })).toBe(store);
    expect(() => storeOptionsOf({ data: "d", store })).toThrow("expected either data or store");
  });

  it("has an engine that is known", () => {
    for (const engine of ["disk", "toString"]) {
      expect(() => engineOf({ engine } as unknown as StoreOptions)).toThrow(
        `store.engine: expected one of lmdb, memory, cassandra, got "${engine}"`,
      );
    }
  });
});
