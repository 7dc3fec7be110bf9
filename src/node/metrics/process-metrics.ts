// Metrics of the process itself: processor, memory, files, and the time that collecting garbage takes.
import { readdirSync, readFileSync } from "node:fs";
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import { histogramSamples, type MetricSource } from "./metrics.ts";

const COLLECTIONS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.01, 0.1, 1, 5];

/** Node's types lack it. */
function kindOf({
  detail,
}: PerformanceEntry & { readonly detail?: { readonly kind: number } }): number | undefined {
  return detail?.kind;
}

const collections = new Map<string, { readonly counts: number[]; sum: number }>();
let observer: PerformanceObserver | undefined;

/** Measures the collections of this process from now on, once for all its nodes. */
export function observeCollections(): void {
  if (observer !== undefined) return;
  observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = COLLECTIONS.get(kindOf(entry) ?? 0) ?? "other";
      const series = collections.get(kind) ?? {
        counts: new Array<number>(BOUNDS.length + 1).fill(0),
        sum: 0,
      };
      collections.set(kind, series);
      const seconds = entry.duration / 1000;
      const at = BOUNDS.findIndex((bound) => seconds <= bound);
      const bucket = at < 0 ? BOUNDS.length : at;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += seconds;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}

/** Zero where the system does not have it: only Linux has these files. */
function fromSystem(read: () => number): () => number {
  return () => {
    try {
      return read();
    } catch {
      return 0;
    }
  };
}

export const PROCESS_METRICS: readonly MetricSource[] = [
  {
    name: "sextant_process_cpu_seconds_total",
    help: "Processor time of the process, of user and system",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    isCount: true,
  },
  {
    name: "sextant_process_resident_memory_bytes",
    help: "Resident memory",
    read: () => process.memoryUsage.rss(),
    isShare: true,
  },
  {
    name: "sextant_process_open_fds",
    help: "Open file descriptors",
    // One of them is that of the listing.
    read: fromSystem(() => readdirSync("/proc/self/fd").length - 1),
    isShare: true,
  },
  {
    name: "sextant_process_max_fds",
    help: "File descriptors that the process may have open",
    read: fromSystem(() => {
      const limit = /^Max open files {1,20}(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
      return Number(limit?.[1] ?? 0);
    }),
    isShare: true,
  },
  {
    name: "sextant_nodejs_heap_size_used_bytes",
    help: "Memory of the heap in use",
    read: () => process.memoryUsage().heapUsed,
    isShare: true,
  },
  {
    name: "sextant_nodejs_heap_space_size_bytes",
    help: "Memory of the heap by space",
    kind: "gauge",
    samples: () =>
      getHeapSpaceStatistics().map(({ space_name, space_size }) => ({
        suffix: `{space="${space_name.replace(/_space$/, "")}"}`,
        value: space_size,
      })),
  },
  {
    name: "sextant_nodejs_external_memory_bytes",
    help: "Memory outside of the heap that its objects hold",
    read: () => process.memoryUsage().external,
    isShare: true,
  },
  {
    name: "sextant_nodejs_active_resources",
    help: "Sockets, timers and other resources that keep the process alive",
    read: () => process.getActiveResourcesInfo().length,
    isShare: true,
  },
  {
    name: "sextant_nodejs_gc_duration_seconds",
    help: "Time of collecting garbage by kind, since the process serves requests",
    kind: "histogram",
    samples: () =>
      [...collections].flatMap(([kind, { counts, sum }]) =>
        histogramSamples(BOUNDS, counts, sum, `kind="${kind}"`),
      ),
  },
];
