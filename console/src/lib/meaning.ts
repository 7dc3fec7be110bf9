// What a transaction means: who paid what to whom, derived from its events and the stores that its changes describe.
import type { BalanceChange, Moved } from "../../../src/cli/movements.ts";
import { fullAddress } from "./format.ts";
import { kindOf, type Transaction } from "./transactions.ts";

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

/** A piece of a sentence. */
export type Piece =
  | string
  | { readonly account: string }
  | { readonly amount: bigint; readonly asset: string }
  | { readonly ledgerText: string };

/** What an account gains or loses of an asset in all. */
type NetChange = Pick<BalanceChange, "account" | "asset" | "amount">;

/** The sum of the changes of each account and asset, without those that sum up to nothing. */
export function netOf(changes: readonly BalanceChange[], assets: KnownAssets): NetChange[] {
  const sums = new Map<string, NetChange>();
  for (const change of changes) {
    const key = `${change.account} ${assets[change.asset]?.id ?? change.asset}`;
    const before = sums.get(key);
    const { account, asset } = before ?? change;
    sums.set(key, { account, asset, amount: (before?.amount ?? 0n) + change.amount });
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
function paymentsOf(changes: readonly NetChange[]): Payment[] {
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
  const caller = { account: fullAddress(sender) ?? "" };
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
