// What a call in the node's own process is made with. An operation defines its calls beside its route.
import { CodedError, ConfigError, errorText } from "../../base/errors.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Asset } from "../../ledger/balances/asset.ts";
import type { StateTypes } from "../../ledger/items/state-types.ts";
import type { Ledger, LedgerView } from "../../ledger/view.ts";
import type { WatchEvent, Watched } from "../../ledger/watch/watched.ts";
import type { Address } from "../../move/address.ts";
import type { Condition } from "../error-catalogue.ts";
import type { MinVersionOptions, WatchOptions } from "./options.ts";

/** An operation by the arguments and the data of its handler; neither is there at run time. */
export interface Question<A, D> {
  readonly asked?: (args: A) => D;
}

/** Asks a ledger in this process. Addresses, assets and handles may be names of a local chain. */
export interface Asker extends Ledger {
  readonly types: StateTypes;
  /** Aborts when the node closes. */
  readonly closing: AbortSignal;
  readonly args: {
    address(address: unknown): Address;
    asset(asset: unknown): Asset;
    handle(handle: unknown): Address;
  };
  /** Runs a read on its own view, once the ledger is at the version that the options ask for. */
  withView<T>(ask: (view: LedgerView) => MaybePromise<T>, options?: MinVersionOptions): Promise<T>;
  /** Waits until the ledger is at a version, at most `waitMs`. */
  waitFor(version: bigint, waitMs: number): Promise<void>;
  /** Runs an operation; its data, in the form of JSON where there are several, are used while the view is open. */
  run<A, D, T>(
    question: Question<A, D>,
    args: A,
    options: MinVersionOptions,
    use: (data: D) => MaybePromise<T>,
  ): Promise<T>;
  /** Runs an operation that answers in pages, all at the version of the first. */
  pages<A, D, T>(
    question: Question<A, D>,
    args: A,
    options: MinVersionOptions,
    use: (data: D) => T,
  ): AsyncGenerator<T>;
  watch<E extends WatchEvent>(what: () => Watched<E>, options: WatchOptions): AsyncGenerator<E>;
}

/** The value of a JSON text that an operation answers with. */
export function fromJson<T>(text: string | Uint8Array): T {
  return JSON.parse(`${Buffer.from(text)}`) as T;
}

/** The bytes of a request, given as JSON or as bytes. */
export function toBody(request: object | string | Uint8Array): Uint8Array {
  if (request instanceof Uint8Array) return Buffer.from(request);
  return new TextEncoder().encode(typeof request === "string" ? request : toJson(request));
}

function toJson(request: object): string {
  try {
    // JSON.stringify returns undefined for some values: refused as a bad request.
    return JSON.stringify(request) ?? "";
  } catch (error) {
    throw new ConfigError(`request: cannot be written as JSON: ${errorText(error)}`, error);
  }
}

/** Undefined in the place of one refusal. */
export async function orNone<T>(condition: Condition, found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof CodedError && error.code === condition) return undefined;
    throw error;
  }
}
