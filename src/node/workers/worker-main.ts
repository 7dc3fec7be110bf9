// A worker process: gets its setup over the channel to the writer, reads the store and answers on the shared port. It
// exits when the writer says so or when the channel closes.

import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { createWorkerNode } from "../../node.ts";
import { RemoteCalls } from "./remote-calls.ts";
import type { NodeStatus, WorkerFunctions, WriterFunctions } from "./worker-messages.ts";
import { ForwardedSubmissions } from "./writer-submissions.ts";

/** A store of many machines shows a commit to other processes a moment later. */
const MAX_BEHIND_MS = 1000;
/** How often counters go to the writer: a crash loses at most this much. */
const COUNTS_MS = 1000;

let status: NodeStatus | undefined;
let worker: Awaited<ReturnType<typeof createWorkerNode>> | undefined;

const own: WorkerFunctions = {
  status: (latest) => {
    status = latest;
  },
  figures: async () => (await worker?.figures()) ?? [],
  close: () => void (worker?.node.close() ?? Promise.resolve()).finally(() => process.exit(0)),
};
const writer = new RemoteCalls<WriterFunctions>(
  (message) => process.send?.(message, undefined, undefined, () => {}),
  own,
);
const submissions = new ForwardedSubmissions(writer, async (minLedgerVersion) =>
  worker?.node.ledgerInfo({ minLedgerVersion, waitMs: MAX_BEHIND_MS }),
);

function logAt(level: keyof Logger): Logger["info"] {
  return (fields, message) => writer.tell("log", { level, fields: toPlain(fields), message });
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

async function start(): Promise<void> {
  const { setup, status: first } = await writer.call("setup", undefined);
  status ??= first;
  const made = await createWorkerNode(setup, {
    submissions: setup.chainClock === undefined ? undefined : submissions,
    status: () => status ?? first,
    page: () => writer.call("page", undefined),
    logger,
  });
  worker = made;
  setInterval(() => void made.counts().then((counts) => writer.tell("counts", counts)), COUNTS_MS).unref();
  writer.tell("listening", undefined);
}

process.on("message", writer.take);
process.on("disconnect", () => process.exit(1));
// A terminal or a service manager signals every process; the writer tells the workers when to close.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
start().catch((error: unknown) => writer.call("failed", errorText(error)).finally(() => process.exit(1)));
