// The framework's transfer functions: names of their parameters, which modules on chain do not keep, and from
// them who gets how much of what.
import type { ModuleId } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import type { ExplainedEntryFunction } from "./explanation.ts";

/** The coin that gas is paid in. */
export const GAS_COIN = "0x1::aptos_coin::AptosCoin";

/** A transfer out of one account. */
export interface Transfer {
  /** Coin type or metadata address. */
  readonly asset: string;
  readonly recipients: readonly string[];
  readonly total: bigint;
}

interface TransferFunction {
  /** Names of the parameters without the signer, as the framework's source has them. */
  readonly names: readonly string[];
  readonly asset: "gas" | "type_argument" | "metadata";
}

const ONE = ["to", "amount"];
const MANY = ["recipients", "amounts"];
const FUNCTIONS: ReadonlyMap<string, TransferFunction> = new Map([
  ["0x1::aptos_account::transfer", { names: ONE, asset: "gas" }],
  ["0x1::aptos_account::fungible_transfer_only", { names: ONE, asset: "gas" }],
  ["0x1::aptos_account::batch_transfer", { names: MANY, asset: "gas" }],
  ["0x1::aptos_account::transfer_coins", { names: ONE, asset: "type_argument" }],
  ["0x1::aptos_account::batch_transfer_coins", { names: MANY, asset: "type_argument" }],
  ["0x1::coin::transfer", { names: ONE, asset: "type_argument" }],
  ["0x1::aptos_account::transfer_fungible_assets", { names: ["metadata", ...ONE], asset: "metadata" }],
  ["0x1::aptos_account::batch_transfer_fungible_assets", { names: ["metadata", ...MANY], asset: "metadata" }],
  [
    "0x1::primary_fungible_store::transfer",
    { names: ["metadata", "recipient", "amount"], asset: "metadata" },
  ],
]);

/** Names of a function's parameters, none where they are not known. */
export function parameterNames(module: ModuleId, name: string): readonly string[] {
  return FUNCTIONS.get(`${formatAddress(module.address)}::${module.name}::${name}`)?.names ?? [];
}

/** What an explained call transfers; undefined for any other call, and where an argument has no value. */
export function transferOf(call: ExplainedEntryFunction): Transfer | undefined {
  const known = FUNCTIONS.get(call.function);
  if (known === undefined) return undefined;
  const texts = (...names: readonly string[]): readonly string[] | undefined => {
    const value = call.arguments.find(({ name }) => name !== undefined && names.includes(name))?.value;
    if (typeof value === "string") return [value];
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
  };
  const assets = { gas: [GAS_COIN], type_argument: call.type_arguments, metadata: texts("metadata") };
  const asset = assets[known.asset]?.[0];
  const recipients = texts("to", "recipient", "recipients");
  const amounts = texts("amount", "amounts");
  if (asset === undefined || recipients === undefined || amounts === undefined) return undefined;
  return { asset, recipients, total: amounts.reduce((sum, amount) => sum + BigInt(amount), 0n) };
}
