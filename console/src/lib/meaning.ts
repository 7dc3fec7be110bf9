// What a transaction means: who paid what to whom, derived from its events and the stores that its changes describe.
import { fullAddress } from "./format.ts";
import { kindOf, type LedgerEvent, type Transaction } from "./transactions.ts";

/** What the ledger says of an asset. */
export interface AssetFacts {
  /** Address of the metadata: a coin and the fungible asset it is paired with are one asset. */
  readonly id: string;
  readonly name?: string | undefined;
  readonly symbol?: string | undefined;
  readonly decimals?: number | undefined;
}

/** Facts by coin type or metadata address, as it was asked for. */
export type KnownAssets = Readonly<Record<string, AssetFacts>>;

/** A change of what an account holds of an asset. */
export interface BalanceChange {
  readonly account: string;
  /** Coin type or metadata address. */
  readonly asset: string;
  readonly amount: bigint;
}

export interface Moved {
  readonly changes: readonly BalanceChange[];
  /** Events of stores that the transaction does not describe, as those it deleted. */
  readonly unknown: number;
}

/** A piece of a sentence. */
export type Piece =
  | string
  | { readonly account: string }
  | { readonly amount: bigint; readonly asset: string }
  | { readonly ledgerText: string };

/** The native coin, in which fees are paid. */
export const NATIVE = "0x1::aptos_coin::AptosCoin";

const COIN_STORE = /^0x1::coin::CoinStore<(.*)>$/;
/** Events of coin stores: the old form names no account, the newer ones do. */
const OLD_COIN_EVENT = /^0x1::coin::(Withdraw|Deposit)Event$/;
const COIN_EVENT = /^0x1::coin::(?:Coin)?(Withdraw|Deposit)(?:<(.*)>)?$/;
const ASSET_EVENT = /^0x1::fungible_asset::(Withdraw|Deposit)$/;

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function addressOf(value: unknown): string {
  return fullAddress(textOf(value)) ?? "";
}

interface Stores {
  /** Coin types by the account and number of an event handle. */
  readonly handles: ReadonlyMap<string, string>;
  readonly owners: ReadonlyMap<string, string>;
  /** Metadata addresses by store. */
  readonly assets: ReadonlyMap<string, string>;
}

function storesOf({ changes = [] }: Transaction): Stores {
  const handles = new Map<string, string>();
  const owners = new Map<string, string>();
  const assets = new Map<string, string>();
  for (const { address = "", data } of changes) {
    const at = addressOf(address);
    const members = membersOf(data?.data);
    const type = data?.type ?? "";
    const coin = COIN_STORE.exec(type)?.[1];
    if (coin !== undefined) {
      for (const name of ["withdraw_events", "deposit_events"]) {
        const { addr, creation_num: number } = membersOf(membersOf(membersOf(members[name]).guid).id);
        handles.set(`${addressOf(addr)} ${textOf(number)}`, coin);
      }
    }
    if (type === "0x1::object::ObjectCore") owners.set(at, addressOf(members.owner));
    if (type === "0x1::fungible_asset::FungibleStore")
      assets.set(at, addressOf(membersOf(members.metadata).inner));
  }
  return { handles, owners, assets };
}

/** The account and asset that an event of a store is about; undefined for other events. */
function storeOf(
  event: LedgerEvent,
  stores: Stores,
): { readonly kind: string; readonly account: string; readonly asset: string } | undefined {
  const data = membersOf(event.data);
  const old = OLD_COIN_EVENT.exec(event.type)?.[1];
  if (old !== undefined) {
    const account = addressOf(event.guid?.account_address);
    const asset = stores.handles.get(`${account} ${event.guid?.creation_number ?? ""}`) ?? "";
    return { kind: old, account, asset };
  }
  const [, coinKind, typed] = COIN_EVENT.exec(event.type) ?? [];
  if (coinKind !== undefined)
    return { kind: coinKind, account: addressOf(data.account), asset: typed ?? textOf(data.coin_type) };
  const kind = ASSET_EVENT.exec(event.type)?.[1];
  if (kind === undefined) return undefined;
  const store = addressOf(data.store);
  return { kind, account: stores.owners.get(store) ?? "", asset: stores.assets.get(store) ?? "" };
}

/** What moved between accounts, without the fee. */
export function movedBy(transaction: Transaction): Moved {
  const stores = storesOf(transaction);
  const events = transaction.events ?? [];
  // A framework in between the two forms emitted both.
  const hasOld = events.some(({ type }) => OLD_COIN_EVENT.test(type));
  const changes: BalanceChange[] = [];
  let unknown = 0;
  for (const event of events) {
    if (hasOld && COIN_EVENT.test(event.type)) continue;
    const found = storeOf(event, stores);
    if (found === undefined) continue;
    const amount = BigInt(textOf(membersOf(event.data).amount) || 0);
    if (found.account === "" || found.asset === "") unknown++;
    else
      changes.push({
        account: found.account,
        asset: found.asset,
        amount: found.kind === "Withdraw" ? -amount : amount,
      });
  }
  return { changes, unknown };
}

/** Who paid for gas, and how much, less what came back for freed storage. */
export function feeOf(transaction: Transaction): BalanceChange | undefined {
  const { gas_used: used, gas_unit_price: price, signature, sender, events = [] } = transaction;
  if (used === undefined || price === undefined || sender === undefined) return undefined;
  const statement = events.find(({ type }) => type === "0x1::transaction_fee::FeeStatement");
  const refund = BigInt(textOf(membersOf(statement?.data).storage_fee_refund_octas) || 0);
  const payer = textOf(signature?.fee_payer_address) || sender;
  return { account: addressOf(payer), asset: NATIVE, amount: refund - BigInt(used) * BigInt(price) };
}

/** The sum of the changes of each account and asset, without those that sum up to nothing. */
export function netOf(changes: readonly BalanceChange[], assets: KnownAssets): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const change of changes) {
    const key = `${change.account} ${assets[change.asset]?.id ?? change.asset}`;
    const before = sums.get(key);
    sums.set(key, { ...(before ?? change), amount: (before?.amount ?? 0n) + change.amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

interface Payment {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly asset: string;
  readonly amount: bigint;
}

/** Who paid whom of one asset, where that is certain: one side is one account. */
function paymentsOf(changes: readonly BalanceChange[]): Payment[] {
  const payers = changes.filter(({ amount }) => amount < 0n);
  const receivers = changes.filter(({ amount }) => amount > 0n);
  const rest = changes.reduce((sum, { amount }) => sum + amount, 0n);
  const asset = changes[0]?.asset ?? "";
  const [payer, receiver] = [payers[0]?.account, receivers[0]?.account];
  if (payers.length === 1 && receivers.length > 0 && rest <= 0n) {
    const paid = receivers.map(({ account, amount }) => ({ from: payer, to: account, asset, amount }));
    return rest === 0n ? paid : [...paid, { from: payer, to: undefined, asset, amount: -rest }];
  }
  if (receivers.length === 1 && payers.length > 0 && rest >= 0n) {
    const paid = payers.map(({ account, amount }) => ({
      from: account,
      to: receiver,
      asset,
      amount: -amount,
    }));
    return rest === 0n ? paid : [...paid, { from: undefined, to: receiver, asset, amount: rest }];
  }
  return changes.map(({ account, amount }) =>
    amount < 0n
      ? { from: account, to: undefined, asset, amount: -amount }
      : { from: undefined, to: account, asset, amount },
  );
}

const MAX_PAYMENTS = 5;

/** `a`, `b and c`, `d, e and f`. */
function listed(items: readonly (readonly Piece[])[]): Piece[] {
  return items.flatMap((item, index) => {
    const link = index === 0 ? [] : [index === items.length - 1 ? " and " : ", "];
    return [...link, ...item];
  });
}

/** One payer's payments, or what one account gets from nobody. */
function clauseOf(payments: readonly Payment[]): Piece[] {
  const [first] = payments;
  if (first === undefined) return [];
  const { from } = first;
  if (from === undefined)
    return listed(
      payments.map(({ to = "", amount, asset }) => [{ account: to }, " receives ", { amount, asset }]),
    );
  const paid = payments.filter(({ to }) => to !== undefined);
  const burnt = payments.filter(({ to }) => to === undefined);
  const clauses = [
    ...(paid.length === 0
      ? []
      : [
          [
            "pays ",
            ...listed(paid.map(({ amount, asset, to = "" }) => [{ amount, asset }, " to ", { account: to }])),
          ],
        ]),
    ...(burnt.length === 0
      ? []
      : [["gives up ", ...listed(burnt.map(({ amount, asset }) => [{ amount, asset }]))]]),
  ];
  return [{ account: from }, " ", ...listed(clauses)];
}

/** `coin::transfer` of `0x1::coin::transfer`. */
function shortCall({ payload }: Transaction): string {
  return payload?.function?.split("::").slice(1).join("::") ?? payload?.type.replaceAll("_", " ") ?? "";
}

/** The reason in a status such as `Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): Not enough coins`. */
function reasonOf(status: string): string {
  return status.split(/: (?=\D)/).at(-1) ?? status;
}

/** What a transaction does, in one sentence. Empty while an asset in it is not known yet. */
export function sentenceOf(transaction: Transaction, { changes }: Moved, assets: KnownAssets): Piece[] {
  const { sender, success, vm_status: status = "" } = transaction;
  if (sender === undefined || transaction.payload === undefined) return [kindOf(transaction)];
  const caller = { account: addressOf(sender) };
  const call = { ledgerText: shortCall(transaction) };
  if (success === false)
    return [caller, " calls ", call, ", which fails: ", { ledgerText: reasonOf(status) }];
  const net = netOf(changes, assets);
  const ids = [...new Set(net.map(({ asset }) => assets[asset]?.id ?? asset))];
  const payments = ids.flatMap((id) =>
    paymentsOf(net.filter(({ asset }) => (assets[asset]?.id ?? asset) === id)),
  );
  if (payments.length === 0) return [caller, " calls ", call];
  const [one, two] = payments;
  if (payments.length === 2 && one?.from !== undefined && one.from === two?.to && one.to === two.from) {
    const [given, taken] = two.from === caller.account ? [two, one] : [one, two];
    return [
      { account: given.from ?? "" },
      " swaps ",
      { amount: given.amount, asset: given.asset },
      " for ",
      { amount: taken.amount, asset: taken.asset },
      " with ",
      { account: given.to ?? "" },
    ];
  }
  const shown = payments.slice(0, MAX_PAYMENTS);
  const payers = [...new Set(shown.map(({ from }) => from))];
  const clauses = payers.map((payer) => clauseOf(shown.filter(({ from }) => from === payer)));
  const more = payments.length - shown.length;
  const told = [...listed(clauses), ...(more === 0 ? [] : [`, and ${more} more payments`])];
  return payers.includes(caller.account) ? told : [caller, " calls ", call, ": ", ...told];
}
