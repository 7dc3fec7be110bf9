// A proof of a table item, or that the table has none under a key.

import { rawItemProofRoute } from "../../interface/routes.ts";
import { encodeBundle } from "../../proof/bundle.ts";
import type { Asker } from "../calls/asker.ts";
import { toBytes } from "../calls/operands.ts";
import type { ProveOptions } from "../calls/options.ts";
import { operation } from "../operation.ts";
import { tableHandleField } from "../schemas/address.ts";
import { assertBodySize } from "../schemas/body-size.ts";
import { bundleForms, PROOF_ERRORS, proofFields } from "../schemas/proof.ts";
import { rawTableItemBody } from "../schemas/raw-table-item.ts";
import { proofArgs, provenAnswer } from "./shared/prove.ts";

/** A bundle repeats the key in every form that it is checked in. Keys of real tables have less than a kilobyte. */
const MAX_BODY_BYTES = 256 * 1024;

export interface ProveRawItemCall {
  /** A proof of a table item, or that there is none. */
  proveRawItem(handle: string, key: string | Uint8Array, options?: ProveOptions): Promise<Uint8Array>;
}

/** `POST /v1/tables/{table_handle}/raw_item/proof` */
export const proveRawTableItem = operation({
  id: "prove_raw_table_item",
  ...rawItemProofRoute,
  summary: "Proof of a table item",
  description:
    "One table item with its proof, or the proof that there is none: its place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.",
  ledger: "required",
  switchable: true,
  params: { table_handle: tableHandleField },
  query: proofFields,
  body: {
    ...rawTableItemBody,
    description:
      "The BCS bytes of the key in hex, at most 256 KiB. A bare JSON string instead of the object is taken too.",
    parse(bytes) {
      assertBodySize(bytes, MAX_BODY_BYTES);
      return rawTableItemBody.parse(bytes);
    },
  },
  answer: bundleForms,
  errors: [...PROOF_ERRORS],
  handle(args, context) {
    const { table_handle: handle, body: key } = args;
    const claim = { kind: "tableItem", handle, key } as const;
    return provenAnswer(context, { kind: "state", claim }, args);
  },
  calls: (node: Asker): ProveRawItemCall => ({
    proveRawItem: async (handle, key, options = {}) => {
      const asked = proofArgs(options);
      const args = { table_handle: node.args.handle(handle), body: toBytes(key), ...asked };
      return node.run(proveRawTableItem, args, options, encodeBundle);
    },
  }),
});
