// Noise IK over X25519, AES-256-GCM and SHA-256: the handshake in which the initiator knows the responder's key, and the
// ciphers that follow it.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from "node:crypto";

const PROTOCOL = "Noise_IK_25519_AESGCM_SHA256";
export const KEY_BYTES = 32;
export const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** DER in front of raw keys. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b656e04220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b656e032100", "hex");

/** A pair of raw keys. */
export interface KeyPair {
  readonly secret: Uint8Array;
  readonly public: Uint8Array;
}

export function keyPairOf(secret: Uint8Array): KeyPair {
  const key = createPublicKey(privateKeyOf(secret));
  const der = key.export({ type: "spki", format: "der" });
  return { secret, public: new Uint8Array(der.subarray(PUBLIC_PREFIX.length)) };
}

function privateKeyOf(secret: Uint8Array) {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, secret]), format: "der", type: "pkcs8" });
}

/** The shared secret of a pair of keys and the public key of another. */
export function agree(own: KeyPair, other: Uint8Array): Uint8Array {
  const publicKey = createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, other]),
    format: "der",
    type: "spki",
  });
  return diffieHellman({ privateKey: privateKeyOf(own.secret), publicKey });
}

/** A key and how often it was used. */
export class NoiseCipher {
  readonly #key: Uint8Array;
  #count = 0n;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  encrypt(plain: Uint8Array, extra: Uint8Array = new Uint8Array()): Uint8Array {
    const cipher = createCipheriv("aes-256-gcm", this.#key, this.#nonce());
    cipher.setAAD(extra);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws if the bytes are not what the other side encrypted. */
  decrypt(sealed: Uint8Array, extra: Uint8Array = new Uint8Array()): Uint8Array {
    if (sealed.length < TAG_BYTES) throw new Error("shorter than its tag");
    const at = sealed.length - TAG_BYTES;
    const cipher = createDecipheriv("aes-256-gcm", this.#key, this.#nonce());
    cipher.setAAD(extra);
    cipher.setAuthTag(sealed.subarray(at));
    return Buffer.concat([cipher.update(sealed.subarray(0, at)), cipher.final()]);
  }

  #nonce(): Uint8Array {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeBigUInt64BE(this.#count++, NONCE_BYTES - 8);
    return nonce;
  }
}

/** What both sides know so far. */
export class Transcript {
  #hash: Uint8Array = Buffer.concat([Buffer.from(PROTOCOL)], KEY_BYTES);
  #chain: Uint8Array = this.#hash;
  #cipher: NoiseCipher | undefined;

  mixHash(bytes: Uint8Array): void {
    this.#hash = createHash("sha256").update(this.#hash).update(bytes).digest();
  }

  mixKey(secret: Uint8Array): void {
    const [chain, key] = this.#derive(secret);
    this.#chain = chain;
    this.#cipher = new NoiseCipher(key);
  }

  seal(plain: Uint8Array): Uint8Array {
    const sealed = this.#current().encrypt(plain, this.#hash);
    this.mixHash(sealed);
    return sealed;
  }

  open(sealed: Uint8Array): Uint8Array {
    const plain = this.#current().decrypt(sealed, this.#hash);
    this.mixHash(sealed);
    return plain;
  }

  /** Ciphers from the initiator, and to it. */
  split(): readonly [NoiseCipher, NoiseCipher] {
    const [first, second] = this.#derive(new Uint8Array());
    return [new NoiseCipher(first), new NoiseCipher(second)];
  }

  #current(): NoiseCipher {
    if (this.#cipher === undefined) throw new Error("no key was agreed on yet");
    return this.#cipher;
  }

  #derive(secret: Uint8Array): [Uint8Array, Uint8Array] {
    const out = new Uint8Array(hkdfSync("sha256", secret, this.#chain, new Uint8Array(), 2 * KEY_BYTES));
    return [out.slice(0, KEY_BYTES), out.slice(KEY_BYTES)];
  }
}

/** Ciphers of a connection. */
export interface NoiseSession {
  readonly sending: NoiseCipher;
  readonly receiving: NoiseCipher;
}

interface InitiatorKeys {
  readonly own: KeyPair;
  readonly ephemeral: KeyPair;
  /** The responder's public key. */
  readonly remote: Uint8Array;
  readonly prologue: Uint8Array;
}

/** The side that opens a connection. */
export class NoiseInitiator {
  readonly #keys: InitiatorKeys;
  readonly #transcript = new Transcript();

  constructor(keys: InitiatorKeys) {
    this.#keys = keys;
    this.#transcript.mixHash(keys.prologue);
    this.#transcript.mixHash(keys.remote);
  }

  /** The first message. */
  begin(payload: Uint8Array): Uint8Array {
    const { own, ephemeral, remote } = this.#keys;
    const transcript = this.#transcript;
    transcript.mixHash(ephemeral.public);
    transcript.mixKey(agree(ephemeral, remote));
    const identity = transcript.seal(own.public);
    transcript.mixKey(agree(own, remote));
    return Buffer.concat([ephemeral.public, identity, transcript.seal(payload)]);
  }

  /** Takes the answer. Throws if it is not by the responder. */
  finish(answer: Uint8Array): NoiseSession & { readonly payload: Uint8Array } {
    const { own, ephemeral } = this.#keys;
    const transcript = this.#transcript;
    const other = answer.subarray(0, KEY_BYTES);
    transcript.mixHash(other);
    transcript.mixKey(agree(ephemeral, other));
    transcript.mixKey(agree(own, other));
    const payload = transcript.open(answer.subarray(KEY_BYTES));
    const [sending, receiving] = transcript.split();
    return { sending, receiving, payload };
  }
}
