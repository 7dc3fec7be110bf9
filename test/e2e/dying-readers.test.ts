// Readers die by a signal while they hold a view: the running writer reuses the pages that they pinned.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { pruneTo } from "../store/contract.ts";
import { checkView } from "../support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";

const reader = fileURLToPath(new URL("../support/store-reader.ts", import.meta.url));
const KEEP = 200n;
const STEP = 40n;

/** Starts a reader and waits until it holds a view. */
async function startReader(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...AS_BUILT, reader, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  // A test that fails must not leave it behind.
  process.once("exit", () => child.kill("SIGKILL"));
  await once(createInterface({ input: child.stdout }), "line");
  return child;
}

it.each<NodeJS.Signals>(["SIGKILL", "SIGINT", "SIGTERM"])(
  "a reader that dies by %s pins no pages of the running writer",
  async (signal) => {
    const path = temporaryFolder();
    const ledger = new SyntheticLedger(4, 40);
    const store = await openLmdbStore({ path });
    let head: bigint | undefined;
    /** Makes commits, prunes behind them, and returns the size of the file. */
    const advance = async (rounds: number): Promise<number> => {
      for (let round = 0; round < rounds; round++) {
        const next = (head ?? 0n) + STEP;
        await store.commit(ledger.batch(head, next), head === undefined ? SYNTHETIC_IDENTITY : undefined);
        head = next;
        if (next > KEEP) await pruneTo(store, ledger.blockAt(next - KEEP, next).firstVersion);
      }
      return (await stat(join(path, "data.mdb"))).size;
    };
    const settled = await advance(30);

    const child = await startReader(path);
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;

    expect(await advance(60)).toBeLessThanOrEqual(settled * 1.25);
    const view = await store.openView();
    await checkView(view, ledger, head ?? 0n);
    view.release();
    await store.close();
  },
);
