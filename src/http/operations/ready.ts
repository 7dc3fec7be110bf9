// The readiness check for load balancers.
import { readyRoute } from "../../interface/routes.ts";
import { refutedText } from "../../ledger/trust.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { messageAnswer } from "../schemas/message.ts";

const READY = "sextant:ready";

/** `GET /v1/-/ready` */
export const ready = operation({
  id: "ready",
  ...readyRoute,
  summary: "Readiness check",
  description:
    "200 if the node can take requests: it has a ledger, no fault stops it from writing, nothing refutes its history, the latest block is no older than the node's own limit (`--max-lag`), and a follower is at the head of its upstreams or within `--ready-lag`. Use `healthy` to decide whether to restart a process.",
  ledger: "required",
  unavailable: "unhealthy",
  switchable: false,
  params: {},
  query: {},
  answer: messageAnswer(READY),
  handle(_, { view, services }) {
    const { refuted } = view.position;
    const reason =
      services.unhealthyReason() ??
      services.unreadyReason() ??
      (refuted === undefined ? undefined : refutedText(refuted));
    if (reason !== undefined) throw new HttpError("unhealthy", reason);
    return { data: READY, version: undefined };
  },
});
