// Proofs as in-process calls and for the HTTP interface, from the kept history of the store.
import { ConfigError, errorText } from "../../base/errors.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { resolveReadPoint } from "../../ledger/read-point.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { parseWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import type { MadeBundle } from "../../proof/made-bundle.ts";
import type { ProofOptions, ProofQuestion } from "../../proof/question.ts";
import type { Store } from "../../store/contract.ts";
import { type PruneWindow, parsePruneWindow } from "../../sync/maintenance/prune-window.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { ProveOptions } from "../options/read-options.ts";
import type { StartPlan } from "../start-plan.ts";
import { toBytes, toText } from "./call-arguments.ts";
import { readAtOf } from "./read-at.ts";
import type { Reader } from "./reader.ts";

const DEFAULT_WINDOW = "10m";

/** How far back a node keeps what proofs need: one that gets no signatures keeps nothing unless it is told to. */
export function proofWindowOf({ proofWindow, follow }: NodeOptions, { chain }: StartPlan): PruneWindow {
  const isSigned = chain !== undefined || (follow?.proofs ?? []).length > 0;
  return parsePruneWindow(proofWindow ?? (isSigned ? DEFAULT_WINDOW : "off"), "proof window");
}

export class ProofQuestions {
  readonly #reader: Reader;
  readonly #store: () => Store | undefined;
  /** Kept, because node looks up the file of every import again. */
  #prover: Promise<typeof import("../../sync/proofs/prover.ts")> | undefined;

  constructor(reader: Reader, store: () => Store | undefined) {
    this.#reader = reader;
    this.#store = store;
  }

  async prove(view: LedgerView, question: ProofQuestion, options: ProofOptions): Promise<MadeBundle> {
    const store = this.#store();
    if (store === undefined) throw new LedgerError("no_ledger", "there is no ledger yet");
    this.#prover ??= import("../../sync/proofs/prover.ts");
    const { prove } = await this.#prover;
    return prove(store, view, question, options);
  }

  balance(address: string, asset: string, options: ProveOptions): Promise<Uint8Array> {
    const { args } = this.#reader;
    const question = { address: args.address(address), asset: args.asset(asset) };
    return this.#answer({ kind: "balance", ...question }, options);
  }

  rawItem(handle: string, key: string | Uint8Array, options: ProveOptions): Promise<Uint8Array> {
    const table = this.#reader.args.handle(handle);
    return this.#answer({ kind: "tableItem", handle: table, key: toBytes(key) }, options);
  }

  async #answer(question: ProofQuestion, options: ProveOptions): Promise<Uint8Array> {
    const at = readAtOf(options);
    const fromWaypoint = options.fromWaypoint === undefined ? undefined : toWaypoint(options.fromWaypoint);
    const { encodeBundle } = await import("../../proof/made-bundle.ts");
    return this.#reader.withView(async (view) => {
      const isLatest = at.version === undefined && at.timestampUsec === undefined;
      const version = isLatest ? undefined : (await resolveReadPoint(view, at)).version;
      return encodeBundle(await this.prove(view, question, { version, fromWaypoint }));
    }, options);
  }
}

function toWaypoint(text: string): Waypoint {
  try {
    return parseWaypoint(toText("fromWaypoint", text));
  } catch (error) {
    throw new ConfigError(`fromWaypoint: ${errorText(error)}`, error);
  }
}
