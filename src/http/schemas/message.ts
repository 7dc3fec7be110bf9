// Responses that are one short message: health and readiness.
import { BcsWriter } from "../../bcs/writer.ts";
import type { AnswerForm } from "../operation.ts";
import { named } from "./named.ts";

/** Both forms of a message response, with the message as the example. */
export function messageAnswer(example: string): {
  readonly json: AnswerForm<string>;
  readonly bcs: AnswerForm<string>;
} {
  return {
    json: {
      schema: named("Message", {
        type: "object",
        required: ["message"],
        properties: { message: { type: "string" } },
      }),
      description: "An object with a message.",
      example: { message: example },
      encode: (message) => JSON.stringify({ message }),
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "The message as a BCS string.",
      encode: (message) => new BcsWriter().text(message).take(),
    },
  };
}
