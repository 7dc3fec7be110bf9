// Where the ledger stands, what this node is, whether it is alive and ready, and its metrics.
import { USEC_PER_MS, USEC_PER_SEC } from "../../base/numbers.ts";
import { spanText } from "../../base/settings.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { healthyRoute, infoRoute, ledgerInfoRoute, readyRoute } from "../../interface/routes.ts";
import { assertNotRefuted, refutedText } from "../../ledger/trust.ts";
import type { LedgerPosition } from "../../ledger/view.ts";
import { HttpError } from "../errors.ts";
import { type AnswerForm, bcsForm, operation } from "../operation.ts";
import { durationSecsField, U64_SCHEMA } from "../schemas/integer.ts";
import { named, object } from "../schemas/named.ts";

/** Variant of a full node in the BCS form. */
const FULL_NODE = 1;

function toJson(position: LedgerPosition): string {
  return JSON.stringify({
    chain_id: position.chainId,
    epoch: String(position.epoch),
    ledger_version: String(position.version),
    oldest_ledger_version: String(position.oldestVersion),
    ledger_timestamp: String(position.timestampUsec),
    node_role: "full_node",
    oldest_block_height: String(position.oldestBlockHeight),
    block_height: String(position.blockHeight),
    git_hash: null,
    encryption_key: null,
  });
}

/** 64-bit values are digit strings, as clients of this response expect. */
function toBcs(position: LedgerPosition): Uint8Array {
  return new BcsWriter()
    .u8(position.chainId)
    .text(String(position.epoch))
    .text(String(position.version))
    .text(String(position.oldestVersion))
    .text(String(position.timestampUsec))
    .uleb(FULL_NODE)
    .text(String(position.oldestBlockHeight))
    .text(String(position.blockHeight))
    .take();
}

/** `GET /v1` */
export const getLedgerInfo = operation({
  id: "get_ledger_info",
  ...ledgerInfoRoute,
  aliases: ["/v1/"],
  summary: "Ledger info",
  description: "The chain, the latest and the oldest version and block, and the ledger's time.",
  answer: {
    json: {
      schema: named(
        "LedgerInfo",
        object(
          {
            chain_id: { type: "integer", format: "int32" },
            epoch: U64_SCHEMA,
            ledger_version: U64_SCHEMA,
            oldest_ledger_version: U64_SCHEMA,
            ledger_timestamp: U64_SCHEMA,
            node_role: { type: "string", enum: ["validator", "full_node"] },
            oldest_block_height: U64_SCHEMA,
            block_height: U64_SCHEMA,
          },
          {
            git_hash: { type: "string", nullable: true },
            encryption_key: { type: "string", nullable: true },
          },
        ),
      ),
      description: "The position of the ledger; 64-bit values are strings.",
      encode: toJson,
    },
    bcs: bcsForm("The same without the last two members, as a BCS struct with digit strings.", toBcs),
  },
  handle: (_, { view }) => {
    assertNotRefuted(view.position, view.position.version);
    return { data: view.position, version: undefined };
  },
});

/** `GET /v1/info` */
export const info = operation({
  id: "info",
  ...infoRoute,
  summary: "Node info",
  description: "Basic information about the node: software, chain, sync, storage and pruning.",
  ledger: "optional",
  switchable: false,
  answer: {
    json: {
      schema: named("NodeInfo", { type: "object", additionalProperties: true }),
      description: "A flat object of names and values.",
      example: { chain_id: "mainnet", node_type: "PublicFullnode" },
      encode: (data: Readonly<Record<string, unknown>>) => JSON.stringify(data, widened),
    },
  },
  handle: async (_, { view, services }) => ({ data: await services.nodeInfo(view), version: undefined }),
});

/** Values of 64 bits as texts, at any depth. */
function widened(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** Both forms of a message response, with the message as the example. */
function messageAnswer(example: string): {
  readonly json: AnswerForm<string>;
  readonly bcs: AnswerForm<string>;
} {
  return {
    json: {
      schema: named("Message", object({ message: { type: "string" } })),
      description: "An object with a message.",
      example: { message: example },
      encode: (message) => JSON.stringify({ message }),
    },
    bcs: bcsForm("The message as a BCS string.", (message) => new BcsWriter().text(message).take()),
  };
}

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

const READY = "sextant:ready";

/** `GET /v1/-/ready` */
export const ready = operation({
  id: "ready",
  ...readyRoute,
  summary: "Readiness check",
  description:
    "200 if the node can take requests: it has a ledger, no fault stops it from writing, nothing refutes its history, the latest block is no older than the node's own limit (`--max-lag`), and a follower is at the head of its upstreams or within `--ready-lag`. Use `healthy` to decide whether to restart a process.",
  unavailable: "unhealthy",
  switchable: false,
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

/** `GET /metrics` */
export const metrics = operation({
  id: "metrics",
  method: "GET",
  path: "/metrics",
  summary: "Metrics",
  description: "Figures of the process, its requests, its ledger and its caches, in Prometheus form.",
  ledger: "none",
  switchable: false,
  answer: {
    text: {
      schema: { type: "string" },
      description: "Prometheus text, version 0.0.4.",
      encode: (page: string) => page,
    },
  },
  handle: async (_, { services }) => ({ data: await services.metricsPage(), version: undefined }),
});
