// Lists of accounts whose balances are proven: a line an account, or CSV in the columns that exchanges publish.
import { ConfigError } from "../../base/errors.ts";
import { formatAmount } from "../../base/texts/text.ts";
import { ownerFault, parseOperand } from "../../node.ts";
import { fullAddress, NATIVE_COIN, NATIVE_METADATA, NATIVE_SYMBOL } from "../asset-texts.ts";
import { textCell } from "../statement-forms.ts";

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
  readonly authenticationKey: string | undefined;
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
  sig: "signature",
  sig1: "signature",
  publickey: "publicKey",
  pubkey: "publicKey",
  assettype: "assetType",
  authenticationkey: "authenticationKey",
};

/** Columns that lists have several of: the first counts. */
const REPEATED: ReadonlySet<string> = new Set<keyof ListedAccount>(["message", "signature", "publicKey"]);

const NONE = {
  coin: undefined,
  assetType: undefined,
  network: undefined,
  height: undefined,
  amount: undefined,
  message: undefined,
  signature: undefined,
  publicKey: undefined,
  authenticationKey: undefined,
};

/** Bytes of a list that are read at once, and the longest row of it. */
const PIECE_BYTES = 1 << 16;
const MAX_ROW_CHARACTERS = 1 << 20;

/** Where the cell that begins at a place ends; -1 for quotes that more stands behind, undefined if its end is not read yet. */
function endOfCell(text: string, at: number): number | undefined {
  if (text[at] !== '"') {
    for (let end = at; end < text.length; end++) if (text[end] === "," || text[end] === "\n") return end;
    return undefined;
  }
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 2)) {
    if (text[end + 1] === '"') continue;
    const next = text[end + 1] === "\r" ? end + 2 : end + 1;
    if (next >= text.length) return undefined;
    return text[next] === "," || text[next] === "\n" ? next : -1;
  }
  return undefined;
}

/** Text in UTF-8, piece by piece, with a line's end at the end. */
function* piecesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true });
  yield `${decoder.decode()}${bytes.at(-1) === NEWLINE ? "" : "\n"}`;
}

const NEWLINE = 0x0a;

/** The cells of CSV, row by row, each with its line. Throws ConfigError for a quote that does not close. */
function* csvRows(
  file: string,
  bytes: Uint8Array,
): Generator<{ readonly line: number; readonly cells: readonly string[] }> {
  let [rest, start] = ["", 1];
  for (const piece of piecesOf(bytes)) {
    rest += piece;
    let [cells, line, from]: [string[], number, number] = [[], start, 0];
    for (let at = 0; at < rest.length; ) {
      const end = endOfCell(rest, at);
      if (end === undefined) break;
      const cell = rest.slice(at, end).trimEnd();
      const isQuoted = cell.startsWith('"');
      if (end === -1 || (!isQuoted && cell.includes('"'))) throw openQuote(file, line);
      cells.push(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell);
      line += cell.split("\n").length - 1;
      at = end + 1;
      if (rest[end] === ",") continue;
      if (cells.some((one) => one.trim() !== "")) yield { line: start, cells };
      [cells, line, from] = [[], line + 1, at];
      start = line;
    }
    rest = rest.slice(from);
    if (rest.length > MAX_ROW_CHARACTERS) throw openQuote(file, start);
  }
  if (rest !== "") throw openQuote(file, start);
}

function openQuote(file: string, line: number): ConfigError {
  return new ConfigError(`${file}, line ${line}: expected cells with closed quotes and commas between`);
}

/** A list as it was written: its lines are read again each time, so that none is held. */
export class AccountList implements Iterable<ListedAccount> {
  readonly file: string;
  /** Lines with an account. */
  readonly size: number;
  readonly #bytes: Uint8Array;

  /** Throws ConfigError. */
  constructor(file: string, bytes: Uint8Array) {
    this.file = file;
    this.#bytes = bytes;
    let size = 0;
    for (const _ of this) size++;
    if (size === 0) throw new ConfigError(`${file}: expected at least one line with an account`);
    this.size = size;
  }

  /** It is CSV if its first line names a column `address`. */
  *[Symbol.iterator](): Generator<ListedAccount> {
    const { file } = this;
    let header: readonly (keyof ListedAccount | undefined)[] | undefined;
    let isCsv = false;
    for (const { line, cells } of csvRows(file, this.#bytes)) {
      const first = cells[0]?.trim() ?? "";
      if (header === undefined) {
        header = cells.map((name) => COLUMNS[name.toLowerCase().replace(/[^a-z0-9]/g, "")]);
        isCsv = header.includes("address");
        if (isCsv) continue;
        header = ["address"];
      }
      if (!isCsv && first.startsWith("#")) continue;
      if (!isCsv && /[;\t]/.test(first)) {
        throw new ConfigError(`${file}, line ${line}: expected commas between the columns`);
      }
      const found: Record<string, string> = {};
      for (const [i, column] of header.entries()) {
        const cell = cells[i]?.trim() ?? "";
        if (column === undefined || cell === "") continue;
        if (!REPEATED.has(column) && (found[column] ?? cell) !== cell) {
          throw new ConfigError(`${file}, line ${line}: expected one ${column}, got two columns that differ`);
        }
        found[column] ??= cell;
      }
      if (found.address === undefined) throw new ConfigError(`${file}, line ${line}: expected an address`);
      yield { ...NONE, ...found, line, address: found.address };
    }
  }
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

/** Exchanges list a coin on every network that it is on. */
const isElsewhere = ({ network }: ListedAccount): boolean => network !== undefined && !/^apt/i.test(network);

/** The assets that a line is about; none for a coin that was not asked for, or another network. */
export function assetsOf(row: ListedAccount, assets: readonly NamedAsset[]): readonly NamedAsset[] {
  if (isElsewhere(row)) return [];
  const { coin, assetType } = row;
  if (assetType !== undefined) return [{ coin: coin ?? assetType, type: assetType }];
  if (coin === undefined) return assets;
  return assets.filter((asset) => asset.coin.toLowerCase() === coin.toLowerCase());
}

/** How many decimals amounts have: one number where all are of one asset, else by coin in lower case. */
export type Decimals = number | ReadonlyMap<string, number>;

const MAX_DECIMALS = 38;

/** Reads `--decimals`: DIGITS, or COIN=DIGITS for each coin. Throws ConfigError. */
export function parseDecimals(texts: readonly string[]): Decimals {
  const coins = new Map<string, number>();
  for (const text of texts) {
    const at = text.lastIndexOf("=");
    const digits = /^\d{1,2}$/.test(text.slice(at + 1)) ? Number(text.slice(at + 1)) : Number.NaN;
    if (!(digits <= MAX_DECIMALS) || (at < 1 && texts.length > 1)) {
      throw new ConfigError(
        `--decimals: expected a number up to ${MAX_DECIMALS}, or COIN=NUMBER for each coin, got ${text}`,
      );
    }
    if (at < 1) return digits;
    coins.set(text.slice(0, at).toLowerCase(), digits);
  }
  return coins.size === 0 ? 0 : coins;
}

/** Throws ConfigError for one number of decimals for several assets, which would move their points. */
export function assertDecimals(decimals: Decimals, assets: number): void {
  if (decimals === 0 || typeof decimals !== "number" || assets < 2) return;
  throw new ConfigError(
    `--decimals: expected COIN=${decimals} for each coin, because there are ${assets} assets, got ${decimals}`,
  );
}

function decimalsOf(decimals: Decimals, coin: string): number {
  const found = typeof decimals === "number" ? decimals : decimals.get(coin.toLowerCase());
  if (found !== undefined) return found;
  throw new ConfigError(`--decimals: expected those of ${coin} too, as ${coin}=NUMBER`);
}

/** An amount in the smallest unit. Throws ConfigError. */
function toUnits(shown: string, text: string, decimals: number): bigint {
  const [whole = "", fraction = "0", ...more] = text.split(".");
  const [, ...thousands] = whole.split(",");
  const isGrouped = thousands.every(({ length }) => length === 3);
  if (!/^[0-9][0-9,]*$/.test(whole) || !isGrouped || !/^[0-9]+$/.test(fraction) || more.length > 0) {
    throw new ConfigError(`${shown}: expected an amount such as 1234.5 or 1,234.5, got ${text}`);
  }
  let digits = fraction;
  while (digits.endsWith("0")) digits = digits.slice(0, -1);
  if (digits.length > decimals) {
    throw new ConfigError(
      `${shown}: expected an amount with at most ${decimals} decimals, got ${text}; --decimals sets how many the list has`,
    );
  }
  return BigInt(whole.replaceAll(",", "") + digits.padEnd(decimals, "0"));
}

const idOf = (shown: string, asset: string): string => parseOperand("asset", shown, asset).id;

/** An address with all its digits. Throws ConfigError. */
export function listedAddress(shown: string, text: string): string {
  const full = fullAddress(text);
  if (full === undefined) parseOperand("address", shown, text);
  return full ?? text;
}

/** What is proven of an account. */
interface Account {
  readonly address: string;
  readonly authenticationKey: string | undefined;
  readonly balances: readonly { readonly asset: string; readonly balance: bigint }[];
}

/** A proven balance, with what is proven of its account. */
interface Found {
  readonly address: string;
  readonly authenticationKey: string | undefined;
  readonly asset: string;
  readonly balance: bigint;
  /** Which of all proven balances it is. */
  readonly place: number;
}

/** Balances of an account in few bytes: there may be a hundred thousand. */
interface Held {
  readonly key: string | undefined;
  /** Places in the list of assets. */
  readonly assets: readonly number[];
  readonly amounts: readonly bigint[];
  /** Balances before. */
  readonly before: number;
}

const packed = (hex: string): string => Buffer.from(hex.slice(2), "hex").toString("latin1");
const unpacked = (text: string): string => `0x${Buffer.from(text, "latin1").toString("hex")}`;

/** Proven balances, to find by what a list says. */
export class ProvenBalances implements Iterable<Account> {
  /** By the bytes of their addresses. */
  readonly #accounts = new Map<string, Held>();
  /** Texts and ids of the assets. */
  readonly #assets: { readonly text: string; readonly id: string }[] = [];
  #count = 0;

  /** Balances that are proven. */
  get count(): number {
    return this.#count;
  }

  /** Assets that are proven. */
  get assets(): number {
    return this.#assets.length;
  }

  add({ address, authenticationKey, balances }: Account): void {
    const name = packed(listedAddress("address", address));
    const key = authenticationKey === undefined ? undefined : packed(authenticationKey);
    const assets = balances.map(({ asset }) => this.#placeOf(asset));
    const amounts = balances.map(({ balance }) => balance);
    // Most accounts have the key that they began with.
    this.#accounts.set(name, { key: key === name ? name : key, assets, amounts, before: this.#count });
    this.#count += balances.length;
  }

  *[Symbol.iterator](): Generator<Account> {
    for (const [name, { key, assets, amounts }] of this.#accounts) {
      const balances = assets.map((place, i) => ({
        asset: this.#assets[place]?.text ?? "",
        balance: amounts[i] ?? 0n,
      }));
      yield { address: unpacked(name), authenticationKey: key && unpacked(key), balances };
    }
  }

  /** Undefined where the proof does not have it. Without an asset, the only one of the proof is meant. */
  find(shown: string, address: string, type: string | undefined): Found | undefined {
    const full = listedAddress(shown, address);
    const account = this.#accounts.get(packed(full));
    if (type === undefined && this.#assets.length > 1) {
      throw new ConfigError(
        `${shown}: the proof has several assets; --asset COIN=TYPE says which one is meant`,
      );
    }
    const id =
      type === undefined
        ? undefined
        : (this.#assets.find(({ text }) => text === type)?.id ?? idOf(shown, type));
    const isIt = (place: number): boolean => id === undefined || this.#assets[place]?.id === id;
    const at = account?.assets.findIndex(isIt) ?? -1;
    const [place, balance] = [account?.assets[at], account?.amounts[at]];
    if (account === undefined || place === undefined || balance === undefined) return undefined;
    const { key, before } = account;
    const asset = this.#assets[place]?.text ?? "";
    return { address: full, authenticationKey: key && unpacked(key), asset, balance, place: before + at };
  }

  #placeOf(text: string): number {
    const place = this.#assets.findIndex((asset) => asset.text === text);
    return place === -1 ? this.#assets.push({ text, id: idOf("asset", text) }) - 1 : place;
  }
}

/** Why the signature of a line is not its owner's; undefined if it is, and for a line without one. */
export function signatureFault(
  { message, signature, publicKey }: ListedAccount,
  key: string | undefined,
): string | undefined {
  if (signature === undefined)
    return (message ?? publicKey) === undefined ? undefined : "no signature of the message";
  if (key === undefined) return "the proof has no authentication key to check the signature with";
  if (message === undefined || publicKey === undefined) return "a signature needs a message and a public key";
  return ownerFault(key, { message, signature, publicKey });
}

export interface Comparison {
  readonly faults: readonly string[];
  /** What the list says and the proof does not tell. */
  readonly notes: readonly string[];
  readonly signed: number;
  readonly skipped: number;
  /** Proven balances that the list does not have. */
  readonly missing: number;
}

interface ListUnits {
  readonly assets: readonly NamedAsset[];
  readonly decimals: Decimals;
  readonly version: string;
}

/** What a list says against a proof: a sentence for each line that differs, and how many lines their owners signed. */
export function compareList(
  list: AccountList,
  proven: ProvenBalances,
  { assets, decimals, version }: ListUnits,
): Comparison {
  assertDecimals(decimals, proven.assets);
  const { file } = list;
  const faults: string[] = [];
  const seen = new Set<number>();
  const names = new Map<string, Set<string>>();
  const networks = new Set<string>();
  let [signed, skipped] = [0, 0];
  for (const row of list) {
    const shown = `${file}, line ${row.line}`;
    // Without --asset, the only asset of the proof is meant.
    const isOpen = assets.length === 0 && row.assetType === undefined && !isElsewhere(row);
    const named = isOpen ? [{ coin: row.coin, type: undefined }] : assetsOf(row, assets);
    if (named.length === 0) skipped++;
    else if (row.network !== undefined) networks.add(row.network);
    for (const { coin: name, type } of named) {
      const found = proven.find(shown, row.address, type);
      if (found === undefined) {
        faults.push(
          `${shown}: the proof has no balance of ${row.address}${type === undefined ? "" : ` in ${type}`}`,
        );
        continue;
      }
      const { balance, asset, place, authenticationKey } = found;
      if (seen.has(place)) faults.push(`${shown}: ${row.address} is listed again with ${asset}`);
      seen.add(place);
      const { coin = name ?? asset, height, authenticationKey: key } = row;
      const asked = assets.find((one) => one.coin.toLowerCase() === coin.toLowerCase());
      if (asked === undefined && row.coin !== undefined)
        names.set(asset, (names.get(asset) ?? new Set()).add(coin.toUpperCase()));
      else if (asked !== undefined && proven.find(shown, row.address, asked.type)?.asset !== asset)
        faults.push(`${shown}: listed as ${coin}, but ${asset} is not the ${asked.type} of --asset`);
      if (height !== undefined && height !== version)
        faults.push(`${shown}: listed at ${height}, but proven at version ${version}`);
      if (key !== undefined && fullAddress(key) !== authenticationKey)
        faults.push(
          `${shown}: listed with the authentication key ${key}, but the proof has ${authenticationKey ?? "none"}`,
        );
      const digits = decimalsOf(decimals, coin);
      if (row.amount === undefined) faults.push(`${shown}: no amount of ${row.address} to compare`);
      else if (toUnits(shown, row.amount, digits) !== balance) {
        const is = formatAmount(balance, digits);
        faults.push(
          `${shown}: ${row.address} is listed with ${row.amount}, but proven to have ${is} of ${asset}`,
        );
      }
      const fault = signatureFault(row, authenticationKey);
      if (fault !== undefined) faults.push(`${shown}: ${fault}`);
      else if (row.signature !== undefined) signed++;
    }
  }
  if (skipped === list.size) faults.push(`${file}: no line is about an asset of the proof`);
  if (networks.size > 1)
    faults.push(
      `${file}: the proof is of one network, the list names ${networks.size}: ${[...networks].join(", ")}`,
    );
  const notes = [...networks].map(
    (network) => `${file} calls the network ${network}; no proof names it: it is that of your waypoint`,
  );
  for (const [asset, coins] of names) {
    const all = [...coins].join(", ");
    const isNative = [NATIVE_COIN, NATIVE_METADATA].includes(asset);
    if (coins.size > 1) faults.push(`${file}: ${asset} is listed under ${coins.size} names: ${all}`);
    else if (isNative !== coins.has(NATIVE_SYMBOL))
      faults.push(
        `${file}: ${NATIVE_SYMBOL} is the name of ${NATIVE_COIN} alone, but ${asset} is listed as ${all}`,
      );
    else if (!isNative)
      notes.push(
        `${file} calls ${asset} ${all}; no proof names it: --asset ${all}=TYPE says what you take it for`,
      );
  }
  return { faults, notes, signed, skipped, missing: proven.count - seen.size };
}

const HEADER =
  "coin,Network,Snapshot Height,address,amount,asset_type,authentication_key,message,signature,public_key";

/** A list with the proven amounts, each once, in the columns that exchanges publish. */
export function* listCsv(
  list: Iterable<ListedAccount>,
  proven: ProvenBalances,
  { assets, decimals, version, chainId }: ListUnits & { readonly chainId: number },
): Generator<string> {
  const seen = new Set<number>();
  yield HEADER;
  for (const row of list) {
    for (const { coin, type } of assetsOf(row, assets)) {
      const found = proven.find("list", row.address, type);
      if (found === undefined) continue;
      const { address, authenticationKey, balance, asset, place } = found;
      if (seen.has(place)) continue;
      seen.add(place);
      const cells = [
        coin,
        chainId === MAINNET ? (row.network ?? "Aptos") : `Aptos chain ${chainId}`,
        version,
        address,
        formatAmount(balance, decimalsOf(decimals, coin)),
        asset,
        authenticationKey ?? "",
        row.message ?? "",
        row.signature ?? "",
        row.publicKey ?? "",
      ];
      yield cells.map(textCell).join(",");
    }
  }
}

/** The only chain that exchanges call Aptos without a word behind. */
const MAINNET = 1;
