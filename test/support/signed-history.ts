// Epochs that validators signed, the folder and the service that hold them, and rows in memory to keep them.

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { computeWaypoint, formatWaypoint, type Waypoint } from "../../src/ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../src/proof/ledger-info.ts";
import { signedLedgerInfoCodec } from "../../src/proof/ledger-info.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import type { Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { dbStateCodec, stateRootProofCodec } from "../../src/sync/signatures/backup-service.ts";
import { lengthRecord } from "../../src/sync/signatures/length-records.ts";
import { ProofKeeper, type ProofSourceStatus } from "../../src/sync/signatures/proof-keeper.ts";
import { SignedChain } from "../../src/sync/signatures/signed-chain.ts";
import { loadSpan } from "../../src/sync/signatures/signed-rows.ts";
import type { SignatureSource } from "../../src/sync/signatures/source.ts";
import { epochState, ledgerInfoOf, sign } from "./proof-network.ts";
import { until } from "./until.ts";

const filled = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

/** The ends of epochs 0 to `last`: genesis, which nobody signs, and one every ten versions. */
export function signedHistory(last: number): {
  readonly waypoint: Waypoint;
  readonly ends: SignedLedgerInfo[];
} {
  const genesis = { ...ledgerInfoOf(0n, 0n, filled(7), epochState(1n)), round: 0n };
  const ends: SignedLedgerInfo[] = [
    { kind: "v0", ledgerInfo: genesis, signatures: { signers: new Uint8Array(), signature: undefined } },
  ];
  for (let epoch = 1; epoch <= last; epoch++) ends.push(epochEnd(BigInt(epoch)));
  return { waypoint: computeWaypoint(genesis), ends };
}

/** The signed end of an epoch. */
export function epochEnd(epoch: bigint, signers: readonly number[] = [1, 2, 3]): SignedLedgerInfo {
  const next = epochState(epoch + 1n);
  return sign(ledgerInfoOf(epoch, 10n * epoch, filled(Number(epoch % 200n)), next), signers);
}

/** A ledger info of an epoch that has not ended. */
export function latestOf(
  epoch: bigint,
  after: bigint,
  signers: readonly number[] = [1, 2, 3],
): SignedLedgerInfo {
  return sign(ledgerInfoOf(epoch, 10n * (epoch - 1n) + after, filled(201)), signers);
}

export const encodeSigned = (signed: SignedLedgerInfo): Uint8Array =>
  encodeWith(signedLedgerInfoCodec, signed);

/** Records as backups frame them. */
export function framed(infos: readonly SignedLedgerInfo[]): Uint8Array {
  return Buffer.concat(infos.map((signed) => lengthRecord(encodeSigned(signed))));
}

/** The files of a backup of these epochs, with `perRange` epochs each, by path. */
export function backupFiles(ends: readonly SignedLedgerInfo[], perRange = 3): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
  for (let at = 0; at < ends.length; at += perRange) {
    const part = ends.slice(at, at + perRange);
    const [first, last] = [part[0], part.at(-1)];
    if (first === undefined || last === undefined) break;
    const [a, b] = [Number(first.ledgerInfo.epoch), Number(last.ledgerInfo.epoch)];
    const folder = `epoch_ending_${a}-.00${at % 10}f`;
    const chunks = part.map((one, i) => ({
      first_epoch: a + i,
      last_epoch: a + i,
      ledger_infos: `${folder}/${a + i}-.chunk`,
      one,
    }));
    for (const { ledger_infos, one } of chunks) files.set(ledger_infos, framed([one]));
    files.set(
      `${folder}/epoch_ending.manifest`,
      json({
        first_epoch: a,
        last_epoch: b,
        waypoints: part.map(({ ledgerInfo }) => formatWaypoint(computeWaypoint(ledgerInfo))),
        chunks: chunks.map(({ one: _, ...chunk }) => chunk),
      }),
    );
    files.set(
      `metadata/epoch_ending_${a}-${b}.meta`,
      json({
        EpochEndingBackup: {
          first_epoch: a,
          last_epoch: b,
          first_version: Number(first.ledgerInfo.version),
          last_version: Number(last.ledgerInfo.version),
          manifest: `${folder}/epoch_ending.manifest`,
        },
      }),
    );
  }
  files.set("metadata/identity.meta", json({ Identity: { id: "0" } }));
  return files;
}

/** Writes files into a folder, each compressed. */
export function writeFolder(root: string, files: ReadonlyMap<string, Uint8Array>): URL {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), gzipSync(bytes));
  }
  return new URL(`file://${root}/`);
}

/** The answers of a backup service over these epochs, by path. */
export function serviceAnswer(
  path: string,
  ends: readonly SignedLedgerInfo[],
  latest: SignedLedgerInfo,
): Uint8Array | undefined {
  const [, question, a, b] = path.split("/");
  if (question === "db_state") {
    const { epoch, version } = latest.ledgerInfo;
    return encodeWith(dbStateCodec, { epoch, version });
  }
  if (question === "epoch_ending_ledger_infos") return framed(ends.slice(Number(a), Number(b)));
  if (question !== "state_root_proof") return undefined;
  return encodeWith(stateRootProofCodec, {
    siblings: [],
    info: {
      kind: "v0",
      gasUsed: 0n,
      status: { kind: "success" },
      transactionHash: filled(1),
      eventRootHash: filled(1),
      stateChangeHash: filled(1),
      stateCheckpointHash: undefined,
      auxiliaryInfoHash: undefined,
    },
    signed: latest,
  });
}

/** A web server that answers each path with bytes, with a status, or never. */
export async function startBytesServer(answer: (path: string) => Uint8Array | number | "never" | undefined) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const found = answer(path);
    if (found === "never") return;
    response.statusCode = typeof found === "number" ? found : found === undefined ? 404 : 200;
    // Web servers say at length that they have no such file.
    response.end(
      typeof found === "number" ? undefined : (found ?? `<html>404 Not Found${" ".repeat(4000)}</html>`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The epochs whose ends a store keeps. */
export async function keptEpochs(store: Store): Promise<bigint[]> {
  const { first = 0n, last = -1n } = (await loadSpan(store)) ?? {};
  return Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i));
}

/** Keeps the signatures of a source in a store, from a waypoint on. `judged`: what became of the source first. */
export async function keepSignatures(
  source: SignatureSource,
  {
    store = createMemoryStore(),
    waypoint = signedHistory(0).waypoint,
    setAsideMs = 5,
    logger = silentLogger,
  } = {},
) {
  const chain = await SignedChain.load(store, waypoint, fastestBls());
  const keeper = new ProofKeeper({
    sources: [source],
    waypoint,
    chain,
    pollTimeMs: 5,
    retry: { baseMs: 5, maxMs: 5 },
    setAside: { baseMs: setAsideMs, maxMs: setAsideMs },
    logger,
    onNews: async () => {},
    onFault: (error) => {
      throw error;
    },
  });
  onTestFinished(() => keeper.close());
  const judged = (): Promise<ProofSourceStatus> =>
    until(() => keeper.sources().find(({ state }) => state !== "untried"));
  return { store, chain, keeper, judged };
}
