// The modules that the local chain publishes, from the bytes that `npm run modules` makes.
import { type Address, parseAddress } from "../move/address.ts";
import { DEMO_ADDRESS_OFFSET, DEMO_MODULE, FRAMEWORK_MODULES } from "./module-bytes.ts";

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

/** The demo module's code, published at `address`. */
export function demoModuleCode(address: Address): Uint8Array {
  const bytes = Buffer.from(DEMO_MODULE, "base64");
  bytes.set(address, DEMO_ADDRESS_OFFSET);
  return bytes;
}
