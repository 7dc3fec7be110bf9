// Options of the reading commands: where to ask, the least version that the answer needs, and when to read at.
import { ConfigError } from "../../base/errors.ts";
import {
  durationOption,
  type Exclusion,
  listOption,
  type OptionValues,
  textOption,
} from "../../base/option.ts";
import { MAX_WAIT_MS, type MinVersionOptions, parseOperand } from "../../node.ts";
import type { ReadAt } from "./source.ts";

/** Node that the reading commands ask unless told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:8080";

/** Options shared by the reading commands. */
export const sourceOptions = {
  url: textOption(`Node to ask (default ${DEFAULT_URL})`, "URL"),
  data: textOption("Data directory to read directly, instead of asking a node", "DIR"),
};

export const sourceExclusions: readonly Exclusion<keyof typeof sourceOptions>[] = [
  { one: "url", others: ["data"] },
];

/** Options of every command that reads the ledger. */
export const minVersionOptions = {
  "min-ledger-version": textOption(
    "Wait until the node has this version, such as the version of your own write",
    "VERSION",
  ),
  wait: durationOption("Longest wait for --min-ledger-version", {
    fallback: 10_000,
    min: 0,
    max: MAX_WAIT_MS,
  }),
};

/** Where to ask, and the least version that the answer needs. */
export interface SourceValues {
  readonly url: string | undefined;
  readonly data: string | undefined;
  readonly "min-ledger-version"?: string | undefined;
  readonly wait?: number;
}

export function minVersionOf({ "min-ledger-version": text, wait }: SourceValues): MinVersionOptions {
  if (text === undefined) return {};
  return { minLedgerVersion: parseOperand("version", "--min-ledger-version", text), waitMs: wait };
}

/** Options of commands that read at a version or time. */
export const readAtOptions = {
  "ledger-version": textOption("Read at this version instead of the latest", "VERSION"),
  at: textOption(
    "Read the state at this time: the last version whose block is not later; RFC 3339 (2026-01-31T12:00:00Z) or Unix seconds, with or without an @ in front",
    "TIMESTAMP",
  ),
};

export const readAtExclusions: readonly Exclusion<keyof typeof readAtOptions>[] = [
  { one: "ledger-version", others: ["at"] },
];

/** Options of commands that read the state. */
export const stateOptions = { ...sourceOptions, ...minVersionOptions, ...readAtOptions };

export const stateExclusions = [...sourceExclusions, ...readAtExclusions];

/** Options that choose transactions and events. */
export const filterOptions = {
  sender: listOption("Only what transactions that this account sent did", "ADDRESS"),
  function: listOption("Only what transactions that call this entry function did", "FUNCTION"),
  module: listOption("Only events whose type is of this module, or transactions that call it", "MODULE"),
  "event-type": listOption("Only events of this type, or transactions that emitted one", "TYPE"),
  account: listOption("Only what transactions that touch this account did", "ADDRESS"),
  "asset-type": listOption("Only what transactions that write a store of this asset did", "ASSET"),
  "min-trust": textOption("Only what has this trust level, or once it has it", "LEVEL"),
};

/** The query of a filter. */
export function filterQuery(values: OptionValues<typeof filterOptions>): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of Object.keys(filterOptions) as (keyof typeof filterOptions)[]) {
    for (const value of [values[name] ?? []].flat()) query.append(name.replace("-", "_"), value);
  }
  return query;
}

/** The version or time to read at, as it was given. */
export interface ReadAtValues {
  readonly "ledger-version"?: string | undefined;
  readonly at?: string | undefined;
}

/** The version or time that the options name. Throws ConfigError. */
export function readAtOf({ "ledger-version": version, at }: ReadAtValues): ReadAt {
  if (at !== undefined) parseOperand("time", "--at", at);
  return {
    ledger_version: version === undefined ? undefined : parseOperand("version", "--ledger-version", version),
    at,
  };
}

/** Parses a URL of a server. Throws ConfigError. */
export function parseHttpUrl(text: string, option: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigError(
      `${option}: expected an http or https URL such as ${example}, got ${JSON.stringify(text)}`,
    );
  }
  // Not repeated: messages end up in logs.
  if (url.username === "" && url.password === "") return url;
  throw new ConfigError(`${option}: expected a URL without a user and password`);
}

/** Base of a node's URL, without /v1 and slashes at the end. Throws ConfigError. */
export function parseNodeUrl(text: string, option = "--url"): string {
  const url = parseHttpUrl(text, option, DEFAULT_URL);
  if (/[?#]/.test(text)) {
    throw new ConfigError(
      `${option}: expected a URL without a query or fragment, got ${JSON.stringify(text)}`,
    );
  }
  const parts = url.pathname.split("/").filter((part) => part !== "");
  if (parts.at(-1) === "v1") parts.pop();
  return [url.origin, ...parts].join("/");
}
