// The natives of the local chain, whose framework has no code. The machine runs its transactions and views with them.
import { addressFromBytes, formatAddress } from "../../move/address.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { STATUS, VmError } from "../../vm/errors.ts";
import type { InterfaceNatives } from "../../vm/ledger/ledger-machine.ts";
import { findNative } from "../../vm/native-table.ts";
import type { Native } from "../../vm/natives.ts";
import { findDemoNative } from "./demo.ts";
import { ENTRY_FUNCTIONS, FUNCTIONS } from "./functions.ts";
import { VALIDATION } from "./validation.ts";

const NATIVES: ReadonlyMap<string, Native> = new Map([...FUNCTIONS, ...VALIDATION]);

function find(key: string): Native | undefined {
  const found = NATIVES.get(key) ?? findNative(key);
  if (found !== undefined) return found;
  const [, module, name = ""] = key.split("::");
  return module === "demo" ? findDemoNative(name) : undefined;
}

/** A transaction that calls a function without code is refused, where a view fails. */
export const LOCAL_NATIVES: InterfaceNatives = {
  views: (key) => find(key) ?? missing(key),
  transactions: (key) => {
    const found = find(key);
    if (found !== undefined) return found;
    const [address = "", ...names] = key.split("::");
    const path = [formatAddress(addressFromBytes(Buffer.from(address, "hex"))), ...names].join("::");
    const known = ENTRY_FUNCTIONS.map((one) => `0x1::${one}`).join(", ");
    throw unmodelled(
      `${path}; the local chain runs ${known}. Begin with a network's genesis (--genesis) for its whole framework`,
    );
  },
};

function missing(key: string): Native {
  return () => {
    const message = `this chain has no code of ${key}, and the node does not know the function`;
    throw new VmError(STATUS.missingDependency, message);
  };
}
