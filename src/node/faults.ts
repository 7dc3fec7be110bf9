// Faults that keep the ledger from moving. After a transient fault, such as a full disk, the node keeps serving and
// retries; any other fault puts correctness in doubt and stops the ledger for good.
import { type CodedError, errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { LedgerError } from "../ledger/errors.ts";
import { isPassingFault, StoreError } from "../store/errors.ts";

export class Faults {
  /** Resolves at the first permanent fault; never rejects. */
  readonly stopped: Promise<Error>;
  readonly #logger: Logger;
  readonly #divert: (error: unknown) => boolean;
  #resolve: (error: Error) => void = () => {};
  #final: Error | undefined;
  /** Transient faults by the part of the node that reported them. */
  readonly #transient = new Map<string, CodedError>();

  /** `divert` returns true if it handled the error, such as another process that became the writer. */
  constructor(logger: Logger, divert: (error: unknown) => boolean = () => false) {
    this.#logger = logger;
    this.#divert = divert;
    this.stopped = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The fault that stopped the node. */
  get final(): Error | undefined {
    return this.#final;
  }

  /** Why the ledger does not move, without paths of the machine; undefined when nothing is wrong. */
  get reason(): string | undefined {
    if (this.#final !== undefined) return describe(this.#final);
    const [transient] = this.#transient.values();
    return transient === undefined ? undefined : describe(transient);
  }

  /** Records a failure of a part. Returns true if it is transient and the part should retry. */
  report(part: string, error: unknown): boolean {
    if (this.#final !== undefined || this.#divert(error)) return false;
    if (isPassingFault(error)) {
      // The store is well, and the node tells of the refutation itself.
      if (error.code === "refuted") return true;
      if (this.#transient.get(part)?.code !== error.code) {
        this.#logger.error({ part, err: errorText(error) }, "the ledger does not move, will be tried again");
      }
      this.#transient.set(part, error);
      return true;
    }
    this.#final = error instanceof Error ? error : new Error(String(error));
    this.#logger.error({ part, err: errorText(error) }, "the node stopped moving");
    this.#resolve(this.#final);
    return false;
  }

  /** Drops the fault of a part that stopped, without a log line. */
  forget(part: string): void {
    this.#transient.delete(part);
  }

  /** Called when a part works. */
  clear(part: string): void {
    if (this.#transient.size === 0 || !this.#transient.delete(part)) return;
    this.#logger.info({ part }, "the ledger moves again");
  }
}

/** Messages of the store contain paths, which only the operator may see. */
function describe(error: Error): string {
  if (error instanceof LedgerError) return error.message;
  if (isPassingFault(error)) return `the store cannot be written just now (${error.code})`;
  return error instanceof StoreError ? `the store is at fault (${error.code})` : error.message;
}
