import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../base/hex.ts";
import { sha3Parts } from "../../base/sha3.ts";
import { checkProof, ownerFault, provableText } from "./proof-files.ts";

describe("the signature of an owner", () => {
  const pair = generateKeyPairSync("ed25519");
  const key = Buffer.from(pair.publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const message = "ours, on 31 January: ü";
  const good = {
    message,
    publicKey: key.toString("hex"),
    signature: `0x${sign(null, Buffer.from(message), pair.privateKey).toString("hex")}`,
  };
  const single = toPrefixedHex(sha3Parts(Uint8Array.of(0, 32), key, Uint8Array.of(2)));
  const own = toPrefixedHex(sha3Parts(key, Uint8Array.of(0)));

  it.each([
    ["holds for the key's own scheme", own, {}, undefined],
    ["holds for a single key of any scheme", single, {}, undefined],
    ["is of another message", own, { message: "theirs" }, /^the signature does not verify/],
    ["is not hex", own, { signature: "c2lnbmF0dXJl" }, /expected 128 hex digits, got another text$/],
    ["is short", own, { signature: "00".repeat(63) }, /expected 128 hex digits, got 126$/],
    ["is by a key that is not hex", own, { publicKey: "hello" }, /public key .* got another text$/],
    ["is by a long key", own, { publicKey: "00".repeat(33) }, /public key .* 64 hex digits, got 66$/],
    ["is by another's key", own, { publicKey: "00".repeat(32) }, /hash to the authentication key 0x/],
  ])("%s", (_, authenticationKey, change, fault) => {
    const told = ownerFault(authenticationKey, { ...good, ...change });
    if (fault === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(fault);
  });
});

it("the reason against a proof does not turn the direction of the text", () => {
  const text = '{"claim":{"type":"module","address":"\u202e"}}';
  expect(checkProof(text, `0:${"00".repeat(32)}`).reason).toContain('"\\u202e" at position 0');
});

describe("how long a version can be proven", () => {
  const usec = 1_704_067_200_000_000n;
  it.each([
    ["all", "24h", "until 2024-01-02T00:00:00.000000Z (--prune-window 24h)"],
    ["10m", "24h", "until 2024-01-01T00:10:00.000000Z (--proof-window 10m)"],
    ["all", "off", "at any time (--prune-window off)"],
    ["all", "500", "for 500 versions (--prune-window 500)"],
    ["off", "24h", undefined],
  ])("with --proof-window %s and --prune-window %s", (proof_window, prune_window, text) => {
    expect(provableText({ proof_window, prune_window }, usec)).toBe(text);
  });
});
