import { expect, it } from "vitest";
import { toHex } from "../base/hex.ts";
import * as rows from "./side-rows.ts";

it("no two kinds of side rows have keys that begin alike", () => {
  const kinds = Object.values(rows).flatMap((one) => (one instanceof rows.SideRowKind ? [one] : []));
  kinds.push(...Object.values(rows.INDEX_REACH));
  const prefixes = kinds.map(({ prefix }) => toHex(prefix));
  expect(kinds.length).toBeGreaterThan(15);
  for (const [i, prefix] of prefixes.entries()) {
    const others = prefixes.filter((other, j) => j !== i && other.startsWith(prefix));
    expect([prefix, others]).toEqual([prefix, []]);
  }
  for (const kind of kinds) expect(rows.kindOfRow(kind.prefix) ?? kind).toBe(kind);
});
