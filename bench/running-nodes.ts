// A balance from two nodes that somebody runs: one request at a time, few, and none to a host that the user did not name.
import { setTimeout as sleep } from "node:timers/promises";
import { pathTo } from "../src/interface/route.ts";
import { balanceRoute } from "../src/interface/routes.ts";
import { type BenchRow, type RunningNodes, toRow } from "./harness.ts";

/** Requests to each of the nodes: these, and one more to connect. */
const ROUNDS = 20;
/** A round begins at most this often. */
const ROUND_MS = 500;
const TIMEOUT_MS = 10_000;
const COIN = "0x1::aptos_coin::AptosCoin";
const ROW = "balance of one account, your node over your full node, by the clock";

/** Asks two running nodes for the same balance, one request at a time. Milliseconds, with the way through the network. */
export async function compareRunning(
  { node, fullNode, account }: RunningNodes,
  { fetch: ask = fetch, pause = (ms: number): Promise<void> => sleep(ms) } = {},
): Promise<BenchRow> {
  const path = pathTo(balanceRoute, { address: account, asset_type: COIN });
  const take = async (url: string): Promise<{ readonly ms: number; readonly balance: string }> => {
    const target = `${url.replace(/\/(?:v1\/?)?$/, "")}${path}`;
    const started = performance.now();
    // A redirect would lead to a host that nobody named.
    const response = await ask(target, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${target}: ${response.status} ${text.slice(0, 200)}`);
    return { ms: performance.now() - started, balance: text };
  };
  // Connects.
  await take(node);
  await take(fullNode);
  const [ours, base]: [number[], number[]] = [[], []];
  let same = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    const mine = await take(node);
    const theirs = await take(fullNode);
    ours.push(mine.ms);
    base.push(theirs.ms);
    if (mine.balance === theirs.balance) same++;
    await pause(Math.max(0, ROUND_MS - (performance.now() - started)));
  }
  const note = `the same balance in ${same} of ${ROUNDS} rounds`;
  return toRow(ROW, { ours, base }, { unit: "ms", basis: "clock", note });
}
