// A proof of a resource, or that an account has none of a type.
import { decodeWith } from "../../bcs/codec.ts";
import { resourceProofRoute } from "../../interface/routes.ts";
import { formatStructTag, structTagCodec } from "../../move/type-tag.ts";
import { encodeBundle } from "../../proof/bundle.ts";
import type { Asker } from "../calls/asker.ts";
import { toText } from "../calls/operands.ts";
import type { ProveOptions } from "../calls/options.ts";
import { parseField } from "../field.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { resourceTypeField } from "../schemas/move-type.ts";
import { proofFields } from "../schemas/proof.ts";
import { PROVING, proofArgs, provenAnswer } from "./shared/prove.ts";

export interface ProveResourceCall {
  /** A proof of a resource, or that there is none, in BCS. */
  proveResource(address: string, type: string, options?: ProveOptions): Promise<Uint8Array>;
}

/** `GET /v1/accounts/{address}/resource/{resource_type}/proof` */
export const proveAccountResource = operation({
  id: "prove_account_resource",
  ...resourceProofRoute,
  ...PROVING,
  summary: "Proof of a resource",
  description:
    "One resource of an account with its proof, or the proof that there is none: by itself, or in the resource group that its type belongs to by the node's word. Version and waypoint as in `prove_account_balance`.",
  params: { address: addressField, resource_type: resourceTypeField },
  query: proofFields,
  async handle(args, context) {
    const { view, services } = context;
    const { address, resource_type: type } = args;
    const tag = await services.types.groupOf(view, type, view.position.version);
    const group = tag && formatStructTag(decodeWith(structTagCodec, tag));
    const claim = { kind: "resource", address, type: type.text, group } as const;
    return provenAnswer(context, { kind: "state", claim }, args);
  },
  calls: (node: Asker): ProveResourceCall => ({
    proveResource: async (address, type, options = {}) => {
      const resource_type = parseField("type", resourceTypeField, toText("type", type));
      const args = { address: node.args.address(address), resource_type, ...proofArgs(options) };
      return node.run(proveAccountResource, args, options, encodeBundle);
    },
  }),
});
