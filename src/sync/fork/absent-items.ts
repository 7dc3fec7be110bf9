// Items that the network does not have at the fork version. Kept durably, so that a fork goes on without its network,
// but bounded: anyone can make up addresses. Each item belongs to one of a fixed number of slots, by its key hash; a
// full slot forgets its oldest item, which is then asked for again.
import { toMapKey } from "../../base/bytes.ts";
import type { SideRow, Store } from "../../store/contract.ts";
import { ABSENT_ITEMS } from "../side-rows.ts";

const SLOT_BITS = 12;
const HASHES_PER_SLOT = 32;

function slotOf(keyHash: Uint8Array): number {
  return (((keyHash[0] ?? 0) << 8) | (keyHash[1] ?? 0)) >> (16 - SLOT_BITS);
}

export class AbsentItems {
  readonly #store: Pick<Store, "getSideRows">;
  /** Hashes by slot, oldest first; a slot is loaded once. */
  readonly #slots = new Map<number, Set<string>>();
  readonly #changed = new Set<number>();

  constructor(store: Pick<Store, "getSideRows">) {
    this.#store = store;
  }

  /** Which of the items are known to be absent. */
  async find(keyHashes: readonly Uint8Array[]): Promise<readonly boolean[]> {
    const unloaded = [...new Set(keyHashes.map(slotOf))].filter((slot) => !this.#slots.has(slot));
    const rows =
      unloaded.length === 0
        ? []
        : await this.#store.getSideRows(unloaded.map((slot) => ABSENT_ITEMS.key(slot)));
    for (const [i, slot] of unloaded.entries()) {
      // Another reader may have loaded it meanwhile, and added to it.
      if (this.#slots.has(slot)) continue;
      const row = rows[i];
      this.#slots.set(slot, new Set(row === undefined ? [] : ABSENT_ITEMS.decode(row).map(toMapKey)));
    }
    return keyHashes.map((keyHash) => this.#slots.get(slotOf(keyHash))?.has(toMapKey(keyHash)) === true);
  }

  /** Notes an item that `find` did not find. */
  add(keyHash: Uint8Array): void {
    const slot = slotOf(keyHash);
    const hashes = this.#slots.get(slot);
    if (hashes === undefined) throw new Error("an item was noted as absent before it was looked up");
    hashes.add(toMapKey(keyHash));
    const [oldest] = hashes;
    if (hashes.size > HASHES_PER_SLOT && oldest !== undefined) hashes.delete(oldest);
    this.#changed.add(slot);
  }

  /** The rows to write since the last call. */
  takeRows(): SideRow[] {
    const rows = [...this.#changed].map((slot) => {
      const hashes = [...(this.#slots.get(slot) ?? [])];
      return ABSENT_ITEMS.row(
        hashes.map((name) => Buffer.from(name, "latin1")),
        slot,
      );
    });
    this.#changed.clear();
    return rows;
  }
}
