import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRandom } from "../../../test/support/synthetic-ledger.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { numberKey } from "../../base/bytes.ts";
import type { RawRecord } from "../contract.ts";
import { type Environment, openEnvironment } from "./environment.ts";
import {
  decodeGroup,
  findGroup,
  GROUP_BYTES,
  GROUP_RECORDS,
  putRecords,
  recordIn,
  removeRecordsBelow,
  removeRecordsFrom,
  versionsOf,
} from "./record-groups.ts";
import { getRow, putRow } from "./sealed-rows.ts";
import type { Table } from "./tables.ts";

const folder = temporaryFolder();
let environment: Environment;
let table: Table;
let number = 0;

beforeEach(async () => {
  environment = await openEnvironment({ path: `${folder}/${number++}`, readOnly: false });
  table = environment.tables.records;
});
afterEach(() => environment.close());

function recordsOf(first: number, sizes: readonly number[]): RawRecord[] {
  const random = createRandom(first);
  return sizes.map((size, i) => ({
    version: BigInt(first + i),
    // Half of it repeats, as in a record.
    bytes: Buffer.from(Array.from({ length: size }, (_, at) => (at % 2 === 0 ? 7 : random() & 0xff))),
  }));
}

function put(records: readonly RawRecord[]): void {
  environment.root.transactionSync(() => putRecords(table, records));
}

/** The versions of the rows, each with the first and last of its group. */
function rows(): string[] {
  return [...table.getRange({})].map(({ key }) => {
    const group = findGroup(table, Buffer.from(key).readBigUInt64BE());
    return `${group?.first}-${group?.last}`;
  });
}

function expectRecords(records: readonly RawRecord[]): void {
  for (const { version, bytes } of records) {
    expect(recordIn(findGroup(table, version), version), `${version}`).toEqual(bytes);
  }
}

describe("records in groups", () => {
  it("are found by their versions, whatever the bounds of the groups", () => {
    const sizes = [0, 1, 300, GROUP_BYTES, 0, 5, GROUP_BYTES - 5, 1, 3 * GROUP_BYTES, 2, 70_000, 400_000];
    const records = recordsOf(10, sizes);
    put(records);
    expect(rows()).toEqual(["10-12", "13-14", "15-16", "17-17", "18-18", "19-19", "20-20", "21-21"]);
    expectRecords(records);
    expect(recordIn(findGroup(table, 9n), 9n)).toBeUndefined();
    expect(findGroup(table, 22n)).toBeUndefined();
  });

  it("are bounded in number, and have no gaps", () => {
    const many = recordsOf(0, Array(2 * GROUP_RECORDS + 1).fill(10));
    const gaps = [...recordsOf(500, [10, 20]), ...recordsOf(503, [30])];
    put([...many, ...gaps]);
    expect(rows()).toEqual([
      `0-${GROUP_RECORDS - 1}`,
      `${GROUP_RECORDS}-${2 * GROUP_RECORDS - 1}`,
      `${2 * GROUP_RECORDS}-${2 * GROUP_RECORDS}`,
      "500-501",
      "503-503",
    ]);
    expectRecords([...many, ...gaps]);
    expect(recordIn(findGroup(table, 502n), 502n)).toBeUndefined();
  });

  it("can be cut at every version, from below and from above", () => {
    const records = recordsOf(100, [400, 0, 900, 20_000, 18_000, 3000, 60_000, 10, 20, 30]);
    const [first, last] = [100, 109];
    for (let cut = first; cut <= last + 1; cut++) {
      put(records);
      environment.root.transactionSync(() => removeRecordsFrom(table, BigInt(cut)));
      expectRecords(records.slice(0, cut - first));
      expect(findGroup(table, BigInt(cut))).toBeUndefined();
      // Other records may follow then.
      put(recordsOf(cut, [50, 60]));
      expectRecords([...records.slice(0, cut - first), ...recordsOf(cut, [50, 60])]);
      environment.root.transactionSync(() => removeRecordsFrom(table, 0n));
      expect(rows()).toEqual([]);

      put(records);
      const removed: RawRecord[] = [];
      const count = environment.root.transactionSync(() =>
        removeRecordsBelow(table, BigInt(cut), 1000, (record) => removed.push(record)),
      );
      expect(count).toBe(cut - first);
      expect(removed).toEqual(records.slice(0, cut - first));
      expectRecords(records.slice(cut - first));
      expect(findGroup(table, 0n)?.first).toBe(cut > last ? undefined : BigInt(cut));
      environment.root.transactionSync(() => removeRecordsFrom(table, 0n));
    }
  });

  it("are removed from below in steps of any size", () => {
    const records = recordsOf(0, [10, 20, 30_000, 20_000, 5, 6, 7]);
    for (let limit = 1; limit <= 8; limit++) {
      put(records);
      const removed: bigint[] = [];
      const step = (): number =>
        environment.root.transactionSync(() =>
          removeRecordsBelow(table, 6n, limit, ({ version }) => removed.push(version)),
        );
      for (let count = limit; count > 0; ) {
        count = step();
        expect(count).toBeLessThanOrEqual(limit);
        expectRecords(records.slice(removed.length));
      }
      expect(removed).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
      environment.root.transactionSync(() => removeRecordsFrom(table, 0n));
    }
  });

  it("are damaged if any byte of the row is", () => {
    put(recordsOf(40, [100, 200, 300]));
    const key = numberKey(42n);
    const row = Buffer.from(table.get(key) ?? []);
    expect(row.length).toBeGreaterThan(200);
    for (let at = 0; at < row.length; at++) {
      // The sum of the key is compared with the pages.
      if (at >= row.length - 8 && at < row.length - 4) continue;
      const changed = Buffer.from(row);
      changed[at] = (changed[at] ?? 0) ^ 0x04;
      environment.root.transactionSync(() => table.putSync(key, changed));
      expect(() => findGroup(table, 41n), `byte ${at}`).toThrow("does not match its checksum");
    }
  });

  it("do not decode with other sizes, counts or bytes, although the sums of the row are right", () => {
    const records = recordsOf(1, [100, 200, 300]);
    put(records);
    const key = numberKey(3n);
    const row = Buffer.from(getRow(table, key) ?? []);
    const changes: [string, (row: Buffer) => Buffer][] = [
      ["no records", (all) => Buffer.concat([Buffer.of(0, 0), all.subarray(2)])],
      ["more records than versions", (all) => Buffer.concat([Buffer.of(0, 5), all.subarray(2)])],
      ["too many records", () => Buffer.alloc(4000, 0xff)],
      ["a size less", (all) => Buffer.concat([all.subarray(0, 5), Buffer.of(99), all.subarray(6)])],
      ["a size more", (all) => Buffer.concat([all.subarray(0, 5), Buffer.of(101), all.subarray(6)])],
      [
        "a size beyond memory",
        (all) => Buffer.concat([all.subarray(0, 2), Buffer.alloc(4, 0xff), all.subarray(6)]),
      ],
      ["a cut", (all) => all.subarray(0, all.length - 20)],
      ["no bytes", (all) => all.subarray(0, 14)],
      ["an empty row", () => Buffer.alloc(0)],
      ["half a count", () => Buffer.of(0)],
    ];
    for (const [name, change] of changes) {
      environment.root.transactionSync(() => putRow(table, key, change(row)));
      expect(() => findGroup(table, 2n), name).toThrow("key 0x0000000000000003 does not decode");
    }
    expect(decodeGroup(Buffer.alloc(7), row)).toBeUndefined();
    const group = decodeGroup(key, row);
    expect(group && versionsOf(group)).toEqual(records);
  });
});
