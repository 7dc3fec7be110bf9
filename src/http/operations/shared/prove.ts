// Answers questions with proofs.
import type { Waypoint } from "../../../ledger/waypoint.ts";
import type { MadeBundle } from "../../../proof/made-bundle.ts";
import type { ProofQuestion } from "../../../proof/question.ts";
import { fieldOf, readAtArgs } from "../../calls/operands.ts";
import { knownOptions, PROVE_NAMES, type ProveOptions } from "../../calls/options.ts";
import type { Answer, Context } from "../../operation.ts";
import { noSignatures, proofFields } from "../../schemas/proof.ts";
import { type ReadAtArgs, readPointOf } from "../../schemas/read-at.ts";

interface ProofArgs extends ReadAtArgs {
  readonly from_waypoint: Waypoint | undefined;
}

/** The bundle that answers a question. Throws HttpError and LedgerError. */
export async function provenAnswer(
  { view, services }: Context<"required">,
  question: ProofQuestion,
  args: ProofArgs,
): Promise<Answer<MadeBundle>> {
  if (services.prover === undefined) throw noSignatures();
  const isLatest = args.ledger_version === undefined && args.at === undefined;
  const version = isLatest ? undefined : (await readPointOf(view, args)).version;
  const bundle = await services.prover(view, question, { version, fromWaypoint: args.from_waypoint });
  return { data: bundle, version: bundle.version };
}

/** What a call asks for of a proof. */
export function proofArgs(options: ProveOptions): ProofArgs {
  const { fromWaypoint } = knownOptions(PROVE_NAMES, options);
  const from_waypoint = fieldOf("fromWaypoint", proofFields.from_waypoint, fromWaypoint);
  return { from_waypoint, ...readAtArgs(options, PROVE_NAMES) };
}
