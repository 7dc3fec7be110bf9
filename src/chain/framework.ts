// The framework that the local chain builds on. The chain's own has everything that blocks use. A network's genesis
// may be older and lack fungible assets or single functions; blocks on it do not use them.
import { ConfigError } from "../base/errors.ts";
import { findWrittenData } from "../ledger/genesis.ts";
import { moduleKeyHash } from "../ledger/key-hash.ts";
import type { EncodedWrite } from "../ledger/state-writes.ts";
import type { ModuleAbi } from "../move/abi.ts";
import { FRAMEWORK } from "../move/address.ts";
import { readStoredModule } from "../move/module-cache.ts";

/** The modules at `0x1` that blocks use. */
export interface Framework {
  /** True if `0x1` has the entry function. */
  hasFunction(module: string, name: string): boolean;
  /** True if `0x1` has the struct. */
  hasStruct(module: string, name: string): boolean;
  /** True if balances can be in primary stores; otherwise every balance is in a coin store. */
  readonly hasFungibleAssets: boolean;
  /** Why submitted transactions are not modelled on it; undefined where they are. */
  readonly unmodelledReason?: string | undefined;
}

/** The chain's own framework. */
export const OWN_FRAMEWORK: Framework = {
  hasFunction: () => true,
  hasStruct: () => true,
  hasFungibleAssets: true,
};

/** The chain cannot make blocks without these. */
const REQUIRED_FUNCTIONS = [
  "coin::transfer",
  "aptos_account::transfer",
  "code::publish_package_txn",
] as const;
const REQUIRED_STRUCTS = [
  "account::Account",
  "coin::CoinInfo",
  "coin::CoinStore",
  "coin::DepositEvent",
  "coin::WithdrawEvent",
  "option::Option",
  "string::String",
  "table::Table",
] as const;

/** Structs of a primary store and its asset. */
export const FUNGIBLE_STRUCTS = [
  "coin::PairedCoinType",
  "fungible_asset::ConcurrentFungibleBalance",
  "fungible_asset::ConcurrentSupply",
  "fungible_asset::Deposit",
  "fungible_asset::FungibleStore",
  "fungible_asset::Metadata",
  "fungible_asset::Withdraw",
  "object::Object",
  "object::ObjectCore",
  "object::ObjectGroup",
] as const;

/** The framework in the writes of a network's genesis. Throws ConfigError if the chain cannot make blocks on it. */
export function readFramework(writes: readonly EncodedWrite[]): Framework {
  const framework = new GenesisFramework(writes);
  const missing = [
    ...REQUIRED_FUNCTIONS.filter((path) => !framework.hasFunction(...split(path))),
    ...REQUIRED_STRUCTS.filter((path) => !framework.hasStruct(...split(path))),
  ];
  if (missing.length === 0) return framework;
  throw new ConfigError(
    `local-chain: the local chain cannot make blocks on this genesis, which has no ${missing.map((path) => `0x1::${path}`).join(", ")}; without local-chain it is served as it is`,
  );
}

class GenesisFramework implements Framework {
  readonly hasFungibleAssets: boolean;
  readonly #writes: readonly EncodedWrite[];
  readonly #modules = new Map<string, ModuleAbi | undefined>();

  constructor(writes: readonly EncodedWrite[]) {
    this.#writes = writes;
    this.hasFungibleAssets = FUNGIBLE_STRUCTS.every((path) => this.hasStruct(...split(path)));
  }

  hasFunction(module: string, name: string): boolean {
    return this.#module(module)?.functions.some((fun) => fun.name === name && fun.isEntry) === true;
  }

  hasStruct(module: string, name: string): boolean {
    return this.#module(module)?.structs.some((struct) => struct.name === name) === true;
  }

  #module(name: string): ModuleAbi | undefined {
    if (!this.#modules.has(name)) {
      const bytes = findWrittenData(this.#writes, moduleKeyHash(FRAMEWORK, name, undefined));
      this.#modules.set(
        name,
        bytes && readStoredModule({ address: FRAMEWORK, name }, { version: 0n, bytes }),
      );
    }
    return this.#modules.get(name);
  }
}

function split(path: string): [module: string, name: string] {
  const [module = "", name = ""] = path.split("::");
  return [module, name];
}
