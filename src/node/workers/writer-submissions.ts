// Submissions that reach a worker go to the process that writes, over the channel between them: it has the mempool.
import { LATE } from "../../base/wait.ts";
import { AnsweredError, answerOf, type ErrorAnswer } from "../../http/error-answer.ts";
import { HttpError } from "../../http/errors.ts";
import type { PendingTransaction, SubmissionBody, SubmissionHandler } from "../../http/services.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { RemoteCalls } from "./remote-calls.ts";

/** What a client sent to a worker. */
interface Submission {
  readonly body: SubmissionBody;
  readonly client: string;
}

/** What a worker calls in the writer. */
export type SubmissionFunctions = {
  readonly submit: (submission: Submission) => Promise<PendingTransaction>;
  /** Why each transaction of a batch is refused. */
  readonly submitBatch: (submission: Submission) => Promise<readonly (ErrorAnswer | undefined)[]>;
  /** A transaction that is not pending may be committed: at the writer's head, if not before. */
  readonly pendingTransaction: (
    hash: Uint8Array,
  ) => Promise<{ readonly pending: PendingTransaction | undefined; readonly head: bigint }>;
};

/** The operations bound how many wait. */
const TIMEOUT_MS = 10_000;

/** Works on submissions where the mempool is. */
export function submissionFunctions(
  handler: SubmissionHandler | undefined,
  withView: <T>(use: (view: LedgerView) => Promise<T>) => Promise<T>,
): SubmissionFunctions {
  const required = (): SubmissionHandler => {
    if (handler !== undefined) return handler;
    throw new HttpError("unavailable", "the writing process makes no blocks");
  };
  return {
    submit: ({ body, client }) => withView((view) => required().submit(body, view, client)),
    submitBatch: async ({ body, client }) => {
      const errors = await withView((view) => required().submitBatch(body, view, client));
      return errors.map((error) => (error === undefined ? undefined : answerOf(error)));
    },
    pendingTransaction: async (hash) => {
      const pending = await required().pendingTransaction(hash);
      return { pending, head: await withView(async ({ position }) => position.version) };
    },
  };
}

/** The worker's side: has the writer do the work. */
export class ForwardedSubmissions implements SubmissionHandler {
  readonly #writer: Pick<RemoteCalls<SubmissionFunctions>, "callWithin">;
  readonly #reach: (version: bigint) => Promise<unknown>;

  /** `reach` resolves once this process sees a version. */
  constructor(
    writer: Pick<RemoteCalls<SubmissionFunctions>, "callWithin">,
    reach: (version: bigint) => Promise<unknown>,
  ) {
    this.#writer = writer;
    this.#reach = reach;
  }

  async submit(body: SubmissionBody, _: LedgerView, client: string): Promise<PendingTransaction> {
    return inTime(await this.#writer.callWithin(TIMEOUT_MS, "submit", { body: copied(body), client }));
  }

  async submitBatch(body: SubmissionBody, _: LedgerView, client: string): Promise<readonly unknown[]> {
    const batch = { body: copied(body), client };
    const faults = inTime(await this.#writer.callWithin(TIMEOUT_MS, "submitBatch", batch));
    return faults.map((fault) => fault && new AnsweredError(fault));
  }

  /** Resolves once this process sees the ledger that the answer is about. */
  async pendingTransaction(hash: Uint8Array): Promise<PendingTransaction | undefined> {
    const asked = Uint8Array.from(hash);
    const reply = await this.#writer.callWithin(TIMEOUT_MS, "pendingTransaction", asked);
    const { pending, head } = inTime(reply);
    if (pending === undefined) await this.#reach(head);
    return pending;
  }
}

function inTime<T>(reply: T | typeof LATE): T {
  if (reply !== LATE) return reply;
  throw new HttpError("unavailable", "the writing process did not answer in time");
}

/** A view of a larger buffer would be sent with all of it. */
function copied({ bytes, isJson }: SubmissionBody): SubmissionBody {
  return { bytes: Uint8Array.from(bytes), isJson };
}
