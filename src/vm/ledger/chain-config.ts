// What every run needs of the chain's own configuration: features, prices, its id.
import { sha3 } from "../../base/sha3.ts";
import { BcsReader } from "../../bcs/reader.ts";
import type { GasSchedule, StoragePrices } from "../gas.ts";
import { Features } from "../session.ts";
import { type ItemReader, resourceStateKey, structTagOf } from "../state.ts";
import { FRAMEWORK, structType } from "../types.ts";

/** What the chain says of itself: features, prices, its id. */
export interface ChainConfig {
  readonly chainId: number;
  readonly features: Features;
  readonly schedule: GasSchedule;
}

/** The state key of a resource of the framework. */
export function configKey(module: string, name: string): Uint8Array {
  return resourceStateKey(FRAMEWORK, structTagOf(structType(FRAMEWORK, module, name)), "resource");
}

/** The state keys that `loadConfig` reads. */
export const CONFIG_KEYS: readonly Uint8Array[] = [
  configKey("features", "Features"),
  configKey("chain_id", "ChainId"),
  configKey("gas_schedule", "GasScheduleV2"),
  configKey("storage_gas", "StorageGas"),
];

/** Reads the configuration on the chain. */
export function loadConfig(read: ItemReader): ChainConfig {
  const [features, chainId, schedule, storage] = CONFIG_KEYS.map(read);
  return {
    chainId: chainId?.[0] ?? 4,
    features: new Features(features === undefined ? new Uint8Array(0) : new BcsReader(features).byteString()),
    schedule:
      schedule === undefined
        ? { version: 0, prices: new Map() }
        : { ...decodeSchedule(schedule), storage: storage && decodeStoragePrices(storage) },
  };
}

function decodeStoragePrices(bytes: Uint8Array): StoragePrices {
  const reader = new BcsReader(bytes);
  const next = (): number => Number(reader.u64());
  const [itemRead, itemCreate, itemWrite] = [next(), next(), next()];
  return { itemRead, itemCreate, itemWrite, byteRead: next(), byteCreate: next(), byteWrite: next() };
}

function decodeSchedule(bytes: Uint8Array): GasSchedule {
  const reader = new BcsReader(bytes);
  const version = Number(reader.u64());
  const prices = new Map<string, number>();
  for (let left = reader.count(); left > 0; left--) prices.set(reader.text(), Number(reader.u64()));
  return { version, prices };
}

const SESSION_SEED = sha3(Buffer.from("APTOS::SessionId"));

/** Hash that identifies a session, from the BCS of its id. */
export function sessionHash(id: Uint8Array): Uint8Array {
  return sha3(Buffer.concat([SESSION_SEED, id]));
}
