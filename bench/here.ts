// How fast the program is on this machine, in about two minutes: requests over a bare server, over PostgreSQL where there is
// one, and a running node over a running full node.
import type { BenchOptions, BenchRow } from "./harness.ts";
import { benchmarkHttp, CONNECTIONS } from "./http.ts";
import { compareWithPostgres } from "./peers.ts";
import { compareRunning } from "./running-nodes.ts";

const SERIES = [
  "balance, latest",
  "balance, latest, same thousand accounts",
  "balance, random version",
  "raw item, BCS",
  "encode a transfer",
];

/** Names of the rows that every machine can measure. */
export const HERE_ROWS: readonly string[] = SERIES.map((name) => `${name}, ${CONNECTIONS} connections`);

/** Rows of this machine. */
export async function benchmarkHere(options: BenchOptions): Promise<readonly BenchRow[]> {
  const rows = await benchmarkHttp(options, (all) =>
    all
      .filter(({ name }) => SERIES.includes(name))
      .map(({ name, requests }) => ({ name, requests, connections: [CONNECTIONS] })),
  );
  const { running } = options;
  return [
    ...rows,
    ...(await compareWithPostgres(options)),
    ...(running === undefined ? [] : [await compareRunning(running)]),
  ];
}
