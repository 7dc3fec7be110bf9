// `sextant export`: writes a ledger as plain files, in the layout of backups; or prints the transactions, events or
// changes of balances of a range.
import { once } from "node:events";
import { ConfigError } from "../../base/errors.ts";
import { choiceOption, grouped, type OptionValues, switchOption, textOption } from "../../base/option.ts";
import { EVENT_STREAM_PATH, TRANSACTION_STREAM_PATH, WATCH_PATH } from "../../interface/route.ts";
import { exportData, parseOperand } from "../../node.ts";
import { command, EXIT_OK, OperandError, operandsOf } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { createLogger } from "../log.ts";
import { startParts } from "../progress.ts";
import { askSource } from "../source/open.ts";
import { DEFAULT_URL, filterOptions, filterQuery } from "../source/options.ts";
import {
  CLUSTER_NAMES,
  clusterOf,
  clusterOptions,
  clusterRules,
  DEFAULT_DATA,
  directoryOf,
} from "../store-options.ts";
import { printFields } from "./info.ts";

/** What a range has, and where a node streams it. */
const RANGES: Readonly<Record<string, string>> = {
  transactions: TRANSACTION_STREAM_PATH,
  events: EVENT_STREAM_PATH,
  balances: WATCH_PATH,
};
const KINDS = "transactions, events or balances";

const rangeOptions = {
  url: textOption(`Node to ask (default ${DEFAULT_URL})`, "URL"),
  after: textOption("Go on behind the line with this id, in the place of --from", "ID"),
  ...filterOptions,
};

const options = {
  data: textOption(
    `Data directory to read, also while a node writes to it (default ${DEFAULT_DATA} for an archive)`,
    "DIR",
  ),
  from: textOption("First version (default of an archive the oldest, or where its folder ends)", "VERSION"),
  to: textOption("Last version (default of an archive the latest that is signed)", "VERSION"),
  ...grouped("Archive", {
    out: textOption("Folder for the files: new, or with an earlier export, which gets what it lacks", "DIR"),
    "store-url": textOption(
      "Export the ledger in this cluster instead: cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]",
      "URL",
    ),
    layout: choiceOption("Layout of the files: that of a network's backups", ["backup"], "backup"),
    "state-at": choiceOption(
      "Which end of an epoch to write the state at: the newest, or the oldest that is kept, so that a node that starts from it has all kept history since",
      ["newest", "oldest"],
      "newest",
    ),
    json: switchOption("Print a JSON object", false),
  }),
  ...grouped("Transactions, events or balances", {
    format: choiceOption("Output format", ["ndjson", "csv", "bcs"], "ndjson"),
    ...rangeOptions,
  }),
  ...grouped("Cluster", clusterOptions),
};

type Values = OptionValues<typeof options>;

function versionOf(name: string, text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : parseOperand("version", name, text);
}

/** The question for the changes of balances: every account with every asset. */
function watchQuestion(values: Values): { readonly query: URLSearchParams; readonly body: Uint8Array } {
  const { account: accounts, "asset-type": assets, format } = values;
  if (accounts.length === 0 || assets.length === 0) {
    throw new ConfigError("--account, --asset-type: expected whose balances of which assets to print");
  }
  if (format === "bcs") throw new ConfigError("--format: expected ndjson or csv for balances, got bcs");
  const query = filterQuery({ ...values, account: [], "asset-type": [] });
  const [other] = [...query.keys()].filter((name) => name !== "min_trust");
  if (other !== undefined) throw new ConfigError(`--${other.replace("_", "-")}: is not for balances`);
  return { query, body: new TextEncoder().encode(JSON.stringify({ accounts, assets })) };
}

/** Prints a range. */
async function exportRange(what: string, path: string, values: Values): Promise<number> {
  const { format, after, data, url } = values;
  const [from, to] = [versionOf("--from", values.from), versionOf("--to", values.to)];
  if (to === undefined) throw new ConfigError("--to: expected the last version to print");
  if (from === undefined && after === undefined) {
    throw new ConfigError("--from: expected the first version to print, or --after an id");
  }
  if (values.out !== undefined || values["store-url"] !== undefined || values.json) {
    throw new ConfigError(`--out, --store-url, --json: are for archives, not for export ${what}`);
  }
  const { query, body } = path === WATCH_PATH ? watchQuestion(values) : { query: filterQuery(values) };
  if (after === undefined) query.append("start", `${from}`);
  query.append("end", `${to}`);
  await askSource({ data, url }, async (source) => {
    const { stdout } = process;
    for await (const piece of source.range({ path, search: `${query}`, form: format, after, body })) {
      if (!stdout.write(piece)) await once(stdout, "drain");
    }
  });
  return EXIT_OK;
}

/** Throws ConfigError for options that an archive does not have. */
function assertArchive(values: Values): void {
  for (const name of Object.keys(rangeOptions) as (keyof typeof rangeOptions)[]) {
    if (values[name] === undefined || values[name]?.length === 0) continue;
    throw new ConfigError(`--${name}: an archive is whole; name what to print: ${KINDS}`);
  }
}

export const exportCommand = command({
  name: "export",
  operands: "[transactions|events|balances]",
  options,
  exclusions: [
    { one: "store-url", others: ["data"] },
    { one: "url", others: ["data"] },
    { one: "after", others: ["from"] },
    ...clusterRules.exclusions,
  ],
  requirements: [
    { options: CLUSTER_NAMES, isMet: (values) => values["store-url"] !== undefined, needs: "--store-url" },
    ...clusterRules.requirements,
  ],
  examples: [
    "sextant export --out ./archive    # the whole ledger as files, with proofs",
    "sextant export --out ./archive --state-at oldest",
    "sextant export --data /var/lib/sextant --out /srv/archive --to 5000000 --json",
    "sextant export events --from 0 --to 5000 --event-type 0x1::fungible_asset::Deposit --format csv",
    "sextant export balances --from 0 --to 5000 --account 0xcafe,0xbeef --asset-type 0x1::aptos_coin::AptosCoin",
    "sextant export transactions --data ./data --from 0 --to 5000 --account 0xcafe > transactions.ndjson",
  ],
  run: async (values, operands, context) => {
    const [what] = operands;
    if (what !== undefined) {
      operandsOf(operands, [KINDS]);
      const path = RANGES[what];
      if (path !== undefined) return exportRange(what, path, values);
      throw new OperandError(`expected ${KINDS}, got ${what}`);
    }
    assertArchive(values);
    const { "store-url": url, out, from, to } = values;
    if (out === undefined) throw new ConfigError("--out: expected a folder for the files");
    const store =
      url === undefined
        ? ({ engine: "lmdb", path: directoryOf("data", values.data ?? DEFAULT_DATA) } as const)
        : clusterOf(url, values);
    const progress = startParts();
    const report = await interruptible(
      (signal) =>
        exportData({
          store,
          out: directoryOf("out", out),
          from: versionOf("--from", from),
          to: versionOf("--to", to),
          stateAt: values["state-at"],
          onProgress: (part, done, total) => progress.update(part, done, total),
          logger: createLogger("warn", process.stderr.isTTY ? "text" : "json"),
          signal,
        }),
      RESUMES,
    ).finally(() => progress.finish());
    const fields = {
      epochs_written: report.epochs,
      state_version: report.stateVersion === undefined ? "none" : `${report.stateVersion}`,
      items_written: report.items,
      versions_written: report.versions,
      last_version: `${report.lastVersion}`,
      bytes_written: report.bytes,
    };
    printFields(fields, values.json, context);
    return EXIT_OK;
  },
});
