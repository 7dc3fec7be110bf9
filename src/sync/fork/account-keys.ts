// Which items an account has on the forked network. Only the network's node can tell: it lists the resources and modules
// of an account, and the modules tell in which item a resource is kept.
import { append } from "../../base/append.ts";
import { compareBytes, toMapKey } from "../../base/bytes.ts";
import { mapSome } from "../../base/map-some.ts";
import { RecentMap } from "../../base/recent.ts";
import { Slices } from "../../base/wait.ts";
import { type Codec, decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { byteString } from "../../bcs/scalars.ts";
import { readEntries } from "../../bcs/sequences.ts";
import { urlTo } from "../../interface/route.ts";
import { accountModulesRoute, accountResourcesRoute } from "../../interface/routes.ts";
import {
  type AccessPath,
  accessPathCodec,
  stateKeyCodec,
  stateKeyHashOfBcs,
} from "../../ledger/formats/state-key.ts";
import { type OwnedRow, ownedRows } from "../../ledger/indexes/owned-keys.ts";
import { StateTypes, structTypeOf } from "../../ledger/items/state-types.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { ModuleCache } from "../../move/module-cache.ts";
import { type StructTag, structTagCodec } from "../../move/type-tag.ts";
import { moduleIdCodec } from "../../move/wire.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { UpstreamAnswer, UpstreamQuestion } from "../upstream/upstream.ts";

/** Asks the network's node for one page. */
export type AskPage = (question: UpstreamQuestion & { readonly version: bigint }) => Promise<UpstreamAnswer>;

const ROUTES = { resources: accountResourcesRoute, modules: accountModulesRoute } as const;

const MODULES_AT_ONCE = 8;
const MAX_PAGES = 64;
/** An account with more is not listed: its keys must fit the cache, because every page of a list looks them up. */
const MAX_KEYS = 10_000;
/** Estimated bytes of a key and its objects. */
const KEY_BYTES = 400;

export class AccountKeys {
  readonly #ask: AskPage;
  readonly #types = new StateTypes(new ModuleCache({ maxBytes: 4 << 20 }));
  readonly #known = new RecentMap<string, readonly OwnedRow[]>({
    maxBytes: 8 << 20,
    sizeOf: (_, rows) => KEY_BYTES * (1 + rows.length),
  });

  constructor(ask: AskPage) {
    this.#ask = ask;
  }

  /** Rows of the account's items at a version up to the fork, in the order of their places. */
  async rowsOf(view: LedgerView, address: Address, version: bigint): Promise<readonly OwnedRow[]> {
    const name = `${version}/${toMapKey(address)}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const tags = await this.#list(address, version, "resources", structTagCodec);
    const modules = await this.#list(address, version, "modules", moduleIdCodec);
    const paths = [
      ...(await mapSome(tags, MODULES_AT_ONCE, (tag) => this.#pathOf(view, tag, version))),
      ...modules.map((module): AccessPath => ({ kind: "code", module })),
    ];
    const rows = new Map<string, OwnedRow>();
    const slices = new Slices();
    for (const path of paths) {
      await slices.pause();
      const key = encodeWith(stateKeyCodec, {
        kind: "accessPath",
        address,
        path: encodeWith(accessPathCodec, path),
      });
      const [row] = ownedRows(key, stateKeyHashOfBcs(key), undefined);
      if (row !== undefined) rows.set(toMapKey(row.place), row);
    }
    const sorted = [...rows.values()].sort((a, b) => compareBytes(a.place, b.place));
    this.#known.set(name, sorted);
    return sorted;
  }

  async #pathOf(view: LedgerView, tag: StructTag, version: bigint): Promise<AccessPath> {
    const group = await this.#types.groupOf(view, structTypeOf(tag), version);
    if (group === undefined) return { kind: "resource", struct: tag };
    return { kind: "resourceGroup", struct: decodeWith(structTagCodec, group) };
  }

  async #list<T>(address: Address, version: bigint, kind: keyof typeof ROUTES, key: Codec<T>): Promise<T[]> {
    const found: T[] = [];
    let start: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const values = { address: formatAddress(address), ledger_version: version, start };
      const { bytes, cursor } = await this.#ask({
        toUrl: (base) => urlTo(base, ROUTES[kind], values),
        version,
        absentCode: "account_not_found",
      });
      if (bytes === undefined) return found;
      append(found, await readKeys(bytes, key));
      if (found.length > MAX_KEYS) break;
      if (cursor === undefined) return found;
      start = cursor;
    }
    throw new UpstreamError("too_large", `the account has more than ${MAX_KEYS} ${kind}`);
  }
}

/** The keys of a page, a map, in slices. */
async function readKeys<T>(page: Uint8Array, key: Codec<T>): Promise<readonly T[]> {
  const [slices, reader] = [new Slices(), new BcsReader(page)];
  const keys: T[] = [];
  try {
    for (const [one] of readEntries(reader, key, byteString)) {
      keys.push(one);
      if (keys.length > MAX_KEYS) return keys;
      await slices.pause();
    }
    reader.finish();
    return keys;
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new UpstreamError("malformed", "a page of an account does not decode", { cause: error });
  }
}
