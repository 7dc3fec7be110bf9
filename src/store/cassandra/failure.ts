// What the driver throws, in the store's words, and which of it may be tried again.
import { errors, types } from "cassandra-driver";
import { errorText } from "../../base/errors.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { StoreError } from "../errors.ts";

const { responseErrorCodes } = types;

/** Answers of a cluster that works, but not just now or not with enough nodes. */
const PASSING: ReadonlySet<number> = new Set([
  responseErrorCodes.serverError,
  responseErrorCodes.overloaded,
  responseErrorCodes.isBootstrapping,
  responseErrorCodes.unavailableException,
  responseErrorCodes.writeTimeout,
  responseErrorCodes.writeFailure,
  responseErrorCodes.readTimeout,
  responseErrorCodes.readFailure,
]);

/** True for a failure of the line, of a node or of too many nodes: the same request may work later. */
export function isPassingFailure(error: unknown): boolean {
  if (error instanceof errors.ResponseError) return PASSING.has(error.code) || isNotYetDefined(error);
  return (
    error instanceof errors.NoHostAvailableError ||
    error instanceof errors.OperationTimedOutError ||
    error instanceof errors.BusyConnectionError ||
    isSocketError(error)
  );
}

/** The driver has no class for a connection that was not made in time. */
const SLOW_CONNECTION = "Connection timeout";

/** True when no connection could be made, and a host that did not answer in time is among those tried. */
export function isSlowHost(error: unknown): boolean {
  if (error instanceof errors.NoHostAvailableError) return Object.values(error.innerErrors).some(isSlowHost);
  if (error instanceof errors.OperationTimedOutError) return true;
  return error instanceof Error && error.message === SLOW_CONNECTION;
}

/**
 * Why no connection could be made, as a StoreError. A cluster that knows another password, or whose certificate is
 * not to be trusted, will say the same later; any other may be back.
 */
export function toConnectError(error: unknown, where: string): unknown {
  const [cause = error] =
    error instanceof errors.NoHostAvailableError ? Object.values(error.innerErrors) : [];
  const refuse = (what: string) =>
    new StoreError("unwritable", `the cluster of ${where} ${what}: ${errorText(cause)}`, {
      details: { where },
      cause,
    });
  if (cause instanceof errors.AuthenticationError && !cause.message.includes(AUTHENTICATION_PASSES)) {
    return refuse("refuses the user");
  }
  return isUntrusted(cause) ? refuse("is not to be trusted") : toStoreError(error, where);
}

/** What nodes say that cannot look the user up just now. */
const AUTHENTICATION_PASSES = "Unable to perform authentication";

const UNTRUSTED: ReadonlySet<unknown> = new Set([
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** True for a certificate that does not prove that the node is the one meant. */
function isUntrusted(error: unknown): boolean {
  return error instanceof Error && UNTRUSTED.has(Reflect.get(error, "code"));
}

/** The thrown thing as a StoreError where it is the cluster's doing; itself otherwise. */
export function toStoreError(error: unknown, where: string): unknown {
  if (error instanceof StoreError || error instanceof LedgerError) return error;
  if (isPassingFailure(error)) {
    return new StoreError(
      "unreachable",
      `the cluster of ${where} does not answer in time: ${errorText(error)}`,
      {
        details: { where },
        cause: error,
      },
    );
  }
  if (error instanceof errors.AuthenticationError) {
    return new StoreError("unwritable", `the cluster of ${where} refuses the user: ${errorText(error)}`, {
      details: { where },
      cause: error,
    });
  }
  if (error instanceof errors.ResponseError) {
    return new StoreError("unwritable", `the cluster of ${where} refuses a request: ${errorText(error)}`, {
      details: { where, code: error.code },
      cause: error,
    });
  }
  return error;
}

/** A failed read as those who read a ledger know it: out of reach just now, or itself. */
export function toReadError(error: unknown, where: string): unknown {
  const failure = toStoreError(error, where);
  if (!(failure instanceof StoreError) || failure.code !== "unreachable") return failure;
  return new LedgerError("unavailable", "the storage is out of reach", { cause: failure });
}

/** Tables that were just made are not known to all nodes at once. */
function isNotYetDefined({ code, message }: errors.ResponseError): boolean {
  return code === responseErrorCodes.invalid && /does not exist|unconfigured table/i.test(message);
}

/** The driver has no class for a pool that is empty just now. */
const NO_CONNECTION = "No connection available";

function isSocketError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.message === NO_CONNECTION) return true;
  return typeof Reflect.get(error, "syscall") === "string" || Reflect.get(error, "isSocketError") === true;
}
