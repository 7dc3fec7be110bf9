// `sextant prove --accounts`: the balances of a list of accounts in one file, a bundle of at most a thousand on each line.
import { ConfigError } from "../base/errors.ts";
import { balancesProofRoute } from "../interface/routes.ts";
import { checkProof, ProofCheck, parseOperand, proofPart, proofStart, proofToBcs } from "../node.ts";
import {
  assetsOf,
  type ListedAccount,
  listCsv,
  type NamedAsset,
  ProvenBalances,
  parseNamedAsset,
} from "./account-list.ts";
import type { CommandContext } from "./command.ts";
import { NameFinder } from "./names.ts";
import { writeWhole } from "./proofs/whole-file.ts";
import type { ReadAtOperand, Source } from "./source/source.ts";

/** The versions and the time that were asked for. */
export interface AskedWhen extends ReadAtOperand {
  readonly minLedgerVersion?: bigint | undefined;
}

type Shown = Readonly<Record<string, string>>;

export function differ(asked: string, found: string): string {
  return `asked for ${asked}, but the node's proof shows ${found}`;
}

/** The version or time that a proof that holds shows in the place of what was asked; undefined if it is that. */
export function whenDiffers(
  { version, minLedgerVersion: least, at }: AskedWhen,
  { ledger_version: proven = "", time = "", next_time: next }: Shown,
): string | undefined {
  if (version !== undefined && version !== BigInt(proven))
    return differ(`version ${version}`, `version ${proven}`);
  if (least !== undefined && least > BigInt(proven))
    return differ(`version ${least} or later`, `version ${proven}`);
  if (at === undefined) return undefined;
  const asked = parseOperand("time", "--at", at);
  if (parseOperand("time", "time", time) > asked) return differ(`the state at ${at}`, `that of ${time}`);
  const isLast = next === undefined || asked < parseOperand("time", "next_time", next);
  return isLast ? undefined : differ(`the state at ${at}`, `one that ended before, at ${next}`);
}

/** Notes what a proof that was written leaves to trust. */
export function noteTrust(
  { at, from }: { readonly at: string | undefined; readonly from: string | undefined },
  { next_time: next, ledger_version: version }: Shown,
  { err }: CommandContext,
): void {
  if (at !== undefined && next === undefined) {
    err(
      `note: that version ${version} is the last one at ${at} is the node's word, because no later block is signed yet`,
    );
  }
  if (from === undefined)
    err("note: the proof is worth as much as that waypoint; compare it with another source");
}

/** Balances of one bundle. */
const MAX_QUERIES = 1000;

/** What to prove of which accounts, and where to write it. */
export interface ListJob extends ReadAtOperand {
  readonly file: string;
  readonly list: readonly ListedAccount[];
  readonly assets: readonly string[];
  readonly decimals: number;
  readonly from: string | undefined;
  readonly out: string;
  readonly csv: string | undefined;
  readonly isBcs: boolean;
}

interface Query {
  readonly address: string;
  readonly asset_type: string;
}

/** The queries of an account, which stay in one bundle, by its address. */
export function byAccount(queries: readonly Query[]): readonly (readonly Query[])[] {
  const accounts = new Map<string, Map<string, Query>>();
  for (const query of queries) {
    const key = Buffer.from(parseOperand("address", "address", query.address)).toString("hex");
    const own = accounts.get(key) ?? new Map<string, Query>();
    accounts.set(key, own.set(parseOperand("asset", "asset", query.asset_type).id, query));
  }
  const sorted = [...accounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, own]) => [...own.values()]);
}

function* inParts(accounts: readonly (readonly Query[])[]): Generator<readonly Query[]> {
  let part: Query[] = [];
  for (const queries of accounts) {
    if (part.length > 0 && part.length + queries.length > MAX_QUERIES) {
      yield part;
      part = [];
    }
    part.push(...queries);
  }
  yield part;
}

/** Finds what names stand for. Throws ConfigError. */
export async function resolveList(
  source: Source,
  { file, list, assets }: Pick<ListJob, "file" | "list" | "assets">,
) {
  const names = new NameFinder(source);
  const named: NamedAsset[] = [];
  for (const text of assets) {
    const { coin, type } = parseNamedAsset(text);
    named.push({ coin, type: await names.find("asset", "--asset", type) });
  }
  const rows: ListedAccount[] = [];
  for (const row of list) {
    if (assetsOf(row, named).length === 0) continue;
    rows.push({ ...row, address: await names.find("address", `${file}, line ${row.line}`, row.address) });
  }
  const queries = rows.flatMap((row) =>
    assetsOf(row, named).map(({ type }) => ({ address: row.address, asset_type: type })),
  );
  if (queries.length === 0) throw new ConfigError(`${file}: no line is about an asset of --asset`);
  return { named, rows, queries, skipped: list.length - rows.length };
}

/** Asks for the bundles of a list, all at the version of the first. */
async function* askParts(
  source: Source,
  [first = [], second, ...more]: readonly (readonly Query[])[],
  { version, at, from }: ListJob,
): AsyncGenerator<{ readonly text: string; readonly part: readonly Query[] }> {
  const ask = (
    queries: readonly Query[],
    when: Partial<ReadAtOperand>,
    from_waypoint: string | undefined,
  ) => {
    const values = { ledger_version: when.version, at: when.at, from_waypoint, authentication_keys: "true" };
    return source.read(balancesProofRoute, values, { queries });
  };
  const text = await ask(first, { version, at }, from);
  if (second === undefined) return yield { text, part: first };
  const start = from ?? proofStart(text);
  const { shown } = checkProof(text, start);
  const when = { version: BigInt(shown.ledger_version ?? 0) };
  const next = await ask(second, when, start);
  // A block that came meanwhile has another signature. It stays the same from then on, where each block has its own.
  const isSame = proofPart(next, text) !== next;
  yield { text: isSame ? text : await ask(first, when, start), part: first };
  yield { text: next, part: second };
  for (const part of more) yield { text: await ask(part, when, start), part };
}

/** What a file that was written proves. */
export interface ProvenList {
  readonly shown: Shown;
  readonly waypoint: string;
}

/** Writes the file, whole or not at all; undefined if the node's proof does not hold. */
export async function proveList(
  source: Source,
  job: ListJob,
  context: CommandContext,
): Promise<ProvenList | undefined> {
  const { out, isBcs } = job;
  const { named, rows, queries, skipped } = await resolveList(source, job);
  const parts = [...inParts(byAccount(queries))];
  if (isBcs && parts.length > 1) {
    throw new ConfigError(
      `--bcs: expected at most ${MAX_QUERIES} balances, got ${queries.length}; leave it out`,
    );
  }
  const proven = new ProvenBalances();
  const written = await writeWhole("--out", out, async (put): Promise<ProvenList | undefined> => {
    let check: ProofCheck | undefined;
    let before: string | undefined;
    let waypoint = job.from;
    for await (const { text, part } of askParts(source, parts, job)) {
      waypoint ??= proofStart(text);
      check ??= new ProofCheck(waypoint);
      const line = before === undefined ? text : proofPart(text, before);
      const { reason, accounts } = check.take(line);
      const fault = reason ?? (isAsked(part, accounts) ? undefined : "it is of other accounts or assets");
      if (fault !== undefined) return void context.err(`the node's proof does not hold: ${fault}`);
      for (const account of accounts) proven.add(account);
      await put(isBcs ? proofToBcs(text) : `${line}\n`);
      before = text;
    }
    const { shown = {} } = check?.finish() ?? {};
    const difference = whenDiffers(job, shown);
    return difference === undefined ? { shown, waypoint: waypoint ?? "" } : void context.err(difference);
  });
  if (written === undefined) return undefined;
  const { shown, waypoint } = written;
  context.out(`${shown.statement}`);
  context.out(`wrote ${out}`);
  if (job.csv !== undefined) {
    const told = { assets: named, decimals: job.decimals, version: `${shown.ledger_version}` };
    const lines = `${[...listCsv(rows, proven, told)].join("\n")}\n`;
    await writeWhole("--csv", job.csv, async (put) => {
      await put(lines);
      return lines;
    });
    context.out(`wrote ${job.csv}`);
  }
  context.out(`verify it with: sextant verify-proof ${out} --waypoint ${waypoint}`);
  if (skipped > 0) context.err(`note: left out ${skipped} lines, which are about other coins`);
  noteTrust(job, shown, context);
  return written;
}

/** A node could answer with a good proof of something else. */
function isAsked(
  part: readonly Query[],
  accounts: readonly { readonly address: string; readonly balances: readonly { readonly asset: string }[] }[],
): boolean {
  const nameOf = (address: string, asset: string): string =>
    `${Buffer.from(parseOperand("address", "address", address)).toString("hex")} ${parseOperand("asset", "asset", asset).id}`;
  const shown = new Set(
    accounts.flatMap(({ address, balances }) => balances.map(({ asset }) => nameOf(address, asset))),
  );
  return (
    shown.size === part.length &&
    part.every(({ address, asset_type }) => shown.has(nameOf(address, asset_type)))
  );
}
