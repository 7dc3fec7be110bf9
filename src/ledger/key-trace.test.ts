import { describe, expect, it } from "vitest";
import { toHex } from "../base/hex.ts";
import { encodeWith } from "../bcs/codec.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { structTagCodec } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { parseAsset, primaryStoreAddress } from "./balances/asset.ts";
import { balanceKeys } from "./balances/balance-keys.ts";
import {
  type AccessPath,
  accessPathCodec,
  type StateKey,
  stateKeyCodec,
  stateKeyHash,
} from "./formats/state-key.ts";
import { keyHashOfBcs, moduleKeyHash, resourceKeyHash, tableItemKeyHash } from "./key-hash.ts";
import { KeyTrace } from "./key-trace.ts";

const TWO = parseAddress("0x2");
const struct = parseStructTag("0x1::object::ObjectGroup");

function bcsOf(key: StateKey): Uint8Array {
  return encodeWith(stateKeyCodec, key);
}

function keyAt(address: Address, path: AccessPath): StateKey {
  return { kind: "accessPath", address, path: encodeWith(accessPathCodec, path) };
}

describe("a trace of keys", () => {
  it("has the key of every hash computed with it, of any kind", () => {
    const trace = new KeyTrace();
    const tableItem: StateKey = { kind: "tableItem", handle: TWO, key: new Uint8Array(300) };
    const module = keyAt(TWO, { kind: "code", module: { address: TWO, name: "m" } });
    const resource = keyAt(TWO, { kind: "resource", struct });
    const made: [Uint8Array, StateKey][] = [
      [tableItemKeyHash(TWO, new Uint8Array(300), trace), tableItem],
      [moduleKeyHash(TWO, "m", trace), module],
      [resourceKeyHash(TWO, encodeWith(structTagCodec, struct), trace), resource],
      [keyHashOfBcs(bcsOf(resource), trace), resource],
    ];
    for (const [hash, key] of made) {
      expect(toHex(hash)).toBe(toHex(stateKeyHash(key)));
      expect(toHex(trace.keyOf(hash) ?? new Uint8Array())).toBe(toHex(bcsOf(key)));
    }
  });

  it("does not have the key of a hash computed without it or with another trace", () => {
    const trace = new KeyTrace();
    expect(trace.keyOf(moduleKeyHash(TWO, "m", undefined))).toBeUndefined();
    expect(trace.keyOf(moduleKeyHash(TWO, "m", new KeyTrace()))).toBeUndefined();
  });

  it("has the keys of a balance even if their hashes are cached", () => {
    const [owner, asset] = [parseAddress("0x7ace"), parseAsset("0xa")];
    balanceKeys(owner, asset, undefined);
    const trace = new KeyTrace();
    const [hash = new Uint8Array()] = balanceKeys(owner, asset, trace);
    const address = primaryStoreAddress(owner, asset.metadata);
    const group = keyAt(address, { kind: "resourceGroup", struct });
    expect(toHex(trace.keyOf(hash) ?? new Uint8Array())).toBe(toHex(bcsOf(group)));
  });
});
