// A statement of one balance over a period: the balance before it, every change, and the balance at its end, read
// separately and checked against each other. The period contains its beginning and not its end, so that the statements of
// two months have every change once.
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { formatTime, parseTime } from "../base/time-text.ts";
import { leftOutOf } from "./asset-texts.ts";
import type { ChangeText, ReadAtOperand, Source, TrustedText } from "./source/source.ts";

/** More changes than a statement can hold in memory. */
const MAX_CHANGES = 250_000;

const PERIOD_EXPECTED = "a day (2026-01-31, in UTC), RFC 3339, or Unix seconds behind an @";

/** Whose balance, and when. */
export interface StatementQuery {
  readonly address: string;
  readonly asset: string;
  /** Microseconds since 1970. */
  readonly fromUsec: bigint;
  /** The first moment after the period. */
  readonly toUsec: bigint;
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
  readonly changes: readonly ChangeText[];
  readonly received: string;
  readonly paid: string;
  readonly closing: StatementPoint;
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

function fail(reason: string): never {
  throw new CodedError("statement", `the statement does not add up: ${reason}; do not use it`);
}

/** Throws if the changes do not lead from the opening balance to the closing one. */
function assertAddsUp({ opening, changes, closing, received, paid }: Statement, query: StatementQuery): void {
  let balance = opening.balance;
  let version = BigInt(opening.ledger_version);
  for (const change of changes) {
    const time = BigInt(change.timestamp_usec);
    if (BigInt(change.version) <= version) fail(`version ${change.version} comes after version ${version}`);
    if (time < query.fromUsec || time >= query.toUsec) {
      fail(`version ${change.version} of ${formatTime(time)} is outside of the period`);
    }
    if (change.before !== balance) {
      fail(`version ${change.version} changes a balance of ${change.before}, but it was ${balance}`);
    }
    balance = change.after;
    version = BigInt(change.version);
  }
  if (version > BigInt(closing.ledger_version)) fail(`version ${version} is after the closing balance`);
  const sum = BigInt(opening.balance) + BigInt(received) - BigInt(paid);
  if (`${sum}` !== closing.balance) {
    fail(
      `${opening.balance} + ${received} - ${paid} is ${sum}, but the closing balance is ${closing.balance}`,
    );
  }
}

/** Reads a statement. Throws if it does not add up. */
export async function readStatement(
  source: Pick<Source, "detail" | "history" | "ledger">,
  query: StatementQuery,
): Promise<Statement> {
  const { address, asset, fromUsec, toUsec } = query;
  const before = (usec: bigint): ReadAtOperand => ({ version: undefined, at: formatTime(usec - 1n) });
  // The end first: a period that is not over fails at once.
  const end = await source.detail(address, asset, before(toUsec));
  const start = await source.detail(address, asset, before(fromUsec));
  const { chain_id } = JSON.parse(await source.ledger()) as { chain_id: number };
  const toPoint = ({ text, trust }: TrustedText): StatementPoint => {
    const { ledger_version, timestamp_usec, balance } = JSON.parse(text) as StatementPoint;
    return { ledger_version, timestamp_usec, balance, ...(trust === undefined ? {} : { trust }) };
  };
  const opening = toPoint(start);
  const closing = toPoint(end);
  const changes: ChangeText[] = [];
  let [received, paid] = [0n, 0n];
  if (opening.ledger_version !== closing.ledger_version) {
    const range = {
      from: `${BigInt(opening.ledger_version) + 1n}`,
      to: closing.ledger_version,
      points: undefined,
    };
    for await (const line of source.history(address, asset, range)) {
      if (changes.length === MAX_CHANGES) {
        throw new CodedError("statement", `over ${MAX_CHANGES} changes: ask for a shorter period`);
      }
      const change = JSON.parse(line) as ChangeText;
      const difference = BigInt(change.after) - BigInt(change.before);
      if (difference < 0n) paid -= difference;
      else received += difference;
      changes.push(change);
    }
  }
  const { name, symbol, decimals } = JSON.parse(end.text) as Partial<Statement>;
  const leftOut = leftOutOf(asset);
  const statement: Statement = {
    address,
    asset_type: asset,
    chain_id,
    ...(leftOut === undefined ? {} : { left_out: leftOut }),
    ...(name === undefined ? {} : { name }),
    ...(symbol === undefined ? {} : { symbol }),
    ...(decimals === undefined ? {} : { decimals }),
    from: formatTime(fromUsec),
    to: formatTime(toUsec),
    opening,
    changes,
    received: `${received}`,
    paid: `${paid}`,
    closing,
  };
  assertAddsUp(statement, query);
  return statement;
}
