// The modules that the local chain publishes, from the bytes that `npm run modules` makes.
import { type Address, parseAddress } from "../move/address.ts";
import type { Framework } from "./framework.ts";
import { DEMO_MODULE, DEMO_MODULE_WITHOUT_OBJECTS, FRAMEWORK_MODULES } from "./module-bytes.ts";

/** A module ready to be published. */
export interface PublishedModule {
  readonly address: Address;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The framework's interface modules. */
export function frameworkModules(): PublishedModule[] {
  return FRAMEWORK_MODULES.map(([id, base64]) => {
    const [address = "", name = ""] = id.split("::");
    return { address: parseAddress(address), name, bytes: Buffer.from(base64, "base64") };
  });
}

/** The demo module's code, published at `address`. Without objects it has no function that takes one. */
export function demoModuleCode(address: Address, { hasFungibleAssets }: Framework): Uint8Array {
  const { base64, addressOffset } = hasFungibleAssets ? DEMO_MODULE : DEMO_MODULE_WITHOUT_OBJECTS;
  const bytes = Buffer.from(base64, "base64");
  bytes.set(address, addressOffset);
  return bytes;
}
