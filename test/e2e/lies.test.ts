// Lies that need a process of their own to be seen: memory, signals, and kill -9 while trust is raised. The other rows
// are in test/sync/lies.test.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compareTrust, formatTrust, type TrustLevel, trustAt } from "../../src/ledger/trust.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { loadPosition } from "../../src/sync/reading.ts";
import { loadMatchedWaypoints } from "../../src/sync/waypoints.ts";
import { endWithTest } from "../support/children.ts";
import { createLiedWorld } from "../support/lied-world.ts";
import { startLiar } from "../support/lying-proxy.ts";
import { type Running, startProgram } from "../support/program.ts";
import { buildRaisedChain } from "../support/small-chain.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";
import { until } from "../support/until.ts";

/** More with SEXTANT_KILLS. */
const KILLS = Number(process.env.SEXTANT_KILLS ?? "5");
/** An open block of 64 MiB, the pages ahead of it, and what the collector has not taken yet. */
const MAX_GROWTH_BYTES = 200 * 2 ** 20;
const raiser = fileURLToPath(new URL("../support/trust-raiser.ts", import.meta.url));
const folder = temporaryFolder();
const world = await createLiedWorld(8, []);

/** Most memory that the process ever had resident. */
function peakBytes({ child }: Running): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
  return 1024 * Number(line?.[1] ?? 0);
}

describe("a lying upstream", () => {
  it("row 5: an endless block fills no memory, and its teller is set aside", async () => {
    const liar = await startLiar(world.truth.url);
    await world.truth.show(5);
    const genesis = world.genesisWaypoint;
    const node = await startProgram([
      ...["--upstream", liar.url, "--waypoint", genesis, "--data", join(folder, "endless")],
      ...["--upstream-rate", "0", "--log-level", "error", "--prune-window", "off"],
    ]);
    const info = async (): Promise<{ ledger_version: string; upstreams: { state: string }[] }> =>
      (await fetch(`${node.url}/info`)).json() as never;
    const end = await world.truth.end(5);
    await until(async () => BigInt((await info()).ledger_version ?? "-1") >= end);
    const before = peakBytes(node);
    // Seed 1 tells a block that never ends, not a body that never ends.
    liar.tell("endless", { seed: 1, endless: await world.endlessAfter(5, 100_000) });
    await until(async () => {
      if (peakBytes(node) - before > 2 * MAX_GROWTH_BYTES) return true;
      return (await info()).upstreams.some(({ state }) => state === "set_aside");
    });
    expect(peakBytes(node) - before).toBeLessThan(MAX_GROWTH_BYTES);
    expect(await info()).toMatchObject({ ledger_version: `${end}`, upstreams: [{ state: "set_aside" }] });
    // It goes on when the liar stops.
    liar.tell(undefined);
    const next = await world.truth.show(8);
    await until(async () => BigInt((await info()).ledger_version) >= next);
    expect((await node.stop()).code).toBe(0);
    await liar.close();
  });
});

/** A raiser that waits for its input; it dies at the n-th write of its run. */
function startRaiser(path: string, kill: number) {
  const moment = ["after", "during", "before"][kill % 3] ?? "after";
  // The second write is the first raise; each run then starts at another one of the writes.
  const args = [...AS_BUILT, raiser, path, `${2 + (kill % 4)}`, moment];
  return endWithTest(spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }));
}

it(`loses no level and raises none too far when it is killed ${KILLS} times while raising`, async () => {
  const path = join(folder, "raised");
  const chain = await buildRaisedChain();
  let said = -1n;
  let next = startRaiser(path, 0);
  for (let kill = 0; kill < KILLS; kill++) {
    const child = next;
    // The next process loads its code meanwhile.
    if (kill < KILLS - 1) next = startRaiser(path, kill + 1);
    const ended = once(child, "exit");
    child.stdin.end("go\n");
    for await (const line of createInterface({ input: child.stdout })) {
      said = BigInt(line.split(" ")[1] ?? "0");
    }
    expect(await ended).toEqual([null, "SIGKILL"]);
    await expectRaised(path, chain, said);
  }
  expect(said).toBeGreaterThanOrEqual(0n);
});

/** Every version has the level of the highest stored waypoint at or above it, and what was said is stored. */
async function expectRaised(
  path: string,
  chain: Awaited<ReturnType<typeof buildRaisedChain>>,
  said: bigint,
): Promise<void> {
  const store = await openLmdbStore({ path });
  const position = await loadPosition(store);
  const matched = await loadMatchedWaypoints(store);
  await store.close();
  if (position === undefined) {
    expect(said).toBe(-1n);
    return;
  }
  // In the order of their matching, which goes up.
  const highest = matched.at(-1)?.version ?? -1n;
  expect(highest).toBeGreaterThanOrEqual(said);
  for (const { version, hash } of matched) {
    const own = chain.waypoints.find((waypoint) => waypoint.version === version);
    expect(Buffer.from(hash).toString("hex")).toBe(Buffer.from(own?.hash ?? []).toString("hex"));
  }
  for (let version = 0n; version <= position.version; version++) {
    const kind = version <= highest && highest > 0n ? "anchored" : highest >= 0n ? "chained" : "trusted";
    const expected: TrustLevel = { kind };
    const level = trustAt(position.trust, version);
    const text = `version ${version}: ${formatTrust(level)}, expected ${formatTrust(expected)}, matched ${highest}`;
    expect(compareTrust(level, expected), text).toBe(0);
  }
}
