// The metrics page, in Prometheus form.
import { operation } from "../operation.ts";

/** `GET /metrics` */
export const metrics = operation({
  id: "metrics",
  method: "GET",
  path: "/metrics",
  summary: "Metrics",
  description: "Figures of the process, its requests, its ledger and its caches, in Prometheus form.",
  ledger: "none",
  switchable: false,
  params: {},
  query: {},
  answer: {
    text: {
      schema: { type: "string" },
      description: "Prometheus text, version 0.0.4.",
      encode: (page: string) => page,
    },
  },
  handle: async (_, { services }) => ({ data: await services.metricsPage(), version: undefined }),
});
