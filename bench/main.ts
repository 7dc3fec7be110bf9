// Runs the benchmarks and prints one table of ratios with their confidence and targets. `--help` lists the options.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BenchRow, beginRun, type RunningNodes, removeLeftovers } from "./harness.ts";
import { stopLoad } from "./load.ts";
import { describeMachine } from "./machine.ts";
import { formatTime, Progress } from "./progress.ts";
import {
  alarmOf,
  changesSince,
  formatChanges,
  formatRatio,
  formatReadme,
  formatTable,
  isBusy,
  type LeftOut,
  type Results,
  summarize,
} from "./report.ts";
import { type Listed, select } from "./selection.ts";

const HELP = `npm run bench -- [options]

Compares Sextant with bare alternatives, all in turn, and prints ratios with their confidence intervals.

  --only TEXT       Run one benchmark by its name, or the rows whose names contain the text; may be repeated
  --scale PART      Size of the data sets as a part of the full size, such as 0.1
  --quick           Little data and few rounds; exits with 1 if a row misses its target by more than a factor of two
  --seconds NUMBER  How long the rows at a given pace last (mainnet), 20 unless given, and how long a follower rests at
                    the head before its memory is taken (memory), 3 unless given
  --store NAME      Run the benchmarks of another store: cassandra
  --here            Say in about two minutes how fast this machine is: over a bare server and PostgreSQL
  --postgres URL    For --here: compare with this server, in a schema of its own, instead of a temporary one
  --node URL        For --here: with --full-node and --account, ask a running node and a full node for a balance,
                    21 times each, at most twice a second
  --full-node URL   For --here: the full node
  --account ADDRESS For --here: an account that both know
  --no-build        Measure the program as it is built
  --json            Print the results with facts about the machine as JSON
  --readme          Print the short table of the README
  --compare FILE    Show which rows got slower or faster since a run that was printed by --json; exits with 1 if one got slower
  --from FILE       Read the results from a file instead of measuring
  --list            Print the benchmarks with their rows
  --help            Print this text
`;

const QUICK_SCALE = 0.01;
/** Different requests of each kind in a quick run. */
const QUICK_REQUESTS = 5000;
/**
 * Time for all rows, without making data: if they would take longer, each gets less, down to a part of the usual time. No
 * benchmark begins after it.
 */
const FULL_SECONDS = 840;
const LEAST_PACE = 0.25;
const QUICK_SECONDS = 70;
const SECONDS_FILE = fileURLToPath(new URL("../.cache/bench/seconds.json", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

function fail(message: string): never {
  console.error(`${message}\nnpm run bench -- --help lists the options`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        readme: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        here: { type: "boolean", default: false },
        postgres: { type: "string" },
        node: { type: "string" },
        "full-node": { type: "string" },
        account: { type: "string" },
        help: { type: "boolean", default: false },
        "no-build": { type: "boolean", default: false },
        only: { type: "string", multiple: true, default: [] },
        scale: { type: "string", default: "1" },
        seconds: { type: "string" },
        store: { type: "string" },
        compare: { type: "string" },
        from: { type: "string" },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const values = readOptions();
const { quick } = values;
const pacedSeconds = values.seconds === undefined ? undefined : Number(values.seconds);
const scale = quick ? QUICK_SCALE : Number(values.scale);

/** The nodes that the user runs, if they are named. */
function runningNodes(): RunningNodes | undefined {
  const { node, "full-node": fullNode, account } = values;
  if (node === undefined && fullNode === undefined && account === undefined) return undefined;
  if (node !== undefined && fullNode !== undefined && account !== undefined)
    return { node, fullNode, account };
  return fail("--node, --full-node and --account: expected all three or none");
}

async function readResults(file: string): Promise<Results> {
  const text = await readFile(file, "utf8").catch(() => fail(`${file}: cannot be read`));
  try {
    const results = JSON.parse(text) as Partial<Results>;
    if (Array.isArray(results.rows) && results.machine !== undefined) return results as Results;
  } catch {
    // Reported below.
  }
  return fail(`${file}: expected results that were printed by --json`);
}

/** Seconds of each benchmark in the last run of the same size. */
async function readSeconds(): Promise<Record<string, Record<string, number>>> {
  const text = await readFile(SECONDS_FILE, "utf8").catch(() => "{}");
  return JSON.parse(text) as Record<string, Record<string, number>>;
}

function build(): void {
  if (values["no-build"]) {
    if (!existsSync(PROGRAM)) fail("--no-build: the program is not built; run `npm run build`");
    return;
  }
  const done = spawnSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "inherit", "inherit"] });
  if (done.status !== 0) process.exit(1);
}

async function measure(
  listed: Readonly<Record<string, Listed>>,
  elsewhere: readonly LeftOut[],
): Promise<Results> {
  const selected = select(listed, values.only);
  const lastOnes = selected.filter(({ isByClock }) => quick && isByClock === true);
  const benchmarks = [...selected.filter((one) => !lastOnes.includes(one)), ...lastOnes];
  if (benchmarks.length === 0) {
    const names = Object.keys(listed).join(", ");
    fail(`--only ${values.only.join(" ")}: no benchmark or row has this name; the benchmarks are ${names}`);
  }
  build();
  await removeLeftovers();
  const machine = describeMachine();
  const size = `${quick ? "quick" : scale}`;
  const seconds = await readSeconds();
  const expected = new Map(
    benchmarks.map(({ name, ...listed }) => [name, seconds[size]?.[name] ?? (quick ? 7 : listed.seconds)]),
  );
  const { spentOnMaking } = await import("./data-set.ts");
  if (quick) (await import("./requests.ts")).setListLength(QUICK_REQUESTS);
  const now = (): number => performance.now() - spentOnMaking();
  const write = (text: string): void => void process.stderr.write(text);
  const progress = new Progress({ expected, now, write, isTerminal: process.stderr.isTTY === true });
  const shown = new Set<string>();
  const onRow = (row: BenchRow): void => {
    if (!shown.has(row.name)) progress.row(`  ${row.name}: ${formatRatio(row)}`);
    shown.add(row.name);
  };
  const startedMs = now();
  const options = { quick, scale, seconds: pacedSeconds, postgres: values.postgres, running: runningNodes() };
  const rows: BenchRow[] = [];
  const leftOut: LeftOut[] = [];
  const isWhole = values.only.length === 0;
  for (const { name, run, isWanted, rows: names } of benchmarks) {
    const leftSeconds = (quick ? QUICK_SECONDS : FULL_SECONDS) - (now() - startedMs) / 1000;
    if (isWhole && leftSeconds <= 0) {
      const reason = `the time is used up; npm run bench -- --only ${name}${quick ? " --quick" : ""}`;
      leftOut.push(...names.map((row) => ({ name: row, reason })));
      progress.skip(name);
      continue;
    }
    progress.begin(name);
    const pace = Math.min(1, Math.max(LEAST_PACE, leftSeconds / progress.secondsLeft()));
    beginRun({ quick, isWanted, onRow, pace });
    const found = await run(options).catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
      leftOut.push(...names.filter(isWanted).map((row) => ({ name: row, reason: `${name} failed` })));
      return [];
    });
    const wanted = found.filter((row) => isWanted(row.name));
    // Those that no comparison made are shown at the end of their benchmark.
    for (const row of wanted) onRow(row);
    progress.end();
    rows.push(...wanted);
  }
  stopLoad();
  if (isWhole) {
    leftOut.push(...elsewhere);
    const all = { ...seconds, [size]: { ...seconds[size], ...Object.fromEntries(progress.taken) } };
    await mkdir(dirname(SECONDS_FILE), { recursive: true });
    await writeFile(SECONDS_FILE, JSON.stringify(all));
  }
  const taken = Math.round((now() - startedMs) / 1000);
  return { machine: machine.end(), quick, scale, seconds: taken, rows, leftOut };
}

/** Prints what a run found, and sets the exit code. */
function report({ rows, ...run }: Results, old: Results | undefined): void {
  if (values.json) console.log(JSON.stringify({ ...run, rows }, null, 2));
  else console.log(values.readme ? formatReadme(rows) : formatTable({ ...run, rows }));
  if (run.quick) {
    const alarms = rows.filter((row) => alarmOf(row, isBusy(run.machine)) === "ALARM");
    console.error(`${alarms.length} rows miss their target by more than a factor of two`);
    for (const { name } of alarms) console.error(`ALARM: ${name}`);
    if (alarms.length > 0) process.exitCode = 1;
  } else if (!values.here) console.error(summarize(rows));
  if (old !== undefined) {
    const changes = changesSince(old.rows, rows);
    console.error(formatChanges(changes));
    if (changes.some(({ verdict }) => verdict === "slower")) process.exitCode = 1;
  }
  const { processors, loadBefore, loadAfter } = run.machine;
  const loads = [loadBefore, loadAfter].map(([load = 0]) => load.toFixed(1)).join(" before and ");
  console.error(`${formatTime(run.seconds)}; load average ${loads} after, on ${processors} processors`);
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  if (pacedSeconds !== undefined && !(pacedSeconds > 0)) fail("--seconds: expected a number above 0");
  if (!(scale > 0 && scale <= 1)) fail("--scale: expected a number above 0 and up to 1");
  const isRunning = runningNodes() !== undefined;
  if (!values.here && (isRunning || values.postgres !== undefined)) {
    fail("--postgres, --node, --full-node and --account: only with --here");
  }
  const old = values.compare === undefined ? undefined : await readResults(values.compare);
  if (values.from !== undefined) return report(await readResults(values.from), old);
  if (old !== undefined && (old.quick !== quick || old.scale !== scale)) {
    fail(`--compare: ${values.compare} is of a run with ${old.quick ? "--quick" : `--scale ${old.scale}`}`);
  }
  // Imported late, because the benchmarks load most of the program.
  const { BENCHMARKS, HERE, STORES } = await import("./benchmarks.ts");
  const isUsual = values.store === undefined && !values.here;
  const listed = values.here ? HERE : isUsual ? BENCHMARKS : STORES[values.store ?? ""];
  if (listed === undefined) fail(`--store: expected ${Object.keys(STORES).join(", ")}`);
  if (values.list) {
    for (const [name, { rows }] of Object.entries(listed)) console.log(`${name}\n  ${rows.join("\n  ")}`);
    return;
  }
  const elsewhere = Object.entries(isUsual ? STORES : {}).flatMap(([store, benchmarks]) =>
    Object.values(benchmarks)
      .flatMap(({ rows }) => rows)
      .map((name) => ({ name, reason: `npm run bench -- --store ${store}, with a cluster` })),
  );
  report(await measure(listed, elsewhere), old);
  // A leftover of a driver, such as a connection attempt, must not keep the process alive.
  setTimeout(() => process.exit(), 3000).unref();
}

await main();
