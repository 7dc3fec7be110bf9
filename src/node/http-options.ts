// Where and how a node answers over HTTP.
import type { NumberOptions, NumberSettings } from "../base/settings.ts";
import type { HttpServerOptions } from "../http/server.ts";

export const FRONTEND_NUMBERS = {
  /** Serves /metrics on a port of its own, unless `metrics` is false. */
  metricsPort: { fallback: undefined, min: 0, max: 65_535 },
  /** Serves signed ledger infos, and state and transactions with proofs, as a node's backup service does. */
  proofPort: { fallback: undefined, min: 0, max: 65_535 },
  /**
   * Processes that answer by reading the store while this process writes it, so other processes must be able to open it.
   * With 0 this process answers.
   */
  workers: { fallback: 0, min: 0, max: 64 },
} as const satisfies NumberSettings;

/** Where and how a node answers over HTTP. */
export interface HttpOptions extends HttpServerOptions, NumberOptions<typeof FRONTEND_NUMBERS> {
  /** False switches /metrics off. */
  readonly metrics?: boolean | undefined;
}
