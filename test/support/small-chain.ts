// A small ledger of balances for tests that follow thousands of times: a few accounts, a few records to a block, and
// every balance, state value and waypoint known in advance.
import { silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { accessPathCodec, type StateKey, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec } from "../../src/ledger/formats/state-value.ts";
import { validatorSetCodec } from "../../src/ledger/formats/validator-set.ts";
import type { Writes } from "../../src/ledger/formats/write-set.ts";
import type { Waypoint } from "../../src/ledger/waypoint.ts";
import { parseAddress } from "../../src/move/address.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { waypointOfBlock } from "../../src/sync/waypoints.ts";
import { COIN, coinStore } from "./http-ledger.ts";
import { LedgerBuilder, newBlock } from "./ledger-builder.ts";

/** Owners of coins; the last two change only in genesis, so a node that starts later must fetch them. */
export const OWNERS = ["0xa1", "0xa2", "0xa3", "0xb1", "0xb2"] as const;
const ACTIVE = 3;
const STORE = parseStructTag(`0x1::coin::CoinStore<${COIN}>`);
const START_USEC = 1_700_000_000_000_000n;

/** A finished small ledger. */
export interface SmallChain {
  readonly records: readonly Uint8Array[];
  /** Last version of each block, by height. */
  readonly ends: readonly bigint[];
  /** Of each block's last version, by height. */
  readonly waypoints: readonly Waypoint[];
  /** Time of each block, by height. */
  timestampUsec(height: number): bigint;
  balance(owner: string, version: bigint): bigint;
  /** The state value of a key, given as BCS, at a version. */
  stateValue(key: Uint8Array, version: bigint): Uint8Array | undefined;
}

function keyOf(owner: string): StateKey {
  const path = encodeWith(accessPathCodec, { kind: "resource", struct: STORE });
  return { kind: "accessPath", address: parseAddress(owner), path };
}

/** Genesis ends an epoch, so it must name the voters of the next one. */
function validatorSetWrite(): Writes[number] {
  const struct = parseStructTag("0x1::stake::ValidatorSet");
  const address = parseAddress("0x1");
  const path = encodeWith(accessPathCodec, { kind: "resource", struct });
  const data = encodeWith(validatorSetCodec, {
    consensusScheme: 0,
    active: [],
    pendingInactive: [],
    pendingActive: [],
    totalVotingPower: 0n,
    totalJoiningPower: 0n,
  });
  return [
    { kind: "accessPath", address, path },
    { kind: "modification", data },
  ];
}

/**
 * Builds a chain of some blocks. `amount` is what a block sets an owner's balance to. With `isSilent` the record is there,
 * and writes nothing.
 */
export async function buildSmallChain(
  blocks: number,
  amount: (owner: string, height: number) => bigint,
  isSilent: (owner: string, height: number) => boolean = () => false,
): Promise<SmallChain> {
  const builder = new LedgerBuilder();
  const history = new Map<string, { version: bigint; balance: bigint }[]>();
  const write = (owner: string, height: number): Writes[number] => {
    const balance = amount(owner, height);
    const known = history.get(owner) ?? [];
    history.set(owner, [...known, { version: BigInt(builder.records.length), balance }]);
    return [keyOf(owner), { kind: "modification", data: coinStore(balance) }];
  };
  builder.genesis([...OWNERS.map((owner) => write(owner, 0)), validatorSetWrite()]);
  const ends = [0n];
  const timestampUsec = (height: number): bigint =>
    height === 0 ? 0n : START_USEC + BigInt(height) * 1_000_000n;
  for (let height = 1; height <= blocks; height++) {
    builder.add({ events: [newBlock(BigInt(height), 1n, timestampUsec(height))], checkpoint: false });
    for (let i = 0; i <= height % 2; i++) {
      const owner = OWNERS[(height + i) % ACTIVE] ?? OWNERS[0];
      const writes = isSilent(owner, height) ? [] : [write(owner, height)];
      builder.add({ changes: { kind: "v0", writes }, checkpoint: false });
    }
    builder.add({ checkpoint: true });
    ends.push(BigInt(builder.records.length - 1));
  }
  const waypoints: Waypoint[] = [];
  const committer = new Committer({ store: createMemoryStore(), logger: silentLogger });
  await committer.append(builder.records, async (verified) => {
    waypoints.push(...verified.map(waypointOfBlock));
    return undefined;
  });
  const balance = (owner: string, version: bigint): bigint | undefined =>
    history.get(owner)?.findLast((one) => one.version <= version)?.balance;
  const owners = new Map(OWNERS.map((owner) => [hex(encodeWith(stateKeyCodec, keyOf(owner))), owner]));
  return {
    records: builder.records,
    ends,
    waypoints,
    timestampUsec,
    balance: (owner, version) => balance(owner, version) ?? 0n,
    stateValue: (key, version) => {
      const owner = owners.get(hex(key));
      const held = owner === undefined ? undefined : balance(owner, version);
      return held === undefined
        ? undefined
        : encodeWith(stateValueCodec, { kind: "v0", data: coinStore(held) });
    },
  };
}

/** The chain that trust-raiser.ts commits. */
export function buildRaisedChain(): Promise<SmallChain> {
  return buildSmallChain(40, (_, height) => BigInt(height));
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
