// What the framework under the chain offers. The chain's own has all that blocks use; a network's genesis may be older
// and lack fungible assets or single functions, which blocks on it then leave out.
import { ConfigError } from "../base/errors.ts";
import { findWrittenData } from "../ledger/genesis.ts";
import { moduleKeyHash } from "../ledger/key-hash.ts";
import type { EncodedWrite } from "../ledger/state-writes.ts";
import type { ModuleAbi } from "../move/abi.ts";
import { parseAddress } from "../move/address.ts";
import { readModule } from "../move/bytecode/reader.ts";

/** Modules at `0x1`, as far as blocks use them. */
export interface Framework {
  /** True when `0x1` has the function, by module and name. */
  hasFunction(module: string, name: string): boolean;
  /** True when `0x1` has the type, by module and name. */
  hasStruct(module: string, name: string): boolean;
  /** True when balances can be kept in primary stores; else every balance is in a coin store. */
  readonly hasFungibleAssets: boolean;
}

/** The chain's own framework. */
export const OWN_FRAMEWORK: Framework = {
  hasFunction: () => true,
  hasStruct: () => true,
  hasFungibleAssets: true,
};

/** Without these no block of the chain can be made. */
const NEEDED_FUNCTIONS = ["coin::transfer", "aptos_account::transfer", "code::publish_package_txn"] as const;
const NEEDED_STRUCTS = [
  "account::Account",
  "coin::CoinInfo",
  "coin::CoinStore",
  "coin::DepositEvent",
  "coin::WithdrawEvent",
  "option::Option",
  "string::String",
  "table::Table",
] as const;

/** What a primary store and its asset are made of. */
const FUNGIBLE_STRUCTS = [
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

const ADDRESS = parseAddress("0x1");

/** The framework in the writes of a network's genesis. Throws ConfigError when blocks cannot be made on it. */
export function readFramework(writes: readonly EncodedWrite[]): Framework {
  const framework = new GenesisFramework(writes);
  const missing = [
    ...NEEDED_FUNCTIONS.filter((path) => !framework.hasFunction(...split(path))),
    ...NEEDED_STRUCTS.filter((path) => !framework.hasStruct(...split(path))),
  ];
  if (missing.length === 0) return framework;
  throw new ConfigError(
    `local-chain: no blocks can be made on this genesis, which has no ${missing.map((path) => `0x1::${path}`).join(", ")}; without local-chain it is served as it is`,
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
    return this.#module(module)?.functions.some((one) => one.name === name && one.isEntry) === true;
  }

  hasStruct(module: string, name: string): boolean {
    return this.#module(module)?.structs.some((one) => one.name === name) === true;
  }

  #module(name: string): ModuleAbi | undefined {
    if (!this.#modules.has(name)) {
      const bytes = findWrittenData(this.#writes, moduleKeyHash(ADDRESS, name, undefined));
      this.#modules.set(name, bytes === undefined ? undefined : readModule(bytes));
    }
    return this.#modules.get(name);
  }
}

function split(path: string): [module: string, name: string] {
  const [module = "", name = ""] = path.split("::");
  return [module, name];
}
