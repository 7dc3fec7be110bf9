// A JSON transaction request as the bytes to sign.

import { BcsWriter } from "../../bcs/writer.ts";
import { encodeRoute } from "../../interface/routes.ts";
import { type Asker, toBody } from "../calls/asker.ts";
import { knownOptions, MIN_VERSION_NAMES, type MinVersionOptions } from "../calls/options.ts";
import { operation } from "../operation.ts";
import { hexText } from "../printing/answer-text.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { submissionBody } from "../schemas/submission.ts";
import type { EncodedMessage } from "../services.ts";

/** Room for the length prefix. */
const PREFIX_BYTES = 5;

export interface EncodeCall {
  /** The bytes to sign for a transaction request: an object, JSON text, or its bytes. */
  encodeSubmission(request: object | string | Uint8Array, options?: MinVersionOptions): Promise<Uint8Array>;
}

/** `POST /v1/transactions/encode_submission` */
export const encodeSubmission = operation({
  id: "encode_submission",
  ...encodeRoute,
  summary: "Encode a transaction for signing",
  description:
    "Checks a transaction request against the functions on chain and returns the bytes to sign: the 32-byte domain prefix, then the BCS of the transaction. Sign exactly these bytes.",
  ledger: "required",
  switchable: true,
  switch: "encode",
  params: {},
  query: {},
  body: submissionBody,
  answer: {
    json: {
      schema: HEX_BYTES_SCHEMA,
      description: "The signing message in hex.",
      encode: (message: EncodedMessage, slices) =>
        "text" in message ? message.text : hexText(message, slices),
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "The signing message as a BCS `vector<u8>`: its length in ULEB128, then the bytes.",
      encode: (message: EncodedMessage) => {
        if ("text" in message) throw new Error("a message that is sent as BCS was printed");
        return new BcsWriter(message.length + PREFIX_BYTES).byteString(message).take();
      },
    },
  },
  errors: ["invalid_transaction"],
  async handle({ body }, { view, services, form }) {
    return { data: await services.encoder(body, view, form === "json"), version: view.position.version };
  },
  calls: (node: Asker): EncodeCall => ({
    encodeSubmission: async (request, options = {}) => {
      const known = knownOptions(MIN_VERSION_NAMES, options);
      return node.run(encodeSubmission, { body: toBody(request) }, known, (message) =>
        Uint8Array.from("text" in message ? message.text : message),
      );
    },
  }),
});
