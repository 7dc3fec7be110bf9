// Copies of a store: a directory with the data file, the hashes of its pieces, and a manifest that says what is in
// it. A copy is of one moment, whatever another process writes meanwhile. It is put together in a draft inside
// the directory, where a copy that was cut off goes on, and gets its name only when it is whole.
import { existsSync } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import {
  assertChunks,
  CHUNK_BYTES,
  type ChunkCopyReport,
  type CopyProgress,
  chunkDigest,
  copyChunks,
  openChunks,
} from "./chunks.ts";
import { openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { openImage } from "./image.ts";
import { encodeOwnHolder, liveHolder } from "./lease.ts";
import { FORMAT, META } from "./tables.ts";

/** What a copy holds. */
export interface Manifest {
  /** Format of the store in it. */
  readonly format: number;
  readonly chain_id: number;
  readonly version: string;
  readonly oldest_version: string;
  /** Size of the data file. */
  readonly bytes: number;
  /** Size of the pieces that have a hash each. */
  readonly chunk_bytes: number;
  /** Of the file of hashes, in hex. */
  readonly sha256: string;
}

const DATA = "data.mdb";
const LOCK = "lock.mdb";
const HASHES = "chunks.sha256";
const MANIFEST = "backup.json";
const DRAFT = ".partial";
const OWNER = "process";

/** True when a directory is missing, or holds nothing but a draft that was never finished. */
export async function isVacant(path: string): Promise<boolean> {
  const names = await namesIn(path);
  if (names.includes(MANIFEST)) return false;
  const mayBeNamed = existsSync(join(path, DRAFT, MANIFEST)) ? [DATA, HASHES] : [];
  return names.every((name) => name === DRAFT || mayBeNamed.includes(name));
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw toStoreError(error, path);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && Reflect.get(error, "code") === code;
}

/**
 * Where the files of a directory are put together before they get their names; what an earlier process left in it
 * stays. Throws StoreError `locked` while another process works on it.
 */
export async function openDraft(path: string): Promise<string> {
  const draft = join(path, DRAFT);
  try {
    await mkdir(draft, { recursive: true });
    await claim(draft);
    // A process that ended while it gave the names: only the last one makes a backup.
    if (existsSync(join(draft, MANIFEST))) {
      for (const name of [DATA, HASHES]) {
        if (existsSync(join(path, name))) await rename(join(path, name), join(draft, name));
      }
      await rm(join(draft, MANIFEST));
    }
    await rm(join(draft, LOCK), { force: true });
  } catch (error) {
    throw toStoreError(error, path);
  }
  return draft;
}

/** Marks a draft as this process's own. A link comes into being with its content, or not at all. */
async function claim(draft: string): Promise<void> {
  const owner = join(draft, OWNER);
  const mine = join(draft, `${OWNER}.${process.pid}`);
  await writeFile(mine, encodeOwnHolder());
  try {
    for (let tries = 0; ; tries++) {
      try {
        await link(mine, owner);
        return;
      } catch (error) {
        if (!isCode(error, "EEXIST") || tries > 1) throw error;
      }
      const pid = liveHolder(await readFile(owner));
      if (pid !== undefined) {
        throw new StoreError("locked", `process ${pid} is at work in ${draft}`, { details: { pid } });
      }
      await rm(owner, { force: true });
    }
  } finally {
    await rm(mine, { force: true });
  }
}

/** Gives the files of a finished draft their names, the manifest last: until then there is no backup. */
export async function nameDraft(draft: string): Promise<void> {
  const path = dirname(draft);
  await rm(join(draft, LOCK), { force: true });
  const names = [DATA, HASHES, MANIFEST].filter((name) => existsSync(join(draft, name)));
  for (const name of names) await syncFile(join(draft, name));
  await syncFile(draft);
  for (const name of names) {
    await rename(join(draft, name), join(path, name));
    await syncFile(path);
  }
  await rm(draft, { recursive: true, force: true });
}

/** Leaves a draft as it is for a later process. */
export async function leaveDraft(draft: string): Promise<void> {
  await rm(join(draft, OWNER), { force: true });
}

/** Makes a draft hold the store in a directory as of one moment; what the draft has of it already stays. */
export async function copyStore(
  from: string,
  draft: string,
  onProgress?: CopyProgress,
): Promise<ChunkCopyReport> {
  const file = join(draft, DATA);
  const image = await openImage(from);
  try {
    const report = await copyChunks(image, file, onProgress);
    await assertChunks(file, image.bytes, report.hashes);
    return report;
  } finally {
    await image.close();
  }
}

/** Writes what a draft holds beside it. */
export async function writeManifest(
  draft: string,
  { hashes, writtenBytes, keptBytes }: ChunkCopyReport,
  facts: Pick<Manifest, "chain_id" | "version" | "oldest_version">,
): Promise<Manifest> {
  const list = Buffer.from(hashes.map((hash) => `${hash}\n`).join(""));
  const manifest: Manifest = {
    format: FORMAT,
    ...facts,
    bytes: writtenBytes + keptBytes,
    chunk_bytes: CHUNK_BYTES,
    sha256: chunkDigest(list),
  };
  await writeFile(join(draft, HASHES), list);
  await writeFile(join(draft, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

/** Reads what a directory says that it holds. Throws StoreError. */
export async function loadManifest(path: string): Promise<Manifest> {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(join(path, MANIFEST), "utf8")) as Manifest;
  } catch (error) {
    throw new StoreError("format", `${path} is no backup: ${MANIFEST} cannot be read`, { cause: error });
  }
  const { format, chunk_bytes: chunkBytes } = manifest;
  if (format > FORMAT) {
    throw new StoreError(
      "format",
      `the backup at ${path} has format ${format}, this version reads ${FORMAT}`,
    );
  }
  if (chunkBytes !== CHUNK_BYTES) {
    throw new StoreError(
      "format",
      `the backup at ${path} has pieces of ${chunkBytes} bytes, this version reads ${CHUNK_BYTES}`,
    );
  }
  return manifest;
}

/** Makes a draft hold the data file of a backup, every piece of it compared with its hash. */
export async function copyBackup(
  from: string,
  { bytes, sha256 }: Manifest,
  draft: string,
  onProgress?: CopyProgress,
): Promise<void> {
  const list = await readFile(join(from, HASHES)).catch((error: unknown) => {
    throw new StoreError("corrupt", `the backup at ${from} has no readable ${HASHES}`, { cause: error });
  });
  if (chunkDigest(list) !== sha256) {
    throw new StoreError(
      "corrupt",
      `the backup at ${from} is damaged: ${HASHES} is not the file that was written`,
    );
  }
  const hashes = list.toString("latin1").split("\n").slice(0, -1);
  const source = await openChunks(join(from, DATA), bytes, hashes);
  try {
    await copyChunks(source, join(draft, DATA), onProgress);
  } finally {
    await source.close();
  }
}

/** Takes the mark of the process that wrote the store, when it was copied, out of a draft. */
export async function dropWriter(draft: string): Promise<void> {
  const copy = await openEnvironment({ path: draft, readOnly: false });
  try {
    copy.root.transactionSync(() => copy.tables.meta.removeSync(META.writer));
  } finally {
    await copy.close();
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
