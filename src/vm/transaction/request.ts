// What a transaction asks for, and who signs it.
import { toHex } from "../../base/hex.ts";
import { sha3 } from "../../base/sha3.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { type AccountAuthenticator, anyPublicKeyCodec } from "../../transaction/authenticator.ts";
import type { EntryFunction, Script } from "../../transaction/executable.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";

export interface SignerKey {
  readonly address: string;
  /** Undefined where a simulation names no key. */
  readonly authenticationKey: Uint8Array | undefined;
}

function authenticationKeyOf(account: AccountAuthenticator): Uint8Array | undefined {
  switch (account.kind) {
    case "ed25519":
      return sha3(Buffer.concat([account.publicKey, Buffer.of(0)]));
    case "multiEd25519":
      return sha3(Buffer.concat([account.publicKey, Buffer.of(1)]));
    case "singleKey":
      return sha3(Buffer.concat([encodeWith(anyPublicKeyCodec, account.publicKey), Buffer.of(2)]));
    case "multiKey": {
      const writer = new BcsWriter(128);
      writer.count(account.publicKeys.length);
      for (const key of account.publicKeys) anyPublicKeyCodec.write(writer, key);
      writer.u8(account.signaturesRequired);
      return sha3(Buffer.concat([writer.take(), Buffer.of(3)]));
    }
    case "none":
    case "abstract":
      return undefined;
  }
}

export interface Signers {
  readonly sender: SignerKey;
  readonly secondary: readonly SignerKey[];
  readonly feePayer: SignerKey | undefined;
}

export function signersOf({ raw, authenticator }: UserTransaction): Signers {
  const sender = toHex(raw.sender);
  const of = (address: string, account: AccountAuthenticator): SignerKey => ({
    address,
    authenticationKey: authenticationKeyOf(account),
  });
  switch (authenticator.kind) {
    case "ed25519":
    case "multiEd25519":
      return { sender: of(sender, authenticator), secondary: [], feePayer: undefined };
    case "singleSender":
      return { sender: of(sender, authenticator.sender), secondary: [], feePayer: undefined };
    default: {
      const secondary = authenticator.secondarySigners.map((account, i) =>
        of(toHex(authenticator.secondaryAddresses[i] ?? new Uint8Array(32)), account),
      );
      const feePayer =
        authenticator.kind === "feePayer"
          ? of(toHex(authenticator.feePayerAddress), authenticator.feePayer)
          : undefined;
      return { sender: of(sender, authenticator.sender), secondary, feePayer };
    }
  }
}

/** What a payload asks for, whatever its form. */
export interface Request {
  readonly entry: EntryFunction | undefined;
  readonly script: Script | undefined;
  readonly multisig: string | undefined;
  readonly nonce: bigint | undefined;
  readonly isPayloadV2: boolean;
  /** A form of payload that the chain no longer takes, or not yet. */
  readonly isUnsupported: boolean;
}

export function requestOf({ payload }: UserTransaction["raw"]): Request {
  const plain = {
    entry: undefined,
    script: undefined,
    multisig: undefined,
    nonce: undefined,
    isPayloadV2: false,
    isUnsupported: false,
  };
  switch (payload.kind) {
    case "script":
      return { ...plain, script: payload.script };
    case "entryFunction":
      return { ...plain, entry: payload.entryFunction };
    case "multisig": {
      const inner = payload.transactionPayload;
      return {
        ...plain,
        multisig: toHex(payload.multisigAddress),
        entry: inner?.kind === "entryFunction" ? inner.entryFunction : undefined,
        script: inner?.kind === "script" ? inner.script : undefined,
      };
    }
    case "payload": {
      const { executable, extraConfig } = payload.payload;
      const { multisigAddress, replayProtectionNonce } = extraConfig;
      return {
        entry: executable.kind === "entryFunction" ? executable.entryFunction : undefined,
        script: executable.kind === "script" ? executable.script : undefined,
        multisig: multisigAddress === undefined ? undefined : toHex(multisigAddress),
        nonce: replayProtectionNonce,
        isPayloadV2: true,
        isUnsupported: false,
      };
    }
    default:
      return { ...plain, isUnsupported: true };
  }
}
