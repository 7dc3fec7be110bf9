// Compares all reads of a view with a synthetic ledger.
import { expect } from "vitest";
import type { StateItem } from "../../src/ledger/view.ts";
import type { StoreView } from "../../src/store/contract.ts";
import { type SyntheticLedger, versions } from "./synthetic-ledger.ts";

/** An item in a form that compares equal for Buffer and Uint8Array. */
export function plain(item: StateItem | undefined): string {
  if (item === undefined) return "absent";
  const value = item.value === undefined ? "deleted" : Buffer.from(item.value).toString("hex");
  return `${item.version}:${value}`;
}

/** The expected item of a key in a view with the given oldest version. */
export function expectedItem(ledger: SyntheticLedger, key: number, version: bigint, oldest: bigint): string {
  const item = ledger.itemAt(key, version);
  return plain(item?.value === undefined && (item?.version ?? 0n) < oldest ? undefined : item);
}

/**
 * Checks the position, all keys at all kept versions, histories, blocks and records; returns the number of reads. With a
 * `stride`, only every so manieth version and block, and the last ones.
 */
export async function checkView(
  view: StoreView,
  ledger: SyntheticLedger,
  head: bigint,
  stride = 1n,
): Promise<number> {
  const { oldestVersion: oldest, oldestBlockHeight } = view.position;
  const oldestBlock = ledger.blockAt(oldest, head);
  expect(view.position).toEqual({
    ...ledger.positionAt(head),
    oldestVersion: oldestBlock.firstVersion,
    oldestBlockHeight: oldestBlock.height,
  });
  let reads = 0;
  for (const version of versions(oldest, head)) {
    if ((version - oldest) % stride !== 0n && version !== head) continue;
    const items = await view.getItems(ledger.keys, version);
    const expected = ledger.keys.map((_, key) => expectedItem(ledger, key, version, oldest));
    expect(items.map(plain), `version ${version}`).toEqual(expected);
    reads += items.length;
    expect(await view.getBlockByVersion(version)).toEqual(ledger.blockAt(version, head));
  }
  await checkIndex(view, ledger, oldest);
  await checkIndex(view, ledger, head);
  for (let key = 0; key < ledger.keys.length; key += 3) {
    const found = await view.getHistory(ledger.keys[key]!, { from: oldest, to: head, limit: 1_000_000 });
    expect(found.map(plain)).toEqual(ledger.history(key, oldest, head).map(plain));
  }
  const from = oldest > 20n ? oldest - 20n : 0n;
  const blocks = ledger.blocksOf(from, head);
  for (const [i, { height, firstVersion, timestampUsec }] of blocks.entries()) {
    if (BigInt(i) % stride !== 0n && i < blocks.length - 1) continue;
    const kept = height >= oldestBlockHeight;
    expect(await view.getBlockByHeight(height)).toEqual(
      kept ? ledger.blockAt(firstVersion, head) : undefined,
    );
    const at = blocks.findLast((other) => other.timestampUsec <= timestampUsec + 7n)!;
    const expected = at.height < oldestBlockHeight ? undefined : ledger.blockAt(at.firstVersion, head);
    expect(await view.getBlockAtTime(timestampUsec + 7n)).toEqual(expected);
  }
  const records = await view.getRecords(oldest, 1_000_000, 1_000_000_000);
  expect(records.map((row) => [row.version, Buffer.from(row.bytes).toString()])).toEqual(
    versions(oldest, head).map((version) => [version, Buffer.from(ledger.record(version)).toString()]),
  );
  return reads;
}

/** The places of an owner in pages of three, as hex text. */
export async function listPlaces(view: StoreView, owner: Uint8Array, version: bigint): Promise<string[]> {
  const places: string[] = [];
  for (let after: Uint8Array | undefined; ; ) {
    const page = await view.getOwnedKeys(owner, { version, after, limit: 3 });
    places.push(...page.map(({ place }) => Buffer.from(place).toString("hex")));
    if (page.length < 3) return places;
    after = page.at(-1)!.place;
  }
}

/** Checks that every item of a version is in the index of its owners, in order and with its data, and nobody else's is. */
async function checkIndex(view: StoreView, ledger: SyntheticLedger, version: bigint): Promise<void> {
  for (const [number, owner] of ledger.owners.entries()) {
    const found = await listPlaces(view, owner, version);
    expect(found).toEqual([...new Set(found)].sort());
    const rows = ledger.keys.flatMap((_, key) =>
      ledger.ownersOf(key).includes(number) ? [{ key, ...ledger.indexRow(key, number) }] : [],
    );
    const known = rows.map(({ place }) => Buffer.from(place).toString("hex"));
    expect(known).toEqual(expect.arrayContaining(found));
    const there = rows.filter(({ key }) => ledger.itemAt(key, version)?.value !== undefined);
    expect(found).toEqual(
      expect.arrayContaining(there.map(({ place }) => Buffer.from(place).toString("hex"))),
    );
    const all = await view.getOwnedKeys(owner, { version, after: undefined, limit: 1000 });
    for (const { place, data } of all) {
      const row = rows.find((one) => Buffer.compare(one.place, place) === 0);
      expect(Buffer.from(data).toString()).toBe(row && Buffer.from(row.data).toString());
    }
  }
}
