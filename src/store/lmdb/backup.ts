// Copies of a store: a directory with the data file and a manifest that says what is in it. A copy is of one
// moment, whatever another process writes meanwhile, and gets its name only when it is whole.
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { FORMAT, META } from "./tables.ts";

/** What a copy holds. */
export interface Manifest {
  /** Format of the store in it. */
  readonly format: number;
  readonly chain_id: number;
  readonly version: string;
  readonly oldest_version: string;
  readonly bytes: number;
  /** Of the data file, in hex. */
  readonly sha256: string;
}

const DATA = "data.mdb";
const MANIFEST = "backup.json";
const DRAFT = ".partial";

/** True when a directory is missing, or holds nothing but a draft that was never finished. */
export async function isVacant(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).every((name) => name === DRAFT);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return true;
    throw toStoreError(error, path);
  }
}

/** Where the files of a directory are put together before they get their names. */
export async function createDraft(path: string): Promise<string> {
  const draft = join(path, DRAFT);
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
  } catch (error) {
    throw toStoreError(error, path);
  }
  return draft;
}

/** Gives the files of a finished draft their names, the manifest last: until then there is no backup. */
export async function nameDraft(draft: string): Promise<void> {
  const path = dirname(draft);
  const names = [DATA, MANIFEST].filter((name) => existsSync(join(draft, name)));
  for (const name of names) await syncFile(join(draft, name));
  for (const name of names) await rename(join(draft, name), join(path, name));
  await rm(draft, { recursive: true, force: true });
  await syncFile(path);
}

/** Copies the store in a directory, as of one moment, into an empty one. The copy belongs to no writer. */
export async function copyStore(from: string, to: string): Promise<void> {
  const source = await openEnvironment({ path: from, readOnly: true });
  try {
    await source.root.backup(to, true);
  } catch (error) {
    throw toStoreError(error, to);
  } finally {
    await source.close();
  }
  const copy = await openEnvironment({ path: to, readOnly: false });
  try {
    copy.root.transactionSync(() => copy.tables.meta.removeSync(META.writer));
  } finally {
    await copy.close();
  }
  await rm(join(to, "lock.mdb"), { force: true });
}

/** Writes what a copy holds beside it. */
export async function writeManifest(
  path: string,
  facts: Pick<Manifest, "chain_id" | "version" | "oldest_version">,
): Promise<Manifest> {
  const file = join(path, DATA);
  const { size } = await stat(file);
  const manifest: Manifest = { format: FORMAT, ...facts, bytes: size, sha256: await hashFile(file) };
  await rm(join(path, "lock.mdb"), { force: true });
  await writeFile(join(path, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

/** Reads what a copy says it holds, and compares its file with that. Throws StoreError `corrupt`. */
export async function loadManifest(path: string): Promise<Manifest> {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(join(path, MANIFEST), "utf8")) as Manifest;
  } catch (error) {
    throw new StoreError("format", `${path} is no backup: ${MANIFEST} cannot be read`, { cause: error });
  }
  if (manifest.format > FORMAT) {
    throw new StoreError(
      "format",
      `the backup at ${path} has format ${manifest.format}, this version reads ${FORMAT}`,
    );
  }
  const sha256 = await hashFile(join(path, DATA)).catch((error: unknown) => {
    throw new StoreError("corrupt", `the backup at ${path} has no readable ${DATA}`, { cause: error });
  });
  if (sha256 !== manifest.sha256) {
    throw new StoreError(
      "corrupt",
      `the backup at ${path} is damaged: ${DATA} is not the file that was written`,
    );
  }
  return manifest;
}

/** Copies the data file of a backup into an empty directory. */
export async function copyBackup(from: string, to: string): Promise<void> {
  try {
    await copyFile(join(from, DATA), join(to, DATA));
  } catch (error) {
    throw toStoreError(error, to);
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
