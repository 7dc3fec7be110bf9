// Translates errors of the driver to StoreErrors, and tells which failures are transient.
import { errors, types } from "cassandra-driver";
import { errorText } from "../../base/errors.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { StoreError } from "../errors.ts";

const { responseErrorCodes } = types;

/** Error responses of an overloaded cluster or of one with too few nodes. */
const TRANSIENT: ReadonlySet<number> = new Set([
  responseErrorCodes.serverError,
  responseErrorCodes.overloaded,
  responseErrorCodes.isBootstrapping,
  responseErrorCodes.unavailableException,
  responseErrorCodes.writeTimeout,
  responseErrorCodes.writeFailure,
  responseErrorCodes.readTimeout,
]);

/** True for a failure of a connection or of nodes: the same request may work later. */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof errors.ResponseError) return TRANSIENT.has(error.code) || isNotYetDefined(error);
  return (
    error instanceof errors.NoHostAvailableError ||
    error instanceof errors.OperationTimedOutError ||
    error instanceof errors.BusyConnectionError ||
    isSocketError(error)
  );
}

/** The errors of the hosts that were tried, or the error itself. */
function causesOf(error: unknown): readonly unknown[] {
  const causes = error instanceof errors.NoHostAvailableError ? Object.values(error.innerErrors) : [];
  return causes.length === 0 ? [error] : causes;
}

/** One line: the first host's error in place of the driver's list with stacks. */
function lineOf(error: unknown): string {
  const [line = ""] = errorText(causesOf(error)[0]).split("\n");
  return line;
}

/**
 * The StoreError of a failed connection. A wrong password or an untrusted certificate is `unwritable`, because waiting
 * does not help; any other failure is `unreachable`.
 */
export function toConnectError(error: unknown, where: string): unknown {
  const causes = causesOf(error);
  const refuse = (what: string, cause: unknown) =>
    new StoreError("unwritable", `the cluster of ${where} ${what}: ${lineOf(cause)}`, {
      details: { where },
      cause,
    });
  const refusal = causes.find(isWrongUser);
  if (refusal !== undefined) return refuse("refuses the user", refusal);
  const untrusted = causes.find(isUntrusted);
  return untrusted === undefined
    ? toStoreError(error, where)
    : refuse("has an untrusted certificate", untrusted);
}

function isWrongUser(error: unknown): boolean {
  return error instanceof errors.AuthenticationError && !error.message.includes(TRANSIENT_AUTHENTICATION);
}

/** The response of a node that cannot look up the user now. */
const TRANSIENT_AUTHENTICATION = "Unable to perform authentication";

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

/** True for a certificate that does not prove the node's identity. */
function isUntrusted(error: unknown): boolean {
  return error instanceof Error && UNTRUSTED.has(Reflect.get(error, "code"));
}

/** Turns a failure of the cluster into a StoreError; returns any other error unchanged. */
export function toStoreError(error: unknown, where: string): unknown {
  if (error instanceof StoreError || error instanceof LedgerError) return error;
  if (isTransientFailure(error)) {
    return new StoreError("unreachable", `the cluster of ${where} does not respond: ${lineOf(error)}`, {
      details: { where },
      cause: error,
    });
  }
  if (isReadFailure(error)) {
    return new StoreError("unreachable", `nodes of the cluster of ${where} fail to read: ${lineOf(error)}`, {
      details: { where },
      cause: error,
    });
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

/** Turns an unreachable cluster into LedgerError `unavailable`; returns other errors as `toStoreError` does. */
export function toReadError(error: unknown, where: string): unknown {
  const failure = toStoreError(error, where);
  if (!(failure instanceof StoreError) || failure.code !== "unreachable") return failure;
  const message = isReadFailure(error)
    ? "the storage is there, and fails to read this: the logs of its nodes tell why, such as too many removed rows in one partition"
    : "the storage is out of reach";
  return new LedgerError("unavailable", message, { cause: failure });
}

/** Nodes responded that they cannot read. Asking again does not help: a read that meets too many removals always does. */
function isReadFailure(error: unknown): boolean {
  return error instanceof errors.ResponseError && error.code === responseErrorCodes.readFailure;
}

/** Not all nodes know a new table at once. */
function isNotYetDefined({ code, message }: errors.ResponseError): boolean {
  return (
    code === responseErrorCodes.invalid && /does not exist|doesn't exist|unconfigured table/i.test(message)
  );
}

/** The driver has no error class for an empty pool. */
const NO_CONNECTION = "No connection available";

function isSocketError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.message === NO_CONNECTION) return true;
  return typeof Reflect.get(error, "syscall") === "string" || Reflect.get(error, "isSocketError") === true;
}
