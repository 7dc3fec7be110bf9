// The requests of the benchmarks, with their expected responses. Accounts and items are drawn from the whole data set,
// many more than any cache holds, by a generator with a fixed seed.
import { toPrefixedHex } from "../src/base/hex.ts";
import { BCS_TYPE, JSON_TYPE } from "../src/interface/media-types.ts";
import { pathTo } from "../src/interface/route.ts";
import {
  balanceRoute,
  encodeRoute,
  holdingsRoute,
  infoRoute,
  rawItemRoute,
} from "../src/interface/routes.ts";
import { formatAddressLong } from "../src/move/address.ts";
import {
  accountAddress,
  balanceOf,
  COIN,
  type DataSet,
  HOT_ACCOUNTS,
  kindOf,
  POOL,
  poolAccount,
  TABLE,
  tableKey,
  tableValue,
} from "./data-set.ts";

/** One request, with its expected response body where that is known. */
export interface BenchRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly expectedBody?: Buffer;
}

let listLength = 50_000;

/** Sets how many different requests each list has. */
export function setListLength(length: number): void {
  listLength = length;
}

const BCS = { Accept: BCS_TYPE };
const JSON_BODY = { "Content-Type": JSON_TYPE };

/** Numbers from 0 to below a bound, the same in every run. */
function createRandom(): (below: number) => number {
  let state = 0x9e37_79b9;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x6d2b_79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a_2d39) >>> 0;
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * below);
  };
}

function draw(make: (random: (below: number) => number) => BenchRequest, count = listLength): BenchRequest[] {
  const random = createRandom();
  return Array.from({ length: count }, () => make(random));
}

function balancePath(index: number, ledger_version?: number): string {
  const address = formatAddressLong(accountAddress(index));
  return pathTo(balanceRoute, { address, asset_type: COIN, ledger_version });
}

/** True for an account of the pool, whose balance the history changes. */
function isInPool(set: DataSet, index: number): boolean {
  const place = Math.round(((index - 1) / 4 / Math.floor(set.items / 4)) * POOL);
  return [place - 1, place, place + 1].some((near) => poolAccount(set.items, near) === index);
}

/** Balances at the latest version, of any account. */
export function latestBalances(set: DataSet): BenchRequest[] {
  return draw((random) => {
    let index = random(set.items);
    while (kindOf(index) === "table" || isInPool(set, index)) index = random(set.items);
    return { method: "GET", path: balancePath(index), headers: {} };
  });
}

/** Balances at the latest version, of the same thousand accounts again and again. */
export function repeatedBalances(set: DataSet): BenchRequest[] {
  return latestBalances(set).slice(0, 1000);
}

/** Balances at random versions of the history, of accounts in the pool. */
export function versionBalances(set: DataSet): BenchRequest[] {
  return draw((random) => {
    // The history writes every account of the pool once in fifty versions.
    const place = random(POOL);
    const index = poolAccount(set.items, place);
    const first = set.historyFrom + Math.floor(place / 20);
    const version = first + random(set.head - first + 1);
    const written = first + 50 * Math.floor((version - first) / 50);
    return {
      method: "GET",
      path: balancePath(index, version),
      headers: {},
      expectedBody: Buffer.from(`${balanceOf(index, written)}`),
    };
  });
}

/** Balances at random versions of the account with the fewest (0), more (1) or most (2) versions. */
export function hotBalances(set: DataSet, which: 0 | 1 | 2): BenchRequest[] {
  return draw((random) => {
    const version = set.historyFrom + random(set.head - set.historyFrom + 1);
    return {
      method: "GET",
      path: balancePath(HOT_ACCOUNTS[which], version),
      headers: {},
    };
  });
}

/** What accounts of a data set with an index hold. */
export function holdings(set: DataSet): BenchRequest[] {
  return draw((random) => {
    const address = formatAddressLong(accountAddress(random(set.items)));
    return { method: "GET", path: pathTo(holdingsRoute, { address }), headers: {} };
  });
}

/** Raw table items. */
export function rawItems(set: DataSet, form: "json" | "bcs"): BenchRequest[] {
  const path = pathTo(rawItemRoute, { table_handle: formatAddressLong(TABLE) });
  const headers = form === "bcs" ? { ...JSON_BODY, ...BCS } : JSON_BODY;
  return draw((random) => {
    const index = 3 + 4 * random(Math.floor(set.items / 4));
    const value = tableValue(index);
    return {
      method: "POST",
      path,
      headers,
      body: `{"key":"${toPrefixedHex(tableKey(index))}"}`,
      expectedBody: form === "bcs" ? Buffer.from(value) : Buffer.from(`"${toPrefixedHex(value)}"`),
    };
  });
}

/** The request of a transfer. */
export function transferRequest(from: number, to: number, amount: number): object {
  return {
    sender: formatAddressLong(accountAddress(from)),
    sequence_number: `${amount}`,
    max_gas_amount: "2000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "32425224034",
    payload: {
      type: "entry_function_payload",
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: [formatAddressLong(accountAddress(to)), `${amount}`],
    },
  };
}

/** Transfers to encode. */
export function transfers(): BenchRequest[] {
  return draw((random) => ({
    method: "POST",
    path: pathTo(encodeRoute),
    headers: JSON_BODY,
    body: JSON.stringify(transferRequest(random(1_000_000), random(1_000_000), random(1_000_000))),
  }));
}

/** The info operation. */
export function infos(): BenchRequest[] {
  return [{ method: "GET", path: pathTo(infoRoute), headers: {} }];
}
