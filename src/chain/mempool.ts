// Submitted transactions that wait for a block: bounded in number, bytes and per sender.
import { equalBytes } from "../base/bytes.ts";
import { toHex } from "../base/hex.ts";
import { encodeWith } from "../bcs/codec.ts";
import { formatAddress } from "../move/address.ts";
import { rawTransactionCodec } from "../transaction/raw.ts";
import { refuse, SubmissionError } from "../transaction/submission-error.ts";
import type { Submitted } from "./submission/submitted.ts";

/** Bounds of the mempool. */
export interface MempoolLimits {
  readonly maxCount: number;
  readonly maxBytes: number;
  readonly maxPerSender: number;
}

const DEFAULT_LIMITS: MempoolLimits = { maxCount: 10_000, maxBytes: 32 * 1024 * 1024, maxPerSender: 100 };

interface Waiting {
  readonly submitted: Submitted;
  /** Smaller for the older. */
  readonly age: number;
}

/** Sequence number or nonce: a sender has one transaction of each. */
function placeOf({ transaction: { raw }, nonce }: Submitted): string {
  return nonce === undefined ? `#${raw.sequenceNumber}` : `nonce ${nonce}`;
}

/** True if the new transaction only raises the gas price of the old one. */
function isRaise(old: Submitted, raised: Submitted): boolean {
  const [a, b] = [old.transaction.raw, raised.transaction.raw];
  const same = { ...b, gasUnitPrice: a.gasUnitPrice };
  const isSame = equalBytes(encodeWith(rawTransactionCodec, a), encodeWith(rawTransactionCodec, same));
  return isSame && b.gasUnitPrice > a.gasUnitPrice;
}

export class Mempool {
  readonly #limits: MempoolLimits;
  readonly #byHash = new Map<string, Waiting>();
  /** By sender, then by place. */
  readonly #bySender = new Map<string, Map<string, Waiting>>();
  #bytes = 0;
  #age = 0;

  constructor(limits: Partial<MempoolLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  get count(): number {
    return this.#byHash.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A transaction that waits. */
  get(hash: Uint8Array): Submitted | undefined {
    return this.#byHash.get(toHex(hash))?.submitted;
  }

  /** Number of transactions of a sender. */
  countOf(sender: Uint8Array): number {
    return this.#bySender.get(formatAddress(sender))?.size ?? 0;
  }

  /** Takes a transaction; one that it already has changes nothing. Throws SubmissionError when there is no room. */
  add(submitted: Submitted): void {
    if (this.get(submitted.hash) !== undefined) return;
    const { maxCount, maxBytes, maxPerSender } = this.#limits;
    const sender = formatAddress(submitted.transaction.raw.sender);
    const ofSender = this.#bySender.get(sender) ?? new Map<string, Waiting>();
    const place = placeOf(submitted);
    const old = ofSender.get(place)?.submitted;
    if (old !== undefined) {
      if (submitted.nonce !== undefined) throw refuse("SEQUENCE_NONCE_INVALID");
      if (!isRaise(old, submitted)) {
        throw new SubmissionError(
          "update",
          `another transaction with sequence number ${submitted.transaction.raw.sequenceNumber} waits already; only one that is the same but for a higher gas_unit_price replaces it`,
        );
      }
      this.remove(old.hash);
    }
    if (ofSender.size >= maxPerSender)
      throw full(`${maxPerSender} transactions of ${sender} wait for a block already`);
    if (this.#byHash.size >= maxCount) throw full(`${maxCount} transactions wait for a block already`);
    if (this.#bytes + submitted.sizeBytes > maxBytes)
      throw full(`${maxBytes} bytes of transactions wait for a block already`);
    const waiting = { submitted, age: this.#age++ };
    ofSender.set(place, waiting);
    this.#bySender.set(sender, ofSender);
    this.#byHash.set(toHex(submitted.hash), waiting);
    this.#bytes += submitted.sizeBytes;
  }

  remove(hash: Uint8Array): void {
    const key = toHex(hash);
    const waiting = this.#byHash.get(key);
    if (waiting === undefined) return;
    const { submitted } = waiting;
    this.#byHash.delete(key);
    this.#bytes -= submitted.sizeBytes;
    const sender = formatAddress(submitted.transaction.raw.sender);
    const ofSender = this.#bySender.get(sender);
    ofSender?.delete(placeOf(submitted));
    if (ofSender?.size === 0) this.#bySender.delete(sender);
  }

  /** Transactions in the order in which blocks take them: by gas price, then age; a sender's by sequence number. */
  inOrder(): Submitted[] {
    const turns = [...this.#byHash.values()].sort(byPrice);
    const queues = new Map<string, Iterator<Waiting>>();
    // Each turn goes to its sender, who uses it for the first transaction that is left.
    return turns.flatMap(({ submitted }) => {
      const sender = formatAddress(submitted.transaction.raw.sender);
      const ofSender = this.#bySender.get(sender)?.values() ?? [];
      const queue = queues.get(sender) ?? [...ofSender].sort(bySequenceNumber).values();
      queues.set(sender, queue);
      const next = queue.next();
      return next.done === true ? [] : [next.value.submitted];
    });
  }
}

function byPrice(a: Waiting, b: Waiting): number {
  const difference = b.submitted.transaction.raw.gasUnitPrice - a.submitted.transaction.raw.gasUnitPrice;
  return difference === 0n ? a.age - b.age : difference < 0n ? -1 : 1;
}

/** Transactions with a nonce need no turn of their own: they come first, by age. */
function bySequenceNumber({ submitted: a, age }: Waiting, { submitted: b, age: otherAge }: Waiting): number {
  const [aNonce, bNonce] = [a.nonce !== undefined, b.nonce !== undefined];
  if (aNonce || bNonce) return aNonce === bNonce ? age - otherAge : aNonce ? -1 : 1;
  return a.transaction.raw.sequenceNumber < b.transaction.raw.sequenceNumber ? -1 : 1;
}

function full(message: string): SubmissionError {
  return new SubmissionError("full", message);
}
