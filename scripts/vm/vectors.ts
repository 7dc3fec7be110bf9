// The files of the vectors, the state that they start from, and how results are told.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec } from "../../src/ledger/formats/state-value.ts";
import { writeSetCodec, writtenValue } from "../../src/ledger/formats/write-set.ts";
import { metadataOf, type StoredItem, type StoredReader } from "../../src/vm/change-set.ts";
import type { LoadedModule } from "../../src/vm/linker.ts";
import { Programs } from "../../src/vm/programs.ts";

/** Items of a state by the hex of their keys. */
export class Items {
  readonly #items = new Map<string, StoredItem>();

  set(key: string, value: Uint8Array): void {
    const decoded = decodeWith(stateValueCodec, value);
    this.#items.set(key, { data: decoded.data, metadata: metadataOf(decoded) });
  }

  /** Applies a write set in BCS. */
  apply(writeSet: Uint8Array): void {
    if (writeSet.length === 0) return;
    for (const [key, op] of decodeWith(writeSetCodec, writeSet).writes) {
      const name = toHex(encodeWith(stateKeyCodec, key));
      const value = writtenValue(op);
      if (value === undefined) this.#items.delete(name);
      else this.#items.set(name, { data: value.data, metadata: metadataOf(value) });
    }
  }

  get read(): StoredReader {
    return (key) => this.#items.get(toHex(key));
  }

  entries(): Iterable<readonly [string, StoredItem]> {
    return this.#items;
  }
}

/** What a part of the vectors gave. */
export class Tally {
  readonly #name: string;
  readonly #groups = new Map<string, { equal: number; total: number }>();
  readonly #differences: string[] = [];
  #notes = "";

  constructor(name: string) {
    this.#name = name;
  }

  /** Counts one case; without differences it is equal. */
  add(title: string, differences: readonly string[], group = ""): void {
    const counts = this.#groups.get(group) ?? { equal: 0, total: 0 };
    this.#groups.set(group, counts);
    counts.total++;
    if (differences.length === 0) counts.equal++;
    else this.#differences.push(`${title}: ${differences.join("; ").slice(0, 800)}`);
  }

  note(text: string): void {
    this.#notes = ` (${text})`;
  }

  /** Prints one line, and one for each difference. True if there is none. */
  print(): boolean {
    const sum = (of: "equal" | "total"): number =>
      [...this.#groups.values()].reduce((total, counts) => total + counts[of], 0);
    const parts = [...this.#groups].filter(([name]) => name !== "");
    const groups = parts.map(([name, { equal, total }]) => `${name} ${equal}/${total}`).join(", ");
    const rest = groups === "" ? "" : `: ${groups}`;
    console.log(`${this.#name}: ${sum("equal")} of ${sum("total")} equal${this.#notes}${rest}`);
    for (const difference of this.#differences) console.log(`  ${difference}`);
    return this.#differences.length === 0;
  }
}

/** A folder of vectors. */
export class Vectors {
  readonly folder: string;
  /** Only cases whose names have this text. */
  readonly only: string | undefined;

  constructor(folder: string, only: string | undefined) {
    this.folder = folder;
    this.only = only;
  }

  isWanted(...names: readonly string[]): boolean {
    const { only } = this;
    return only === undefined || names.some((name) => name.includes(only));
  }

  bytes(name: string): Uint8Array {
    return gunzipSync(readFileSync(join(this.folder, `${name}.gz`)));
  }

  json<T>(name: string): T {
    return JSON.parse(Buffer.from(this.bytes(name)).toString()) as T;
  }

  lines<T>(name: string): T[] {
    return Buffer.from(this.bytes(name))
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as T);
  }

  genesis(): Items {
    const items = new Items();
    for (const { key, value } of checkGenesis(this.bytes("head-genesis.blob")).writes)
      if (value !== undefined) items.set(toHex(key), value);
    return items;
  }
}

export function fromHex(text: string): Uint8Array {
  return Buffer.from(text, "hex");
}

const programs = new Programs();

/** Programs by their bytes. */
export function cachedProgram(key: string, bytes: Uint8Array): LoadedModule {
  return finish(programs.get(key, bytes));
}

function printable(key: string): string {
  return Buffer.from(key, "hex")
    .toString("latin1")
    .replace(/[^ -~]/g, ".")
    .slice(0, 90);
}

/** Names the first write that differs. */
export function writeDifference(got: Uint8Array, wanted: Uint8Array): string {
  const of = (bytes: Uint8Array): Map<string, string> =>
    new Map(
      decodeWith(writeSetCodec, bytes).writes.map(([key, op]) => [
        toHex(encodeWith(stateKeyCodec, key)),
        JSON.stringify({ ...op, ...("data" in op ? { data: toHex(op.data) } : {}) }, (_, value) =>
          typeof value === "bigint" ? String(value) : value,
        ),
      ]),
    );
  const [ours, theirs] = [of(got), of(wanted)];
  for (const [key, op] of theirs) {
    const our = ours.get(key);
    if (our !== op) return `write ${printable(key)}: ${our?.slice(-120)}, expected ${op.slice(-120)}`;
  }
  for (const key of ours.keys()) if (!theirs.has(key)) return `write ${printable(key)} is not expected`;
  return "writes in another order";
}
