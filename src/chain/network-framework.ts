// A framework with code, as on every network but this project's own chain: its functions run on the virtual machine, which
// is loaded with the first of them.
import { ConfigError } from "../base/errors.ts";
import { type Line, Slices } from "../base/wait.ts";
import { encodeWith } from "../bcs/codec.ts";
import { findWrittenData } from "../ledger/genesis.ts";
import { keyHashOfBcs } from "../ledger/key-hash.ts";
import { stateKeyCodec } from "../ledger/state-key.ts";
import type { EncodedWrite } from "../ledger/state-writes.ts";
import type { LedgerView } from "../ledger/view.ts";
import { FRAMEWORK } from "../move/address.ts";
import type { LedgerTransactions } from "../vm/ledger-transactions.ts";
import type { ViewMachine } from "../vm/ledger-views.ts";
import { rawCodec, resourceItem } from "./item.ts";

/** Only a framework with code has prices for running it. */
const GAS_SCHEDULE = resourceItem(FRAMEWORK, "0x1::gas_schedule::GasScheduleV2", rawCodec);

/** Finds the machine of a process. */
export type MachineSource = () => Promise<ViewMachine>;

export function createMachineSource(): MachineSource {
  let machine: Promise<ViewMachine> | undefined;
  return () => {
    machine ??= import("../vm/ledger-views.ts").then((room) => new room.ViewMachine());
    return machine;
  };
}

/** Throws ConfigError for the writes of a genesis on which no block can be made. */
export function assertHasCode(genesis: readonly EncodedWrite[]): void {
  if (findWrittenData(genesis, GAS_SCHEDULE.keyHash) !== undefined) return;
  throw new ConfigError(
    "local-chain: the local chain cannot make blocks on this genesis, which has no 0x1::gas_schedule::GasScheduleV2 and is not the genesis of this seed; without local-chain it is served as it is",
  );
}

/** The framework of one chain. */
export class NetworkFramework {
  readonly #machine: MachineSource;
  #hasCode: boolean | undefined;

  constructor(machine: MachineSource) {
    this.#machine = machine;
  }

  /** False for the local chain's own framework. Throws LedgerError. */
  async hasCode(view: LedgerView): Promise<boolean> {
    if (this.#hasCode === undefined) {
      const hash = keyHashOfBcs(encodeWith(stateKeyCodec, GAS_SCHEDULE.key), view.keyTrace);
      const [schedule] = await view.getItems([hash], view.position.version);
      this.#hasCode = schedule?.value !== undefined;
    }
    return this.#hasCode;
  }

  /** The head of a ledger for transactions; undefined if the framework has no code. Throws LedgerError. */
  async open(view: LedgerView, line: Line): Promise<LedgerTransactions | undefined> {
    if (!(await this.hasCode(view))) return undefined;
    const machine = await this.#machine();
    return machine.openTransactions(view, new Slices(line), line === "writer" ? "block" : "request");
  }
}
