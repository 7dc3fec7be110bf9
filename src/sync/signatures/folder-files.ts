// The files of a backup folder: on this machine, in a bucket that lists its objects, or on a web server with an index
// file. Files may be compressed with gzip.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import { errorText } from "../../base/errors.ts";
import { UpstreamError } from "../upstream/errors.ts";
import { codeOf, DEFAULT_TIMEOUTS, Transport, type UpstreamResponse } from "../upstream/transport.ts";
import { ByteReader, onePiece } from "./byte-reader.ts";
import { isLie, namedLie } from "./source.ts";

/** Read access to a folder. Calls throw UpstreamError, or the signal's reason. */
export interface FolderFiles {
  readonly receivedBytes: number;
  /** Names of the files in a folder that fit a pattern. */
  list(folder: string, pattern: RegExp, signal: AbortSignal): Promise<readonly string[]>;
  /** The content of a file, inflated if it is compressed. At most `maxBytes` once inflated. */
  read(path: string, maxBytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  close(): void;
}

/** Files of the wanted kind that a folder may list. Mainnet had about 10,000 epochs in 2026, and as many files at most. */
const MAX_FILES = 100_000;
/** Files of every kind. */
const MAX_LISTED = 1_000_000;
/** Longest file on the wire: the reference cuts chunks at 128 MiB before compression. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;
/** Buckets list a thousand names a page, with about a kilobyte for each. */
const MAX_PAGE_NAMES = 1000;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** Longest path. The reference's have about 60 characters. */
const MAX_PATH = 256;
/** Names the files of a folder, one a line, where the server cannot list them. It stands beside the folder. */
export const indexFileOf = (folder: string): string => `${folder}.txt`;

/** A path of a backup: relative, and inside the folder. Throws UpstreamError. */
export function assertInside(path: string): string {
  const parts = path.split("/");
  const isInside = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (path.length > MAX_PATH || !isInside || !/^[\w./-]+$/.test(path)) {
    throw new UpstreamError(
      "malformed",
      "a path leaves the folder, or has characters that backups do not use",
    );
  }
  return path;
}

/** The lines of a stream, each valid until the next. Throws UpstreamError for a longer one than `maxBytes`. */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(stream);
  try {
    for (;;) {
      const line = await reader.takeLine(maxBytes);
      if (line === undefined) return;
      if (line.length > maxBytes)
        throw new UpstreamError("endless", `a line is longer than ${maxBytes} bytes`);
      yield line;
    }
  } finally {
    await reader.close();
  }
}

/** Inflates a stream that begins like gzip. Inflates on demand, so that a bomb takes no memory. */
async function* inflated(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]();
  try {
    let first = await pieces.next();
    // The mark of gzip has two bytes, and a stream may begin with a single one.
    let head: Uint8Array = first.done === true ? new Uint8Array() : first.value;
    while (first.done !== true && head.length < 2) {
      first = await pieces.next();
      if (first.done !== true) head = Buffer.concat([head, first.value]);
    }
    const whole = startingWith(head, pieces);
    yield* bounded(head[0] === 0x1f && head[1] === 0x8b ? gunzipped(whole) : whole, maxBytes);
  } finally {
    await pieces.return?.();
  }
}

async function* startingWith(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* gunzipped(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // The loop gets the first fault of either, and ends both.
  pipeline(stream, gunzip, () => {});
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } catch (error) {
    if (!codeOf(error).startsWith("Z_")) throw error;
    throw new UpstreamError("malformed", `a file does not inflate: ${errorText(error)}`, { cause: error });
  }
}

async function* bounded(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new UpstreamError("endless", `a file is longer than ${maxBytes} bytes`);
    yield piece;
  }
}

/** Files of this machine. */
export class LocalFiles implements FolderFiles {
  receivedBytes = 0;
  readonly #root: string;

  constructor(url: URL) {
    this.#root = fileURLToPath(url);
  }

  async list(folder: string, pattern: RegExp, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted();
    const names = new Names(pattern);
    try {
      for (const name of await readdir(join(this.#root, assertInside(folder)))) names.add(name);
      return names.found;
    } catch (error) {
      throw isLie(error) ? error : notReadable(folder, error);
    }
  }

  async *read(path: string, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const full = join(this.#root, assertInside(path));
    try {
      // A pipe would never end.
      if (!(await stat(full)).isFile())
        throw new UpstreamError("malformed", "a path of the folder is no file");
      yield* inflated(this.#counted(createReadStream(full, { signal })), maxBytes);
    } catch (error) {
      signal.throwIfAborted();
      throw isLie(error) ? namedLie(path, error) : notReadable(path, error);
    }
  }

  async *#counted(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of stream) {
      this.receivedBytes += piece.length;
      yield piece;
    }
  }

  close(): void {}
}

function notReadable(path: string, error: unknown): Error {
  const code = codeOf(error) || errorText(error);
  return new UpstreamError("unreachable", `${path} of the folder cannot be read: ${code}`, { cause: error });
}

/** Files over HTTP. */
export class WebFiles implements FolderFiles {
  receivedBytes = 0;
  readonly #base: URL;
  readonly #transport = new Transport({ ...DEFAULT_TIMEOUTS, totalMs: 10 * 60_000 });
  readonly #userAgent: string;

  constructor(base: URL, userAgent: string) {
    this.#base = base;
    this.#userAgent = userAgent;
  }

  async list(folder: string, pattern: RegExp, signal: AbortSignal): Promise<readonly string[]> {
    const names = new Names(pattern);
    const bucket = bucketOf(this.#base);
    if (bucket !== undefined) return this.#listBucket(bucket, folder, names, signal);
    const response = await this.#get(this.#urlOf(indexFileOf(folder)), MAX_INDEX_BYTES, signal);
    if (response.status === 429 || response.status >= 500) throw refusal(response);
    if (response.status !== 200) return this.#listUnknown(folder, names, response.status, signal);
    for await (const line of linesOf(onePiece(response.body), MAX_PATH)) {
      names.add(Buffer.from(line).toString("utf8").trim());
    }
    return names.found;
  }

  /** Without an index file, the host may still be a bucket's. */
  async #listUnknown(
    folder: string,
    names: Names,
    status: number,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    try {
      return await this.#listBucket(bucketInPath(this.#base), folder, names, signal);
    } catch (error) {
      const code = error instanceof UpstreamError ? error.code : undefined;
      if (code !== "malformed" && code !== "refused") throw error;
      throw new UpstreamError(
        "refused",
        `the server lists no files: expected ${indexFileOf(folder)} with a name a line, got status ${status}`,
      );
    }
  }

  async #listBucket(
    { root, prefix }: Bucket,
    folder: string,
    names: Names,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const path = `${prefix}${assertInside(folder)}/`;
    let token: string | undefined;
    for (let page = 0; page < MAX_LISTED / MAX_PAGE_NAMES; page++) {
      const url = new URL(root);
      url.searchParams.set("list-type", "2");
      url.searchParams.set("prefix", path);
      if (token !== undefined) url.searchParams.set("continuation-token", token);
      const response = await this.#get(url, MAX_PAGE_BYTES, signal);
      if (response.status !== 200) throw refusal(response);
      const listing = parseListing(Buffer.from(response.body).toString("utf8"));
      for (const key of listing.keys) if (key.startsWith(path)) names.add(key.slice(path.length));
      if (listing.next === undefined) return names.found;
      token = listing.next;
    }
    throw new UpstreamError("endless", `a folder lists more than ${MAX_LISTED} files`);
  }

  async *read(path: string, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const wireBytes = Math.min(maxBytes + 1024, MAX_FILE_BYTES);
    const response = await this.#get(this.#urlOf(assertInside(path)), wireBytes, signal);
    if (response.status !== 200) throw refusal(response);
    try {
      yield* inflated(onePiece(response.body), maxBytes);
    } catch (error) {
      throw namedLie(path, error);
    }
  }

  #urlOf(path: string): URL {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
    return url;
  }

  async #get(url: URL, maxBytes: number, signal: AbortSignal): Promise<UpstreamResponse> {
    const response = await this.#transport.request({
      method: "GET",
      url,
      headers: { "user-agent": this.#userAgent, "accept-encoding": "gzip" },
      maxBytes,
      signal,
    });
    this.receivedBytes += response.wireBytes;
    return response;
  }

  close(): void {
    this.#transport.close();
  }
}

/** The names of a listing that are wanted. */
class Names {
  readonly found: string[] = [];
  readonly #pattern: RegExp;
  #listed = 0;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  /** Throws UpstreamError for more than the bounds allow. */
  add(name: string): void {
    if (++this.#listed > MAX_LISTED || this.found.length > MAX_FILES) {
      throw new UpstreamError(
        "endless",
        `a folder lists more than ${MAX_LISTED} files, or ${MAX_FILES} of a kind`,
      );
    }
    if (this.#pattern.test(name)) this.found.push(name);
  }
}

function refusal({ status }: UpstreamResponse): UpstreamError {
  if (status === 429 || status >= 500)
    return new UpstreamError("unreachable", `the server failed (status ${status})`);
  return new UpstreamError("refused", `the server refused the request (status ${status})`);
}

interface Bucket {
  /** URL of the listing. */
  readonly root: URL;
  /** Of every object in the folder. */
  readonly prefix: string;
}

/** The bucket of a URL whose host is known for buckets: its name is in the host, or first in the path. */
export function bucketOf(url: URL): Bucket | undefined {
  const { protocol, host, hostname, pathname } = url;
  if (/\.s3[.-][a-z0-9.-]{0,64}amazonaws\.com$|\.storage\.googleapis\.com$/.test(hostname)) {
    return { root: new URL(`${protocol}//${host}/`), prefix: prefixOf(partsOf(pathname)) };
  }
  const isShared = /^s3[.-][a-z0-9.-]{0,64}amazonaws\.com$|^storage\.googleapis\.com$/.test(hostname);
  return isShared ? bucketInPath(url) : undefined;
}

/** The first part of the path as a bucket. */
function bucketInPath({ protocol, host, pathname }: URL): Bucket {
  const [bucket = "", ...rest] = partsOf(pathname);
  return { root: new URL(`${protocol}//${host}/${bucket}`), prefix: prefixOf(rest) };
}

function partsOf(pathname: string): string[] {
  return pathname.split("/").filter((part) => part !== "");
}

function prefixOf(parts: readonly string[]): string {
  return parts.map((part) => `${part}/`).join("");
}

/** The names in a bucket's listing, and where the next page begins. Throws UpstreamError. */
function parseListing(xml: string): {
  readonly keys: readonly string[];
  readonly next: string | undefined;
} {
  if (!/<ListBucketResult[\s>]/.test(xml))
    throw new UpstreamError("malformed", "the bucket's listing is no listing");
  const keys: string[] = [];
  for (const [, key] of xml.matchAll(/<Key>([^<]{0,4096})<\/Key>/g)) {
    if (keys.length === MAX_PAGE_NAMES)
      throw new UpstreamError("endless", `a page of a listing has more than ${MAX_PAGE_NAMES} names`);
    keys.push(unescapeXml(key ?? ""));
  }
  if (!/<IsTruncated>true<\/IsTruncated>/.test(xml)) return { keys, next: undefined };
  const token = /<NextContinuationToken>([^<]{1,4096})<\/NextContinuationToken>/.exec(xml)?.[1];
  if (token === undefined) throw new UpstreamError("malformed", "a cut listing does not say how it goes on");
  return { keys, next: unescapeXml(token) };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? "");
}
