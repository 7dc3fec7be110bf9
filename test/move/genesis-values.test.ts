// Every value in the genesis state of two networks becomes JSON, and the JSON becomes the same bytes again.
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { parseJson } from "../../src/json/parse.ts";
import { formatAbiType } from "../../src/move/bytecode/abi-text.ts";
import { createValueLayout } from "../../src/move/layout.ts";
import { writeJsonValue } from "../../src/move/value-json.ts";
import { ValuePrinter } from "../../src/move/value-print.ts";
import { genesisValues } from "../support/genesis-values.ts";
import { hasShared } from "../support/shared.ts";

/** What the published files hold; a value that is passed over shows here. */
const COUNTS = {
  devnet: { resource: 99, member: 20, key: 4, item: 4, untyped: 0 },
  mainnet: { resource: 1323, key: 1, item: 1, untyped: 0 },
} as const;

describe.skipIf(!hasShared)("values in the genesis of real networks", () => {
  it.each(["devnet", "mainnet"] as const)("become JSON and the same bytes again: %s", async (network) => {
    const { values, loadModule, untyped } = await genesisValues(network);
    const counts: Record<string, number> = { untyped };
    for (const { kind, type, bytes } of values) {
      const { layout } = await createValueLayout(type, loadModule);
      const reader = new BcsReader(bytes);
      const printed = new ValuePrinter({ enums: "answers", maxCharacters: 2 ** 24 }).read(reader, layout);
      reader.finish();
      const document = parseJson(new TextEncoder().encode(JSON.stringify(printed)));
      const writer = new BcsWriter(bytes.length + 16);
      writeJsonValue(writer, layout, { document, value: document.root, path: [], takesPrinted: true });
      expect(toHex(writer.take()), formatAbiType(type)).toBe(toHex(bytes));
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    expect(counts).toEqual(COUNTS[network]);
  });
});
