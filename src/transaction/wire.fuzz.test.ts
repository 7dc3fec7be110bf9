import { codecProperties } from "../../test/support/codec-properties.ts";
import * as any from "../../test/support/transaction-arbitraries.ts";
import {
  accountAuthenticatorCodec,
  anyPublicKeyCodec,
  anySignatureCodec,
  authenticatorCodec,
} from "./authenticator.ts";
import { encryptedInnerCodec, encryptedPayloadCodec } from "./encrypted-payload.ts";
import {
  entryFunctionCodec,
  executableCodec,
  extraConfigCodec,
  scriptArgumentCodec,
  scriptCodec,
} from "./executable.ts";
import { payloadCodec, rawTransactionCodec } from "./raw.ts";
import {
  blockEndInfoCodec,
  blockMetadataCodec,
  blockMetadataExtCodec,
  feeDistributionCodec,
  validatorTransactionCodec,
} from "./system-transactions.ts";
import { userTransactionCodec } from "./user-transaction.ts";

codecProperties("script arguments", scriptArgumentCodec, any.anyScriptArgument);
codecProperties("scripts", scriptCodec, any.anyScript);
codecProperties("entry functions", entryFunctionCodec, any.anyEntryFunction);
codecProperties("executables", executableCodec, any.anyExecutable);
codecProperties("extra configurations", extraConfigCodec, any.anyExtraConfig);
codecProperties("encrypted inner parts", encryptedInnerCodec, any.anyEncryptedInner);
codecProperties("encrypted payloads", encryptedPayloadCodec, any.anyEncryptedPayload);
codecProperties("payloads", payloadCodec, any.anyPayload);
codecProperties("raw transactions", rawTransactionCodec, any.anyRawTransaction);
codecProperties("public keys", anyPublicKeyCodec, any.anyPublicKey);
codecProperties("signatures", anySignatureCodec, any.anySignature);
codecProperties("account authenticators", accountAuthenticatorCodec, any.anyAccountAuthenticator);
codecProperties("transaction authenticators", authenticatorCodec, any.anyAuthenticator);
codecProperties("user transactions", userTransactionCodec, any.anyUserTransaction);
codecProperties("block metadata", blockMetadataCodec, any.anyBlockMetadata);
codecProperties("block metadata, newer forms", blockMetadataExtCodec, any.anyBlockMetadataExt);
codecProperties("block end infos", blockEndInfoCodec, any.anyBlockEndInfo);
codecProperties("fee distributions", feeDistributionCodec, any.anyFeeDistribution);
codecProperties("validator transactions", validatorTransactionCodec, any.anyValidatorTransaction);
