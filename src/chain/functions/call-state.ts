// The state as a modelled function sees it: items are read when they are needed, because only the run of a function
// finds out which those are.

import { byteString } from "../../bcs/scalars.ts";
import type { ContractEvent } from "../../ledger/event.ts";
import { type AccountResource, accountCodec, type EventHandle } from "../../ledger/resources.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { type Item, resourceItem } from "../item.ts";
import type { WorkingState } from "../working-state.ts";

const FEATURES = resourceItem(parseAddress("0x1"), "0x1::features::Features", byteString);
/** Feature: every address is an account, with or without an Account resource. */
const DEFAULT_ACCOUNT_RESOURCE = 91;

/** State and events of one call in progress. */
export class CallState {
  readonly state: WorkingState;
  readonly view: LedgerView;
  /** Creation time in the metadata of new items. */
  readonly createdUsec: bigint;
  /** The only account that may mint the native coin. */
  readonly faucet: Address;
  events: ContractEvent[] = [];
  /** Withdrawals and deposits, which the model of gas counts. */
  movements = 0;

  constructor(options: {
    readonly state: WorkingState;
    readonly view: LedgerView;
    readonly createdUsec: bigint;
    readonly faucet: Address;
  }) {
    this.state = options.state;
    this.view = options.view;
    this.createdUsec = options.createdUsec;
    this.faucet = options.faucet;
  }

  /** Loads an item and returns its value. */
  async read<T>(item: Item<T>): Promise<T | undefined> {
    await this.state.loadMissing(this.view, [item]);
    return this.state.get(item);
  }

  /** Writes an item that was read before. */
  write<T>(item: Item<T>, value: T): void {
    this.state.set(item, value, this.createdUsec);
  }

  /** Undoes changes and events. */
  rollBack(): void {
    this.state.rollBack();
    this.events = [];
    this.movements = 0;
  }

  /** True if every address counts as an account. */
  async hasDefaultAccounts(): Promise<boolean> {
    const flags = await this.read(FEATURES);
    const byte = flags?.[DEFAULT_ACCOUNT_RESOURCE >> 3] ?? 0;
    return (byte & (1 << (DEFAULT_ACCOUNT_RESOURCE & 7))) !== 0;
  }
}

/** The Account resource of an address. */
export function accountItem(address: Address): Item<AccountResource> {
  return resourceItem(address, "0x1::account::Account", accountCodec);
}

/** A new Account resource. */
export function newAccount(address: Address): AccountResource {
  const handle = (creationNumber: bigint): EventHandle => ({ counter: 0n, creationNumber, account: address });
  return {
    authenticationKey: address,
    sequenceNumber: 0n,
    guidCreationNumber: 2n,
    coinRegisterEvents: handle(0n),
    keyRotationEvents: handle(1n),
    rotationCapabilityOffer: undefined,
    signerCapabilityOffer: undefined,
  };
}
