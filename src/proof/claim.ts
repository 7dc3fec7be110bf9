// What a bundle can claim, and the rules that lead from proven items, transactions and events to a claim. The rule of a claim
// names the keys of its state items, so that no bundle can leave one out.
import { compareBytes, equalBytes } from "../base/bytes.ts";
import { toPrefixedHex } from "../base/hex.ts";
import { decodeWith, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { BcsReader } from "../bcs/reader.ts";
import { struct, variants } from "../bcs/records.ts";
import { bool, byteString, hash, text, u16, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { type Asset, parseAsset, primaryStoreAddress } from "../ledger/balances/asset.ts";
import { balanceKeys } from "../ledger/balances/balance-keys.ts";
import { addParts, amountOfPart } from "../ledger/balances/balance-parts.ts";
import { type ContractEvent, contractEventCodec } from "../ledger/formats/block-event.ts";
import { stateValueData } from "../ledger/formats/state-value.ts";
import { findGroupMembers } from "../ledger/items/resource-group.ts";
import { coinStoreCodec, type EventHandle, frameworkTag } from "../ledger/items/resources.ts";
import {
  moduleKeyHash,
  resourceGroupKeyHash,
  resourceKeyHash,
  tableItemKeyHash,
} from "../ledger/key-hash.ts";
import { type Address, FRAMEWORK, formatAddress, parseAddress } from "../move/address.ts";
import { isIdentifier } from "../move/identifier.ts";
import { formatStructTag, formatTypeTag, structTagCodec } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { addressCodec } from "../move/wire.ts";
import { ProofError } from "./errors.ts";

/** Most balances of a bundle: as many as a node proves in one. */
export const MAX_PAIRS = 1000;
/** Longest text of a type, in characters: nodes take 16,384, which the one spelling may lengthen. */
const MAX_TYPE_LENGTH = 32_768;

/** Time of the block, in microseconds since 1970. */
const time = option(u64);

export const claimCodec = variants("Claim", {
  balances: {
    /** In ascending order, each in its one spelling. */
    assets: vector(text, MAX_PAIRS),
    /** In ascending order of their addresses. */
    accounts: vector(
      struct({
        address: addressCodec,
        /** In ascending order of the assets, each by its place in the list above. */
        amounts: vector(struct({ asset: u16, amount: u64 }), MAX_PAIRS),
      }),
      MAX_PAIRS,
    ),
    /** Whether the authentication key of each account is proven too. */
    hasKeys: bool,
  },
  tableItem: { handle: addressCodec, key: byteString },
  resource: {
    address: addressCodec,
    type: text,
    /** Type of the resource group that holds it; undefined for an item of its own. */
    group: option(text),
  },
  module: { address: addressCodec, name: text },
  transaction: { version: u64, hash, time },
  event: {
    version: u64,
    /** Its place among the events of the transaction, from 0. */
    index: u64,
    /** BCS of the event. */
    event: byteString,
    /** For a deposit into a primary store: whose store of which asset, which the store's address commits to. */
    store: option(struct({ owner: addressCodec, metadata: addressCodec })),
    time,
  },
});
export type Claim = ValueOf<typeof claimCodec>;
type ClaimOf<Kind extends Claim["kind"]> = Extract<Claim, { readonly kind: Kind }>;
export type BalancesClaim = ClaimOf<"balances">;
export type EventClaim = ClaimOf<"event">;
/** Claims about the state after a version. */
export type StateClaim = Exclude<Claim, ClaimOf<"transaction"> | EventClaim>;

/** The balances of an account. */
export interface ProvenAccount {
  readonly address: string;
  /** Hex; the address itself where there is no Account resource. Undefined if the proof leaves it out. */
  readonly authenticationKey: string | undefined;
  readonly balances: readonly ProvenBalance[];
}

export interface ProvenBalance {
  readonly asset: string;
  readonly balance: bigint;
  /** The streams of events that the account's coin store emits to. */
  readonly coinEvents: { readonly deposits: string; readonly withdrawals: string } | undefined;
}

/** A payment to an account. */
export interface ProvenDeposit {
  readonly account: string;
  /** Undefined where neither the event nor the transaction names it. */
  readonly asset: string | undefined;
  readonly amount: bigint;
}

/** What a proof proves. A value that is undefined is proven not to exist. */
export type ProvenClaim =
  | {
      readonly kind: "balances";
      readonly accounts: readonly ProvenAccount[];
      /** Sums by asset. */
      readonly totals: ReadonlyMap<string, bigint>;
    }
  | {
      readonly kind: "table_item";
      readonly tableHandle: string;
      readonly key: Uint8Array;
      readonly value: Uint8Array | undefined;
    }
  | {
      readonly kind: "resource";
      readonly address: string;
      readonly type: string;
      /** The group that was looked into. That the type belongs to it is not proven. */
      readonly group: string | undefined;
      readonly value: Uint8Array | undefined;
    }
  | {
      readonly kind: "module";
      readonly address: string;
      readonly name: string;
      readonly value: Uint8Array | undefined;
    }
  | { readonly kind: "statements"; readonly statements: readonly ProvenStatement[] }
  | ({ readonly kind: "transaction" } & ProvenTransaction)
  | ({
      readonly kind: "event";
      readonly index: bigint;
      readonly type: string;
      readonly data: Uint8Array;
      /** Account and number of the stream of an event that has one. */
      readonly stream: string | undefined;
      readonly deposit: ProvenDeposit | undefined;
    } & ProvenTransaction);

export interface ProvenTransaction {
  readonly version: bigint;
  readonly hash: string;
  readonly transactionType: string;
  /** Undefined for a transaction that no user sent. */
  readonly sender: string | undefined;
  readonly isSuccess: boolean;
  readonly gasUsed: bigint;
  /** What a user's transaction costs before refunds, and who pays. */
  readonly fee: { readonly payer: string; readonly amount: bigint } | undefined;
}

/** How many changes of one kind, and their sum. */
export interface ProvenSum {
  readonly count: number;
  readonly amount: bigint;
}

/** An account's balance of one asset over a period, with a receipt for each change. */
export interface ProvenStatement {
  readonly address: string;
  readonly asset: string;
  /** The period contains its first moment, not its last one; microseconds since 1970. */
  readonly fromUsec: bigint;
  readonly toUsec: bigint;
  readonly openingVersion: bigint;
  readonly opening: bigint;
  readonly deposits: ProvenSum;
  readonly withdrawals: ProvenSum;
  /** Less what came back for freed storage. */
  readonly fees: ProvenSum;
  readonly closingVersion: bigint;
  readonly closing: bigint;
}

function malformed(reason: string): ProofError {
  return new ProofError("malformed", reason);
}

/** Throws ProofError unless a text is in its one spelling, so that no byte of a bundle can change. */
function assertSpelling(what: string, given: string, spell: (given: string) => string): void {
  if (given.length > MAX_TYPE_LENGTH)
    throw malformed(`the ${what} has ${given.length} characters, more than ${MAX_TYPE_LENGTH}`);
  const spelling = spell(given);
  if (given !== spelling) throw malformed(`the ${what} must be written ${spelling}`);
}

const spellType = (given: string): string => formatStructTag(parseStructTag(given));

function assetOf(given: string): Asset {
  const isCoin = given.includes(":");
  assertSpelling("asset", given, isCoin ? spellType : (address) => formatAddress(parseAddress(address)));
  return parseAsset(given);
}

const MAX_PARSED = 1000;
const parsedAssets = new Map<string, Asset>();

/** An asset of a claim. Most claims are about a few, whose parsing takes longer than everything else. */
function assetNamed(name: string): Asset {
  const known = parsedAssets.get(name);
  if (known !== undefined) return known;
  const asset = assetOf(name);
  if (parsedAssets.size >= MAX_PARSED) parsedAssets.clear();
  parsedAssets.set(name, asset);
  return asset;
}

function tagBytes(what: string, given: string): Uint8Array {
  assertSpelling(what, given, spellType);
  return encodeWith(structTagCodec, parseStructTag(given));
}

const TIME_KEY = resourceKeyHash(FRAMEWORK, frameworkTag("timestamp", "CurrentTimeMicroseconds"), undefined);
const ACCOUNT_TAG = frameworkTag("account", "Account");

/** The value of the item of a key hash; undefined where it does not exist. */
type ReadItem = (keyHash: Uint8Array) => Uint8Array | undefined;

/** The time of the state, in microseconds. */
export function provenTime(read: ReadItem): bigint {
  const value = read(TIME_KEY);
  if (value === undefined) throw new ProofError("claim", "the state has no time");
  return decodeWith(u64, stateValueData(value));
}

/**
 * What a claim says by the values of its items, which it asks for by their key hashes. Throws ProofError for a claim that
 * they refute, MoveError for texts that are no types, BcsError and LedgerError for values that are none.
 */
export function provenState(claim: StateClaim, read: ReadItem): ProvenClaim {
  if (claim.kind === "balances") return provenBalances(claim, read);
  const dataOf = (keyHash: Uint8Array): Uint8Array | undefined => {
    const value = read(keyHash);
    return value && stateValueData(value);
  };
  if (claim.kind === "tableItem") {
    const { handle, key } = claim;
    const value = dataOf(tableItemKeyHash(handle, key, undefined));
    return { kind: "table_item", tableHandle: formatAddress(handle), key, value };
  }
  const address = formatAddress(claim.address);
  if (claim.kind === "module") {
    const { name } = claim;
    if (!isIdentifier(name)) throw malformed("the name of the module is no identifier");
    return { kind: "module", address, name, value: dataOf(moduleKeyHash(claim.address, name, undefined)) };
  }
  const { type, group } = claim;
  const tag = tagBytes("type", type);
  if (group === undefined) {
    return {
      kind: "resource",
      address,
      type,
      group,
      value: dataOf(resourceKeyHash(claim.address, tag, undefined)),
    };
  }
  const members = dataOf(resourceGroupKeyHash(claim.address, tagBytes("group", group), undefined));
  const found = members && findGroupMembers(members, [tag]);
  if (members !== undefined && found === undefined)
    throw new ProofError("claim", "the resource group does not decode");
  return { kind: "resource", address, type, group, value: found?.[0] };
}

/** The amounts of a claim, and the authentication keys. */
function provenBalances({ assets: names, accounts, hasKeys }: BalancesClaim, read: ReadItem): ProvenClaim {
  const totals = new Map<string, bigint>();
  const shown = accounts.map(({ address, amounts }): ProvenAccount => {
    const balances = amounts.map(({ asset: place, amount }) => {
      const name = names[place];
      if (name === undefined) throw malformed("a balance is of an asset that is not listed");
      const asset = assetNamed(name);
      const balance = amountOf(address, asset, read);
      if (balance !== amount) {
        throw new ProofError(
          "claim",
          `the balance of ${formatAddress(address)} in ${name} is proven to be ${balance}, not ${amount}`,
        );
      }
      totals.set(name, (totals.get(name) ?? 0n) + amount);
      return { asset: name, balance, coinEvents: coinEventsOf(address, asset, read) };
    });
    return {
      address: formatAddress(address),
      authenticationKey: hasKeys ? keyOf(address, read) : undefined,
      balances,
    };
  });
  return { kind: "balances", accounts: shown, totals };
}

/** Throws ProofError unless a claim lists everything once and in order, so that it has one spelling, and not too much. */
export function assertInOrder(claim: StateClaim): void {
  if (claim.kind !== "balances") return;
  const { assets, accounts } = claim;
  const pairs = accounts.reduce((sum, { amounts }) => sum + amounts.length, 0);
  if (pairs > MAX_PAIRS) throw malformed(`the claim has ${pairs} balances, more than ${MAX_PAIRS}`);
  const isAscending = <T>(list: readonly T[], compare: (a: T, b: T) => number): boolean =>
    list.every((one, i) => i === 0 || compare(list[i - 1] as T, one) < 0);
  const used = new Set(accounts.flatMap(({ amounts }) => amounts.map(({ asset }) => asset)));
  const isInOrder =
    isAscending(assets, (a, b) => (a < b ? -1 : 1)) &&
    isAscending(accounts, (a, b) => compareBytes(a.address, b.address)) &&
    accounts.every(({ amounts }) => amounts.length > 0 && isAscending(amounts, (a, b) => a.asset - b.asset));
  if (!isInOrder || used.size !== assets.length) {
    throw malformed("the assets, the accounts or their balances are not each there once, in ascending order");
  }
}

function amountOf(address: Address, asset: Asset, read: ReadItem): bigint {
  const parts = balanceKeys(address, asset, undefined).map((keyHash, part) => {
    const value = read(keyHash);
    // Amounts do not depend on the version that wrote an item.
    return amountOfPart(part, value && { version: 0n, value });
  });
  return addParts(parts);
}

function coinEventsOf(address: Address, asset: Asset, read: ReadItem): ProvenBalance["coinEvents"] {
  const [, coinStore] = balanceKeys(address, asset, undefined);
  const value = coinStore && read(coinStore);
  if (value === undefined) return undefined;
  const { depositEvents, withdrawEvents } = decodeWith(coinStoreCodec, stateValueData(value));
  return { deposits: streamOf(depositEvents), withdrawals: streamOf(withdrawEvents) };
}

function streamOf({ account, creationNumber }: Pick<EventHandle, "account" | "creationNumber">): string {
  return `${formatAddress(account)} ${creationNumber}`;
}

/** The stream of an event; undefined for one that has none. */
export function streamOfEvent(event: ContractEvent): string | undefined {
  return event.kind === "v1" ? streamOf(event) : undefined;
}

/** A claim with the amounts that the items give; of any other kind, the claim. */
export function withAmounts(claim: StateClaim, read: ReadItem): StateClaim {
  if (claim.kind !== "balances") return claim;
  const accounts = claim.accounts.map(({ address, amounts }) => ({
    address,
    amounts: amounts.map(({ asset: place }) => {
      const name = claim.assets[place];
      return { asset: place, amount: name === undefined ? 0n : amountOf(address, assetNamed(name), read) };
    }),
  }));
  return { ...claim, accounts };
}

/** The authentication key of an account. Without an Account resource it is the address. */
function keyOf(address: Address, read: ReadItem): string {
  const value = read(resourceKeyHash(address, ACCOUNT_TAG, undefined));
  return toPrefixedHex(value === undefined ? address : new BcsReader(stateValueData(value)).byteString());
}

/** The key hash of the time alone. */
export const TIME_KEYS: readonly Uint8Array[] = [TIME_KEY];

/** The key hashes that a claim about the state rests on, sorted, each once; with the time of the state. */
export function stateKeysOf(claim: StateClaim): Uint8Array[] {
  const keys = [TIME_KEY];
  const note = (keyHash: Uint8Array): undefined => void keys.push(keyHash);
  // The items are not known yet: without one, every amount is 0.
  const without = withAmounts(claim, () => undefined);
  provenState(without, note);
  return sortedKeys(keys);
}

export function sortedKeys(keys: readonly Uint8Array[]): Uint8Array[] {
  const sorted = keys.toSorted(compareBytes);
  return sorted.filter((key, i) => i === 0 || !equalBytes(key, sorted[i - 1] ?? TIME_KEY));
}

/** A claim as claims of one balance each: a thousand take long, of long types most of all. Any other claim as it is. */
export function* claimParts(claim: StateClaim): Generator<StateClaim> {
  if (claim.kind !== "balances") return yield claim;
  for (const { address, amounts } of claim.accounts)
    for (const amount of amounts) yield { ...claim, accounts: [{ address, amounts: [amount] }] };
}

const storeMoveCodec = struct({ store: addressCodec, amount: u64 });
const coinMoveCodec = struct({ coinType: text, account: addressCodec, amount: u64 });
const accountMoveCodec = struct({ account: addressCodec, amount: u64 });
const STORE_MOVE = /^0x1::fungible_asset::(Deposit|Withdraw)$/;
const COIN_MOVE = /^0x1::coin::(?:Coin(Deposit|Withdraw)|(Deposit|Withdraw)<(.*)>)$/;
const STREAM_MOVE = /^0x1::coin::(Deposit|Withdraw)Event$/;

/** A deposit or withdrawal. The earliest form names neither the account nor the coin, only the stream of the coin store. */
interface Move {
  readonly isDeposit: boolean;
  readonly amount: bigint;
  readonly store?: Uint8Array;
  readonly coin?: { readonly account: Address; readonly type: string };
  readonly stream?: string;
}

/** The deposit or withdrawal that an event tells of, if it does. Throws BcsError. */
export function moveOf(type: string, data: Uint8Array, stream: string | undefined): Move | undefined {
  const [, inStore] = STORE_MOVE.exec(type) ?? [];
  if (inStore !== undefined) return { isDeposit: inStore === "Deposit", ...decodeWith(storeMoveCodec, data) };
  const [, inStream] = STREAM_MOVE.exec(type) ?? [];
  if (inStream !== undefined && stream !== undefined) {
    return { isDeposit: inStream === "Deposit", amount: decodeWith(u64, data), stream };
  }
  const [, named, plain, typed] = COIN_MOVE.exec(type) ?? [];
  const kind = named ?? plain;
  if (kind === undefined) return undefined;
  const { account, amount, coinType } =
    typed === undefined
      ? decodeWith(coinMoveCodec, data)
      : { ...decodeWith(accountMoveCodec, data), coinType: typed };
  return { isDeposit: kind === "Deposit", amount, coin: { account, type: coinType } };
}

function depositIn(event: ContractEvent): Partial<Move> {
  const move = moveOf(formatTypeTag(event.type), event.data, streamOfEvent(event));
  return move?.isDeposit ? move : {};
}

/** The address of the store that a deposit of a fungible asset went to; undefined for another event. */
export function depositStore(event: ContractEvent): Uint8Array | undefined {
  return depositIn(event).store;
}

/** The payment that an event tells of, if it does. Throws ProofError and BcsError. */
export function depositOf(event: ContractEvent, claimed: EventClaim["store"]): ProvenDeposit | undefined {
  const { store, coin, stream, amount = 0n } = depositIn(event);
  if (store !== undefined && claimed !== undefined) {
    if (!equalBytes(primaryStoreAddress(claimed.owner, claimed.metadata), store)) {
      throw new ProofError(
        "claim",
        "the deposit went to another store than that of the account and the asset",
      );
    }
    return { account: formatAddress(claimed.owner), asset: formatAddress(claimed.metadata), amount };
  }
  if (claimed !== undefined) throw malformed("only a deposit into a primary store names one");
  if (coin !== undefined) return { account: formatAddress(coin.account), asset: coin.type, amount };
  if (stream === undefined || event.kind !== "v1") return undefined;
  return { account: formatAddress(event.account), asset: undefined, amount };
}

/** The event of a claim. Throws BcsError. */
export function eventOf({ event }: EventClaim): ContractEvent {
  return decodeWith(contractEventCodec, event);
}
