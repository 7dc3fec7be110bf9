import { describe, expect, it } from "vitest";
import { createState } from "../../../test/support/state-service.ts";
import { toHex } from "../../base/hex.ts";
import { StateList } from "./state-snapshot.ts";

describe("a list of a state", () => {
  it.each([0, 1, 2, 17, 256, 257, 900])(
    "gives %i items in the order of their hashes, from any on",
    async (count) => {
      const { items, root, reader } = await createState(count);
      const sorted = items.map(({ keyHash }) => toHex(keyHash)).sort();
      const list = await StateList.count(root, reader);
      expect(list.count).toBe(count);
      for (const start of [0, 1, 16, 255, 256, 257, 511, 899, 900, 2000]) {
        const found: string[] = [];
        for await (const keyHash of list.from(start, reader)) found.push(toHex(keyHash));
        expect(found).toEqual(sorted.slice(start));
      }
    },
  );

  it("refuses a node of another tree", async () => {
    const { root } = await createState(40);
    const other = await createState(41);
    await expect(StateList.count(root, other.reader)).rejects.toThrow("another version");
  });
});
