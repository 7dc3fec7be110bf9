// The readiness check of load balancers: whether this node should get requests just now.
import { BcsWriter } from "../../bcs/writer.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";

const READY = "sextant:ready";

/** `GET /v1/-/ready` */
export const ready = operation({
  id: "ready",
  method: "GET",
  path: "/v1/-/ready",
  summary: "Readiness check",
  description:
    "200 when the node should get requests: it has a ledger, no fault keeps it from moving, and its ledger is no older than the node's own limit (`--max-lag`). Use `healthy` to decide whether to start a process anew.",
  ledger: "required",
  unavailable: "unhealthy",
  switchable: false,
  params: {},
  query: {},
  answer: {
    json: {
      schema: { type: "object", required: ["message"], properties: { message: { type: "string" } } },
      description: "An object with a message.",
      example: { message: READY },
      encode: (message: string) => JSON.stringify({ message }),
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "The message as a BCS string.",
      encode: (message) => new BcsWriter().text(message).take(),
    },
  },
  errors: ["malformed_request", "internal", "unhealthy", "overloaded"],
  handle(_, { services }) {
    const reason = services.ailment() ?? services.unready();
    if (reason !== undefined) throw new HttpError("unhealthy", reason);
    return { data: READY, version: undefined };
  },
});
