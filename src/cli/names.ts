// Names in the place of addresses, assets and tables: a local chain has demo accounts such as `anna` and symbols such as
// `APT`. The node or the store says whether its ledger is one. Without 0x, a short text is never taken for hex here:
// `cafe` is digits too.
import { ConfigError } from "../base/errors.ts";
import { didYouMean } from "../base/texts/nearest.ts";
import { demoNamed, parseOperand } from "../node.ts";
import { leftOutOf, NATIVE_COIN, NATIVE_SYMBOL } from "./asset-texts.ts";
import { type CommandContext, operandsOf } from "./command.ts";
import type { Source } from "./source/source.ts";

/** Operands that may be names: the key of the info response that has them, and what a message calls them. */
const NAMED = {
  address: { key: "demo_accounts", what: "account", instead: "an address that starts with 0x" },
  asset: { key: "demo_assets", what: "asset", instead: "a coin type or an address that starts with 0x" },
  table: { key: "demo_tables", what: "table", instead: "a table handle that starts with 0x" },
} as const;

type NamedKind = keyof typeof NAMED;

const NAME = /^[A-Za-z][\w-]{0,31}$/;
const BARE_HEX = /^[0-9A-Fa-f]{1,63}$/;

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

/** Words of usage lines, and options, whose operands may be names. */
const KINDS: Readonly<Record<string, NamedKind>> = {
  ADDRESS: "address",
  ASSET: "asset",
  "--asset": "asset",
  TABLE_HANDLE: "table",
  "--table": "table",
};

/** Operands by their place. */
export type Operands<N extends readonly string[]> = { readonly [K in keyof N]: string };

/**
 * Checks operands by the words that stand for them; the function returned finds what names among them stand for, and notes
 * what an asset leaves out. Throws ConfigError.
 */
export function findOperands<const N extends readonly string[]>(
  given: readonly string[],
  words: N,
  { err }: Pick<CommandContext, "err">,
): (source: Source) => Promise<Operands<N>> {
  const operands: readonly string[] = operandsOf(given, words);
  const named = words.map((word, i) => ({ word, kind: KINDS[word], text: operands[i] ?? "" }));
  for (const { word, kind, text } of named)
    if (kind !== undefined && !isName(word, text)) parseOperand(kind, word, text);
  return async (source) => {
    const names = new NameFinder(source);
    const found: string[] = [];
    for (const { word, kind, text } of named) {
      const meant = kind === undefined ? text : await names.find(kind, word, text);
      const leftOut = kind === "asset" ? leftOutOf(meant) : undefined;
      if (leftOut !== undefined) err(`note: left out are ${leftOut}`);
      found.push(meant);
    }
    return found as { readonly [K in keyof N]: string };
  };
}
