// The native functions of the machine by their full names.

import { AGGREGATOR_NATIVES } from "./natives/aggregators.ts";
import { CRYPTO_NATIVES } from "./natives/crypto/index.ts";
import { FRAMEWORK_NATIVES } from "./natives/framework.ts";
import { HASH_NATIVES } from "./natives/hashes.ts";
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
  ...table(HASH_NATIVES),
  ...table(CRYPTO_NATIVES),
]);

// Not run, or run with a difference:
// - docs/views.md lists the natives that are missing; a call fails with status 1021.
// - 0x1::crypto_algebra::deserialize_internal of uncompressed points of BLS12-381: by its sources the chain checks only
//   the subgroup, so it would take points of curves with the same shape. This machine refuses them.
// Natives of test builds are in scripts/vm/test-natives.ts.

/** Full names of all native functions. */
export function nativeNames(): readonly string[] {
  return [...NATIVES.keys()];
}

export function findNative(key: string): Native | undefined {
  return NATIVES.get(key);
}
