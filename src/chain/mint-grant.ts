// What lets the faucet mint on a framework with code: the capability that the framework's own mint function asks for. On a
// network nobody has it any more.
import { equalBytes } from "../base/bytes.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u8 } from "../bcs/scalars.ts";
import { accountCodec, coinStoreCodec } from "../ledger/resources.ts";
import { stateKeyCodec } from "../ledger/state-key.ts";
import { writeSetCodec } from "../ledger/write-set.ts";
import type { Address } from "../move/address.ts";
import type { LedgerTransactions } from "../vm/ledger-transactions.ts";
import { type Item, resourceItem } from "./item.ts";
import { newAccount } from "./new-account.ts";

/** The write set that makes the faucet an account which may mint; undefined if it is one, or is not the sender. */
export async function mintGrant(
  transactions: LedgerTransactions,
  faucet: Address,
  sender: Address,
): Promise<Uint8Array | undefined> {
  if (!equalBytes(faucet, sender)) return undefined;
  const has = async (item: Item<unknown>): Promise<boolean> =>
    (await transactions.item(encodeWith(stateKeyCodec, item.key))) !== undefined;
  const account = resourceItem(faucet, "0x1::account::Account", accountCodec);
  // A struct without fields has one byte.
  const capability = resourceItem(faucet, "0x1::aptos_coin::MintCapStore", u8);
  if (await has(capability as Item<unknown>)) return undefined;
  const created = [[capability.key, { kind: "creation", data: encodeWith(u8, 0) }] as const];
  const isNew = !(await has(account as Item<unknown>));
  if (isNew) {
    const create = <T>(item: Item<T>, value: T): void =>
      void created.push([item.key, { kind: "creation", data: encodeWith(item.codec, value) }]);
    const handle = (creationNumber: bigint) => ({ counter: 0n, creationNumber, account: faucet });
    create(account, { ...newAccount(faucet), guidCreationNumber: 4n });
    // Older frameworks want a coin store of every payer, also of one that pays nothing.
    create(resourceItem(faucet, "0x1::coin::CoinStore<0x1::aptos_coin::AptosCoin>", coinStoreCodec), {
      value: 0n,
      frozen: false,
      depositEvents: handle(2n),
      withdrawEvents: handle(3n),
    });
  }
  return encodeWith(writeSetCodec, { kind: "v0", writes: created });
}
