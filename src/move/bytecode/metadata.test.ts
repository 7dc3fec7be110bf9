import { describe, expect, it } from "vitest";
import { BcsWriter } from "../../bcs/writer.ts";
import { decodeAttributes, METADATA_V1_KEY } from "./metadata.ts";

type Attribute = readonly [kind: number, ...args: string[]];
type Entry = readonly [name: string, ...attributes: Attribute[]];

function writeMap(writer: BcsWriter, entries: readonly Entry[]): void {
  writer.vector(entries, (out, [name, ...attributes]) => {
    out.text(name).vector(attributes, (attribute, [kind, ...args]) => {
      attribute.u8(kind).vector(args, (arg, text) => arg.text(text));
    });
  });
}

function metadata(parts: { structs?: readonly Entry[]; functions?: readonly Entry[]; tail?: number[] }) {
  const writer = new BcsWriter();
  writer.uleb(1).u64(256n).text("E_NAME").text("what it means");
  writeMap(writer, parts.structs ?? []);
  writeMap(writer, parts.functions ?? []);
  writer.fixed(Uint8Array.from(parts.tail ?? []));
  return new Map([[METADATA_V1_KEY, writer.take()]]);
}

describe("decodeAttributes", () => {
  it("finds views of both kinds, events, group members and containers", () => {
    const attributes = decodeAttributes(
      metadata({
        structs: [
          ["A", [4], [3, "0x1::object::ObjectGroup"]],
          ["B", [2, "module_"]],
          ["C", [2, "planet"]],
          ["D", [3]],
        ],
        functions: [
          ["f", [0]],
          ["g", [5, "100"], [1]],
          ["h", [5]],
        ],
      }),
      6,
    );
    expect([...attributes.views]).toEqual(["f", "g"]);
    expect([...attributes.events]).toEqual(["A"]);
    expect([...attributes.groupMembers]).toEqual([["A", "0x1::object::ObjectGroup"]]);
    expect([...attributes.groupScopes]).toEqual([["B", "module_"]]);
  });

  it("knows no attributes before version 6, in other keys, or without metadata", () => {
    const views = metadata({ functions: [["f", [1]]] });
    expect(decodeAttributes(views, 6).views.size).toBe(1);
    expect(decodeAttributes(views, 5).views.size).toBe(0);
    const value = views.get(METADATA_V1_KEY)!;
    expect(decodeAttributes(new Map([["aptos::metadata_v0", value]]), 10).views.size).toBe(0);
    expect(decodeAttributes(new Map(), 10).views.size).toBe(0);
  });

  it("finds no attributes in metadata that does not decode", () => {
    const broken = [
      metadata({ functions: [["f", [1]]], tail: [0] }),
      // Shorter names come first in a BCS map.
      metadata({
        functions: [
          ["long", [1]],
          ["f", [1]],
        ],
      }),
      metadata({
        functions: [
          ["f", [1]],
          ["f", [1]],
        ],
      }),
      new Map([[METADATA_V1_KEY, new Uint8Array()]]),
      new Map([[METADATA_V1_KEY, Uint8Array.of(0, 0, 1, 1, 0xff, 1, 1, 0)]]),
    ];
    for (const entries of broken) expect(decodeAttributes(entries, 10).views.size).toBe(0);
    expect(
      decodeAttributes(
        metadata({
          functions: [
            ["f", [1]],
            ["long", [1]],
          ],
        }),
        10,
      ).views.size,
    ).toBe(2);
  });
});
