// contrib/prometheus and contrib/grafana: the alerts fire when they should, every metric that they and the dashboard name
// is on the page of a running node, and a real Prometheus that scrapes nodes has a result for every panel.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { endWithTest } from "../support/children.ts";
import { freePort } from "../support/free-port.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { hasTool } from "../support/tools.ts";
import { until } from "../support/until.ts";

const RULES = "contrib/prometheus/alerts.yml";
const RULE_TESTS = "contrib/prometheus/alerts.test.yml";
const CONFIG = "contrib/prometheus/prometheus.yml";
const folder = temporaryFolder();

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { groups } = parse(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync("contrib/grafana/sextant.json", "utf8")) as {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== "row");
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.map(({ expr }) => expr),
];

function promtool(...args: string[]): string {
  return execFileSync("promtool", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

describe("alerts", () => {
  it.skipIf(!hasTool("promtool", "--version"))("pass promtool's checks and their unit tests", () => {
    expect(promtool("check", "config", CONFIG)).toContain("SUCCESS");
    expect(promtool("check", "rules", RULES)).toContain(`${rules.length} rules found`);
    expect(promtool("test", "rules", RULE_TESTS)).toContain("SUCCESS");
  });

  it("have a test that raises each and one that does not", () => {
    const { tests } = parse(readFileSync(RULE_TESTS, "utf8")) as { tests: { name: string }[] };
    const names = rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} stays quiet`]);
    expect(tests.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  it.each(rules)(
    "$alert names a severity and a section of the documentation",
    ({ alert, labels, annotations }) => {
      expect(["page", "ticket"]).toContain(labels.severity);
      const [file = "", anchor] = annotations.runbook.split("#");
      expect(anchor).toBe(alert.toLowerCase());
      expect(readFileSync(file, "utf8")).toContain(`\n### ${alert}\n`);
    },
  );
});

/** Labels by metric, as a page has them; a metric without a sample yet has none. */
function metricsOf(page: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = "", type] of page.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    for (const suffix of suffixes) found.set(name + suffix, new Set());
  }
  for (const [, name = "", labels = ""] of page.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) found.get(name)?.add(label);
  }
  return found;
}

/** Metrics of an expression, with the labels of their selectors. */
function selectorsOf(expr: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/\b(sextant_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", inner = ""]) => ({
    name,
    labels: [...inner.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label),
  }));
}

/** Labels that Prometheus adds. */
const SCRAPED = ["job", "instance"];

describe("metrics of running nodes", () => {
  let nodes: readonly Running[];
  beforeAll(async () => {
    const chain = await startProgram(["--data", join(folder, "data"), "--block-time", "100ms"]);
    const follower = await startProgram(["--data", join(folder, "replica"), "--upstream", chain.url]);
    // No cluster is there: the metrics of its driver are on the page all the same.
    const url = "cassandra://127.0.0.1:1/none";
    const reader = await startProgram(
      ["--store", "cassandra", "--store-url", url, "--read-only"],
      {},
      "listening",
    );
    nodes = [chain, follower, reader];
    await fetch(`${chain.url}/info`);
    await fetch(`${chain.url}/no-such-path`);
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  it.skipIf(!hasTool("promtool", "--version"))("keep the conventions of Prometheus", async () => {
    for (const { url } of nodes) {
      const page = await fetch(new URL("/metrics", url));
      const checked = spawnSync("promtool", ["check", "metrics"], { input: await page.text() });
      expect(`${checked.stdout}${checked.stderr}`).toBe("");
      expect(checked.status).toBe(0);
    }
  });

  it("have every name and label that alerts and dashboard use", async () => {
    const pages = await Promise.all(nodes.map(({ url }) => fetch(new URL("/metrics", url))));
    const texts = await Promise.all(pages.map((page) => page.text()));
    const metrics = metricsOf(texts.join("\n"));
    const used = expressions.flatMap(selectorsOf);
    expect(used.length).toBeGreaterThan(expressions.length);
    const missing = used.flatMap(({ name, labels }) => {
      const own = metrics.get(name);
      if (own === undefined) return [name];
      return labels
        .filter((label) => !SCRAPED.includes(label) && !own.has(label))
        .map((label) => `${name}{${label}}`);
    });
    expect(missing).toEqual([]);
  });

  it.skipIf(!hasTool("prometheus", "--version"))(
    "answer every query of the dashboard in Prometheus",
    async () => {
      const port = await freePort();
      const config = join(folder, "prometheus.yml");
      const text = readFileSync(CONFIG, "utf8")
        .replaceAll("15s", "500ms")
        .replace("- alerts.yml", `- ${resolve(RULES)}`)
        .replace('"127.0.0.1:8080"', nodes.map(({ url }) => `"${new URL(url).host}"`).join(", "));
      writeFileSync(config, text);
      const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, "tsdb")}`];
      const prometheus = endWithTest(
        spawn("prometheus", [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: "ignore" }),
      );
      const api = `http://127.0.0.1:${port}/api/v1`;
      const ask = async (path: string): Promise<{ status: string; data: Record<string, unknown> }> => {
        const response = await fetch(`${api}${path}`);
        return (await response.json()) as { status: string; data: Record<string, unknown> };
      };
      /** The number of series in the result. */
      const count = async (expr: string): Promise<number> => {
        const query = expr.replaceAll("$__rate_interval", "30s").replaceAll(/\$(job|instance)/g, ".*");
        const { status, data } = await ask(`/query?query=${encodeURIComponent(query)}`);
        if (status !== "success") throw new Error(`${query}: ${JSON.stringify(data)}`);
        return (data.result as unknown[]).length;
      };
      await until(async () => (await count("sextant_ready").catch(() => 0)) === nodes.length);
      // A rate needs two samples.
      await until(async () => (await count("rate(sextant_process_cpu_seconds_total[30s])")) === nodes.length);
      const empty: string[] = [];
      for (const { title, targets = [] } of panels) {
        for (const { expr } of targets) if ((await count(expr)) === 0) empty.push(title);
      }
      // Without a cluster there are no requests to time.
      expect([...new Set(empty)]).toEqual(["Time until the cluster responds"]);
      for (const { expr } of rules) await count(expr);
      const loaded = await until(async () => {
        const { data } = await ask("/rules");
        const all = (data.groups as { rules: { name: string; health: string }[] }[]).flatMap(
          (group) => group.rules,
        );
        return all.every(({ health }) => health !== "unknown") && all;
      });
      expect(loaded.map(({ name, health }) => `${name} ${health}`).sort()).toEqual(
        rules.map(({ alert }) => `${alert} ok`).sort(),
      );
      prometheus.kill("SIGKILL");
    },
  );
});
