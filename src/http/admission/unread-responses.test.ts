import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { UnreadResponses } from "./unread-responses.ts";

/** A connection whose client takes nothing. */
function stuckConnection(): Duplex {
  const socket = new Duplex({ read() {}, write() {} });
  // As every connection of a server has it: a response that is cut off ends with an error.
  socket.on("error", () => {});
  socket.write("waiting");
  return socket;
}

it("ends a connection that has had bytes waiting for too long, but not one that took all of a piece meanwhile", () => {
  const unread = new UnreadResponses({ budgetBytes: 2 ** 20, answerTimeoutMs: 100 });
  const [stuck, reading] = [stuckConnection(), stuckConnection()];
  unread.watch(stuck);
  unread.watch(reading);
  unread.sweep(1);
  unread.sweep(90);
  unread.noteTaken(reading);
  unread.sweep(95);
  expect(unread.sweep(150)).toBe(1);
  expect([stuck.destroyed, reading.destroyed]).toEqual([true, false]);
  unread.sweep(196);
  expect(reading.destroyed).toBe(true);
});
