import { expect, it } from "vitest";
import { nextTurn } from "./turns.ts";

it("lets one work on in each turn of the event loop, and others in between", async () => {
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn++;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  const work = async (): Promise<void> => {
    for (let piece = 0; piece < 5; piece++) {
      await nextTurn();
      turns.push(turn);
    }
  };
  await Promise.all([work(), work(), work()]);
  isCounting = false;
  expect(turns).toHaveLength(15);
  expect(new Set(turns).size).toBe(15);
});
