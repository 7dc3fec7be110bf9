// The modules of a network's genesis, from its write set.
import { toHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { accessPathCodec } from "../../src/ledger/formats/state-key.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { writtenValue } from "../../src/ledger/formats/write-set.ts";
import type { ModuleLoader } from "../../src/move/abi.ts";
import { ModuleCache } from "../../src/move/module-cache.ts";
import { sharedBytes } from "./shared.ts";

/** Bytecode by `addresshex::name`. */
export function genesisModules(network: "devnet" | "mainnet"): Map<string, Uint8Array> {
  const transaction = decodeWith(transactionCodec, sharedBytes(`networks/${network}/genesis.blob`));
  if (transaction.kind !== "genesis" || transaction.payload.kind !== "direct") throw new Error("no genesis");
  const modules = new Map<string, Uint8Array>();
  for (const [key, op] of transaction.payload.writeSet.writes) {
    if (key.kind !== "accessPath") continue;
    const path = decodeWith(accessPathCodec, key.path);
    const value = writtenValue(op);
    if (path.kind !== "code" || value === undefined) continue;
    modules.set(`${toHex(path.module.address)}::${path.module.name}`, value.data);
  }
  return modules;
}

/** A loader of the modules of a network's genesis, with the module cache. */
export function genesisLoader(network: "devnet" | "mainnet"): ModuleLoader {
  const modules = genesisModules(network);
  return new ModuleCache().createLoader(async ({ address, name }) => {
    const bytes = modules.get(`${toHex(address)}::${name}`);
    return bytes === undefined ? undefined : { version: 0n, bytes };
  });
}
