// Figures of the ledger and of the module cache, read when somebody asks for the metrics page.
import type { Ledger, LedgerPosition } from "../ledger/view.ts";
import type { ModuleCache, ModuleCacheStats } from "../move/module-cache.ts";
import type { GaugeSource } from "./metrics.ts";

const POSITION_GAUGES: readonly (readonly [string, string, (position: LedgerPosition) => bigint])[] = [
  ["sextant_ledger_version", "Latest version", (position) => position.version],
  ["sextant_ledger_oldest_version", "Oldest kept version", (position) => position.oldestVersion],
  ["sextant_ledger_block_height", "Latest block", (position) => position.blockHeight],
  ["sextant_ledger_epoch", "Epoch of the latest block", (position) => position.epoch],
  [
    "sextant_ledger_timestamp_seconds",
    "Time of the latest block",
    (position) => position.timestampUsec / 1_000_000n,
  ],
];

const CACHE_GAUGES: readonly (readonly [string, string, (stats: ModuleCacheStats) => number])[] = [
  ["sextant_module_cache_bytes", "Bytes of parsed modules", (stats) => stats.bytes],
  ["sextant_module_cache_entries", "Parsed modules", (stats) => stats.entries],
  ["sextant_module_cache_hits", "Module look-ups answered from the cache", (stats) => stats.hits],
  ["sextant_module_cache_misses", "Module look-ups that parsed", (stats) => stats.misses],
  ["sextant_module_cache_evictions", "Modules pushed out", (stats) => stats.evictions],
];

async function readPosition(ledger: Ledger, read: (position: LedgerPosition) => bigint): Promise<number> {
  const view = await ledger.openView().catch(() => undefined);
  if (view === undefined) return 0;
  try {
    // The page has floats only; these stay exact below 2^53.
    return Number.parseInt(`${read(view.position)}`, 10);
  } finally {
    view.release();
  }
}

/** Where the ledger stands; zeros while there is none. */
export function ledgerGauges(ledger: Ledger): GaugeSource[] {
  return POSITION_GAUGES.map(([name, help, read]) => ({
    name,
    help,
    read: () => readPosition(ledger, read),
  }));
}

/** What the module cache holds and did. */
export function moduleCacheGauges(cache: ModuleCache): GaugeSource[] {
  return CACHE_GAUGES.map(([name, help, read]) => ({
    name,
    help,
    read: () => read(cache.stats()),
    isShare: true,
  }));
}
