// How a balance changed: a chart, the changes in a table, and both as files.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Answer, ApiError, ask, path } from "../lib/api.ts";
import { formatUtc, toMillis } from "../lib/format.ts";
import { headOf, live } from "../lib/live.ts";
import { fromLocalInput, toLocalInput } from "../lib/read-at.ts";
import { linkHere, linkTo, replace } from "../lib/router.ts";
import { saveFile } from "../lib/save-file.ts";
import { historyText, statementOf, statementText } from "../lib/statement.ts";
import { useStore } from "../lib/store.ts";
import { useLoad } from "../lib/use-load.ts";
import { Amount, Button, Card, Field, Hash, Load, Problem, Time, Version } from "./basics.tsx";
import { Chart, type ChartPoint } from "./chart.tsx";
import { Held } from "./held.tsx";
import { ProofButtons } from "./proof-download.tsx";

type Change = Answer<"get_balance_history">[number];

const POINTS = 1200;
const ROWS = 20;

const CSV = { ending: "csv", type: "text/csv" };
/** Files of a statement. */
const TYPES = { csv: CSV, html: { ending: "html", type: "text/html" }, koinly: CSV, cointracking: CSV };

const SPANS = [
  ["15 min", 900],
  ["1 h", 3600],
  ["24 h", 86_400],
  ["7 d", 604_800],
] as const;

/** The ends of a range as the API takes them; empty for the whole history. */
interface Range {
  readonly from?: string;
  readonly to?: string;
}

function toApi(usec: string | undefined): string | undefined {
  return usec === undefined ? undefined : formatUtc(usec);
}

function rangeOf({ from, to }: Readonly<Record<string, string>>): Range {
  const digits = (text: string | undefined): string | undefined =>
    text !== undefined && /^\d{1,18}$/.test(text) ? text : undefined;
  const start = digits(from);
  const end = digits(to);
  return { ...(start === undefined ? {} : { from: start }), ...(end === undefined ? {} : { to: end }) };
}

/** The line: from the balance before the first change to the end of the range. */
function pointsOf(
  changes: readonly Change[],
  { from, to }: Range,
  endUsec: string | undefined,
): ChartPoint[] {
  // Genesis has no time; its change belongs to the beginning of the line.
  const timed = changes.filter(({ timestamp_usec: usec }) => usec !== "0");
  const first = timed[0];
  const points: ChartPoint[] = timed.map(({ version, timestamp_usec: usec, after }) => ({
    usec,
    amount: after,
    version,
  }));
  if (first !== undefined && from !== undefined)
    points.unshift({ usec: from, amount: first.before, version: undefined });
  const last = points.at(-1);
  const end = to ?? endUsec;
  if (last !== undefined && end !== undefined && BigInt(end) > BigInt(last.usec)) {
    points.push({ ...last, usec: end });
  }
  return points;
}

function Downloads({
  address,
  asset,
  range,
  symbol,
  decimals,
}: {
  readonly address: string;
  readonly asset: string;
  readonly range: Range;
  readonly symbol: string;
  readonly decimals: number;
}): JSX.Element {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const head = headOf(live.get());
  const nowIso = new Date(toMillis(head.timestampUsec) ?? Date.now()).toISOString();
  const [from, setFrom] = useState(toLocalInput(new Date(Date.parse(nowIso) - 600_000).toISOString()));
  const [to, setTo] = useState(toLocalInput(nowIso));
  const name = `${(symbol.replace(/[^\w-]/g, "") || "asset").toLowerCase()}-${address.slice(2, 10)}`;
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
    setBusy(false);
  };
  const saveCsv = (): Promise<void> =>
    run(async () => {
      const ends = { from: toApi(range.from), to: toApi(range.to) };
      const data = await historyText(address, asset, ends, symbol === "" ? {} : { symbol, decimals });
      saveFile(`history-${name}.csv`, data, "text/csv");
    });
  const saveStatement = (form: keyof typeof TYPES): Promise<void> =>
    run(async () => {
      const [start, end] = [fromLocalInput(from), fromLocalInput(to)];
      if (start === undefined || end === undefined) throw new Error("expected a beginning and an end");
      const [fromUsec, toUsec] = [BigInt(Date.parse(start)) * 1000n, BigInt(Date.parse(end)) * 1000n];
      if (fromUsec >= toUsec) throw new Error("the beginning must be before the end");
      const statements = await statementOf(address, asset, { fromUsec, toUsec });
      const { ending, type } = TYPES[form];
      saveFile(
        `${form === "csv" || form === "html" ? "statement" : form}-${name}.${ending}`,
        statementText(statements, form),
        type,
      );
    });
  return (
    <div class="downloads">
      <div class="buttons">
        <Button onClick={saveCsv} isOff={isBusy}>
          Download CSV
        </Button>
        <button type="button" class="button" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          Statement…
        </button>
        <ProofButtons address={address} asset={asset} name={name} run={run} isBusy={isBusy} />
      </div>
      {isOpen ? (
        <div class="statement-form">
          <p class="faint">
            Opening balance, every change and closing balance of a period, checked against each other. The
            period has its first moment and not its last, in your zone.
          </p>
          <div class="inline-form">
            <Field label="From">
              {(ids) => (
                <input
                  {...ids}
                  type="datetime-local"
                  step="1"
                  value={from}
                  onInput={(event) => setFrom(event.currentTarget.value)}
                />
              )}
            </Field>
            <Field label="Until">
              {(ids) => (
                <input
                  {...ids}
                  type="datetime-local"
                  step="1"
                  value={to}
                  onInput={(event) => setTo(event.currentTarget.value)}
                />
              )}
            </Field>
            <Button onClick={() => saveStatement("csv")} isOff={isBusy}>
              CSV
            </Button>
            <Button onClick={() => saveStatement("html")} isOff={isBusy}>
              Page to print
            </Button>
            <Button onClick={() => saveStatement("koinly")} isOff={isBusy}>
              Koinly
            </Button>
            <Button onClick={() => saveStatement("cointracking")} isOff={isBusy}>
              CoinTracking
            </Button>
          </div>
        </div>
      ) : undefined}
      {error === undefined ? undefined : <Problem error={error} />}
    </div>
  );
}

function ChangeRows({
  rows,
  decimals,
}: {
  readonly rows: readonly Change[];
  readonly decimals: number;
}): JSX.Element {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Time</th>
          <th scope="col" class="right">
            Change
          </th>
          <th scope="col" class="right">
            Balance
          </th>
          <th scope="col" class="spare">
            Transaction
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ version, timestamp_usec: usec, before, after, transaction_hash: hash }) => (
          <tr key={version}>
            <td>
              <Version version={version} />
            </td>
            <td>
              <Time usec={usec} />
            </td>
            <td class="right">
              <Amount amount={BigInt(after) - BigInt(before)} decimals={decimals} signed />
            </td>
            <td class="right">
              <Amount amount={after} decimals={decimals} />
            </td>
            <td class="spare">
              <Hash hash={hash} href={linkTo(["transaction", version])} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function BalanceHistory({
  address,
  asset,
  decimals,
  symbol,
  changes,
  query,
}: {
  readonly address: string;
  readonly asset: string;
  readonly decimals: number;
  readonly symbol: string;
  /** Grows with each change of the balance. */
  readonly changes: number;
  readonly query: Readonly<Record<string, string>>;
}): JSX.Element {
  const head = useStore(live, (state) => headOf(state).timestampUsec);
  const range = rangeOf(query);
  const setRange = (next: Range): void => {
    const { from: _from, to: _to, ...rest } = query;
    replace(linkHere({ ...rest, ...next }));
  };
  const historyPath = `${path("accounts", address, "balance", asset)}/history`;
  const isFromGenesis = useStore(live, ({ info }) => info?.oldest_ledger_version === "0");
  const endUsec = head;
  const loaded = useLoad(
    `history ${address} ${asset} ${range.from ?? ""} ${range.to ?? ""}`,
    async (signal) => {
      // Genesis is in 1970: with it, equal spans of time would leave one point for everything since.
      const first = "1";
      const request = (from: string | undefined) =>
        ask<Change[]>(historyPath, { query: { from, to: toApi(range.to), points: POINTS }, signal });
      try {
        return (await request(toApi(range.from) ?? (isFromGenesis ? first : undefined))).data;
      } catch (error) {
        // The range may begin before the oldest version that is kept.
        if (!(error instanceof ApiError && error.status === 410) || range.from === undefined) throw error;
        return (await request(undefined)).data;
      }
    },
    changes,
  );
  const isWhole = range.from === undefined && range.to === undefined;
  return (
    <Card
      title="History"
      className="history"
      actions={
        <div class="spans">
          {SPANS.map(([text, seconds]) => (
            <button
              key={text}
              type="button"
              class="button small"
              onClick={() => {
                if (endUsec !== undefined)
                  setRange({ from: `${BigInt(endUsec) - BigInt(seconds) * 1_000_000n}` });
              }}
            >
              {text}
            </button>
          ))}
          <button type="button" class="button small" aria-pressed={isWhole} onClick={() => setRange({})}>
            All
          </button>
        </div>
      }
    >
      <Load loaded={loaded} lines={6}>
        {(all) =>
          all.length === 0 ? (
            <p class="faint">This balance did not change in this range.</p>
          ) : (
            <>
              <Chart
                points={pointsOf(all, range, endUsec)}
                decimals={decimals}
                symbol={symbol}
                onZoom={(from, to) => setRange({ from, to })}
              />
              <p class="faint chart-hint">Drag over the line to zoom in.</p>
              <details class="changes">
                <summary>Changes as a table</summary>
                <Held newest={all.at(-1)?.version} rows={all.slice(-ROWS).reverse()} what="changes">
                  {(rows) => <ChangeRows rows={rows} decimals={decimals} />}
                </Held>
                {all.length > ROWS ? (
                  <p class="faint">The latest {ROWS} of this range; the CSV has them all.</p>
                ) : undefined}
              </details>
            </>
          )
        }
      </Load>
      <Downloads {...{ address, asset, range, symbol, decimals }} />
    </Card>
  );
}
