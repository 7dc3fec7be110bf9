// Random transactions and their parts, every variant of each.
import fc from "fast-check";
import type {
  AccountAuthenticator,
  AnyPublicKey,
  AnySignature,
  EphemeralSignature,
  KeylessPublicKey,
  KeylessSignature,
  TransactionAuthenticator,
  WebAuthnAssertion,
} from "../../src/transaction/authenticator.ts";
import type { EncryptedInner, EncryptedPayload } from "../../src/transaction/encrypted-payload.ts";
import type {
  EntryFunction,
  Executable,
  ExtraConfig,
  LimitsRequest,
  Script,
  ScriptArgument,
} from "../../src/transaction/executable.ts";
import type { MultisigPayload, RawTransaction, TransactionPayload } from "../../src/transaction/raw.ts";
import type {
  BlockEndInfo,
  BlockMetadata,
  BlockMetadataExt,
  FeeDistribution,
  RoundSecret,
  ValidatorTransaction,
} from "../../src/transaction/system-transactions.ts";
import type { UserTransaction } from "../../src/transaction/user-transaction.ts";
import {
  anyAddress,
  anyBytes,
  anyHash,
  anyModuleId,
  anyName,
  anyText,
  anyTypeTag,
  anyU64,
  bytesOf,
} from "./move-arbitraries.ts";

function kind<K extends string>(...names: readonly K[]): fc.Arbitrary<K> {
  return fc.constantFrom(...names);
}

function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

function few<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(arbitrary, { maxLength: 3 });
}

function integer<K extends string>(name: K, bits: number): fc.Arbitrary<{ kind: K; value: number }> {
  const isSigned = name.startsWith("i");
  const min = isSigned ? -(2 ** (bits - 1)) : 0;
  return fc.record({ kind: kind(name), value: fc.integer({ min, max: min + 2 ** bits - 1 }) });
}

function bigInteger<K extends string>(name: K, bits: bigint): fc.Arbitrary<{ kind: K; value: bigint }> {
  const min = name.startsWith("i") ? -(1n << (bits - 1n)) : 0n;
  return fc.record({ kind: kind(name), value: fc.bigInt({ min, max: min + (1n << bits) - 1n }) });
}

export const anyScriptArgument: fc.Arbitrary<ScriptArgument> = fc.oneof(
  integer("u8", 8),
  integer("u16", 16),
  integer("u32", 32),
  integer("i8", 8),
  integer("i16", 16),
  integer("i32", 32),
  bigInteger("u64", 64n),
  bigInteger("u128", 128n),
  bigInteger("u256", 256n),
  bigInteger("i64", 64n),
  bigInteger("i128", 128n),
  bigInteger("i256", 256n),
  fc.record({ kind: kind("address"), value: anyAddress }),
  fc.record({ kind: kind("bytes", "serialized"), value: anyBytes }),
  fc.record({ kind: kind("bool"), value: fc.boolean() }),
);

export const anyScript: fc.Arbitrary<Script> = fc.record({
  code: anyBytes,
  typeArgs: few(anyTypeTag),
  args: few(anyScriptArgument),
});

export const anyEntryFunction: fc.Arbitrary<EntryFunction> = fc.record({
  module: anyModuleId,
  function: anyName,
  typeArgs: few(anyTypeTag),
  args: few(anyBytes),
});

export const anyExecutable: fc.Arbitrary<Executable> = fc.oneof(
  fc.record({ kind: kind("script"), script: anyScript }),
  fc.record({ kind: kind("entryFunction"), entryFunction: anyEntryFunction }),
  fc.record({ kind: kind("empty", "encrypted") }),
);

const anyMultipliers = fc.record({ kind: kind("v1"), execution: anyU64, io: anyU64 });

const anyLimits: fc.Arbitrary<LimitsRequest> = fc.oneof(
  fc.record({ kind: kind("stakePoolOwner"), multipliers: anyMultipliers }),
  fc.record({
    kind: kind("delegatedVoter", "delegationPoolDelegator"),
    pool: anyAddress,
    multipliers: anyMultipliers,
  }),
);

export const anyExtraConfig: fc.Arbitrary<ExtraConfig> = fc.oneof(
  fc.record({ kind: kind("v1"), multisigAddress: maybe(anyAddress), replayProtectionNonce: maybe(anyU64) }),
  fc.record({
    kind: kind("v2"),
    multisigAddress: maybe(anyAddress),
    replayProtectionNonce: maybe(anyU64),
    limits: maybe(anyLimits),
  }),
);

export const anyEncryptedInner: fc.Arbitrary<EncryptedInner> = fc.record({
  ciphertext: fc.record({
    verifyingKey: anyBytes,
    id: anyBytes,
    groupElements: anyBytes,
    paddedKey: bytesOf(16),
    nonce: bytesOf(12),
    body: anyBytes,
    associatedData: anyBytes,
    signature: bytesOf(64),
  }),
  extraConfig: anyExtraConfig,
  payloadHash: anyHash,
  encryptionEpoch: anyU64,
  claimedEntryFunction: maybe(fc.record({ module: anyModuleId, function: maybe(anyName) })),
});

export const anyEncryptedPayload: fc.Arbitrary<EncryptedPayload> = fc.oneof(
  fc.record({ kind: kind("encrypted"), inner: anyEncryptedInner }),
  fc.record({
    kind: kind("failedDecryption"),
    inner: anyEncryptedInner,
    evalProof: maybe(anyBytes),
    reason: fc.nat(9),
  }),
  fc.record({
    kind: kind("decrypted"),
    inner: anyEncryptedInner,
    evalProof: anyBytes,
    executable: anyExecutable,
    decryptionNonce: bytesOf(16),
  }),
);

const anyMultisigPayload: fc.Arbitrary<MultisigPayload> = fc.oneof(
  fc.record({ kind: kind("entryFunction"), entryFunction: anyEntryFunction }),
  fc.record({ kind: kind("script"), script: anyScript }),
);

export const anyPayload: fc.Arbitrary<TransactionPayload> = fc.oneof(
  fc.record({ kind: kind("script"), script: anyScript }),
  fc.record({ kind: kind("moduleBundle"), placeholder: anyU64 }),
  fc.record({ kind: kind("entryFunction"), entryFunction: anyEntryFunction }),
  fc.record({
    kind: kind("multisig"),
    multisigAddress: anyAddress,
    transactionPayload: maybe(anyMultisigPayload),
  }),
  fc.record({
    kind: kind("payload"),
    payload: fc.record({ kind: kind("v1"), executable: anyExecutable, extraConfig: anyExtraConfig }),
  }),
  fc.record({ kind: kind("encrypted"), encrypted: anyEncryptedPayload }),
);

export const anyRawTransaction: fc.Arbitrary<RawTransaction> = fc.record({
  sender: anyAddress,
  sequenceNumber: anyU64,
  payload: anyPayload,
  maxGasAmount: anyU64,
  gasUnitPrice: anyU64,
  expirationTimestampSecs: anyU64,
  chainId: fc.nat(255),
});

const anyAssertion: fc.Arbitrary<WebAuthnAssertion> = fc.record({
  signature: fc.record({ kind: kind("secp256r1"), signature: anyBytes }),
  authenticatorData: anyBytes,
  clientDataJson: anyBytes,
});

const anyKeylessPublicKey: fc.Arbitrary<KeylessPublicKey> = fc.record({
  issuer: anyText,
  identityCommitment: anyBytes,
});

const anyEphemeralSignature: fc.Arbitrary<EphemeralSignature> = fc.oneof(
  fc.record({ kind: kind("ed25519"), signature: anyBytes }),
  fc.record({ kind: kind("webAuthn"), assertion: anyAssertion }),
);

const anyKeylessSignature: fc.Arbitrary<KeylessSignature> = fc.record({
  certificate: fc.oneof(
    fc.record({
      kind: kind("zeroKnowledge"),
      proof: fc.record({ kind: kind("groth16"), a: bytesOf(32), b: bytesOf(64), c: bytesOf(32) }),
      expirationHorizonSecs: anyU64,
      extraField: maybe(anyText),
      overrideAudience: maybe(anyText),
      trainingWheelsSignature: maybe(anyEphemeralSignature),
    }),
    fc.record({
      kind: kind("openId"),
      tokenSignature: anyBytes,
      tokenPayload: anyText,
      uidKey: anyText,
      keyBlinder: anyBytes,
      pepper: bytesOf(31),
      commitmentAudience: maybe(anyText),
    }),
  ),
  tokenHeader: anyText,
  expirationSecs: anyU64,
  ephemeralPublicKey: fc.record({ kind: kind("ed25519", "secp256r1"), publicKey: anyBytes }),
  ephemeralSignature: anyEphemeralSignature,
});

export const anyPublicKey: fc.Arbitrary<AnyPublicKey> = fc.oneof(
  fc.record({ kind: kind("ed25519", "secp256k1", "secp256r1", "slhDsa"), publicKey: anyBytes }),
  fc.record({ kind: kind("keyless"), keyless: anyKeylessPublicKey }),
  fc.record({ kind: kind("federatedKeyless"), jwkAddress: anyAddress, keyless: anyKeylessPublicKey }),
);

export const anySignature: fc.Arbitrary<AnySignature> = fc.oneof(
  fc.record({ kind: kind("ed25519", "secp256k1", "slhDsa"), signature: anyBytes }),
  fc.record({ kind: kind("webAuthn"), assertion: anyAssertion }),
  fc.record({ kind: kind("keyless"), keyless: anyKeylessSignature }),
);

export const anyAccountAuthenticator: fc.Arbitrary<AccountAuthenticator> = fc.oneof(
  fc.record({ kind: kind("ed25519", "multiEd25519"), publicKey: anyBytes, signature: anyBytes }),
  fc.record({ kind: kind("singleKey"), publicKey: anyPublicKey, signature: anySignature }),
  fc.record({
    kind: kind("multiKey"),
    publicKeys: few(anyPublicKey),
    signaturesRequired: fc.nat(255),
    signatures: few(anySignature),
    bitmap: anyBytes,
  }),
  fc.record({ kind: kind("none") }),
  fc.record({
    kind: kind("abstract"),
    function: fc.record({ module: anyModuleId, function: anyName }),
    data: fc.oneof(
      fc.record({ kind: kind("v1"), digest: anyBytes, signature: anyBytes }),
      fc.record({ kind: kind("derivable"), digest: anyBytes, signature: anyBytes, publicKey: anyBytes }),
    ),
  }),
);

export const anyAuthenticator: fc.Arbitrary<TransactionAuthenticator> = fc.oneof(
  fc.record({ kind: kind("ed25519", "multiEd25519"), publicKey: anyBytes, signature: anyBytes }),
  fc.record({
    kind: kind("multiAgent"),
    sender: anyAccountAuthenticator,
    secondaryAddresses: few(anyAddress),
    secondarySigners: few(anyAccountAuthenticator),
  }),
  fc.record({
    kind: kind("feePayer"),
    sender: anyAccountAuthenticator,
    secondaryAddresses: few(anyAddress),
    secondarySigners: few(anyAccountAuthenticator),
    feePayerAddress: anyAddress,
    feePayer: anyAccountAuthenticator,
  }),
  fc.record({ kind: kind("singleSender"), sender: anyAccountAuthenticator }),
);

export const anyUserTransaction: fc.Arbitrary<UserTransaction> = fc.record({
  raw: anyRawTransaction,
  authenticator: anyAuthenticator,
});

export const anyBlockMetadata: fc.Arbitrary<BlockMetadata> = fc.record({
  id: anyHash,
  epoch: anyU64,
  round: anyU64,
  proposer: anyAddress,
  previousVotes: anyBytes,
  failedProposers: few(fc.nat(0xffff_ffff)),
  timestampUsec: anyU64,
});

const anyRoundSecret: fc.Arbitrary<RoundSecret> = fc.record({
  epoch: anyU64,
  round: anyU64,
  bytes: anyBytes,
});

export const anyBlockMetadataExt: fc.Arbitrary<BlockMetadataExt> = fc.oneof(
  fc.record({ kind: kind("v0"), block: anyBlockMetadata }),
  fc.record({ kind: kind("v1"), block: anyBlockMetadata, randomness: maybe(anyRoundSecret) }),
  fc.record({
    kind: kind("v2"),
    block: anyBlockMetadata,
    randomness: maybe(anyRoundSecret),
    decryptionKey: maybe(anyRoundSecret),
  }),
  fc.record({
    kind: kind("v3"),
    block: anyBlockMetadata,
    randomness: maybe(anyRoundSecret),
    decryptionKey: maybe(fc.record({ key: anyRoundSecret, decryptionRound: anyU64 })),
  }),
);

export const anyBlockEndInfo: fc.Arbitrary<BlockEndInfo> = fc.record({
  kind: kind("v0"),
  gasLimitReached: fc.boolean(),
  outputLimitReached: fc.boolean(),
  gasUnits: anyU64,
  approximateOutputBytes: anyU64,
});

function littleEndianOrder([a]: readonly [bigint, bigint], [b]: readonly [bigint, bigint]): number {
  for (let byte = 0n; byte < 8n; byte++) {
    const difference = Number(((a >> (8n * byte)) & 0xffn) - ((b >> (8n * byte)) & 0xffn));
    if (difference !== 0) return difference;
  }
  return 0;
}

export const anyFeeDistribution: fc.Arbitrary<FeeDistribution> = fc.record({
  kind: kind("v0"),
  amounts: fc
    .uniqueArray(fc.tuple(fc.oneof(anyU64, fc.bigInt({ min: 0n, max: 600n })), anyU64), {
      selector: ([index]) => index,
      maxLength: 6,
    })
    .map((amounts) => amounts.sort(littleEndianOrder)),
});

const anyAggregateSignature = fc.record({ bitmask: anyBytes, signature: maybe(anyBytes) });

export const anyValidatorTransaction: fc.Arbitrary<ValidatorTransaction> = fc.oneof(
  fc.record({ kind: kind("dkgResult"), epoch: anyU64, author: anyAddress, transcript: anyBytes }),
  fc.record({
    kind: kind("jwkUpdate"),
    issuer: anyBytes,
    version: anyU64,
    jwks: few(fc.record({ type: anyText, data: anyBytes })),
    signature: anyAggregateSignature,
  }),
  fc.record({
    kind: kind("chunkyDkgResult"),
    epoch: anyU64,
    author: anyAddress,
    transcript: anyBytes,
    signature: anyAggregateSignature,
    encryptionKey: anyBytes,
  }),
);
