// `sextant verify-genesis` and `verify-proof`: checks by computation, without a network, a node or a store.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CodedError, ConfigError, errorText } from "../../base/errors.ts";
import { listOption, switchOption, textOption } from "../../base/option.ts";
import { countOf } from "../../base/texts/text.ts";
import { ProofCheck, parseOperand, statementText, verifyGenesis } from "../../node.ts";
import { NATIVE_COIN } from "../asset-texts.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf, readInput } from "../command.ts";
import {
  AccountList,
  compareList,
  type NamedAsset,
  ProvenBalances,
  parseDecimals,
  parseNamedAsset,
} from "../proofs/account-list.ts";
import { printFields } from "./info.ts";

export const verifyGenesisCommand = command({
  name: "verify-genesis",
  operands: "FILE",
  options: {
    waypoint: textOption("Published waypoint to compare with", "VERSION:HASH"),
    json: switchOption("Print a JSON object", false),
  },
  examples: [
    "sextant verify-genesis genesis.blob",
    'sextant verify-genesis genesis.blob --waypoint "$(cat waypoint.txt)"',
  ],
  run: async (values, operands, context) => {
    const [file] = operandsOf(operands, ["FILE"]);
    let blob: Uint8Array;
    try {
      blob = await readFile(file);
    } catch (error) {
      throw new ConfigError(`cannot read ${file}: ${errorText(error)}`, error);
    }
    const report = await verifyGenesis(blob, values.waypoint);
    const shown = {
      chain_id: report.chainId,
      items: report.items,
      events: report.events,
      validators: report.validators,
      state_root: report.stateRoot,
      waypoint: report.waypoint,
      ...(report.expectedWaypoint === undefined ? {} : { expected_waypoint: report.expectedWaypoint }),
      verdict: report.verdict,
    };
    printFields(shown, values.json, context);
    if (report.verdict === "unproven") {
      context.err("warning: no --waypoint was given, so nothing proves that this is a network's genesis");
    }
    if (report.verdict !== "mismatch") return EXIT_OK;
    context.err(`this file's waypoint is ${report.waypoint}, not ${report.expectedWaypoint}`);
    return EXIT_FAILED;
  },
});

/** Longest bundle: one from genesis has a thousand ends of epochs. */
const MAX_BUNDLE_BYTES = 1 << 26;
const BRACE = "{".charCodeAt(0);
const LINE_FEED = 0x0a;
/** First byte of a file in gzip. No bundle begins with it. */
const GZIP = 0x1f;

/** The bytes of a proof, of a compressed file what is in it. */
async function openProof(file: string, { readStdin }: CommandContext): Promise<Readable> {
  const bytes = file === "-" ? await readStdin() : undefined;
  const open = (): Readable => (bytes === undefined ? createReadStream(file) : Readable.from([bytes]));
  for await (const chunk of open())
    return chunk[0] === GZIP ? pipeline(open(), createGunzip(), () => {}) : open();
  return open();
}

/** The bundles of a file: a line each, or one in BCS. Holds one of them at a time. */
async function* bundlesOf(file: string, context: CommandContext): AsyncGenerator<Uint8Array | string> {
  // A mark of byte order would be a second text of the same proof.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let pieces: Uint8Array[] = [];
  let size = 0;
  let isText: boolean | undefined;
  try {
    for await (const chunk of (await openProof(file, context)) as AsyncIterable<Uint8Array>) {
      isText ??= chunk[0] === BRACE;
      let from = 0;
      for (let end = isText ? chunk.indexOf(LINE_FEED) : -1; end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        yield decoder.decode(Buffer.concat([...pieces, chunk.subarray(from, end)]));
        pieces = [];
        size = 0;
        from = end + 1;
      }
      pieces.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > MAX_BUNDLE_BYTES) throw new ConfigError(`${file}: a line is longer than any proof`);
    }
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new ConfigError(`cannot read ${file}: ${errorText(error)}`, error);
  }
  if (size === 0) return;
  const rest = Buffer.concat(pieces);
  yield isText === true ? decoder.decode(rest) : rest;
}

/** Why a proof is not of the state at a time; undefined if it is. */
function timeFault(
  at: string,
  { time, next_time: next }: Readonly<Record<string, string>>,
): string | undefined {
  const asked = parseOperand("time", "--at", at);
  if (time === undefined || parseOperand("time", "time", time) > asked)
    return `the state is of ${time}, after ${at}`;
  if (next === undefined)
    return `the proof has no later block, so the state of ${time} need not be the last one at ${at}`;
  return parseOperand("time", "next_time", next) > asked
    ? undefined
    : `the next block is of ${next}, not after ${at}`;
}

/** An asset of `--asset` where no node knows names. Throws ConfigError. */
function assetNamed(text: string): NamedAsset {
  const named = parseNamedAsset(text);
  if (named.coin === named.type)
    throw new ConfigError(`--asset: expected COIN=TYPE, such as APT=${NATIVE_COIN}, got ${text}`);
  parseOperand("asset", "--asset", named.type);
  return named;
}

/** A line for each proven balance. */
function* balanceLines(proven: ProvenBalances): Generator<string> {
  for (const { address, balances } of proven)
    for (const { asset, balance } of balances) yield `${address}  ${balance}  ${asset}`;
}

/** Proven accounts for JSON. */
function accountFields(proven: ProvenBalances): readonly object[] {
  return Array.from(proven, ({ address, authenticationKey, balances }) => {
    const texts = Object.fromEntries(balances.map(({ asset, balance }) => [asset, `${balance}`]));
    return { address, authentication_key: authenticationKey, balances: texts };
  });
}

export const verifyProofCommand = command({
  name: "verify-proof",
  operands: "FILE|-",
  options: {
    waypoint: textOption("Waypoint that you trust; the proof must begin at it", "VERSION:HASH"),
    at: textOption(
      "Also check that the state is the one at this time: RFC 3339 or Unix seconds",
      "TIMESTAMP",
    ),
    list: textOption(
      "Compare this list of accounts and amounts with the proof, and check the signatures in it: CSV with a column address",
      "FILE",
    ),
    asset: listOption(
      "With --list: COIN=TYPE, the asset of the lines whose coin is COIN; may be repeated",
      "ASSET",
    ),
    decimals: listOption(
      "With --list: decimals of its amounts, COIN=DIGITS for each of several assets (default the smallest unit)",
      "DIGITS",
    ),
    json: switchOption("Print a JSON object", false),
  },
  requirements: [
    { options: ["asset", "decimals"], isMet: ({ list }) => list !== undefined, needs: "--list" },
  ],
  examples: [
    'sextant verify-proof proof.json --waypoint "$(cat waypoint.txt)"',
    'sextant verify-proof reserves.json --list published.csv --decimals 8 --waypoint "$(cat waypoint.txt)"',
  ],
  run: async (values, operands, context) => {
    const [file] = operandsOf(operands, ["FILE"]);
    const { waypoint, json, list, at } = values;
    const [assets, decimals] = [values.asset.map(assetNamed), parseDecimals(values.decimals)];
    if (waypoint === undefined) {
      throw new ConfigError(
        "--waypoint: expected the waypoint that you trust; without one nothing is proven",
      );
    }
    const listed = list === undefined ? undefined : new AccountList(list, await readInput(list, context));
    const check = new ProofCheck(waypoint);
    const refuse = (reason: string): number => {
      if (json) printFields({ verdict: "refuted", reason }, json, context);
      context.err(`${file} proves nothing: ${reason}`);
      return EXIT_FAILED;
    };
    const proven = new ProvenBalances();
    let number = 0;
    for await (const bundle of bundlesOf(file, context)) {
      number++;
      const taken = check.take(bundle);
      if (taken.reason !== undefined) {
        return refuse(number === 1 ? taken.reason : `line ${number}: ${taken.reason}`);
      }
      for (const account of taken.accounts) proven.add(account);
    }
    if (number === 0) throw new ConfigError(`${file}: expected a proof, got an empty file`);
    const { shown: report, reason: missing, statements } = check.finish();
    if (missing !== undefined) return refuse(missing);
    // The proofs of a statement are no list of balances.
    const isList = statements.length === 0;
    const lines = isList ? balanceLines(proven) : statements.map(statementText);
    const isMany = (isList ? proven.count : statements.length) > 1;
    const many = !json || !isMany ? {} : isList ? { balances: accountFields(proven) } : { statements: lines };
    const { claim = "", ledger_version: version = "" } = report;
    if (list !== undefined && claim !== "balances")
      throw new ConfigError(
        `--list: expected a proof of balances, but ${file} proves ${/^[ae]/.test(claim) ? "an" : "a"} ${claim.replace("_", " ")}`,
      );
    if (at !== undefined && ["transaction", "event"].includes(claim)) {
      throw new ConfigError(
        `--at: expected a proof of the state, but ${file} proves ${/^[ae]/.test(claim) ? "an" : "a"} ${claim.replace("_", " ")}, whose time is ${report.time ?? "not proven"}`,
      );
    }
    const late = at === undefined ? undefined : timeFault(at, report);
    const compared =
      listed === undefined ? undefined : compareList(listed, proven, { assets, decimals, version });
    const { faults = [] } = compared ?? {};
    const reason =
      late ?? (faults.length === 0 ? undefined : `${list} has ${countOf(faults.length, "fault")}`);
    const verdict = reason === undefined ? { verdict: "proven" } : { verdict: "refuted", reason };
    printFields({ ...verdict, ...report, ...many }, json, context);
    if (!json && isMany) for (const line of lines) context.out(line);
    if (late !== undefined) context.err(`${file}: ${late}`);
    for (const fault of faults) context.err(fault);
    if (listed !== undefined && compared !== undefined) {
      const { signed, skipped, missing, notes } = compared;
      for (const note of notes) context.err(`note: ${note}`);
      if (skipped > 0)
        context.err(`note: left out ${countOf(skipped, "line")} about other coins or networks`);
      if (missing > 0) context.err(`note: ${missing} proven balances are not in the list`);
      const told = `${list}: ${listed.size - skipped} lines, ${signed} signed by their owners`;
      context.err(
        faults.length === 0 ? `${told}; all as proven` : `${told}; ${countOf(faults.length, "fault")}`,
      );
    }
    return reason === undefined ? EXIT_OK : EXIT_FAILED;
  },
});
