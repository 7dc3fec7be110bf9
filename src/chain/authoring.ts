// Changes that the author of a test makes to a local chain: accounts, balances, resources, table items and modules.
import { ConfigError } from "../base/errors.ts";
import { encodeWith } from "../bcs/codec.ts";
import { pairedMetadata, primaryStoreAddress } from "../ledger/balances/asset.ts";
import { stateKeyCodec } from "../ledger/formats/state-key.ts";
import type { AbiStructType } from "../move/abi.ts";
import { type Address, formatAddress, parseAddress } from "../move/address.ts";
import { readModule } from "../move/bytecode/reader.ts";
import { MoveError } from "../move/errors.ts";
import { formatStructTag, type StructTag } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { SubmissionError } from "../transaction/submission-error.ts";
import type { StateEdit } from "../vm/transaction/execute.ts";
import { moduleItem, rawCodec } from "./item.ts";
import { newAccount } from "./new-account.ts";

/** Largest module, as on the network. */
const MAX_MODULE_BYTES = 64 * 1024;
/** Largest key and value of a table item, as on the network for one write. */
export const MAX_ITEM_BYTES: number = 1 << 20;

/** An account to create: with the authentication key of a key, or of its own address. */
export interface NewAccount {
  readonly address: Address;
  readonly authenticationKey: Uint8Array;
}

/** An edit of the state. The natives that it needs are loaded with it. Throws ConfigError for one that makes no sense. */
export type AuthoredChange = () => Promise<StateEdit>;

/** Joins changes to one. */
export function allOf(changes: readonly AuthoredChange[]): AuthoredChange {
  return async () => {
    const edits = await Promise.all(changes.map((change) => change()));
    return (context) => {
      for (const edit of edits) edit(context);
    };
  };
}

/** Creates an account, or replaces the authentication key of one that exists. */
export function putAccount({ address, authenticationKey }: NewAccount): AuthoredChange {
  return async () => {
    const { ACCOUNT } = await import("./natives/money.ts");
    const { CallState } = await import("./natives/state.ts");
    return (context) => {
      const call = new CallState(context);
      const account = call.read(address, ACCOUNT) ?? newAccount(address);
      call.write(address, ACCOUNT, { ...account, authenticationKey });
    };
  };
}

/**
 * Sets what an account holds of an asset, and changes the supply by the difference. The amount is in the account's coin
 * store if that is all it has, else in its primary store. Creates a missing account.
 */
export function setBalance(owner: Address, asset: string, amount: bigint): AuthoredChange {
  const coin = asset.includes(":") ? parseStructTag(asset) : undefined;
  const metadata = coin === undefined ? parseAddress(asset) : pairedMetadata(coin);
  return async () => {
    const money = await import("./natives/money.ts");
    const { CallState } = await import("./natives/state.ts");
    return (context) => {
      const call = new CallState(context);
      money.ensureAccount(call, owner);
      const store = primaryStoreAddress(owner, metadata);
      let inStore = amount;
      if (coin !== undefined) {
        const type = money.coinType(coin);
        if (!call.has(coin.address, money.coinInfo(type)))
          throw new ConfigError(`asset: this ledger has no coin ${formatStructTag(coin)}`);
        const held = call.read(owner, money.coinStore(type));
        if (held !== undefined) {
          const hasStore = call.has(store, money.STORE);
          inStore = hasStore ? amount : 0n;
          const value = amount - inStore;
          call.write(owner, money.coinStore(type), { ...held, value });
          money.changeCoinSupply(call, type, value - held.value);
          if (!hasStore) return;
        }
      }
      try {
        money.ensurePrimaryStore(call, owner, metadata);
      } catch (error) {
        if (!(error instanceof SubmissionError)) throw error;
        throw new ConfigError(`asset: balances of ${asset} cannot be set: ${error.message}`, error);
      }
      const delta = inStore - money.storeBalance(call, store);
      money.addToStore(call, store, delta);
      money.changeAssetSupply(call, metadata, delta);
    };
  };
}

/** Writes a resource by its BCS, on its own or in its group; undefined removes it. The bytes must be a value of the type. */
export function setResource(
  address: Address,
  struct: StructTag,
  value: Uint8Array | undefined,
): AuthoredChange {
  return async () => {
    const { CallState } = await import("./natives/state.ts");
    const { createType } = await import("../transaction/requests/type-arguments.ts");
    const { VmError } = await import("../vm/errors.ts");
    const type = createType({ kind: "struct", struct }) as AbiStructType;
    return (context) => {
      const call = new CallState(context);
      try {
        if (value === undefined) call.remove(address, { type });
        else call.write(address, { type, codec: rawCodec }, value);
      } catch (error) {
        if (!(error instanceof VmError)) throw error;
        throw new ConfigError(`data: expected a ${formatStructTag(struct)}: ${error.message}`, error);
      }
    };
  };
}

/** Writes an item of a table, or removes it. */
export function putTableItem(
  handle: Address,
  key: Uint8Array,
  value: Uint8Array | undefined,
): AuthoredChange {
  const stateKey = encodeWith(stateKeyCodec, { kind: "tableItem", handle, key });
  return async () => (context) => context.write(stateKey, value);
}

/** Publishes a module at the address that it names, or replaces it. Throws ConfigError for bytes that are no module. */
export function publishModule(bytes: Uint8Array): AuthoredChange {
  if (bytes.length > MAX_MODULE_BYTES) {
    throw new ConfigError(`bytecode: expected at most ${MAX_MODULE_BYTES} bytes, got ${bytes.length}`);
  }
  const { address, name } = moduleIdOf(bytes);
  const key = encodeWith(stateKeyCodec, moduleItem(address, name).key);
  return async () => {
    const { ensureAccount } = await import("./natives/money.ts");
    const { CallState } = await import("./natives/state.ts");
    return (context) => {
      ensureAccount(new CallState(context), address);
      context.write(key, bytes);
    };
  };
}

/** The name of a module, `0x1::coin`. */
export function moduleNameOf(bytes: Uint8Array): string {
  const { address, name } = moduleIdOf(bytes);
  return `${formatAddress(address)}::${name}`;
}

function moduleIdOf(bytes: Uint8Array): { readonly address: Address; readonly name: string } {
  try {
    return readModule(bytes);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new ConfigError(`bytecode: expected that of a module: ${error.message}`, error);
  }
}
