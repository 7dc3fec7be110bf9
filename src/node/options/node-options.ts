// Options of a node. Those of its parts are in the files beside this one, those of a store engine in the engine's file.
import type { Logger } from "../../base/log.ts";
import {
  BYTES,
  eitherKind,
  FLAG,
  grouped,
  listKind,
  listOption,
  OBJECT,
  switchOption,
  TEXT,
  TEXTS,
  textOption,
  textOptionWithDefault,
} from "../../base/option.ts";
import type { StoreOptions } from "../store-engines.ts";
import type { FollowOptions } from "./follow-options.ts";
import type { HttpOptions } from "./http-options.ts";
import type { ForkOptions, LocalChainOptions } from "./local-chain-options.ts";
import { optionTable } from "./option-table.ts";

/** The window of a node that is given none. */
export const DEFAULT_PRUNE_WINDOW = "24h";

/** An account that a new local chain begins with. */
export interface AccountOptions {
  /** Left out, it is the address of the key. */
  readonly address?: string | undefined;
  /**
   * Ed25519 private key that signs for the account: 32 bytes, or their hex digits with or without `ed25519-priv-0x`. Left
   * out, nobody can sign for the account unless its address is that of a key.
   */
  readonly key?: string | Uint8Array | undefined;
  /** Amounts in the smallest unit, by coin type or metadata address. */
  readonly balances?: Readonly<Record<string, bigint>> | undefined;
}

export interface NodeOptions {
  /** Accounts that a new local chain begins with, besides the demo accounts. */
  readonly accounts?: readonly AccountOptions[] | undefined;
  /** Data directory: short for `store: { engine: "lmdb", path }`. */
  readonly data?: string | undefined;
  /**
   * Engine that keeps the ledger, and its options; without this and `data` the ledger is in memory and ends with the
   * process. A node that finds another one writing the same cluster serves reads, waits, and takes over when that one ends.
   */
  readonly store?: StoreOptions | undefined;
  /** Reads a store that another process may be writing, and writes nothing. With `http` it waits for a missing store. */
  readonly readOnly?: boolean | undefined;
  /** A network's genesis: a file, or its bytes. Left out, the node runs a local chain. */
  readonly genesis?: string | Uint8Array | undefined;
  /** Published waypoints: one of version 0 must match the genesis, later ones the history followed. */
  readonly waypoint?: string | readonly string[] | undefined;
  /** Follows full nodes instead of making blocks. */
  readonly follow?: FollowOptions | undefined;
  /** Makes blocks on top of another network's state at one version, which is read as it is needed. */
  readonly fork?: ForkOptions | undefined;
  /** Makes blocks on top of `genesis` or `fork`, or sets up the local chain that runs without either. */
  readonly localChain?: LocalChainOptions | undefined;
  /** History to keep: a time (`24h`, `30d`), a count of versions, or `off`. */
  readonly pruneWindow?: string | undefined;
  /**
   * How far back proofs can be made: `all` that `pruneWindow` keeps, a time (`10m`, `1h`), a count of versions, or `off`. Left
   * out, `all` on a local chain, which signs its blocks, and with `follow.proofs`; else `off`.
   */
  readonly proofWindow?: string | undefined;
  /** False writes no index: holdings and rows of tables cannot be listed then. */
  readonly index?: boolean | undefined;
  /** False writes no index of transactions: they cannot be found by hash or by sender then. */
  readonly transactionIndex?: boolean | undefined;
  /** Answers over HTTP too. */
  readonly http?: HttpOptions | undefined;
  readonly logger?: Logger | undefined;
}

export const NODE_TABLE = optionTable<NodeOptions>()({
  flags: {
    ...grouped("Storage", {
      "read-only": switchOption(
        "Serve a store that another process writes, and write nothing; if there is no store yet, wait for it",
        false,
      ),
      "prune-window": textOptionWithDefault(
        "History to keep: a time (24h, 30d), a number of versions, or off to keep all",
        "WINDOW",
        DEFAULT_PRUNE_WINDOW,
      ),
      "proof-window": textOption(
        "How far back proofs can be made: all that --prune-window keeps, a time, a number of versions, or off (default all on a local chain and with --proofs, else off)",
        "WINDOW",
      ),
    }),
    ...grouped("Following", {
      genesis: textOption("Genesis file of the network to serve", "FILE"),
      waypoint: {
        ...listOption(
          "Published waypoint to check: version 0 against the genesis, later versions against the followed history",
          "VERSION:HASH",
        ),
        suffix: "" as const,
      },
    }),
  },
  numbers: {},
  others: {
    accounts: listKind("objects", OBJECT),
    data: TEXT,
    follow: OBJECT,
    fork: OBJECT,
    genesis: eitherKind(TEXT, BYTES),
    http: OBJECT,
    index: FLAG,
    localChain: OBJECT,
    logger: OBJECT,
    store: OBJECT,
    transactionIndex: FLAG,
    waypoint: eitherKind(TEXT, TEXTS),
  },
});

export const ACCOUNT_TABLE = optionTable<AccountOptions>()({
  flags: {},
  numbers: {},
  others: { address: TEXT, balances: OBJECT, key: eitherKind(TEXT, BYTES) },
});
