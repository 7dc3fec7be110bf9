// The liveness check. Readiness is separate: see ready.ts.
import { USEC_PER_MS, USEC_PER_SEC } from "../../base/numbers.ts";
import { spanText } from "../../base/settings.ts";
import { healthyRoute } from "../../interface/routes.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { durationSecsField } from "../schemas/integer.ts";
import { messageAnswer } from "../schemas/message.ts";

const OK = "sextant:ok";

/** `GET /v1/-/healthy` */
export const healthy = operation({
  id: "healthy",
  ...healthyRoute,
  summary: "Health check",
  description:
    "200 if the node can read its ledger, or waits for it: while there is none yet, or the storage is out of reach, a restart would not help. With `duration_secs`, 200 only if the latest block is no older than that many seconds. A follower is not healthy if no upstream serves data that it can verify.",
  ledger: "awaited",
  unavailable: "unhealthy",
  switchable: false,
  params: {},
  query: { duration_secs: durationSecsField },
  answer: messageAnswer(OK),
  handle({ duration_secs }, { view, services }) {
    const reason = services.unhealthyReason();
    if (reason !== undefined) throw new HttpError("unhealthy", reason);
    if (duration_secs !== undefined) {
      if (view === undefined) throw new HttpError("unhealthy", "the node waits for its ledger");
      const { timestampUsec } = view.position;
      const oldestUsec = BigInt(services.clock()) * USEC_PER_MS - duration_secs * USEC_PER_SEC;
      if (timestampUsec < oldestUsec) {
        throw new HttpError(
          "unhealthy",
          `the latest block is ${spanText(services.clock() - Number(timestampUsec / USEC_PER_MS))} old, more than ${duration_secs}s`,
        );
      }
    }
    return { data: OK, version: undefined };
  },
});
