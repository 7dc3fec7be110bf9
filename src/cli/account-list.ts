// Lists of accounts whose balances are proven: a line an account, or CSV in the columns that exchanges publish.
import { ConfigError } from "../base/errors.ts";
import { isSignedByOwner, parseOperand } from "../node.ts";
import { textCell } from "./statement-forms.ts";

/** A line of a list. Without a coin, it is about every asset that is asked for. */
export interface ListedAccount {
  /** From 1, as editors count. */
  readonly line: number;
  readonly address: string;
  readonly coin: string | undefined;
  readonly assetType: string | undefined;
  readonly network: string | undefined;
  readonly height: string | undefined;
  readonly amount: string | undefined;
  readonly message: string | undefined;
  readonly signature: string | undefined;
  readonly publicKey: string | undefined;
}

/** Columns by the letters and digits of their names. */
const COLUMNS: Readonly<Record<string, keyof ListedAccount>> = {
  coin: "coin",
  network: "network",
  snapshotheight: "height",
  address: "address",
  amount: "amount",
  balance: "amount",
  message: "message",
  signature: "signature",
  signature1: "signature",
  publickey: "publicKey",
  pubkey: "publicKey",
  assettype: "assetType",
};

/** Where the cell that begins at a place ends; -1 for quotes that do not close, or that more stands behind. */
function endOfCell(text: string, at: number): number {
  if (text[at] !== '"') {
    for (let end = at; ; end++) if (text[end] === "," || text[end] === "\n") return end;
  }
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 2)) {
    if (text[end + 1] === '"') continue;
    const next = text.startsWith("\r\n", end + 1) ? end + 2 : end + 1;
    return text[next] === "," || text[next] === "\n" ? next : -1;
  }
  return -1;
}

/** The cells of CSV whose last line ends, row by row, each with its line. Throws ConfigError for a quote that does not close. */
function* csvRows(
  file: string,
  text: string,
): Generator<{ readonly line: number; readonly cells: readonly string[] }> {
  let [cells, line, start]: [string[], number, number] = [[], 1, 1];
  for (let at = 0; at < text.length; ) {
    const end = endOfCell(text, at);
    const cell = text.slice(at, end).trimEnd();
    const isQuoted = cell.startsWith('"');
    if (end === -1 || (!isQuoted && cell.includes('"')))
      throw new ConfigError(`${file}, line ${line}: expected cells with closed quotes and commas between`);
    cells.push(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    line += cell.split("\n").length - 1;
    at = end + 1;
    if (text[end] === ",") continue;
    if (cells.some((one) => one.trim() !== "")) yield { line: start, cells };
    [cells, line] = [[], line + 1];
    start = line;
  }
}

/** Reads a list: CSV if its first line names a column `address`. Throws ConfigError. */
export function parseAccountList(file: string, text: string): readonly ListedAccount[] {
  const none = {
    coin: undefined,
    assetType: undefined,
    network: undefined,
    height: undefined,
    amount: undefined,
  };
  const unsigned = { message: undefined, signature: undefined, publicKey: undefined };
  const rows = [...csvRows(file, text.endsWith("\n") ? text : `${text}\n`)];
  const header = rows[0]?.cells.map((name) => COLUMNS[name.toLowerCase().replace(/[^a-z0-9]/g, "")]) ?? [];
  const isCsv = header.includes("address");
  const listed = (isCsv ? rows.slice(1) : rows).flatMap(({ line, cells }): ListedAccount[] => {
    const first = cells[0]?.trim() ?? "";
    if (!isCsv) return first.startsWith("#") ? [] : [{ line, address: first, ...none, ...unsigned }];
    const found: Record<string, string> = {};
    for (const [i, column] of header.entries()) {
      const cell = cells[i]?.trim() ?? "";
      if (column !== undefined && cell !== "" && found[column] === undefined) found[column] = cell;
    }
    if (found.address === undefined) throw new ConfigError(`${file}, line ${line}: expected an address`);
    return [{ ...none, ...unsigned, ...found, line, address: found.address }];
  });
  if (listed.length === 0) throw new ConfigError(`${file}: expected at least one line with an account`);
  return listed;
}

/** An asset as it was asked for: `TYPE`, or `COIN=TYPE` with the name that a list has for it. */
export interface NamedAsset {
  readonly coin: string;
  readonly type: string;
}

export function parseNamedAsset(text: string): NamedAsset {
  const at = text.indexOf("=");
  const [coin, type] = [text.slice(0, at), text.slice(at + 1)];
  return at < 1 || coin.includes(":") || type === "" ? { coin: text, type: text } : { coin, type };
}

/** The assets that a line is about; none for a coin that was not asked for. */
export function assetsOf(
  { coin, assetType }: ListedAccount,
  assets: readonly NamedAsset[],
): readonly NamedAsset[] {
  if (assetType !== undefined) return [{ coin: coin ?? assetType, type: assetType }];
  if (coin === undefined) return assets;
  return assets.filter((asset) => asset.coin.toLowerCase() === coin.toLowerCase());
}

/** An amount in the smallest unit. Throws ConfigError. */
function toUnits(shown: string, text: string, decimals: number): bigint {
  const [whole = "", fraction = "0", ...more] = text.split(".");
  const isAmount = /^[0-9][0-9,]*$/.test(whole) && /^[0-9]+$/.test(fraction) && more.length === 0;
  let digits = fraction;
  while (digits.endsWith("0")) digits = digits.slice(0, -1);
  if (!isAmount || digits.length > decimals) {
    throw new ConfigError(
      `${shown}: expected an amount with at most ${decimals} decimals, got ${text}; --decimals sets how many the list has`,
    );
  }
  return BigInt(whole.replaceAll(",", "") + digits.padEnd(decimals, "0"));
}

/** An amount in units of the asset. */
function fromUnits(amount: bigint, decimals: number): string {
  const digits = `${amount}`.padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** What is proven of an account. */
interface Account {
  readonly address: string;
  readonly authenticationKey: string | undefined;
  readonly balances: readonly { readonly asset: string; readonly balance: bigint }[];
}

const addressText = (shown: string, text: string): string =>
  Buffer.from(parseOperand("address", shown, text)).toString("hex");

/** Proven balances, to find by what a list says. */
export class ProvenBalances {
  readonly #accounts = new Map<string, Account>();
  readonly #assets = new Set<string>();
  #count = 0;

  /** Balances that are proven. */
  get count(): number {
    return this.#count;
  }

  add(account: Account): void {
    this.#accounts.set(addressText("address", account.address), account);
    this.#count += account.balances.length;
    for (const { asset } of account.balances) this.#assets.add(parseOperand("asset", "asset", asset).id);
  }

  /** Undefined where the proof does not have it. Without an asset, the only one of the proof is meant. */
  find(shown: string, address: string, type: string | undefined) {
    const account = this.#accounts.get(addressText(shown, address));
    const [only, ...more] = this.#assets;
    const id = type === undefined ? undefined : parseOperand("asset", shown, type).id;
    if (id === undefined && more.length > 0) {
      throw new ConfigError(
        `${shown}: the proof has several assets; --asset COIN=TYPE says which one is meant`,
      );
    }
    const found = account?.balances.find(
      ({ asset }) => parseOperand("asset", shown, asset).id === (id ?? only),
    );
    return account && found && { account, ...found };
  }
}

export interface Comparison {
  readonly faults: readonly string[];
  readonly signed: number;
  readonly skipped: number;
  /** Proven balances that the list does not have. */
  readonly missing: number;
}

/** What a list says against a proof: a sentence for each line that differs, and how many lines their owners signed. */
export function compareList(
  file: string,
  list: readonly ListedAccount[],
  proven: ProvenBalances,
  {
    assets,
    decimals,
    version,
  }: { readonly assets: readonly NamedAsset[]; readonly decimals: number; readonly version: string },
): Comparison {
  const faults: string[] = [];
  const seen = new Set<string>();
  const coins = new Set<string>();
  let [signed, skipped] = [0, 0];
  for (const row of list) {
    const shown = `${file}, line ${row.line}`;
    const named = assetsOf(row, assets);
    if (assets.length > 0 && named.length === 0) {
      skipped++;
      continue;
    }
    for (const type of assets.length === 0 && row.assetType === undefined
      ? [undefined]
      : named.map((one) => one.type)) {
      const found = proven.find(shown, row.address, type);
      if (found === undefined) {
        faults.push(
          `${shown}: the proof has no balance of ${row.address}${type === undefined ? "" : ` in ${type}`}`,
        );
        continue;
      }
      const { balance, asset, account } = found;
      const name = `${account.address} ${asset}`;
      if (seen.has(name)) faults.push(`${shown}: ${row.address} is listed again with ${asset}`);
      seen.add(name);
      if (type === undefined) coins.add(row.coin ?? asset);
      if (row.height !== undefined && row.height !== version)
        faults.push(`${shown}: listed at ${row.height}, but proven at version ${version}`);
      if (row.amount === undefined) faults.push(`${shown}: no amount of ${row.address} to compare`);
      else if (toUnits(shown, row.amount, decimals) !== balance) {
        const is = fromUnits(balance, decimals);
        faults.push(
          `${shown}: ${row.address} is listed with ${row.amount}, but proven to have ${is} of ${asset}`,
        );
      }
      const { message, signature, publicKey } = row;
      if (signature === undefined) {
        if ((message ?? publicKey) !== undefined) faults.push(`${shown}: no signature of the message`);
        continue;
      }
      const { authenticationKey: key } = account;
      if (key === undefined)
        faults.push(`${shown}: the proof has no authentication key to check the signature with`);
      else if (message === undefined || publicKey === undefined) {
        faults.push(`${shown}: a signature needs a message and a public key`);
      } else if (isSignedByOwner(key, { message, signature, publicKey })) signed++;
      else faults.push(`${shown}: the signature is not of the key of ${row.address}`);
    }
  }
  if (coins.size > 1)
    faults.push(`${file}: the proof has one asset, the list ${coins.size} coins: ${[...coins].join(", ")}`);
  return { faults, signed, skipped, missing: proven.count - seen.size };
}

const HEADER =
  "coin,Network,Snapshot Height,address,amount,asset_type,authentication_key,message,signature,public_key";

/** A list with the proven amounts, in the columns that exchanges publish. */
export function* listCsv(
  list: readonly ListedAccount[],
  proven: ProvenBalances,
  {
    assets,
    decimals,
    version,
  }: { readonly assets: readonly NamedAsset[]; readonly decimals: number; readonly version: string },
): Generator<string> {
  yield HEADER;
  for (const row of list) {
    for (const { coin, type } of assetsOf(row, assets)) {
      const found = proven.find("list", row.address, type);
      if (found === undefined) continue;
      const { account, balance, asset } = found;
      const cells = [
        coin,
        row.network ?? "Aptos",
        version,
        account.address,
        fromUnits(balance, decimals),
        asset,
        account.authenticationKey ?? "",
        row.message ?? "",
        row.signature ?? "",
        row.publicKey ?? "",
      ];
      yield cells.map(textCell).join(",");
    }
  }
}
