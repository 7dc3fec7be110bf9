// What a transaction moves between accounts, and what it costs: from its events, and from the stores that its changes
// describe. Statements and the console read it alike.
import { fullAddress, NATIVE_COIN } from "./asset-texts.ts";

/** The members of a transaction's JSON that say what it moved. */
export interface TransactionText {
  readonly hash: string;
  readonly sender?: string;
  readonly gas_used?: string;
  readonly gas_unit_price?: string;
  readonly signature?: { readonly [member: string]: unknown } | null;
  readonly events?: readonly EventText[];
  readonly changes?: readonly {
    readonly address?: string;
    readonly data?: { readonly type?: string; readonly data?: unknown } | null;
  }[];
}

interface EventText {
  readonly guid?: { readonly account_address?: string; readonly creation_number?: string };
  readonly type: string;
  readonly data: unknown;
}

/** A change of what an account holds of an asset. */
export interface BalanceChange {
  readonly account: string;
  /** Coin type or metadata address. */
  readonly asset: string;
  readonly amount: bigint;
}

/** A change by an event. */
interface EventChange extends BalanceChange {
  /** Its place among the events of the transaction. */
  readonly event: number;
  /** The store of a fungible asset. */
  readonly store: string | undefined;
}

export interface Moved {
  readonly changes: readonly EventChange[];
  /** Events of stores that the transaction does not describe, as those it deleted. */
  readonly unknown: number;
}

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

function storesOf({ changes = [] }: TransactionText): Stores {
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
  event: EventText,
  stores: Stores,
):
  | { readonly kind: string; readonly account: string; readonly asset: string; readonly store?: string }
  | undefined {
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
  return { kind, account: stores.owners.get(store) ?? "", asset: stores.assets.get(store) ?? "", store };
}

/** What moved between accounts, without the fee. */
export function movedBy(transaction: TransactionText): Moved {
  const stores = storesOf(transaction);
  const events = transaction.events ?? [];
  // A framework in between the two forms emitted both.
  const hasOld = events.some(({ type }) => OLD_COIN_EVENT.test(type));
  const changes: EventChange[] = [];
  let unknown = 0;
  for (const [place, event] of events.entries()) {
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
        event: place,
        store: found.store,
      });
  }
  return { changes, unknown };
}

export const FEE_STATEMENT = "0x1::transaction_fee::FeeStatement";

/** Who paid for gas, and how much, less what came back for freed storage. */
export function feeOf(transaction: TransactionText): BalanceChange | undefined {
  const { gas_used: used, gas_unit_price: price, signature, sender, events = [] } = transaction;
  if (used === undefined || price === undefined || sender === undefined) return undefined;
  const statement = events.find(({ type }) => type === FEE_STATEMENT);
  const refund = BigInt(textOf(membersOf(statement?.data).storage_fee_refund_octas) || 0);
  const payer = textOf(signature?.fee_payer_address) || sender;
  return { account: addressOf(payer), asset: NATIVE_COIN, amount: refund - BigInt(used) * BigInt(price) };
}
