// One state item by its state key, as one node asks another.
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { rawStateValueRoute } from "../../interface/routes.ts";
import { stateKeyCodec } from "../../ledger/formats/state-key.ts";
import { keyHashOfBcs } from "../../ledger/key-hash.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { rawStateValueBody } from "../schemas/raw-table-item.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

function assertStateKey(bytes: Uint8Array): void {
  try {
    decodeWith(stateKeyCodec, bytes);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new HttpError("malformed_request", `key: expected BCS of a state key: ${error.message}`, {
      cause: error,
    });
  }
}

/** `POST /v1/experimental/state_values/raw` */
export const getRawStateValue = operation({
  id: "get_raw_state_value",
  ...rawStateValueRoute,
  summary: "Raw state value",
  description:
    "The stored value of one state key with its metadata, at the latest or a chosen version, as another node needs it. In BCS only.",
  ledger: "required",
  switchable: true,
  params: {},
  query: { ...readAtFields },
  body: rawStateValueBody,
  answer: {
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "BCS of the state value.",
      // Copy: the view's bytes are invalid after release, and the socket may write later.
      encode: (value: Uint8Array) => Buffer.from(value),
    },
  },
  errors: ["state_value_not_found"],
  async handle({ body, ...at }, { view }) {
    assertStateKey(body);
    const { version, timestampUsec } = await readPointOf(view, at);
    const [item] = await view.getItems([keyHashOfBcs(body, view.keyTrace)], version);
    if (item?.value === undefined) {
      throw new HttpError("state_value_not_found", `no value under this key at ledger version ${version}`);
    }
    return { data: item.value, version, timestampUsec };
  },
});
