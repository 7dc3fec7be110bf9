// The state as the natives of the local chain see it: resources, table items and events of a session, by the codecs of
// the ledger's resources.
import { toHex } from "../../base/hex.ts";
import { type Codec, decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { u64 } from "../../bcs/scalars.ts";
import type { EventHandle } from "../../ledger/items/resources.ts";
import type { AbiStructType, AbiType } from "../../move/abi.ts";
import type { Address } from "../../move/address.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { createType } from "../../transaction/requests/type-arguments.ts";
import { aborted, STATUS, VmError } from "../../vm/errors.ts";
import { decodeValue, encodeStored } from "../../vm/layout.ts";
import { named } from "../../vm/linker.ts";
import type { NativeContext } from "../../vm/natives.ts";
import type { GlobalSlot } from "../../vm/session.ts";
import { structType, typeKey } from "../../vm/types.ts";

export const FRAMEWORK_HEX: string = `${"0".repeat(63)}1`;
/** Work of one withdrawal or deposit, in internal units of gas: an estimate of what the framework's code takes. */
const MOVEMENT_GAS = 1_000_000;

/** A type with the layout of its values. */
export interface Stored<T> {
  readonly type: AbiStructType;
  readonly codec: Codec<T>;
}

/** A type without type arguments, by its text. */
export function typeOf(text: string): AbiStructType {
  return createType({ kind: "struct", struct: parseStructTag(text) }) as AbiStructType;
}

export function stored<T>(text: string, codec: Codec<T>): Stored<T> {
  return { type: typeOf(text), codec };
}

/** A resource of `0x1::coin` for a coin. */
export function coinResource<T>(name: string, coin: AbiStructType, codec: Codec<T>): Stored<T> {
  return { type: structType(FRAMEWORK_HEX, "coin", name, [coin]), codec };
}

/** An abort of a module of the framework. The module's metadata has its name and description. */
export function abortIn(module: string, code: number): VmError {
  return aborted(code).at(`${FRAMEWORK_HEX}::${module}`, undefined, undefined);
}

export class CallState {
  readonly #context: Pick<NativeContext, "session" | "linker" | "meter">;

  constructor(context: Pick<NativeContext, "session" | "linker" | "meter">) {
    this.#context = context;
  }

  #slot(address: Address, { type }: Pick<Stored<unknown>, "type">): GlobalSlot {
    return this.#context.session.resource(toHex(address), type, typeKey(type));
  }

  /** False also for a type that the ledger does not have. */
  has(address: Address, resource: Pick<Stored<unknown>, "type">): boolean {
    const { address: from, module, name } = resource.type;
    const { abi } = this.#context.linker.peek(toHex(from), module)?.program ?? {};
    return (
      abi !== undefined && named(abi.structs, name) !== undefined && this.#slot(address, resource).exists
    );
  }

  read<T>(address: Address, resource: Stored<T>): T | undefined {
    return valueIn(this.#slot(address, resource), resource.codec);
  }

  /** A resource that the caller's rules say is there. Throws VmError. */
  require<T>(address: Address, resource: Stored<T>): T {
    const value = this.read(address, resource);
    const { module, name } = resource.type;
    if (value === undefined)
      throw new VmError(STATUS.missingData, `0x${toHex(address)} has no ${module}::${name}`);
    return value;
  }

  write<T>(address: Address, resource: Stored<T>, value: T): void {
    putInto(this.#slot(address, resource), resource.codec, value);
  }

  remove(address: Address, resource: Pick<Stored<unknown>, "type">): void {
    const slot = this.#slot(address, resource);
    if (slot.exists) slot.take();
  }

  #item(handle: Address, key: Uint8Array, type: AbiType): GlobalSlot {
    const { session, meter } = this.#context;
    return session.tableItem(toHex(handle), key, type, (read) => {
      if (read !== undefined) meter.chargeIo(meter.readPrice(read));
    });
  }

  readItem<T>(handle: Address, key: Uint8Array, type: AbiType, codec: Codec<T>): T | undefined {
    return valueIn(this.#item(handle, key, type), codec);
  }

  /** Writes an item of a table; undefined removes it. */
  writeItem<T>(handle: Address, key: Uint8Array, type: AbiType, codec: Codec<T>, value: T | undefined): void {
    const slot = this.#item(handle, key, type);
    if (value !== undefined) putInto(slot, codec, value);
    else if (slot.exists) slot.take();
  }

  /** Emits an event of a handle and returns the advanced handle. */
  emitBy<T>(handle: EventHandle, { type, codec }: Stored<T>, data: T): EventHandle {
    const guid = Buffer.concat([encodeWith(u64, handle.creationNumber), handle.account]);
    const sequenceNumber = handle.counter;
    this.#context.session.events.push({ guid, sequenceNumber, type, data: encodeWith(codec, data) });
    return { ...handle, counter: handle.counter + 1n };
  }

  /** Emits an event without a handle. */
  emit<T>({ type, codec }: Stored<T>, data: T): void {
    const { events } = this.#context.session;
    events.push({ guid: undefined, sequenceNumber: 0n, type, data: encodeWith(codec, data) });
  }

  chargeMovement(): void {
    this.#context.meter.charge(MOVEMENT_GAS);
  }
}

function valueIn<T>({ place, layout }: GlobalSlot, codec: Codec<T>): T | undefined {
  const [value] = place;
  if (value === undefined) return undefined;
  try {
    return decodeWith(codec, encodeStored(value, layout));
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new VmError(STATUS.unknownInvariantViolation, `a resource has another layout: ${error.message}`);
  }
}

function putInto<T>(slot: GlobalSlot, codec: Codec<T>, value: T): void {
  const decoded = decodeValue(encodeWith(codec, value), slot.layout);
  if (decoded === undefined)
    throw new VmError(STATUS.unknownInvariantViolation, "a resource has another layout");
  slot.put(decoded);
}
