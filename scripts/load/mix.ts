// The mixed load of the soak and the flood: requests for the local chain's accounts, tables and functions in the
// proportions of ordinary use, including the mistakes that clients make.
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { BCS_TYPE, JSON_TYPE } from "../../src/interface/media-types.ts";
import { urlTo } from "../../src/interface/route.ts";
import {
  balanceRoute,
  encodeRoute,
  infoRoute,
  rawItemRoute,
  transactionsRoute,
} from "../../src/interface/routes.ts";

/** One request of the mix. */
export interface MixRequest {
  readonly kind: string;
  readonly method: "GET" | "POST";
  /** Path below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Correct statuses; 503 with `Retry-After` is counted separately. */
  readonly expected: readonly number[];
}

/** Range of versions to request. */
export interface KnownVersions {
  latest: bigint;
  oldest: bigint;
}

const JSON_BODY = { "content-type": JSON_TYPE };
const BCS = { accept: BCS_TYPE };

/** Makes requests for the local chain of a seed. `random` returns numbers from 0 up to 1. */
export function createMix(seed: string, random: () => number, versions: KnownVersions): () => MixRequest {
  const { accounts, tables, functions } = createLocalChain({ seed }).guide();
  const balances = accounts.flatMap(({ address, assets }) =>
    assets.map(({ asset }) => urlTo("", balanceRoute, { address, asset_type: asset })),
  );
  const items = tables.flatMap(({ handle, keys }) =>
    keys.map(({ key }) => ({
      path: urlTo("", rawItemRoute, { table_handle: handle }),
      body: JSON.stringify({ key }),
    })),
  );
  const senders = accounts.map(({ address }) => address);
  if (balances.length === 0 || items.length === 0 || functions.length === 0)
    throw new Error("the guide is empty");

  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const get = (kind: string, path: string, expected: readonly number[], headers = {}): MixRequest => ({
    kind,
    method: "GET",
    path,
    headers,
    body: undefined,
    expected,
  });
  const keptVersion = (): bigint => {
    const span = Number(versions.latest - versions.oldest);
    return versions.latest - BigInt(Math.floor(random() * span));
  };
  const encode = (): MixRequest => ({
    kind: "encode",
    method: "POST",
    path: urlTo("", encodeRoute),
    headers: random() < 0.3 ? { ...JSON_BODY, ...BCS } : JSON_BODY,
    body: JSON.stringify({
      sender: pick(senders),
      sequence_number: `${Math.floor(random() * 1e6)}`,
      max_gas_amount: "2000",
      gas_unit_price: "100",
      expiration_timestamp_secs: "32425224034",
      payload: {
        type: "entry_function_payload",
        function: "0x1::aptos_account::transfer",
        type_arguments: [],
        arguments: [pick(senders), `${Math.floor(random() * 1e9)}`],
      },
    }),
    expected: [200],
  });
  const table = (query: string, expected: readonly number[]): MixRequest => {
    const { path, body } = pick(items);
    const headers = random() < 0.3 ? { ...JSON_BODY, ...BCS } : JSON_BODY;
    return { kind: "raw_item", method: "POST", path: path + query, headers, body, expected };
  };
  // Relative shares.
  const kinds: readonly (readonly [share: number, make: () => MixRequest])[] = [
    [40, () => get("balance", pick(balances), [200], random() < 0.2 ? BCS : {})],
    // The pruner may already have removed the version.
    [20, () => get("balance_at", `${pick(balances)}?ledger_version=${keptVersion()}`, [200, 410])],
    [10, () => table("", [200, 404])],
    [5, () => table(`?ledger_version=${keptVersion()}`, [200, 404, 410])],
    [12, encode],
    [4, () => get("info", urlTo("", infoRoute), [200])],
    [2, () => get("healthy", "/-/healthy", [200])],
    [
      2,
      () => get("page", urlTo("", transactionsRoute, { start: keptVersion(), limit: 20 }), [200, 410], BCS),
    ],
    [1, () => get("spec", "/spec.json", [200], { "accept-encoding": "gzip" })],
    [1, () => get("pruned", `${pick(balances)}?ledger_version=0`, [200, 410])],
    [1, () => get("future", `${pick(balances)}?ledger_version=18446744073709551615`, [404])],
    [1, () => get("nothing", "/nothing/here", [404])],
    [1, () => get("bad", "/accounts/0xzz/balance/0x1::aptos_coin::AptosCoin", [400])],
    [1, () => ({ ...encode(), kind: "bad_body", body: '{"sender":', expected: [400] })],
  ];
  const total = kinds.reduce((sum, [share]) => sum + share, 0);
  return () => {
    let at = random() * total;
    for (const [share, make] of kinds) {
      at -= share;
      if (at < 0) return make();
    }
    return kinds[0]![1]();
  };
}

/** Random numbers from a seed, so that a run can be repeated. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
