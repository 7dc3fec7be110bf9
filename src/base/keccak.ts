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
const PAIR_DIGESTS_AT = TRIPLE_AT + RATE;
const SECOND_DIGEST_AT = PAIR_DIGESTS_AT + DIGEST_BYTES;
const PAIR_DIGESTS_END = SECOND_DIGEST_AT + DIGEST_BYTES;
const PREPARED_AT = PAIR_DIGESTS_END;
const PAGE_BYTES = 65_536;

const TYPE_I32 = 0x7f;
const TYPE_I64 = 0x7e;
const TYPE_V128 = 0x7b;
const NO_RESULT = 0x40;
const OP = {
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  branch: 0x0c,
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

/** Instructions on two 64-bit lanes at once. */
const VECTOR = {
  load64Splat: [0xfd, 0x0a],
  const: [0xfd, 0x0c],
  and: [0xfd, 0x4e],
  andNot: [0xfd, 0x4f],
  or: [0xfd, 0x50],
  xor: [0xfd, 0x51],
  load64Lane: [0xfd, 0x57],
  store64Lane: [0xfd, 0x5b],
  load64Zero: [0xfd, 0x5d],
  shiftLeft64: [0xfd, 0xcb, 0x01],
  shiftRight64: [0xfd, 0xcd, 0x01],
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

/** Locals of a function that hashes: parameters and pointers, then lanes. */
interface Locals {
  /** Pointer to the round's constant. */
  readonly round: number;
  readonly firstLane: number;
}

/** How a function computes with lanes: with those of one hash, or of two. */
interface LaneOps extends Locals {
  readonly xor: readonly number[];
  /** Turns the lane of a local by a distance above zero. */
  rotate(local: number, distance: number): number[];
  /** The lane of the second local where that of the first is clear. */
  clearing(first: number, second: number): number[];
  /** The round's constant. */
  readonly constant: readonly number[];
}

// Locals of the function for one hash: three parameters, then those of `Locals`.
const [INPUT, BLOCKS, OUTPUT, ROUND] = [0, 1, 2, 3];
const FIRST_LANE = 4;
const LANE_LOCALS = 56;

const get = (local: number): number[] => [OP.get, ...uleb(local)];
const set = (local: number): number[] => [OP.set, ...uleb(local)];
const load = (address: number[], offset: number): number[] => [...address, OP.load64, 3, ...uleb(offset)];

const ONE_HASH: LaneOps = {
  round: ROUND,
  firstLane: FIRST_LANE,
  xor: [OP.xor64],
  rotate: (local, distance) => [...get(local), OP.const64, ...sleb(distance), OP.rotl64],
  clearing: (first, second) => [...get(first), OP.const64, 0x7f, OP.xor64, ...get(second), OP.and64],
  constant: load(get(ROUND), 0),
};

function roundBody({ firstLane, xor, rotate, clearing, constant }: LaneOps): number[] {
  const lane = (i: number): number => firstLane + i;
  const moved = (i: number): number => firstLane + 25 + i;
  const column = (x: number): number => firstLane + 50 + (x % 5);
  const spread = firstLane + 55;
  const code: number[] = [];
  for (let x = 0; x < 5; x++) {
    code.push(...get(lane(x)));
    for (let y = 1; y < 5; y++) code.push(...get(lane(x + 5 * y)), ...xor);
    code.push(...set(column(x)));
  }
  const distances = rotations();
  for (let x = 0; x < 5; x++) {
    code.push(...rotate(column(x + 1), 1), ...get(column(x + 4)), ...xor, ...set(spread));
    for (let y = 0; y < 5; y++) {
      const from = x + 5 * y;
      const to = moved(y + 5 * ((2 * x + 3 * y) % 5));
      code.push(...get(lane(from)), ...get(spread), ...xor, ...set(to));
      if (distances[from] !== 0) code.push(...rotate(to, distances[from] ?? 0), ...set(to));
    }
  }
  for (let i = 0; i < 25; i++) {
    const row = i - (i % 5);
    // A lane flips where the next one is clear and the one after it is set.
    code.push(...clearing(moved(row + ((i + 1) % 5)), moved(row + ((i + 2) % 5))), ...get(moved(i)), ...xor);
    if (i === 0) code.push(...constant, ...xor);
    code.push(...set(lane(i)));
  }
  return code;
}

/** All rounds on the lanes. */
function permutation(ops: LaneOps): number[] {
  const { round } = ops;
  return [
    ...[OP.const32, ...sleb(ROUND_CONSTANTS_AT), ...set(round), OP.loop, NO_RESULT, ...roundBody(ops)],
    ...[...get(round), OP.const32, 8, OP.add32, OP.tee, ...uleb(round)],
    ...[OP.const32, ...sleb(ROUND_CONSTANTS_AT + 8 * ROUNDS), OP.less32, OP.branchIf, 0, OP.end],
  ];
}

/** hash(input, blocks, output): absorbs whole padded blocks and stores the digest. */
function functionBody(): number[] {
  const lane = (i: number): number => FIRST_LANE + i;
  const code: number[] = [2, 1, TYPE_I32, ...uleb(LANE_LOCALS), TYPE_I64, OP.loop, NO_RESULT];
  for (let i = 0; i < LANES_IN; i++) {
    code.push(...get(lane(i)), ...load(get(INPUT), 8 * i), OP.xor64, ...set(lane(i)));
  }
  code.push(...permutation(ONE_HASH));
  code.push(...get(INPUT), OP.const32, ...sleb(RATE), OP.add32, ...set(INPUT));
  code.push(...get(BLOCKS), OP.const32, 1, OP.sub32, OP.tee, ...uleb(BLOCKS), OP.branchIf, 0, OP.end);
  for (let i = 0; i < DIGEST_BYTES / 8; i++) {
    code.push(...get(OUTPUT), ...get(lane(i)), OP.store64, 3, ...uleb(8 * i));
  }
  return [...code, OP.end];
}

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0] as const;

function section(id: number, content: number[]): number[] {
  return [id, ...uleb(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

function moduleBytes(): Uint8Array {
  const body = functionBody();
  return Uint8Array.from([
    ...MAGIC,
    ...section(1, [1, 0x60, 3, TYPE_I32, TYPE_I32, TYPE_I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, 1, 1]),
    ...section(7, [2, ...name("memory"), 2, 0, ...name("hash"), 0, 0]),
    ...section(10, [1, ...uleb(body.length), ...body]),
  ]);
}

// Locals of the function for two hashes: the parameters of `HashPair`, whether a block follows, then those of `Locals`.
const PAIR = { first: 0, beside: 1, between: 2, next: 3, digest: 4, besideDigest: 5, isFollowed: 6 } as const;
const PAIR_LOCALS: Locals = { round: 7, firstLane: 8 };
/** Clears the lane of the first hash. */
const SECOND_ONLY = [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255] as const;

const TWO_HASHES: LaneOps = {
  ...PAIR_LOCALS,
  xor: VECTOR.xor,
  rotate: (local, distance) => [
    ...[...get(local), OP.const32, ...sleb(distance), ...VECTOR.shiftLeft64],
    ...[...get(local), OP.const32, ...sleb(64 - distance), ...VECTOR.shiftRight64, ...VECTOR.or],
  ],
  clearing: (first, second) => [...get(second), ...get(first), ...VECTOR.andNot],
  constant: [...get(PAIR_LOCALS.round), ...VECTOR.load64Splat, 3, 0],
};

/** The function of `HashPair`: both hashes begin at zero, the first begins again with its second block. */
function pairBody(): number[] {
  const lane = (i: number): number => PAIR_LOCALS.firstLane + i;
  const code: number[] = [2, 2, TYPE_I32, ...uleb(LANE_LOCALS), TYPE_V128];
  code.push(OP.const32, 1, ...set(PAIR.isFollowed), OP.loop, NO_RESULT);
  for (let i = 0; i < LANES_IN; i++) {
    const at = [3, ...uleb(8 * i)];
    code.push(...get(lane(i)), ...get(PAIR.beside), ...get(PAIR.first), ...VECTOR.load64Zero, ...at);
    code.push(...VECTOR.load64Lane, ...at, 1, ...VECTOR.xor, ...set(lane(i)));
  }
  code.push(...permutation(TWO_HASHES));
  const storeDigest = (address: number, hash: number): void => {
    for (let i = 0; i < DIGEST_BYTES / 8; i++) {
      code.push(...get(address), ...get(lane(i)), ...VECTOR.store64Lane, 3, ...uleb(8 * i), hash);
    }
  };
  storeDigest(PAIR.between, 0);
  code.push(...get(PAIR.isFollowed), OP.if, NO_RESULT);
  for (let i = 0; i < 25; i++) {
    code.push(...get(lane(i)), ...VECTOR.const, ...SECOND_ONLY, ...VECTOR.and, ...set(lane(i)));
  }
  code.push(...get(PAIR.next), ...set(PAIR.first), ...get(PAIR.digest), ...set(PAIR.between));
  code.push(...get(PAIR.beside), OP.const32, ...sleb(RATE), OP.add32, ...set(PAIR.beside));
  code.push(OP.const32, 0, ...set(PAIR.isFollowed), OP.branch, 1, OP.end, OP.end);
  storeDigest(PAIR.besideDigest, 1);
  return [...code, OP.end];
}

/** Compiled on first use: only servers of balances need it. Undefined where the machine has no vector instructions. */
function makeHashPair(): HashPair | undefined {
  const body = pairBody();
  const bytes = Uint8Array.from([
    ...MAGIC,
    ...section(1, [1, 0x60, 6, ...new Array<number>(6).fill(TYPE_I32), 0]),
    ...section(2, [1, ...name("sponge"), ...name("memory"), 2, 1, 1, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("hashPair"), 0, 0]),
    ...section(10, [1, ...uleb(body.length), ...body]),
  ]);
  try {
    const module = new WebAssembly.Module(bytes);
    const imports = { sponge: { memory: sponge.memory } };
    return new WebAssembly.Instance<{ readonly hashPair: HashPair }>(module, imports).exports.hashPair;
  } catch {
    return undefined;
  }
}

/** The part of WebAssembly used here; TypeScript declares it only in its DOM library. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new <Exports>(
    module: object,
    imports?: object,
  ) => {
    readonly exports: Exports;
  };
};

interface Sponge {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly hash: HashBlocks;
}

type HashBlocks = (input: number, blocks: number, output: number) => void;

const { exports: sponge } = new WebAssembly.Instance<Sponge>(new WebAssembly.Module(moduleBytes()));
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
    if (bytes.length > this.#maxBytes)
      throw new Error(`${bytes.length} bytes, expected at most ${this.#maxBytes}`);
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

  /**
   * `hashInto(target, offset)`, then the hashes of `target` and `beside`. Where these take one, one and two blocks, it
   * takes half the time: vector instructions hash two inputs at once.
   */
  hashChain(
    target: PreparedInput,
    offset: number,
    beside: PreparedInput,
  ): readonly [target: Uint8Array, beside: Uint8Array] {
    if (this.#blocks !== 1 || target.#blocks !== 1 || beside.#blocks !== 2) {
      this.hashInto(target, offset);
      return [target.hash(), beside.hash()];
    }
    hashPair ??= makeHashPair() ?? hashOneByOne;
    hashPair(this.#at, beside.#at, target.#at + offset, target.#at, PAIR_DIGESTS_AT, SECOND_DIGEST_AT);
    return [
      memory.slice(PAIR_DIGESTS_AT, SECOND_DIGEST_AT),
      memory.slice(SECOND_DIGEST_AT, PAIR_DIGESTS_END),
    ];
  }
}

/**
 * Hashes the block at `first` to `between`, then the one at `next` to `digest`; at the same time the two blocks at
 * `beside` to `besideDigest`.
 */
type HashPair = (
  first: number,
  beside: number,
  between: number,
  next: number,
  digest: number,
  besideDigest: number,
) => void;

let hashPair: HashPair | undefined;

const hashOneByOne: HashPair = (first, beside, between, next, digestAt, besideDigestAt) => {
  hashBlocks(first, 1, between);
  hashBlocks(next, 1, digestAt);
  hashBlocks(beside, 2, besideDigestAt);
};
