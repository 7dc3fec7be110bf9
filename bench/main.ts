// Runs the benchmarks and prints their ratios as one table. --quick takes less data, --only NAME one benchmark,
// --json machine-readable rows.
import { parseArgs } from "node:util";
import { benchmarkEncode } from "./encode.ts";
import { type Benchmark, type BenchRow, formatTable } from "./harness.ts";
import { benchmarkHttp } from "./http.ts";
import { benchmarkStore } from "./store.ts";

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  http: benchmarkHttp,
  store: benchmarkStore,
  encode: benchmarkEncode,
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string" },
    scale: { type: "string", default: "1" },
  },
});

const names = Object.keys(BENCHMARKS).filter((name) => values.only === undefined || name === values.only);
if (names.length === 0) {
  console.error(`no benchmark ${values.only}; there are ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exit(1);
}

const rows: BenchRow[] = [];
for (const name of names) {
  console.error(`running ${name}`);
  const found =
    (await BENCHMARKS[name]?.({ quick: values.quick, scale: values.quick ? 0.01 : Number(values.scale) })) ??
    [];
  rows.push(...found.map((row) => ({ ...row, name: `${name}: ${row.name}` })));
}
console.log(values.json ? JSON.stringify(rows, null, 2) : formatTable(rows));
