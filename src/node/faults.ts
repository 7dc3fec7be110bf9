// What keeps a node from moving. A fault that may pass, such as a full disk, leaves the node serving and
// trying again; any other one is a doubt about correctness and stops it for good.
import { type CodedError, errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { isPassingFault, StoreError } from "../store/errors.ts";

/** The faults of one node. */
export class Faults {
  /** Settles at the first fault that does not pass; never rejects. */
  readonly stopped: Promise<Error>;
  readonly #logger: Logger;
  readonly #divert: (error: unknown) => boolean;
  #resolve: (error: Error) => void = () => {};
  #final: Error | undefined;
  /** Faults that may pass, by the part of the node that met them. */
  readonly #passing = new Map<string, CodedError>();

  /** `divert` takes what is no fault of this node, such as another one's turn to write; then it says true. */
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

  /** Why the node does not move just now, in words without paths; undefined when nothing is wrong. */
  get reason(): string | undefined {
    if (this.#final !== undefined) return describe(this.#final);
    const [passing] = this.#passing.values();
    return passing === undefined ? undefined : describe(passing);
  }

  /** Takes a failure of a part: true when it may pass and the part should try again. */
  report(part: string, error: unknown): boolean {
    if (this.#final !== undefined || this.#divert(error)) return false;
    if (isPassingFault(error)) {
      if (this.#passing.get(part)?.code !== error.code) {
        this.#logger.error({ part, err: errorText(error) }, "writing failed, will be tried again");
      }
      this.#passing.set(part, error);
      return true;
    }
    this.#final = error instanceof Error ? error : new Error(String(error));
    this.#logger.error({ part, err: errorText(error) }, "the node stopped moving");
    this.#resolve(this.#final);
    return false;
  }

  /** Says that a part is no more, and with it what was wrong with it. */
  forget(part: string): void {
    this.#passing.delete(part);
  }

  /** Says that a part works. */
  clear(part: string): void {
    if (this.#passing.size === 0 || !this.#passing.delete(part)) return;
    this.#logger.info({ part }, "writing works again");
  }
}

/** Messages of the store name its place, which is nobody's business but the operator's. */
function describe(error: Error): string {
  if (isPassingFault(error)) return `the store cannot be written just now (${error.code})`;
  return error instanceof StoreError ? `the store is at fault (${error.code})` : error.message;
}
