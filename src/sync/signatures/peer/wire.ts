// Messages between peers: the handshake inside of the encrypted stream, frames, remote calls, and the questions to the
// storage service that a proof source needs.
import { type Codec, decodeWith, encodeWith, type ValueOf } from "../../../bcs/codec.ts";
import { struct, variants } from "../../../bcs/records.ts";
import { bool, byteString, text, u8, u32, u64 } from "../../../bcs/scalars.ts";
import { option, vector } from "../../../bcs/sequences.ts";
import { signedLedgerInfoCodec } from "../../../proof/ledger-info.ts";

/** Numbers of protocols. */
export const PROTOCOLS = { healthCheck: 5, storageService: 8 } as const;

/** Protocols as a set of bits, the top bit of the first byte first. */
function protocolBits(): Uint8Array {
  const bits = new Uint8Array(2);
  for (const number of Object.values(PROTOCOLS)) {
    bits[number >> 3] = (bits[number >> 3] ?? 0) | (0x80 >> (number & 7));
  }
  return bits;
}

/** Version, protocols, chain and network of a side: one version of the messages, and the public network. */
export const handshakeCodec = struct({
  versions: vector(struct({ version: u8, protocols: byteString })),
  chainId: u8,
  network: u8,
});

export const PUBLIC_NETWORK = 1;

export function encodeHandshake(chainId: number): Uint8Array {
  const versions = [{ version: 0, protocols: protocolBits() }];
  return encodeWith(handshakeCodec, { versions, chainId, network: PUBLIC_NETWORK });
}

/** A message of a frame. Variant numbers as on the wire. */
const networkMessageCodec = variants("NetworkMessage", {
  error: { kindOfError: u8, first: u8, second: u8 },
  request: { protocol: u8, id: u32, priority: u8, body: byteString },
  response: { id: u32, priority: u8, body: byteString },
  directSend: { protocol: u8, priority: u8, body: byteString },
});
export type NetworkMessage = ValueOf<typeof networkMessageCodec>;

const streamCodec = variants("StreamMessage", {
  header: { stream: u32, fragments: u8, message: networkMessageCodec },
  fragment: { stream: u32, number: u8, body: byteString },
});

/** A frame: a message, or a part of a long one. */
export const frameCodec = variants("MultiplexMessage", {
  message: { message: networkMessageCodec },
  stream: { part: streamCodec },
});

const dataRequestCodec = variants("DataRequest", {
  epochEnds: { first: u64, last: u64 },
  newOutputs: { version: u64, epoch: u64 },
  newTransactions: { version: u64, epoch: u64, events: bool },
  stateCount: { version: u64 },
  protocolVersion: {},
  states: { version: u64, first: u64, last: u64 },
  summary: {},
});
export type DataRequest = ValueOf<typeof dataRequestCodec>;

export const storageRequestCodec = struct({ request: dataRequestCodec, isCompressed: bool });

const rangeCodec: Codec<{ first: bigint; last: bigint } | undefined> = option(
  struct({ first: u64, last: u64 }),
);

/** The limits of a peer, its latest ledger info and what it has. */
const summaryCodec = struct({
  maxEpochs: u64,
  maxStates: u64,
  maxTransactions: u64,
  maxOutputs: u64,
  latest: option(signedLedgerInfoCodec),
  epochs: rangeCodec,
  states: rangeCodec,
  transactions: rangeCodec,
  outputs: rangeCodec,
});

const epochEndsCodec = struct({ ends: vector(signedLedgerInfoCodec), more: bool });

/** First bytes of the bodies of the storage service. */
export const [REQUEST, RESPONSE] = [0, 1];

/** The body of a question. Compression is never asked for. */
export function encodeQuestion(request: DataRequest): Uint8Array {
  return Buffer.concat([
    Uint8Array.of(REQUEST),
    encodeWith(storageRequestCodec, { request, isCompressed: false }),
  ]);
}

export const ANSWERS = {
  epochEnds: { number: 0, codec: epochEndsCodec },
  summary: { number: 6, codec: summaryCodec },
};
const refusalCodec = variants("StorageServiceError", {
  internal: { message: text },
  invalid: { message: text },
  tooManyInvalid: { message: text },
  tooMany: { message: text },
});

export type AnswerOf<K extends keyof typeof ANSWERS> = ValueOf<(typeof ANSWERS)[K]["codec"]>;

/** The peer does not answer a question. */
export class PeerRefusal {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Decodes an answer. Throws BcsError for bytes that are none. */
export function decodeAnswerOf<K extends keyof typeof ANSWERS>(
  kind: K,
  body: Uint8Array,
): AnswerOf<K> | PeerRefusal {
  const { number, codec } = ANSWERS[kind];
  if (body[0] === RESPONSE && body[1] === 1) {
    return new PeerRefusal(
      `the peer refuses the question (${decodeWith(refusalCodec, body.subarray(2)).kind})`,
    );
  }
  if (body[0] !== RESPONSE || body[1] !== 0 || body[2] !== 1 || body[3] !== number) {
    return new PeerRefusal("the peer answers another question, or compresses without being asked");
  }
  return decodeWith(codec as Codec<AnswerOf<K>>, body.subarray(4));
}
