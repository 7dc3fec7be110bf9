import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestThread } from "./thread.ts";

describe("the thread for large submissions", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("leaves no timer behind when nothing was asked of it", async () => {
    await new RequestThread().close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes nothing any more when it is closed", async () => {
    const thread = new RequestThread();
    await thread.close();
    const task = { kind: "encode", body: new Uint8Array(), chainId: 4, timestampUsec: 0n } as const;
    expect(() => thread.run(task, async () => undefined)).toThrow("the node is closing");
  });
});
