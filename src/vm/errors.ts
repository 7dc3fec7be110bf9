// Faults of a run: a status code of the chain, with the place where it happened.
import { CodedError } from "../base/errors.ts";
import { BcsError } from "../bcs/errors.ts";

/** Status codes of the chain that the machine itself raises. */
export const STATUS = {
  invalidMainSignature: 1011,
  missingDependency: 1021,
  constraintNotSatisfied: 1075,
  wrongTypeArgumentCount: 1076,
  linkerError: 1081,
  functionResolutionFailure: 1091,
  failedToDeserializeArgument: 1100,
  numberOfSignerArgumentsMismatch: 1101,
  numberOfArgumentsMismatch: 1098,
  entryFunctionNotEntry: 1103,
  invalidOperationInScript: 1094,
  incompatibleUpdate: 1096,
  cyclicModuleDependency: 1097,
  moduleAddressMismatch: 1067,
  tooManyTypeNodes: 1116,
  eventMetadataValidationError: 1123,
  unstableBytecodeRejected: 1125,
  programTooComplex: 1126,
  invalidInitModule: 1134,
  friendNotFoundInBundle: 1135,
  dependencyLimitReached: 1124,
  userDefinedNativeNotAllowed: 1127,
  unknownInvariantViolation: 2000,
  verificationError: 2006,
  eventTypeMismatch: 2009,
  typeResolutionFailure: 2021,
  valueSerializationError: 3022,
  codeDeserializationError: 3024,
  outOfGas: 4002,
  resourceAlreadyExists: 4004,
  missingData: 4008,
  aborted: 4016,
  arithmeticError: 4017,
  vectorOperationError: 4018,
  stackOverflow: 4020,
  callStackOverflow: 4021,
  typeDepthReached: 4024,
  valueDepthReached: 4025,
  delayedFieldMismatch: 4026,
  storageWriteLimitReached: 4027,
  memoryLimitExceeded: 4028,
  executionLimitReached: 4030,
  ioLimitReached: 4031,
  storageLimitReached: 4032,
  typeTagLimitExceeded: 4033,
  tooManyDelayedFields: 4036,
  runtimeDispatchError: 4037,
  structVariantMismatch: 4038,
  unableToCaptureDelayedField: 4041,
} as const;

/** The module of a fault, as `address::name` with a hex address of 64 digits; "script", or undefined where none is known. */
export type FaultLocation = string | undefined;

/** A run that ended with a fault. */
export class VmError extends CodedError<"vm"> {
  readonly status: number;
  /** The abort code, or what tells faults of one status apart. */
  readonly subStatus: bigint | undefined;
  location: FaultLocation;
  functionIndex: number | undefined;
  offset: number | undefined;
  /** True once the place is final. */
  isPlaced = false;
  /** True for a fault of code that was running, not of the call itself. */
  isInside = false;

  constructor(status: number, message: string, subStatus?: bigint) {
    super("vm", message, { details: { status, subStatus } });
    this.status = status;
    this.subStatus = subStatus;
  }

  /** Sets the place unless it is known already. */
  at(location: FaultLocation, functionIndex: number | undefined, offset: number | undefined): this {
    if (this.isPlaced) return this;
    this.isPlaced = true;
    this.location = location;
    this.functionIndex = functionIndex;
    this.offset = offset;
    return this;
  }
}

/** An abort of a native function, or of the code itself. */
export function aborted(code: bigint | number, message = "aborted"): VmError {
  return new VmError(STATUS.aborted, message, BigInt(code));
}

/** A fault that verified code cannot cause. */
export function invariant(message: string): VmError {
  return new VmError(STATUS.unknownInvariantViolation, message);
}

/** An error as a run tells it: values of other types than the code says make JavaScript and writers throw errors of their own. */
export function asFault(error: unknown): unknown {
  const kinds = [RangeError, TypeError, SyntaxError, BcsError];
  return kinds.some((kind) => error instanceof kind)
    ? invariant(`the code is not well formed: ${(error as Error).message}`)
    : error;
}

/** Thrown where the run needs an item that must be fetched first: the run stops, the item is fetched, and it runs again. */
export class NeedsItem extends Error {
  readonly fetch: Promise<unknown>;

  constructor(fetch: Promise<unknown>) {
    super("an item must be fetched first");
    this.fetch = fetch;
  }
}
