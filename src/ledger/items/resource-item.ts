// Resources by account and type, whether they are items of their own or members of a group.
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { nextTurn, Slices } from "../../base/wait.ts";
import { BcsError } from "../../bcs/errors.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { LedgerError } from "../errors.ts";
import type { AccessPath } from "../formats/state-key.ts";
import { stateValueData } from "../formats/state-value.ts";
import { ownerOf, pathOf } from "../indexes/owned-keys.ts";
import { resourceGroupKeyHash, resourceKeyHash } from "../key-hash.ts";
import type { LedgerView } from "../view.ts";
import { assertIndexed } from "./owned-items.ts";
import { findGroupMembers } from "./resource-group.ts";
import { readGroup } from "./resources.ts";
import { type StateTypes, type StructType, structTypeOf } from "./state-types.ts";

function corruptGroup(address: Address): LedgerError {
  return new LedgerError("corrupt", `stored resource group at ${formatAddress(address)} does not decode`);
}

/**
 * The stored bytes of a resource at a version; undefined if there is none. Valid until the view is released. Throws
 * LedgerError.
 */
export function readResource(
  view: LedgerView,
  types: StateTypes,
  address: Address,
  type: StructType,
  version: bigint,
): MaybePromise<Uint8Array | undefined> {
  return andThen(types.groupOf(view, type, version), (group) => {
    const key =
      group === undefined
        ? resourceKeyHash(address, type.bytes, view.keyTrace)
        : resourceGroupKeyHash(address, group, view.keyTrace);
    return andThen(view.getItems([key], version), ([item]) => {
      if (item?.value === undefined) return undefined;
      const data = stateValueData(item.value);
      if (group === undefined) return data;
      const members = findGroupMembers(data, [type.bytes]);
      if (members === undefined) throw corruptGroup(address);
      return members[0];
    });
  });
}

/** A resource and its type. */
export interface Resource {
  readonly type: StructType;
  readonly bytes: Uint8Array;
}

/** A module and its name. */
export interface NamedModule {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The version that wrote it. */
  readonly version: bigint;
}

/** Which items of an account. */
export interface AccountItemsQuery {
  readonly address: Address;
  readonly version: bigint;
  /** Only items after this place. */
  readonly after: Uint8Array | undefined;
  /** Most items; a resource group counts as one. */
  readonly limit: number;
}

/** A page of an account's items in the order of their key hashes. */
export interface AccountItemsPage<T> {
  readonly items: readonly T[];
  /** Place to continue after; undefined at the end. */
  readonly next: Uint8Array | undefined;
}

/** Candidates that are looked up at once: their values are in memory together before their bytes are counted. */
const RUN = 32;
/** Most candidates that a page looks up. */
const MAX_CANDIDATES = 2000;
/** Stored bytes in a page; one item may exceed it. */
const MAX_PAGE_BYTES = 1 << 20;

/** Reads one page of an account's resources, members of groups among them. Throws LedgerError. */
export function readResources(
  view: LedgerView,
  query: AccountItemsQuery,
  slices: Slices = new Slices(),
): Promise<AccountItemsPage<Resource>> {
  return readPage(view, query, (path, data) => {
    if (path.kind === "code") return undefined;
    if (path.kind === "resource") return [{ type: structTypeOf(path.struct), bytes: data }];
    return groupMembers(query.address, data, slices);
  });
}

async function groupMembers(address: Address, data: Uint8Array, slices: Slices): Promise<Resource[]> {
  try {
    const members: Resource[] = [];
    for (const [tag, bytes] of await readGroup(data, slices)) {
      members.push({ type: structTypeOf(tag), bytes });
      await slices.pause();
    }
    return members;
  } catch (error) {
    if (error instanceof BcsError) throw corruptGroup(address);
    throw error;
  }
}

/** Reads one page of an account's modules. Throws LedgerError. */
export function readModules(
  view: LedgerView,
  query: AccountItemsQuery,
): Promise<AccountItemsPage<NamedModule>> {
  return readPage(view, query, (path, bytes, version) =>
    path.kind === "code" ? [{ name: path.module.name, bytes, version }] : undefined,
  );
}

/** `toItems` returns what an item holds; undefined for one that is not asked for. */
async function readPage<T>(
  view: LedgerView,
  { address, version, after: start, limit }: AccountItemsQuery,
  toItems: (path: AccessPath, data: Uint8Array, version: bigint) => MaybePromise<readonly T[] | undefined>,
): Promise<AccountItemsPage<T>> {
  await assertIndexed(view);
  const owner = ownerOf("address", address);
  const items: T[] = [];
  let after = start;
  let taken = 0;
  let bytes = 0;
  for (let seen = 0; seen < MAX_CANDIDATES; seen += RUN) {
    if (seen > 0) await nextTurn();
    const owned = await view.getOwnedKeys(owner, { version, after, limit: RUN });
    const places = owned.map(({ place }) => place);
    const found = await view.getItems(places, version);
    for (let i = 0; i < owned.length; i++) {
      const [key, item] = [owned[i], found[i]];
      if (key === undefined) continue;
      const data = item?.value === undefined ? undefined : stateValueData(item.value);
      const some = data && (await toItems(pathOf(owner, key), data, item?.version ?? 0n));
      if (some !== undefined && data !== undefined) {
        if (taken >= limit || (taken > 0 && bytes + data.length > MAX_PAGE_BYTES)) {
          return { items, next: after };
        }
        for (const one of some) items.push(one);
        taken++;
        bytes += data.length;
      }
      after = key.place;
    }
    if (owned.length < RUN) return { items, next: undefined };
  }
  return { items, next: after };
}
