// Names in the place of addresses, assets and tables: a local chain has demo accounts such as `anna` and symbols such as
// `APT`. The node or the store says whether its ledger is one. Without 0x, a short text is never taken for hex here:
// `cafe` is digits too.
import { ConfigError } from "../base/errors.ts";
import { didYouMean } from "../base/texts/nearest.ts";
import { demoNamed, parseOperand } from "../node.ts";
import { leftOutOf, NATIVE_COIN, NATIVE_SYMBOL } from "./asset-texts.ts";
import type { CommandContext } from "./command.ts";
import type { Source } from "./source/source.ts";

/** Operands that may be names: the key of the info response that has them, and what a message calls them. */
const NAMED = {
  address: { key: "demo_accounts", what: "account", instead: "an address that starts with 0x" },
  asset: { key: "demo_assets", what: "asset", instead: "a coin type or an address that starts with 0x" },
  table: { key: "demo_tables", what: "table", instead: "a table handle that starts with 0x" },
} as const;

export type NamedKind = keyof typeof NAMED;

const NAME = /^[A-Za-z][\w-]{0,31}$/;
const BARE_HEX = /^[0-9A-Fa-f]{1,63}$/;

/** Checks an operand before its source is open: a name is looked up later. Throws ConfigError. */
export function checkOperand(kind: NamedKind, shown: string, text: string): void {
  if (isName(shown, text)) return;
  parseOperand(kind, shown, text);
}

/** True for a name. Throws ConfigError for digits that are neither a name nor a full address. */
function isName(shown: string, text: string): boolean {
  if (NAME.test(text)) return true;
  if (BARE_HEX.test(text)) throw new ConfigError(`${shown}: expected 0x in front, got ${text}`);
  return false;
}

/** Finds what names stand for, in what the source says of its ledger. */
export class NameFinder {
  readonly #source: Source;
  #info: Promise<Readonly<Record<string, unknown>>> | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** What to ask the source for. Throws ConfigError for a name that it does not have. */
  async find(kind: NamedKind, shown: string, text: string): Promise<string> {
    if (!isName(shown, text)) return text;
    const { key, what, instead } = NAMED[kind];
    this.#info ??= this.#source.info().then((info) => JSON.parse(info) as Record<string, unknown>);
    const { [key]: known, trust_level: level } = await this.#info;
    const refuse = (reason: string): never => {
      throw new ConfigError(`${shown}: ${text} is no ${what} here: ${reason}`);
    };
    if (typeof known !== "object" || known === null) {
      if (kind === "asset" && text === NATIVE_SYMBOL) return NATIVE_COIN;
      return refuse(
        level === "local"
          ? `a store does not keep the names of a local chain with a --seed of its own; ask its node (--url), or give ${instead}`
          : `only a node that makes or wholly follows a local chain knows the names of its ${what}s; expected ${instead}`,
      );
    }
    const names = Object.keys(known);
    const found = demoNamed(known as Record<string, unknown>, text);
    if (found !== undefined) {
      parseOperand(kind, shown, found);
      return found;
    }
    return refuse(`the local chain has ${names.join(", ")}${didYouMean(text, names)}; or give ${instead}`);
  }
}

/** An account and an asset. */
export interface BalanceOperands {
  readonly address: string;
  readonly asset: string;
}

/** Checks both; the function returned finds what they stand for, and notes what the asset leaves out. Throws ConfigError. */
export function balanceOperands(
  { address, asset }: BalanceOperands,
  context: Pick<CommandContext, "err">,
  assetShown = "ASSET",
): (source: Source) => Promise<BalanceOperands> {
  checkOperand("address", "ADDRESS", address);
  checkOperand("asset", assetShown, asset);
  return async (source) => {
    const names = new NameFinder(source);
    const found = {
      address: await names.find("address", "ADDRESS", address),
      asset: await names.find("asset", assetShown, asset),
    };
    const leftOut = leftOutOf(found.asset);
    if (leftOut !== undefined) context.err(`note: left out are ${leftOut}`);
    return found;
  };
}
