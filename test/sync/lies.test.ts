// The thirteen ways in which a liar once made a node promise more than it knew, each as a test. A proxy that speaks only
// HTTP tells the lies. Row 5 needs a process: test/e2e/lies.test.ts. Row 10, a store that is cut, is in
// test/e2e/storage-faults.test.ts.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatTrust } from "../../src/ledger/trust.ts";
import { judge, LiedNode, type LiedOptions } from "../support/lied-node.ts";
import { createLiedWorld } from "../support/lied-world.ts";
import { type Liar, startLiar } from "../support/lying-proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const world = await createLiedWorld(24, [9, 12]);
const { truth } = world;
/** Every fourth: accounts, assets and tables of every form are among them. */
const questions = world.questions.filter((_, i) => i % 4 === 0);
const folder = temporaryFolder();
let stores = 0;

async function liar(): Promise<Liar> {
  const proxy = await startLiar(truth.url);
  onTestFinished(() => proxy.close());
  return proxy;
}

const liars = (count: number): Promise<Liar[]> => Promise.all(Array.from({ length: count }, liar));
const newData = (): string => join(folder, `store-${stores++}`);

async function start(options: LiedOptions): Promise<LiedNode> {
  const node = await LiedNode.start(options);
  onTestFinished(() => node.close());
  return node;
}

const urls = (proxies: readonly Liar[]): string[] => proxies.map(({ url }) => url);

/** The last versions of some blocks between two heights, with both ends. */
async function versionsBetween(low: number, high: number): Promise<bigint[]> {
  const out: bigint[] = [];
  for (let height = low; height < high; height += 4) out.push(await truth.end(height));
  return [...out, await truth.end(high)];
}

let liedFolder: Promise<string> | undefined;

/** A store that began in the middle with a liar about balances, at block 20. */
async function liedStore(): Promise<string> {
  liedFolder ??= makeLiedStore();
  const data = newData();
  cpSync(await liedFolder, data, { recursive: true });
  await truth.show(20);
  return data;
}

async function makeLiedStore(): Promise<string> {
  const [first] = await liars(1);
  await truth.show(10);
  const data = newData();
  const node = await LiedNode.start({ data, follow: { upstreams: urls([first!]), startVersion: "latest" } });
  first!.tell("value", { seed: 2, oneIn: 1, isConsistent: true });
  const version = await node.reaches(await truth.show(20));
  const { wrong } = await judge(node, { world, questions, versions: [version] });
  expect(wrong).toBeGreaterThan(0);
  await node.close();
  return data;
}

describe("a lying upstream", () => {
  it("row 1: one liar of three changes balances inside a page, and no wrong one is answered as agreed", async () => {
    const all = await liars(3);
    const base = await truth.end(10);
    const last = await truth.show(24);
    // The liar is listed first, so the node takes the pages from it.
    all[0]!.tell("value", { seed: 1, oneIn: 1, isConsistent: true, from: base + 1n });
    const node = await start({ follow: { upstreams: urls(all), agree: "2/3", startVersion: `${base}` } });
    await node.reaches(last);
    const { breaches, right, wrong } = await judge(node, {
      world,
      questions,
      versions: await versionsBetween(11, 24),
    });
    expect(breaches).toEqual([]);
    expect({ wrong, some: right > 20 }).toEqual({ wrong: 0, some: true });
    expect([...node.blamed()]).toEqual([all[0]!.url]);
  });

  it.each<[string, number, () => Promise<{ waypoint?: string; agree?: string }>]>([
    ["row 2: a true waypoint raises", 1, async () => ({ waypoint: await world.waypoint(16) })],
    ["row 3: agreement on later records raises", 3, async () => ({ agree: "2/3" })],
  ])("%s nothing in a store that began in the middle with a liar", async (_, count, evidence) => {
    const data = await liedStore();
    const { waypoint, agree } = await evidence();
    const node = await start({ data, waypoint, follow: { upstreams: urls(await liars(count)), agree } });
    await node.reaches(await truth.show(22));
    const { breaches, wrong } = await judge(node, {
      world,
      questions,
      versions: await versionsBetween(12, 22),
    });
    expect(breaches).toEqual([]);
    expect(wrong).toBeGreaterThan(0);
    expect([...node.blamed()]).toEqual([]);
  });

  it("row 4: an upstream of another chain is asked for no item, before and after a restart", async () => {
    const [only] = await liars(1);
    await truth.show(10);
    const data = newData();
    const follow = { upstreams: urls([only!]) };
    let node = await start({ data, follow: { ...follow, startVersion: "latest" } });
    const version = (await node.version())!;
    for (const other of world.others) await other.show(24);
    for (const { url: otherUrl } of world.others) {
      only!.tell("other chain", { seed: 4, otherUrl });
      await until(() => node.blamed().has(only!.url));
      expect((await judge(node, { world, questions, versions: [version] })).wrong).toBe(0);
      only!.tell(undefined);
      await until(async () => (await node.info()).sync_state === "at_head");
    }
    // After a restart the item is asked for before the first page.
    await node.close();
    only!.tell("other chain", { seed: 4, otherUrl: world.others[1]!.url });
    node = await start({ data, follow });
    expect((await judge(node, { world, questions, versions: [version] })).wrong).toBe(0);
    // Nothing of the other chains was kept.
    only!.tell(undefined);
    await node.reaches(await truth.show(12));
    const after = await judge(node, { world, questions, versions: [version] });
    expect(after.wrong).toBe(0);
    expect(after.right).toBeGreaterThan(questions.length / 2);
  });

  it("row 6: an upstream that sends its head byte by byte holds up neither progress nor the truth about it", async () => {
    const [honest, slow] = await liars(2);
    await truth.show(10);
    const node = await start({ genesis: world.genesis, follow: { upstreams: urls([honest!, slow!]) } });
    await node.reaches(await truth.end(10));
    slow!.tell("slow", { seed: 6, slowMs: 2_000 });
    for (const height of [11, 12, 13]) {
      const wanted = await truth.show(height);
      // An answer of the slow one takes minutes.
      await until(async () => ((await node.version())! >= wanted ? true : undefined), 100_000);
    }
    honest!.tell("slow", { seed: 6, slowMs: 2_000 });
    await truth.show(14);
    await until(async () => ((await node.info()).sync_state === "at_head" ? undefined : true));
  });

  it("row 7: a fork is refuted by a later waypoint, and the upstream that told the truth is not blamed", async () => {
    const [forger, honest] = await liars(2);
    const { chain: fork } = world.forks[0]!;
    await fork.show(14);
    await truth.show(14);
    forger!.tell("fork", { seed: 7, forkUrl: fork.url });
    const waypoint = [world.genesisWaypoint, await world.waypoint(18)];
    const follow = { upstreams: urls([forger!, honest!]) };
    const data = newData();
    const node = await start({ data, genesis: world.genesis, waypoint, follow });
    await node.reaches(await fork.end(14));
    await Promise.all([fork.show(24), truth.show(24)]);
    await until(async () => {
      const { refuted_from: refuted } = await node.info();
      return refuted !== undefined || (await node.version())! >= (await truth.end(24));
    });
    const versions = await versionsBetween(8, 18);
    const { breaches, wrong } = await judge(node, { world, questions, versions });
    expect({ breaches, wrong }).toEqual({ breaches: [], wrong: 0 });
    expect([...node.blamed()]).not.toContain(honest!.url);
    expect((await node.info()).waypoint).toBeUndefined();
    // The mark is durable, also for a process that only reads.
    await node.close();
    const reader = await start({ data, readOnly: true });
    expect(await judge(reader, { world, questions, versions })).toMatchObject({ breaches: [], wrong: 0 });
    expect((await reader.info()).waypoint).toBeUndefined();
  });

  it("row 8: a liar far ahead, listed first, neither stops a node that wants agreement nor ends it", async () => {
    const all = await liars(3);
    const fork = world.forks.find(({ shared }) => shared === 12)!.chain;
    await fork.show(24);
    await truth.show(12);
    all[0]!.tell("fork", { seed: 8, forkUrl: fork.url });
    const follow = { upstreams: urls(all), agree: "2/3", giveUpTimeMs: 100 };
    const node = await start({ genesis: world.genesis, waypoint: world.genesisWaypoint, follow });
    let fault: Error | undefined;
    void node.node.faulted.then((error) => {
      fault = error;
    });
    for (const height of [12, 13, 14, 15]) {
      await node.reaches(await truth.show(height));
      // The honest chain is slow: the give-up time passes more than once between its blocks.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(fault).toBeUndefined();
    }
    const judged = await judge(node, { world, questions, versions: await versionsBetween(12, 15) });
    expect(judged).toMatchObject({ breaches: [], wrong: 0 });
    expect([...node.blamed()]).toEqual([all[0]!.url]);
  });

  it("row 9: a value changed in the store's file is an error, never another number", async () => {
    const [honest] = await liars(1);
    await truth.show(20);
    const data = newData();
    const options = { data, waypoint: world.genesisWaypoint, genesis: world.genesis };
    const first = await start({ ...options, follow: { upstreams: urls([honest!]) } });
    const version = await first.reaches(await truth.end(20));
    await first.close();
    const changed = await changeBalances(join(data, "data.mdb"), version);
    expect(changed).toBeGreaterThan(0);
    const node = await start({ ...options, follow: { upstreams: urls([honest!]) } });
    let errors = 0;
    for (const question of questions) {
      const [reply, expected] = [await node.ask(question, version), await truth.answer(question, version)];
      if (reply.status >= 500) errors++;
      else expect(reply.body, question.path).toBe(expected.body);
    }
    expect(errors).toBeGreaterThan(0);
  });

  it("row 11: a read-only process says the same of a store that rests on one upstream's word", async () => {
    const data = await liedStore();
    const node = await start({ data, readOnly: true });
    const versions = await versionsBetween(12, 20);
    const { breaches } = await judge(node, { world, questions, versions });
    expect(breaches).toEqual([]);
    const info = await node.info();
    expect(info).toMatchObject({ trust_level: "trusted" });
    expect(info.waypoint).toBeUndefined();
  });

  it("row 12: a liar that is outvoted on an item is set aside, with a log line", async () => {
    const all = await liars(3);
    await truth.show(10);
    const node = await start({ follow: { upstreams: urls(all), agree: "2/3", startVersion: "latest" } });
    all[1]!.tell("item", { seed: 12 });
    const version = (await node.version())!;
    const judged = await judge(node, { world, questions, versions: [version] });
    expect(judged).toMatchObject({ breaches: [], wrong: 0 });
    expect(judged.right).toBeGreaterThan(questions.length / 2);
    await until(() => node.blamed().size > 0);
    expect([...node.blamed()]).toEqual([all[1]!.url]);
    const reply = await node.ask(questions[0]!, version);
    expect(formatTrust(reply.level)).toBe("agreed 2/3");
  });

  it("row 13: a waypoint still to come neither stops nor misleads a store that began in the middle", async () => {
    const [honest] = await liars(1);
    await truth.show(10);
    const data = newData();
    const follow = { upstreams: urls([honest!]) };
    const first = await LiedNode.start({ data, follow: { ...follow, startVersion: "latest" } });
    await first.close();
    const node = await start({ data, follow, waypoint: await world.waypoint(14) });
    const last = await truth.show(20);
    await until(async () => ((await node.version())! >= last ? true : undefined));
    expect([...node.blamed()]).toEqual([]);
    const reply = await node.ask(questions[0]!, last);
    expect(formatTrust(reply.level)).toBe("trusted");
  });
});

/** Changes every stored balance that the questions read at a version, in the file of a closed store. */
async function changeBalances(path: string, version: bigint): Promise<number> {
  const bytes = readFileSync(path);
  let changed = 0;
  for (const { path: asked, body, accept } of questions) {
    if (body !== undefined || accept !== "application/json") continue;
    const reply = await truth.answer({ path: asked, accept }, version);
    const amount = BigInt(Buffer.from(reply.body, "hex").toString("utf8") || "0");
    if (reply.status !== 200 || amount < 2n ** 24n) continue;
    const wanted = Buffer.alloc(8);
    wanted.writeBigUInt64LE(amount);
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 8)) {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      changed++;
    }
  }
  writeFileSync(path, bytes);
  return changed;
}
