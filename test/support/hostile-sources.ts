// A proof source that lies in size, and an honest source next to the liar.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { silentLogger } from "../../src/base/log.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { connectProofSource, parseProofTarget } from "../../src/sync/signatures/connect.ts";
import { ProofKeeper, type ProofSourceStatus } from "../../src/sync/signatures/proof-keeper.ts";
import { SignedChain } from "../../src/sync/signatures/signed-chain.ts";
import type { SignatureSource } from "../../src/sync/signatures/source.ts";
import { type PeerContent, startPeer } from "./peer-listener.ts";
import { backupFiles, latestOf, serviceAnswer, signedHistory, startBytesServer } from "./signed-history.ts";
import { until } from "./until.ts";

export const CHAIN_ID = 4;
const history = signedHistory(7);
/** What a test opened. */
export const open: { close(): Promise<unknown> }[] = [];

export async function closeAll(): Promise<void> {
  for (const one of open.splice(0).reverse()) await one.close();
}

export const sourceAt = (url: string): SignatureSource =>
  connectProofSource(parseProofTarget(url), { userAgent: "test", chainId: () => CHAIN_ID });

/** A web server whose files go over the wire compressed. */
export async function serveCompressed(answer: (path: string) => Uint8Array | undefined): Promise<URL> {
  const server = createServer((request, response) => {
    const found = answer(request.url ?? "");
    response.statusCode = found === undefined ? 404 : 200;
    response.setHeader("content-encoding", "gzip");
    response.end(found ?? gzipSync(""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/backup`);
}

/** A folder that lists its metadata in an index file. */
export function serveFolder(files: ReadonlyMap<string, Uint8Array>): Promise<URL> {
  const compressed = new Map([...files].map(([path, bytes]) => [`/backup/${path}`, gzipSync(bytes)]));
  const names = [...files.keys()]
    .filter((path) => path.startsWith("metadata/"))
    .map((path) => path.slice("metadata/".length));
  compressed.set("/backup/metadata.txt", gzipSync(names.join("\n")));
  return serveCompressed((path) => compressed.get(path));
}

/** The files of an honest backup, changed. */
export function startOfBackup(change: (files: Map<string, Uint8Array>) => void): Map<string, Uint8Array> {
  const files = backupFiles(history.ends);
  change(files);
  return files;
}

/** Asks a liar and an honest service, which must lead on. Returns what became of the liar. */
export async function judge(liar: SignatureSource): Promise<ProofSourceStatus> {
  const latest = latestOf(8n, 4n);
  const service = await startBytesServer((path) => serviceAnswer(path, history.ends, latest));
  open.push(service);
  const faults: unknown[] = [];
  const chain = await SignedChain.load(createMemoryStore(), history.waypoint, fastestBls());
  const keeper = new ProofKeeper({
    sources: [liar, sourceAt(service.url.href)],
    waypoint: history.waypoint,
    chain,
    pollTimeMs: 5,
    retry: { baseMs: 600_000, maxMs: 600_000 },
    setAside: { baseMs: 600_000, maxMs: 600_000 },
    logger: silentLogger,
    onNews: async () => {},
    onFault: (error) => faults.push(error),
  });
  open.push(keeper);
  const judged = await until(() => {
    const [lied, honest] = keeper.sources();
    if (faults.length > 0) throw new Error(`the node would end: ${faults[0]}`);
    return honest?.state === "ok" && lied?.state !== "untried" && lied;
  });
  if (chain.latest?.ledgerInfo.version !== 74n) throw new Error("the honest source did not lead on");
  return judged;
}

/** A peer that is honest but for the changes. */
export async function peerWith(change: Partial<PeerContent>) {
  const peer = await startPeer({
    ends: history.ends,
    latest: latestOf(8n, 4n),
    chainId: CHAIN_ID,
    limit: 200,
    ...change,
  });
  open.push(peer);
  return peer;
}
