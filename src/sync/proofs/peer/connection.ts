// A connection to a peer: the encrypted stream, its frames, and remote calls over them. Every wait has a deadline, and
// every length a bound.
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { errorText } from "../../../base/errors.ts";
import { decodeWith, encodeWith } from "../../../bcs/codec.ts";
import { UpstreamError } from "../../upstream/errors.ts";
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

/** To connect and shake hands, and for an answer. */
const CONNECT_MS = 10_000;
const ANSWER_MS = 15_000;

/** Bytes of a stream, in the order in which they come. */
export class ByteQueue {
  #bytes: Buffer = Buffer.alloc(0);
  #waiting: (() => void) | undefined;
  #ended: Error | undefined;

  push(piece: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#bytes, piece]);
    this.#waiting?.();
  }

  end(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.();
  }

  /** The next bytes. Throws when the stream ends before. */
  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) {
      if (this.#ended !== undefined) throw this.#ended;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
      this.#waiting = undefined;
    }
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }
}

/** Encrypts a stream in pieces, each with its length in front. */
export function sealPieces({ sending }: NoiseSession, plain: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < plain.length; at += MAX_PIECE_BYTES) {
    const sealed = sending.encrypt(plain.subarray(at, at + MAX_PIECE_BYTES));
    pieces.push(lengthOf(sealed.length, 2), sealed);
  }
  return Buffer.concat(pieces);
}

/** Reads one piece of a stream. */
export async function openPiece({ receiving }: NoiseSession, stream: ByteQueue): Promise<Uint8Array> {
  const length = (await stream.take(2)).readUInt16BE();
  if (length <= TAG_BYTES) throw new UpstreamError("malformed", `a piece of ${length} bytes is empty`);
  try {
    return receiving.decrypt(await stream.take(length));
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError("malformed", "a piece was not encrypted by the peer", { cause: error });
  }
}

/** A length, big-endian. */
export function lengthOf(length: number, bytes: 2 | 4): Uint8Array {
  const out = Buffer.alloc(bytes);
  out.writeUIntBE(length, 0, bytes);
  return out;
}

interface Call {
  readonly take: (body: Uint8Array) => void;
  readonly fail: (error: Error) => void;
}

/** An open connection. */
export class PeerConnection {
  receivedBytes = 0;
  readonly #socket: Socket;
  readonly #session: NoiseSession;
  /** Plain bytes. */
  readonly #plain = new ByteQueue();
  readonly #calls = new Map<number, Call>();
  #nextId = 1;
  #ended: Error | undefined;

  private constructor(socket: Socket, session: NoiseSession) {
    this.#socket = socket;
    this.#session = session;
  }

  /** Connects and shakes hands. Throws UpstreamError. */
  static async open(address: PeerAddress, chainId: number): Promise<PeerConnection> {
    const { host, port, key } = address;
    const socket = connect({ host, port });
    const cipherText = new ByteQueue();
    const timer = setTimeout(() => {
      socket.destroy(new UpstreamError("unreachable", `no handshake within ${CONNECT_MS} ms`));
    }, CONNECT_MS);
    socket.on("error", (error) => cipherText.end(unreachable(error)));
    socket.on("close", () =>
      cipherText.end(new UpstreamError("unreachable", "the peer closed the connection")),
    );
    socket.on("data", (piece) => cipherText.push(piece));
    try {
      const session = await shakeHands(socket, cipherText, key);
      const connection = new PeerConnection(socket, session);
      connection.#write(Buffer.concat([framedHandshake(chainId)]));
      void connection.#readStream(cipherText);
      await connection.#checkHandshake(chainId);
      void connection.#readFrames();
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Asks the storage service. Throws UpstreamError, or the signal's reason. */
  async ask(question: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (this.#ended !== undefined) throw this.#ended;
    const id = this.#nextId++;
    const answer = new Promise<Uint8Array>((take, fail) => this.#calls.set(id, { take, fail }));
    const fail = (error: Error): void => this.#calls.get(id)?.fail(error);
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener("abort", onAbort);
    const timer = setTimeout(() => {
      fail(new UpstreamError("unreachable", `no answer within ${ANSWER_MS} ms`));
    }, ANSWER_MS);
    try {
      this.#send({ kind: "request", protocol: PROTOCOLS.storageService, id, priority: 0, body: question });
      return await answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#calls.delete(id);
    }
  }

  close(): void {
    this.#end(new UpstreamError("unreachable", "the connection was closed"));
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#plain.end(error);
    for (const { fail } of this.#calls.values()) fail(error);
    this.#socket.destroy();
  }

  #send(message: NetworkMessage): void {
    const frame = encodeWith(frameCodec, { kind: "message", message });
    this.#write(Buffer.concat([lengthOf(frame.length, 4), frame]));
  }

  #write(plain: Uint8Array): void {
    this.#socket.write(sealPieces(this.#session, plain));
  }

  async #readStream(cipherText: ByteQueue): Promise<void> {
    try {
      for (;;) {
        const piece = await openPiece(this.#session, cipherText);
        this.receivedBytes += piece.length;
        this.#plain.push(piece);
      }
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #checkHandshake(chainId: number): Promise<void> {
    const length = (await this.#plain.take(2)).readUInt16BE();
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

  async #readFrames(): Promise<void> {
    try {
      for (;;) this.#take(await this.#readMessage());
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #readFrame() {
    const length = (await this.#plain.take(4)).readUInt32BE();
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

  #take(message: NetworkMessage): void {
    if (message.kind === "response") this.#calls.get(message.id)?.take(message.body);
    // Peers ask whether this side lives. What else they ask gets no answer.
    if (message.kind !== "request" || message.protocol !== PROTOCOLS.healthCheck) return;
    const body = Buffer.concat([Uint8Array.of(1), message.body.subarray(1, 5)]);
    this.#send({ kind: "response", id: message.id, priority: 0, body });
  }
}

/** One identity per process: a peer is named by its key. */
let identity: KeyPair | undefined;

async function shakeHands(socket: Socket, stream: ByteQueue, remote: Uint8Array): Promise<NoiseSession> {
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

function unreachable(error: Error): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const code = "code" in error ? String(error.code) : error.message;
  return new UpstreamError("unreachable", `the connection failed: ${code}`, { cause: error });
}
