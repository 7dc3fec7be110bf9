// Broken modules and scripts: the reader returns an ABI or throws MoveError, in bounded time and with flat memory.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import { fromHex } from "../../src/base/hex.ts";
import { countAbiJsonBytes } from "../../src/move/abi-json.ts";
import { parseAddress } from "../../src/move/address.ts";
import { estimateAbiBytes } from "../../src/move/bytecode/abi-size.ts";
import { readModule, readScript } from "../../src/move/bytecode/reader.ts";
import { MoveError } from "../../src/move/errors.ts";
import { genesisModules } from "../support/genesis-modules.ts";
import { RUNS } from "../support/property.ts";
import { hasShared, sharedJson } from "../support/shared.ts";
import { createRandom } from "../support/synthetic-ledger.ts";
import { yardstickMs } from "../support/yardstick.ts";

const CASES = 50 * RUNS;
const MAX_YARDSTICKS = 8;
/** Largest number of heap bytes of an ABI for each byte of its module. */
const MAX_EXPANSION = 120;

/** A small deterministic generator, so that every run has the same cases. */
function choose(seed: number): (below: number) => number {
  const next = createRandom(seed);
  return (below) => next() % below;
}

type Random = (below: number) => number;

function editBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const out = new Uint8Array(bytes);
  for (let edits = 1 + random(3); edits > 0; edits--) {
    const at = random(out.length);
    // Small values, neighbours and single bits get further into the reader than random bytes.
    const how = random(4);
    const old = out[at]!;
    out[at] =
      how === 0
        ? random(256)
        : how === 1
          ? random(24)
          : how === 2
            ? old ^ (1 << random(8))
            : old + 1 - random(3);
  }
  return out;
}

function splice(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = random(bytes.length);
  const removed = random(Math.min(16, bytes.length - at) + 1);
  const from = random(other.length);
  const inserted = other.subarray(from, from + random(17));
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
}

function mutate(corpus: readonly Uint8Array[], random: Random): Uint8Array {
  const bytes = corpus[random(corpus.length)]!;
  const other = corpus[random(corpus.length)]!;
  switch (random(8)) {
    case 0:
      return bytes.subarray(0, random(bytes.length));
    case 1:
      return splice(bytes, other, random);
    case 2:
      return Buffer.concat([bytes.subarray(0, random(bytes.length)), other.subarray(random(other.length))]);
    default:
      return editBytes(bytes, random);
  }
}

function heapAfterGc(): number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

function scripts(): Uint8Array[] {
  const own = [
    "a11ceb0b0100000001050001000000000102",
    "a11ceb0b060000000105000703060c060c03000000010102",
    "a11ceb0b0900000a010500050314151600000001010102",
  ];
  const vectors = hasShared ? sharedJson<unknown>("vectors/encode-devnet.json") : [];
  const known = JSON.stringify(vectors).match(/a11ceb0b[0-9a-f]+/g) ?? [];
  return [...new Set([...own, ...known])].flatMap((hex) => {
    const bytes = fromHex(hex);
    return bytes === undefined || !accepts(readScript, bytes) ? [] : [bytes];
  });
}

function modules(): Uint8Array[] {
  const own = [5, 6, 7, 8, 9, 10].map((formatVersion) =>
    assembleModule({
      address: parseAddress("0xcafe"),
      name: "demo",
      formatVersion,
      friends: [{ address: parseAddress("0xcafe"), name: "pal" }],
      structs: [
        {
          name: "S",
          abilities: ["key"],
          typeParams: [{ constraints: [], phantom: true }],
          fields: [{ name: "a", type: "u8" }],
        },
        ...(formatVersion >= 7 ? [{ name: "E", variants: [{ name: "A" }, { name: "B" }] }] : []),
      ],
      functions: [
        {
          name: "f",
          isEntry: true,
          typeParams: [["copy"]],
          params: ["&signer", "vector<T0>", "0xcafe::demo::S<u64>"],
        },
      ],
    }),
  );
  if (!hasShared) return own;
  return [...own, ...genesisModules("devnet").values(), ...genesisModules("mainnet").values()];
}

function accepts(read: (bytes: Uint8Array) => unknown, bytes: Uint8Array): boolean {
  try {
    read(bytes);
    return true;
  } catch (error) {
    if (!(error instanceof MoveError) || error.code !== "bytecode") throw error;
    const { status, offset } = error.details;
    if (typeof status !== "string" || typeof offset !== "number" || offset < 0 || offset > bytes.length) {
      throw new Error(`error without status or place: ${error.message}`);
    }
    return false;
  }
}

function readBounded(bytes: Uint8Array): void {
  const abi = readModule(bytes);
  const held = estimateAbiBytes(abi);
  if (held > MAX_EXPANSION * bytes.length) throw new Error(`${bytes.length} bytes read to ${held}`);
  try {
    countAbiJsonBytes(abi);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
  }
}

describe("broken bytecode", () => {
  it(`throws only MoveError, in bounded time and flat memory (${CASES} cases)`, async () => {
    const random = choose(20_261_115);
    const moduleCorpus = modules();
    const scriptCorpus = scripts();
    for (const bytes of moduleCorpus) expect(accepts(readBounded, bytes)).toBe(true);
    expect(scriptCorpus.length).toBeGreaterThanOrEqual(hasShared ? 12 : 3);
    const counts = { module: { read: 0, refused: 0 }, script: { read: 0, refused: 0 } };
    let slowestMs = 0;
    let heapBefore = 0;
    for (let i = 0; i < CASES; i++) {
      if (i === CASES / 10) heapBefore = heapAfterGc();
      const kind = i % 4 === 0 ? "script" : "module";
      // Sometimes read one kind as the other: no byte tells them apart.
      const corpus = (kind === "script") === random(50) > 0 ? scriptCorpus : moduleCorpus;
      const bytes = mutate(corpus, random);
      const started = process.cpuUsage();
      const ok = accepts(kind === "script" ? readScript : readBounded, bytes);
      slowestMs = Math.max(slowestMs, process.cpuUsage(started).user / 1000);
      counts[kind][ok ? "read" : "refused"]++;
    }
    const grownBytes = heapAfterGc() - heapBefore;
    // Both outcomes must be common, or the cases did not get far.
    for (const { read, refused } of Object.values(counts)) {
      expect(read).toBeGreaterThan(CASES / 100);
      expect(refused).toBeGreaterThan(CASES / 100);
    }
    expect(slowestMs / (await yardstickMs())).toBeLessThan(MAX_YARDSTICKS);
    expect(grownBytes).toBeLessThan(8 << 20);
  });
});
