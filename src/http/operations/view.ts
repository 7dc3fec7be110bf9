// Calls of view functions that need no virtual machine.
import { BcsWriter } from "../../bcs/writer.ts";
import { viewRoute } from "../../interface/routes.ts";
import { AnswerText } from "../answer-text.ts";
import { StoredValuePrinter } from "../move-json.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { MOVE_VALUE_SCHEMA } from "../schemas/move-type.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";
import { viewBody } from "../schemas/view-request.ts";
import { runViewFunction, VIEW_FUNCTIONS } from "../view-functions.ts";

/** `POST /v1/view` */
export const view = operation({
  id: "view",
  ...viewRoute,
  summary: "View function",
  description: `Calls a view function at the latest or a chosen version. This node has no virtual machine and answers only functions that read balances, supplies and names: ${VIEW_FUNCTIONS.map((name) => `\`${name}\``).join(", ")}. Any other function is 400.`,
  ledger: "required",
  switchable: true,
  params: {},
  query: { ...readAtFields },
  body: viewBody,
  answer: encodedAnswer(
    {
      schema: { type: "array", items: MOVE_VALUE_SCHEMA },
      description: "The values that the function returned.",
    },
    "A BCS vector with the BCS of each returned value, as `vector<u8>`.",
  ),
  errors: ["invalid_view", "unprintable"],
  async handle(args, { view: ledgerView, services: { types }, form, slices }) {
    const { version, timestampUsec } = await readPointOf(ledgerView, args);
    const { type, bytes } = await runViewFunction(ledgerView, types, args.body, version);
    const data =
      form === "bcs"
        ? new BcsWriter(bytes.length + 8).uleb(1).byteString(bytes).take()
        : await new AnswerText()
            .add("[")
            .append(await new StoredValuePrinter(types, ledgerView, version, slices).print(bytes, type))
            .add("]")
            .finish();
    return { data, version, timestampUsec };
  },
});
