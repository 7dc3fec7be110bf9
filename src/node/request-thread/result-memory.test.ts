import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, it } from "vitest";
import { takeTurn } from "../../base/wait.ts";
import { giveBack } from "../../http/transport/lent-bytes.ts";
import { NO_MEMORY, ResultMemory } from "./result-memory.ts";

const MIB = 1 << 20;

describe("the memory of printed results", () => {
  let memory: ResultMemory;
  beforeEach(() => {
    memory = new ResultMemory();
    memory.isOpen = true;
  });

  it("is used again once a result is sent, and not before", () => {
    const shared = new SharedArrayBuffer(100);
    const result = memory.lend(shared, 60);
    expect(result.length).toBe(60);
    expect(memory.take()).toBe(NO_MEMORY);
    giveBack(result);
    giveBack(result);
    expect(memory.take()).toBe(shared);
    expect(memory.take()).toBe(NO_MEMORY);
  });

  it("is not kept when no result is expected", () => {
    const [sent, unsent] = [
      memory.lend(new SharedArrayBuffer(1), 1),
      memory.lend(new SharedArrayBuffer(1), 1),
    ];
    giveBack(sent);
    memory.close();
    giveBack(unsent);
    expect(memory.take()).toBe(NO_MEMORY);
  });

  it("is bounded: what never came back counts until the collector takes it", async () => {
    for (let count = 0; count < 4; count++) {
      expect(memory.hasRoom).toBe(true);
      memory.lend(new SharedArrayBuffer(16 * MIB), 1);
    }
    expect(memory.hasRoom).toBe(false);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    while (!memory.hasRoom) {
      collect();
      await takeTurn();
    }
  });

  it("counts once, however often it is used", () => {
    const shared = new SharedArrayBuffer(40 * MIB);
    for (let count = 0; count < 3; count++) giveBack(memory.lend(shared, 1));
    expect(memory.hasRoom).toBe(true);
  });
});
