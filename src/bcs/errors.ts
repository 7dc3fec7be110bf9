// The error of the BCS readers and writers.
import { CodedError } from "../base/errors.ts";

/** One step of the path to a field: a name, or an index into a list. */
export type PathStep = string | number;

/** Prints path steps as `payload.args[2]`. */
export function formatPath(steps: readonly PathStep[]): string {
  let out = "";
  for (const step of steps) {
    if (typeof step === "number") out += `[${step}]`;
    else out += out === "" ? step : `.${step}`;
  }
  return out;
}

/** Bytes that are not the canonical form of a type, or a value without one. Names the path and the offset. */
export class BcsError extends CodedError<"bcs"> {
  constructor(reason: string, path: readonly PathStep[], offset: number) {
    const where = formatPath(path);
    super("bcs", `${where === "" ? "" : `${where}: `}${reason} (at byte ${offset})`, {
      details: { reason, path: where, offset },
    });
  }
}
