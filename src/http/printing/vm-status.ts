// How an execution ended, in the words of the reference.
import { abortText, type ExecutionStatus, locationName } from "../../ledger/formats/transaction-info.ts";
import type { ModulesAt } from "./modules-at.ts";
import { STATUS_NAMES } from "./status-names.ts";

/** The text of `vm_status`. The reference also names the instruction that failed, which needs its own names for them. */
export async function vmStatus(status: ExecutionStatus, modules: ModulesAt): Promise<string> {
  switch (status.kind) {
    case "success":
      return "Executed successfully";
    case "outOfGas":
      return "Out of gas";
    case "moveAbort":
      return abortText(status.location, status.code, status.info);
    case "executionFailure": {
      const { location, codeOffset } = status;
      let where = locationName(location);
      if (location.kind === "module") {
        const abi = await modules.abiOf(location.module);
        const name = abi?.functions[status.function]?.name ?? `<#${status.function} function>`;
        where += `::${name}`;
      }
      return `Execution failed in ${where} at code offset ${codeOffset}`;
    }
    case "miscellaneous": {
      const { statusCode } = status;
      if (statusCode === undefined) return "Execution failed with miscellaneous error and no status code";
      return STATUS_NAMES.get(Number(statusCode)) ?? `UNKNOWN_STATUS_${statusCode}`;
    }
  }
}
