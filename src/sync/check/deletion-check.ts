// Checks the list of deletions that the pruner of the index works by: it has an entry for each row of each deleted item, and
// no other. One that is missing leaves a row behind; one too many takes the row of an item that is there.
import { equalBytes } from "../../base/bytes.ts";
import { itemOfRow, type OwnedRow, ownedRows } from "../../ledger/indexes/owned-keys.ts";
import type { EncodedWrite } from "../../ledger/state-writes.ts";
import type { StoreWalk } from "../../store/lmdb/walk.ts";
import type { CheckPace } from "./check-pace.ts";
import type { Findings } from "./findings.ts";
import { indexRowName } from "./index-check.ts";

export class DeletionCheck {
  readonly #walk: StoreWalk;
  readonly #findings: Findings;
  readonly #pace: CheckPace;
  readonly #indexedTo: bigint | undefined;
  /** The entries of one version; the writes of a record follow one another. */
  #listed: { readonly version: bigint; readonly names: ReadonlySet<string> } | undefined;

  constructor(walk: StoreWalk, findings: Findings, pace: CheckPace) {
    this.#walk = walk;
    this.#findings = findings;
    this.#pace = pace;
    this.#indexedTo = walk.indexedTo();
  }

  /** Expects the entries of a deletion by a kept record. */
  checkWrite(version: bigint, { key, keyHash, value }: EncodedWrite): void {
    if (value !== undefined || this.#indexedTo === undefined || version > this.#indexedTo) return;
    if (this.#listed?.version !== version) {
      this.#listed = { version, names: new Set(this.#walk.readDeletedRows(version).map(indexRowName)) };
    }
    // The row of a primary store is not asked for: only the deleted value tells it, and it may outlive its item.
    for (const row of ownedRows(key, keyHash, undefined)) {
      const name = indexRowName(row);
      if (!this.#listed.names.has(name))
        this.#findings.add(`${name}: not listed as deleted at version ${version}`);
    }
  }

  /** Expects a deleted item with this row for every entry. */
  async run(): Promise<void> {
    for (const { version, rows } of this.#walk.deletedRows()) {
      this.#pace.row();
      const turn = this.#pace.turn();
      if (turn !== undefined) await turn;
      const names = new Set<string>();
      for (const row of rows) {
        const name = indexRowName(row);
        const isRight = !names.has(name) && this.#isDeleted(row, version);
        names.add(name);
        if (!isRight) this.#findings.add(`${name}: wrongly listed as deleted at version ${version}`);
      }
    }
  }

  #isDeleted(
    { owner, place, keyHash }: Pick<OwnedRow, "owner" | "place"> & Pick<EncodedWrite, "keyHash">,
    version: bigint,
  ): boolean {
    const data = this.#walk.peekIndexRow({ owner, place })?.slice();
    const item = data && itemOfRow({ owner, place, data });
    if (item === undefined || !equalBytes(item, keyHash)) return false;
    const written = this.#walk.peekItem(keyHash, version);
    return written !== undefined && written.value === undefined;
  }
}
