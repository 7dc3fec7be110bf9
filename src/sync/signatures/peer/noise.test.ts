import { describe, expect, it } from "vitest";
import { respondToNoise } from "../../../../test/support/peer-listener.ts";
import { fromHex, toHex } from "../../../base/hex.ts";
import { decodeWith, encodeWith } from "../../../bcs/codec.ts";
import { keyPairOf, NoiseInitiator } from "./noise.ts";
import { parsePeerAddress } from "./peer-address.ts";
import { encodeHandshake, frameCodec } from "./wire.ts";

const bytes = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array();

/** Noise_IK_25519_AESGCM_SHA256 of the vectors that cacophony published. */
const VECTOR = {
  prologue: "4a6f686e2047616c74",
  initiator: "e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1",
  initiatorEphemeral: "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
  remote: "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62",
  responder: "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
  responderEphemeral: "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
  messages: [
    [
      "4c756477696720766f6e204d69736573",
      "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79444e417bc55c7a8166c993356c1be41ef67818a292426f301556c7f26b21d25ddb097153891a9a956cff47b83e63ad8d701c1342c209cff1ca5ecd43402762ac249e3bd3a4c0a145fe07cb5dae28ea13a3",
    ],
    [
      "4d757272617920526f746862617264",
      "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843af2ccf9972e22afc67aeafcd25162f7f98c363b7762e3e4cb7d272e39f27a5",
    ],
    ["462e20412e20486179656b", "66acfc92e3197de166809e6d4d5d003dcc819a84bc3522ca53c9d9"],
    ["4361726c204d656e676572", "71f89aa6533a6de70b0826864dd75f60806ee40170c16290189eb3"],
    [
      "4a65616e2d426170746973746520536179",
      "4795a3423550c8bf00386bd496a3e2c76c10669d2a75ab8f79b5094c5412a25705",
    ],
    [
      "457567656e2042f6686d20766f6e2042617765726b",
      "aa0bb39097555c918e40be82abc2b909eb79d9eb87adb07e268fc37323a6cf904fd01fb391",
    ],
  ],
} as const;

const payloadOf = (index: number): Uint8Array => bytes(VECTOR.messages[index]?.[0] ?? "");
const sealedOf = (index: number): string => VECTOR.messages[index]?.[1] ?? "";

describe("Noise IK", () => {
  it("gives the bytes of the published vector, on both sides", () => {
    const prologue = bytes(VECTOR.prologue);
    const initiator = new NoiseInitiator({
      own: keyPairOf(bytes(VECTOR.initiator)),
      ephemeral: keyPairOf(bytes(VECTOR.initiatorEphemeral)),
      remote: bytes(VECTOR.remote),
      prologue,
    });
    const first = initiator.begin(payloadOf(0));
    expect(toHex(first)).toBe(sealedOf(0));
    const responder = respondToNoise(
      {
        own: keyPairOf(bytes(VECTOR.responder)),
        ephemeral: keyPairOf(bytes(VECTOR.responderEphemeral)),
        prologue,
      },
      first,
      payloadOf(1),
    );
    expect(toHex(responder.payload)).toBe(toHex(payloadOf(0)));
    expect(toHex(responder.remote)).toBe(toHex(keyPairOf(bytes(VECTOR.initiator)).public));
    expect(toHex(responder.answer)).toBe(sealedOf(1));
    const session = initiator.finish(responder.answer);
    expect(toHex(session.payload)).toBe(toHex(payloadOf(1)));
    for (const [i, [from, to]] of [
      [session, responder],
      [responder, session],
      [session, responder],
      [responder, session],
    ].entries()) {
      const sealed = from!.sending.encrypt(payloadOf(2 + i));
      expect(toHex(sealed)).toBe(sealedOf(2 + i));
      expect(toHex(to!.receiving.decrypt(sealed))).toBe(toHex(payloadOf(2 + i)));
    }
  });

  it("refuses an answer by another key, and changed bytes", () => {
    const keys = { prologue: new Uint8Array(), ephemeral: keyPairOf(bytes(VECTOR.initiatorEphemeral)) };
    const own = keyPairOf(bytes(VECTOR.initiator));
    const responder = { own: keyPairOf(bytes(VECTOR.responder)), ...keys };
    const begin = (remote: Uint8Array) => {
      const initiator = new NoiseInitiator({ own, remote, ...keys });
      return { initiator, message: initiator.begin(new Uint8Array(8)) };
    };
    expect(() => respondToNoise(responder, begin(own.public).message, new Uint8Array())).toThrow();
    const { initiator, message } = begin(responder.own.public);
    const { answer } = respondToNoise(responder, message, new Uint8Array());
    expect(() => initiator.finish(answer.with(40, (answer[40] ?? 0) ^ 1))).toThrow();
  });
});

describe("messages between peers", () => {
  it("have the bytes of the published examples", () => {
    expect(toHex(encodeHandshake(1))).toBe("01000204800101");
    const request = { kind: "request", protocol: 0, id: 25, priority: 0, body: bytes("00010203") } as const;
    expect(toHex(encodeWith(frameCodec, { kind: "message", message: request }))).toBe(
      "0001" + "00190000000004" + "00010203",
    );
    const sent = { kind: "directSend", protocol: 2, priority: 0, body: Buffer.from("hello world") } as const;
    expect(toHex(encodeWith(frameCodec, { kind: "message", message: sent }))).toBe(
      "000302000b68656c6c6f20776f726c64",
    );
    const fragment = decodeWith(frameCodec, bytes("01012a000000fe030b1621"));
    expect(fragment).toMatchObject({ kind: "stream", part: { kind: "fragment", stream: 42, number: 254 } });
  });
});

describe("a peer's address", () => {
  const key = "ab".repeat(32);
  it.each([
    [`/dns/peer.example/tcp/6182/noise-ik/0x${key}/handshake/0`, { host: "peer.example", port: 6182 }],
    [`/ip4/10.0.0.16/tcp/80/noise-ik/${key}/handshake/0`, { host: "10.0.0.16", port: 80 }],
  ])("is read: %s", (text, expected) => {
    expect(parsePeerAddress(text)).toMatchObject(expected);
    expect(toHex(parsePeerAddress(text)?.key ?? new Uint8Array())).toBe(key);
  });
  it.each([
    `/dns/peer.example/tcp/6182/noise-ik/${key}`,
    `/dns/peer.example/tcp/0/noise-ik/${key}/handshake/0`,
    `/dns/peer.example/tcp/70000/noise-ik/${key}/handshake/0`,
    `/dns/peer.example/tcp/6182/noise-ik/${key.slice(2)}/handshake/0`,
    `/memory/1/tcp/6182/noise-ik/${key}/handshake/0`,
    "http://peer.example",
  ])("is refused: %s", (text) => {
    expect(parsePeerAddress(text)).toBeUndefined();
  });
});
