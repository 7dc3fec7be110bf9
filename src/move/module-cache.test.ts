import { crc32 } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import type { ModuleId } from "./abi.ts";
import { parseAddress } from "./address.ts";
import { ModuleError } from "./errors.ts";
import { ModuleCache, type StoredModule } from "./module-cache.ts";

const id = (name: string): ModuleId => ({ address: parseAddress("0xcafe"), name });

function moduleWith(name: string, fun: string): Uint8Array {
  return assembleModule({
    ...id(name),
    functions: [{ name: fun, isEntry: true, params: ["&signer", "u64"] }],
  });
}

function functionNames(
  abi: { readonly functions: readonly { readonly name: string }[] } | undefined,
): string[] {
  return (abi?.functions ?? []).map(({ name }) => name);
}

/**
 * Gives bytes a CRC-32 by flipping the two lowest bits of characters, which stay letters. A checksum is linear: each flip
 * changes it by the same bits, whatever the others are.
 */
function forceChecksum(bytes: Buffer, at: number, length: number, wanted: number): void {
  const flip = (bit: number): void => {
    bytes[at + (bit >> 1)] = (bytes[at + (bit >> 1)] ?? 0) ^ (1 << (bit & 1));
  };
  const start = crc32(bytes);
  /** By the highest bit of the change: the change, and the flips that make it. */
  const basis = new Map<number, readonly [number, ReadonlySet<number>]>();
  const reduce = (change: number, flips: ReadonlySet<number>): readonly [number, ReadonlySet<number>] => {
    let [rest, made] = [change >>> 0, flips];
    for (let known = basis.get(Math.clz32(rest)); rest !== 0 && known !== undefined; ) {
      rest = (rest ^ known[0]) >>> 0;
      made = new Set(
        [...made, ...known[1]].filter((bit, _, all) => all.indexOf(bit) === all.lastIndexOf(bit)),
      );
      known = basis.get(Math.clz32(rest));
    }
    return [rest, made];
  };
  for (let bit = 0; bit < 2 * length; bit++) {
    flip(bit);
    const [rest, flips] = reduce(crc32(bytes) ^ start, new Set([bit]));
    flip(bit);
    if (rest !== 0) basis.set(Math.clz32(rest), [rest, flips]);
  }
  for (const bit of reduce(start ^ wanted, new Set())[1]) flip(bit);
}

describe("ModuleCache", () => {
  it("parses a version once and counts hits and misses", async () => {
    const stored: StoredModule = { version: 7n, bytes: moduleWith("a", "f") };
    const cache = new ModuleCache();
    const load = cache.createLoader(async () => stored);
    const first = await load(id("a"));
    expect(await load(id("a"))).toBe(first);
    expect(cache.stats()).toMatchObject({ entries: 1, hits: 1, misses: 1, evictions: 0 });
    expect(cache.stats().bytes).toBeGreaterThan(stored.bytes.length);
  });

  it("never gives an upgraded module the older ABI, nor an older version the newer ABI", async () => {
    const versions = new Map<bigint, Uint8Array>([
      [7n, moduleWith("a", "before")],
      [9n, moduleWith("a", "after")],
    ]);
    const cache = new ModuleCache();
    const at = (version: bigint) =>
      cache.createLoader(async () => ({ version, bytes: versions.get(version)! }));
    expect(functionNames(await at(7n)(id("a")))).toEqual(["before"]);
    expect(functionNames(await at(9n)(id("a")))).toEqual(["after"]);
    expect(functionNames(await at(7n)(id("a")))).toEqual(["before"]);
    expect(cache.stats()).toMatchObject({ entries: 2, hits: 1, misses: 2 });
  });

  it("tells modules of the same name at different addresses apart", async () => {
    const cache = new ModuleCache();
    const other = { address: parseAddress("0xbeef"), name: "a" };
    const bytes = assembleModule({ ...other, functions: [{ name: "theirs" }] });
    expect(functionNames(cache.get(id("a"), { version: 1n, bytes: moduleWith("a", "ours") }))).toEqual([
      "ours",
    ]);
    expect(functionNames(cache.get(other, { version: 1n, bytes }))).toEqual(["theirs"]);
  });

  it("fetches a module of one state once, and again for the next state", async () => {
    const cache = new ModuleCache();
    let stored: StoredModule = { version: 7n, bytes: moduleWith("a", "before") };
    let fetched = 0;
    const load = (state: object | undefined, module = id("a")) =>
      cache.createLoader(() => {
        fetched++;
        return stored;
      }, state)(module);
    const [first, second] = [{}, {}];
    expect(functionNames(await load(first))).toEqual(["before"]);
    expect(functionNames(await load(first))).toEqual(["before"]);
    expect([fetched, cache.stats().hits]).toEqual([1, 1]);
    // The loader of another state must see what that state has.
    stored = { version: 9n, bytes: moduleWith("a", "after") };
    expect(functionNames(await load(second))).toEqual(["after"]);
    expect(functionNames(await load(second))).toEqual(["after"]);
    expect(fetched).toBe(2);
    await load(undefined);
    await load(undefined);
    expect(fetched).toBe(4);
    const other = { address: parseAddress("0xbeef"), name: "a" };
    stored = { version: 9n, bytes: assembleModule({ ...other, functions: [{ name: "theirs" }] }) };
    expect(functionNames(await load(second, other))).toEqual(["theirs"]);
    expect(fetched).toBe(5);
  });

  it("fetches a module again that was evicted meanwhile, or was missing or broken", async () => {
    const state = {};
    let fetched = 0;
    const loadFrom = async (cache: ModuleCache, name: string, bytes: Uint8Array | undefined) =>
      cache.createLoader(() => {
        fetched++;
        return bytes === undefined ? undefined : { version: 1n, bytes };
      }, state)(id(name));
    const one = new ModuleCache();
    await loadFrom(one, "m0", moduleWith("m0", "f"));
    const cache = new ModuleCache({ maxBytes: one.stats().bytes });
    for (const name of ["m0", "m1", "m0"]) await loadFrom(cache, name, moduleWith(name, "f"));
    expect(fetched).toBe(4);
    for (let i = 0; i < 2; i++) {
      expect(await loadFrom(cache, "none", undefined)).toBeUndefined();
      await expect(loadFrom(cache, "bad", Uint8Array.of(1, 2, 3))).rejects.toThrow(ModuleError);
    }
    expect(fetched).toBe(8);
  });

  it("returns undefined for a missing module and caches nothing", async () => {
    const cache = new ModuleCache();
    expect(await cache.createLoader(async () => undefined)(id("a"))).toBeUndefined();
    expect(cache.stats()).toMatchObject({ entries: 0, hits: 0, misses: 0 });
  });

  it("remembers that a version does not parse", async () => {
    const cache = new ModuleCache();
    const load = cache.createLoader(async () => ({ version: 3n, bytes: Uint8Array.of(1, 2, 3) }));
    await expect(load(id("a"))).rejects.toThrow(ModuleError);
    await expect(load(id("a"))).rejects.toThrow(/BAD_MAGIC/);
    expect(cache.stats()).toMatchObject({ entries: 1, hits: 1, misses: 1 });
  });

  it("parses once when loads of one version run concurrently", async () => {
    const cache = new ModuleCache();
    const bytes = moduleWith("a", "f");
    const load = cache.createLoader(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return { version: 1n, bytes };
    });
    const abis = await Promise.all(Array.from({ length: 20 }, () => load(id("a"))));
    expect(new Set(abis).size).toBe(1);
    expect(cache.stats()).toMatchObject({ misses: 1, hits: 19 });
  });

  it("reads a large module once, in slices between which others get on", async () => {
    const functions = Array.from({ length: 3000 }, (_, i) => ({ name: `f${i}` }));
    const bytes = assembleModule({ ...id("large"), functions });
    expect(bytes.length).toBeGreaterThan(1 << 15);
    const cache = new ModuleCache();
    // Each look at the clock is a slice later.
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 5));
    let turns = 0;
    let isRead = false;
    const count = (): void => {
      turns++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const load = cache.createLoader(() => ({ version: 1n, bytes }));
    const [first, second] = await Promise.all([load(id("large")), load(id("large"))]);
    isRead = true;
    clock.mockRestore();
    expect(turns).toBeGreaterThan(5);
    expect(first?.functions.length).toBe(3000);
    expect(second).toBe(first);
    expect(await load(id("large"))).toBe(first);
    expect(cache.stats().entries).toBe(1);
  });

  it("does not evict everything for a module larger than the budget", () => {
    const cache = new ModuleCache({ maxBytes: 4000 });
    cache.get(id("small"), { version: 1n, bytes: moduleWith("small", "f") });
    const functions = Array.from({ length: 200 }, (_, i) => ({ name: `f${i}` }));
    const abi = cache.get(id("large"), { version: 1n, bytes: assembleModule({ ...id("large"), functions }) });
    expect(abi.functions.length).toBe(200);
    expect(cache.stats()).toMatchObject({ entries: 1, evictions: 0 });
  });

  it("does not keep the bytes it was given", () => {
    const cache = new ModuleCache();
    const bytes = moduleWith("a", "f");
    const before = structuredClone(cache.get(id("a"), { version: 1n, bytes }));
    const same = Uint8Array.from(bytes);
    bytes.fill(0);
    expect(cache.get(id("a"), { version: 1n, bytes: same })).toEqual(before);
    expect(cache.stats()).toMatchObject({ hits: 1, misses: 1 });
  });

  it("tells apart modules of one name, version and CRC-32, as a fork that is rewound may have them", () => {
    const NAME = "d".repeat(24);
    const assemble = (param: string): Buffer => {
      const take = { name: "take", isEntry: true, params: ["&signer", param] };
      return Buffer.from(assembleModule({ ...id("a"), functions: [take, { name: NAME, params: [] }] }));
    };
    const [ours, theirs] = [assemble("u64"), assemble("address")];
    forceChecksum(theirs, theirs.indexOf(NAME), NAME.length, crc32(ours));
    expect(crc32(theirs)).toBe(crc32(ours));
    const cache = new ModuleCache();
    const paramsOf = (bytes: Uint8Array) =>
      cache.get(id("a"), { version: 1n, bytes }).functions.find(({ name }) => name === "take")?.params;
    const forged = paramsOf(theirs);
    expect(paramsOf(ours)).not.toEqual(forged);
  });

  it("tells apart the modules that one version wrote before and after a rewind", () => {
    const cache = new ModuleCache();
    const names = ["f", "g"].map((name) => {
      const abi = cache.get(id("a"), { version: 1n, bytes: moduleWith("a", name) });
      return JSON.stringify(abi, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
    });
    expect(names[0]).not.toEqual(names[1]);
  });
});
