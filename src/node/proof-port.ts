// The port of its own on which a node answers as a backup service. GET only; few at a time; each answer has a deadline
// and a limit on how long its reader may pause.

import type { IncomingMessage, ServerResponse } from "node:http";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { LinkedAbort } from "../base/wait.ts";
import { listenBeside, type SideServer } from "../http/side/side-server.ts";
import { LedgerError } from "../ledger/errors.ts";
import type { Store } from "../store/contract.ts";
import { BackupAnswers } from "../sync/proofs/backup-answers.ts";
import { BackupRefusal } from "../sync/proofs/backup-refusal.ts";

const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 8192,
} as const;
const MAX_CONNECTIONS = 64;
/** Answers that are worked on at once. */
const MAX_IN_FLIGHT = 8;
/** For a whole answer, and for the reader to take the next piece. */
const ANSWER_MS = 10 * 60_000;
const STALL_MS = 30_000;

export interface ProofPortOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined while the node has no store yet. */
  readonly store: () => Store | undefined;
  readonly logger: Logger;
}

/** Throws the system's error if the port cannot be bound. */
export async function openProofPort({ host, port, store, logger }: ProofPortOptions): Promise<SideServer> {
  const stop = new AbortController();
  /** Keeps lists of states between questions. */
  let kept: { readonly store: Store; readonly answers: BackupAnswers } | undefined;
  let inFlight = 0;
  const answersOf = (now: Store): BackupAnswers => {
    if (kept?.store !== now) kept = { store: now, answers: new BackupAnswers(now) };
    return kept.answers;
  };
  const fail = (response: ServerResponse, error: unknown): void => {
    const status = statusOf(error);
    // A cut body is no whole answer, and the client sees that it is cut.
    if (response.headersSent) response.destroy();
    else refuse(response, status, status === 500 ? "internal error" : errorText(error));
    if (status === 500 && !response.destroyed) {
      logger.error({ err: errorText(error) }, "a question to the proof port failed");
    }
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "GET") return refuse(response, 405, "only GET is served here", { Allow: "GET" });
    if (inFlight >= MAX_IN_FLIGHT) {
      return refuse(response, 503, `${MAX_IN_FLIGHT} answers are under way`, { "Retry-After": "1" });
    }
    const now = store();
    if (now === undefined) return refuse(response, 503, "there is no ledger yet", { "Retry-After": "1" });
    inFlight++;
    const limits = new LinkedAbort(stop.signal);
    response.once("close", () => limits.abort(new Error("the client left")));
    const total = setTimeout(() => response.destroy(), ANSWER_MS);
    try {
      await send(answersOf(now).answer(request.url ?? "", limits.signal), response);
    } catch (error) {
      fail(response, error);
    } finally {
      clearTimeout(total);
      limits.unlink();
      inFlight--;
    }
  };
  const server = await listenBeside({ host, port, limits: LIMITS, maxConnections: MAX_CONNECTIONS, serve });
  return {
    url: server.url,
    close: async () => {
      stop.abort(new Error("the node closes"));
      await server.close();
    },
  };
}

/** Sends a body at the pace of its reader. */
async function send(pieces: AsyncGenerator<Uint8Array>, response: ServerResponse): Promise<void> {
  for await (const piece of pieces) {
    if (!response.headersSent) response.writeHead(200, { "Content-Type": "application/octet-stream" });
    if (response.write(piece) || response.destroyed) continue;
    await new Promise<void>((resolve, reject) => {
      const stalled = setTimeout(() => reject(new Error("the client does not read")), STALL_MS);
      const done = (): void => {
        clearTimeout(stalled);
        response.off("drain", done).off("close", done);
        resolve();
      };
      response.once("drain", done).once("close", done);
    });
    if (response.destroyed) return;
  }
  if (!response.headersSent) response.writeHead(200, { "Content-Type": "application/octet-stream" });
  response.end();
}

function statusOf(error: unknown): number {
  if (error instanceof BackupRefusal) {
    return { unknown_path: 404, bad_request: 400, not_found: 404, not_kept: 410 }[error.code];
  }
  if (!(error instanceof LedgerError)) return 500;
  if (error.code === "version_not_found") return 404;
  if (error.code === "version_pruned") return 410;
  return ["no_ledger", "unavailable", "refuted"].includes(error.code) ? 503 : 500;
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", ...headers }).end(`${message}\n`);
}
