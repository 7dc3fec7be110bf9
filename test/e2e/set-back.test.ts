// lmdb keeps the number of its last transaction in the lock file. A process that opens the store writes there what it
// read from the data file a moment before, so a commit in between sets the number back, and the next write would begin
// from an older head. Here a child process does that at a chosen moment, as an opening reader does by chance.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommitBatch, Store } from "../../src/store/contract.ts";
import { isPassingFault } from "../../src/store/errors.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { checkView } from "../support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Where the number lies in the lock file. */
const NUMBER_AT = 8;
const SCRIPT = `
const fs = require("node:fs");
const [path, steps] = process.argv.slice(1);
const file = fs.openSync(path, "r+");
const number = Buffer.alloc(8);
fs.readSync(file, number, 0, 8, ${NUMBER_AT});
number.writeBigUInt64LE(number.readBigUInt64LE() - BigInt(steps));
fs.writeSync(file, number, 0, 8, ${NUMBER_AT});`;

/** Sets the head back by some transactions, as another process. */
function setBack(path: string, steps: number): void {
  execFileSync(process.execPath, ["-e", SCRIPT, join(path, "lock.mdb"), `${steps}`]);
}

/** Commits; what was read since the head was set back may be of an older one, so the first try may be refused. */
async function commit(store: Store, batch: CommitBatch): Promise<void> {
  try {
    await store.commit(batch);
  } catch (error) {
    if (!isPassingFault(error)) throw error;
    await store.commit(batch);
  }
}

async function headOf(store: Store): Promise<bigint> {
  const view = await store.openView();
  const { version } = view.position;
  view.release();
  return version;
}

describe("a reader that opens the store while a commit is made", () => {
  it.each([1, 2, 3])("takes nothing back that is committed: %i transactions", async (steps) => {
    const path = temporaryFolder();
    const ledger = new SyntheticLedger(4, 12);
    const store = await openLmdbStore({ path });
    let head = 40n;
    await store.commit(ledger.batch(undefined, head), SYNTHETIC_IDENTITY);
    for (let round = 0; round < 6; round++) {
      const next = head + 10n;
      await commit(store, ledger.batch(head, next));
      head = next;
      setBack(path, steps);
      if (round % 3 === 0) expect(await headOf(store)).toBe(head);
      if (round % 3 === 1)
        await store.writeSide({ sideRows: [{ key: Buffer.from("a key"), value: Buffer.from(`${round}`) }] });
    }
    expect(await headOf(store)).toBe(head);
    const view = await store.openView();
    await checkView(view, ledger, head);
    view.release();
    await store.close();

    const again = await openLmdbStore({ path, readOnly: true });
    const kept = await again.openView();
    await checkView(kept, ledger, head);
    kept.release();
    await again.close();
  });
});
