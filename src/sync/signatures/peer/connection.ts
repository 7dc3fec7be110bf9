// A connection to a peer: the encrypted stream, its frames, and remote calls over them. Every wait has a deadline, and
// every length a bound.
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { errorText } from "../../../base/errors.ts";
import { decodeWith, encodeWith } from "../../../bcs/codec.ts";
import { askInTime, UpstreamError } from "../../upstream/errors.ts";
import { codeOf } from "../../upstream/transport.ts";
import { ByteReader } from "../byte-reader.ts";
import { KEY_BYTES, type KeyPair, keyPairOf, NoiseInitiator, type NoiseSession, TAG_BYTES } from "./noise.ts";
import type { PeerAddress } from "./peer-address.ts";
import {
  encodeHandshake,
  frameCodec,
  handshakeCodec,
  type NetworkMessage,
  PROTOCOLS,
  PUBLIC_NETWORK,
} from "./wire.ts";

/** Longest plain text of a piece of the stream. */
const MAX_PIECE_BYTES = 65_535 - TAG_BYTES;
/** Longest frame, and longest message of several. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_HANDSHAKE_BYTES = 1024;
/** Messages that a peer may send before its answer: an hour of health checks and questions of its own. */
const MAX_UNASKED = 1000;

/** To connect and shake hands, and for an answer. */
const CONNECT_MS = 10_000;
const ANSWER_MS = 15_000;

/** Encrypts a stream in pieces, each with its length in front. */
export function sealPieces({ sending }: NoiseSession, plain: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < plain.length; at += MAX_PIECE_BYTES) {
    const sealed = sending.encrypt(plain.subarray(at, at + MAX_PIECE_BYTES));
    pieces.push(lengthOf(sealed.length, 2), sealed);
  }
  return Buffer.concat(pieces);
}

/** The plain text of an encrypted stream, piece by piece. */
export async function* openPieces(
  { receiving }: NoiseSession,
  stream: ByteReader,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const length = numberOf(await stream.take(2));
    if (length <= TAG_BYTES) throw new UpstreamError("malformed", `a piece of ${length} bytes is empty`);
    const sealed = await stream.take(length);
    let piece: Uint8Array;
    try {
      piece = receiving.decrypt(sealed);
    } catch (error) {
      throw new UpstreamError("malformed", "a piece was not encrypted by the peer", { cause: error });
    }
    yield piece;
  }
}

/** A length, big-endian. */
export function lengthOf(length: number, bytes: 2 | 4): Uint8Array {
  const out = Buffer.alloc(bytes);
  out.writeUIntBE(length, 0, bytes);
  return out;
}

/** A number, big-endian. */
export function numberOf(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUIntBE(0, bytes.length);
}

/** An open connection. It is read only while a question waits for its answer: nothing that a peer sends unasked piles up. */
export class PeerConnection {
  readonly #socket: Socket;
  readonly #session: NoiseSession;
  /** Plain bytes. */
  readonly #plain: ByteReader;
  #nextId = 1;
  #ended: Error | undefined;
  /** Ends with the last question. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(socket: Socket, session: NoiseSession, cipherText: ByteReader) {
    this.#socket = socket;
    this.#session = session;
    this.#plain = new ByteReader(openPieces(session, cipherText));
  }

  /** Connects and shakes hands. Throws UpstreamError. */
  static async open(address: PeerAddress, chainId: number): Promise<PeerConnection> {
    const { host, port, key } = address;
    const socket = connect({ host, port });
    // Every read and write tells of it too.
    socket.on("error", () => {});
    const timer = setTimeout(() => {
      socket.destroy(new UpstreamError("unreachable", `no handshake within ${CONNECT_MS} ms`));
    }, CONNECT_MS);
    const cipherText = new ByteReader(piecesOf(socket));
    try {
      const connection = new PeerConnection(socket, await shakeHands(socket, cipherText, key), cipherText);
      await connection.#write(framedHandshake(chainId));
      await connection.#checkHandshake(chainId);
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  get receivedBytes(): number {
    return this.#socket.bytesRead;
  }

  get isOpen(): boolean {
    return this.#ended === undefined && !this.#socket.destroyed;
  }

  /**
   * Asks the storage service; questions wait for each other. Closes the connection when one fails: its answer may still come.
   * Throws UpstreamError, or the signal's reason.
   */
  ask(question: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const answer = this.#turn.then(() => this.#askNow(question, signal));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #askNow(body: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#ended !== undefined) throw this.#ended;
    try {
      return await askInTime(ANSWER_MS, signal, async () => {
        const id = this.#nextId++;
        await this.#send({ kind: "request", protocol: PROTOCOLS.storageService, id, priority: 0, body });
        return this.#readAnswer(id);
      });
    } catch (error) {
      throw this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  close(): void {
    this.#end(new UpstreamError("unreachable", "the connection was closed"));
  }

  #end(error: Error): Error {
    this.#ended ??= error;
    this.#socket.destroy();
    return this.#ended;
  }

  async #send(message: NetworkMessage): Promise<void> {
    const frame = encodeWith(frameCodec, { kind: "message", message });
    await this.#write(Buffer.concat([lengthOf(frame.length, 4), frame]));
  }

  /** Waits until the system took the bytes: a peer that does not read is not read either. */
  #write(plain: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(sealPieces(this.#session, plain), (error) => {
        if (error === undefined || error === null) resolve();
        else reject(unreachable(this.#socket.errored ?? error));
      });
    });
  }

  async #checkHandshake(chainId: number): Promise<void> {
    const length = numberOf(await this.#plain.take(2));
    if (length > MAX_HANDSHAKE_BYTES) {
      throw new UpstreamError(
        "too_large",
        `a handshake of ${length} bytes is longer than ${MAX_HANDSHAKE_BYTES}`,
      );
    }
    const { chainId: other, network } = decoded(
      "a handshake",
      handshakeCodec,
      await this.#plain.take(length),
    );
    if (other !== chainId)
      throw new UpstreamError("wrong_chain", `expected chain ${chainId}, the peer serves ${other}`);
    if (network !== PUBLIC_NETWORK)
      throw new UpstreamError("wrong_chain", "the peer is not on the public network");
  }

  /** The answer to a question. Peers ask whether this side lives; what else they send gets no answer. */
  async #readAnswer(id: number): Promise<Uint8Array> {
    for (let unasked = 0; unasked <= MAX_UNASKED; unasked++) {
      const message = await this.#readMessage();
      if (message.kind === "response" && message.id === id) return message.body;
      if (message.kind !== "request" || message.protocol !== PROTOCOLS.healthCheck) continue;
      const body = Buffer.concat([Uint8Array.of(1), message.body.subarray(1, 5)]);
      await this.#send({ kind: "response", id: message.id, priority: 0, body });
    }
    throw new UpstreamError("malformed", `more than ${MAX_UNASKED} messages that nobody asked for`);
  }

  async #readFrame() {
    const length = numberOf(await this.#plain.take(4));
    if (length > MAX_FRAME_BYTES)
      throw new UpstreamError("too_large", `a frame of ${length} bytes is too long`);
    return decoded("a frame", frameCodec, await this.#plain.take(length));
  }

  /** The next message, put together from its fragments. */
  async #readMessage(): Promise<NetworkMessage> {
    const frame = await this.#readFrame();
    if (frame.kind === "message") return frame.message;
    if (frame.part.kind !== "header") throw new UpstreamError("malformed", "a fragment without a beginning");
    const { stream, fragments, message } = frame.part;
    if (message.kind === "error") throw new UpstreamError("malformed", "an error does not have fragments");
    const parts = [message.body];
    let bytes = message.body.length;
    for (let number = 1; number <= fragments; number++) {
      const next = await this.#readFrame();
      const part = next.kind === "stream" && next.part.kind === "fragment" ? next.part : undefined;
      if (part?.stream !== stream || part.number !== number) {
        throw new UpstreamError("malformed", `fragment ${number} of ${fragments} did not come next`);
      }
      bytes += part.body.length;
      if (bytes > MAX_MESSAGE_BYTES)
        throw new UpstreamError("too_large", `a message is longer than ${MAX_MESSAGE_BYTES} bytes`);
      parts.push(part.body);
    }
    return { ...message, body: Buffer.concat(parts) };
  }
}

/** One identity per process: a peer is named by its key. */
let identity: KeyPair | undefined;

async function shakeHands(socket: Socket, stream: ByteReader, remote: Uint8Array): Promise<NoiseSession> {
  identity ??= keyPairOf(randomBytes(KEY_BYTES));
  const prologue = Buffer.concat([identity.public, remote]);
  const ephemeral = keyPairOf(randomBytes(KEY_BYTES));
  const initiator = new NoiseInitiator({ own: identity, ephemeral, remote, prologue });
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(BigInt(Date.now()));
  socket.write(Buffer.concat([prologue, initiator.begin(time)]));
  const answer = await stream.take(KEY_BYTES + TAG_BYTES);
  try {
    return initiator.finish(answer);
  } catch (error) {
    throw new UpstreamError("malformed", "the peer does not have the key of its address", { cause: error });
  }
}

/** The bytes of a socket. Throws UpstreamError at their end. */
async function* piecesOf(socket: Socket): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of socket) yield piece as Uint8Array;
  } catch (error) {
    throw unreachable(error);
  }
  throw new UpstreamError("unreachable", "the peer closed the connection");
}

function framedHandshake(chainId: number): Uint8Array {
  const message = encodeHandshake(chainId);
  return Buffer.concat([lengthOf(message.length, 2), message]);
}

function decoded<T>(what: string, codec: Parameters<typeof decodeWith<T>>[0], bytes: Uint8Array): T {
  try {
    return decodeWith(codec, new Uint8Array(bytes));
  } catch (error) {
    throw new UpstreamError("malformed", `${what} does not decode: ${errorText(error)}`, { cause: error });
  }
}

function unreachable(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const code = codeOf(error) || errorText(error);
  return new UpstreamError("unreachable", `the connection failed: ${code}`, { cause: error });
}
