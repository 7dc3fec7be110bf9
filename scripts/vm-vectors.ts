// Runs the virtual machine on recorded runs of the reference's and compares: `npm run vm:vectors -- [FOLDER]
// [--kind=unit|views|transactions|mainnet|testnet] [--only=TEXT] [--each=N]`. One line for each part, one for each
// difference; exit 1 if there is one. `--each=N` runs one unit test in N, another share for another TEST_SEED.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runTestnet } from "./vm/testnet.ts";
import { runMainnet, runTransactions } from "./vm/transactions.ts";
import { PACKAGES, runUnitTests } from "./vm/unit-tests.ts";
import { type Tally, Vectors } from "./vm/vectors.ts";
import { runViews } from "./vm/views.ts";

const { values, positionals } = parseArgs({
  options: { kind: { type: "string" }, only: { type: "string" }, each: { type: "string", default: "1" } },
  allowPositionals: true,
});
const folder = resolve(positionals[0] ?? join(process.env.SEXTANT_SHARED ?? "../shared", "vectors/vm"));
const vectors = new Vectors(folder, values.only);

let isEqual = true;
function print(tally: Tally | undefined): void {
  if (tally !== undefined && !tally.print()) isEqual = false;
}

const isKind = (kind: string): boolean => values.kind === undefined || values.kind === kind;
if (!existsSync(folder)) {
  console.error(`There is no folder ${folder}: name the one that has the vectors of the virtual machine.`);
  process.exit(2);
}
const each = Number(values.each);
const seed = Number(process.env.TEST_SEED ?? 0);
const isDrawn = (index: number): boolean => (index + seed) % each === 0;
if (isKind("unit")) for (const name of PACKAGES) print(runUnitTests(vectors, name, isDrawn));
if (isKind("views")) print(runViews(vectors));
if (isKind("transactions"))
  for (const name of ["transactions.jsonl", "transactions-2.jsonl", "transactions-3.jsonl"])
    print(await runTransactions(vectors, name));
if (isKind("mainnet")) print(await runMainnet(vectors));
if (isKind("testnet")) print(runTestnet(vectors));
process.exitCode = isEqual ? 0 : 1;
