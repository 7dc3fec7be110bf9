// Proof sources: what an honest one leads to, and each way of lying, which leads to the reason and to nothing stored.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { computeWaypoint, formatWaypoint } from "../../src/ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../src/proof/ledger-info.ts";
import { ledgerInfoCodec } from "../../src/proof/ledger-info.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { createBackupFolder } from "../../src/sync/signatures/backup-folder.ts";
import { BackupService } from "../../src/sync/signatures/backup-service.ts";
import { bucketOf, LocalFiles, WebFiles } from "../../src/sync/signatures/folder-files.ts";
import { lengthRecord } from "../../src/sync/signatures/length-records.ts";
import { SignedChain } from "../../src/sync/signatures/signed-chain.ts";
import { loadEpochEnd } from "../../src/sync/signatures/signed-rows.ts";
import type { SignatureSource } from "../../src/sync/signatures/source.ts";
import { UpstreamError } from "../../src/sync/upstream/errors.ts";
import { epochState, ledgerInfoOf, sign } from "../support/proof-network.ts";
import {
  backupFiles,
  encodeSigned,
  epochEnd,
  framed,
  keepSignatures,
  keptEpochs,
  latestOf,
  serviceAnswer,
  signedHistory,
  startBytesServer,
  writeFolder,
} from "../support/signed-history.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const history = signedHistory(7);
const genesisWaypoint = history.waypoint;

async function folderOf(files: ReadonlyMap<string, Uint8Array>): Promise<SignatureSource> {
  const url = writeFolder(temporaryFolder(), files);
  return createBackupFolder(url.href, new LocalFiles(url));
}

async function web(answer: (path: string) => Uint8Array | number | undefined) {
  const server = await startBytesServer(answer);
  onTestFinished(() => server.close());
  return server;
}

async function serviceOf(ends: readonly SignedLedgerInfo[], latest: SignedLedgerInfo) {
  const server = await web((path) => serviceAnswer(path, ends, latest));
  return { server, source: new BackupService(server.url) };
}

function files(change: (files: Map<string, Uint8Array>) => void = () => {}): Map<string, Uint8Array> {
  const all = backupFiles(history.ends);
  change(all);
  return all;
}

const metaOf = (epochs: string): string => `metadata/epoch_ending_${epochs}.meta`;

function changeJson(all: Map<string, Uint8Array>, path: string, from: string, to: string): void {
  const text = Buffer.from(all.get(path) ?? []).toString();
  expect(text).toContain(from);
  all.set(path, Buffer.from(text.replace(from, to)));
}

describe("a backup folder", () => {
  it("on this machine leads from genesis to the last epoch, and from a later waypoint", async () => {
    const rows = createMemoryStore();
    const { chain, judged } = await keepSignatures(await folderOf(files()), { store: rows });
    expect(await judged()).toMatchObject({ state: "ok" });
    expect(chain.epoch).toBe(8n);
    expect(await keptEpochs(rows)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]);

    const later = createMemoryStore();
    const fifth = history.ends[5] as SignedLedgerInfo;
    const second = await keepSignatures(await folderOf(files()), {
      store: later,
      waypoint: computeWaypoint(fifth.ledgerInfo),
    });
    await second.judged();
    expect(await keptEpochs(later)).toEqual([5n, 6n, 7n]);
  });

  it("over HTTP is read with an index file, and in a bucket page by page", async () => {
    const all = files();
    const index = [...all.keys()].filter((path) => path.startsWith("metadata/")).map((path) => path.slice(9));
    const served = await web((path) => {
      if (path === "/e1/metadata.txt") return Buffer.from(index.join("\n"));
      const bytes = all.get(path.replace("/e1/", ""));
      return bytes && gzipSync(bytes);
    });
    const rows = createMemoryStore();
    const base = new URL("e1", served.url);
    const first = await keepSignatures(createBackupFolder("web", new WebFiles(base, "test")), {
      store: rows,
    });
    await first.judged();
    expect(first.chain.epoch).toBe(8n);

    const bucket = await web((path) => {
      const url = new URL(path, "http://bucket");
      if (url.pathname === "/bucket" && url.searchParams.get("prefix") === "e1/metadata/") {
        const page = Number(url.searchParams.get("continuation-token") ?? "0");
        const key = `e1/metadata/${index[page]}`;
        const isLast = page === index.length - 1;
        return Buffer.from(
          `<?xml version="1.0"?><ListBucketResult><Key>${key}</Key><IsTruncated>${!isLast}</IsTruncated>${isLast ? "" : `<NextContinuationToken>${page + 1}</NextContinuationToken>`}</ListBucketResult>`,
        );
      }
      return all.get(path.replace("/bucket/e1/", ""));
    });
    const bucketUrl = new URL("bucket/e1", bucket.url);
    const second = await keepSignatures(createBackupFolder("bucket", new WebFiles(bucketUrl, "test")));
    await second.judged();
    expect(second.chain.epoch).toBe(8n);
  });

  it("is found in the hosts of public buckets", () => {
    const shown = (url: string) => {
      const bucket = bucketOf(new URL(url));
      return bucket && `${bucket.root.href} ${bucket.prefix}`;
    };
    expect(shown("https://some-backup.s3.amazonaws.com/e1")).toBe(
      "https://some-backup.s3.amazonaws.com/ e1/",
    );
    expect(shown("https://s3.eu-west-1.amazonaws.com/b/e1")).toBe("https://s3.eu-west-1.amazonaws.com/b e1/");
    expect(shown("https://storage.googleapis.com/b/e1/")).toBe("https://storage.googleapis.com/b e1/");
    expect(shown("https://example.org/e1")).toBeUndefined();
  });

  const lies: [name: string, change: (all: Map<string, Uint8Array>) => void, reason: RegExp, kept: number][] =
    [
      [
        "a gap in the epochs",
        (all) => all.delete(metaOf("3-5")),
        /^gap: the backup has later epochs, but not epoch 3/,
        3,
      ],
      [
        "a manifest of other epochs",
        (all) => changeJson(all, metaOf("3-5"), '"last_epoch":5', '"last_epoch":6'),
        /^malformed: epoch_ending_3-\.003f\/epoch_ending\.manifest: it has 3 to 5, its metadata 3 to 6/,
        3,
      ],
      [
        "a chunk that is missing in the manifest",
        (all) =>
          changeJson(
            all,
            "epoch_ending_3-.003f/epoch_ending.manifest",
            ':4,"last_epoch":4',
            ':5,"last_epoch":5',
          ),
        /^gap: \S+: a chunk has 5 to 5, expected one from 4 on/,
        3,
      ],
      [
        "a waypoint of another ledger info",
        (all) => {
          const own = formatWaypoint(computeWaypoint((history.ends[4] as SignedLedgerInfo).ledgerInfo));
          changeJson(all, "epoch_ending_3-.003f/epoch_ending.manifest", own, `${own.slice(0, -1)}x`);
        },
        /^malformed: epoch_ending_3-\.003f\/4-\.chunk: .* epoch 4 has waypoint .*, epoch_ending_3-\.003f\/epoch_ending\.manifest says another/,
        4,
      ],
      [
        "an end of an epoch that too few signed",
        (all) => all.set("epoch_ending_3-.003f/4-.chunk", framed([epochEnd(4n, [1])])),
        /^quorum: epoch_ending_3-\.003f\/4-\.chunk: /,
        4,
      ],
      [
        "a path that leaves the folder",
        (all) => changeJson(all, metaOf("3-5"), "epoch_ending_3-.003f", "../.."),
        /^malformed: \S+: a path leaves the folder/,
        0,
      ],
      [
        "a chunk that is cut",
        (all) =>
          all.set(
            "epoch_ending_3-.003f/4-.chunk",
            framed([history.ends[4] as SignedLedgerInfo]).subarray(0, -1),
          ),
        /^malformed: \S+: the list ends inside record 0/,
        4,
      ],
      [
        "an empty chunk",
        (all) => all.set("epoch_ending_3-.003f/4-.chunk", new Uint8Array()),
        /^gap: \S+: a chunk of epochs 4 to 4 ends before epoch 4/,
        4,
      ],
      [
        "a chunk with more records than epochs",
        (all) => {
          const end = history.ends[4] as SignedLedgerInfo;
          all.set("epoch_ending_3-.003f/4-.chunk", framed([end, end]));
        },
        /^endless: \S+: more than 1 records/,
        5,
      ],
      [
        "a record whose length nothing backs",
        (all) => all.set("epoch_ending_3-.003f/4-.chunk", Uint8Array.of(0xff, 0xff, 0xff, 0xff, 1)),
        /^endless: \S+: a record of 4294967295 bytes is longer than/,
        4,
      ],
      [
        "a chunk that inflates without end",
        (all) => all.set("epoch_ending_3-.003f/4-.chunk", lengthRecord(new Uint8Array(8 << 20))),
        /^endless: \S+: a record of 8388608 bytes is longer than/,
        4,
      ],
      [
        "an empty record",
        (all) => all.set("epoch_ending_3-.003f/4-.chunk", lengthRecord(new Uint8Array())),
        /^malformed: \S+: a signed ledger info does not decode/,
        4,
      ],
      [
        "swapped epochs",
        (all) => all.set("epoch_ending_3-.003f/4-.chunk", framed([history.ends[5] as SignedLedgerInfo])),
        /^gap: \S+: expected the end of epoch 4, got a ledger info of epoch 5/,
        4,
      ],
      [
        "a manifest that is no JSON",
        (all) => all.set("epoch_ending_3-.003f/epoch_ending.manifest", Buffer.from("{")),
        /^malformed: \S+: a manifest is no JSON/,
        3,
      ],
    ];

  it.each(lies)("is set aside for %s; what was checked before stays", async (_, change, reason, kept) => {
    const rows = createMemoryStore();
    // Not asked again: a second question begins behind what the first one got.
    const { judged } = await keepSignatures(await folderOf(files(change)), {
      store: rows,
      setAsideMs: 3_600_000,
    });
    const status = await judged();
    expect(status.state).toBe("set_aside");
    expect(status.fault).toMatch(reason);
    expect(await keptEpochs(rows)).toHaveLength(kept);
  });

  it("is set aside when its data inflates beyond every bound", async () => {
    const root = temporaryFolder();
    const url = writeFolder(
      root,
      files((all) => all.set(metaOf("3-5"), Buffer.alloc(80 << 20, 0x20))),
    );
    const { judged } = await keepSignatures(createBackupFolder("bomb", new LocalFiles(url)));
    expect(await judged()).toMatchObject({
      state: "set_aside",
      fault: expect.stringMatching(/^endless: a line is longer than/),
    });
  });

  it("that is not there rests, and is used once it is", async () => {
    const root = temporaryFolder();
    const url = new URL(`file://${root}/later/`);
    const { judged, keeper, chain } = await keepSignatures(createBackupFolder(url.href, new LocalFiles(url)));
    expect(await judged()).toMatchObject({
      state: "resting",
      fault: expect.stringMatching(/cannot be read: ENOENT/),
    });
    expect(existsSync(join(root, "later"))).toBe(false);
    writeFolder(join(root, "later"), files());
    await until(() => keeper.sources()[0]?.state === "ok");
    expect(chain.epoch).toBe(8n);
    rmSync(join(root, "later"), { recursive: true });
    await until(() => keeper.sources()[0]?.state === "resting");
    expect(chain.epoch).toBe(8n);
  });
});

describe("a node's backup service", () => {
  it("leads to the latest ledger info, and a restart asks only for news", async () => {
    const rows = createMemoryStore();
    const latest = latestOf(8n, 4n);
    const { source, server } = await serviceOf(history.ends, latest);
    const first = await keepSignatures(source, { store: rows });
    await first.judged();
    expect(first.chain.latest?.ledgerInfo.version).toBe(74n);
    expect(server.asked.some((path) => path.startsWith("/epoch_ending_ledger_infos/0/8"))).toBe(true);
    await first.keeper.close();

    const grown = await serviceOf([...history.ends, epochEnd(8n)], latestOf(9n, 2n));
    const second = await keepSignatures(grown.source, { store: rows });
    await second.judged();
    expect(second.chain.latest?.ledgerInfo.version).toBe(82n);
    const ranges = grown.server.asked.filter((path) => path.startsWith("/epoch_ending_ledger_infos/"));
    expect(ranges[0]).toBe("/epoch_ending_ledger_infos/8/9");
    expect((await keptEpochs(rows)).at(-1)).toBe(8n);
  });

  it("tells its database's state once for questions that follow each other", async () => {
    const { source, server } = await serviceOf(history.ends, latestOf(8n, 4n));
    onTestFinished(() => source.close());
    const clock = vi.spyOn(performance, "now").mockReturnValue(1000);
    onTestFinished(() => clock.mockRestore());
    const { signal } = new AbortController();
    const looks = (): number => server.asked.filter((path) => path === "/db_state").length;
    let ends = 0;
    for await (const _ of source.epochEnds(0n, signal)) ends++;
    expect(ends).toBe(8);
    expect((await source.latest(signal))?.ledgerInfo.version).toBe(74n);
    expect(looks()).toBe(1);
    clock.mockReturnValue(1100);
    await source.latest(signal);
    expect(looks()).toBe(2);
  });

  it("is set aside once for questions that were under way together", async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, text: string) => void warnings.push(text) };
    const { source } = await serviceOf(history.ends, latestOf(8n, 4n));
    const { keeper, judged } = await keepSignatures(source, { setAsideMs: 3_600_000, logger });
    await judged();
    for (let i = 0; i < 4; i++) keeper.blame(source, new UpstreamError("malformed", "a range is false"));
    expect(warnings).toEqual(["proof source set aside after a false statement"]);
    expect(keeper.sources()[0]).toMatchObject({ state: "set_aside", fault: "malformed: a range is false" });
  });

  it("finds the epoch of a later waypoint", async () => {
    const rows = createMemoryStore();
    const { source } = await serviceOf(history.ends, latestOf(8n, 4n));
    const fifth = history.ends[5] as SignedLedgerInfo;
    const { judged } = await keepSignatures(source, {
      store: rows,
      waypoint: computeWaypoint(fifth.ledgerInfo),
    });
    await judged();
    expect(await keptEpochs(rows)).toEqual([5n, 6n, 7n]);
  });

  it("begins with epoch 0 only where the waypoint names it", async () => {
    const rows = createMemoryStore();
    const { source } = await serviceOf(history.ends, latestOf(8n, 4n));
    const other = { ...genesisWaypoint, hash: new Uint8Array(32).fill(1) };
    const { judged } = await keepSignatures(source, { store: rows, waypoint: other });
    expect(await judged()).toMatchObject({
      state: "set_aside",
      fault: expect.stringMatching(/^waypoint: the proof begins at 0:/),
    });
    expect(await keptEpochs(rows)).toHaveLength(0);
  });

  /** The end of epoch 4 with a change, and the reason against it. */
  const good = history.ends[4] as SignedLedgerInfo;
  const signatures = good.signatures;
  const lies: [name: string, end: SignedLedgerInfo, reason: RegExp][] = [
    ["too little stake", epochEnd(4n, [2, 3]), /^quorum: stake of 25 signed version 40; 31 is needed/],
    [
      "a mask with a bit too many",
      { ...good, signatures: { ...signatures, signers: Uint8Array.of(0x78) } },
      /^quorum: there is no validator 4/,
    ],
    [
      "a mask that is too long",
      { ...good, signatures: { ...signatures, signers: Uint8Array.of(0x70, 0) } },
      /^quorum: the mask of 4 validators has 1 bytes, not 2/,
    ],
    [
      "signers who did not sign",
      { ...good, signatures: { ...signatures, signers: Uint8Array.of(0xf0) } },
      /^signature: the signature is not by those 4 validators/,
    ],
    [
      "no signature",
      { ...good, signatures: { ...signatures, signature: undefined } },
      /^signature: a signature has 96 bytes, not 0/,
    ],
    [
      "the signature of another ledger info",
      { ...good, signatures: (history.ends[5] as SignedLedgerInfo).signatures },
      /^signature: the signature is not by those 3 validators/,
    ],
    [
      "another root",
      { ...good, ledgerInfo: { ...good.ledgerInfo, accumulatorRoot: new Uint8Array(32).fill(9) } },
      /^signature: /,
    ],
    [
      "another epoch's validators as the next",
      sign({ ...ledgerInfoOf(4n, 40n, new Uint8Array(32), epochState(6n)) }, [1, 2, 3]),
      /^wrong_epoch: epoch 4 is followed by 5, not by 6/,
    ],
    [
      "an epoch that ends before it began",
      sign({ ...ledgerInfoOf(4n, 29n, new Uint8Array(32), epochState(5n)) }, [1, 2, 3]),
      /^wrong_epoch: version 29 is not after the epoch's beginning at 30/,
    ],
  ];

  it.each(lies)("is set aside for %s", async (_, end, reason) => {
    const rows = createMemoryStore();
    const ends = history.ends.with(4, end);
    const { source } = await serviceOf(ends, latestOf(8n, 4n));
    const { judged } = await keepSignatures(source, { store: rows });
    const status = await judged();
    expect(status.state).toBe("set_aside");
    expect(status.fault).toMatch(reason);
    expect(await keptEpochs(rows)).toEqual([0n, 1n, 2n, 3n]);
  });

  it("is set aside for the key of a validator outside of the subgroup", async () => {
    // A point of the curve whose order is not the subgroup's: x = 4.
    const odd = new Uint8Array(48);
    odd[0] = 0x80;
    odd[47] = 4;
    const next = epochState(4n);
    const forged = { ...next, voters: next.voters.map((voter) => ({ ...voter, consensusKey: odd })) };
    const third = sign(ledgerInfoOf(3n, 30n, new Uint8Array(32), forged), [1, 2, 3]);
    const rows = createMemoryStore();
    const { source } = await serviceOf(history.ends.with(3, third), latestOf(8n, 4n));
    const { judged } = await keepSignatures(source, { store: rows });
    expect(await judged()).toMatchObject({
      state: "set_aside",
      fault: expect.stringMatching(/^signature: validator \d has no usable key/),
    });
    expect(await keptEpochs(rows)).toHaveLength(4);
  });

  it("is set aside for epochs that it left out, and for more than it was asked for", async () => {
    for (const [answer, reason] of [
      [framed(history.ends.slice(0, 5)), /^gap: asked for the ends of epochs 0 to 7, got 5/],
      [framed([...history.ends, epochEnd(8n)]), /^endless: more than 8 records/],
    ] as const) {
      const rows = createMemoryStore();
      const server = await web((path) =>
        path.startsWith("/epoch_ending") ? answer : serviceAnswer(path, history.ends, latestOf(8n, 4n)),
      );
      const { judged } = await keepSignatures(new BackupService(server.url), { store: rows });
      expect(await judged()).toMatchObject({ state: "set_aside", fault: expect.stringMatching(reason) });
      expect(await keptEpochs(rows)).toHaveLength(0);
    }
  });

  it("is set aside for a latest ledger info that is newer than its epochs, or is not signed by them", async () => {
    for (const [latest, reason] of [
      [latestOf(9n, 1n), /^wrong_epoch: the ledger info is of epoch 9, the known validators are of epoch 8/],
      [latestOf(8n, 4n, [0, 1]), /^quorum: stake of 21 signed/],
    ] as const) {
      const server = await web((path) => {
        const claimed = path === "/db_state" ? latestOf(8n, 4n) : latest;
        return serviceAnswer(path, history.ends, claimed);
      });
      const rows = createMemoryStore();
      const { judged, chain } = await keepSignatures(new BackupService(server.url), { store: rows });
      expect(await judged()).toMatchObject({ state: "set_aside", fault: expect.stringMatching(reason) });
      expect(chain.latest?.ledgerInfo.version).toBe(70n);
    }
  });

  it("that replays an old ledger info brings no news, and takes nothing back", async () => {
    const rows = createMemoryStore();
    let latest = latestOf(8n, 4n);
    const server = await web((path) => serviceAnswer(path, history.ends, latest));
    const { judged, chain, keeper } = await keepSignatures(new BackupService(server.url), { store: rows });
    await judged();
    const before = server.asked.length;
    latest = latestOf(8n, 2n);
    await until(() => server.asked.length > before + 6);
    expect(chain.latest?.ledgerInfo.version).toBe(74n);
    expect(keeper.sources()[0]?.state).toBe("ok");
  });

  it("that sends without end, or answers with an error, is dealt with", async () => {
    const flood = await web((path) => (path === "/db_state" ? new Uint8Array(1 << 20) : undefined));
    expect(await (await keepSignatures(new BackupService(flood.url))).judged()).toMatchObject({
      state: "set_aside",
      fault: expect.stringMatching(/larger than 64 bytes/),
    });
    const failing = await web(() => 500);
    expect(await (await keepSignatures(new BackupService(failing.url))).judged()).toMatchObject({
      state: "resting",
      fault: expect.stringMatching(/db_state: status 500/),
    });
  });
});

describe("the chain of signed ledger infos", () => {
  it("finds the ledger infos around a version", async () => {
    const rows = createMemoryStore();
    const { source } = await serviceOf(history.ends, latestOf(8n, 4n));
    const { judged, chain } = await keepSignatures(source, { store: rows });
    await judged();
    const shown = async (version: bigint) => [
      (await chain.lastUpTo(version))?.ledgerInfo.version,
      (await chain.firstAbove(version))?.ledgerInfo.version,
    ];
    expect(await shown(0n)).toEqual([0n, 10n]);
    expect(await shown(39n)).toEqual([30n, 40n]);
    expect(await shown(40n)).toEqual([40n, 50n]);
    expect(await shown(72n)).toEqual([70n, 74n]);
    expect(await shown(99n)).toEqual([74n, undefined]);
  });

  it("refuses a waypoint that its signatures contradict", async () => {
    const rows = createMemoryStore();
    const { source } = await serviceOf(history.ends, latestOf(8n, 4n));
    const { judged } = await keepSignatures(source, { store: rows });
    await judged();
    const other = { version: 40n, hash: new Uint8Array(32) };
    await expect(SignedChain.load(rows, other, fastestBls())).rejects.toThrow(
      /waypoint 40:0{64} contradicts 40:[0-9a-f]{64}, which the signatures kept here confirm/,
    );
  });

  it("keeps the bytes that were signed", async () => {
    const rows = createMemoryStore();
    const { source } = await serviceOf(history.ends, latestOf(8n, 4n));
    await (await keepSignatures(source, { store: rows })).judged();
    for (const end of history.ends) {
      const kept = (await loadEpochEnd(rows, end.ledgerInfo.epoch)) as SignedLedgerInfo;
      expect(toHex(encodeSigned(kept))).toBe(toHex(encodeSigned(end)));
      expect(encodeWith(ledgerInfoCodec, kept.ledgerInfo)).toEqual(
        encodeWith(ledgerInfoCodec, end.ledgerInfo),
      );
    }
  });
});
