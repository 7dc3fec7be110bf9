// The state as a modelled function sees it: items are read when they are needed, because only the run of a function
// finds out which those are.

import { type Line, Slices } from "../../base/wait.ts";
import { byteString } from "../../bcs/scalars.ts";
import { primaryStoreAddress } from "../../ledger/asset.ts";
import type { ContractEvent } from "../../ledger/event.ts";
import { type AccountResource, accountCodec, type ResourceGroup } from "../../ledger/resources.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import { type Item, objectItem, resourceItem } from "../item.ts";
import type { GasMeter } from "../submission/gas.ts";
import type { ItemView, WorkingState } from "../working-state.ts";

const FEATURES = resourceItem(FRAMEWORK, "0x1::features::Features", byteString);
/** Numbers of the framework's features. */
const FEATURE_NUMBERS = {
  /** Events have no handles. */
  moduleEvents: 57,
  /** A new account gets a primary store of the native coin. */
  accountsWithStore: 64,
  /** Every address is an account, with or without an Account resource. */
  defaultAccounts: 91,
};

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** State and events of one call in progress. */
export class CallState {
  readonly state: WorkingState;
  readonly view: ItemView;
  /** Creation time in the metadata of new items. */
  readonly createdUsec: bigint;
  /** The only account that may mint the native coin. */
  readonly faucet: Address;
  events: ContractEvent[] = [];
  /** Counts the gas of the call; undefined for what runs without gas. */
  meter: GasMeter | undefined;
  readonly #slices: Slices;
  /** Items by what they are of: a batch asks for the same ones again and again, and their keys are hashes. */
  readonly #items = new Map<string, unknown>();
  /** Ids of the items that the call has paid for. */
  readonly #paid = new Set<string>();

  constructor(options: {
    readonly state: WorkingState;
    readonly view: ItemView;
    readonly createdUsec: bigint;
    readonly faucet: Address;
    /** `requests` unless the call is part of a block. */
    readonly line?: Line;
  }) {
    this.#slices = new Slices(options.line);
    this.state = options.state;
    this.view = options.view;
    this.createdUsec = options.createdUsec;
    this.faucet = options.faucet;
  }

  /** Loads an item and returns its value. */
  async read<T>(item: Item<T>): Promise<T | undefined> {
    if (!this.state.isLoaded(item)) await this.state.load(this.view, [item as Item<unknown>]);
    if (this.meter !== undefined && !this.#paid.has(item.id)) {
      this.#paid.add(item.id);
      this.meter.chargeRead(this.state.sizeOf(item));
    }
    return this.state.get(item);
  }

  /** Writes an item that was read before. */
  write<T>(item: Item<T>, value: T): void {
    this.state.set(item, value, this.createdUsec);
  }

  /** To be awaited between the parts of a long call: lets other work of the process run. */
  pause(): Promise<void> | undefined {
    return this.#slices.pause();
  }

  /** An item of an owner, made once. `kind` tells apart the items of one owner. */
  itemOf<T>(kind: string, owner: Address, make: () => T): T {
    const key = kind + latin1(owner);
    const found = this.#items.get(key) as T | undefined;
    if (found !== undefined) return found;
    const made = make();
    this.#items.set(key, made);
    return made;
  }

  /** The Account resource of an address. */
  account(address: Address): Item<AccountResource> {
    return this.itemOf("account", address, () =>
      resourceItem(address, "0x1::account::Account", accountCodec),
    );
  }

  /** The resource group of an object. */
  object(address: Address): Item<ResourceGroup> {
    return this.itemOf("object", address, () => objectItem(address));
  }

  /** The address of an owner's primary store. */
  primaryStore(owner: Address, metadata: Address): Address {
    return this.itemOf(`store ${latin1(metadata)}`, owner, () => primaryStoreAddress(owner, metadata));
  }

  /** Undoes changes and events. */
  rollBack(): void {
    this.state.rollBack();
    this.events = [];
  }

  /** True if a feature is on. On a genesis without the list of features, as this chain's own, all are off. */
  async hasFeature(name: keyof typeof FEATURE_NUMBERS): Promise<boolean> {
    const flags = await this.read(FEATURES);
    const number = FEATURE_NUMBERS[name];
    return ((flags?.[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }
}
