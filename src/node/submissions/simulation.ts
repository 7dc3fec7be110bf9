// Simulates transactions on the head of a ledger, on any node.
import { Slices } from "../../base/wait.ts";
import { type MachineSource, openHead } from "../../chain/machine-source.ts";
import type { Simulator, SubmissionBody } from "../../http/services.ts";
import { lookAtRecord } from "../../ledger/formats/record.ts";
import type { StateTypes } from "../../ledger/items/state-types.ts";
import type { LedgerPosition, LedgerView } from "../../ledger/view.ts";
import type { SimulationEstimates } from "../../transaction/user-transaction.ts";
import { type BodyParts, decodeBody } from "./bodies.ts";

const NO_ESTIMATES: SimulationEstimates = { maxGasAmount: false, gasUnitPrice: undefined };

/** What a transaction would do on the head of the ledger. */
export interface SimulationResult {
  readonly hash: string;
  readonly success: boolean;
  /** As the API tells it, such as `Executed successfully`. */
  readonly vmStatus: string;
  readonly gasUsed: bigint;
  readonly gasUnitPrice: bigint;
  /** The transaction with its events and changes, as `POST /v1/transactions/simulate` answers it. */
  readonly transaction: Readonly<Record<string, unknown>>;
}

export interface SimulationOptions extends BodyParts {
  readonly machine: MachineSource;
  readonly types: StateTypes;
  /** The time that the next block after a ledger has; undefined where no blocks are made. */
  readonly nextTimeUsec: (position: LedgerPosition) => bigint | undefined;
}

export class Simulation {
  readonly #options: SimulationOptions;

  constructor(options: SimulationOptions) {
    this.#options = options;
  }

  /** Returns the record that a transaction would leave, with zeros for its hashes. */
  readonly simulate: Simulator = async (body, view, estimates, slices, tracer) => {
    const { machine, nextTimeUsec } = this.#options;
    const transaction = await decodeBody(this.#options, body, view);
    const head = await openHead(machine, view, "requests", slices);
    const timeUsec = nextTimeUsec(view.position);
    if (timeUsec !== undefined) head.setTime(timeUsec);
    const { simulateOnMachine } = await import("../../chain/submission/on-machine.ts");
    return simulateOnMachine(head, view, transaction, estimates, tracer);
  };

  /** A simulation in the form of the in-process call. */
  async inProcess(body: SubmissionBody, view: LedgerView): Promise<SimulationResult> {
    const record = await this.simulate(body, view, NO_ESTIMATES, new Slices());
    const { TransactionPrinter } = await import("../../http/printing/printer.ts");
    const text = await new TransactionPrinter(this.#options.types, view).print(
      lookAtRecord(record),
      view.position.timestampUsec,
    );
    const transaction = JSON.parse(`${Buffer.from(await text.finish())}`) as Readonly<
      Record<string, unknown>
    >;
    return {
      hash: String(transaction.hash),
      success: transaction.success === true,
      vmStatus: String(transaction.vm_status),
      gasUsed: BigInt(String(transaction.gas_used)),
      gasUnitPrice: BigInt(String(transaction.gas_unit_price)),
      transaction,
    };
  }
}
