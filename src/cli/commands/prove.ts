// `sextant prove`: writes a proof that anybody can check without a node.
import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../../base/errors.ts";
import { listOption, switchOption, textOption, textOptionWithDefault } from "../../base/option.ts";
import { paramNames, type Route } from "../../interface/route.ts";
import {
  balanceProofRoute,
  blockByVersionRoute,
  eventProofRoute,
  moduleProofRoute,
  rawItemProofRoute,
  resourceProofRoute,
  transactionByHashRoute,
  transactionHashProofRoute,
  transactionProofRoute,
} from "../../interface/routes.ts";
import { checkProof, parseOperand, proofStart, proofToBcs, provableText } from "../../node.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf, readInput } from "../command.ts";
import { findOperands } from "../names.ts";
import { AccountList, parseDecimals } from "../proofs/account-list.ts";
import {
  type AskedWhen,
  differ,
  noteTrust,
  noteUnknownAssets,
  proveList,
  whenDiffers,
} from "../proofs/prove-list.ts";
import { writeWhole } from "../proofs/whole-file.ts";
import { askSource } from "../source/open.ts";
import {
  minVersionOf,
  readAtOf,
  type SourceValues,
  stateExclusions,
  stateOptions,
} from "../source/options.ts";
import { type ReadAt, type Source, SourceError } from "../source/source.ts";

/** What to prove. */
interface ProofQuery {
  /** What the report of the proof must show. */
  readonly expected: Readonly<Record<string, string>>;
  readonly ask: (when: When) => Promise<string>;
}

/** Parameters of a query. */
interface When extends ReadAt {
  readonly from_waypoint: string | undefined;
}

/** Finds what names stand for. */
type Find = (source: Source) => Promise<ProofQuery>;

type Finder = (operands: readonly string[], context: CommandContext) => Find;

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** Proofs of the state: the operands are in the order of the path's parameters. */
function ofState<const N extends readonly string[]>(route: Route, words: N): Finder {
  return (operands, context) => {
    const find = findOperands(operands, words, context);
    const type = operands[words.indexOf("TYPE")];
    if (type !== undefined) parseOperand("type", "TYPE", type);
    return async (source) => {
      const found = await find(source);
      const expected = Object.fromEntries(paramNames(route.path).map((param, i) => [param, found[i] ?? ""]));
      return { expected, ask: (when) => source.read(route, { ...expected, ...when }) };
    };
  };
}

const balanceFinder = ofState(balanceProofRoute, ["ADDRESS", "ASSET"]);

/** What a command line can prove: each checks its operands. */
const FINDERS: Readonly<Record<string, Finder>> = {
  balance: balanceFinder,
  resource: ofState(resourceProofRoute, ["ADDRESS", "TYPE"]),
  module: ofState(moduleProofRoute, ["ADDRESS", "NAME"]),
  transaction: (operands) => {
    const [given] = operandsOf(operands, ["VERSION|HASH"]);
    if (HASH.test(given)) {
      const expected = { transaction_hash: given.toLowerCase() };
      return async (source) => ({
        expected,
        ask: ({ from_waypoint }) =>
          source.read(transactionHashProofRoute, { txn_hash: given, from_waypoint }),
      });
    }
    const txn_version = `${parseOperand("version", "VERSION", given)}`;
    return async (source) => ({
      expected: { claim: "transaction", ledger_version: txn_version },
      ask: ({ from_waypoint }) => source.read(transactionProofRoute, { txn_version, from_waypoint }),
    });
  },
  event: (operands) => {
    const [given, index] = operandsOf(operands, ["VERSION|HASH", "INDEX"]);
    const isHash = HASH.test(given);
    if (!isHash) parseOperand("version", "VERSION", given);
    const event_index = `${parseOperand("version", "INDEX", index)}`;
    return async (source) => {
      const txn_version = isHash ? await versionOf(source, given) : `${BigInt(given)}`;
      const asked = isHash ? { transaction_hash: given.toLowerCase() } : { ledger_version: txn_version };
      return {
        expected: { ...asked, event_index },
        ask: ({ from_waypoint }) => source.read(eventProofRoute, { txn_version, event_index, from_waypoint }),
      };
    };
  },
};

async function versionOf(source: Source, txn_hash: string): Promise<string> {
  const found = JSON.parse(await source.read(transactionByHashRoute, { txn_hash })) as { version?: string };
  if (found.version === undefined) throw new ConfigError(`transaction ${txn_hash} is not in a block yet`);
  return found.version;
}

/** Checks what to prove. Throws ConfigError. */
function queryOf(
  { table, key }: { readonly table: string | undefined; readonly key: string | undefined },
  [kind = "", ...rest]: readonly string[],
  context: CommandContext,
): Find {
  if (table === undefined && key === undefined && kind !== "item") {
    const finder = FINDERS[kind];
    return finder === undefined ? balanceFinder([kind, ...rest], context) : finder(rest, context);
  }
  operandsOf(kind === "item" || kind === "" ? rest : [kind, ...rest], []);
  if (table === undefined || key === undefined) {
    throw new ConfigError("--table and --key: expected both, or ADDRESS and ASSET");
  }
  const find = findOperands([table], ["--table"], context);
  parseOperand("key", "--key", key);
  return async (source) => {
    const [table_handle] = await find(source);
    return {
      expected: { table_handle, key },
      ask: (when) => source.read(rawItemProofRoute, { table_handle, ...when }, { key }),
    };
  };
}

const KINDS = {
  claim: undefined,
  address: "address",
  asset_type: "asset",
  table_handle: "table",
  key: "key",
  resource_type: "type",
  module_name: undefined,
  transaction_hash: undefined,
  event_index: undefined,
  ledger_version: undefined,
} as const;

/** What a proof that holds shows in the place of what was asked; undefined if it is that. */
function differenceOf(
  { expected }: ProofQuery,
  when: AskedWhen,
  shown: Readonly<Record<string, string>>,
): string | undefined {
  for (const [name, asked] of Object.entries(expected)) {
    const kind = KINDS[name as keyof typeof KINDS];
    const found = shown[name];
    // Addresses and types have more than one spelling.
    const [wanted, got] = [asked, found].map((text) =>
      text === undefined || kind === undefined ? text : parseOperand(kind, name, text),
    );
    if (!isDeepStrictEqual(wanted, got)) return differ(`${name} ${asked}`, `${name} ${found ?? "none"}`);
  }
  return whenDiffers(when, shown);
}

/** How long the node can make such a proof; undefined if it does not say. */
async function provableOf(source: Source, version: string): Promise<string | undefined> {
  try {
    const block = await source.read(blockByVersionRoute, { version });
    const { block_timestamp: usec } = JSON.parse(block) as { block_timestamp: string };
    return provableText(JSON.parse(await source.info()) as Record<string, unknown>, BigInt(usec));
  } catch (error) {
    // A node may refuse to serve blocks; the proof is good all the same.
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

/** The options of a proof of many balances. */
interface ListValues extends SourceValues {
  readonly "ledger-version": string | undefined;
  readonly at: string | undefined;
  readonly "from-waypoint": string | undefined;
  readonly asset: readonly string[];
  readonly csv: string | undefined;
  readonly decimals: readonly string[];
  readonly out: string;
  readonly bcs: boolean;
}

async function runList(
  values: ListValues,
  file: string,
  operands: readonly string[],
  context: CommandContext,
): Promise<number> {
  operandsOf(operands, []);
  const { "from-waypoint": from, asset: assets, csv, out, bcs: isBcs } = values;
  const decimals = parseDecimals(values.decimals);
  const list = new AccountList(file, await readInput(file, context));
  for (const { assetType } of assets.length === 0 ? list : []) {
    if (assetType === undefined)
      throw new ConfigError("--asset: expected an asset, such as APT or 0x1::aptos_coin::AptosCoin");
  }
  if (out === "-") throw new ConfigError("--out: expected a file for the proof of a list, got -");
  const job = { list, assets, decimals, from, out, csv, isBcs, ...readAtOf(values) };
  const written = await askSource(values, (source) => proveList(source, job, context));
  return written === undefined ? EXIT_FAILED : EXIT_OK;
}

export const proveCommand = command({
  name: "prove",
  operands: "[balance|resource|module|transaction|event|item] …",
  options: {
    ...stateOptions,
    table: textOption("Prove an item of this table instead of a balance", "TABLE_HANDLE"),
    key: textOption("Key of the item, as the hex of its BCS bytes", "KEY"),
    "from-waypoint": textOption(
      "Waypoint of an epoch's end that the proof begins at, such as the genesis waypoint (default the end of the epoch before)",
      "VERSION:HASH",
    ),
    out: textOptionWithDefault(
      "File to write, compressed if its name ends in .gz; - for standard output",
      "FILE",
      "proof.json",
    ),
    accounts: textOption(
      "Prove the balances of the accounts in this file: a line an account, or CSV with a column address; - for standard input",
      "FILE",
    ),
    asset: listOption(
      "With --accounts: an asset to prove; COIN=TYPE for the lines of CSV whose coin is COIN; may be repeated",
      "ASSET",
    ),
    csv: textOption("With --accounts: also write the proven amounts as CSV; - for standard output", "FILE"),
    decimals: listOption(
      "With --csv: decimals of the amounts, COIN=DIGITS for each of several assets (default the smallest unit)",
      "DIGITS",
    ),
    bcs: switchOption("Write BCS, the chain's binary format, instead of JSON", false),
  },
  exclusions: stateExclusions,
  requirements: [
    {
      options: ["asset", "csv", "decimals"],
      isMet: ({ accounts }) => accounts !== undefined,
      needs: "--accounts",
    },
  ],
  examples: [
    "sextant prove anna APT",
    'sextant prove 0xcafe 0x1::aptos_coin::AptosCoin --from-waypoint "$(cat waypoint.txt)" --out cafe.json',
    "sextant prove transaction 1200",
    "sextant prove event 1200 2 --out receipt.json",
    "sextant prove resource 0x1 0x1::chain_id::ChainId",
    "sextant prove --accounts wallets.txt --asset APT --at 2026-01-31T00:00:00Z --out reserves.json",
    "sextant prove item --table prices --key 0x03415054 --data ./data",
  ],
  run: async (values, operands, context) => {
    const { out, bcs, "from-waypoint": from } = values;
    if (bcs && out === "-") throw new ConfigError("--bcs: expected a file for --out, got -");
    const { accounts } = values;
    if (accounts !== undefined) return runList(values, accounts, operands, context);
    const find = queryOf(values, operands, context);
    // Whatever the state: a transaction is at its version.
    const isRecord = ["transaction", "event"].includes(operands[0] ?? "");
    if (isRecord && (values.at ?? values["ledger-version"]) !== undefined) {
      throw new ConfigError("--at, --ledger-version: expected neither for a transaction or an event");
    }
    const at = readAtOf(values);
    const asked = { ...(isRecord ? {} : minVersionOf(values)), ...at };
    if (from !== undefined) parseOperand("waypoint", "--from-waypoint", from);
    return askSource(values, async (source) => {
      const query = await find(source);
      const text = await query.ask({ ...at, from_waypoint: from });
      const waypoint = from ?? proofStart(text);
      // No matter which node wrote the answer, only a proof that holds is worth a file.
      const { reason, shown } = checkProof(text, waypoint);
      if (reason !== undefined) {
        context.err(`the node's proof does not hold: ${reason}`);
        return EXIT_FAILED;
      }
      // A node could answer with a good proof of something else.
      const difference = differenceOf(query, asked, shown);
      if (difference !== undefined) {
        context.err(difference);
        return EXIT_FAILED;
      }
      if (out === "-") {
        context.out(text);
        return EXIT_OK;
      }
      const { statement, ledger_version: version = "" } = shown;
      const provable = await provableOf(source, version);
      await writeWhole("--out", out, async (put) => {
        await put(bcs ? proofToBcs(text) : text);
        return out;
      });
      context.out(`${statement}`);
      context.out(`wrote ${out}`);
      context.out(`verify it with: sextant verify-proof ${out} --waypoint ${waypoint}`);
      if (provable !== undefined) {
        context.err(
          `note: the file holds for good; this node can prove version ${version} again ${provable}`,
        );
      }
      const { asset_type: asset } = query.expected;
      if (asset !== undefined) await noteUnknownAssets(source, [asset], context);
      noteTrust({ ...at, from }, shown, context);
      return EXIT_OK;
    });
  },
});
