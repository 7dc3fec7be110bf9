// The metrics page: request times, alone and added up.
import { describe, expect, it } from "vitest";
import { driverMetrics } from "./driver-metrics.ts";
import { cacheMetrics, httpMetrics } from "./gauges.ts";
import { count, createMetrics, fact, figuresPage, type MetricSource, share } from "./metrics.ts";

function lines(page: string, start: string): string[] {
  return page.split("\n").filter((line) => line.startsWith(start));
}

const NAME = "sextant_http_request_duration_seconds";

describe("request times", () => {
  it("fall into buckets that add up", async () => {
    const metrics = createMetrics([]);
    for (const seconds of [0, 0.0001, 0.00011, 0.3, 99]) metrics.onRequest("info", 200, seconds);
    metrics.onRequest("info", 404, 2);
    const page = await metrics.page();
    const labels = 'operation="info",status="200"';
    expect(lines(page, `# TYPE ${NAME}`)).toEqual([`# TYPE ${NAME} histogram`]);
    const buckets = lines(page, `${NAME}_bucket`).filter((line) => line.includes(labels));
    expect(buckets.map((line) => line.split(" ")[1])).toEqual("2 3 3 3 3 3 3 3 3 3 3 4 4 5".split(" "));
    expect(buckets.at(0)).toContain('le="0.0001"');
    expect(buckets.at(-1)).toContain('le="+Inf"');
    expect(page).toContain(`${NAME}_count{${labels}} 5\n`);
    expect(page).toContain(`${NAME}_sum{operation="info",status="404"} 2\n`);
  });

  it("add up over processes, while facts about the node do not", async () => {
    const sources = [fact("fact", "A fact", () => 7), share("share", "A share", () => 7)];
    const processes = [createMetrics(sources), createMetrics(sources)];
    for (const { onRequest } of processes) onRequest("info", 200, 0.001);
    const page = await figuresPage(await Promise.all(processes.map(({ figures }) => figures())));
    expect(page).toContain(`${NAME}_count{operation="info",status="200"} 2\n`);
    expect(page).toContain("sextant_fact 7\n");
    expect(page).toContain("sextant_share 14\n");
  });
});

describe("a process that ended", () => {
  it("leaves behind what it counted, and nothing of how it was", async () => {
    const sources = [
      count("count_total", "A count", () => 7),
      share("share", "A share", () => 7),
      fact("fact", "A fact", () => 7),
    ];
    const ended = createMetrics(sources);
    ended.onRequest("info", 200, 0.001);
    ended.onCommit(3);
    const page = await figuresPage([await ended.counts(), await createMetrics(sources).figures()]);
    expect(page).toContain("# TYPE sextant_count_total counter\nsextant_count_total 14\n");
    expect(page).toContain("sextant_share 7\n");
    expect(page).toContain("sextant_fact 7\n");
    expect(page).toContain(`${NAME}_count{operation="info",status="200"} 1\n`);
    expect(page).toContain("sextant_records_committed_total 3\n");
  });

  it.each([
    [
      "http",
      httpMetrics(() => undefined),
      ["connections_refused", "shed", "rate_limited", "streams_cut_off", "slow_readers_ended"],
    ],
    [
      "module_cache",
      cacheMetrics("module", "parsed modules", () => undefined),
      ["hits", "misses", "evictions"],
    ],
    ["store", driverMetrics(() => undefined), ["retries", "speculative_requests", "errors"]],
  ] satisfies readonly (readonly [string, readonly MetricSource[], readonly string[]])[])(
    "counts of %s are counters, by kind and by name",
    async (room, sources, names) => {
      const counts = await createMetrics(sources).counts();
      const counters = counts.filter(({ kind, name }) => kind === "count" && name.includes(room));
      expect(counters.map(({ name }) => name)).toEqual(names.map((name) => `${room}_${name}_total`));
    },
  );
});

describe("the delay of the event loop", () => {
  it("is on the page, in seconds", async () => {
    const figures = {
      shed: 0,
      rateLimited: 0,
      queued: 0,
      longestLoopDelayMs: 375,
      connections: 0,
      refusedConnections: 0,
      unreadResponsesEnded: 0,
      waiting: 0,
      streams: 0,
      streamsCutOff: 0,
      inFlight: 0,
      answerBytes: 0,
    };
    const page = await createMetrics(httpMetrics(() => figures)).page();
    expect(lines(page, "sextant_event_loop_delay_seconds ")).toEqual([
      "sextant_event_loop_delay_seconds 0.375",
    ]);
  });
});
