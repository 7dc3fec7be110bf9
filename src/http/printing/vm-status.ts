// How an execution ended, in the words of the reference.
import type { AbortLocation, ExecutionStatus } from "../../ledger/formats/execution-status.ts";
import { formatAddress } from "../../move/address.ts";
import type { ModulesAt } from "./modules-at.ts";
import { STATUS_NAMES } from "./status-names.ts";

function nameOf(location: AbortLocation): string {
  if (location.kind === "script") return "script";
  return `${formatAddress(location.module.address)}::${location.module.name}`;
}

/** The text of an abort. */
export function abortText(
  location: AbortLocation,
  code: bigint,
  info: { readonly reasonName: string; readonly description: string } | undefined,
): string {
  const hex = `0x${code.toString(16)}`;
  if (location.kind === "script") return `Move abort: code ${hex}`;
  const where = `Move abort in ${nameOf(location)}`;
  return info === undefined
    ? `${where}: ${hex}`
    : `${where}: ${info.reasonName}(${hex}): ${info.description}`;
}

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
      let where = nameOf(location);
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
