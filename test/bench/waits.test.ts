import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { inTime, nextMessage, waitUntil } from "../../bench/waits.ts";

const never = new Promise<never>(() => {});

it("a wait that never comes true ends, and names what it waited for", async () => {
  const message = "waited 0.01 s for the tide, in vain";
  await expect(inTime("the tide", never, 10)).rejects.toThrow(message);
  await expect(waitUntil("the tide", async () => false, { ms: 10, everyMs: 1 })).rejects.toThrow(message);
  await expect(waitUntil("the tide", () => never, { ms: 10 })).rejects.toThrow(message);
  await expect(nextMessage(new EventEmitter(), "a reader", 10)).rejects.toThrow(
    "waited 0.01 s for a message of a reader, in vain",
  );
});

it("a wait that comes true gives its result, and one that fails its error", async () => {
  expect(await inTime("a number", Promise.resolve(7))).toBe(7);
  await expect(inTime("a number", Promise.reject(new Error("none")))).rejects.toThrow("none");
  let looks = 0;
  await waitUntil("the third look", async () => ++looks === 3, { everyMs: 1 });
  expect(looks).toBe(3);
});

it("a message of a process is taken once, and its exit is an error", async () => {
  const child = new EventEmitter();
  const first = nextMessage(child, "a reader");
  child.emit("message", { rate: 1 });
  child.emit("message", { rate: 2 });
  expect(await first).toEqual({ rate: 1 });
  const second = nextMessage(child, "a reader");
  child.emit("exit", 3);
  await expect(second).rejects.toThrow("a reader ended with 3");
  expect(child.eventNames()).toEqual([]);
});
