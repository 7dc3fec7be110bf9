// What the node prints of a signature, it reads: a client may submit the JSON of a transaction that it got.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { signatureJson } from "../../src/http/printing/signature-json.ts";
import { parseJson } from "../../src/json/parse.ts";
import {
  type AccountAuthenticator,
  authenticatorCodec,
  type TransactionAuthenticator,
} from "../../src/transaction/authenticator.ts";
import { asObject } from "../../src/transaction/requests/request-members.ts";
import { parseSignature, signatureMember } from "../../src/transaction/requests/submission-request.ts";
import { RUNS } from "../support/property.ts";
import { anyAuthenticator } from "../support/transaction-arbitraries.ts";

const KEYS = 3;

/** JSON has no place for bytes that belong to no key, and for functions without a name. */
function sound(account: AccountAuthenticator): AccountAuthenticator {
  switch (account.kind) {
    case "multiEd25519":
      return { ...account, publicKey: new Uint8Array(KEYS * 32 + 1).fill(2), signature: new Uint8Array(132) };
    case "multiKey": {
      const signatures = account.signatures.slice(0, 4);
      const bitmap = Buffer.of((0xf0 << (4 - signatures.length)) & 0xf0, 0, 0, 0);
      return { ...account, signatures, bitmap };
    }
    case "abstract": {
      const { module } = account.function;
      return { ...account, function: { module: { ...module, name: "auth" }, function: "check" } };
    }
    default:
      return account;
  }
}

function soundAuthenticator(authenticator: TransactionAuthenticator): TransactionAuthenticator {
  switch (authenticator.kind) {
    case "ed25519":
      return authenticator;
    case "multiEd25519":
      return sound(authenticator) as typeof authenticator;
    case "singleSender":
      return { ...authenticator, sender: sound(authenticator.sender) };
    case "multiAgent":
    case "feePayer": {
      const signers = {
        sender: sound(authenticator.sender),
        secondarySigners: authenticator.secondarySigners.map(sound),
      };
      if (authenticator.kind === "multiAgent") return { ...authenticator, ...signers };
      return { ...authenticator, ...signers, feePayer: sound(authenticator.feePayer) };
    }
  }
}

function readAgain(authenticator: TransactionAuthenticator): TransactionAuthenticator {
  const document = parseJson(Buffer.from(JSON.stringify({ signature: signatureJson(authenticator) })));
  return parseSignature(signatureMember(asObject(document, document.root, "", ["signature"])));
}

describe("the JSON of a signature", () => {
  it("of every kind is read as the same signature", () => {
    fc.assert(
      fc.property(anyAuthenticator.map(soundAuthenticator), (authenticator) => {
        expect(encodeWith(authenticatorCodec, readAgain(authenticator))).toEqual(
          encodeWith(authenticatorCodec, authenticator),
        );
      }),
      { numRuns: RUNS * 10 },
    );
  });

  it("of a type that there is not is refused by name", () => {
    const read = (signature: object) => {
      const document = parseJson(Buffer.from(JSON.stringify({ signature })));
      return () => parseSignature(signatureMember(asObject(document, document.root, "", ["signature"])));
    };
    const key = { type: "toString", value: "0x00" };
    expect(read({ type: "single_sender", public_key: key, signature: key })).toThrow(
      'signature.public_key.type: not modelled here: "toString"; expected one of ed25519, secp256k1_ecdsa',
    );
    const keyless = { type: "keyless", value: "0xff" };
    expect(read({ type: "single_key_signature", public_key: keyless, signature: keyless })).toThrow(
      "signature.public_key.value: ",
    );
    expect(read({ type: "abstract_signature", function_info: "0x1::a", auth_data: "0x00" })).toThrow(
      "signature.function_info: expected a function as address::module::name",
    );
  });
});
