// Proofs of answers, from the kept history of the store.
import { LedgerError } from "../../ledger/errors.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { ProofBundle } from "../../proof/bundle.ts";
import type { ProofOptions, ProofQuestion } from "../../proof/question.ts";
import type { Store } from "../../store/contract.ts";
import { type ProofWindow, parseProofWindow } from "../../sync/maintenance/prune-window.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { StartPlan } from "../start-plan.ts";

/** How far back a node keeps what proofs need: one that gets no signatures keeps nothing unless it is told to. */
export function proofWindowOf({ proofWindow, follow }: NodeOptions, { chain }: StartPlan): ProofWindow {
  const isSigned = chain !== undefined || (follow?.proofs ?? []).length > 0;
  return parseProofWindow(proofWindow ?? (isSigned ? "all" : "off"));
}

export class ProofQuestions {
  readonly #store: () => Store | undefined;
  /** Kept, because node looks up the file of every import again. */
  #prover: Promise<typeof import("../../sync/proofs/prover.ts")> | undefined;

  constructor(store: () => Store | undefined) {
    this.#store = store;
  }

  async prove(view: LedgerView, question: ProofQuestion, options: ProofOptions): Promise<ProofBundle> {
    const store = this.#store();
    if (store === undefined) throw new LedgerError("no_ledger", "there is no ledger yet");
    this.#prover ??= import("../../sync/proofs/prover.ts");
    const { prove } = await this.#prover;
    return prove(store, view, question, options);
  }
}
