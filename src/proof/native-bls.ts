// BLS signatures by the native library, where it has a binary for this machine.
import type { PublicKey } from "@chainsafe/blst";
import { loadPackage } from "../base/load-package.ts";
import { type Bls, portableBls } from "./bls.ts";

function createNativeBls({
  PublicKey: Keys,
  Signature,
  aggregatePublicKeys,
  verify,
}: typeof import("@chainsafe/blst")): Bls<PublicKey> {
  return {
    name: "blst",
    parseKey: (bytes) => Keys.fromBytes(bytes, true),
    verify: (keys, message, signature) => {
      try {
        const parsed = Signature.fromBytes(signature, true, true);
        // The sum may be the point at infinity although no key is: it is checked, the parts were.
        return verify(message, aggregatePublicKeys([...keys], false), parsed, true, false);
      } catch {
        return false;
      }
    },
  };
}

let loaded: Bls | undefined;

/** The fastest implementation that this machine has. */
export function fastestBls(): Bls {
  loaded ??= load();
  return loaded;
}

function load(): Bls {
  try {
    return createNativeBls(loadPackage("@chainsafe/blst") as typeof import("@chainsafe/blst")) as Bls;
  } catch {
    return portableBls as Bls;
  }
}
