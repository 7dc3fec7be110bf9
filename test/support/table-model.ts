// The tables of a ledger, replayed from its decoded records: what every list of rows must say, without an index.
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { recordCodec } from "../../src/ledger/formats/record.ts";
import { stateKeyHash } from "../../src/ledger/formats/state-key.ts";
import { writtenValue } from "../../src/ledger/formats/write-set.ts";
import { formatAddressLong } from "../../src/move/address.ts";

/** A write of a row. */
interface RowWrite {
  readonly version: bigint;
  /** In hex; null deletes. */
  readonly value: string | null;
}

/** A row as the operation answers it. */
export interface Row {
  readonly key: string;
  readonly value: string | null;
}

/** Replays records in the order of their versions. */
export class TableModel {
  /** Writes of each row, by handle and key hash. */
  readonly #tables = new Map<string, Map<string, { key: string; writes: RowWrite[] }>>();

  add(record: Uint8Array): void {
    const { version, changes } = decodeWith(recordCodec, record);
    for (const [key, op] of changes.writes) {
      if (key.kind !== "tableItem") continue;
      const handle = formatAddressLong(key.handle);
      const table = this.#tables.get(handle) ?? new Map();
      this.#tables.set(handle, table);
      const hash = toPrefixedHex(stateKeyHash(key));
      const row = table.get(hash) ?? { key: toPrefixedHex(key.key), writes: [] };
      table.set(hash, row);
      const value = writtenValue(op);
      row.writes.push({ version, value: value === undefined ? null : toPrefixedHex(value.data) });
    }
  }

  /** Handles of all tables that ever had a row. */
  get handles(): readonly string[] {
    return [...this.#tables.keys()];
  }

  /** The rows at a version, in order. */
  rowsAt(handle: string, version: bigint): Row[] {
    return this.#rows(handle, (writes) => lastUpTo(writes, version)?.value ?? undefined);
  }

  /** The rows that differ in their last write between two versions, and were there at one of them. */
  rowsSince(handle: string, since: bigint, version: bigint): Row[] {
    return this.#rows(handle, (writes) => {
      const [before, after] = [lastUpTo(writes, since), lastUpTo(writes, version)];
      if (after === undefined || after === before) return undefined;
      return after.value === null && (before?.value ?? null) === null ? undefined : after.value;
    });
  }

  #rows(handle: string, pick: (writes: readonly RowWrite[]) => string | null | undefined): Row[] {
    const table = [...(this.#tables.get(handle) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return table.flatMap(([, { key, writes }]) => {
      const value = pick(writes);
      return value === undefined ? [] : [{ key, value }];
    });
  }
}

function lastUpTo(writes: readonly RowWrite[], version: bigint): RowWrite | undefined {
  return writes.findLast((write) => write.version <= version);
}
