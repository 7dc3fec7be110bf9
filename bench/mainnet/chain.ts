// A chain shaped like mainnet: a block every 24 ms with a prologue, user transactions of several kinds and an epilogue, 3.2 kB
// and seven writes a version on average, and an epoch every two hours of ledger time. It begins in the middle of a ledger, on a
// state of any size. All that a follower recomputes is right; the signatures of users are not, and no follower checks them.
// A seed determines all bytes.
import { sha3 } from "../../src/base/sha3.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { blockRandom, type Random } from "../../src/chain/random.ts";
import { type Outcome, RecordWriter } from "../../src/chain/record-writer.ts";
import { transactionAccumulator } from "../../src/ledger/accumulator.ts";
import {
  contractEventCodec,
  NEW_BLOCK_CREATION_NUMBER,
  NEW_BLOCK_EVENT_TYPE,
  NEW_EPOCH_CREATION_NUMBER,
  NEW_EPOCH_EVENT_TYPE,
  newBlockEventCodec,
} from "../../src/ledger/formats/block-event.ts";
import { readInfoBytes } from "../../src/ledger/formats/record.ts";
import { stateKeyHashOfBcs } from "../../src/ledger/formats/state-key.ts";
import { stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { transactionInfoHash } from "../../src/ledger/formats/transaction-info.ts";
import type { AccumulatorState } from "../../src/ledger/position.ts";
import { StateTree, type TreeNodeReader, type TreeUpdate } from "../../src/ledger/state-tree/update.ts";
import { FRAMEWORK, formatAddress } from "../../src/move/address.ts";
import { parseStructTag, parseTypeTag } from "../../src/move/type-text.ts";
import type { TreeNodeWrite } from "../../src/store/contract.ts";
import type { BaseStart } from "../../src/sync/verify/verifier.ts";
import type { EntryFunction } from "../../src/transaction/executable.ts";
import { makeKey } from "../store-data.ts";
import {
  accountAddress,
  accountItem,
  blockItems,
  CHAIN_ID,
  type Change,
  COIN,
  type Content,
  EPOCH_USEC,
  epochItems,
  filler,
  MARKET,
  marketItem,
  stateValueOf,
  storeAddress,
  supplyItem,
  Template,
  u64Bytes,
  validatorAddress,
  writeSetOf,
} from "./state.ts";

const BLOCK_USEC = 24_000n;
/** The ledger before the first block: its version, height, epoch and time. */
export const START = {
  version: 6_045_000_000n,
  height: 250_000_000n,
  epoch: 17_000n,
  timestampUsec: 1_783_000_000_000_000n,
} as const;

/** The state before the first block has `accounts` accounts with four items each, and those of no account. */
export interface ChainShape {
  readonly seed: string;
  readonly accounts: number;
  /** User transactions of a block, on average. */
  readonly usersPerBlock: number;
  /** How many of a hundred transactions only move an amount. */
  readonly transfers: number;
  /** Blocks before the first epoch ends. */
  readonly blocksToEpochEnd?: number;
}

/** Blocks of 24 ms with 3.2 kB and seven writes a version: the best week, and the record day, of many small transactions. */
export const DAYS = {
  week: { usersPerBlock: 3.28, transfers: 26 },
  record: { usersPerBlock: 32.1, transfers: 60 },
} as const;

/** Roots of full subtrees that nobody has the leaves of. */
function accumulatorBefore(version: bigint): AccumulatorState {
  const frozen: Uint8Array[] = [];
  for (let rest = version; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) frozen.push(sha3(u64Bytes(rest)));
  }
  return { leafCount: version, frozen };
}

/** Where a follower of the chain begins. */
export const BASE: BaseStart = {
  chainId: CHAIN_ID,
  version: START.version,
  accumulator: accumulatorBefore(START.version),
  hasState: true,
};

/** The last block, as an upstream tells its head. */
export interface ChainHead {
  readonly version: bigint;
  readonly height: bigint;
  readonly epoch: bigint;
  readonly timestampUsec: bigint;
}

function eventOf(type: string, bytes: number): Template {
  const data = (number: bigint, address: Uint8Array): Uint8Array =>
    Buffer.concat([address, u64Bytes(number), filler(bytes - 40)]);
  return new Template((number, address) =>
    encodeWith(contractEventCodec, { kind: "v2", type: parseTypeTag(type), data: data(number, address) }),
  );
}

function coinEventOf(type: string): Template {
  return new Template((number, account) =>
    encodeWith(contractEventCodec, {
      ...{ kind: "v1", creationNumber: 2n, account, sequenceNumber: number },
      ...{ type: parseTypeTag(type), data: u64Bytes(number) },
    }),
  );
}

const EVENTS = {
  withdraw: eventOf("0x1::fungible_asset::Withdraw", 40),
  deposit: eventOf("0x1::fungible_asset::Deposit", 40),
  fee: eventOf("0x1::transaction_fee::FeeStatement", 40),
  order: eventOf(`${formatAddress(MARKET)}::market::OrderEvent`, 48),
  swap: eventOf(`${formatAddress(MARKET)}::pool::SwapEvent`, 120),
  coinWithdraw: coinEventOf("0x1::coin::WithdrawEvent"),
  coinDeposit: coinEventOf("0x1::coin::DepositEvent"),
} as const;

function callOf(
  module: string,
  called: string,
  typeArgs: readonly string[],
  argBytes: number,
): EntryFunction {
  const { address, module: name } = parseStructTag(`${module}::T`);
  const args = [filler(argBytes)];
  return { module: { address, name }, function: called, typeArgs: typeArgs.map(parseTypeTag), args };
}

const CALLS = {
  transfer: callOf("0x1::primary_fungible_store", "transfer", ["0x1::fungible_asset::Metadata"], 72),
  coin: callOf("0x1::aptos_account", "transfer_coins", [COIN], 40),
  trade: callOf(`${formatAddress(MARKET)}::market`, "place_and_cancel_orders", [], 120),
  swap: callOf(`${formatAddress(MARKET)}::router`, "swap_exact_in_through_pools", [COIN], 160),
} as const;
type Kind = keyof typeof CALLS;

function transactionOf(kind: Kind, account: number, number: bigint): Outcome["transaction"] {
  const raw = {
    sender: accountAddress(account),
    sequenceNumber: number,
    payload: { kind: "entryFunction", entryFunction: CALLS[kind] },
    maxGasAmount: 200_000n,
    gasUnitPrice: 100n,
    expirationTimestampSecs: START.timestampUsec / 1_000_000n + 86_400n,
    chainId: CHAIN_ID,
  } as const;
  const publicKey = makeKey(account);
  const signature = Buffer.concat([makeKey(Number(number & 0xffff_ffffn)), publicKey]);
  return { kind: "user", transaction: { raw, authenticator: { kind: "ed25519", publicKey, signature } } };
}

/** Of a hundred. */
const FAILED = 5;

function kindOf(draw: number, transfers: number, random: Random): Kind {
  if (draw < transfers) return random.oneIn(3) ? "coin" : "transfer";
  return random.below(5) < 3 ? "trade" : "swap";
}

/** Orders that the state does not begin with have numbers above those of all accounts. */
const FIRST_NEW_ORDER = 0x6000_0000;
const KEPT_ORDERS = 20;

const change = (content: Content, kind: Change["kind"] = "modification"): Change => ({ ...content, kind });

/** Makes the blocks one after the other. */
export class MainnetChain {
  readonly #shape: ChainShape;
  readonly #seed: Uint8Array;
  readonly #accumulator = transactionAccumulator(BASE.accumulator);
  readonly #tree: StateTree;
  #accounts: number;
  #orders = 0;
  readonly #openOrders: number[] = [];
  #head: ChainHead = { ...START, version: START.version - 1n };
  #epochStartUsec: bigint;

  /** The nodes are those of the state before the first block, and of blocks that were taken and stored. */
  constructor(shape: ChainShape, getNodes: TreeNodeReader) {
    const { seed, accounts, blocksToEpochEnd } = shape;
    this.#shape = shape;
    this.#seed = sha3(Buffer.from(seed));
    this.#accounts = accounts;
    this.#tree = new StateTree(getNodes);
    const toEnd = blocksToEpochEnd === undefined ? EPOCH_USEC : BigInt(blocksToEpochEnd) * BLOCK_USEC;
    this.#epochStartUsec = START.timestampUsec + toEnd - EPOCH_USEC;
  }

  get head(): ChainHead {
    return this.#head;
  }

  /** The changed nodes of the state tree, to be stored before the next block; the chain then forgets all nodes if asked. */
  takeNodes(forgets: boolean): readonly TreeNodeWrite[] {
    const nodes = this.#tree.takeChanges();
    if (forgets) this.#tree.forget();
    return nodes;
  }

  /** Nodes of the state tree in memory. */
  get nodes(): number {
    return this.#tree.size;
  }

  /** The records of the next block. */
  async nextBlock(): Promise<readonly Uint8Array[]> {
    const [height, timestampUsec] = [this.#head.height + 1n, this.#head.timestampUsec + BLOCK_USEC];
    const random = blockRandom(this.#seed, height);
    const endsEpoch = timestampUsec - this.#epochStartUsec >= EPOCH_USEC;
    const { epoch } = this.#head;
    const block = { id: random.bytes32(), epoch, height, timestampUsec };
    const written: Change[] = [];
    const outcomes: Outcome[] = [this.#prologue(block, endsEpoch, written)];
    if (!endsEpoch) {
      const { usersPerBlock } = this.#shape;
      const users = Math.floor(usersPerBlock + random.below(1000) / 1000);
      for (let i = 0; i < users; i++) outcomes.push(this.#user(random, i, written));
      outcomes.push(epilogue(block.id, users));
    }
    const stateRoot = await this.#tree.apply(updatesOf(written));
    const writer = new RecordWriter({ version: this.#head.version, accumulator: this.#accumulator.state() });
    for (const [i, outcome] of outcomes.entries()) {
      writer.add(i === outcomes.length - 1 ? { ...outcome, stateRoot } : outcome);
    }
    for (const record of writer.records) this.#accumulator.append(transactionInfoHash(readInfoBytes(record)));
    const version = this.#head.version + BigInt(outcomes.length);
    this.#head = { version, height, epoch: endsEpoch ? epoch + 1n : epoch, timestampUsec };
    if (endsEpoch) this.#epochStartUsec = timestampUsec;
    return writer.records;
  }

  #prologue(block: Block, endsEpoch: boolean, written: Change[]): Outcome {
    const { id, epoch, height, timestampUsec } = block;
    const proposer = validatorAddress(Number(height % 1000n));
    const previousVotes = Buffer.alloc(18, 0xfe);
    const event = { hash: id, epoch, round: height, height, previousVotes, proposer, timestampUsec };
    const events = [
      encodeWith(contractEventCodec, {
        ...{ kind: "v1", creationNumber: NEW_BLOCK_CREATION_NUMBER, account: FRAMEWORK },
        ...{ sequenceNumber: height, type: NEW_BLOCK_EVENT_TYPE },
        data: encodeWith(newBlockEventCodec, { ...event, failedProposers: [] }),
      }),
    ];
    const items = blockItems(height, timestampUsec);
    if (endsEpoch) {
      items.push(...epochItems(epoch + 1n, timestampUsec));
      events.push(
        encodeWith(contractEventCodec, {
          ...{ kind: "v1", creationNumber: NEW_EPOCH_CREATION_NUMBER, account: FRAMEWORK },
          ...{ sequenceNumber: epoch, type: NEW_EPOCH_EVENT_TYPE, data: u64Bytes(epoch + 1n) },
        }),
      );
    }
    const metadata = { id, epoch, round: height, proposer, previousVotes, timestampUsec };
    return this.#outcome(
      { kind: "blockMetadata", block: { ...metadata, failedProposers: [] } },
      events,
      items.map((item) => change(item)),
      written,
    );
  }

  #outcome(
    transaction: Outcome["transaction"],
    events: readonly Uint8Array[],
    changes: readonly Change[],
    written: Change[],
  ): Outcome {
    written.push(...changes);
    return { transaction, events, writes: writeSetOf(changes) };
  }

  /** One of the accounts; half of the time one of the busiest. */
  anyAccount(random: Random): number {
    const among = random.oneIn(2) ? Math.max(1, this.#accounts >> 6) : this.#accounts;
    return random.below(among);
  }

  newAccount(): number {
    return this.#accounts++;
  }

  newOrder(): number {
    const order = FIRST_NEW_ORDER + this.#orders++;
    this.#openOrders.push(order);
    return order;
  }

  /** An order to cancel; undefined while few are open. */
  oldOrder(): number | undefined {
    return this.#openOrders.length > KEPT_ORDERS ? this.#openOrders.shift() : undefined;
  }

  /** One user transaction; `place` makes its numbers differ from those of the same block. */
  #user(random: Random, place: number, written: Change[]): Outcome {
    const number = this.#head.version + BigInt(place);
    const sender = this.anyAccount(random);
    const fee = [
      change(accountItem(sender, "account", number)),
      change(accountItem(sender, "native", number)),
      change(supplyItem(number)),
    ];
    const feeEvent = EVENTS.fee.fill(number, accountAddress(sender));
    const draw = random.below(100);
    if (draw < FAILED) {
      const location = { kind: "module", module: { address: MARKET, name: "market" } } as const;
      const failed = this.#outcome(transactionOf("trade", sender, number), [feeEvent], fee, written);
      return {
        ...failed,
        gasUsed: 40n,
        status: { kind: "moveAbort", location, code: 65_538n, info: undefined },
      };
    }
    const kind = kindOf(draw - FAILED, this.#shape.transfers, random);
    const { events, changes } = EFFECTS[kind](this, random, sender, number);
    const transaction = transactionOf(kind, sender, number);
    const outcome = this.#outcome(transaction, [...events, feeEvent], [...fee, ...changes], written);
    return { ...outcome, gasUsed: 100n + BigInt(changes.length) };
  }
}

interface Block {
  readonly id: Uint8Array;
  readonly epoch: bigint;
  readonly height: bigint;
  readonly timestampUsec: bigint;
}

function epilogue(blockId: Uint8Array, users: number): Outcome {
  const endInfo = {
    kind: "v0",
    gasLimitReached: false,
    outputLimitReached: false,
    gasUnits: BigInt(200 * users),
    approximateOutputBytes: BigInt(4000 * users),
  } as const;
  const fees = { kind: "v0", amounts: [[BigInt(users % 100), BigInt(1000 * users)]] } as const;
  const transaction = { kind: "blockEpilogue", epilogue: { kind: "v1", blockId, endInfo, fees } } as const;
  return { transaction, events: [], writes: [] };
}

/** What a transaction does beside paying its fee. */
interface Effect {
  readonly events: readonly Uint8Array[];
  readonly changes: readonly Change[];
}

/** The two events of an amount that goes from one store to another. */
function moved(from: number, to: number, place: "native" | "other", number: bigint): Uint8Array[] {
  return [
    EVENTS.withdraw.fill(number, storeAddress(from, place)),
    EVENTS.deposit.fill(number, storeAddress(to, place)),
  ];
}

const EFFECTS: Readonly<
  Record<Kind, (chain: MainnetChain, random: Random, sender: number, number: bigint) => Effect>
> = {
  transfer: (chain, random, sender, number) => {
    const isNew = random.oneIn(6);
    const to = isNew ? chain.newAccount() : chain.anyAccount(random);
    const changes = [change(accountItem(to, "native", number + 1n), isNew ? "creation" : "modification")];
    if (isNew) changes.push(change(accountItem(to, "account", 0n), "creation"));
    return { events: moved(sender, to, "native", number), changes };
  },
  coin: (chain, random, sender, number) => {
    const [from, to] = [sender | 1, chain.anyAccount(random) | 1];
    return {
      events: [
        EVENTS.coinWithdraw.fill(number, accountAddress(from)),
        EVENTS.coinDeposit.fill(number, accountAddress(to)),
      ],
      changes: [from, to].map((account) => change(accountItem(account, "other", number))),
    };
  },
  trade: (chain, random, sender, number) => {
    const which = random.below(32);
    const matched = Array.from({ length: 3 + random.below(8) }, () => chain.anyAccount(random));
    const changes = [
      change(marketItem("book", which, number)),
      change(accountItem(chain.newOrder(), "order", number), "creation"),
      ...matched.map((account) => change(accountItem(account, "order", number))),
    ];
    const cancelled = chain.oldOrder();
    if (cancelled !== undefined) changes.push(change(accountItem(cancelled, "order", 0n), "deletion"));
    const events = matched.map((account) => EVENTS.order.fill(number, accountAddress(account)));
    return { events: [EVENTS.order.fill(number, accountAddress(sender)), ...events], changes };
  },
  swap: (chain, random, sender, number) => {
    const pools = Array.from({ length: 2 + random.below(3) }, () => random.below(64));
    const others = pools.map(() => chain.anyAccount(random) & ~1);
    return {
      events: pools.flatMap((pool, i) => [
        ...moved(sender, others[i] ?? 0, i % 2 === 0 ? "native" : "other", number + BigInt(i)),
        EVENTS.swap.fill(number, validatorAddress(pool)),
      ]),
      changes: [
        ...pools.map((pool) => change(marketItem("pool", pool, number))),
        ...others.flatMap((account) => [
          change(accountItem(account, "native", number)),
          change(accountItem(account, "other", number)),
          change(accountItem(account, "order", number)),
        ]),
      ],
    };
  },
};

/** The last change of each key, as the state tree takes it. */
function updatesOf(written: readonly Change[]): TreeUpdate[] {
  const last = new Map<string, TreeUpdate>();
  for (const item of written) {
    const keyHash = stateKeyHashOfBcs(item.key);
    const valueHash = item.kind === "deletion" ? undefined : stateValueHash(stateValueOf(item));
    last.set(Buffer.from(keyHash).toString("latin1"), { keyHash, valueHash });
  }
  return [...last.values()];
}
