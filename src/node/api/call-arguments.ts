// Arguments of in-process calls. Each refusal names the parameter.
import { ConfigError } from "../../base/errors.ts";
import { didYouMean } from "../../base/texts/nearest.ts";
import { toText } from "../../http/calls/operands.ts";
import type { Asset } from "../../ledger/balances/asset.ts";
import type { Address } from "../../move/address.ts";
import { type DemoNames, demoNamed } from "../demo-names.ts";
import { parseOperand } from "../tools/operands.ts";

/** Operands that may be names of a local chain, and where the info response has those. */
const NAMED = { address: "demo_accounts", asset: "demo_assets", table: "demo_tables" } as const;

/** Parses addresses, assets and handles, or the names that a local chain has for them. Throws ConfigError. */
export class CallArguments {
  readonly #names: () => DemoNames;

  constructor(names: () => DemoNames = () => ({})) {
    this.#names = names;
  }

  address(address: unknown): Address {
    return this.#parse("address", "address", address).value;
  }

  asset(asset: unknown): Asset {
    return this.#parse("asset", "asset", asset).value;
  }

  /** The text of an asset that is not its name. */
  assetText(asset: unknown): string {
    return this.#parse("asset", "asset", asset).text;
  }

  handle(handle: unknown): Address {
    return this.#parse("table", "handle", handle).value;
  }

  /** No name is hex, so that a name never hides an address. */
  #parse<K extends keyof typeof NAMED>(
    kind: K,
    name: string,
    given: unknown,
  ): { readonly text: string; readonly value: ReturnType<typeof parseOperand<K>> } {
    const text = toText(name, given);
    try {
      return { text, value: parseOperand(kind, name, text) };
    } catch (error) {
      const known = this.#names()[NAMED[kind]];
      if (known === undefined || !(error instanceof ConfigError)) throw error;
      const found = demoNamed(known, text);
      if (found !== undefined) return { text: found, value: parseOperand(kind, name, found) };
      const names = Object.keys(known);
      const has = `the local chain has ${names.join(", ")}${didYouMean(text, names)}`;
      throw new ConfigError(`${error.message}; ${has}`, error);
    }
  }
}
