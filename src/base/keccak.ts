// SHA3-256 of short inputs in WebAssembly: a call into node:crypto costs more than hashing a hundred bytes. This
// file generates the few hundred instructions of the sponge from its definition and compiles them on load; input
// and digest pass through the instance's memory.

/** Bytes that one permutation absorbs. */
const RATE = 136;
const LANES_IN = RATE / 8;
const ROUNDS = 24;
const DIGEST_BYTES = 32;
/** Memory layout: the digest, the round constants, the input, one padded block for three hashes, prepared inputs. */
const DIGEST_AT = 0;
const ROUND_CONSTANTS_AT = 64;
const INPUT_AT = 512;

/** Longest input this file hashes; from about here on node:crypto is as fast. */
export const MAX_SHORT_INPUT = 8 * RATE - 1;
const TRIPLE_AT = INPUT_AT + MAX_SHORT_INPUT + 1;
const SECOND_AT = TRIPLE_AT + DIGEST_BYTES;
const THIRD_AT = SECOND_AT + DIGEST_BYTES;
const PREPARED_AT = TRIPLE_AT + RATE;
const PAGE_BYTES = 65_536;

const TYPE_I32 = 0x7f;
const TYPE_I64 = 0x7e;
const OP = {
  loop: 0x03,
  end: 0x0b,
  branchIf: 0x0d,
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  load64: 0x29,
  store64: 0x37,
  const32: 0x41,
  const64: 0x42,
  less32: 0x48,
  add32: 0x6a,
  sub32: 0x6b,
  and64: 0x83,
  xor64: 0x85,
  rotl64: 0x89,
} as const;

function uleb(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  return [...out, rest];
}

/** Signed LEB128 of a number that is not negative. */
function sleb(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest > 0x3f; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  return [...out, rest];
}

/** The round constants: an 8-bit shift register gives the bits at positions 2^j - 1. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if ((register & 1) === 1) constant |= 1n << BigInt((1 << j) - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    return constant;
  });
}

/** How far each lane rotates: the triangular numbers along the walk (x, y) -> (y, 2x + 3y). */
function rotations(): number[] {
  const distances = new Array<number>(25).fill(0);
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    distances[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64;
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return distances;
}

// Locals of the function: three parameters, the pointer to the round's constant, then lanes.
const [INPUT, BLOCKS, OUTPUT, ROUND] = [0, 1, 2, 3];
const FIRST_LANE = 4;
const lane = (i: number): number => FIRST_LANE + i;
const moved = (i: number): number => FIRST_LANE + 25 + i;
const column = (x: number): number => FIRST_LANE + 50 + (x % 5);
const SPREAD = FIRST_LANE + 55;
const LANE_LOCALS = 56;

const get = (local: number): number[] => [OP.get, ...uleb(local)];
const set = (local: number): number[] => [OP.set, ...uleb(local)];
const load = (address: number[], offset: number): number[] => [...address, OP.load64, 3, ...uleb(offset)];

function roundBody(): number[] {
  const code: number[] = [];
  for (let x = 0; x < 5; x++) {
    code.push(...get(lane(x)));
    for (let y = 1; y < 5; y++) code.push(...get(lane(x + 5 * y)), OP.xor64);
    code.push(...set(column(x)));
  }
  const distances = rotations();
  for (let x = 0; x < 5; x++) {
    code.push(
      ...get(column(x + 1)),
      OP.const64,
      1,
      OP.rotl64,
      ...get(column(x + 4)),
      OP.xor64,
      ...set(SPREAD),
    );
    for (let y = 0; y < 5; y++) {
      const from = x + 5 * y;
      code.push(...get(lane(from)), ...get(SPREAD), OP.xor64);
      if (distances[from] !== 0) code.push(OP.const64, ...sleb(distances[from] ?? 0), OP.rotl64);
      code.push(...set(moved(y + 5 * ((2 * x + 3 * y) % 5))));
    }
  }
  for (let i = 0; i < 25; i++) {
    const row = i - (i % 5);
    // A lane flips where the next one is clear and the one after it is set.
    code.push(...get(moved(row + ((i + 1) % 5))), OP.const64, 0x7f, OP.xor64);
    code.push(...get(moved(row + ((i + 2) % 5))), OP.and64, ...get(moved(i)), OP.xor64);
    if (i === 0) code.push(...load(get(ROUND), 0), OP.xor64);
    code.push(...set(lane(i)));
  }
  return code;
}

/** hash(input, blocks, output): absorbs whole padded blocks and stores the digest. */
function functionBody(): number[] {
  const code: number[] = [2, 1, TYPE_I32, ...uleb(LANE_LOCALS), TYPE_I64, OP.loop, 0x40];
  for (let i = 0; i < LANES_IN; i++) {
    code.push(...get(lane(i)), ...load(get(INPUT), 8 * i), OP.xor64, ...set(lane(i)));
  }
  code.push(OP.const32, ...sleb(ROUND_CONSTANTS_AT), ...set(ROUND), OP.loop, 0x40, ...roundBody());
  code.push(...get(ROUND), OP.const32, 8, OP.add32, OP.tee, ...uleb(ROUND));
  code.push(OP.const32, ...sleb(ROUND_CONSTANTS_AT + 8 * ROUNDS), OP.less32, OP.branchIf, 0, OP.end);
  code.push(...get(INPUT), OP.const32, ...sleb(RATE), OP.add32, ...set(INPUT));
  code.push(...get(BLOCKS), OP.const32, 1, OP.sub32, OP.tee, ...uleb(BLOCKS), OP.branchIf, 0, OP.end);
  for (let i = 0; i < DIGEST_BYTES / 8; i++) {
    code.push(...get(OUTPUT), ...get(lane(i)), OP.store64, 3, ...uleb(8 * i));
  }
  return [...code, OP.end];
}

function moduleBytes(): Uint8Array {
  const section = (id: number, content: number[]): number[] => [id, ...uleb(content.length), ...content];
  const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
  const body = functionBody();
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 3, TYPE_I32, TYPE_I32, TYPE_I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, 1, 1]),
    ...section(7, [2, ...name("memory"), 2, 0, ...name("hash"), 0, 0]),
    ...section(10, [1, ...uleb(body.length), ...body]),
  ]);
}

/** The part of WebAssembly used here; TypeScript declares it only in its DOM library. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly hash: HashBlocks };
  };
};

type HashBlocks = (input: number, blocks: number, output: number) => void;

const { exports: sponge } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()));
const hashBlocks = sponge.hash;
const memory = new Uint8Array(sponge.memory.buffer);
const digest = memory.subarray(DIGEST_AT, DIGEST_AT + DIGEST_BYTES);
const constants = new DataView(sponge.memory.buffer, ROUND_CONSTANTS_AT);
for (const [i, constant] of roundConstants().entries()) constants.setBigUint64(8 * i, constant, true);
memory[TRIPLE_AT + 3 * DIGEST_BYTES] = 0x06;
memory[TRIPLE_AT + RATE - 1] = 0x80;

function takeDigest(): Uint8Array {
  return new Uint8Array(digest);
}

/** SHA3-256 of two or three byte strings joined, at most `MAX_SHORT_INPUT` bytes in total. */
export function sha3Short(head: Uint8Array, middle: Uint8Array, tail?: Uint8Array): Uint8Array {
  const tailStart = head.length + middle.length;
  const length = tail === undefined ? tailStart : tailStart + tail.length;
  if (length > MAX_SHORT_INPUT)
    throw new Error(`${length} bytes, but a short input has at most ${MAX_SHORT_INPUT}`);
  memory.set(head, INPUT_AT);
  memory.set(middle, INPUT_AT + head.length);
  if (tail !== undefined) memory.set(tail, INPUT_AT + tailStart);
  const blocks = Math.floor(length / RATE) + 1;
  const end = INPUT_AT + blocks * RATE;
  memory.fill(0, INPUT_AT + length, end);
  memory[INPUT_AT + length] = 0x06;
  memory[end - 1] = (memory[end - 1] ?? 0) | 0x80;
  hashBlocks(INPUT_AT, blocks, DIGEST_AT);
  return takeDigest();
}

function setTriple(first: Uint8Array, second: Uint8Array, third: Uint8Array): void {
  if (first.length !== DIGEST_BYTES || second.length !== DIGEST_BYTES || third.length !== DIGEST_BYTES) {
    throw new Error("each of the three inputs must have 32 bytes");
  }
  memory.set(first, TRIPLE_AT);
  memory.set(second, SECOND_AT);
  memory.set(third, THIRD_AT);
}

/** SHA3-256 of three byte strings of 32 bytes: a seed and two children in every Merkle tree of the ledger. */
export function sha3Triple(first: Uint8Array, second: Uint8Array, third: Uint8Array): Uint8Array {
  setTriple(first, second, third);
  return endFold();
}

/** Starts folding a path up a Merkle tree. Intermediate hashes stay in the instance's memory. */
export function startFold(first: Uint8Array, second: Uint8Array, third: Uint8Array): void {
  setTriple(first, second, third);
}

function foldLevel(sibling: Uint8Array, digestAt: number, siblingAt: number): void {
  if (sibling.length !== DIGEST_BYTES) throw new Error("a sibling hash must have 32 bytes");
  // Safe in place: the digest is stored only after the whole input is read.
  hashBlocks(TRIPLE_AT, 1, digestAt);
  memory.set(sibling, siblingAt);
}

/** One level up: the hash so far is the left child, `right` its sibling. */
export function foldWithRight(right: Uint8Array): void {
  foldLevel(right, SECOND_AT, THIRD_AT);
}

/** One level up: the hash so far is the right child, `left` its sibling. */
export function foldWithLeft(left: Uint8Array): void {
  foldLevel(left, THIRD_AT, SECOND_AT);
}

/** Hash of the last level. */
export function endFold(): Uint8Array {
  hashBlocks(TRIPLE_AT, 1, DIGEST_AT);
  return takeDigest();
}

let preparedEnd = PREPARED_AT;

/** An input that stays in the instance's memory, for hashes of inputs that differ in a few bytes only. */
export class PreparedInput {
  readonly #at: number;
  readonly #maxBytes: number;
  #blocks = 1;

  /** Takes memory of the instance for good: at most `MAX_SHORT_INPUT` bytes, for a few inputs of the program. */
  constructor(maxBytes: number) {
    const blocks = Math.floor(maxBytes / RATE) + 1;
    if (maxBytes > MAX_SHORT_INPUT || preparedEnd + blocks * RATE > PAGE_BYTES) {
      throw new Error(`no room to prepare an input of ${maxBytes} bytes`);
    }
    this.#at = preparedEnd;
    this.#maxBytes = maxBytes;
    preparedEnd += blocks * RATE;
  }

  /** Replaces the whole input. */
  load(bytes: Uint8Array): void {
    if (bytes.length > this.#maxBytes) throw new Error(`${bytes.length} bytes, expected ${this.#maxBytes}`);
    this.#blocks = Math.floor(bytes.length / RATE) + 1;
    const end = this.#at + this.#blocks * RATE;
    memory.set(bytes, this.#at);
    memory.fill(0, this.#at + bytes.length, end);
    memory[this.#at + bytes.length] = 0x06;
    memory[end - 1] = (memory[end - 1] ?? 0) | 0x80;
  }

  /** Replaces 32 bytes of it. */
  put(bytes: Uint8Array, offset: number): void {
    if (bytes.length !== DIGEST_BYTES) throw new Error("each replaced part must have 32 bytes");
    memory.set(bytes, this.#at + offset);
  }

  hash(): Uint8Array {
    hashBlocks(this.#at, this.#blocks, DIGEST_AT);
    return takeDigest();
  }

  /** Puts the hash at an offset of another input. */
  hashInto(target: PreparedInput, offset: number): void {
    hashBlocks(this.#at, this.#blocks, target.#at + offset);
  }
}
