// A peer of the public network as a proof source: the ends of epochs, and the latest ledger info of its summary.
import type { SignedLedgerInfo } from "../../../proof/ledger-info.ts";
import { UpstreamError } from "../../upstream/errors.ts";
import { assertEpochEnd, decodeAnswer, type SignatureSource, searchEpochEnd } from "../source.ts";
import { PeerConnection } from "./connection.ts";
import type { PeerAddress } from "./peer-address.ts";
import { type AnswerOf, decodeAnswerOf, encodeQuestion, PeerRefusal } from "./wire.ts";

/** Ends of epochs per question; peers allow 200. */
const EPOCHS = 100n;

export class PeerSource implements SignatureSource {
  readonly kind = "peer";
  readonly name: string;
  readonly #address: PeerAddress;
  readonly #chainId: () => number | undefined;
  #connection: PeerConnection | undefined;
  #connecting: Promise<PeerConnection> | undefined;
  #receivedBefore = 0;

  /** The chain id is part of the handshake; it may become known later. */
  constructor(name: string, address: PeerAddress, chainId: () => number | undefined) {
    this.name = name;
    this.#address = address;
    this.#chainId = chainId;
  }

  get receivedBytes(): number {
    return this.#receivedBefore + (this.#connection?.receivedBytes ?? 0);
  }

  async *epochEnds(first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    const last = await this.lastEpoch(signal);
    let next = first;
    while (last !== undefined && next <= last) {
      const wanted = last - next + 1n;
      const page = await this.#page(next, next + (wanted > EPOCHS ? EPOCHS : wanted) - 1n, signal);
      for (const signed of page) {
        yield signed;
        next++;
      }
    }
  }

  /** At least one: peers may cut their answers. */
  async #page(first: bigint, last: bigint, signal: AbortSignal): Promise<readonly SignedLedgerInfo[]> {
    const { ends } = await this.#ask("epochEnds", { kind: "epochEnds", first, last }, signal);
    if (ends.length === 0 || BigInt(ends.length) > last - first + 1n) {
      throw new UpstreamError("gap", `asked for the ends of epochs ${first} to ${last}, got ${ends.length}`);
    }
    for (const [i, signed] of ends.entries()) assertEpochEnd(signed, first + BigInt(i));
    return ends;
  }

  async lastEpoch(signal: AbortSignal): Promise<bigint | undefined> {
    return (await this.#summary(signal)).epochs?.last;
  }

  async findEpochEnd(version: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const { epochs } = await this.#summary(signal);
    return searchEpochEnd(version, epochs?.first ?? 0n, (epochs?.last ?? -1n) + 1n, async (epoch) => {
      const [signed] = await this.#page(epoch, epoch, signal);
      return signed;
    });
  }

  async latest(signal: AbortSignal): Promise<SignedLedgerInfo | undefined> {
    return (await this.#summary(signal)).latest;
  }

  /** Peers prove ranges of states; those are not asked for. */
  async states(): Promise<undefined> {
    return undefined;
  }

  close(): void {
    this.#connection?.close();
  }

  #summary(signal: AbortSignal): Promise<AnswerOf<"summary">> {
    return this.#ask("summary", { kind: "summary" }, signal);
  }

  async #ask<K extends "summary" | "epochEnds">(
    kind: K,
    question: Parameters<typeof encodeQuestion>[0],
    signal: AbortSignal,
  ): Promise<AnswerOf<K>> {
    const connection = await this.#connect();
    const body = await connection.ask(encodeQuestion(question), signal);
    const answer = decodeAnswer("an answer of the peer", () => decodeAnswerOf(kind, body));
    if (answer instanceof PeerRefusal) throw new UpstreamError("refused", answer.message);
    return answer;
  }

  #connect(): Promise<PeerConnection> {
    if (this.#connection?.isOpen === true) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<PeerConnection> {
    const chainId = this.#chainId();
    if (chainId === undefined) throw new UpstreamError("unreachable", "the chain id is not known yet");
    this.#receivedBefore = this.receivedBytes;
    this.#connection = undefined;
    this.#connection = await PeerConnection.open(this.#address, chainId);
    return this.#connection;
  }
}
