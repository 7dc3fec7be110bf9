import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { pruneTo } from "../../../test/store/contract.ts";
import { checkView } from "../../../test/support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";
import { until } from "../../../test/support/until.ts";
import { type LogFields, type Logger, silentLogger } from "../../base/log.ts";
import type { Store } from "../../store/contract.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import { floorFor, parsePruneWindow } from "./prune-window.ts";
import { Pruner } from "./pruner.ts";

async function oldest(store: Store): Promise<bigint> {
  const view = await store.openView();
  view.release();
  return view.position.oldestVersion;
}

function start(
  store: Store,
  window: string,
  logger: Logger = silentLogger,
  onSuccess: () => void = () => {},
): Pruner {
  return new Pruner({
    store,
    window: parsePruneWindow(window),
    logger,
    stepRows: 7,
    intervalMs: 5,
    onSuccess,
  });
}

function recordingLogger(): { logger: Logger; lines: { fields: LogFields; message: string }[] } {
  const lines: { fields: LogFields; message: string }[] = [];
  const add = (fields: LogFields, message: string) => void lines.push({ fields, message });
  return { logger: { ...silentLogger, warn: add, error: add }, lines };
}

describe("pruner", () => {
  it("follows the head with its window and keeps every kept version correct", async () => {
    const store = createMemoryStore();
    const ledger = new SyntheticLedger(2, 12);
    const pruner = start(store, "40");
    await store.commit(ledger.batch(undefined, 0n), SYNTHETIC_IDENTITY);
    for (let head = 0n; head < 300n; head += 15n) {
      await store.commit(ledger.batch(head, head + 15n));
      await sleep(2);
    }
    const floor = ledger.blockAt(261n, 300n).firstVersion;
    await until(async () => (await oldest(store)) === floor && pruner.removed > 300);
    const view = await store.openView();
    await checkView(view, ledger, 300n);
    view.release();
    await pruner.stop();
  });

  it("prunes by ledger time", async () => {
    const store = createMemoryStore();
    const ledger = new SyntheticLedger(2, 12);
    await store.commit(ledger.batch(undefined, 300n), SYNTHETIC_IDENTITY);
    const view = await store.openView();
    const floor = await floorFor(parsePruneWindow("3s"), view);
    view.release();
    expect(floor).toBeGreaterThan(100n);
    const pruner = start(store, "3s");
    await until(async () => (await oldest(store)) === floor);
    await pruner.stop();
  });

  it("prunes nothing when off, or in an empty store", async () => {
    const store = createMemoryStore();
    let rounds = 0;
    const count = (): void => {
      rounds++;
    };
    const early = start(store, "1", silentLogger, count);
    await until(() => rounds > 1);
    expect(early.removed).toBe(0);
    await early.stop();
    await store.commit(new SyntheticLedger(2, 12).batch(undefined, 100n), SYNTHETIC_IDENTITY);
    rounds = 0;
    const off = start(store, "off", silentLogger, count);
    await until(() => rounds > 0);
    await off.stop();
    expect(await oldest(store)).toBe(0n);
  });

  it("prunes more when the window is narrowed at restart, and warns when it is widened", async () => {
    const store = createMemoryStore();
    const ledger = new SyntheticLedger(2, 12);
    await store.commit(ledger.batch(undefined, 300n), SYNTHETIC_IDENTITY);
    const { logger, lines } = recordingLogger();
    for (const keep of [200n, 50n]) {
      const pruner = start(store, `${keep}`, logger);
      const floor = ledger.blockAt(301n - keep, 300n).firstVersion;
      await until(async () => (await oldest(store)) === floor);
      await pruner.stop();
    }
    expect(lines).toEqual([]);
    const kept = await oldest(store);
    const said = [1, 1, 2, 3];
    for (const [index, wider] of ["100", "100", "1d", "off"].entries()) {
      const pruner = start(store, wider, logger);
      await until(() => lines.length >= (said[index] ?? 0));
      await sleep(30);
      await pruner.stop();
    }
    expect(await oldest(store)).toBe(kept);
    expect(lines.map(({ fields }) => `${fields.before} ${fields.now}`)).toEqual([
      "50 100",
      "100 1d",
      "1d off",
    ]);
    expect(lines[0]?.message).toMatch("widened");
  });

  it("never overlaps its steps, reports failures and retries after them", async () => {
    const store = createMemoryStore();
    const ledger = new SyntheticLedger(2, 12);
    await store.commit(ledger.batch(undefined, 100n), SYNTHETIC_IDENTITY);
    const prune = store.prune.bind(store);
    let running = 0;
    let calls = 0;
    const faults: unknown[] = [];
    const flaky = Object.assign(Object.create(store) as Store, {
      getSideRows: store.getSideRows.bind(store),
      writeSide: store.writeSide.bind(store),
      openView: store.openView.bind(store),
      identity: store.identity,
      prune: async (floor: bigint, maxRows: number) => {
        expect(++running).toBe(1);
        await sleep(3);
        running--;
        if (++calls <= 2) throw new Error("disk trouble");
        return prune(floor, maxRows);
      },
    });
    const { logger, lines } = recordingLogger();
    const pruner = new Pruner({
      store: flaky,
      window: parsePruneWindow("20"),
      logger,
      stepRows: 5,
      intervalMs: 1,
      onFault: (error) => faults.push(error),
    });
    const floor = ledger.blockAt(81n, 100n).firstVersion;
    await until(async () => (await oldest(store)) === floor && (await store.prune(floor, 1)).done);
    expect(faults).toEqual([new Error("disk trouble"), new Error("disk trouble")]);
    expect(lines.map((line) => line.message)).toEqual(["pruning failed", "pruning failed"]);
    await pruner.stop();
    const after = calls;
    await sleep(20);
    expect(calls).toBe(after);
  });

  it("stops in the middle of a long catch-up, and a later pruner finishes it", async () => {
    const store = createMemoryStore();
    const ledger = new SyntheticLedger(2, 12);
    await store.commit(ledger.batch(undefined, 500n), SYNTHETIC_IDENTITY);
    const pruner = new Pruner({ store, window: parsePruneWindow("10"), logger: silentLogger, stepRows: 1 });
    await until(() => pruner.removed > 3);
    await pruner.stop();
    expect((await store.prune(ledger.blockAt(491n, 500n).firstVersion, 1)).done).toBe(false);
    const view = await store.openView();
    await checkView(view, ledger, 500n);
    view.release();
    await pruneTo(store, ledger.blockAt(491n, 500n).firstVersion);
    const after = await store.openView();
    await checkView(after, ledger, 500n);
    after.release();
  });
});
