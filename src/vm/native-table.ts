// The native functions of the machine by their full names.

import { NeedsItem } from "./errors.ts";
import { AGGREGATOR_NATIVES } from "./natives/aggregators.ts";
import { FRAMEWORK_NATIVES } from "./natives/framework.ts";
import { STDLIB_NATIVES } from "./natives/stdlib.ts";
import { TEXT_NATIVES } from "./natives/text.ts";
import type { Native, NativeModule } from "./natives.ts";
import { FRAMEWORK } from "./types.ts";

function table(modules: Readonly<Record<string, NativeModule>>): readonly (readonly [string, Native])[] {
  return Object.entries(modules).flatMap(([module, functions]) =>
    Object.entries(functions).map(([name, native]) => [`${FRAMEWORK}::${module}::${name}`, native] as const),
  );
}

const NATIVES: ReadonlyMap<string, Native> = new Map([
  ...table(STDLIB_NATIVES),
  ...table(FRAMEWORK_NATIVES),
  ...table(AGGREGATOR_NATIVES),
  ...table(TEXT_NATIVES),
]);

/** Modules whose natives are cryptography. It takes longer to load than the rest of the machine, and few runs need it. */
const CRYPTO_MODULES: ReadonlySet<string> = new Set(
  [
    "aptos_hash",
    "ed25519",
    "multi_ed25519",
    "secp256k1",
    "bls12381",
    "ristretto255",
    "crypto_algebra",
    "ristretto255_bulletproofs",
  ].map((module) => `${FRAMEWORK}::${module}`),
);
let cryptography: ReadonlyMap<string, Native> | undefined;

export async function loadCryptography(): Promise<void> {
  const { CRYPTO_NATIVES } = await import("./natives/crypto/index.ts");
  const { HASH_NATIVES } = await import("./natives/hashes.ts");
  cryptography ??= new Map([...table(HASH_NATIVES), ...table(CRYPTO_NATIVES)]);
}

// Not run, or run with a difference:
// - docs/views.md lists the natives that are missing; a call fails with status 1021.
// - 0x1::crypto_algebra::deserialize_internal of uncompressed points of BLS12-381: by its sources the chain checks only
//   the subgroup, so it would take points of curves with the same shape. This machine refuses them.
// Natives of test builds are in scripts/vm/test-natives.ts.

/** Full names of all native functions that are loaded. */
export function nativeNames(): readonly string[] {
  return [...NATIVES.keys(), ...(cryptography?.keys() ?? [])];
}

/** Throws NeedsItem for cryptography that is not loaded. */
export function findNative(key: string): Native | undefined {
  const native = NATIVES.get(key);
  if (native !== undefined || !CRYPTO_MODULES.has(key.slice(0, key.lastIndexOf("::")))) return native;
  if (cryptography === undefined) throw new NeedsItem(loadCryptography());
  return cryptography.get(key);
}
