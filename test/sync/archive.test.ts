// A ledger as plain files: exported in the layout of backups, it gives a fresh node the same answers, all of them proven.
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { checkData, type Node } from "../../src/node.ts";
import {
  assertSameAnswers,
  chainOf,
  exportFrom,
  growChain,
  openOrigin,
  pruneChain,
  whole,
} from "../support/archive.ts";
import { followSigned, headOf, infoOf, opened, produce, untilLevel } from "../support/proving.ts";
import { startBytesServer } from "../support/signed-history.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .filter((file) => !file.startsWith(".export/"))
    .sort();
}

async function makeArchive(blocks = 23) {
  const data = temporaryFolder();
  await growChain(data, blocks);
  const out = temporaryFolder();
  const report = await exportFrom(data, out);
  return { data, out, report, url: pathToFileURL(out).href };
}

const restore = (truth: Node, url: string, more: Partial<Parameters<typeof followSigned>[0]> = {}) =>
  followSigned({ truth, upstreams: [url], proofs: [url], ...more });
describe("an archive", () => {
  it("has every kind of part in the layout of backups, each file whole, and gets what it lacks", async () => {
    const { data, out, report } = await makeArchive();
    expect(report).toMatchObject({ epochs: 6, stateVersion: 91n, lastVersion: 95n, versions: 96 });
    const files = filesOf(out);
    expect(readFileSync(join(out, "metadata.txt"), "utf8").split("\n")).toContain("transaction_60-95.meta");
    for (const file of files.filter((name) => name !== "metadata.txt"))
      expect(gunzipSync(readFileSync(join(out, file))).length).toBeGreaterThan(0);
    expect(files.filter((file) => file.startsWith("metadata/"))).toEqual([
      "metadata/epoch_ending_0-5.meta",
      "metadata/state_snapshot_ver_91.meta",
      "metadata/transaction_0-59.meta",
      "metadata/transaction_60-95.meta",
    ]);
    const kinds = new Set(files.map((file) => file.replace(/\d+/g, "N")));
    expect([...kinds]).toEqual([
      "epoch_ending_N-.N/N-.chunk",
      "epoch_ending_N-.N/epoch_ending.manifest",
      "metadata.txt",
      "metadata/epoch_ending_N-N.meta",
      "metadata/state_snapshot_ver_N.meta",
      "metadata/transaction_N-N.meta",
      "state_epoch_N_ver_N.N/N-.chunk",
      "state_epoch_N_ver_N.N/N-N.proof",
      "state_epoch_N_ver_N.N/state.manifest",
      "state_epoch_N_ver_N.N/state.proof",
      "transaction_N-.N/N-.chunk",
      "transaction_N-.N/N-N.proof",
      "transaction_N-.N/transaction.manifest",
    ]);
    await growChain(data, 7);
    const added = await exportFrom(data, out);
    expect(added.versions).toBe(Number(added.lastVersion - report.lastVersion));
    expect(added.epochs).toBeGreaterThan(0);
    expect(await exportFrom(data, out)).toMatchObject({
      epochs: 0,
      stateVersion: undefined,
      versions: 0,
      bytes: 0,
    });
  });

  it("is written by one export at a time", async () => {
    const data = temporaryFolder();
    await growChain(data, 9);
    const out = temporaryFolder();
    let other: Promise<unknown> | undefined;
    await exportFrom(data, out, {
      onProgress: () => {
        other ??= exportFrom(data, out).catch((error: unknown) => error);
      },
    });
    expect(await other).toMatchObject({ code: "locked", message: expect.stringContaining(out) });
    expect(await exportFrom(data, out)).toMatchObject({ bytes: 0 });
    expect(readdirSync(join(out, ".export"))).toEqual(["lock"]);
  });

  it("gives a fresh node the whole state and the same answers, all proven", async () => {
    const { data, url } = await makeArchive();
    const origin = await openOrigin(data);
    const replica = await restore(origin, url, whole);
    const info = await untilLevel(replica, "proven", await headOf(origin));
    expect(info).toMatchObject({ weakest_trust_level: "proven", oldest_ledger_version: "92" });
    await assertSameAnswers(origin, replica);
  });

  it("gives a fresh node every version from genesis on", async () => {
    const { data, url } = await makeArchive();
    const origin = await openOrigin(data);
    const replica = await restore(origin, url);
    await untilLevel(replica, "proven", await headOf(origin));
    expect((await infoOf(replica)).oldest_ledger_version).toBe("0");
    await assertSameAnswers(origin, replica);
  });

  it("is made from a node that has no first records, too", async () => {
    const data = temporaryFolder();
    await growChain(data, 23);
    const origin = await openOrigin(data);
    const replicaData = temporaryFolder();
    const { proofUrl = "" } = origin;
    const replica = await followSigned({ truth: origin, data: replicaData, proofs: [proofUrl], ...whole });
    await untilLevel(replica, "proven", await headOf(origin));
    await produce(origin, 9);
    await untilLevel(replica, "proven", await headOf(origin));
    await replica.close();
    const out = temporaryFolder();
    const report = await exportFrom(replicaData, out);
    expect(report).toMatchObject({ lastVersion: await headOf(origin), stateVersion: expect.any(BigInt) });
    const second = await restore(origin, pathToFileURL(out).href, whole);
    await untilLevel(second, "proven", report.lastVersion);
    await assertSameAnswers(origin, second);
  });

  it.each(["lmdb", "memory"])(
    "of a pruned ledger leads to all that was kept since the oldest end of an epoch, in %s",
    async (engine) => {
      const data = temporaryFolder();
      await growChain(data, 59);
      const unpruned = join(temporaryFolder(), "data");
      cpSync(data, unpruned, { recursive: true });
      await growChain(unpruned, 1);
      await pruneChain(data, 120);
      const out = temporaryFolder();
      const newest = await exportFrom(data, out);
      const oldest = await exportFrom(data, out, { stateAt: "oldest" });
      expect(Number(newest.stateVersion) - Number(oldest.stateVersion)).toBeGreaterThan(80);
      // Nothing older is kept, and nothing newer is asked for.
      expect(await exportFrom(data, out, { stateAt: "oldest" })).toMatchObject({ bytes: 0 });
      const origin = await openOrigin(unpruned);
      const path = temporaryFolder();
      const replica = await restore(origin, pathToFileURL(out).href, {
        ...(engine === "lmdb" && { data: path }),
        state: "whole",
        startVersion: `${Number(oldest.stateVersion) + 1}`,
      });
      const info = await untilLevel(replica, "proven", oldest.lastVersion);
      expect(info).toMatchObject({
        weakest_trust_level: "proven",
        oldest_ledger_version: `${Number(oldest.stateVersion) + 1}`,
      });
      await assertSameAnswers(origin, replica);
      await replica.close();
      if (engine === "lmdb") expect((await checkData(path)).findings).toEqual([]);
    },
  );

  it("leads to where another upstream goes on", async () => {
    const { data, url } = await makeArchive();
    await growChain(data, 9);
    const origin = await openOrigin(data);
    const replica = await restore(origin, url, { ...whole, upstreams: [url, origin.url ?? ""] });
    const { upstreams } = await until(async () => {
      const info = await infoOf(replica).catch(() => undefined);
      return info?.ledger_version === `${await headOf(origin)}` ? info : undefined;
    });
    expect(upstreams.map(({ state }) => state)).toEqual(["ok", "ok"]);
    await assertSameAnswers(origin, replica);
  });

  it("is followed on a web server, as it grows", async () => {
    const { data, out } = await makeArchive();
    const server = opened(await serveFolder(out));
    const origin = await openOrigin(data);
    const { href } = server.url;
    const replica = await restore(origin, href, { upstreams: [`backup+${href}`], ...whole });
    const first = await headOf(origin);
    await untilLevel(replica, "proven", first);
    await produce(origin, 9);
    const head = await headOf(origin);
    await origin.close();
    await exportFrom(data, out);
    await untilLevel(replica, "proven", head);
    await assertSameAnswers(await openOrigin(data), replica);
  });

  const inside = (pack: Buffer): number => Math.floor(pack.length / 2);
  it.each<[string, RegExp, "whole" | "lazy"]>([
    ["a chunk of epochs", /^epoch.*chunk$/, "whole"],
    ["the metadata of the state", /^metadata\/state/, "whole"],
    ["the manifest of the state", /state\.manifest$/, "whole"],
    ["the proof of the state root", /state\.proof$/, "whole"],
    ["a chunk of the state", /^state.*chunk$/, "whole"],
    ["the proof of a chunk of the state", /^state.*-\d+\.proof$/, "whole"],
    ["the metadata of records", /^metadata\/transaction/, "lazy"],
    ["a manifest of records", /transaction\.manifest$/, "lazy"],
    ["a chunk of records", /^transaction.*chunk$/, "lazy"],
    ["the proof of a chunk of records", /^transaction.*\.proof$/, "lazy"],
  ])("names a file that is damaged: %s", async (_, kind, state) => {
    const { origin, out, url } = await archive();
    const damaged = filesOf(out).find((file) => kind.test(file)) ?? "";
    const path = join(out, damaged);
    const honest = readFileSync(path);
    writeFileSync(
      path,
      honest.map((byte, i) => (i === inside(honest) ? byte ^ 1 : byte)),
    );
    const replica = await restore(origin, url, state === "whole" ? whole : {});
    const fault = await until(async () => faultOf(await infoOf(replica)));
    expect(fault).toContain(damaged);
    // Nothing of it is believed, and it is used once it is mended.
    writeFileSync(path, honest);
    await untilLevel(replica, "proven", await headOf(origin));
    await assertSameAnswers(origin, replica);
  });

  /** Changes one bit of the byte at an index, or of one that counts from the end. */
  const flip =
    (at: number) =>
    (content: Buffer): Uint8Array =>
      content.map((byte, i) => (i === (at < 0 ? content.length + at : at) ? byte ^ 1 : byte));
  const replace = (from: string | RegExp, to: string) => (content: Buffer) =>
    Buffer.from(String(content).replace(from, to));

  it.each<[string, RegExp, "whole" | "lazy", (content: Buffer) => Uint8Array]>([
    ["a signature of an epoch", /^epoch.*chunk$/, "whole", flip(-1)],
    ["an item", /^state.*chunk$/, "whole", flip(-1)],
    ["a sibling of an item", /^state.*-\d+\.proof$/, "whole", flip(-1)],
    ["a sibling of the state root", /state\.proof$/, "whole", flip(2)],
    ["the info with the state root", /state\.proof$/, "whole", flip(300)],
    [
      "the state root of the manifest",
      /state\.manifest$/,
      "whole",
      replace(/"root_hash":"./, '"root_hash":"x'),
    ],
    [
      "another state root",
      /state\.manifest$/,
      "whole",
      replace(/"root_hash":"\w{8}/, '"root_hash":"00000000'),
    ],
    ["a record's changes", /^transaction_0.*\/1-\.chunk$/, "lazy", flip(-1)],
    ["a record's transaction", /^transaction_0.*\/1-\.chunk$/, "lazy", flip(20)],
    ["a sibling of records", /^transaction_0.*\/1-\d+\.proof$/, "lazy", flip(2)],
    ["the last signature", /^transaction.*\.proof$/, "lazy", flip(-1)],
    ["a chunk that is cut", /^transaction_0.*\/1-\.chunk$/, "lazy", (content) => content.subarray(0, -1)],
  ])("is refused where it lies, and the file is named: %s", async (_, kind, state, lie) => {
    const { origin, out, url } = await archive();
    const damaged = filesOf(out).findLast((file) => kind.test(file)) ?? "";
    const path = join(out, damaged);
    const honest = readFileSync(path);
    writeFileSync(path, gzipSync(lie(gunzipSync(honest))));
    const replica = await restore(origin, url, state === "whole" ? whole : {});
    const fault = await until(async () => faultOf(await infoOf(replica)));
    expect(fault).toMatch(/malformed|unverified|gap|endless|mismatch|signature/);
    expect(fault).toContain(damaged);
    writeFileSync(path, honest);
    await untilLevel(replica, "proven", await headOf(origin));
  });
});

/** A chain and its archive, which are made once. */
let made: Promise<{ readonly origin: Node; readonly out: string }> | undefined;
afterAll(async () => (await made)?.origin.close());

/** The chain, and a copy of its archive. */
async function archive(): Promise<{ readonly origin: Node; readonly out: string; readonly url: string }> {
  made ??= makeArchive().then(async ({ data, out }) => ({ origin: await chainOf(data), out }));
  const { origin, out } = await made;
  const copy = join(temporaryFolder(), "out");
  cpSync(out, copy, { recursive: true });
  return { origin, out: copy, url: pathToFileURL(copy).href };
}

/** The fault of a source that was set aside, or that could not be read. */
function faultOf({ upstreams, proof_sources }: Awaited<ReturnType<typeof infoOf>>): string | undefined {
  return [...proof_sources, ...upstreams].find(({ last_fault }) => last_fault !== undefined)?.last_fault;
}

/** A web server that lists no files. */
async function serveFolder(root: string) {
  return startBytesServer((path) => {
    const name = path.slice(1);
    return existsSync(join(root, name)) && statSync(join(root, name)).isFile()
      ? readFileSync(join(root, name))
      : undefined;
  });
}
