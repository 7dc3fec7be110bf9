// Answers questions with proofs.
import type { Waypoint } from "../../../ledger/waypoint.ts";
import type { ProofBundle } from "../../../proof/bundle.ts";
import type { ProofQuestion } from "../../../proof/question.ts";
import { fieldOf, readAtArgs } from "../../calls/operands.ts";
import { knownOptions, type OptionNames, PROVE_NAMES, type ProveOptions } from "../../calls/options.ts";
import type { Answer, Context } from "../../operation.ts";
import { bundleForms, noSignatures, PROOF_ERRORS, proofFields } from "../../schemas/proof.ts";
import { type ReadAtArgs, readPointOf } from "../../schemas/read-at.ts";

/** What makes an operation that proves something differ from another. */
export const PROVING = {
  ledger: "required",
  switchable: true,
  answer: bundleForms,
  errors: PROOF_ERRORS,
} as const;

interface ProofArgs extends ReadAtArgs {
  readonly from_waypoint: Waypoint | undefined;
}

/** The bundle that answers a question. Throws HttpError and LedgerError. */
export async function provenAnswer(
  { view, services }: Context<"required">,
  question: ProofQuestion,
  args: Partial<ProofArgs>,
): Promise<Answer<ProofBundle>> {
  if (services.prover === undefined) throw noSignatures();
  const isLatest = args.ledger_version === undefined && args.at === undefined;
  const version = isLatest
    ? undefined
    : (await readPointOf(view, { ledger_version: args.ledger_version, at: args.at })).version;
  const options = { version, fromWaypoint: args.from_waypoint };
  const data = await services.prover(view, question, options);
  const { claim, points } = data;
  return { data, version: "version" in claim ? claim.version : points[0]?.version };
}

/** What a call asks for of a proof. */
export function proofArgs<O extends ProveOptions>(
  options: O,
  names: OptionNames<ProveOptions> = PROVE_NAMES,
): ProofArgs {
  const { fromWaypoint } = knownOptions<ProveOptions>(names, options);
  const from_waypoint = fieldOf("fromWaypoint", proofFields.from_waypoint, fromWaypoint);
  return { from_waypoint, ...readAtArgs(options, names) };
}
