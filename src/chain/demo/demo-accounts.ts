// The accounts of the local chain, with their initial holdings and the form of each.
import { U64_MAX } from "../../base/numbers.ts";
import { createKeypair, type Keypair } from "../keys.ts";
import type { AssetName } from "./assets.ts";

/** The part of a balance: in a coin store, or in the primary store of the fungible asset. */
export type BalancePart = "coin" | "store";

/** An initial holding of an account. */
export interface Holding {
  readonly asset: AssetName;
  readonly part: BalancePart;
  readonly amount: bigint;
  readonly frozen?: boolean;
  /** The amount is in a concurrent balance, not in the store itself. */
  readonly concurrent?: boolean;
}

/** One account. */
export interface DemoAccount extends Keypair {
  readonly name: string;
  readonly note: string;
  readonly holdings: readonly Holding[];
  /** Takes part in random transfers. */
  readonly trades: boolean;
}

/** Names of the accounts. */
export type DemoAccountName = "anna" | "basil" | "clio" | "dora" | "emil" | "fay" | "gus" | "hana" | "demo";

/** Every account by name. */
export type DemoAccounts = Readonly<Record<DemoAccountName, DemoAccount>>;

interface Role {
  readonly note: string;
  readonly trades: boolean;
  readonly holdings: readonly Holding[];
}

const ROLES: Readonly<Record<DemoAccountName, Role>> = {
  anna: {
    note: "coin stores only",
    trades: true,
    holdings: [
      { asset: "native", part: "coin", amount: 100_000_000_000_000n },
      { asset: "gold", part: "coin", amount: 100_000_000n },
    ],
  },
  basil: {
    note: "primary stores only",
    trades: true,
    holdings: [
      { asset: "native", part: "store", amount: 250_000_000_000_000n },
      { asset: "shell", part: "store", amount: 5_000_000_000_000n },
    ],
  },
  clio: {
    note: "coin store and primary store of the same asset",
    trades: true,
    holdings: [
      { asset: "native", part: "coin", amount: 40_000_000_000_000n },
      { asset: "native", part: "store", amount: 60_000_000_000_000n },
      { asset: "gold", part: "coin", amount: 30_000_000n },
      { asset: "gold", part: "store", amount: 20_000_000n },
      { asset: "shell", part: "store", amount: 700_000_000_000n },
    ],
  },
  dora: {
    note: "concurrent balances",
    trades: true,
    holdings: [
      { asset: "native", part: "store", amount: 100_000_000_000_000n, concurrent: true },
      { asset: "shell", part: "store", amount: 3_000_000_000_000n, concurrent: true },
    ],
  },
  emil: {
    note: "frozen stores",
    trades: false,
    holdings: [
      { asset: "native", part: "store", amount: 5_000_000_000n, frozen: true },
      { asset: "gold", part: "coin", amount: 77_700n, frozen: true },
    ],
  },
  fay: {
    note: "stores that hold nothing",
    trades: false,
    holdings: [
      { asset: "native", part: "coin", amount: 0n },
      { asset: "shell", part: "store", amount: 0n },
    ],
  },
  gus: {
    note: "more than 2^53 of the native coin, nearly 2^64 shells",
    trades: true,
    holdings: [
      { asset: "native", part: "store", amount: 12_345_678_901_234_567n },
      { asset: "shell", part: "store", amount: U64_MAX - 1_000_000_000n },
    ],
  },
  hana: { note: "created, emptied and deleted again and again", trades: false, holdings: [] },
  demo: {
    note: "publisher of the demo module",
    trades: false,
    holdings: [{ asset: "native", part: "store", amount: 10_000_000_000_000n }],
  },
};

/** The accounts of the chain with this seed. */
export function createDemoAccounts(seed: Uint8Array): DemoAccounts {
  const accounts = Object.entries(ROLES).map(([name, role]) => [
    name,
    { name, ...role, ...createKeypair(seed, name) },
  ]);
  return Object.fromEntries(accounts) as DemoAccounts;
}
