// Ed25519 signatures with the demo keys of the local chain: by the browser where it can, else by a library that is loaded
// for it.

export interface Signed {
  readonly publicKey: string;
  readonly signature: string;
}

/** What comes before the 32 bytes of a private key in PKCS #8. */
const PKCS8_PREFIX = "302e020100300506032b657004220420";

export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const digits = hex.replace(/^0x/, "");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function toHex(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The 32 bytes of a key as AIP-80 writes it (`ed25519-priv-0x…`), or in hex. */
function secretOf(text: string): Uint8Array<ArrayBuffer> {
  return fromHex(text.replace(/^ed25519-priv-/, ""));
}

async function signInBrowser(secret: Uint8Array, message: Uint8Array<ArrayBuffer>): Promise<Signed> {
  const pkcs8 = fromHex(PKCS8_PREFIX + toHex(secret).slice(2));
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", key);
  const base64 = x.replaceAll("-", "+").replaceAll("_", "/");
  const publicKey = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", key, message));
  return { publicKey: toHex(publicKey), signature: toHex(signature) };
}

/** Signs a message with a private key. */
export async function sign(privateKey: string, message: Uint8Array<ArrayBuffer>): Promise<Signed> {
  const secret = secretOf(privateKey);
  try {
    return await signInBrowser(secret, message);
  } catch {
    // No Ed25519 in this browser, or no crypto.subtle outside of HTTPS and localhost.
    const { ed25519 } = await import("@noble/curves/ed25519.js");
    return {
      publicKey: toHex(ed25519.getPublicKey(secret)),
      signature: toHex(ed25519.sign(message, secret)),
    };
  }
}
