// Merlin transcripts, version 1: a prover and a verifier feed the same messages into STROBE-128 and draw challenges.
import { keccakP } from "@noble/hashes/sha3.js";

/** Bytes that the sponge takes before it is mixed. */
const RATE = 166;
const FLAG_I = 1;
const FLAG_A = 2;
const FLAG_C = 4;
const FLAG_M = 16;

export class Transcript {
  readonly #words = new Uint32Array(50);
  readonly #state = new Uint8Array(this.#words.buffer);
  #position = 0;
  #begin = 0;

  constructor(label: Uint8Array) {
    this.#state.set([1, RATE + 2, 1, 0, 1, 96]);
    this.#state.set(Buffer.from("STROBEv1.0.2"), 6);
    keccakP(this.#words, 24);
    this.#operate(FLAG_M | FLAG_A);
    this.#absorb(Buffer.from("Merlin v1.0"));
    this.append("dom-sep", label);
  }

  append(label: string, message: Uint8Array): void {
    this.#label(label, message.length);
    this.#operate(FLAG_A);
    this.#absorb(message);
  }

  appendNumber(label: string, value: bigint): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    this.append(label, bytes);
  }

  challenge(label: string, length: number): Uint8Array {
    this.#label(label, length);
    this.#operate(FLAG_I | FLAG_A | FLAG_C);
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) {
      bytes[i] = this.#state[this.#position] ?? 0;
      this.#state[this.#position++] = 0;
      if (this.#position === RATE) this.#mix();
    }
    return bytes;
  }

  #label(label: string, length: number): void {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(length);
    this.#operate(FLAG_M | FLAG_A);
    this.#absorb(Buffer.from(label));
    this.#absorb(size);
  }

  #operate(flags: number): void {
    const before = this.#begin;
    this.#begin = this.#position + 1;
    this.#absorb(Uint8Array.of(before, flags));
    if ((flags & FLAG_C) !== 0 && this.#position !== 0) this.#mix();
  }

  #absorb(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#xor(this.#position++, byte);
      if (this.#position === RATE) this.#mix();
    }
  }

  #mix(): void {
    this.#xor(this.#position, this.#begin);
    this.#xor(this.#position + 1, 0x04);
    this.#xor(RATE + 1, 0x80);
    keccakP(this.#words, 24);
    this.#position = 0;
    this.#begin = 0;
  }

  #xor(at: number, byte: number): void {
    this.#state[at] = (this.#state[at] ?? 0) ^ byte;
  }
}
