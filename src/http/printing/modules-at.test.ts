import { describe, expect, it } from "vitest";
import type { Layout } from "../../move/layout.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { moduleStateKey, resourceStateKey } from "../../vm/state.ts";
import { KnownTypes } from "./modules-at.ts";

const OWNER = "1".padStart(64, "0");
const code = { key: moduleStateKey(OWNER, "m") };
const struct = parseStructTag("0x1::m::S");
const resource = { key: resourceStateKey(OWNER, struct, "resource") };

describe("what is known of types", () => {
  /** How often the layout of a type is built, printing versions with these writes. */
  async function built(versions: readonly (readonly [version: bigint, writes: { key: Uint8Array }[]])[]) {
    const known = new KnownTypes();
    let count = 0;
    for (const [version, writes] of versions) {
      known.moveTo(version, writes);
      await known.layouts.get("0x1::m::S", async () => {
        count++;
        return { kind: "u64" } as Layout;
      });
    }
    return count;
  }

  it.each([
    [
      "stays from version to version",
      [
        [1n, []],
        [2n, [resource]],
        [3n, []],
      ],
      1,
    ],
    [
      "stays where a version is printed in two forms",
      [
        [1n, [code]],
        [1n, [code]],
        [2n, []],
      ],
      1,
    ],
    [
      "ends where a version writes code",
      [
        [1n, []],
        [2n, [resource, code]],
        [3n, []],
      ],
      2,
    ],
    [
      "ends behind a gap",
      [
        [1n, []],
        [3n, []],
      ],
      2,
    ],
    [
      "ends where an earlier version is printed",
      [
        [2n, []],
        [1n, []],
      ],
      2,
    ],
  ] as [string, Parameters<typeof built>[0], number][])("%s", async (_, versions, count) => {
    expect(await built(versions)).toBe(count);
  });
});
