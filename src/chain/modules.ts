// The modules that the local chain publishes; `npm run modules` generates their bytes.
import { type Address, parseAddress } from "../move/address.ts";
import { DEMO_MODULE, FRAMEWORK_MODULES } from "./module-bytes.ts";

/** A compiled module and its address. */
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

/** The demo module's code for publication at `address`. */
export function demoModuleCode(address: Address): Uint8Array {
  const { base64, addressOffset } = DEMO_MODULE;
  const bytes = Buffer.from(base64, "base64");
  bytes.set(address, addressOffset);
  return bytes;
}
