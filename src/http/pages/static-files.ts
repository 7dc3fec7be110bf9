// The files for browsers: console, API reference, icons. The build lists them with their types, sizes and hashes; a path
// is looked up in that list and never joined to a folder, so no request can reach another file. Nothing is read before
// the first request for it.

import { open, readFile } from "node:fs/promises";
import { keepSome } from "../../base/recent.ts";
import { STATIC_HEADERS, toHeaderSet } from "../response/headers.ts";
import { type Coding, negotiateCoding } from "../response/negotiation.ts";
import type { RequestHeaders } from "../transport/body.ts";
import type { HeaderSet } from "../transport/exchange.ts";

const LIST_NAME = "web-files.json";
/** The whole package for browsers is smaller. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** A file in the list. */
interface ListedFile {
  readonly type: string;
  /** Of the bytes without a coding. */
  readonly hash: string;
  /** Sizes in bytes; a coding that would not save anything is left out. */
  readonly sizes: Readonly<Partial<Record<Coding | "identity", number>>>;
}

/** A file as it is sent. */
export interface StaticFile {
  readonly headers: HeaderSet;
  readonly etag: string;
  readonly coding: Coding | undefined;
  /** The name changes with the content. */
  readonly isImmutable: boolean;
  read(): Promise<Uint8Array>;
}

const CONSOLE_PAGE = "console/index.html";
/** Paths whose file has another name. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["/", CONSOLE_PAGE],
  ["/v1/spec", "reference/index.html"],
  ["/favicon.svg", "console/mark.svg"],
  // Asked for without a page that names the icon, also by browsers that take no SVG.
  ["/favicon.ico", "console/icon.png"],
  ["/apple-touch-icon.png", "console/icon.png"],
]);
const LONGEST_PATH = Math.max(...[...NAMES.keys()].map(({ length }) => length));
/** As bundlers write them: a name, a dash, a hash. */
const HASHED = /-[A-Za-z0-9_-]{8,32}\.[a-z0-9]{1,8}$/;

/** Name of the file for a path, if the list has it; undefined for paths of the API. Reads nothing. */
function nameOf(path: string): string | undefined {
  // A lookup hashes the whole path, which every request of the API would pay.
  const fixed = path.length > LONGEST_PATH ? undefined : NAMES.get(path);
  if (fixed !== undefined) return fixed;
  const isListed = path.startsWith("/console/") || path.startsWith("/reference/");
  return isListed && !path.endsWith(".html") ? path.slice(1) : undefined;
}

/** The files for browsers. */
export class StaticFiles {
  readonly #folder: URL;
  readonly #hasConsole: boolean;
  #list: Promise<ReadonlyMap<string, ListedFile>> | undefined;
  /** Files that were asked for, by the name on disk. The list bounds them. */
  readonly #loaded = new Map<string, Promise<Uint8Array>>();
  readonly #headers = new Map<string, HeaderSet>();

  /** The folder has the files and their list. Without the console, its page is not served; the reference is. */
  constructor({ folder, hasConsole = true }: { folder: URL; hasConsole?: boolean }) {
    this.#folder = folder;
    this.#hasConsole = hasConsole;
  }

  /** Files in memory. */
  get loaded(): number {
    return this.#loaded.size;
  }

  /** The file for a path, in the coding that suits the client best; undefined at once for a path of the API. */
  find(path: string, headers: RequestHeaders): Promise<StaticFile | undefined> | undefined {
    const name = nameOf(path);
    if (name === undefined || (name === CONSOLE_PAGE && !this.#hasConsole)) return undefined;
    return this.#find(name, headers["accept-encoding"]);
  }

  async #find(name: string, acceptEncoding: string | undefined): Promise<StaticFile | undefined> {
    this.#list ??= this.#readList();
    const listed = (await this.#list).get(name);
    if (listed === undefined) return undefined;
    const wanted = negotiateCoding(acceptEncoding);
    const coding = wanted !== undefined && listed.sizes[wanted] !== undefined ? wanted : undefined;
    const headers =
      this.#headers.get(listed.type) ?? toHeaderSet(["Content-Type", listed.type, ...STATIC_HEADERS]);
    this.#headers.set(listed.type, headers);
    return {
      headers,
      etag: `"${listed.hash}${coding === undefined ? "" : `-${coding}`}"`,
      coding,
      isImmutable: HASHED.test(name),
      read: () => this.#load(name, listed, coding),
    };
  }

  async #readList(): Promise<ReadonlyMap<string, ListedFile>> {
    let text: string;
    try {
      text = await readFile(new URL(LIST_NAME, this.#folder), "utf8");
    } catch (error) {
      // Sources that were not built: the plain pages are served instead.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
      throw error;
    }
    return new Map(Object.entries(JSON.parse(text) as Record<string, ListedFile>));
  }

  #load(name: string, { sizes }: ListedFile, coding: Coding | undefined): Promise<Uint8Array> {
    const onDisk = coding === undefined ? name : `${name}.${coding === "gzip" ? "gz" : coding}`;
    // A failure is answered once, and the next request reads again.
    return keepSome(this.#loaded, onDisk, Number.POSITIVE_INFINITY, () =>
      this.#read(onDisk, sizes[coding ?? "identity"] ?? 0),
    );
  }

  async #read(onDisk: string, size: number): Promise<Uint8Array> {
    if (size > MAX_FILE_BYTES) throw new Error(`${onDisk} is larger than ${MAX_FILE_BYTES} bytes`);
    const file = await open(new URL(onDisk, this.#folder));
    try {
      const found = (await file.stat()).size;
      if (found !== size) throw new Error(`${onDisk} has ${found} bytes, the list says ${size}`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  }
}
