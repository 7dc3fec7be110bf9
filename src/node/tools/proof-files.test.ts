import { describe, expect, it } from "vitest";
import { provableText } from "./proof-files.ts";

describe("how long a version can be proven", () => {
  const usec = 1_704_067_200_000_000n;
  it.each([
    ["all", "24h", "until 2024-01-02T00:00:00.000000Z (--prune-window 24h)"],
    ["10m", "24h", "until 2024-01-01T00:10:00.000000Z (--proof-window 10m)"],
    ["all", "off", "at any time (--prune-window off)"],
    ["all", "500", "for 500 versions (--prune-window 500)"],
    ["off", "24h", undefined],
  ])("with --proof-window %s and --prune-window %s", (proof_window, prune_window, text) => {
    expect(provableText({ proof_window, prune_window }, usec)).toBe(text);
  });
});
