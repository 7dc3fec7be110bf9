// A ledger as plain files: exported in the layout of backups, it gives a fresh node the same answers, all of them proven.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { checkData, createNode, type Node } from "../../src/node.ts";
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

type Report = Awaited<ReturnType<typeof exportFrom>>;
/** A chain and its archive, which are made once: a node of the chain, which only answers, and what the others copy. */
let made: Promise<{ data: string; out: string; report: Report; origin: Node }> | undefined;
afterAll(async () => (await made)?.origin.close());

async function makeOnce() {
  const data = temporaryFolder();
  await growChain(data, 23);
  const out = temporaryFolder();
  const report = await exportFrom(data, out);
  return { data, out, report, origin: await chainOf(copyOf(data)) };
}

function copyOf(folder: string): string {
  const copy = join(temporaryFolder(), "copy");
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Copies of the chain and its archive. */
async function archive() {
  made ??= makeOnce();
  const { data, out, report, origin } = await made;
  const copy = copyOf(out);
  return { data: copyOf(data), out: copy, url: pathToFileURL(copy).href, report, origin };
}

const restore = (truth: Node, url: string, more: Partial<Parameters<typeof followSigned>[0]> = {}) =>
  followSigned({ truth, upstreams: [url], proofs: [url], ...more });
describe("an archive", () => {
  it("has every kind of part in the layout of backups, each file whole, and gets what it lacks", async () => {
    const { data, out, report } = await archive();
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
    const { data } = await archive();
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

  it("goes on with its own ledger alone, and not where its metadata is damaged", async () => {
    const { data, out } = await archive();
    const other = temporaryFolder();
    const node = opened(await createNode({ data: other, localChain: { seed: "other", epochTimeMs: 5_000 } }));
    await produce(node, 40);
    await node.close();
    await expect(exportFrom(other, out)).rejects.toThrow("has another ledger, with another version 95");
    // Its last records are signed at a version that the other ledger lacks.
    const young = temporaryFolder();
    const begun = opened(
      await createNode({ data: young, localChain: { seed: "other", epochTimeMs: 5_000 } }),
    );
    await produce(begun, 5);
    await begun.close();
    const early = temporaryFolder();
    await exportFrom(data, early, { to: 40n });
    await expect(exportFrom(young, early)).rejects.toThrow("after the latest here");
    // An export that ended before its first records.
    const cut = join(early, "metadata");
    for (const name of readdirSync(cut)) if (name.startsWith("transaction_")) rmSync(join(cut, name));
    await expect(exportFrom(other, early)).rejects.toThrow("has another ledger");
    writeFileSync(join(out, "metadata/transaction_60-95.meta"), "{");
    await expect(exportFrom(data, out)).rejects.toThrow("transaction_60-95.meta: a metadata line is no JSON");
  });

  it("gives a fresh node the whole state and the same answers, all proven", async () => {
    const { origin, url } = await archive();
    const replica = await restore(origin, url, whole);
    const info = await untilLevel(replica, "proven", await headOf(origin));
    expect(info).toMatchObject({ weakest_trust_level: "proven", oldest_ledger_version: "92" });
    await assertSameAnswers(origin, replica);
  });

  it("gives a fresh node every version from genesis on", async () => {
    const { origin, url } = await archive();
    const replica = await restore(origin, url);
    await untilLevel(replica, "proven", await headOf(origin));
    expect((await infoOf(replica)).oldest_ledger_version).toBe("0");
    await assertSameAnswers(origin, replica);
  });

  it("is made from a node that has no first records, too", async () => {
    const { data } = await archive();
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

  it("of a pruned ledger leads to all that was kept since the oldest end of an epoch", async () => {
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
      data: path,
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
    expect((await checkData(path)).findings).toEqual([]);
  });

  it("leads to where another upstream goes on", async () => {
    const { data, url } = await archive();
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
    const { data, out } = await archive();
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

  it.each<["whole" | "lazy", RegExp[]]>([
    [
      "whole",
      [
        /^epoch.*chunk$/,
        /^metadata\/state/,
        /state\.manifest$/,
        /state\.proof$/,
        /^state.*chunk$/,
        /^state.*-\d+\.proof$/,
      ],
    ],
    [
      "lazy",
      [/^metadata\/transaction/, /transaction\.manifest$/, /^transaction.*chunk$/, /^transaction.*\.proof$/],
    ],
  ])("names each file that is damaged, for a %s replica", async (state, kinds) => {
    const { origin, out, url } = await archive();
    const damaged = kinds.map((kind) => filesOf(out).find((file) => kind.test(file)) ?? "");
    const changes = damaged.map((file) =>
      change(out, file, (pack) => flip(Math.floor(pack.length / 2))(pack)),
    );
    const replica = await restore(origin, url, state === "whole" ? whole : {});
    await mendAsNamed(replica, changes);
    // Nothing of them was believed, and they are used once they are mended.
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
  type Lie = readonly [file: RegExp, lie: (content: Buffer) => Uint8Array];

  it.each<[string, "whole" | "lazy", Lie[]]>([
    [
      "a signature of an epoch, an item, siblings of an item and of the state root, a root that is none",
      "whole",
      [
        [/^epoch.*chunk$/, flip(-1)],
        [/^state.*chunk$/, flip(-1)],
        [/^state.*-\d+\.proof$/, flip(-1)],
        [/state\.proof$/, flip(2)],
        [/state\.manifest$/, replace(/"root_hash":"./, '"root_hash":"x')],
      ],
    ],
    [
      "the info with the state root, another state root",
      "whole",
      [
        [/state\.proof$/, flip(300)],
        [/state\.manifest$/, replace(/"root_hash":"\w{8}/, '"root_hash":"00000000')],
      ],
    ],
    [
      "a record's changes, a sibling of records, the last signature",
      "lazy",
      [
        [/^transaction_0.*\/1-\.chunk$/, flip(-1)],
        [/^transaction_0.*\/1-\d+\.proof$/, flip(2)],
        [/^transaction.*\.proof$/, flip(-1)],
      ],
    ],
    ["a record's transaction", "lazy", [[/^transaction_0.*\/1-\.chunk$/, flip(20)]]],
    ["a chunk that is cut", "lazy", [[/^transaction_0.*\/1-\.chunk$/, (content) => content.subarray(0, -1)]]],
  ])("is refused where it lies, and each file is named: %s", async (_, state, lies) => {
    const { origin, out, url } = await archive();
    const changes = lies.map(([kind, lie]) => {
      const file = filesOf(out).findLast((one) => kind.test(one)) ?? "";
      return change(out, file, (pack) => gzipSync(lie(gunzipSync(pack))));
    });
    const replica = await restore(origin, url, state === "whole" ? whole : {});
    for (const fault of await mendAsNamed(replica, changes))
      expect(fault).toMatch(/malformed|unverified|gap|endless|mismatch|signature/);
    await untilLevel(replica, "proven", await headOf(origin));
  });
});

interface Change {
  readonly file: string;
  mend(): void;
}

function change(out: string, file: string, make: (pack: Buffer) => Uint8Array): Change {
  const path = join(out, file);
  const honest = readFileSync(path);
  writeFileSync(path, make(honest));
  return { file, mend: () => writeFileSync(path, honest) };
}

/** Mends each file once the node names it, in the order in which it finds them. Returns what it said of each. */
async function mendAsNamed(node: Node, changes: readonly Change[]): Promise<string[]> {
  const left = [...changes];
  const said: string[] = [];
  while (left.length > 0) {
    const [at, fault] = await until(async () => {
      const { upstreams, proof_sources } = await infoOf(node);
      for (const { last_fault: fault } of [...proof_sources, ...upstreams]) {
        const at = left.findIndex(({ file }) => fault?.includes(file));
        if (at >= 0 && fault !== undefined) return [at, fault] as const;
      }
      return undefined;
    });
    said.push(fault);
    for (const { mend } of left.splice(at, 1)) mend();
  }
  return said;
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
