import { Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature } from "@aptos-labs/ts-sdk";
import { describe, expect, it } from "vitest";
import { toHex } from "../base/hex.ts";
import { sha3Parts } from "../base/sha3.ts";
import { createKeypair } from "./keys.ts";

const seed = new Uint8Array(32).fill(7);

describe("createKeypair", () => {
  it("gives the public key and address that the official SDK derives from the same secret", () => {
    const pair = createKeypair(seed, "anna");
    const secret = sha3Parts(seed, new TextEncoder().encode("key/anna"));
    const theirs = new Ed25519PrivateKey(secret).publicKey();
    expect(toHex(pair.publicKey)).toBe(toHex(theirs.toUint8Array()));
    expect(toHex(pair.address)).toBe(toHex(theirs.authKey().derivedAddress().toUint8Array()));
  });

  it("gives signatures that the official SDK verifies, and a different key for each name", () => {
    const message = new TextEncoder().encode("message");
    const [anna, basil] = [createKeypair(seed, "anna"), createKeypair(seed, "basil")];
    const signature = new Ed25519Signature(anna.sign(message));
    expect(new Ed25519PublicKey(anna.publicKey).verifySignature({ message, signature })).toBe(true);
    expect(new Ed25519PublicKey(basil.publicKey).verifySignature({ message, signature })).toBe(false);
  });
});
