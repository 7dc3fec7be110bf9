// A statement of an account over a period. For each asset: the balance before it, every change with its kind and the other
// side, and the balance at its end, read separately and checked against each other. The period contains its beginning and
// not its end, so that the statements of two months have every change once.
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { formatTime, parseTime } from "../base/texts/time-text.ts";
import { fullAddress, leftOutOf, NATIVE_COIN, NATIVE_METADATA } from "./asset-texts.ts";
import { type BalanceChange, feeOf, movedBy, type TransactionText } from "./movements.ts";
import type { ChangeText, ReadAt, Source, TrustedText } from "./source/source.ts";

/** More changes than a statement can hold in memory. */
const MAX_CHANGES = 250_000;
/** Transactions that are asked for at once. */
const IN_FLIGHT = 16;

const PERIOD_EXPECTED = "a day (2026-01-31, in UTC), RFC 3339, or Unix seconds behind an @";

/** What a statement is read from. */
export type StatementSource = Pick<
  Source,
  "detail" | "history" | "holdings" | "info" | "ledger" | "transaction"
>;

export interface Period {
  /** Microseconds since 1970. */
  readonly fromUsec: bigint;
  /** The first moment after the period; undefined ends it after the latest block. */
  readonly toUsec: bigint | undefined;
}

/** Whose balances, and when. */
export interface StatementQuery extends Period {
  readonly address: string;
  /** Undefined for every asset that the account has at one of the ends. */
  readonly asset: string | undefined;
  /** Where the answers come from, for the reader of the statement. */
  readonly node: string;
}

/** A balance at the end or just before the beginning of a period. */
interface StatementPoint {
  /** The last version before that moment. */
  readonly ledger_version: string;
  readonly timestamp_usec: string;
  readonly balance: string;
  /** How far the node vouches for it, where the node says so. */
  readonly trust?: string;
}

/** `other` is what the transaction's events do not explain. */
export type ChangeKind = "paid" | "received" | "fee" | "other";

export interface StatementChange extends ChangeText {
  readonly kind: ChangeKind;
  /** The part of the change that is the transaction's fee: negative, or positive where freed storage paid more back. */
  readonly fee: string;
  /** Accounts on the other side. */
  readonly counterparties: readonly string[];
}

/** Amounts are decimal digits in the asset's smallest unit. */
export interface Statement {
  readonly address: string;
  readonly asset_type: string;
  readonly chain_id: number;
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  /** What is not in it, of an asset that has two parts. */
  readonly left_out?: string;
  /** RFC 3339; the period contains `from` and not `to`. */
  readonly from: string;
  readonly to: string;
  readonly opening: StatementPoint;
  readonly changes: readonly StatementChange[];
  /** Without fees. */
  readonly received: string;
  readonly paid: string;
  readonly fees: string;
  readonly closing: StatementPoint;
  /** The node's latest block when the statement was made. */
  readonly made: {
    readonly node: string;
    readonly at: string;
    readonly ledger_version: string;
    readonly waypoint?: string;
    readonly sextant_version: string;
  };
}

/** One end of a period, in microseconds. Throws ConfigError. */
export function parsePeriodEnd(name: string, text: string | undefined): bigint {
  if (text === undefined) throw new ConfigError(`missing ${name}: expected ${PERIOD_EXPECTED}`);
  const refuse = (reason: string): never => {
    throw new ConfigError(`${name}: expected ${PERIOD_EXPECTED}, got ${JSON.stringify(text)}: ${reason}`);
  };
  // Bare digits could be a year, a version or seconds.
  if (/^\d+$/.test(text)) return refuse("it could be a version or seconds");
  let usec: bigint;
  try {
    usec = parseTime(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text, true);
  } catch (error) {
    return refuse(errorText(error));
  }
  // The state before 1970 cannot be asked for.
  return usec === 0n ? refuse("there is no moment before it") : usec;
}

/** The options that name a period, as they were given. */
export interface PeriodTexts {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly month: string | undefined;
  readonly quarter: string | undefined;
}

/** Months since year 0, and how many. */
function monthsOf({ month, quarter }: PeriodTexts): readonly [first: number, count: number] | undefined {
  const [, year, number] =
    (quarter === undefined
      ? /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month ?? "")
      : /^(\d{4})-[Qq]([1-4])$/.exec(quarter)) ?? [];
  if (year === undefined || number === undefined) return undefined;
  return quarter === undefined
    ? [Number(year) * 12 + Number(number) - 1, 1]
    : [Number(year) * 12 + (Number(number) - 1) * 3, 3];
}

/** Months and quarters are those of UTC. Throws ConfigError. */
export function parsePeriod(texts: PeriodTexts): Period {
  const { from, to, month, quarter } = texts;
  if (month === undefined && quarter === undefined) {
    if (from === undefined && to === undefined)
      throw new ConfigError("missing the period: expected --from and --to, --month, or --quarter");
    const fromUsec = parsePeriodEnd("--from", from);
    const toUsec = to === "now" ? undefined : parsePeriodEnd("--to", to);
    if (toUsec !== undefined && fromUsec >= toUsec)
      throw new ConfigError("--from: expected a time before --to, got one at or after it");
    return { fromUsec, toUsec };
  }
  const months = monthsOf(texts);
  if (months === undefined) {
    const [name, expected] =
      quarter === undefined ? ["--month", "a month (2026-10)"] : ["--quarter", "a quarter (2026-Q3)"];
    throw new ConfigError(`${name}: expected ${expected}, got ${JSON.stringify(quarter ?? month)}`);
  }
  const [first, count] = months;
  const begin = (at: number): bigint => {
    const day = `${Math.floor(at / 12)}`.padStart(4, "0");
    return parsePeriodEnd(
      quarter === undefined ? "--month" : "--quarter",
      `${day}-${`${(at % 12) + 1}`.padStart(2, "0")}-01`,
    );
  };
  return { fromUsec: begin(first), toUsec: begin(first + count) };
}

function fail(reason: string): never {
  throw new CodedError("statement", `the statement does not add up: ${reason}; do not use it`);
}

/** Throws if the changes do not lead from the opening balance to the closing one. */
function assertAddsUp(
  { opening, changes, closing, received, paid, fees }: Statement,
  { fromUsec, toUsec }: { readonly fromUsec: bigint; readonly toUsec: bigint },
): void {
  let balance = opening.balance;
  let version = BigInt(opening.ledger_version);
  for (const change of changes) {
    const time = BigInt(change.timestamp_usec);
    if (BigInt(change.version) <= version) fail(`version ${change.version} comes after version ${version}`);
    if (time < fromUsec || time >= toUsec) {
      fail(`version ${change.version} of ${formatTime(time)} is outside of the period`);
    }
    if (change.before !== balance) {
      fail(`version ${change.version} changes a balance of ${change.before}, but it was ${balance}`);
    }
    balance = change.after;
    version = BigInt(change.version);
  }
  if (version > BigInt(closing.ledger_version)) fail(`version ${version} is after the closing balance`);
  const sum = BigInt(opening.balance) + BigInt(received) - BigInt(paid) - BigInt(fees);
  if (`${sum}` !== closing.balance) {
    fail(
      `${opening.balance} + ${received} - ${paid} - ${fees} is ${sum}, but the closing balance is ${closing.balance}`,
    );
  }
}

/** What a transaction moved, and who paid its fee. */
interface Movements {
  readonly moved: readonly BalanceChange[];
  readonly fee: BalanceChange | undefined;
}

/** Reads the transactions of changes, as far as they are not known yet. */
async function readMovements(
  source: StatementSource,
  changes: readonly ChangeText[],
  known: Map<string, Movements>,
): Promise<void> {
  const missing = changes.filter(({ version }) => !known.has(version));
  const read = async ({ version, transaction_hash: hash }: ChangeText): Promise<void> => {
    const transaction = JSON.parse(await source.transaction(version)) as TransactionText;
    if (transaction.hash !== hash) fail(`the transaction of version ${version} is not ${hash}`);
    try {
      known.set(version, { moved: movedBy(transaction).changes, fee: feeOf(transaction) });
    } catch (error) {
      fail(`the transaction of version ${version} has no form that is known: ${errorText(error)}`);
    }
  };
  for (let i = 0; i < missing.length; i += IN_FLIGHT) {
    await Promise.all(missing.slice(i, i + IN_FLIGHT).map(read));
  }
}

/** One spelling of a type: without spaces and zeros in front. */
function typeKey(type: string): string {
  return type.replace(/\s/g, "").replace(/0x[\da-f]+/gi, (address) => `0x${BigInt(address).toString(16)}`);
}

/** Says which assets of movements count in the balance of `asset`. */
export function assetTest(asset: string, metadata: string | undefined): (moved: string) => boolean {
  const coin = asset.includes("::") ? typeKey(asset) : undefined;
  return (moved) => (moved.includes("::") ? typeKey(moved) === coin : fullAddress(moved) === metadata);
}

/** Why a balance changed. The fee of the native coin may come out of either of its parts. */
function explain(
  change: ChangeText,
  { moved, fee }: Movements,
  account: string,
  counts: (asset: string) => boolean,
): StatementChange {
  const ours = moved.filter(({ asset }) => counts(asset));
  const sumOf = (who: string): bigint =>
    ours.reduce((sum, { account: one, amount }) => (one === who ? sum + amount : sum), 0n);
  const isPayer = fee?.account === account && (counts(NATIVE_COIN) || counts(NATIVE_METADATA));
  const difference = BigInt(change.after) - BigInt(change.before);
  const cost = [isPayer ? fee.amount : 0n, 0n].find((one) => difference - one === sumOf(account));
  if (cost === undefined) return { ...change, kind: "other", fee: "0", counterparties: [] };
  const rest = difference - cost;
  const others = [...new Set(ours.map(({ account: one }) => one))];
  return {
    ...change,
    kind: rest === 0n ? "fee" : rest < 0n ? "paid" : "received",
    fee: `${cost}`,
    counterparties: others.filter((one) => one !== account && sumOf(one) * rest < 0n),
  };
}

/** The part of a change that is not its fee. */
export function amountOf({ before, after, fee }: StatementChange): bigint {
  return BigInt(after) - BigInt(before) - BigInt(fee);
}

async function readChanges(
  source: StatementSource,
  { address, asset }: { readonly address: string; readonly asset: string },
  { ledger_version: first }: StatementPoint,
  { ledger_version: last }: StatementPoint,
): Promise<readonly ChangeText[]> {
  const changes: ChangeText[] = [];
  if (first === last) return changes;
  const range = { from: `${BigInt(first) + 1n}`, to: last, points: undefined };
  for await (const line of source.history(address, asset, range)) {
    if (changes.length === MAX_CHANGES) {
      throw new CodedError("statement", `over ${MAX_CHANGES} changes: ask for a shorter period`);
    }
    changes.push(JSON.parse(line) as ChangeText);
  }
  return changes;
}

/** The state just before a moment. */
function before(usec: bigint): ReadAt {
  return { ledger_version: undefined, at: formatTime(usec - 1n) };
}

/** The assets that an account has at one of the ends; coin types first, because each counts the asset paired with it too. */
async function assetsOf(
  source: StatementSource,
  address: string,
  ends: readonly bigint[],
): Promise<string[]> {
  const assets = new Set<string>();
  for (const usec of ends) {
    for await (const line of source.holdings(address, before(usec))) {
      const { asset_type: asset } = JSON.parse(line) as { asset_type: string };
      assets.add(fullAddress(asset) === fullAddress(NATIVE_METADATA) ? NATIVE_COIN : asset);
    }
  }
  if (assets.size === 0)
    throw new CodedError("statement", `${address} has no asset at either end of the period`);
  const isCoin = (asset: string): boolean => asset.includes("::");
  return [...[...assets].filter(isCoin), ...[...assets].filter((asset) => !isCoin(asset))];
}

interface LedgerText {
  readonly chain_id: number;
  readonly ledger_version: string;
  readonly ledger_timestamp: string;
}

/** Reads a statement for each asset. Throws if one does not add up. */
export async function readStatements(
  source: StatementSource,
  query: StatementQuery,
): Promise<readonly Statement[]> {
  const { fromUsec, node } = query;
  const ledger = JSON.parse(await source.ledger()) as LedgerText;
  const info = JSON.parse(await source.info()) as Readonly<Record<string, unknown>>;
  const madeUsec = BigInt(ledger.ledger_timestamp);
  const toUsec = query.toUsec ?? madeUsec + 1n;
  if (toUsec > madeUsec + 1n) {
    const ends = `the period ends at ${formatTime(toUsec)}, after the latest block of ${formatTime(madeUsec)}`;
    throw new CodedError("statement", `${ends}: ask again later, or up to that block with --to now`);
  }
  if (fromUsec >= toUsec) {
    throw new CodedError("statement", `the period begins after the latest block of ${formatTime(madeUsec)}`);
  }
  const address = fullAddress(query.address) ?? query.address;
  const assets =
    query.asset === undefined ? await assetsOf(source, address, [toUsec, fromUsec]) : [query.asset];
  const made = {
    node,
    at: formatTime(madeUsec),
    ledger_version: ledger.ledger_version,
    ...(info.waypoint === undefined ? {} : { waypoint: `${info.waypoint}` }),
    sextant_version: `${info.sextant_version}`,
  };
  const frame = { address, chain_id: ledger.chain_id, from: formatTime(fromUsec), to: formatTime(toUsec) };
  const known = new Map<string, Movements>();
  const counted = new Set<string>();
  const statements: Statement[] = [];
  for (const asset of assets) {
    const end = await source.detail(address, asset, before(toUsec));
    const about = JSON.parse(end.text) as Partial<Statement> & { fungible?: { metadata?: string } | null };
    const metadata = about.fungible?.metadata;
    if (metadata !== undefined && counted.has(metadata)) continue;
    counted.add(metadata ?? asset);
    const opening = toPoint(await source.detail(address, asset, before(fromUsec)));
    const closing = toPoint(end);
    const plain = await readChanges(source, { address, asset }, opening, closing);
    await readMovements(source, plain, known);
    const counts = assetTest(asset, metadata);
    const changes = plain.map((change) =>
      explain(change, known.get(change.version) ?? { moved: [], fee: undefined }, address, counts),
    );
    let [received, paid, fees] = [0n, 0n, 0n];
    for (const change of changes) {
      const amount = amountOf(change);
      if (amount < 0n) paid -= amount;
      else received += amount;
      fees -= BigInt(change.fee);
    }
    const { name, symbol, decimals } = about;
    const leftOut = leftOutOf(asset);
    const { chain_id, from, to } = frame;
    const statement: Statement = {
      address,
      asset_type: asset,
      chain_id,
      ...(leftOut === undefined ? {} : { left_out: leftOut }),
      ...(name === undefined ? {} : { name }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(decimals === undefined ? {} : { decimals }),
      from,
      to,
      opening,
      changes,
      received: `${received}`,
      paid: `${paid}`,
      fees: `${fees}`,
      closing,
      made,
    };
    assertAddsUp(statement, { fromUsec, toUsec });
    statements.push(statement);
  }
  return statements;
}

function toPoint({ text, trust }: TrustedText): StatementPoint {
  const { ledger_version, timestamp_usec, balance } = JSON.parse(text) as StatementPoint;
  return { ledger_version, timestamp_usec, balance, ...(trust === undefined ? {} : { trust }) };
}
