// Items that were read, with the versions at which they are known to hold. Committed rows never change, so an item written
// at version W and read at V is the item of every version between them; a new term may follow a rewind, and begins with
// nothing. An answer asks for the same modules at many versions: without this, each is a request.
import { RecentMap } from "../../base/recent.ts";
import type { StateItem } from "../../ledger/view.ts";
import type { Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";

/** Approximate size of an entry besides its value. */
const ENTRY_BYTES = 256;
/** Larger values are not kept. */
const MAX_VALUE_BYTES = 128 * 1024;

interface Known {
  readonly item: StateItem;
  /** The last version at which the item was read. */
  readonly to: bigint;
}

function createEntries(maxBytes: number): RecentMap<string, Known> {
  return new RecentMap({
    maxBytes,
    sizeOf: (_key, { item }) => ENTRY_BYTES + (item.value?.length ?? 0),
  });
}

/** Reads items of one ledger. */
export class ItemCache {
  readonly #tables: Tables;
  #terms: Terms | undefined;
  readonly #maxBytes: number;
  #entries: RecentMap<string, Known>;
  /** Reads under way, by key and version. */
  #reading = new Map<string, Promise<StateItem | undefined>>();

  constructor(tables: Tables, maxBytes: number) {
    this.#tables = tables;
    this.#maxBytes = maxBytes;
    this.#entries = createEntries(maxBytes);
  }

  /** The item at a version, in a ledger with the given head. */
  find(key: Buffer, version: bigint, head: bigint, terms: Terms): Promise<StateItem | undefined> {
    if (terms !== this.#terms) {
      this.#terms = terms;
      this.#entries = createEntries(this.#maxBytes);
      this.#reading = new Map();
    }
    const name = key.toString("latin1");
    const known = this.#entries.get(name);
    if (known !== undefined && version >= known.item.version && version <= known.to) {
      return Promise.resolve(known.item);
    }
    const reads = this.#reading;
    const place = `${version} ${name}`;
    const before = reads.get(place);
    if (before !== undefined) return before;
    // A key that is asked for again, at a later version: what holds at the head probably holds there, and from then on.
    const isAgain = known !== undefined && version > known.to && version < head;
    const read = (
      isAgain ? this.#readFromHead(key, version, head, terms) : this.#read(key, version, terms)
    ).finally(() => reads.delete(place));
    reads.set(place, read);
    return read;
  }

  async #readFromHead(
    key: Buffer,
    version: bigint,
    head: bigint,
    terms: Terms,
  ): Promise<StateItem | undefined> {
    const item = await this.#read(key, head, terms);
    return item === undefined || item.version <= version ? item : this.#read(key, version, terms);
  }

  async #read(key: Buffer, version: bigint, terms: Terms): Promise<StateItem | undefined> {
    const item = await this.#tables.findItem(key, version, terms);
    if (item === undefined || terms !== this.#terms || (item.value?.length ?? 0) > MAX_VALUE_BYTES)
      return item;
    // The driver's bytes are part of a larger buffer.
    const kept = { version: item.version, value: item.value && Buffer.from(item.value) };
    this.#entries.set(key.toString("latin1"), { item: kept, to: version });
    return item;
  }
}
