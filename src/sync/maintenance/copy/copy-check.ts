// Compares a finished copy with its source: reads back records, blocks and item histories, all or a fixed share. The
// copy was already verified while it was written; this shows that the target returns what was written.

import { equalBytes } from "../../../base/bytes.ts";
import { toHex } from "../../../base/hex.ts";
import { takeTurn } from "../../../base/wait.ts";
import { type StateItem, withView } from "../../../ledger/view.ts";
import type { RawRecord, Store, StoreView } from "../../../store/contract.ts";
import type { ItemRow, StoreWalk } from "../../../store/lmdb/walk.ts";
import { Findings } from "../check/findings.ts";

/** Options of `checkCopy`. */
export interface CopyCheckOptions {
  readonly source: StoreWalk;
  readonly target: Store;
  /** Compares one in `share` versions, blocks and keys; 1 compares all. */
  readonly share: number;
  /** Called with the number of records, blocks and values passed, whether compared or skipped. */
  readonly onProgress: (passed: number) => void;
  readonly signal: AbortSignal;
}

/** Numbers compared, and the differences. */
export interface CopyCheckReport {
  readonly records: number;
  readonly blocks: number;
  readonly items: number;
  /** Number of differences. */
  readonly faults: number;
  /** Texts of the first differences. */
  readonly findings: readonly string[];
}

/** Records or keys compared per view; views must be short-lived. */
const RUN = 256;
const RUN_BYTES = 16 * 1024 * 1024;
const MAX_HISTORY = 1_000_000;

/** Compares a copy with its source. */
export async function checkCopy(options: CopyCheckOptions): Promise<CopyCheckReport> {
  return new CopyCheck(options).run();
}

class CopyCheck {
  readonly #options: CopyCheckOptions;
  readonly #findings = new Findings();
  #passed = 0;
  #records = 0;
  #blocks = 0;
  #items = 0;

  constructor(options: CopyCheckOptions) {
    this.#options = options;
  }

  async run(): Promise<CopyCheckReport> {
    await this.#withView(async (view) => this.#comparePositions(view));
    await this.#compareRecords();
    await this.#compareBlocks();
    await this.#compareItems();
    const { count: faults, texts: findings } = this.#findings;
    return { records: this.#records, blocks: this.#blocks, items: this.#items, faults, findings };
  }

  #comparePositions({ position }: StoreView): void {
    const { version, oldestVersion } = this.#options.source.position;
    this.#findings.expect(
      position.version === version,
      () => `head: ${position.version} in the target, ${version} in the source`,
    );
    this.#findings.expect(
      position.oldestVersion <= oldestVersion,
      () => `oldest version: ${position.oldestVersion} in the target, ${oldestVersion} in the source`,
    );
  }

  async #compareRecords(): Promise<void> {
    for (const from of this.#runs()) {
      await this.#compareRun(from);
      this.#pass(RUN * this.#options.share);
    }
  }

  /** Starts of the runs of consecutive versions to compare; they include the first and the last version. */
  *#runs(): Generator<bigint> {
    const { source, share } = this.#options;
    const { oldestVersion, version: head } = source.position;
    const run = BigInt(RUN);
    let last = oldestVersion;
    for (let from = oldestVersion; from <= head; from += run * BigInt(share)) {
      yield from;
      last = from;
    }
    if (head - last >= run) yield head - run + 1n;
  }

  async #compareRun(from: bigint): Promise<void> {
    const { source } = this.#options;
    const expected: RawRecord[] = [];
    for (const { version, bytes } of source.records(from)) {
      if (version > source.position.version) break;
      expected.push({ version, bytes: new Uint8Array(bytes) });
      if (expected.length === RUN) break;
    }
    for (let done = 0; done < expected.length; ) {
      const start = from + BigInt(done);
      const found = await this.#withView((view) => view.getRecords(start, expected.length - done, RUN_BYTES));
      for (const { version, bytes } of found) {
        const record = expected[done++];
        const isSame = record?.version === version && equalBytes(record.bytes, bytes);
        this.#findings.expect(isSame, () => `record of version ${version} differs from the source's`);
      }
      if (found.length === 0) {
        this.#findings.add(`records from version ${start} on are missing in the target`);
        return;
      }
      this.#records += found.length;
    }
  }

  async #compareBlocks(): Promise<void> {
    const { source, share } = this.#options;
    const { oldestBlockHeight, blockHeight } = source.position;
    for (let height = oldestBlockHeight; height <= blockHeight; height += BigInt(share)) {
      const [expected, found] = [
        source.getBlock(height),
        await this.#withView((view) => view.getBlockByHeight(height)),
      ];
      const isSame =
        expected?.firstVersion === found?.firstVersion &&
        expected?.timestampUsec === found?.timestampUsec &&
        expected?.epoch === found?.epoch;
      this.#findings.expect(isSame, () => `block ${height} differs from the source's`);
      this.#blocks++;
      this.#pass(share);
    }
  }

  /** Compares whole histories of keys, and their values at the oldest version. */
  async #compareItems(): Promise<void> {
    const { source, share } = this.#options;
    let rows: ItemRow[] = [];
    let batch: ItemRow[][] = [];
    let keys = 0;
    const flush = async (): Promise<void> => {
      const these = batch;
      batch = [];
      await this.#withView((view) => Promise.all(these.map((one) => this.#compareKey(view, one))));
    };
    const endKey = async (): Promise<void> => {
      if (rows.length > 0 && keys++ % share === 0) batch.push(rows);
      this.#pass(rows.length);
      rows = [];
      if (batch.length >= RUN) await flush();
    };
    for (const row of source.copyItems()) {
      const [first] = rows;
      if (first !== undefined && !equalBytes(first.keyHash, row.keyHash)) await endKey();
      rows.push(row);
    }
    await endKey();
    await flush();
  }

  async #compareKey(view: StoreView, rows: readonly ItemRow[]): Promise<void> {
    const [newest] = rows;
    if (newest === undefined) return;
    const { keyHash } = newest;
    const { oldestVersion: from, version: to } = this.#options.source.position;
    const expected = rows.filter(({ version }) => version >= from).reverse();
    const found = await view.getHistory(keyHash, { from, to, limit: MAX_HISTORY });
    const isSame = expected.length === found.length && expected.every((row, i) => isSameItem(row, found[i]));
    this.#findings.expect(isSame, () => `item ${toHex(keyHash)}: its history differs from the source's`);
    const atOldest = rows.find(({ version }) => version <= from);
    const [seen] = await view.getItems([keyHash], from);
    // A deletion before the oldest version may have left no row.
    const known = atOldest?.value === undefined ? undefined : atOldest;
    const isSeen = known === undefined ? seen?.value === undefined : isSameItem(known, seen);
    this.#findings.expect(
      isSeen,
      () => `item ${toHex(keyHash)}: its value at version ${from} differs from the source's`,
    );
    this.#items++;
  }

  #pass(count: number): void {
    this.#passed += count;
    this.#options.onProgress(this.#passed);
  }

  async #withView<T>(look: (view: StoreView) => Promise<T>): Promise<T> {
    await takeTurn(this.#options.signal);
    return withView(this.#options.target.openView(), look);
  }
}

function isSameItem(a: StateItem, b: StateItem | undefined): boolean {
  if (b === undefined || a.version !== b.version) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalBytes(a.value, b.value);
}
