import { expect, it } from "vitest";
import { mapSome } from "./map-some.ts";

it("keeps the order and never has more in work than allowed", async () => {
  let inWork = 0;
  let most = 0;
  const results = await mapSome([5, 1, 4, 2, 3], 2, async (item, index) => {
    most = Math.max(most, ++inWork);
    for (let i = 0; i < item; i++) await Promise.resolve();
    inWork--;
    return `${index}:${item}`;
  });
  expect(results).toEqual(["0:5", "1:1", "2:4", "3:2", "4:3"]);
  expect(most).toBe(2);
  expect(await mapSome([], 2, () => 1)).toEqual([]);
});

it("begins nothing after a rejection", async () => {
  const begun: number[] = [];
  const work = mapSome([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    await Promise.resolve();
    if (item === 2) throw new Error("two");
  });
  await expect(work).rejects.toThrow("two");
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun.length).toBeLessThan(5);
});
