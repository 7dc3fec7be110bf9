// What this node is and how it is doing.
import { infoRoute } from "../../interface/routes.ts";
import { operation } from "../operation.ts";
import { named } from "../schemas/named.ts";

/** `GET /v1/info` */
export const info = operation({
  id: "info",
  ...infoRoute,
  summary: "Node info",
  description: "Basic information about the node: software, chain, sync, storage and pruning.",
  ledger: "optional",
  switchable: false,
  params: {},
  query: {},
  answer: {
    json: {
      schema: named("NodeInfo", { type: "object", additionalProperties: true }),
      description: "A flat object of names and values.",
      example: { chain_id: "mainnet", node_type: "PublicFullnode" },
      encode: (data: Readonly<Record<string, unknown>>) => JSON.stringify(withTexts(data)),
    },
  },
  handle: async (_, { view, services }) => ({ data: await services.nodeInfo(view), version: undefined }),
});

/** Values of 64 bits as texts. */
function withTexts(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(data)) {
    if (typeof value === "bigint") texts[name] = value.toString();
  }
  return { ...data, ...texts };
}
