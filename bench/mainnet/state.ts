// The state of a chain shaped like mainnet. An item's number determines its key; its content follows from a number that
// every write changes. So nothing is read to make a write, and any number of items is made without the others.
import { encodeWith } from "../../src/bcs/codec.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { accessPathCodec, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { validatorSetCodec } from "../../src/ledger/formats/validator-set.ts";
import {
  accountCodec,
  assetMetadataCodec,
  blockResourceCodec,
  coinStoreCodec,
  concurrentSupplyCodec,
  configurationCodec,
  type EventHandle,
  fungibleStoreCodec,
  objectCoreCodec,
  resourceGroupCodec,
  validatorPerformanceCodec,
} from "../../src/ledger/items/resources.ts";
import {
  type Address,
  addressFromBytes,
  FRAMEWORK,
  formatAddress,
  parseAddress,
} from "../../src/move/address.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import { makeKey } from "../store-data.ts";

export const CHAIN_ID = 1;
const VALIDATORS = 138;
export const EPOCH_USEC = 7_200_000_000n;
/** The native asset, and another one that half of the accounts have. The rest have a coin instead. */
const NATIVE: Address = parseAddress("0xa");
const OTHER: Address = addressFromBytes(makeKey(0x3a4e_0001));
export const MARKET: Address = addressFromBytes(makeKey(0x3a4e_0002));
const ORDERS: Address = addressFromBytes(makeKey(0x3a4e_0003));
export const COIN = `${formatAddress(OTHER)}::asset::Dollar`;
/** Pools of the market: objects that its transactions write again and again. */
const POOLS = 64;
const CREATED_USEC = 1_750_000_000_000_000n;

/** Items of one account, in the order of their numbers: 4 · account + place. The third is a coin for odd accounts. */
export const PLACES = { account: 0, native: 1, other: 2, order: 3 } as const;
export const ITEMS_PER_ACCOUNT = 4;

/** One item: the BCS of its key, the data of its value, and whether it has a deposit, as all but the framework's own. */
export interface Content {
  readonly key: Uint8Array;
  readonly data: Uint8Array;
  readonly hasDeposit: boolean;
}

/** Bytes with a number and an address to fill in, as far as they stand in them. */
export class Template {
  readonly #bytes: Buffer;
  readonly #numberAt: number;
  readonly #addressAt: number;

  constructor(make: (number: bigint, address: Address) => Uint8Array) {
    const [number, address] = [0x0102_0304_0506_0708n, addressFromBytes(Buffer.alloc(32, 0xd7))];
    this.#bytes = Buffer.from(make(number, address));
    this.#numberAt = this.#bytes.indexOf(u64Bytes(number));
    this.#addressAt = this.#bytes.indexOf(address);
  }

  fill(number: bigint, address: Uint8Array): Uint8Array {
    const bytes = Buffer.from(this.#bytes);
    if (this.#numberAt >= 0) bytes.writeBigUInt64LE(number, this.#numberAt);
    if (this.#addressAt >= 0) bytes.set(address, this.#addressAt);
    return bytes;
  }
}

export function u64Bytes(number: bigint): Uint8Array {
  return new BcsWriter(8).u64(number).take();
}

function handle(counter: bigint, account: Address): EventHandle {
  return { counter, creationNumber: 2n, account };
}

function pathKey(kind: "resource" | "resourceGroup", type: string): Template {
  const path = encodeWith(accessPathCodec, { kind, struct: parseStructTag(type) });
  return new Template((_, address) => encodeWith(stateKeyCodec, { kind: "accessPath", address, path }));
}

function objectGroup(owner: Address, members: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const core = encodeWith(objectCoreCodec, {
    guidCreationNumber: 1n << 50n,
    owner,
    allowUngatedTransfer: true,
    transferEvents: handle(0n, FRAMEWORK),
  });
  const all = [["0x1::object::ObjectCore", core] as const, ...members];
  return encodeWith(
    resourceGroupCodec,
    all.map(([type, bytes]) => [parseStructTag(type), bytes] as const),
  );
}

function storeOf(metadata: Address): Template {
  return new Template((balance, owner) =>
    objectGroup(owner, [
      [
        "0x1::fungible_asset::FungibleStore",
        encodeWith(fungibleStoreCodec, { metadata, balance, frozen: false }),
      ],
    ]),
  );
}

/** Bytes of no meaning that compress as resources do: addresses beside numbers that are mostly zero. */
export function filler(bytes: number): Uint8Array {
  const all = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 64) all.set(makeKey(bytes + at).subarray(0, bytes - at), at);
  return all;
}

/** A number, then bytes of no meaning. */
const padded = (number: bigint, bytes: number): Uint8Array =>
  Buffer.concat([u64Bytes(number), filler(bytes - 8)]);

const OBJECT_KEY = pathKey("resourceGroup", "0x1::object::ObjectGroup");

const KINDS = {
  account: {
    key: pathKey("resource", "0x1::account::Account"),
    data: new Template((sequenceNumber, address) =>
      encodeWith(accountCodec, {
        authenticationKey: address,
        sequenceNumber,
        guidCreationNumber: 4n,
        coinRegisterEvents: handle(1n, FRAMEWORK),
        keyRotationEvents: handle(0n, FRAMEWORK),
        rotationCapabilityOffer: undefined,
        signerCapabilityOffer: undefined,
      }),
    ),
  },
  native: { key: OBJECT_KEY, data: storeOf(NATIVE) },
  other: { key: OBJECT_KEY, data: storeOf(OTHER) },
  coin: {
    key: pathKey("resource", `0x1::coin::CoinStore<${COIN}>`),
    data: new Template((value, owner) =>
      encodeWith(coinStoreCodec, {
        value,
        frozen: false,
        depositEvents: handle(7n, owner),
        withdrawEvents: handle(5n, FRAMEWORK),
      }),
    ),
  },
  order: {
    key: new Template((number) =>
      encodeWith(stateKeyCodec, { kind: "tableItem", handle: ORDERS, key: padded(number, 32) }),
    ),
    data: new Template((number, owner) => Buffer.concat([owner, padded(number, 72)])),
  },
  /** The supply of an asset stands with its metadata, and every fee changes it. */
  supply: {
    key: OBJECT_KEY,
    data: new Template((value, owner) =>
      objectGroup(owner, [
        [
          "0x1::fungible_asset::Metadata",
          encodeWith(assetMetadataCodec, {
            name: "A fungible asset",
            symbol: "ASSET",
            decimals: 8,
            iconUri: "",
            projectUri: "",
          }),
        ],
        [
          "0x1::fungible_asset::ConcurrentSupply",
          encodeWith(concurrentSupplyCodec, { value, max: 2n ** 127n }),
        ],
      ]),
    ),
  },
  pool: {
    key: OBJECT_KEY,
    data: new Template((number, owner) =>
      objectGroup(owner, [[`${formatAddress(MARKET)}::pool::Pool`, padded(number, 120)]]),
    ),
  },
  book: {
    key: pathKey("resource", `${formatAddress(MARKET)}::market::OrderBook`),
    data: new Template((number) => padded(number, 160)),
  },
} as const;

export function accountAddress(account: number): Address {
  return addressFromBytes(makeKey(account));
}

/** Where the store of an account is. */
export function storeAddress(account: number, place: "native" | "other"): Address {
  return primaryStoreAddress(accountAddress(account), place === "native" ? NATIVE : OTHER);
}

/** An item of an account with the content of a number. */
export function accountItem(account: number, place: keyof typeof PLACES, number: bigint): Content {
  const owner = accountAddress(account);
  const kind = place === "other" && account % 2 === 1 ? "coin" : place;
  const { key, data } = KINDS[kind];
  const at = kind === "native" || kind === "other" ? storeAddress(account, kind) : owner;
  return { key: key.fill(BigInt(account), at), data: data.fill(number, owner), hasDeposit: true };
}

/** An item by its number. */
export function itemAt(index: number, number: bigint): Content {
  const place = (["account", "native", "other", "order"] as const)[index % ITEMS_PER_ACCOUNT] ?? "order";
  return accountItem(Math.floor(index / ITEMS_PER_ACCOUNT), place, number);
}

export function supplyItem(number: bigint): Content {
  const { key, data } = KINDS.supply;
  return { key: key.fill(0n, NATIVE), data: data.fill(number, FRAMEWORK), hasDeposit: true };
}

export function marketItem(kind: "pool" | "book", which: number, number: bigint): Content {
  const at = makeKey(0x3a4f_0000 + (which % POOLS));
  const { key, data } = KINDS[kind];
  return { key: key.fill(0n, at), data: data.fill(number, MARKET), hasDeposit: true };
}

function frameworkItem(type: string): (data: Uint8Array) => Content {
  const key = pathKey("resource", type).fill(0n, FRAMEWORK);
  return (data) => ({ key, data, hasDeposit: false });
}

const CHAIN_ID_ITEM = frameworkItem("0x1::chain_id::ChainId");
const BLOCK = frameworkItem("0x1::block::BlockResource");
const TIME = frameworkItem("0x1::timestamp::CurrentTimeMicroseconds");
const PERFORMANCE = frameworkItem("0x1::stake::ValidatorPerformance");
const CONFIGURATION = frameworkItem("0x1::reconfiguration::Configuration");
const VALIDATOR_SET = frameworkItem("0x1::stake::ValidatorSet");

/** What every block writes. */
export function blockItems(height: bigint, timestampUsec: bigint): Content[] {
  const block = encodeWith(blockResourceCodec, {
    height,
    epochIntervalUsec: EPOCH_USEC,
    newBlockEvents: { counter: height + 1n, creationNumber: 3n, account: FRAMEWORK },
    updateEpochIntervalEvents: handle(0n, FRAMEWORK),
  });
  const performance = Array.from({ length: VALIDATORS }, (_, i) => ({
    successful: (height + BigInt(i)) / BigInt(VALIDATORS),
    failed: BigInt(i % 3),
  }));
  return [
    BLOCK(block),
    TIME(u64Bytes(timestampUsec)),
    PERFORMANCE(encodeWith(validatorPerformanceCodec, performance)),
  ];
}

/** What the end of an epoch writes. */
export function epochItems(epoch: bigint, timestampUsec: bigint): Content[] {
  const configuration = { epoch, lastReconfigurationUsec: timestampUsec, events: handle(epoch, FRAMEWORK) };
  const active = Array.from({ length: VALIDATORS }, (_, i) => ({
    address: validatorAddress(i),
    votingPower: 1_000_000_000_000n + epoch,
    consensusKey: Buffer.alloc(48, i),
    networkAddresses: Buffer.alloc(64, 1),
    fullnodeAddresses: Buffer.alloc(64, 2),
    index: BigInt(i),
  }));
  const set = {
    ...{ consensusScheme: 0, active, pendingInactive: [], pendingActive: [] },
    ...{ totalVotingPower: BigInt(VALIDATORS) * 1_000_000_000_000n, totalJoiningPower: 0n },
  };
  return [
    CONFIGURATION(encodeWith(configurationCodec, configuration)),
    VALIDATOR_SET(encodeWith(validatorSetCodec, set)),
  ];
}

export function validatorAddress(index: number): Address {
  return addressFromBytes(makeKey(0x3a51_0000 + (index % VALIDATORS)));
}

/** The items that no account has, before the first block. */
export function sharedItems(): Content[] {
  const market = Array.from({ length: POOLS }, (_, i) => [
    marketItem("pool", i, 0n),
    marketItem("book", i, 0n),
  ]);
  return [
    ...[CHAIN_ID_ITEM(Uint8Array.of(CHAIN_ID)), ...blockItems(0n, 0n), ...epochItems(0n, 0n)],
    ...[supplyItem(0n), ...market.flat()],
  ];
}

/** After the data of a value with a deposit. */
const METADATA = new BcsWriter(17).u8(0).u64(40_000n).u64(CREATED_USEC).take();

/** BCS of the StateValue of an item. */
export function stateValueOf({ data, hasDeposit }: Content): Uint8Array {
  const writer = new BcsWriter(data.length + 24).u8(hasDeposit ? 1 : 0).byteString(data);
  return (hasDeposit ? writer.fixed(METADATA) : writer).take();
}

/** One change of a write set. */
export interface Change extends Content {
  readonly kind: "creation" | "modification" | "deletion";
}

const VARIANTS = { creation: [0, 3], modification: [1, 4], deletion: [2, 5] } as const;

/** BCS of a write set. The last of several changes of one key counts. */
export function writeSetOf(changes: readonly Change[]): Uint8Array {
  const last = new Map(changes.map((change) => [Buffer.from(change.key).toString("latin1"), change]));
  const sorted = [...last.values()].sort((a, b) => Buffer.compare(a.key, b.key));
  const writer = new BcsWriter(4096).u8(0).uleb(sorted.length);
  for (const { key, data, kind, hasDeposit } of sorted) {
    writer.fixed(key).u8(VARIANTS[kind][hasDeposit ? 1 : 0]);
    if (kind !== "deletion") writer.byteString(data);
    if (hasDeposit) writer.fixed(METADATA);
  }
  return writer.take();
}
