// The resources and modules of a ledger, replayed from its decoded records: what the reads of accounts must say.
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { recordCodec } from "../../src/ledger/formats/record.ts";
import { accessPathCodec } from "../../src/ledger/formats/state-key.ts";
import { writtenValue } from "../../src/ledger/formats/write-set.ts";
import { resourceGroupCodec } from "../../src/ledger/items/resources.ts";
import type { Ledger } from "../../src/ledger/view.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import { formatStructTag } from "../../src/move/type-tag.ts";

/** Stored bytes in hex by printed type or module name. */
export type Named = Map<string, string>;

/** What an account has. */
export interface AccountItems {
  readonly resources: Named;
  readonly modules: Named;
}

interface Write {
  readonly version: bigint;
  readonly address: string;
  readonly kind: "code" | "resource" | "resourceGroup";
  readonly name: string;
  readonly data: Uint8Array | undefined;
}

/** Replays a ledger's records. */
export class AccountModel {
  readonly #writes: Write[] = [];

  static async of(ledger: Ledger): Promise<AccountModel> {
    const model = new AccountModel();
    const view = await ledger.openView();
    for (let at = 0n; at <= view.position.version; ) {
      for (const { bytes } of await view.getRecords(at, 1000, 2 ** 30)) {
        model.#add(bytes);
        at++;
      }
    }
    view.release();
    return model;
  }

  #add(record: Uint8Array): void {
    const { version, changes } = decodeWith(recordCodec, record);
    for (const [key, op] of changes.writes) {
      if (key.kind !== "accessPath") continue;
      const path = decodeWith(accessPathCodec, key.path);
      const name = path.kind === "code" ? path.module.name : formatStructTag(path.struct);
      const address = formatAddressLong(key.address);
      this.#writes.push({ version, address, kind: path.kind, name, data: writtenValue(op)?.data });
    }
  }

  /** Addresses that ever had an item. */
  get addresses(): readonly string[] {
    return [...new Set(this.#writes.map(({ address }) => address))];
  }

  /** What an address has at a version. */
  at(owner: string, version: bigint): AccountItems {
    const items = new Map<string, Write>();
    for (const write of this.#writes) {
      if (write.address === owner && write.version <= version)
        items.set(`${write.kind} ${write.name}`, write);
    }
    const resources: Named = new Map();
    const modules: Named = new Map();
    for (const { kind, name, data } of items.values()) {
      if (data === undefined) continue;
      if (kind === "code") modules.set(name, toPrefixedHex(data));
      else if (kind === "resource") resources.set(name, toPrefixedHex(data));
      else {
        for (const [tag, member] of decodeWith(resourceGroupCodec, data)) {
          resources.set(formatStructTag(tag), toPrefixedHex(member));
        }
      }
    }
    return { resources, modules };
  }
}
