// Finds the machine that runs transactions and views, and loads it on first use. A network's framework runs its own code;
// the local chain's framework has none, so src/chain/natives stands in for it.
import { ConfigError } from "../base/errors.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { type Line, Slices } from "../base/wait.ts";
import { findWrittenData } from "../ledger/formats/genesis.ts";
import type { EncodedWrite } from "../ledger/state-writes.ts";
import type { LedgerView } from "../ledger/view.ts";
import { FRAMEWORK } from "../move/address.ts";
import type { LedgerMachine } from "../vm/ledger/ledger-machine.ts";
import type { LedgerTransactions } from "../vm/ledger/ledger-transactions.ts";
import { rawCodec, resourceItem } from "./item.ts";

/** Only a framework with code has prices for running it. */
const GAS_SCHEDULE = resourceItem(FRAMEWORK, "0x1::gas_schedule::GasScheduleV2", rawCodec);

/** Finds the machine of a node. */
export interface MachineSource {
  (): MaybePromise<LedgerMachine>;
  /** Lets go of the machine, with the code that it keeps. */
  readonly forget: () => void;
}

export function createMachineSource(): MachineSource {
  let machine: MaybePromise<LedgerMachine> | undefined;
  const load = async (): Promise<LedgerMachine> => {
    const parts = [import("../vm/ledger/ledger-machine.ts"), import("./natives/index.ts")] as const;
    const [{ LedgerMachine }, { LOCAL_NATIVES }] = await Promise.all(parts);
    return new LedgerMachine(LOCAL_NATIVES);
  };
  const find = (): MaybePromise<LedgerMachine> => {
    if (machine === undefined) {
      const loading = load().then((made) => {
        if (machine === loading) machine = made;
        return made;
      });
      machine = loading;
    }
    return machine;
  };
  return Object.assign(find, {
    forget: () => {
      machine = undefined;
    },
  });
}

/** Opens the head of a ledger for transactions: those of a block by the writer, or one of a request. Throws LedgerError. */
export async function openHead(
  machine: MachineSource,
  view: LedgerView,
  line: Line,
  slices: Slices = new Slices(line),
): Promise<LedgerTransactions> {
  return (await machine()).openTransactions(view, slices, line === "writer" ? "block" : "request");
}

/** Throws ConfigError for the writes of a genesis on which no block can be made. */
export function assertHasCode(genesis: readonly EncodedWrite[]): void {
  if (findWrittenData(genesis, GAS_SCHEDULE.keyHash) !== undefined) return;
  throw new ConfigError(
    "local-chain: the local chain cannot make blocks on this genesis, which has no 0x1::gas_schedule::GasScheduleV2 and is not the genesis of this seed; without local-chain it is served as it is",
  );
}
