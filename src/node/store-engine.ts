// What an engine gives the node: one object per engine, registered in store-engines.ts.
import type { Logger } from "../base/log.ts";
import type { GenesisCheck } from "../ledger/formats/genesis.ts";
import type { OwnedRow } from "../ledger/indexes/owned-keys.ts";
import type { Store, WriterLease } from "../store/contract.ts";
import type { RemoteVerifier } from "../sync/verify/remote-page-verifier.ts";
import type { PageVerification } from "../sync/verify/verified-page.ts";
import type { DriverReport } from "./metrics/driver-metrics.ts";
import type { OptionTable } from "./options/option-table.ts";

/** How to open a store. */
export interface StoreOpening {
  readonly readOnly: boolean;
  /** The genesis that the store must hold, unless it is empty. */
  readonly genesis: GenesisCheck | undefined;
  readonly logger: Logger;
}

export interface OpenedStore {
  readonly store: Store;
  /** Decides who writes, where several processes may want to. */
  readonly lease: WriterLease | undefined;
  /** What the engine's driver does, where it has one. */
  readonly driver?: () => DriverReport;
  /** Starts a remote verifier, where another process can read the store and the machine has a processor for it. */
  readonly startVerifier?: VerifierStarter | undefined;
}

/** Starts a remote verifier that verifies the pages after a version. Rejects if it cannot. */
export type VerifierStarter = (
  version: bigint,
  verification: PageVerification,
  signal: AbortSignal,
) => Promise<RemoteVerifier>;

/** A store engine that takes the options `O`. */
export interface StoreEngine<O extends object> {
  /** Its options, without the name of the engine. */
  readonly table: OptionTable;
  /** Throws ConfigError for options that cannot be used. Touches no store. */
  assertOptions(options: O): void;
  open(options: O, opening: StoreOpening): Promise<OpenedStore>;
  /** True if several processes can open one store, which workers and read-only nodes need. */
  readonly isShared: boolean;
  /** True if a driver has metrics of its own. */
  readonly hasDriver: boolean;
  /**
   * For `export`: the index of a ledger whose first records are not there, no rows of any other ledger. Undefined for
   * stores that no other process can open.
   */
  readonly baseIndexRows: ((options: O) => AsyncGenerator<OwnedRow>) | undefined;
}

/** Closes the store if `look` throws. */
export async function closedOnFault(store: Store, look: () => Promise<void> | void): Promise<void> {
  try {
    await look();
  } catch (error) {
    await store.close();
    throw error;
  }
}
