// `sextant close`: at a time of each day, a folder with balances, statements and their proofs. What is in the output folder
// is the only state: a process that was killed goes on with the day after the newest folder.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CodedError, ConfigError, errorText } from "../../base/errors.ts";
import { listOption, switchOption, textOption } from "../../base/option.ts";
import { formatTime, parseTime } from "../../base/texts/time-text.ts";
import { parseOperand } from "../../node.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf, readInput } from "../command.ts";
import { AccountList, type Decimals, parseDecimals } from "../proofs/account-list.ts";
import { inParts, proveList, resolveList } from "../proofs/prove-list.ts";
import { proveStatements } from "../proofs/statement-proofs.ts";
import { renameForGood, writeWhole } from "../proofs/whole-file.ts";
import { askSource } from "../source/open.ts";
import { DEFAULT_URL, sourceExclusions, sourceOptions } from "../source/options.ts";
import { type Source, SourceError } from "../source/source.ts";
import { readStatements, type Statement } from "../statement.ts";
import { STATEMENT_FORMS } from "../statement-forms.ts";

const USEC_PER_DAY = 86_400_000_000n;
/** Ledger time between two attempts. */
const RETRY_USEC = 10_000_000n;
/** Removed at the beginning of each attempt. */
const UNFINISHED = ".unfinished";

/** What to close, and where. */
interface Closing {
  readonly file: string;
  readonly assets: readonly string[];
  readonly decimals: Decimals;
  readonly from: string | undefined;
  readonly out: string;
  readonly node: string;
  /** Microseconds from midnight in UTC. */
  readonly timeOfDay: bigint;
  /** The ends of the last days that are lost, by that of the newest folder then. */
  readonly lostUsec: Map<bigint | undefined, bigint>;
}

/** Microseconds from midnight in UTC. Throws ConfigError. */
function parseTimeOfDay(text: string | undefined): bigint {
  if (text !== undefined && /^([01]\d|2[0-3]):[0-5]\dZ$/.test(text))
    return parseTime(`1970-01-01T${text.slice(0, -1)}:00Z`);
  throw new ConfigError(`--daily: expected a time of day in UTC, such as 00:00Z, got ${text ?? "none"}`);
}

/** `2026-01-31T0000Z`: no system refuses it as a name. */
function folderName(usec: bigint): string {
  return `${formatTime(usec).slice(0, 16).replace(":", "")}Z`;
}

/** The time that a folder is named by; -1 for another name. */
function timeOfFolder(name: string): bigint {
  try {
    const usec = parseTime(`${name.slice(0, 13)}:${name.slice(13, 15)}:00Z`);
    return folderName(usec) === name ? usec : -1n;
  } catch {
    return -1n;
  }
}

/** The time of the newest folder; undefined if there is none. */
async function newestIn(out: string): Promise<bigint | undefined> {
  const times = (await readdir(out)).map(timeOfFolder).filter((usec) => usec >= 0n);
  return times.toSorted((a, b) => (a < b ? -1 : 1)).at(-1);
}

/** The node does not keep the versions that were asked for, or nobody ever signed them. */
function isPruned(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false;
  return (
    error.message.endsWith("(version_pruned)") || error.message.includes("no validator signed version 0")
  );
}

/** Writes the folder of the day that ends before a moment: whole, or not at all. False if an account lacks its statement. */
async function closeDay(
  source: Source,
  usec: bigint,
  { file, assets, decimals, from, out, node }: Closing,
  context: CommandContext,
): Promise<boolean> {
  const list = new AccountList(file, await readInput(file, context));
  const unfinished = join(out, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  const path = (name: string): string => join(unfinished, name);
  const job = {
    list,
    assets,
    decimals,
    from,
    isBcs: false,
    ledger_version: undefined,
    at: formatTime(usec - 1n),
  };
  const files = { out: path("balances.proof.json"), csv: path("balances.csv") };
  const faults: string[] = [];
  const quiet = { ...context, out: () => {}, err: (line: string) => void faults.push(line) };
  const proven = await proveList(source, { ...job, ...files }, quiet);
  if (proven === undefined) throw new CodedError("proof", faults.join("; "));
  if (proven.shown.next_time === undefined)
    throw new CodedError("proof", "no signature covers a later block yet");
  const verified = [`balances.proof.json --waypoint ${proven.waypoint}`];
  const statements: Statement[] = [];
  const resolved = await resolveList(source, job);
  const period = { fromUsec: usec - USEC_PER_DAY, toUsec: usec, node };
  let unexplained = 0;
  const counted = new Set<string>();
  const waypoint = await writeWhole("--out", path("statement.proof.json"), async (put) => {
    let start = from;
    for (const { address, asset_type: asset } of [...inParts(resolved)].flat()) {
      const lines: (Uint8Array | string)[] = [];
      const stores = `${address} ${parseOperand("asset", "--asset", asset).metadata}`;
      // Their receipts are the same, which one file must not count twice.
      if (counted.has(stores))
        throw new ConfigError(
          `--asset: ${asset} counts the same stores as another asset of ${address}: name one`,
        );
      counted.add(stores);
      try {
        const own = await readStatements(source, { address, asset, ...period });
        start = await proveStatements(source, own, start, async (line) => void lines.push(line));
        statements.push(...own);
      } catch (error) {
        const reason = `of the day before ${formatTime(usec)}: ${errorText(error)}`;
        if (isPruned(error)) return void context.err(`note: no statements ${reason}`);
        // What receipts do not explain today, they never will.
        if (!(error instanceof CodedError) || error.code !== "statement") throw error;
        unexplained++;
        context.err(`no statement of ${address} in ${asset} ${reason}`);
        continue;
      }
      for (const line of lines) await put(line);
    }
    return statements.length === 0 ? undefined : start;
  });
  if (waypoint !== undefined) {
    const csv = `${[...STATEMENT_FORMS.csv(statements)].join("\n")}\n`;
    await writeWhole("--out", path("statement.csv"), async (put) => {
      await put(csv);
      return csv;
    });
    verified.push(`statement.proof.json --waypoint ${waypoint}`);
  }
  const done = join(out, folderName(usec));
  await renameForGood(unfinished, done);
  context.out(`wrote ${done}`);
  for (const one of verified) context.out(`verify it with: sextant verify-proof ${join(done, one)}`);
  return unexplained === 0;
}

/** The first end of a day after a moment. */
function endAfter(usec: bigint, timeOfDay: bigint): bigint {
  const sinceEnd = (usec - timeOfDay + USEC_PER_DAY) % USEC_PER_DAY;
  return usec - sinceEnd + USEC_PER_DAY;
}

/**
 * Closes each day that is over at a time of the ledger. False if a day after the newest folder is lost, because the node
 * does not keep it any more, or an account lacks its statement. Throws what keeps a day from being closed now.
 */
async function closeUntil(
  source: Source,
  nowUsec: bigint,
  closing: Closing,
  context: CommandContext,
): Promise<boolean> {
  for (let isWhole = true; ; ) {
    const newest = await newestIn(closing.out);
    // An empty folder begins with the last day.
    const last = newest ?? nowUsec - USEC_PER_DAY;
    const usec = endAfter(closing.lostUsec.get(newest) ?? last, closing.timeOfDay);
    if (usec > nowUsec) return isWhole;
    try {
      const isExplained = await closeDay(source, usec, closing, context);
      isWhole &&= isExplained;
    } catch (error) {
      if (!isPruned(error)) throw error;
      context.err(`${formatTime(usec)} cannot be closed any more: ${errorText(error)}`);
      isWhole &&= newest === undefined;
      closing.lostUsec.set(newest, usec);
    }
  }
}

export const closeCommand = command({
  name: "close",
  operands: "",
  options: {
    ...sourceOptions,
    daily: textOption("Time of day in UTC at which a day ends, such as 00:00Z", "HH:MMZ"),
    accounts: textOption(
      "File of the accounts, read again for each day: a line an account, or CSV with a column address",
      "FILE",
    ),
    asset: listOption(
      "Asset to close; COIN=TYPE for the lines of CSV whose coin is COIN; may be repeated",
      "ASSET",
    ),
    out: textOption("Folder to write a folder for each day to, such as 2026-01-31T0000Z", "DIR"),
    decimals: listOption(
      "Decimals of the amounts in balances.csv, COIN=DIGITS for each of several assets (default the smallest unit)",
      "DIGITS",
    ),
    "from-waypoint": textOption(
      "Waypoint of an epoch's end that the proofs begin at (default the end of the epoch before)",
      "VERSION:HASH",
    ),
    once: switchOption("Close the days that are over, and exit", false),
  },
  exclusions: sourceExclusions,
  examples: [
    "sextant close --daily 00:00Z --accounts wallets.txt --asset APT --out ./closings",
    "sextant close --daily 00:00Z --accounts wallets.txt --asset APT --out ./closings --once",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    const { accounts: file, asset: assets, "from-waypoint": from, out, once } = values;
    const timeOfDay = parseTimeOfDay(values.daily);
    const decimals = parseDecimals(values.decimals);
    if (file === undefined || file === "-") throw new ConfigError("--accounts: expected a file");
    if (out === undefined) throw new ConfigError("--out: expected a folder");
    if (assets.length === 0) throw new ConfigError("--asset: expected an asset, such as APT");
    if (from !== undefined) parseOperand("waypoint", "--from-waypoint", from);
    try {
      await mkdir(out, { recursive: true });
    } catch (error) {
      throw new ConfigError(`--out: cannot make ${out}: ${errorText(error)}`, error);
    }
    const node = values.data === undefined ? (values.url ?? DEFAULT_URL) : `data directory ${values.data}`;
    const closing = {
      file,
      assets,
      decimals,
      from,
      out,
      node,
      timeOfDay,
      lostUsec: new Map<bigint | undefined, bigint>(),
    };
    return askSource(values, async (source) => {
      let [retryUsec, told] = [0n, ""];
      const note = (text: string): void => context.err(`sextant: ${text}`);
      for await (const line of source.watch({ balance: undefined, after: undefined }, note)) {
        const usec = BigInt((JSON.parse(line) as { timestamp_usec: string }).timestamp_usec);
        if (usec < retryUsec) continue;
        try {
          const isWhole = await closeUntil(source, usec, closing, context);
          if (once) return isWhole ? EXIT_OK : EXIT_FAILED;
          told = "";
        } catch (error) {
          if (once || error instanceof ConfigError) throw error;
          if (errorText(error) !== told) note(`${errorText(error)}; trying again`);
          [retryUsec, told] = [usec + RETRY_USEC, errorText(error)];
        }
      }
      throw new ConfigError("the sequence of events ended");
    });
  },
});
