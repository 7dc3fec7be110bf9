// The outcome of a transaction in words, as the API tells it.
import type { AbortLocation, ExecutionStatus } from "../../ledger/execution-status.ts";
import { formatAddress } from "../../move/address.ts";
import { VALIDATION_CODES } from "../../transaction/submission-error.ts";
import { failureName } from "./gas.ts";

function locationText(location: AbortLocation): string {
  if (location.kind === "script") return "script";
  return `${formatAddress(location.module.address)}::${location.module.name}`;
}

/** The `vm_status` of an outcome that a modelled function can have. */
export function vmStatusText(status: ExecutionStatus): string {
  switch (status.kind) {
    case "success":
      return "Executed successfully";
    case "outOfGas":
      return "Out of gas";
    case "moveAbort": {
      const { location, code, info } = status;
      const place = `Move abort in ${locationText(location)}`;
      const hex = `0x${code.toString(16)}`;
      return info === undefined
        ? `${place}: ${hex}`
        : `${place}: ${info.reasonName}(${hex}): ${info.description}`;
    }
    case "executionFailure":
      return `Execution failed in ${locationText(status.location)} at code offset ${status.codeOffset}`;
    case "miscellaneous": {
      const { statusCode } = status;
      if (statusCode === undefined) return "Status unknown";
      const found = Object.entries(VALIDATION_CODES).find(([, code]) => BigInt(code) === statusCode);
      return found?.[0] ?? failureName(statusCode) ?? `Status ${statusCode}`;
    }
  }
}
