// Checksums of rows: any change of a key, a value or a sum is found, by readers and by the writer.
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { isPassingFault } from "../errors.ts";
import { openEnvironment } from "./environment.ts";
import { checkedBytes, openRow, putRow, SUMS_BYTES } from "./sealed-rows.ts";
import { openLmdbStore } from "./store.ts";

/** The row that `putRow` writes. */
function seal(key: Uint8Array, value: Uint8Array, head?: Uint8Array): Buffer {
  let row = Buffer.alloc(0);
  const putSync = (_: Uint8Array, bytes: Uint8Array): void => {
    row = Buffer.from(bytes);
  };
  putRow({ putSync }, key, value, head);
  return row;
}

const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 131 + length) & 0xff));

describe("a row with checksums", () => {
  it("ends with the CRC-32 of its key, and of its key and content", () => {
    for (const length of [0, 1, 7, 8, 9, 63, 255, 256, 257, 5000, 2_000_000]) {
      const [key, head, value] = [bytesOf(1 + (length % 60)), bytesOf(length % 9), bytesOf(length)];
      const row = seal(key, value, head);
      const content = Buffer.concat([head, value]);
      const sums = Buffer.alloc(SUMS_BYTES);
      sums.writeUInt32LE(crc32(key), 0);
      sums.writeUInt32LE(crc32(Buffer.concat([key, content])), 4);
      expect(row.equals(Buffer.concat([content, sums]))).toBe(true);
      expect(openRow(key, row).equals(content)).toBe(true);
    }
  });

  it("is damaged when any bit of its content, its sum or its key differs, or it is cut", () => {
    const [key, value] = [bytesOf(40), bytesOf(90)];
    const row = seal(key, value);
    const damaged = expect.objectContaining({ code: "damaged" });
    const attempt = (k: Buffer, r: Buffer): unknown => {
      try {
        return checkedBytes(k, r, r.length);
      } catch (error) {
        return error;
      }
    };
    const flip = (bytes: Buffer, bit: number): Buffer => {
      const out = Buffer.from(bytes);
      out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return out;
    };
    for (let bit = 0; bit < 8 * row.length; bit++) {
      // The key's own sum is for the check of pages.
      const isKeySum = bit >> 3 >= value.length && bit >> 3 < value.length + 4;
      if (!isKeySum) expect(attempt(key, flip(row, bit)), `bit ${bit}`).toEqual(damaged);
    }
    for (let bit = 0; bit < 8 * key.length; bit++) expect(attempt(flip(key, bit), row)).toEqual(damaged);
    for (let end = 0; end < row.length; end++) expect(attempt(key, row.subarray(0, end))).toEqual(damaged);
  });
});

describe("a store with a damaged row", () => {
  it("fails the reads of that row only, and a commit that must read it, for good", async () => {
    const path = temporaryFolder();
    const ledger = new SyntheticLedger(4, 12);
    const store = await openLmdbStore({ path });
    await store.commit(ledger.batch(undefined, 20n), SYNTHETIC_IDENTITY);
    await store.close();
    const [bad, good] = ledger.keys.filter((_, key) => ledger.itemAt(key, 20n)?.value !== undefined);
    if (bad === undefined || good === undefined) throw new Error("the ledger has two values");
    const environment = await openEnvironment({ path, readOnly: false });
    const rowKey = Buffer.concat([bad, Buffer.alloc(8)]);
    const row = Buffer.from(environment.tables.items.get(rowKey) ?? "");
    row[12] = (row[12] ?? 0) ^ 1;
    environment.tables.items.putSync(rowKey, row);
    await environment.close();

    const damaged = await openLmdbStore({ path });
    const view = await damaged.openView();
    const read = async (key: Uint8Array, version: bigint): Promise<unknown> => view.getItems([key], version);
    await expect(read(bad, 20n)).rejects.toMatchObject({ name: "LedgerError", code: "damaged" });
    await expect(view.getHistory(bad, { from: 0n, to: 20n, limit: 100 })).rejects.toMatchObject({
      code: "damaged",
    });
    expect(await read(good, 20n)).toHaveLength(1);
    view.release();
    const batch = ledger.batch(20n, 21n);
    const writes = [{ keyHash: bad, version: 21n, value: Buffer.from("next") }];
    const error: unknown = await damaged.commit({ ...batch, writes }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "damaged" });
    expect(isPassingFault(error)).toBe(false);
    await damaged.close();
  });
});
