// From a request to the raw transaction: the payload is resolved against the modules on chain and put into
// the form that the nonce decides.
import { unreachable } from "../../base/errors.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonDocument } from "../../json/document.ts";
import type { ModuleLoader } from "../../move/abi.ts";
import type { Address } from "../../move/address.ts";
import { TransactionError } from "../errors.ts";
import type { Executable } from "../executable.ts";
import type { MultisigPayload, TransactionPayload } from "../payload.ts";
import { NONCE_SEQUENCE_NUMBER, type RawTransaction } from "../raw.ts";
import { createEntryFunction } from "./entry-function-request.ts";
import type { CallSigners } from "./parameters.ts";
import type { TransactionRequest } from "./request.ts";
import type { EntryFunctionRequest, ScriptRequest } from "./request-payload.ts";
import { createScript } from "./script-request.ts";

/** What the ledger contributes to a transaction. */
export interface EncodeContext {
  readonly chainId: number;
  /** Loads modules as of the latest version. */
  readonly loadModule: ModuleLoader;
}

/** Builds the raw transaction that a request asks for. Throws TransactionError `invalid`. */
export function createRawTransaction(
  request: TransactionRequest,
  context: EncodeContext,
): MaybePromise<RawTransaction> {
  const sequenceNumber =
    request.replayProtectionNonce === undefined ? request.sequenceNumber : NONCE_SEQUENCE_NUMBER;
  if (sequenceNumber === undefined) throw new Error("a request has a sequence number or a nonce");
  return andThen(createPayload(request, context.loadModule), (payload) => ({
    sender: request.sender,
    sequenceNumber,
    payload,
    maxGasAmount: request.maxGasAmount,
    gasUnitPrice: request.gasUnitPrice,
    expirationTimestampSecs: request.expirationTimestampSecs,
    chainId: context.chainId,
  }));
}

function createPayload(
  request: TransactionRequest,
  loadModule: ModuleLoader,
): MaybePromise<TransactionPayload> {
  const { document, payload, replayProtectionNonce: nonce, secondarySigners, feePayer } = request;
  // The fee-payer message always has the list, so one that is left out is empty.
  const isListed = secondarySigners !== undefined || feePayer !== undefined;
  const count = isListed ? 1 + (secondarySigners?.length ?? 0) : undefined;
  switch (payload.kind) {
    case "moduleBundle":
      throw new TransactionError(
        "invalid",
        "payload.type: module_bundle_payload was removed from the chain; publish modules with 0x1::code::publish_package_txn",
      );
    case "multisig": {
      const { multisigAddress } = payload;
      const call =
        payload.payload === undefined
          ? undefined
          : createCall(document, payload.payload, { isMultisig: true, count }, loadModule);
      return andThen(
        call,
        (transactionPayload): TransactionPayload =>
          nonce === undefined
            ? { kind: "multisig", multisigAddress, transactionPayload }
            : orderless(transactionPayload ?? { kind: "empty" }, multisigAddress, nonce),
      );
    }
    case "entryFunction":
    case "script": {
      const call = createCall(document, payload, { isMultisig: false, count }, loadModule);
      return nonce === undefined
        ? call
        : andThen(call, (executable) => orderless(executable, undefined, nonce));
    }
    default:
      return unreachable(payload);
  }
}

/** The call in the form that both a payload and a multisig payload take. */
function createCall(
  document: JsonDocument,
  request: EntryFunctionRequest | ScriptRequest,
  signers: CallSigners,
  loadModule: ModuleLoader,
): MaybePromise<MultisigPayload> {
  if (request.kind === "script") {
    return andThen(createScript(document, request, signers, loadModule), (script) => ({
      kind: "script",
      script,
    }));
  }
  return andThen(createEntryFunction(document, request, signers, loadModule), (entryFunction) => ({
    kind: "entryFunction",
    entryFunction,
  }));
}

function orderless(
  executable: Executable,
  multisigAddress: Address | undefined,
  replayProtectionNonce: bigint,
): TransactionPayload {
  return {
    kind: "payload",
    payload: {
      kind: "v1",
      executable,
      extraConfig: { kind: "v1", multisigAddress, replayProtectionNonce },
    },
  };
}
