// The effects of a transaction: it changes state items and emits events.
import { equalBytes } from "../base/bytes.ts";
import { type Codec, decodeWith, encodeWith } from "../bcs/codec.ts";
import type { ContractEvent } from "../ledger/event.ts";
import type { EventHandle, ResourceGroup } from "../ledger/resources.ts";
import type { StructTag, TypeTag } from "../move/type-tag.ts";
import type { AssetName } from "./assets.ts";
import type { ChainItems } from "./chain-items.ts";
import { type Item, tagOf } from "./item.ts";
import type { WorkingState } from "./working-state.ts";

/** The state under a block and the items in it. */
export interface BlockState {
  readonly state: WorkingState;
  readonly items: ChainItems;
  /** Table items that hold coin supplies; their keys are read from the state. */
  readonly coinSupplies: ReadonlyMap<AssetName, Item<bigint>>;
}

/** State and events of one transaction in progress. */
export interface Effects extends BlockState {
  /** Creation time in the metadata of new items; undefined at genesis, whose items have no metadata. */
  readonly createdUsec: bigint | undefined;
  readonly events: ContractEvent[];
}

/** Emits an event of a handle and returns the advanced handle. */
export function emitV1<T>(
  effects: Pick<Effects, "events">,
  handle: EventHandle,
  type: TypeTag,
  codec: Codec<T>,
  data: T,
): EventHandle {
  effects.events.push({
    kind: "v1",
    creationNumber: handle.creationNumber,
    account: handle.account,
    sequenceNumber: handle.counter,
    type,
    data: encodeWith(codec, data),
  });
  return { ...handle, counter: handle.counter + 1n };
}

/** Emits an event without a handle. */
export function emitV2<T>(effects: Pick<Effects, "events">, type: TypeTag, codec: Codec<T>, data: T): void {
  effects.events.push({ kind: "v2", type, data: encodeWith(codec, data) });
}

/** Type and layout of a member of a resource group. */
export interface Member<T> {
  /** Without type arguments. */
  readonly tag: StructTag;
  readonly codec: Codec<T>;
}

/** Declares a member by its type text. */
export function member<T>(type: string, codec: Codec<T>): Member<T> {
  return { tag: tagOf(type), codec };
}

/** Compares a tag with that of a member. */
function isSameTag(tag: StructTag, wanted: StructTag): boolean {
  return (
    tag.name === wanted.name &&
    tag.module === wanted.module &&
    tag.typeArgs.length === 0 &&
    equalBytes(tag.address, wanted.address)
  );
}

/** Reads a member of a group. */
export function getMember<T>(group: ResourceGroup | undefined, wanted: Member<T>): T | undefined {
  const found = group?.find(([tag]) => isSameTag(tag, wanted.tag));
  return found === undefined ? undefined : decodeWith(wanted.codec, found[1]);
}

/** The group with one member added or replaced. */
export function withMember<T>(group: ResourceGroup, changed: Member<T>, value: T): ResourceGroup {
  const rest = group.filter(([tag]) => !isSameTag(tag, changed.tag));
  return [...rest, [changed.tag, encodeWith(changed.codec, value)]];
}
