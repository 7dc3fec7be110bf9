// `0x1::aptos_account`: transfers that create the recipient's account.
import { type Address, formatAddress, parseAddress } from "../../move/address.ts";
import type { StructTag } from "../../move/type-tag.ts";
import { newAccount } from "../new-account.ts";
import { MoveAbort } from "./aborts.ts";
import type { CallState } from "./call-state.ts";
import { assertCoin, NATIVE_COIN, transferCoin } from "./coins.ts";
import { depositToStore, ensurePrimaryStore, withdrawFromStore } from "./fungible-stores.ts";
import { ADDRESS, ADDRESSES, type ModelledFunction, modelled, OBJECT, U64, U64S } from "./modelled.ts";

const MODULE = "aptos_account";
const NATIVE_METADATA = parseAddress("0xa");
const RESERVED: ReadonlySet<string> = new Set(["0x0", "0x1", "0x3"]);

/** Creates an account that has no Account resource. */
async function create(call: CallState, address: Address): Promise<void> {
  const item = call.account(address);
  if ((await call.read(item)) !== undefined) throw new MoveAbort("accountExists");
  if (RESERVED.has(formatAddress(address))) throw new MoveAbort("reservedAddress");
  if (!(await call.hasFeature("defaultAccounts"))) call.write(item, newAccount(address));
  if (await call.hasFeature("accountsWithStore")) await ensurePrimaryStore(call, address, NATIVE_METADATA);
}

/** Creates the account unless it counts as one already. */
async function ensureAccount(call: CallState, address: Address): Promise<void> {
  if (await call.hasFeature("defaultAccounts")) return;
  if ((await call.read(call.account(address))) === undefined) await create(call, address);
}

async function sendCoins(
  call: CallState,
  coin: StructTag,
  movement: { readonly from: Address; readonly to: Address; readonly amount: bigint },
): Promise<void> {
  await ensureAccount(call, movement.to);
  await transferCoin(call, coin, movement);
}

async function sendAssets(
  call: CallState,
  metadata: Address,
  { from, to, amount }: { readonly from: Address; readonly to: Address; readonly amount: bigint },
): Promise<void> {
  await withdrawFromStore(call, await ensurePrimaryStore(call, from, metadata), amount);
  await ensureAccount(call, to);
  await depositToStore(call, await ensurePrimaryStore(call, to, metadata), amount);
}

/** Runs one transfer for each pair. */
async function forEachPair(
  call: CallState,
  recipients: readonly Address[],
  amounts: readonly bigint[],
  send: (to: Address, amount: bigint) => Promise<void>,
): Promise<void> {
  if (recipients.length !== amounts.length) throw new MoveAbort("listLengths");
  for (const [index, to] of recipients.entries()) {
    await send(to, amounts[index] ?? 0n);
    await call.pause();
  }
}

const createAccount = modelled({
  module: MODULE,
  name: "create_account",
  signers: 0,
  parameters: [ADDRESS],
  run: (call, { args: [address] }) => create(call, address),
});

const transfer = modelled({
  module: MODULE,
  name: "transfer",
  parameters: [ADDRESS, U64],
  run: (call, { sender: from, args: [to, amount] }) => sendCoins(call, NATIVE_COIN, { from, to, amount }),
});

const batchTransfer = modelled({
  module: MODULE,
  name: "batch_transfer",
  parameters: [ADDRESSES, U64S],
  run: (call, { sender: from, args: [recipients, amounts] }) =>
    forEachPair(call, recipients, amounts, (to, amount) =>
      sendCoins(call, NATIVE_COIN, { from, to, amount }),
    ),
});

const transferCoins = modelled({
  module: MODULE,
  name: "transfer_coins",
  typeParameters: 1,
  parameters: [ADDRESS, U64],
  run: (call, { sender: from, args: [to, amount], type }) => sendCoins(call, type, { from, to, amount }),
});

const batchTransferCoins = modelled({
  module: MODULE,
  name: "batch_transfer_coins",
  typeParameters: 1,
  parameters: [ADDRESSES, U64S],
  run: async (call, { sender: from, args: [recipients, amounts], type }) => {
    await assertCoin(call, type);
    await forEachPair(call, recipients, amounts, (to, amount) => sendCoins(call, type, { from, to, amount }));
  },
});

const transferFungibleAssets = modelled({
  module: MODULE,
  name: "transfer_fungible_assets",
  parameters: [OBJECT, ADDRESS, U64],
  run: (call, { sender: from, args: [metadata, to, amount] }) =>
    sendAssets(call, metadata, { from, to, amount }),
});

const batchTransferFungibleAssets = modelled({
  module: MODULE,
  name: "batch_transfer_fungible_assets",
  parameters: [OBJECT, ADDRESSES, U64S],
  run: (call, { sender: from, args: [metadata, recipients, amounts] }) =>
    forEachPair(call, recipients, amounts, (to, amount) => sendAssets(call, metadata, { from, to, amount })),
});

export const APTOS_ACCOUNT: readonly ModelledFunction[] = [
  createAccount,
  transfer,
  batchTransfer,
  transferCoins,
  batchTransferCoins,
  transferFungibleAssets,
  batchTransferFungibleAssets,
];
