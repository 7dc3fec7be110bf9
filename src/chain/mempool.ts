// Submitted transactions that wait for a block: bounded in number and bytes, per sender and per fee payer. A transaction
// is ready if a block can take it after those of its sender that wait before it; any other one is parked.
import { equalBytes } from "../base/bytes.ts";
import { toHex } from "../base/hex.ts";
import { encodeWith } from "../bcs/codec.ts";
import { type Address, formatAddress } from "../move/address.ts";
import { type RawTransaction, rawTransactionCodec } from "../transaction/raw.ts";
import { SubmissionError } from "../transaction/submission-error.ts";
import type { Submitted } from "./submission/submitted.ts";

/** Bounds of the mempool. */
export interface MempoolLimits {
  readonly maxCount: number;
  readonly maxBytes: number;
  /** Transactions of one sender with sequence numbers, and with nonces, as on the network. */
  readonly maxPerSender: number;
  readonly maxNoncesPerSender: number;
  /** Transactions that one account pays for in the place of their senders. */
  readonly maxPerFeePayer: number;
  /** A transaction leaves after this much ledger time, as on the network. */
  readonly maxAgeSecs: bigint;
}

const DEFAULT_LIMITS: MempoolLimits = {
  maxCount: 10_000,
  maxBytes: 32 * 1024 * 1024,
  maxPerSender: 100,
  maxNoncesPerSender: 1000,
  maxPerFeePayer: 1000,
  maxAgeSecs: 600n,
};
/** Senders whose sequence numbers are remembered after a block. */
const MAX_REMEMBERED = 20_000;

interface Waiting {
  readonly submitted: Submitted;
  readonly sender: string;
  readonly price: number;
  /** Smaller for the older. */
  readonly age: number;
  readonly addedSecs: bigint;
  /** Of its sender when it was added. */
  readonly next: bigint;
}

/** The transactions of one sender. */
class SenderQueue {
  readonly ordered = new Map<bigint, Waiting>();
  readonly nonces = new Map<bigint, Waiting>();

  get size(): number {
    return this.ordered.size + this.nonces.size;
  }

  slotOf({ nonce, transaction: { raw } }: Submitted): [Map<bigint, Waiting>, bigint] {
    return nonce === undefined ? [this.ordered, raw.sequenceNumber] : [this.nonces, nonce];
  }

  /** The first sequence number from `next` on that no transaction has. */
  firstGap(next: bigint): bigint {
    let gap = next;
    while (this.ordered.has(gap)) gap++;
    return gap;
  }
}

function refill<V>(map: Map<string, V>, content: ReadonlyMap<string, V>): void {
  map.clear();
  for (const [key, value] of content) map.set(key, value);
}

function full(message: string): SubmissionError {
  return new SubmissionError("full", message);
}

/** Throws if the new transaction is another one than the old one at a price that is not lower. */
function assertUpdate({ transaction: { raw: old } }: Submitted, { transaction: { raw } }: Submitted): void {
  const update = (what: string): SubmissionError =>
    new SubmissionError("update", `Transaction already in mempool with a ${what}`);
  const encode = (one: RawTransaction): Uint8Array => encodeWith(rawTransactionCodec, one);
  const { expirationTimestampSecs, maxGasAmount, gasUnitPrice } = raw;
  if (!equalBytes(encode({ ...old, expirationTimestampSecs, maxGasAmount, gasUnitPrice }), encode(raw)))
    throw update("different payload");
  if (old.expirationTimestampSecs !== expirationTimestampSecs) throw update("different expiration timestamp");
  if (old.maxGasAmount !== maxGasAmount) throw update("different max gas amount");
  if (old.gasUnitPrice > gasUnitPrice) throw update("higher gas price");
}

export class Mempool {
  readonly #limits: MempoolLimits;
  readonly #onAdd: () => void;
  readonly #byHash = new Map<string, Waiting>();
  readonly #bySender = new Map<string, SenderQueue>();
  readonly #countByFeePayer = new Map<string, number>();
  /**
   * The next sequence number of senders that a block took transactions of; the oldest entries leave first. Never that of
   * a submission's view, which may be of a history that was undone since.
   */
  readonly #next = new Map<string, bigint>();
  #bytes = 0;
  #age = 0;
  #isClosed = false;

  /** `onAdd` is called with each new transaction. */
  constructor(limits: Partial<MempoolLimits> = {}, onAdd: () => void = () => {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#onAdd = onAdd;
  }

  get count(): number {
    return this.#byHash.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True once no block takes what is added: nothing may be added then. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** True while transactions of a sender wait. */
  hasOf(sender: Address): boolean {
    return this.#bySender.has(formatAddress(sender));
  }

  /** A transaction that waits. */
  get(hash: Uint8Array): Submitted | undefined {
    return this.#byHash.get(toHex(hash))?.submitted;
  }

  /** The sequence number that a sender's next transaction needs, after those that wait. */
  nextSequenceNumber(sender: Address, accountSequenceNumber: bigint): bigint {
    const key = formatAddress(sender);
    const next = this.#nextOf(key, accountSequenceNumber);
    return this.#bySender.get(key)?.firstGap(next) ?? next;
  }

  /** The next sequence number of a sender whose account had this one when a submission was checked. */
  #nextOf(sender: string, accountSequenceNumber: bigint): bigint {
    const known = this.#next.get(sender) ?? 0n;
    return known > accountSequenceNumber ? known : accountSequenceNumber;
  }

  /** The owner of the chain may have set accounts back. */
  forgetSequenceNumbers(): void {
    this.#next.clear();
  }

  #learn(sender: string, next: bigint): void {
    this.#next.delete(sender);
    this.#next.set(sender, next);
    if (this.#next.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#next.keys();
    if (oldest !== undefined) this.#next.delete(oldest);
  }

  /**
   * Takes a transaction that passed all checks on a ledger at this time, where its sender had this sequence number.
   * Returns the transaction that waits: an earlier one, if it differs in nothing but its signatures. Throws
   * SubmissionError with nothing changed.
   */
  add(
    submitted: Submitted,
    { sequenceNumber, nowSecs }: { readonly sequenceNumber: bigint; readonly nowSecs: bigint },
  ): Submitted {
    const sender = formatAddress(submitted.transaction.raw.sender);
    const queue = this.#bySender.get(sender) ?? new SenderQueue();
    const [slots, place] = queue.slotOf(submitted);
    const old = slots.get(place)?.submitted;
    if (old !== undefined) {
      assertUpdate(old, submitted);
      if (old.transaction.raw.gasUnitPrice === submitted.transaction.raw.gasUnitPrice) return old;
    }
    const next = this.#nextOf(sender, sequenceNumber);
    if (submitted.nonce === undefined && place < next) {
      throw new SubmissionError(
        "old",
        `transaction sequence number is ${place}, current sequence number is ${next}`,
      );
    }
    this.#assertShare(submitted, queue, old);
    const isReady = submitted.nonce !== undefined || place <= queue.firstGap(next);
    this.#makeRoom(submitted.sizeBytes - (old?.sizeBytes ?? 0), old === undefined ? 1 : 0, isReady);
    if (old !== undefined) this.remove(old.hash);
    const { gasUnitPrice } = submitted.transaction.raw;
    const waiting = {
      submitted,
      sender,
      price: Number(gasUnitPrice),
      age: this.#age++,
      addedSecs: nowSecs,
      next,
    };
    slots.set(place, waiting);
    this.#bySender.set(sender, queue);
    this.#byHash.set(toHex(submitted.hash), waiting);
    this.#bytes += submitted.sizeBytes;
    this.#countFeePayer(submitted, 1);
    this.#onAdd();
    return submitted;
  }

  #assertShare(submitted: Submitted, queue: SenderQueue, old: Submitted | undefined): void {
    const { maxPerSender, maxNoncesPerSender, maxPerFeePayer } = this.#limits;
    const [slots] = queue.slotOf(submitted);
    const most = submitted.nonce === undefined ? maxPerSender : maxNoncesPerSender;
    if (old === undefined && slots.size >= most) {
      const sender = formatAddress(submitted.transaction.raw.sender);
      throw full(`Mempool over capacity for account ${sender}: ${most} of its transactions wait`);
    }
    const payer = feePayerOf(submitted);
    if (payer === undefined || (old !== undefined && feePayerOf(old) === payer)) return;
    if ((this.#countByFeePayer.get(payer) ?? 0) >= maxPerFeePayer)
      throw full(`Mempool over capacity for fee payer ${payer}: ${maxPerFeePayer} of its transactions wait`);
  }

  /** Makes room for a ready transaction by removing parked ones, the cheapest and then the youngest first. */
  #makeRoom(bytes: number, count: number, isReady: boolean): void {
    const { maxCount, maxBytes } = this.#limits;
    const freed: Waiting[] = [];
    let [bytesOver, countOver] = [this.#bytes + bytes - maxBytes, this.#byHash.size + count - maxCount];
    if (bytesOver <= 0 && countOver <= 0) return;
    for (const one of isReady ? this.#parked() : []) {
      freed.push(one);
      bytesOver -= one.submitted.sizeBytes;
      countOver--;
      if (bytesOver <= 0 && countOver <= 0) break;
    }
    if (bytesOver > 0 || countOver > 0) {
      throw full(
        `Mempool is full: ${this.#byHash.size} of ${maxCount} transactions and ${this.#bytes} of ${maxBytes} bytes wait`,
      );
    }
    for (const { submitted } of freed) this.remove(submitted.hash);
  }

  #parked(): Waiting[] {
    const parked: Waiting[] = [];
    for (const [sender, queue] of this.#bySender) {
      const added = [...queue.ordered.values()].reduce((most, { next }) => (next > most ? next : most), 0n);
      const gap = queue.firstGap(this.#nextOf(sender, added));
      for (const [number, waiting] of queue.ordered) if (number > gap) parked.push(waiting);
    }
    return parked.sort((a, b) => a.price - b.price || b.age - a.age);
  }

  #countFeePayer(submitted: Submitted, change: 1 | -1): void {
    const payer = feePayerOf(submitted);
    if (payer === undefined) return;
    const count = (this.#countByFeePayer.get(payer) ?? 0) + change;
    if (count === 0) this.#countByFeePayer.delete(payer);
    else this.#countByFeePayer.set(payer, count);
  }

  /** Removes a transaction that a block has, or that none can take any more. */
  settle(submitted: Submitted, { isIncluded }: { readonly isIncluded: boolean }): void {
    this.remove(submitted.hash);
    const { sender, sequenceNumber } = submitted.transaction.raw;
    if (isIncluded && submitted.nonce === undefined) this.#learn(formatAddress(sender), sequenceNumber + 1n);
  }

  /** Removes the transactions that are expired or too old at a ledger time. */
  expire(nowSecs: bigint): void {
    const { maxAgeSecs } = this.#limits;
    for (const { submitted, addedSecs } of this.#byHash.values()) {
      const { expirationTimestampSecs } = submitted.transaction.raw;
      // Before its first block a ledger has no time.
      const isOld = addedSecs > 0n && addedSecs + maxAgeSecs < nowSecs;
      if (expirationTimestampSecs <= nowSecs || isOld) this.remove(submitted.hash);
    }
  }

  remove(hash: Uint8Array): void {
    const key = toHex(hash);
    const waiting = this.#byHash.get(key);
    if (waiting === undefined) return;
    const { submitted, sender } = waiting;
    this.#byHash.delete(key);
    this.#bytes -= submitted.sizeBytes;
    this.#countFeePayer(submitted, -1);
    const queue = this.#bySender.get(sender);
    if (queue === undefined) return;
    const [slots, place] = queue.slotOf(submitted);
    slots.delete(place);
    if (queue.size === 0) this.#bySender.delete(sender);
  }

  /** Keeps what waits and is known now; the result puts it back, any number of times. */
  keep(): () => void {
    const byHash = new Map(this.#byHash);
    const countByFeePayer = new Map(this.#countByFeePayer);
    const next = new Map(this.#next);
    const [bytes, age] = [this.#bytes, this.#age];
    return () => {
      refill(this.#byHash, byHash);
      refill(this.#countByFeePayer, countByFeePayer);
      refill(this.#next, next);
      this.#bytes = bytes;
      this.#age = age;
      this.#bySender.clear();
      for (const waiting of byHash.values()) {
        const queue = this.#bySender.get(waiting.sender) ?? new SenderQueue();
        const [slots, place] = queue.slotOf(waiting.submitted);
        slots.set(place, waiting);
        this.#bySender.set(waiting.sender, queue);
      }
    };
  }

  /** Transactions in the order in which blocks take them: by gas price, then age; a sender's by sequence number. */
  inOrder(): Submitted[] {
    const turns = [...this.#byHash.values()].sort((a, b) => b.price - a.price || a.age - b.age);
    const queues = new Map<string, Iterator<Waiting>>();
    // Each turn goes to its sender, who uses it for the first transaction that is left.
    return turns.flatMap(({ submitted, sender }) => {
      if (submitted.nonce !== undefined) return submitted;
      const ordered = this.#bySender.get(sender)?.ordered.values() ?? [];
      const queue = queues.get(sender) ?? [...ordered].sort(bySequenceNumber).values();
      queues.set(sender, queue);
      const next = queue.next();
      return next.done === true ? [] : [next.value.submitted];
    });
  }
}

function feePayerOf({ transaction: { authenticator } }: Submitted): string | undefined {
  return authenticator.kind === "feePayer" ? formatAddress(authenticator.feePayerAddress) : undefined;
}

function bySequenceNumber({ submitted: a }: Waiting, { submitted: b }: Waiting): number {
  return a.transaction.raw.sequenceNumber < b.transaction.raw.sequenceNumber ? -1 : 1;
}
