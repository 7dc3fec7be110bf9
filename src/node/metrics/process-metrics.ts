// Metrics of the process itself: processor, memory, files, and the time that collecting garbage takes.
import { readdirSync, readFileSync } from "node:fs";
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import { count, Durations, type MetricSource, orZero, share } from "./metrics.ts";

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

const collections = new Map<string, Durations>();
let observer: PerformanceObserver | undefined;

/** Measures the collections of this process from now on, once for all its nodes. */
export function observeCollections(): void {
  if (observer !== undefined) return;
  observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = COLLECTIONS.get(kindOf(entry) ?? 0) ?? "other";
      const series = collections.get(kind) ?? new Durations(BOUNDS);
      collections.set(kind, series);
      series.add(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}

export const PROCESS_METRICS: readonly MetricSource[] = [
  count("process_cpu_seconds_total", "Processor time of the process, of user and system", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
  share("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss()),
  // Only Linux has these files. One of the descriptors is that of the listing.
  share(
    "process_open_fds",
    "Open file descriptors",
    orZero(() => readdirSync("/proc/self/fd").length - 1),
  ),
  share(
    "process_max_fds",
    "File descriptors that the process may have open",
    orZero(() => {
      const limit = /^Max open files {1,20}(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
      return Number(limit?.[1] ?? 0);
    }),
  ),
  share("nodejs_heap_size_used_bytes", "Memory of the heap in use", () => process.memoryUsage().heapUsed),
  {
    name: "nodejs_heap_space_size_bytes",
    help: "Memory of the heap by space",
    kind: "share",
    samples: () =>
      getHeapSpaceStatistics().map(({ space_name, space_size }) => ({
        suffix: `{space="${space_name.replace(/_space$/, "")}"}`,
        value: space_size,
      })),
  },
  share(
    "nodejs_external_memory_bytes",
    "Memory outside of the heap that its objects hold",
    () => process.memoryUsage().external,
  ),
  share(
    "nodejs_active_resources",
    "Sockets, timers and other resources that keep the process alive",
    () => process.getActiveResourcesInfo().length,
  ),
  {
    name: "nodejs_gc_duration_seconds",
    help: "Time of collecting garbage by kind, since the process serves requests",
    kind: "histogram",
    samples: () => [...collections].flatMap(([kind, series]) => series.samples(`kind="${kind}"`)),
  },
];
