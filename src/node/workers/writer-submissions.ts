// Submissions that reach a worker go to the process that writes, over the channel between them: it has the mempool.
import { LATE, Slices } from "../../base/wait.ts";
import { AnsweredError, answerOf, type ErrorAnswer } from "../../http/error-answer.ts";
import { HttpError } from "../../http/errors.ts";
import type {
  ChainSubmissions,
  PendingTransaction,
  Simulator,
  SubmissionBody,
  SubmissionHandler,
} from "../../http/services.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { SimulationEstimates } from "../../transaction/user-transaction.ts";

/** A submission on its way to the writer. */
export type SubmissionCall =
  | { readonly kind: "submit" | "submitBatch"; readonly body: SubmissionBody; readonly client: string }
  | { readonly kind: "simulate"; readonly body: SubmissionBody; readonly estimates: SimulationEstimates }
  | { readonly kind: "pendingTransaction"; readonly hash: Uint8Array };

/** A transaction that is not pending may be committed: at the writer's head, if not before. */
interface PendingReply {
  readonly pending: PendingTransaction | undefined;
  readonly head: bigint;
}

/** What the writer made of it. Errors of a batch are part of its value. */
export type SubmissionReply =
  | PendingTransaction
  | readonly (ErrorAnswer | undefined)[]
  | Uint8Array
  | PendingReply;

/** Calls of one worker that wait for the writer at most. */
const MAX_WAITING = 256;
const TIMEOUT_MS = 10_000;

/** Makes a call in the writer; LATE if it takes longer than `ms`. */
type CallInWriter = (ms: number, call: SubmissionCall) => Promise<SubmissionReply | typeof LATE>;

/** Makes a call where the mempool is. */
export async function answerSubmission(
  handler: ChainSubmissions | undefined,
  withView: <T>(use: (view: LedgerView) => Promise<T>) => Promise<T>,
  call: SubmissionCall,
): Promise<SubmissionReply> {
  if (handler === undefined) throw new HttpError("unavailable", "the writing process makes no blocks");
  if (call.kind === "pendingTransaction") {
    const pending = await handler.pendingTransaction(call.hash);
    return { pending, head: await withView(async ({ position }) => position.version) };
  }
  return withView<SubmissionReply>(async (view) => {
    if (call.kind === "submit") return handler.submit(call.body, view, call.client);
    if (call.kind === "simulate") return handler.simulate(call.body, view, call.estimates, new Slices());
    const errors = await handler.submitBatch(call.body, view, call.client);
    return errors.map((error) => (error === undefined ? undefined : answerOf(error)));
  });
}

/** The worker's side: makes the calls in the writer. */
export class ForwardedSubmissions implements ChainSubmissions {
  readonly #call: CallInWriter;
  readonly #reach: (version: bigint) => Promise<unknown>;
  #waiting = 0;

  constructor(call: CallInWriter, reach: (version: bigint) => Promise<unknown>) {
    this.#call = call;
    this.#reach = reach;
  }

  async #ask<T extends SubmissionReply>(call: SubmissionCall): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new HttpError("overloaded", `${MAX_WAITING} submissions wait for the writing process already`, {
        headers: ["Retry-After", "1"],
      });
    }
    this.#waiting++;
    const reply = await this.#call(TIMEOUT_MS, call).finally(() => this.#waiting--);
    if (reply === LATE) throw new HttpError("unavailable", "the writing process did not answer in time");
    return reply as T;
  }

  submit(body: SubmissionBody, _: LedgerView, client: string): ReturnType<SubmissionHandler["submit"]> {
    return this.#ask({ kind: "submit", body: copied(body), client });
  }

  async submitBatch(body: SubmissionBody, _: LedgerView, client: string): Promise<readonly unknown[]> {
    const faults = await this.#ask<readonly (ErrorAnswer | undefined)[]>({
      kind: "submitBatch",
      body: copied(body),
      client,
    });
    return faults.map((fault) => fault && new AnsweredError(fault));
  }

  readonly simulate: Simulator = (body, _, estimates) =>
    this.#ask({ kind: "simulate", body: copied(body), estimates });

  /** Resolves once this process sees the ledger that the answer is about. */
  async pendingTransaction(hash: Uint8Array): Promise<PendingTransaction | undefined> {
    const call = { kind: "pendingTransaction", hash: Uint8Array.from(hash) } as const;
    const { pending, head } = await this.#ask<PendingReply>(call);
    if (pending === undefined) await this.#reach(head);
    return pending;
  }
}

/** A view of a larger buffer would be sent with all of it. */
function copied({ bytes, isJson }: SubmissionBody): SubmissionBody {
  return { bytes: Uint8Array.from(bytes), isJson };
}
