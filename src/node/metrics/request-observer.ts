// What a server reports its responses to: the metrics, and a tracer if the environment names a collector.
import type { Logger } from "../../base/log.ts";
import type { RequestObserver } from "../../http/response/responder.ts";
import type { Metrics } from "./metrics.ts";
import { type TraceEnvironment, traceSettingsOf } from "./trace-settings.ts";

export interface Observation {
  readonly onRequest: RequestObserver;
  close(): Promise<void>;
}

/** Without traces, `onRequest` is the counter of the metrics itself, and the tracer is never loaded. */
export async function observeRequests(
  { onRequest }: Pick<Metrics, "onRequest">,
  environment: TraceEnvironment,
  logger: Logger,
): Promise<Observation> {
  const settings = traceSettingsOf(environment);
  if (settings === undefined) return { onRequest, close: async () => {} };
  const { Tracer } = await import("./tracing.ts");
  const tracer = new Tracer(settings, logger);
  return {
    onRequest: (operation, status, seconds, exchange) => {
      onRequest(operation, status, seconds);
      if (exchange !== undefined) tracer.request(operation, status, seconds, exchange);
    },
    close: () => tracer.close(),
  };
}
