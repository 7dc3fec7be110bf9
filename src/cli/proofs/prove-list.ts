// `sextant prove --accounts`: the balances of a list of accounts in one file, a bundle of at most a thousand on each line.
import { ConfigError } from "../../base/errors.ts";
import { countOf } from "../../base/texts/text.ts";
import { accountResourceRoute, balancesProofRoute } from "../../interface/routes.ts";
import { checkProof, ProofCheck, parseOperand, proofPart, proofStart, proofToBcs } from "../../node.ts";
import { fullAddress } from "../asset-texts.ts";
import type { CommandContext } from "../command.ts";
import { NameFinder } from "../names.ts";
import { type ReadAt, type Source, SourceError } from "../source/source.ts";
import {
  type AccountList,
  assertDecimals,
  assetsOf,
  type Decimals,
  type ListedAccount,
  listCsv,
  listedAddress,
  type NamedAsset,
  ProvenBalances,
  parseNamedAsset,
  signatureFault,
} from "./account-list.ts";
import { writeWhole } from "./whole-file.ts";

/** The versions and the time that were asked for. */
export interface AskedWhen extends ReadAt {
  readonly minLedgerVersion?: bigint | undefined;
}

type Shown = Readonly<Record<string, string>>;

export function differ(asked: string, found: string): string {
  return `asked for ${asked}, but the node's proof shows ${found}`;
}

/** The version or time that a proof that holds shows in the place of what was asked; undefined if it is that. */
export function whenDiffers(
  { ledger_version: version, minLedgerVersion: least, at }: AskedWhen,
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

/** Notes assets that the ledger does not have: a mistyped one is proven to be nobody's. */
export async function noteUnknownAssets(
  source: Source,
  types: Iterable<string>,
  { err }: CommandContext,
): Promise<void> {
  for (const type of types) {
    const at = type.indexOf("::");
    const [address, resource_type] =
      at === -1
        ? [type, "0x1::fungible_asset::Metadata"]
        : [type.slice(0, at), `0x1::coin::CoinInfo<${type}>`];
    try {
      await source.read(accountResourceRoute, { address, resource_type });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (error.message.endsWith("(resource_not_found)"))
        err(`note: there is no asset ${type} here, so that every balance of it is 0; is it written right?`);
    }
  }
}

/** Balances of one bundle. */
const MAX_QUERIES = 1000;

/** Characters of the list that are written at once. */
const CSV_CHARACTERS = 1 << 16;

/** What to prove of which accounts, and where to write it. */
export interface ListJob extends ReadAt {
  readonly list: AccountList;
  readonly assets: readonly string[];
  readonly decimals: Decimals;
  readonly from: string | undefined;
  readonly out: string;
  readonly csv: string | undefined;
  readonly isBcs: boolean;
}

interface Query {
  readonly address: string;
  readonly asset_type: string;
}

/** Finds the ids of assets: most queries are of a few. */
function idFinder(): (asset: string) => string {
  const ids = new Map<string, string>();
  return (asset) => {
    const id = ids.get(asset) ?? parseOperand("asset", "asset", asset).id;
    ids.set(asset, id);
    return id;
  };
}

/** The queries of a list in ascending order, in bundles. Those of an account stay in one. */
export function* inParts({ rows, named }: ResolvedList): Generator<readonly Query[], undefined> {
  const lines = Array.from(rows(), (row) => ({ address: row.address, assets: assetsOf(row, named) }));
  lines.sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
  const idOf = idFinder();
  let part: Query[] = [];
  let own = new Map<string, Query>();
  for (const [i, { address, assets }] of lines.entries()) {
    for (const { type } of assets) own.set(idOf(type), { address, asset_type: type });
    if (lines[i + 1]?.address === address) continue;
    if (part.length > 0 && part.length + own.size > MAX_QUERIES) {
      yield part;
      part = [];
    }
    part.push(...own.values());
    own = new Map();
  }
  yield part;
}

/** A list whose names are found. */
export interface ResolvedList {
  readonly named: readonly NamedAsset[];
  /** All assets that its lines are about. */
  readonly types: ReadonlySet<string>;
  /** Its lines about these assets, with whole addresses, read again. */
  readonly rows: () => Generator<ListedAccount>;
  readonly balances: number;
  readonly skipped: number;
}

/** Finds what names stand for. Throws ConfigError. */
export async function resolveList(
  source: Source,
  { list, assets, decimals }: Pick<ListJob, "list" | "assets" | "decimals">,
): Promise<ResolvedList> {
  const { file } = list;
  const names = new NameFinder(source);
  const named: NamedAsset[] = [];
  for (const text of assets) {
    const { coin, type } = parseNamedAsset(text);
    named.push({ coin, type: await names.find("asset", "--asset", type) });
  }
  const found = new Map<string, string>();
  const types = new Set<string>();
  let [count, balances] = [0, 0];
  for (const row of list) {
    const own = assetsOf(row, named);
    if (own.length === 0) continue;
    const { address } = row;
    const shown = `${file}, line ${row.line}`;
    // Only what is no address is remembered.
    if (fullAddress(address) === undefined && !found.has(address))
      found.set(address, listedAddress(shown, await names.find("address", shown, address)));
    for (const { type } of own) types.add(type);
    count++;
    balances += own.length;
  }
  if (count === 0) throw new ConfigError(`${file}: no line is about an asset of --asset`);
  assertDecimals(decimals, new Set([...types].map(idFinder())).size);
  const rows = function* (): Generator<ListedAccount> {
    for (const row of list) {
      if (assetsOf(row, named).length === 0) continue;
      const { address } = row;
      yield { ...row, address: found.get(address) ?? fullAddress(address) ?? address };
    }
  };
  return { named, types, rows, balances, skipped: list.size - count };
}

/** Asks for the bundles of a list, all at the version of the first. */
async function* askParts(
  source: Source,
  parts: Generator<readonly Query[], undefined>,
  { ledger_version, at, from, isBcs }: ListJob,
): AsyncGenerator<{ readonly text: string; readonly part: readonly Query[] }> {
  const ask = (queries: readonly Query[], when: Partial<ReadAt>, from_waypoint: string | undefined) =>
    source.read(balancesProofRoute, { ...when, from_waypoint, authentication_keys: "true" }, { queries });
  const [{ value: first = [] }, { value: second }] = [parts.next(), parts.next()];
  if (isBcs && second !== undefined) {
    throw new ConfigError(`--bcs: expected at most ${MAX_QUERIES} balances, got more; leave it out`);
  }
  const text = await ask(first, { ledger_version, at }, from);
  if (second === undefined) return yield { text, part: first };
  const start = from ?? proofStart(text);
  const { shown } = checkProof(text, start);
  const when = { ledger_version: BigInt(shown.ledger_version ?? 0) };
  const next = await ask(second, when, start);
  // A block that came meanwhile has another signature. It stays the same from then on, where each block has its own.
  const isSame = proofPart(next, text) !== next;
  yield { text: isSame ? text : await ask(first, when, start), part: first };
  yield { text: next, part: second };
  for (const part of parts) yield { text: await ask(part, when, start), part };
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
  const { out, isBcs, csv } = job;
  const { file } = job.list;
  const resolved = await resolveList(source, job);
  const { named, types, rows, balances, skipped } = resolved;
  const proven = new ProvenBalances();
  // The list to publish has the standard output for itself.
  const say = csv === "-" ? context.err : context.out;
  let count = 0;
  const written = await writeWhole("--out", out, async (put): Promise<ProvenList | undefined> => {
    let check: ProofCheck | undefined;
    let before: string | undefined;
    let waypoint = job.from;
    for await (const { text, part } of askParts(source, inParts(resolved), job)) {
      waypoint ??= proofStart(text);
      check ??= new ProofCheck(waypoint);
      const line = before === undefined ? text : proofPart(text, before);
      const { reason, accounts } = check.take(line);
      const fault = reason ?? (isAsked(part, accounts) ? undefined : "it is of other accounts or assets");
      if (fault !== undefined) return void context.err(`the node's proof does not hold: ${fault}`);
      for (const account of accounts) {
        count += account.balances.length;
        if (csv !== undefined) proven.add(account);
      }
      await put(isBcs ? proofToBcs(text) : `${line}\n`);
      before = text;
    }
    const { shown = {} } = check?.finish() ?? {};
    const difference = whenDiffers(job, shown);
    if (difference !== undefined) return void context.err(difference);
    const forged: string[] = [];
    for (const row of csv === undefined ? [] : rows()) {
      if (row.signature === undefined) continue;
      const found = proven.find(file, row.address, assetsOf(row, named)[0]?.type);
      const fault = signatureFault(row, found?.authenticationKey);
      if (fault !== undefined) forged.push(`${file}, line ${row.line}: ${fault}`);
    }
    for (const fault of forged) context.err(fault);
    if (forged.length === 0) return { shown, waypoint: waypoint ?? "" };
    return void context.err(`wrote nothing: ${forged.length} signatures in ${file} are not of the owners`);
  });
  if (written === undefined) return undefined;
  const { shown, waypoint } = written;
  say(`${shown.statement}`);
  say(`wrote ${out}`);
  if (csv !== undefined) {
    const told = { assets: named, decimals: job.decimals, version: `${shown.ledger_version}` };
    const { chain_id: chainId } = JSON.parse(await source.ledger()) as { readonly chain_id: number };
    const lines = listCsv(rows(), proven, { ...told, chainId });
    if (csv === "-") for (const line of lines) context.out(line);
    else {
      await writeWhole("--csv", csv, async (put) => {
        let text = "";
        for (const line of lines) {
          text += `${line}\n`;
          if (text.length < CSV_CHARACTERS) continue;
          await put(text);
          text = "";
        }
        await put(text);
        return csv;
      });
      say(`wrote ${csv}`);
    }
  }
  say(`verify it with: sextant verify-proof ${out} --waypoint ${waypoint}`);
  if (skipped > 0) context.err(`note: left out ${countOf(skipped, "line")} about other coins or networks`);
  if (count < balances) context.err(`note: ${balances - count} balances are in the list more than once`);
  await noteUnknownAssets(source, types, context);
  noteTrust(job, shown, context);
  return written;
}

/** A node could answer with a good proof of something else. */
function isAsked(
  part: readonly Query[],
  accounts: readonly { readonly address: string; readonly balances: readonly { readonly asset: string }[] }[],
): boolean {
  const idOf = idFinder();
  const nameOf = (address: string, asset: string): string =>
    `${listedAddress("address", address)} ${idOf(asset)}`;
  const shown = new Set(
    accounts.flatMap(({ address, balances }) => balances.map(({ asset }) => nameOf(address, asset))),
  );
  return (
    shown.size === part.length &&
    part.every(({ address, asset_type }) => shown.has(nameOf(address, asset_type)))
  );
}
