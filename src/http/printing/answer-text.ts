// The text of an answer. A long one is kept as UTF-8, in chunks: joining and encoding it as one text would hold the event
// loop for its length.
import { toHex, toPrefixedHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { nextTurn, type Slices } from "../../base/wait.ts";

/** Characters that are encoded together. */
const CHUNK_CHARACTERS = 32 << 10;
/** Bytes that are copied in one turn of the event loop. */
const COPIED_BYTES = 2 << 20;

/** Joins the chunks of an answer, in slices. */
export async function joinChunks(chunks: readonly Uint8Array[]): Promise<Uint8Array> {
  let total = 0;
  for (const chunk of chunks) total += chunk.length;
  const joined = Buffer.allocUnsafeSlow(total);
  let [at, copied] = [0, 0];
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
    copied += chunk.length;
    if (copied < COPIED_BYTES) continue;
    copied = 0;
    await nextTurn();
  }
  return joined;
}

/** A text, of which a long one is not joined. */
export type PrintedText = string | AnswerText;

export class AnswerText {
  readonly #chunks: Uint8Array[] = [];
  #text = "";
  #characters = 0;

  /** Characters of all that was added. */
  get length(): number {
    return this.#characters;
  }

  add(text: string): this {
    this.#text += text;
    this.#characters += text.length;
    if (this.#text.length >= CHUNK_CHARACTERS) this.#encode();
    return this;
  }

  /** Adds another text, which gets no more itself. */
  append(other: PrintedText): this {
    if (typeof other === "string") return this.add(other);
    if (other.#chunks.length === 0) return this.add(other.#text);
    this.#encode();
    for (const chunk of other.#chunks) this.#chunks.push(chunk);
    this.#text = other.#text;
    this.#characters += other.#characters;
    return this;
  }

  /** The text of an object with a member more at its end. */
  withMember(member: string): AnswerText {
    const whole = new AnswerText().append(this);
    if (whole.#text === "") whole.#text = `${Buffer.from(whole.#chunks.pop() ?? "")}`;
    whole.#text = whole.#text.slice(0, -1);
    return whole.add(`,${member}}`);
  }

  /** The text in parts, none of which is empty. */
  *parts(): Generator<string> {
    for (const { buffer, byteOffset, length } of this.#chunks) {
      yield Buffer.from(buffer, byteOffset, length).toString();
    }
    if (this.#text !== "") yield this.#text;
  }

  toString(): string {
    return [...this.parts()].join("");
  }

  /** A short text as it is, a long one in UTF-8. */
  finish(): MaybePromise<string | Uint8Array> {
    if (this.#chunks.length === 0) return this.#text;
    this.#encode();
    return joinChunks(this.#chunks);
  }

  #encode(): void {
    if (this.#text === "") return;
    this.#chunks.push(Buffer.from(this.#text));
    this.#text = "";
  }
}

/** Adds pieces of text as they are made, in slices. Not a promise if that takes less than a slice. */
export function addPieces(
  out: AnswerText,
  pieces: Iterator<PrintedText, unknown>,
  slices: Slices,
): MaybePromise<AnswerText> {
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    out.append(next.value);
    const pause = slices.pause();
    if (pause !== undefined) return pause.then(() => addPieces(out, pieces, slices));
  }
  return out;
}

/** Bytes whose hex is made at once. */
const HEX_BYTES = 64 << 10;

/** Adds bytes as a JSON string of hex, in slices. */
export async function addHex(out: AnswerText, bytes: Uint8Array, slices: Slices): Promise<void> {
  out.add('"0x');
  for (let at = 0; at < bytes.length; at += HEX_BYTES) {
    out.add(toHex(bytes.subarray(at, at + HEX_BYTES)));
    await slices.pause();
  }
  out.add('"');
}

/** Bytes as a JSON string of hex; many of them in slices. */
export function hexText(bytes: Uint8Array, slices: Slices): MaybePromise<string | Uint8Array> {
  if (bytes.length <= HEX_BYTES) return `"${toPrefixedHex(bytes)}"`;
  const out = new AnswerText();
  return addHex(out, bytes, slices).then(() => out.finish());
}
