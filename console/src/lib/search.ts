// What a searched text may mean.

import { NATIVE_COIN } from "../../../src/cli/asset-texts.ts";
import { formatUtc, fullAddress, groupDigits } from "./format.ts";
import { demoName, type Head, type Info } from "./live.ts";
import { linkTo } from "./router.ts";

/** One reading of a text. */
export interface Meaning {
  readonly text: string;
  readonly link: string;
}

export interface Found {
  /** The likeliest first. */
  readonly meanings: readonly Meaning[];
  /** Why a reading leads nowhere. */
  readonly notes: readonly string[];
}

const HASH_DIGITS = 64;
const MEMBER = /^0x[0-9a-f]{1,64}::\w+::(\w+)(<.+>)?$/i;
/** `block 20`, `version 1,234`, `account basil`. */
const WORDED = /^(block|height|version|transaction|tx|account|address|table|asset|coin)\s*[#:]?\s+(.+)$/i;
const NOTHING: Found = { meanings: [], notes: [] };

function only(text: string, link: string): Found {
  return { meanings: [{ text, link }], notes: [] };
}

/** Digits of a whole number, as people group them; undefined for other texts. */
function wholeNumber(text: string): string | undefined {
  const digits = text.replace(/[,_ ]/g, "");
  return /^\d{1,20}$/.test(digits) ? `${BigInt(digits)}` : undefined;
}

const TIME_UNITS: readonly (readonly [unit: string, usec: bigint])[] = [
  ["seconds", 1_000_000n],
  ["milliseconds", 1000n],
  ["microseconds", 1n],
];
/** 2001 to 2286: the times of ten digits in seconds. */
const TIMES = [10n ** 15n, 10n ** 16n] as const;

/** What a number is as a Unix time. */
function timeNote(number: bigint): string[] {
  return TIME_UNITS.filter(([, usec]) => number * usec >= TIMES[0] && number * usec < TIMES[1]).map(
    ([unit, usec]) =>
      `As a Unix time in ${unit} it is ${formatUtc(`${number * usec}`)}: read an account at that time.`,
  );
}

function version(digits: string, info: Info | undefined, head: Head): Found {
  const number = BigInt(digits);
  const shown = groupDigits(digits);
  if (head.version !== undefined && number > BigInt(head.version)) {
    const note = `No transaction has version ${shown} yet: the latest is ${groupDigits(head.version)}.`;
    return { meanings: [], notes: [note] };
  }
  const oldest = info?.oldest_ledger_version ?? "0";
  if (number < BigInt(oldest)) {
    const note = `Version ${shown} is pruned: the oldest that this node keeps is ${groupDigits(oldest)}.`;
    return { meanings: [], notes: [note] };
  }
  return only(`Transaction at version ${shown}`, linkTo(["transaction", digits]));
}

function block(digits: string, info: Info | undefined, head: Head): Found {
  const number = BigInt(digits);
  const shown = groupDigits(digits);
  if (head.height !== undefined && number > BigInt(head.height)) {
    const note = `No block has height ${shown} yet: the latest is ${groupDigits(head.height)}.`;
    return { meanings: [], notes: [note] };
  }
  const oldest = info?.oldest_block_height ?? "0";
  if (number < BigInt(oldest)) {
    const note = `Block ${shown} is pruned: the oldest that this node keeps is ${groupDigits(oldest)}.`;
    return { meanings: [], notes: [note] };
  }
  return only(`Block ${shown}`, linkTo(["block", digits]));
}

/** An asset by its symbol, coin type or metadata address. */
function asset(text: string, info: Info | undefined): Found | undefined {
  const known = Object.entries({ APT: NATIVE_COIN, ...info?.demo_assets }).find(
    ([symbol]) => symbol.toLowerCase() === text.toLowerCase(),
  );
  if (known !== undefined) return only(`Asset ${known[0]}`, linkTo(["asset", known[1]]));
  const [, name = "", generic] = MEMBER.exec(text) ?? [];
  // Types begin with a capital letter, functions do not.
  return generic !== undefined || /^[A-Z]/.test(name)
    ? only(`Coin ${text}`, linkTo(["asset", text]))
    : undefined;
}

/** A text behind a word that says what it is. */
function worded(kind: string, text: string, info: Info | undefined, head: Head): Found | undefined {
  const digits = wholeNumber(text);
  const address = fullAddress(text);
  switch (kind) {
    case "block":
    case "height":
      return digits === undefined ? undefined : block(digits, info, head);
    case "version":
    case "transaction":
    case "tx":
      if (digits !== undefined && !/^0x/i.test(text)) return version(digits, info, head);
      return address === undefined ? undefined : only("Transaction", linkTo(["transaction", address]));
    case "table": {
      const handle = info?.demo_tables?.[text.toLowerCase()] ?? address;
      return handle === undefined ? undefined : only(`Table ${text}`, linkTo(["table", handle]));
    }
    case "asset":
    case "coin":
      return (
        asset(text, info) ?? (address === undefined ? undefined : only("Asset", linkTo(["asset", address])))
      );
    default: {
      const account = info?.demo_accounts?.[text.toLowerCase()] ?? address;
      return account === undefined ? undefined : only(`Account ${text}`, linkTo(["account", account]));
    }
  }
}

/** Every reading of a text. */
export function findMeanings(given: string, info: Info | undefined, head: Head): Found {
  const text = given.trim();
  const [, word = "", rest = ""] = WORDED.exec(text) ?? [];
  const told = word === "" ? undefined : worded(word.toLowerCase(), rest.trim(), info, head);
  if (told !== undefined) return told;
  const named = info?.demo_accounts?.[text.toLowerCase()];
  if (named !== undefined) return only(`Account ${text}`, linkTo(["account", named]));
  const table = info?.demo_tables?.[text.toLowerCase()];
  if (table !== undefined) return only(`Table ${text}`, linkTo(["table", table]));
  const coin = asset(text, info);
  if (coin !== undefined) return coin;
  if (MEMBER.test(text)) return only(`Encode a call of ${text}`, linkTo(["encode"], { function: text }));
  const digits = wholeNumber(text);
  if (digits !== undefined) {
    const both = [version(digits, info, head), block(digits, info, head)];
    return {
      meanings: both.flatMap(({ meanings }) => meanings),
      notes: [...both.flatMap(({ notes }) => notes), ...timeNote(BigInt(digits))],
    };
  }
  const address = fullAddress(text);
  if (address === undefined) return NOTHING;
  const account = { text: "Account or object with this address", link: linkTo(["account", address]) };
  const isWhole = text.replace(/^0x/i, "").length === HASH_DIGITS;
  if (!isWhole || demoName(info, address) !== undefined) return { meanings: [account], notes: [] };
  return {
    meanings: [
      account,
      { text: "Transaction with this hash", link: linkTo(["transaction", address]) },
      { text: "Table with this handle", link: linkTo(["table", address]) },
      { text: "Asset with this metadata address", link: linkTo(["asset", address]) },
    ],
    notes: [],
  };
}

/** The link of a text with one meaning. */
export function targetOf(text: string, info: Info | undefined, head: Head): string | undefined {
  const { meanings, notes } = findMeanings(text, info, head);
  return meanings.length === 1 && notes.length === 0 ? meanings[0]?.link : undefined;
}
