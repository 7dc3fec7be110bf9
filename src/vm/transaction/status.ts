// How a transaction ends: what is discarded, what is kept, and with which status.
import { encodeWith } from "../../bcs/codec.ts";
import {
  type AbortLocation,
  type ExecutionStatus,
  executionStatusCodec,
} from "../../ledger/formats/transaction-info.ts";
import { addressFromBytes } from "../../move/address.ts";
import { STATUS, type VmError } from "../errors.ts";
import { stringOf } from "../natives/framework.ts";
import { abortInfoOf } from "../publishing/metadata.ts";
import { FRAMEWORK } from "../types.ts";
import { Struct } from "../values.ts";
import { type ExecutorOptions, FEATURE, VALIDATION } from "./session-run.ts";

/** Statuses of transactions that leave nothing behind. */
export const DISCARD = {
  invalidSignature: 1,
  tooLarge: 10,
  maxGasTooHigh: 13,
  maxGasTooLow: 14,
  priceTooLow: 15,
  priceTooHigh: 16,
  gated: 26,
  duplicateSigners: 28,
  emptyPayload: 43,
} as const;

/** How a transaction ended. */
export interface TransactionOutput {
  /** Undefined for a transaction that is discarded. */
  readonly status: ExecutionStatus | undefined;
  /** Why it is discarded. */
  readonly discardCode: number | undefined;
  readonly gasUsed: number;
  readonly writeSet: Uint8Array;
  readonly events: readonly Uint8Array[];
}

/** Discards a transaction: it leaves nothing behind. */
export class Discarded extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the transaction is discarded with status ${status}`);
    this.status = status;
  }
}

/** Statuses of the prologue's aborts, by category and reason. */
const PROLOGUE_STATUS: Readonly<Record<string, number>> = {
  "1/1001": 2,
  "1/1002": 3,
  "1/1003": 4,
  "1/1004": 7,
  "1/1005": 5,
  "1/1006": 6,
  "1/1007": 23,
  "1/1009": 27,
  "1/1010": 36,
  "1/1012": 42,
  "1/1013": 44,
  "2/1008": 24,
  "3/1011": 37,
  "3/2002": 31,
  "5/2003": 32,
  "6/2006": 33,
  "1/2009": 34,
  "1/2008": 35,
  "1/2010": 40,
};
export const UNEXPECTED_ERROR = 2015;

export function prologueStatus(error: VmError): number {
  if (error.status !== STATUS.aborted || error.subStatus === undefined)
    return error.status < 1000 ? error.status : UNEXPECTED_ERROR;
  const key = `${error.subStatus >> 16n}/${error.subStatus & 0xffffn}`;
  const module = error.location;
  if (module !== `${FRAMEWORK}::${VALIDATION}` && module !== `${FRAMEWORK}::multisig_account`)
    return UNEXPECTED_ERROR;
  return PROLOGUE_STATUS[key] ?? UNEXPECTED_ERROR;
}

export function discardedWith(status: number): TransactionOutput {
  return { status: undefined, discardCode: status, gasUsed: 0, writeSet: Uint8Array.of(0, 0), events: [] };
}

export function emptySuccess(): TransactionOutput {
  return {
    status: { kind: "success" },
    discardCode: undefined,
    gasUsed: 0,
    writeSet: Uint8Array.of(0, 0),
    events: [],
  };
}

export function encodeStatus(status: ExecutionStatus): Uint8Array {
  return encodeWith(executionStatusCodec, status);
}

export function executionError(error: VmError): Struct {
  const { status, subStatus, location, offset } = error;
  const isAbort = status === STATUS.aborted && subStatus !== undefined;
  const isFailure = status >= 4000 && status < 5000 && location !== undefined && offset !== undefined;
  if (!isAbort && !isFailure) return new Struct([stringOf(""), stringOf("VMError"), BigInt(keptCode(error))]);
  const place = location === undefined || location === "script" ? "Script" : location;
  const kind = isAbort ? "MoveAbort" : "MoveExecutionFailure";
  return new Struct([stringOf(place), stringOf(kind), isAbort ? subStatus : BigInt(status)]);
}

const KEPT_AS_MISCELLANEOUS: ReadonlySet<number> = new Set([4030, 4031, 4032, 4036, 4041]);

/** What the ledger keeps of a fault; undefined if the transaction is discarded. */
export function keptStatus(
  error: VmError,
  { config, read, programs }: ExecutorOptions,
  gasVersion: number,
): ExecutionStatus | undefined {
  const { status, subStatus, location, functionIndex, offset } = error;
  const place: AbortLocation =
    location === undefined || location === "script"
      ? { kind: "script" }
      : { kind: "module", module: moduleIdOf(location) };
  if (status === STATUS.aborted && subStatus !== undefined) {
    const info = abortInfoOf(location ?? "", subStatus, (key) => read(key)?.data, programs);
    return { kind: "moveAbort", location: place, code: subStatus, info };
  }
  if (status === STATUS.outOfGas) return { kind: "outOfGas" };
  const isMiscellaneous =
    KEPT_AS_MISCELLANEOUS.has(status) ||
    (status === STATUS.valueDepthReached && config.features.has(FEATURE.functionValues)) ||
    (status === STATUS.memoryLimitExceeded && gasVersion >= 42);
  if (status >= 4000 && status < 5000 && !isMiscellaneous) {
    if (offset === undefined)
      return { kind: "executionFailure", location: { kind: "script" }, function: 0, codeOffset: 0 };
    return { kind: "executionFailure", location: place, function: functionIndex ?? 0, codeOffset: offset };
  }
  if (status < 1000) return undefined;
  if (status >= 2000 && status < 3000 && !config.features.has(FEATURE.keepInvariantViolations))
    return undefined;
  return { kind: "miscellaneous", statusCode: BigInt(keptCode(error)) };
}

/** Linking faults inside of a running call are told as a fault of verification. */
function keptCode({ status, isInside }: VmError): number {
  return status >= 1000 && status < 2000 && isInside && status !== STATUS.dependencyLimitReached
    ? STATUS.verificationError
    : status;
}

function moduleIdOf(key: string): {
  readonly address: ReturnType<typeof addressFromBytes>;
  readonly name: string;
} {
  const [address = "", name = ""] = key.split("::");
  return { address: addressFromBytes(Buffer.from(address, "hex")), name };
}
