import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LedgerView } from "../../ledger/view.ts";
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
    expect(() => thread.run("encode", new Uint8Array(), Object.create(null) as LedgerView)).toThrow(
      "the node is closing",
    );
  });
});
