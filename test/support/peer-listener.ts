// The other side of a peer: a listener that accepts connections and answers for the ends of epochs.

import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { toHex } from "../../src/base/hex.ts";
import { nextTurn } from "../../src/base/wait.ts";
import { type Codec, decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import type { SignedLedgerInfo } from "../../src/proof/ledger-info.ts";
import { ByteReader } from "../../src/sync/signatures/byte-reader.ts";
import { lengthOf, numberOf, openPieces, sealPieces } from "../../src/sync/signatures/peer/connection.ts";
import {
  agree,
  KEY_BYTES,
  type KeyPair,
  keyPairOf,
  type NoiseSession,
  TAG_BYTES,
  Transcript,
} from "../../src/sync/signatures/peer/noise.ts";
import {
  ANSWERS,
  type AnswerOf,
  type DataRequest,
  encodeHandshake,
  frameCodec,
  type NetworkMessage,
  REQUEST,
  RESPONSE,
  storageRequestCodec,
} from "../../src/sync/signatures/peer/wire.ts";

/** The question in a body. */
function decodeQuestion(body: Uint8Array): DataRequest {
  if (body[0] !== REQUEST) throw new Error("not a question");
  return decodeWith(storageRequestCodec, body.subarray(1)).request;
}

function encodeAnswerOf<K extends keyof typeof ANSWERS>(kind: K, answer: AnswerOf<K>): Uint8Array {
  const { number, codec } = ANSWERS[kind];
  const body = encodeWith(codec as Codec<AnswerOf<K>>, answer);
  return Buffer.concat([Uint8Array.of(RESPONSE, 0, 1, number), body]);
}

/** The side of the handshake that accepts. */
export function respondToNoise(
  {
    own,
    ephemeral,
    prologue,
  }: { readonly own: KeyPair; readonly ephemeral: KeyPair; readonly prologue: Uint8Array },
  message: Uint8Array,
  payload: Uint8Array,
): NoiseSession & { readonly answer: Uint8Array; readonly payload: Uint8Array; readonly remote: Uint8Array } {
  const transcript = new Transcript();
  transcript.mixHash(prologue);
  transcript.mixHash(own.public);
  const other = message.subarray(0, KEY_BYTES);
  transcript.mixHash(other);
  transcript.mixKey(agree(own, other));
  const identityEnd = 2 * KEY_BYTES + TAG_BYTES;
  const remote = transcript.open(message.subarray(KEY_BYTES, identityEnd));
  transcript.mixKey(agree(own, remote));
  const received = transcript.open(message.subarray(identityEnd));
  transcript.mixHash(ephemeral.public);
  transcript.mixKey(agree(ephemeral, other));
  transcript.mixKey(agree(ephemeral, remote));
  const answer = Buffer.concat([ephemeral.public, transcript.seal(payload)]);
  const [receiving, sending] = transcript.split();
  return { answer, payload: received, remote, sending, receiving };
}

const FIRST_MESSAGE_BYTES = 2 * KEY_BYTES + 2 * TAG_BYTES + 8;

/** What a peer has, and how it lies. */
export interface PeerContent {
  ends: readonly SignedLedgerInfo[];
  latest: SignedLedgerInfo | undefined;
  chainId: number;
  /** Most ends in one answer. */
  limit: number;
  /** Sends answers in fragments of this many bytes. */
  fragmentBytes?: number;
  /** Answers with these bytes instead. */
  answer?: (honest: Uint8Array) => Uint8Array;
  /** Sends these plain bytes after the handshake. */
  noise?: Uint8Array;
  /** Seals this many bytes at a time. */
  pieceBytes?: number;
  /** Sends this many health checks after the handshake, and reads nothing meanwhile. */
  checks?: number;
  /** Reads questions and answers none. */
  isMute?: boolean;
}

/** What a peer has sent. */
interface Sent {
  bytes: number;
  checks: number;
}

export async function startPeer(content: PeerContent) {
  const own = keyPairOf(new Uint8Array(32).fill(9));
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const sent: Sent = { bytes: 0, checks: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    void serve(socket, own, content, asked, sent).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `/ip4/127.0.0.1/tcp/${port}/noise-ik/${toHex(own.public)}/handshake/0`,
    port,
    asked,
    sent,
    /** Connections that are open. */
    get connections(): number {
      return sockets.size;
    },
    /** Cuts the connections. */
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  socket: Socket,
  own: KeyPair,
  content: PeerContent,
  asked: string[],
  sent: Sent,
): Promise<void> {
  const received = new ByteReader(socket as AsyncIterable<Uint8Array>);
  const first = await received.take(2 * KEY_BYTES + FIRST_MESSAGE_BYTES);
  const prologue = first.subarray(0, 2 * KEY_BYTES);
  const ephemeral = keyPairOf(new Uint8Array(32).fill(11));
  const session = respondToNoise(
    { own, ephemeral, prologue },
    first.subarray(2 * KEY_BYTES),
    new Uint8Array(),
  );
  socket.write(session.answer);
  const plain = new ByteReader(openPieces(session, received));
  const write = (bytes: Uint8Array): void => {
    const { pieceBytes = bytes.length } = content;
    sent.bytes += bytes.length;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      socket.write(sealPieces(session, bytes.subarray(at, at + pieceBytes)));
    }
  };
  const handshake = encodeHandshake(content.chainId);
  write(Buffer.concat([lengthOf(handshake.length, 2), handshake]));
  await plain.take(numberOf(await plain.take(2)));
  if (content.noise !== undefined) write(content.noise);
  if (content.checks !== undefined) {
    for (; sent.checks < content.checks && !socket.destroyed; sent.checks++) {
      write(healthCheck());
      if (socket.writableNeedDrain)
        await new Promise<void>((resolve) => socket.once("drain", resolve).once("close", resolve));
      // The other side has the same event loop.
      else if (sent.checks % 8 === 0) await nextTurn();
    }
  }
  // Peers ask whether the other side lives.
  write(healthCheck());
  for (;;) {
    const frame = decodeWith(frameCodec, new Uint8Array(await plain.take(numberOf(await plain.take(4)))));
    if (frame.kind !== "message") throw new Error("a stream that was not expected");
    if (frame.message.kind === "response") asked.push(`pong ${toHex(frame.message.body)}`);
    if (frame.message.kind !== "request") continue;
    const honest = answerTo(frame.message.body, content, asked);
    if (content.isMute === true) continue;
    const body = content.answer?.(honest) ?? honest;
    for (const bytes of frames({ kind: "response", id: frame.message.id, priority: 0, body }, content))
      write(bytes);
  }
}

function answerTo(body: Uint8Array, { ends, latest, limit }: PeerContent, asked: string[]): Uint8Array {
  const question = decodeQuestion(body);
  asked.push(
    question.kind === "epochEnds" ? `${question.kind} ${question.first} ${question.last}` : question.kind,
  );
  if (question.kind === "epochEnds") {
    const page = ends.slice(Number(question.first), Number(question.last) + 1).slice(0, limit);
    return encodeAnswerOf("epochEnds", { ends: page, more: false });
  }
  const epochs = ends.length === 0 ? undefined : { first: 0n, last: BigInt(ends.length - 1) };
  const summary: AnswerOf<"summary"> = {
    maxEpochs: 200n,
    maxStates: 4000n,
    maxTransactions: 3000n,
    maxOutputs: 3000n,
    latest,
    epochs,
    states: undefined,
    transactions: undefined,
    outputs: undefined,
  };
  return encodeAnswerOf("summary", summary);
}

function healthCheck(): Uint8Array {
  return framed({ kind: "request", protocol: 5, id: 77, priority: 0, body: Uint8Array.of(0, 1, 2, 3, 4) });
}

function framed(message: NetworkMessage): Uint8Array {
  const frame = encodeWith(frameCodec, { kind: "message", message });
  return Buffer.concat([lengthOf(frame.length, 4), frame]);
}

function frames(
  message: NetworkMessage & { readonly body: Uint8Array },
  { fragmentBytes }: PeerContent,
): Uint8Array[] {
  if (fragmentBytes === undefined) return [framed(message)];
  const parts: Uint8Array[] = [];
  for (let at = 0; at < message.body.length; at += fragmentBytes) {
    parts.push(message.body.subarray(at, at + fragmentBytes));
  }
  const [first = new Uint8Array(), ...rest] = parts;
  const header = {
    kind: "header",
    stream: 3,
    fragments: rest.length,
    message: { ...message, body: first },
  } as const;
  return [
    encodeWith(frameCodec, { kind: "stream", part: header }),
    ...rest.map((body, i) =>
      encodeWith(frameCodec, { kind: "stream", part: { kind: "fragment", stream: 3, number: i + 1, body } }),
    ),
  ].map((frame) => Buffer.concat([lengthOf(frame.length, 4), frame]));
}
