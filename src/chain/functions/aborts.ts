// Aborts of the modelled functions: the module, the code and the module's description, as the chain records them.
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import { FRAMEWORK } from "../../move/address.ts";

/** Categories of abort codes, in the third byte. */
const CATEGORIES = {
  invalidArgument: 1n,
  outOfRange: 2n,
  permissionDenied: 5n,
  notFound: 6n,
  alreadyExists: 8n,
};

interface AbortDefinition {
  readonly module: string;
  readonly category: keyof typeof CATEGORIES;
  readonly reason: bigint;
  readonly name?: string;
  readonly description?: string;
}

const ABORTS = {
  accountExists: {
    module: "account",
    category: "alreadyExists",
    reason: 1n,
    name: "EACCOUNT_ALREADY_EXISTS",
    description: "Account already exists",
  },
  reservedAddress: {
    module: "account",
    category: "invalidArgument",
    reason: 5n,
    name: "ECANNOT_RESERVED_ADDRESS",
    description: "Cannot create account because address is reserved",
  },
  listLengths: {
    module: "aptos_account",
    category: "invalidArgument",
    reason: 5n,
    name: "EMISMATCHING_RECIPIENTS_AND_AMOUNTS_LENGTH",
    description: "The lengths of the recipients and amounts lists don't match.",
  },
  noMintCapability: {
    module: "aptos_coin",
    category: "notFound",
    reason: 1n,
    name: "ENO_CAPABILITIES",
    description: "Account does not have mint capability",
  },
  coinBalance: {
    module: "coin",
    category: "invalidArgument",
    reason: 6n,
    name: "EINSUFFICIENT_BALANCE",
    description: "Not enough coins to complete transaction",
  },
  coinFrozen: {
    module: "coin",
    category: "permissionDenied",
    reason: 10n,
    name: "EFROZEN",
    description: "CoinStore is frozen. Coins cannot be deposited or withdrawn",
  },
  storeBalance: {
    module: "fungible_asset",
    category: "invalidArgument",
    reason: 4n,
    name: "EINSUFFICIENT_BALANCE",
    description: "Insufficient balance to withdraw or transfer.",
  },
  storeFrozen: {
    module: "fungible_asset",
    category: "permissionDenied",
    reason: 3n,
    name: "ESTORE_IS_FROZEN",
    description: "Store is disabled from sending and receiving this fungible asset.",
  },
  notStoreOwner: {
    module: "fungible_asset",
    category: "permissionDenied",
    reason: 8n,
    name: "ENOT_STORE_OWNER",
    description: "Account is not the store's owner.",
  },
  otherAsset: {
    module: "fungible_asset",
    category: "invalidArgument",
    reason: 11n,
    name: "EFUNGIBLE_ASSET_AND_STORE_MISMATCH",
    description: "Fungible asset and store do not match.",
  },
  ungatedTransfer: {
    module: "object",
    category: "permissionDenied",
    reason: 3n,
    name: "ENO_UNGATED_TRANSFERS",
    description: "The object does not have ungated transfers enabled",
  },
  objectNesting: {
    module: "object",
    category: "outOfRange",
    reason: 6n,
    name: "EMAXIMUM_NESTING",
    description: "Exceeds maximum nesting for an object transfer.",
  },
  notObjectOwner: {
    module: "object",
    category: "permissionDenied",
    reason: 4n,
    name: "ENOT_OBJECT_OWNER",
    description: "The caller does not have ownership permissions",
  },
  /** Not an error of the module's own list, so the chain has no description of it. */
  feeUnpaid: { module: "transaction_validation", category: "outOfRange", reason: 1005n },
} as const satisfies Record<string, AbortDefinition>;

/** Ends a call: its changes are undone, and the transaction stays on chain with this status. */
export class CallFailure extends Error {
  readonly status: ExecutionStatus;

  constructor(status: ExecutionStatus, message: string) {
    super(message);
    this.status = status;
  }
}

/** An abort of a module's own. */
export class MoveAbort extends CallFailure {
  constructor(name: keyof typeof ABORTS) {
    const definition: AbortDefinition = ABORTS[name];
    const status: ExecutionStatus = {
      kind: "moveAbort",
      location: { kind: "module", module: { address: FRAMEWORK, name: definition.module } },
      code: (CATEGORIES[definition.category] << 16n) + definition.reason,
      info:
        definition.name === undefined
          ? undefined
          : { reasonName: definition.name, description: definition.description ?? "" },
    };
    super(status, `abort in 0x1::${definition.module}: ${definition.name ?? name}`);
  }
}
