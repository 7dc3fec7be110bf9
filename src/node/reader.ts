// The operations as calls: what the HTTP handlers do, without HTTP.
import { ConfigError } from "../base/errors.ts";
import { fromHex } from "../base/hex.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { parseAsset } from "../ledger/asset.ts";
import { readBalance } from "../ledger/balance.ts";
import { readModuleItem } from "../ledger/module-item.ts";
import { resolveReadPoint } from "../ledger/read-point.ts";
import { readTableItem } from "../ledger/table-item.ts";
import type { Ledger, LedgerView } from "../ledger/view.ts";
import { parseAddress } from "../move/address.ts";
import { ModuleCache } from "../move/module-cache.ts";
import { encodeSubmission } from "../transaction/encode-submission.ts";
import type { LedgerInfo, ReadOptions } from "./options.ts";
import { readAtOf } from "./read-at.ts";

/** A serialized key, in hex or as it is. */
export function toBytes(key: string | Uint8Array): Uint8Array {
  if (typeof key !== "string") return key;
  const bytes = fromHex(key.startsWith("0x") ? key.slice(2) : key);
  if (bytes === undefined) throw new ConfigError("key: expected an even number of hex digits");
  return bytes;
}

function toBody(request: object | string | Uint8Array): Uint8Array {
  if (request instanceof Uint8Array) return request;
  return new TextEncoder().encode(typeof request === "string" ? request : JSON.stringify(request));
}

function toLedgerInfo({ position }: LedgerView): LedgerInfo {
  return {
    chain_id: position.chainId,
    epoch: `${position.epoch}`,
    ledger_version: `${position.version}`,
    oldest_ledger_version: `${position.oldestVersion}`,
    ledger_timestamp: `${position.timestampUsec}`,
    node_role: "full_node",
    oldest_block_height: `${position.oldestBlockHeight}`,
    block_height: `${position.blockHeight}`,
  };
}

/** Asks a ledger; parsed modules are kept from one question to the next. */
export class Reader {
  readonly modules = new ModuleCache();
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  openView(): MaybePromise<LedgerView> {
    return this.#ledger.openView();
  }

  /** Runs one question on a view of its own. */
  async withView<T>(ask: (view: LedgerView) => Promise<T> | T): Promise<T> {
    const view = await this.#ledger.openView();
    try {
      return await ask(view);
    } finally {
      view.release();
    }
  }

  balance(address: string, asset: string, options: ReadOptions): Promise<bigint> {
    const [owner, parsed] = [parseAddress(address), parseAsset(asset)];
    return this.withView(async (view) => {
      const { version } = await resolveReadPoint(view, readAtOf(options));
      return readBalance(view, owner, parsed, version);
    });
  }

  rawItem(handle: string, key: string | Uint8Array, options: ReadOptions): Promise<Uint8Array | undefined> {
    const [table, bytes] = [parseAddress(handle), toBytes(key)];
    return this.withView(async (view) => {
      const { version } = await resolveReadPoint(view, readAtOf(options));
      return readTableItem(view, table, bytes, version);
    });
  }

  encodeSubmission(request: object | string | Uint8Array): Promise<Uint8Array> {
    return this.withView((view) => this.encode(toBody(request), view));
  }

  /** The signing message of a request body, with modules as the view's latest version has them. */
  encode(body: Uint8Array, view: LedgerView): Promise<Uint8Array> {
    const loadModule = this.modules.createLoader((module) => readModuleItem(view, module));
    return encodeSubmission(body, { chainId: view.position.chainId, loadModule });
  }

  ledgerInfo(): Promise<LedgerInfo> {
    return this.withView(toLedgerInfo);
  }
}
