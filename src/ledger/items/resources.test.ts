// The balance rule reads amounts and group members by offset; these tests compare it with the codecs of the resources.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyAddress, anyBytes, anyStructTag, anyU64 } from "../../../test/support/move-arbitraries.ts";
import { RUNS } from "../../../test/support/property.ts";
import { toHex } from "../../base/hex.ts";
import { type Codec, decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { type StructTag, structTagCodec } from "../../move/type-tag.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { addParts, amountOfPart } from "../balances/balance-parts.ts";
import { LedgerError } from "../errors.ts";
import { stateValueCodec } from "../formats/state-value.ts";
import { findGroupMembers } from "./resource-group.ts";
import {
  coinStoreCodec,
  concurrentBalanceCodec,
  fungibleStoreCodec,
  type ResourceGroup,
  resourceGroupCodec,
} from "./resources.ts";

const STORE = parseStructTag("0x1::fungible_asset::FungibleStore");
const CONCURRENT = parseStructTag("0x1::fungible_asset::ConcurrentFungibleBalance");

const anyHandle = fc.record({ counter: anyU64, creationNumber: anyU64, account: anyAddress });
const anyCoinStore = fc.record({
  value: anyU64,
  frozen: fc.boolean(),
  depositEvents: anyHandle,
  withdrawEvents: anyHandle,
});
const anyStore = fc.record({
  metadata: anyAddress,
  balance: fc.oneof(fc.constant(0n), anyU64),
  frozen: fc.boolean(),
});
const anyConcurrent = fc.record({ value: anyU64, max: anyU64 });
/** Members of other types, each type once. */
const anyOthers: fc.Arbitrary<ResourceGroup> = fc
  .uniqueArray(fc.tuple(anyStructTag, anyBytes), { maxLength: 4, selector: ([tag]) => hexOf(tag) })
  .filter(
    (members) => !members.some(([tag]) => [STORE, CONCURRENT].some((own) => hexOf(own) === hexOf(tag))),
  );

function hexOf(tag: StructTag): string {
  return toHex(encodeWith(structTagCodec, tag));
}

/** The balance of an owner with these two items, or the error. */
function balanceOf(items: { readonly group?: Uint8Array; readonly coin?: Uint8Array }): bigint | LedgerError {
  const found = [items.group, items.coin].map((data) =>
    data === undefined
      ? undefined
      : { version: 0n, value: encodeWith(stateValueCodec, { kind: "v0", data }) },
  );
  try {
    return addParts(found.map((item, place) => amountOfPart(place, item)));
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
}

/** The decoded value; undefined if the codec refuses the bytes. */
function tryDecode<T>(codec: Codec<T>, bytes: Uint8Array): T | undefined {
  try {
    return decodeWith(codec, bytes);
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
}

/** One byte to change, then bytes to cut off and to append. */
const anyDamage = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.nat(3), more: fc.nat(3) });
type Damage = typeof anyDamage extends fc.Arbitrary<infer T> ? T : never;

function damaged(bytes: Uint8Array, { at, byte, cut, more }: Damage): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at % copy.length] = byte;
  return Buffer.concat([copy.subarray(0, copy.length - cut), new Uint8Array(more)]);
}

describe("the balance rule", () => {
  it("reads the amount of any coin store", () => {
    fc.assert(
      fc.property(anyCoinStore, (store) => {
        expect(balanceOf({ coin: encodeWith(coinStoreCodec, store) })).toBe(store.value);
      }),
      { numRuns: RUNS },
    );
  });

  it("reads the amount of any primary store, next to any other members", () => {
    fc.assert(
      fc.property(anyStore, fc.option(anyConcurrent), anyOthers, (store, concurrent, others) => {
        const group = encodeWith(resourceGroupCodec, [
          ...others,
          [STORE, encodeWith(fungibleStoreCodec, store)],
          ...(concurrent === null
            ? []
            : [[CONCURRENT, encodeWith(concurrentBalanceCodec, concurrent)] as const]),
        ]);
        const expected = store.balance === 0n ? (concurrent?.value ?? 0n) : store.balance;
        expect(balanceOf({ group })).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it("refuses the coin stores and primary stores that their codecs refuse, and no others", () => {
    let refused = 0;
    fc.assert(
      fc.property(anyCoinStore, anyStore, anyConcurrent, anyDamage, (coin, store, concurrent, damage) => {
        const coinBytes = damaged(encodeWith(coinStoreCodec, coin), damage);
        expect(balanceOf({ coin: coinBytes })).toEqual(
          tryDecode(coinStoreCodec, coinBytes)?.value ?? expect.any(LedgerError),
        );
        const storeBytes = damaged(encodeWith(fungibleStoreCodec, { ...store, balance: 7n }), damage);
        const group = encodeWith(resourceGroupCodec, [[STORE, storeBytes]]);
        const read = tryDecode(fungibleStoreCodec, storeBytes);
        expect(balanceOf({ group })).toEqual(read?.balance ?? expect.any(LedgerError));
        const concurrentBytes = damaged(encodeWith(concurrentBalanceCodec, concurrent), damage);
        const both = encodeWith(resourceGroupCodec, [
          [STORE, encodeWith(fungibleStoreCodec, { ...store, balance: 0n })],
          [CONCURRENT, concurrentBytes],
        ]);
        expect(balanceOf({ group: both })).toEqual(
          tryDecode(concurrentBalanceCodec, concurrentBytes)?.value ?? expect.any(LedgerError),
        );
        if (read === undefined) refused++;
      }),
      { numRuns: RUNS },
    );
    expect(refused).toBeGreaterThan(RUNS / 10);
  });

  it("finds members where the codec of groups does, and refuses the groups that it refuses", () => {
    let refused = 0;
    fc.assert(
      fc.property(anyOthers, anyStore, anyDamage, fc.boolean(), (others, store, damage, isDamaged) => {
        const member = encodeWith(fungibleStoreCodec, store);
        const whole = encodeWith(resourceGroupCodec, [...others, [STORE, member]]);
        const bytes = isDamaged ? damaged(whole, damage) : whole;
        const members = tryDecode(resourceGroupCodec, bytes);
        const expected = members?.find(([tag]) => hexOf(tag) === hexOf(STORE))?.[1];
        const found = findGroupMembers(bytes, [encodeWith(structTagCodec, STORE)]);
        expect(found === undefined).toBe(members === undefined);
        expect(found?.[0] && toHex(found[0])).toBe(expected && toHex(expected));
        if (members === undefined) refused++;
      }),
      { numRuns: RUNS },
    );
    expect(refused).toBeGreaterThan(RUNS / 10);
  });
});
