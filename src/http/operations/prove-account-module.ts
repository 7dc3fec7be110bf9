// A proof of a module, or that an account has none of a name.
import { moduleProofRoute } from "../../interface/routes.ts";
import { encodeBundle } from "../../proof/bundle.ts";
import type { Asker } from "../calls/asker.ts";
import { toText } from "../calls/operands.ts";
import type { ProveOptions } from "../calls/options.ts";
import { parseField } from "../field.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { moduleNameField } from "../schemas/move-type.ts";
import { proofFields } from "../schemas/proof.ts";
import { PROVING, proofArgs, provenAnswer } from "./shared/prove.ts";

export interface ProveModuleCall {
  /** A proof of a module's bytecode, or that there is none, in BCS. */
  proveModule(address: string, name: string, options?: ProveOptions): Promise<Uint8Array>;
}

/** `GET /v1/accounts/{address}/module/{module_name}/proof` */
export const proveAccountModule = operation({
  id: "prove_account_module",
  ...moduleProofRoute,
  ...PROVING,
  summary: "Proof of a module",
  description:
    "The bytecode of one module with its proof, or the proof that there is none. Version and waypoint as in `prove_account_balance`.",
  params: { address: addressField, module_name: moduleNameField },
  query: proofFields,
  handle(args, context) {
    const { address, module_name: name } = args;
    return provenAnswer(context, { kind: "state", claim: { kind: "module", address, name } }, args);
  },
  calls: (node: Asker): ProveModuleCall => ({
    proveModule: async (address, name, options = {}) => {
      const module_name = parseField("name", moduleNameField, toText("name", name));
      const args = { address: node.args.address(address), module_name, ...proofArgs(options) };
      return node.run(proveAccountModule, args, options, encodeBundle);
    },
  }),
});
