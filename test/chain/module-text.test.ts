import { describe, expect, it } from "vitest";
import { parseModules } from "../../scripts/local-chain-modules/module-text.ts";
import { parseAddress } from "../../src/move/address.ts";
import { formatAbiType } from "../../src/move/bytecode/abi-text.ts";

const options = { formatVersion: 10, addresses: new Map([["here", parseAddress("0xcafe")]]) };

describe("parseModules", () => {
  it("reads structs, enums, attributes and functions", () => {
    const [module] = parseModules(
      `
module here::m
struct S<phantom T0: copy + drop, T1> has key, store { a: vector<u8>, b: Option<other::Q<T1>> } @member(object::Group)
enum E has drop { A { }, B { s: S<u8, here::n::X> } } @event
public entry fun f<T0: key>(&signer, &mut Object<T0>)
friend fun g()
view fun h(String): u64, bool
`,
      options,
    );
    expect(module?.name).toBe("m");
    const [s, e] = module?.structs ?? [];
    expect(s?.abilities).toEqual(["key", "store"]);
    expect(s?.typeParams).toEqual([
      { constraints: ["copy", "drop"], phantom: true },
      { constraints: [], phantom: false },
    ]);
    expect(s?.fields.map(({ type }) => formatAbiType(type))).toEqual([
      "vector<u8>",
      "0x1::option::Option<0x1::other::Q<T1>>",
    ]);
    expect(s?.groupMemberOf).toBe("0x1::object::Group");
    expect(e?.isEvent).toBe(true);
    expect(e?.variants?.map(({ name }) => name)).toEqual(["A", "B"]);
    expect(e?.variants?.[1]?.fields.map(({ type }) => formatAbiType(type))).toEqual([
      "0xcafe::m::S<u8, 0xcafe::n::X>",
    ]);
    const [f, g, h] = module?.functions ?? [];
    expect([f?.visibility, f?.isEntry, f?.isView]).toEqual(["public", true, false]);
    expect(f?.params.map((type) => formatAbiType(type))).toEqual(["&signer", "&mut 0x1::object::Object<T0>"]);
    expect([g?.visibility, h?.visibility, h?.isView]).toEqual(["friend", "private", true]);
    expect(h?.returns.map((type) => formatAbiType(type))).toEqual(["u64", "bool"]);
  });

  it.each([
    "module here::m\nstruct S has key { a u8 }",
    "module here::m\nfun f(u8",
    "module here::m\nfun f() extra",
    "module here::m\nfun f(Unknown)",
    "here::m",
  ])("refuses %j", (text) => {
    expect(() => parseModules(text, options)).toThrow();
  });
});
