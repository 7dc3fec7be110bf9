// A worker process: gets its setup over the channel to the writer, reads the store and answers on the shared port. It
// exits when the writer says so or when the channel closes.

import type { Logger } from "../../base/log.ts";
import { createWorkerNode, type Node } from "../../node.ts";
import { ForwardedSubmissions } from "./forwarded-submissions.ts";
import type { NodeStatus, WorkerOrder, WorkerReport } from "./worker-messages.ts";

function report(message: WorkerReport): void {
  process.send?.(message, undefined, undefined, () => {});
}

function logAt(level: keyof Logger): Logger["info"] {
  return (fields, message) => report({ kind: "log", level, fields: toPlain(fields), message });
}

/** Errors and plain values cross the channel; other objects go as JSON text. */
function toPlain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error || value === null || typeof value !== "object" ? value : JSON.stringify(value),
    ]),
  );
}

const logger: Logger = {
  debug: logAt("debug"),
  info: logAt("info"),
  warn: logAt("warn"),
  error: logAt("error"),
};

const pages = new Map<number, (page: string) => void>();
/** A store of many machines shows a commit to other processes a moment later. */
const MAX_BEHIND_MS = 1000;
const submissions = new ForwardedSubmissions(
  (id, call) => report({ kind: "submission", id, call }),
  async (minLedgerVersion) => node?.ledgerInfo({ minLedgerVersion, waitMs: MAX_BEHIND_MS }),
);
let questions = 0;
let status: NodeStatus | undefined;
let node: Node | undefined;
/** How often counters go to the writer: a crash loses at most this much. */
const COUNTS_MS = 1000;
let sendFigures: ((id: number) => Promise<void>) | undefined;

async function start(order: WorkerOrder & { kind: "setup" }): Promise<void> {
  status = order.status;
  try {
    const { takesSubmissions } = order.setup;
    const made = await createWorkerNode(order.setup, {
      submissions: takesSubmissions ? submissions : undefined,
      status: () => status ?? order.status,
      page: () =>
        new Promise((resolve) => {
          const id = questions++;
          pages.set(id, resolve);
          report({ kind: "page", id });
        }),
      logger,
    });
    node = made.node;
    sendFigures = async (id) => report({ kind: "figures", id, figures: await made.figures() });
    setInterval(() => {
      void made.counts().then((counts) => report({ kind: "counts", counts }));
    }, COUNTS_MS).unref();
    report({ kind: "listening" });
  } catch (error) {
    const failed = error instanceof Error ? error : new Error(String(error));
    process.send?.({ kind: "failed", error: failed } satisfies WorkerReport, undefined, undefined, () =>
      process.exit(1),
    );
  }
}

process.on("message", (order: WorkerOrder) => {
  switch (order.kind) {
    case "setup":
      void start(order);
      return;
    case "status":
      status = order.status;
      return;
    case "figures":
      void sendFigures?.(order.id);
      return;
    case "page":
      pages.get(order.id)?.(order.page);
      pages.delete(order.id);
      return;
    case "submission":
      submissions.settle(order.id, order.reply);
      return;
    case "close":
      void (node?.close() ?? Promise.resolve()).finally(() => process.exit(0));
  }
});
process.on("disconnect", () => process.exit(1));
// A terminal or a service manager signals every process; the writer tells the workers when to close.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
report({ kind: "ready" });
