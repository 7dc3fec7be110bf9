// `sextant prove`: writes a proof of a balance or a table item that anybody can check without a node.
import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { ConfigError, errorText } from "../../base/errors.ts";
import { switchOption, textOption, textOptionWithDefault } from "../../base/option.ts";
import { blockByVersionRoute } from "../../interface/routes.ts";
import { checkProof, parseOperand, proofStart, proofToBcs, provableText } from "../../node.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import { balanceOperands, checkOperand, NameFinder } from "../names.ts";
import { askSource } from "../source/open.ts";
import { minVersionOf, readAtOf, stateExclusions, stateOptions } from "../source/options.ts";
import { type ProofQuery, type ReadAtOperand, type Source, SourceError } from "../source/source.ts";

interface Asked {
  readonly table: string | undefined;
  readonly key: string | undefined;
}

/** Checks what to prove; the function returned finds what names stand for. Throws ConfigError. */
function queryOf(
  { table, key }: Asked,
  operands: readonly string[],
  context: CommandContext,
): (source: Source) => Promise<ProofQuery> {
  if (table === undefined && key === undefined) {
    const [address, asset] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    const find = balanceOperands({ address, asset }, context);
    return async (source) => {
      const found = await find(source);
      return { address: found.address, asset_type: found.asset };
    };
  }
  operandsOf(operands, []);
  if (table === undefined || key === undefined) {
    throw new ConfigError("--table and --key: expected both, or ADDRESS and ASSET");
  }
  checkOperand("table", "--table", table);
  parseOperand("key", "--key", key);
  return async (source) => ({
    table_handle: await new NameFinder(source).find("table", "--table", table),
    key,
  });
}

/** The versions and the time that were asked for. */
interface AskedWhen extends ReadAtOperand {
  readonly minLedgerVersion?: bigint | undefined;
}

const KINDS = { address: "address", asset_type: "asset", table_handle: "table", key: "key" } as const;

/** What a proof that holds shows in the place of what was asked; undefined if it is that. */
function differenceOf(
  query: ProofQuery,
  { version, minLedgerVersion: least, at }: AskedWhen,
  shown: Readonly<Record<string, string>>,
): string | undefined {
  const { ledger_version: proven = "", signed_version: signed, signed_time: time = "" } = shown;
  const texts: Readonly<Record<string, string>> = { ...query };
  const differ = (asked: string, found: string): string =>
    `asked for ${asked}, but the node's proof shows ${found}`;
  for (const [name, kind] of Object.entries(KINDS)) {
    // Addresses and types have more than one spelling.
    const [asked, found] = [texts[name], shown[name]];
    const [wanted, got] = [asked, found].map((text) =>
      text === undefined ? undefined : parseOperand(kind, name, text),
    );
    if (!isDeepStrictEqual(wanted, got))
      return differ(`${name} ${asked ?? "none"}`, `${name} ${found ?? "none"}`);
  }
  if (version !== undefined && version !== BigInt(proven))
    return differ(`version ${version}`, `version ${proven}`);
  if (least !== undefined && least > BigInt(proven))
    return differ(`version ${least} or later`, `version ${proven}`);
  // A later signature does not tell the time of the version.
  if (
    at !== undefined &&
    proven === signed &&
    parseOperand("time", "time", time) > parseOperand("time", "--at", at)
  )
    return differ(`the state at ${at}`, `that of ${time}`);
  return undefined;
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

export const proveCommand = command({
  name: "prove",
  operands: "[ADDRESS ASSET]",
  options: {
    ...stateOptions,
    table: textOption("Prove an item of this table instead of a balance", "TABLE_HANDLE"),
    key: textOption("Key of the item, as the hex of its BCS bytes", "KEY"),
    "from-waypoint": textOption(
      "Waypoint of an epoch's end that the proof begins at, such as the genesis waypoint (default the end of the epoch before)",
      "VERSION:HASH",
    ),
    out: textOptionWithDefault("File to write; - for standard output", "FILE", "proof.json"),
    bcs: switchOption("Write BCS, the chain's binary format, instead of JSON", false),
  },
  exclusions: stateExclusions,
  examples: [
    "sextant prove anna APT",
    'sextant prove 0xcafe 0x1::aptos_coin::AptosCoin --from-waypoint "$(cat waypoint.txt)" --out cafe.json',
    "sextant prove --table prices --key 0x03415054 --data ./data",
  ],
  run: async (values, operands, context) => {
    const { out, bcs, "from-waypoint": from } = values;
    if (bcs && out === "-") throw new ConfigError("--bcs: expected a file for --out, got -");
    const find = queryOf(values, operands, context);
    const at = { ...minVersionOf(values), ...readAtOf(values) };
    if (from !== undefined) parseOperand("waypoint", "--from-waypoint", from);
    return askSource(values, async (source) => {
      const query = await find(source);
      const text = await source.proof(query, at, from);
      const waypoint = from ?? proofStart(text);
      // No matter which node wrote the answer, only a proof that holds is worth a file.
      const { reason, shown } = checkProof(text, waypoint);
      if (reason !== undefined) {
        context.err(`the node's proof does not hold: ${reason}`);
        return EXIT_FAILED;
      }
      // A node could answer with a good proof of something else.
      const difference = differenceOf(query, at, shown);
      if (difference !== undefined) {
        context.err(difference);
        return EXIT_FAILED;
      }
      if (out === "-") {
        context.out(text);
        return EXIT_OK;
      }
      const { balance, value, ledger_version: version = "" } = shown;
      const what = Object.keys(KINDS)
        .flatMap((name) => shown[name] ?? [])
        .join(" ");
      const provable = await provableOf(source, version);
      try {
        await writeFile(out, bcs ? proofToBcs(text) : text);
      } catch (error) {
        throw new ConfigError(`--out: cannot write ${out}: ${errorText(error)}`, error);
      }
      context.out(
        `${what}: ${balance === undefined ? value : `balance ${balance}`} at version ${version}: wrote ${out}`,
      );
      context.out(`verify it with: sextant verify-proof ${out} --waypoint ${waypoint}`);
      if (provable !== undefined) {
        context.err(
          `note: the file holds for good; this node can prove version ${version} again ${provable}`,
        );
      }
      if (at.at !== undefined) {
        context.err(`note: that version ${version} is the last one at ${at.at} is the node's word`);
      }
      if (from === undefined) {
        context.err("note: the proof is worth as much as that waypoint; compare it with another source");
      }
      return EXIT_OK;
    });
  },
});
