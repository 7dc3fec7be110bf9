// The liveness check. Readiness is separate: see ready.ts.
import { spanText } from "../../base/settings.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { durationSecsField } from "../schemas/integer.ts";
import { messageAnswer } from "../schemas/message.ts";

const OK = "sextant:ok";

/** `GET /v1/-/healthy` */
export const healthy = operation({
  id: "healthy",
  method: "GET",
  path: "/v1/-/healthy",
  summary: "Health check",
  description:
    "200 if the node can read its ledger and, with `duration_secs`, the latest block is no older than that many seconds. A follower is not healthy if no upstream serves data that it can verify.",
  ledger: "required",
  unavailable: "unhealthy",
  servedStale: true,
  switchable: false,
  params: {},
  query: { duration_secs: durationSecsField },
  answer: messageAnswer(OK),
  errors: ["malformed_request", "internal", "unhealthy", "overloaded"],
  handle({ duration_secs }, { view, services }) {
    const reason = services.unhealthyReason();
    if (reason !== undefined) throw new HttpError("unhealthy", reason);
    const { timestampUsec } = view.position;
    if (duration_secs !== undefined) {
      const oldestUsec = BigInt(services.clock()) * 1000n - duration_secs * 1_000_000n;
      if (timestampUsec < oldestUsec) {
        throw new HttpError(
          "unhealthy",
          `the latest block is ${spanText(services.clock() - Number(timestampUsec / 1000n))} old, more than ${duration_secs}s`,
        );
      }
    }
    return { data: OK, version: undefined };
  },
});
