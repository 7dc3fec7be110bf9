// Signed user transactions: an action with sender, sequence number and expiry, signed with Ed25519 keys over the
// chain's signing message.
import { USEC_PER_SEC } from "../base/numbers.ts";
import { encodeWith } from "../bcs/codec.ts";
import type { AccountAuthenticator } from "../transaction/account-authenticator.ts";
import type { TransactionAuthenticator } from "../transaction/authenticator.ts";
import type { TransactionPayload } from "../transaction/payload.ts";
import { NONCE_SEQUENCE_NUMBER, type RawTransaction, rawTransactionCodec } from "../transaction/raw.ts";
import { signingMessage } from "../transaction/signing-message.ts";
import type { UserTransaction } from "../transaction/user-transaction.ts";
import type { Action, Call } from "./actions/action.ts";
import type { DemoAccount, DemoAccounts } from "./demo-accounts.ts";

const MAX_GAS = 200_000n;
const LIFETIME_SECS = 600n;
/** The network takes no nonce of a transaction that expires later. */
const NONCE_LIFETIME_SECS = 60n;

/** The fields of a transaction besides its action. */
export interface Envelope {
  readonly chainId: number;
  readonly timestampUsec: bigint;
  readonly gasUnitPrice: bigint;
  /** The sender's sequence number, or a nonce instead. */
  readonly replayProtection: { readonly sequenceNumber: bigint } | { readonly nonce: bigint };
}

/** Signs an action. */
export function signAction(action: Action, demoAccounts: DemoAccounts, envelope: Envelope): UserTransaction {
  const sender = demoAccounts[action.sender];
  const { replayProtection } = envelope;
  const raw: RawTransaction = {
    sender: sender.address,
    sequenceNumber: "nonce" in replayProtection ? NONCE_SEQUENCE_NUMBER : replayProtection.sequenceNumber,
    payload: "nonce" in replayProtection ? noncePayload(action.call, replayProtection.nonce) : action.call,
    maxGasAmount: MAX_GAS,
    gasUnitPrice: envelope.gasUnitPrice,
    expirationTimestampSecs:
      envelope.timestampUsec / USEC_PER_SEC +
      ("nonce" in replayProtection ? NONCE_LIFETIME_SECS : LIFETIME_SECS),
    chainId: envelope.chainId,
  };
  const cosigner = action.cosigner === undefined ? undefined : demoAccounts[action.cosigner];
  return { raw, authenticator: sign(raw, sender, cosigner) };
}

function noncePayload(call: Call, nonce: bigint): TransactionPayload {
  const extraConfig = { kind: "v1", multisigAddress: undefined, replayProtectionNonce: nonce } as const;
  return { kind: "payload", payload: { kind: "v1", executable: call, extraConfig } };
}

function sign(
  raw: RawTransaction,
  sender: DemoAccount,
  cosigner: DemoAccount | undefined,
): TransactionAuthenticator {
  const bytes = encodeWith(rawTransactionCodec, raw);
  const authenticate = (
    signer: DemoAccount,
    message: Uint8Array,
  ): AccountAuthenticator & { kind: "ed25519" } => ({
    kind: "ed25519",
    publicKey: signer.publicKey,
    signature: signer.sign(message),
  });
  if (cosigner === undefined) return authenticate(sender, signingMessage(bytes));
  const message = signingMessage(bytes, [cosigner.address]);
  return {
    kind: "multiAgent",
    sender: authenticate(sender, message),
    secondaryAddresses: [cosigner.address],
    secondarySigners: [authenticate(cosigner, message)],
  };
}
