// How the node is doing, live.
import { Fragment, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, askText } from "../lib/api.ts";
import { formatBytes, formatSeconds, formatSpan, groupDigits, toMillis } from "../lib/format.ts";
import { type Block, type Head, headOf, type Info, live } from "../lib/live.ts";
import {
  metricValue,
  type OperationRate,
  operationRates,
  parseMetrics,
  type Reading,
} from "../lib/metrics.ts";
import { linkTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { trustMeaning } from "../lib/trust-levels.ts";
import {
  Address,
  Card,
  Copy,
  Empty,
  Fact,
  Facts,
  LedgerText,
  Skeleton,
  Time,
  Title,
} from "../parts/basics.tsx";
import { BlockList } from "../parts/block-list.tsx";
import { LatestTransactions } from "../parts/latest-transactions.tsx";
import { Sparkline } from "../parts/sparkline.tsx";

const METRICS_MS = 3000;
const KEPT_RATES = 40;
const SHOWN_BLOCKS = 8;

/** Time since the ledger's latest block, which grows between blocks. */
function useAge(usec: string | undefined): number | undefined {
  const [nowMs, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const millis = toMillis(usec);
  // The two clocks may differ a little.
  return millis === undefined ? undefined : Math.max(0, nowMs - millis) / 1000;
}

interface Figures {
  readonly reading: Reading | undefined;
  readonly rates: readonly OperationRate[];
  /** Requests per second, oldest first. */
  readonly trend: readonly number[];
  readonly isServed: boolean;
}

/** Reads the metrics page every few seconds while this view is open and visible. */
function useFigures(): Figures {
  const [figures, setFigures] = useState<Figures>({
    reading: undefined,
    rates: [],
    trend: [],
    isServed: true,
  });
  const last = useRef<Reading | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const read = async (): Promise<void> => {
      if (!document.hidden && live.get().state !== "gone") {
        try {
          const { data } = await askText("metrics", { accept: "text/plain" });
          const reading = parseMetrics(data, performance.now());
          const rates = operationRates(last.current, reading);
          const total = rates.reduce((sum, { perSecond }) => sum + perSecond, 0);
          const isFirst = last.current === undefined;
          last.current = reading;
          if (isOver) return;
          setFigures(({ trend }) => ({
            reading,
            rates,
            trend: isFirst ? trend : [...trend, total].slice(-KEPT_RATES),
            isServed: true,
          }));
        } catch (error) {
          if (isOver) return;
          if (error instanceof ApiError) setFigures((old) => ({ ...old, isServed: false }));
        }
      }
      if (!isOver) timer = setTimeout(read, METRICS_MS);
    };
    read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return figures;
}

function Hero({ info, head }: { readonly info: Info; readonly head: Head }): JSX.Element {
  const age = useAge(head.timestampUsec);
  return (
    <div class="hero">
      <div class="hero-main">
        <span class="hero-label">Version</span>
        <span class="hero-number" data-testid="version">
          {groupDigits(head.version ?? "0")}
        </span>
        <span class="hero-note">
          {info.sync_state !== "at_head" && info.versions_behind !== undefined && info.versions_behind !== "0"
            ? `${groupDigits(info.versions_behind)} versions behind the upstreams`
            : stateText(info)}
        </span>
      </div>
      <Facts>
        <Fact name="Chain">
          {info.chain_id}
          {info.chain_id === `${info.chain_id_number}` ? "" : ` (${info.chain_id_number})`}
        </Fact>
        <Fact name="Block">
          <a class="num" href={linkTo(["block", head.height ?? "0"])}>
            {groupDigits(head.height ?? "0")}
          </a>
        </Fact>
        <Fact name="Epoch">{groupDigits(head.epoch ?? "0")}</Fact>
        <Fact name="Block time">
          <Time usec={head.timestampUsec} />
        </Fact>
        <Fact name="Behind the clock">
          <span class={age !== undefined && age > 30 ? "warn" : ""}>
            {age === undefined ? "–" : age < 10 ? `${age.toFixed(1)} s` : formatSpan(age)}
          </span>
        </Fact>
      </Facts>
    </div>
  );
}

const STATES: Readonly<Record<string, string>> = {
  moving: "making blocks",
  at_head: "at the head of the network",
  catching_up: "catching up",
  ahead_of_upstreams: "ahead of every upstream",
  waiting: "waiting",
  refuted: "not the ledger of the network",
  faulted: "stopped by a fault",
  static: "a ledger that does not move",
};

function stateText({ sync_state: state = "" }: Info): string {
  return STATES[state] ?? state.replaceAll("_", " ");
}

function Trust({ info }: { readonly info: Info }): JSX.Element {
  const level = info.trust_level ?? "";
  const meaning = trustMeaning(level);
  const weakest = info.weakest_trust_level;
  return (
    <Card title="Trust">
      <p class="trust-line">
        <span class={`badge trust-${level.split(" ")[0]}`}>{level}</span>
      </p>
      {meaning === undefined ? undefined : (
        <>
          <p>{meaning.checked}</p>
          <p class="faint">To get a false answer past this, an attacker needs {meaning.attacker}.</p>
        </>
      )}
      {weakest !== undefined && weakest !== level ? (
        <p class="faint">
          Some answers rest on items that are only <b>{weakest}</b>: {trustMeaning(weakest)?.checked}
        </p>
      ) : undefined}
      {info.refutation === undefined ? undefined : (
        <p class="warn">
          <LedgerText text={info.refutation} max={300} />
        </p>
      )}
    </Card>
  );
}

const PERCENT = 10_000n;

/** Share of a version in the whole history, in percent. */
function share(version: bigint, latest: bigint): number {
  return latest === 0n ? 0 : Number((version * PERCENT) / latest) / 100;
}

function Window({ info, head }: { readonly info: Info; readonly head: Head }): JSX.Element {
  const latest = BigInt(head.version ?? 0);
  const oldest = BigInt(info.oldest_ledger_version ?? 0);
  const kept = latest - oldest + 1n;
  const left = share(oldest, latest);
  const ranges = info.trust_ranges ?? [];
  return (
    <Card title="History kept">
      <svg
        class="window"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Versions ${oldest} to ${latest} are kept, of 0 to ${latest}`}
      >
        <rect class="window-all" x="0" y="0" width="100" height="10" />
        <rect class="window-kept" x={left} y="0" width={Math.max(100 - left, 0.8)} height="10" />
        {ranges.map(({ first_version: first, last_version: last, level }) => {
          const from = Math.max(share(BigInt(first), latest), left);
          const to = last === ranges.at(-1)?.last_version ? 100 : share(BigInt(last) + 1n, latest);
          return to <= from ? undefined : (
            <rect
              key={first}
              class={`trust-fill-${level.split(" ")[0]}`}
              x={from}
              y="7"
              width={to - from}
              height="3"
            />
          );
        })}
      </svg>
      <div class="window-ends">
        <span>
          <span class="faint">oldest</span> <span class="num">{groupDigits(`${oldest}`)}</span>
        </span>
        <span>
          <span class="faint">latest</span> <span class="num">{groupDigits(`${latest}`)}</span>
        </span>
      </div>
      <p class="faint">
        {groupDigits(`${kept}`)} versions can be read.{" "}
        {info.prune_window === "off"
          ? "Nothing is ever pruned."
          : `The window is ${info.prune_window}; what is older is pruned.`}
        {ranges.length > 1 ? ` The line below shows ${ranges.length} ranges of trust.` : ""}
      </p>
    </Card>
  );
}

const UPSTREAM_STATES: Readonly<Record<string, string>> = {
  ok: "in use",
  resting: "does not answer",
  set_aside: "set aside: its answers were wrong",
  untried: "not tried yet",
};

function Upstreams({ info }: { readonly info: Info }): JSX.Element | null {
  if (info.upstreams === undefined) return null;
  return (
    <Card title="Upstreams" className="wide">
      {info.upstreams.length === 0 ? (
        <p class="faint">This node asks no other node.</p>
      ) : (
        <table class="rows fits">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">State</th>
              <th scope="col" class="right">
                Last told
              </th>
            </tr>
          </thead>
          <tbody>
            {info.upstreams.map(({ url, state, version, last_fault: fault }) => (
              <tr key={url}>
                <td>
                  <span class="mono">
                    <LedgerText text={url} max={80} />
                  </span>
                  {fault === undefined ? undefined : (
                    <div class="faint">
                      last fault: <LedgerText text={fault} />
                    </div>
                  )}
                </td>
                <td>
                  <span class={`dot ${state === "ok" ? "good" : state === "set_aside" ? "bad" : "quiet"}`} />{" "}
                  {UPSTREAM_STATES[state] ?? state}
                </td>
                <td class="right num">{version === undefined ? "–" : groupDigits(version)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Requests({ figures }: { readonly figures: Figures }): JSX.Element {
  const { rates, trend, reading, isServed } = figures;
  const shown = rates.slice(0, 8);
  if (!isServed) {
    return (
      <Card title="Requests">
        <p class="faint">
          This node serves no metrics here (--metrics-port off, or --metrics-port puts them on a port of their
          own).
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Requests"
      className="wide"
      actions={
        <>
          <Sparkline values={trend} />
          <span class="num">{trend.length === 0 ? "–" : `${(trend.at(-1) ?? 0).toFixed(1)} / s`}</span>
        </>
      }
    >
      {reading === undefined ? (
        <Skeleton />
      ) : (
        <table class="rows fits">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col" class="right">
                Per second
              </th>
              <th scope="col" class="right spare">
                Mean
              </th>
              <th scope="col" class="right">
                95 % within
              </th>
              <th scope="col" class="right spare">
                Total
              </th>
              <th scope="col" class="right spare">
                Errors
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ operation, perSecond, mean, p95, total, errors }) => (
              <tr key={operation}>
                <td class="mono operation">
                  {operation.split(/(?<=_)/).map((part) => (
                    <Fragment key={part}>
                      {part}
                      <wbr />
                    </Fragment>
                  ))}
                </td>
                <td class="right num">{perSecond.toFixed(1)}</td>
                <td class="right num spare">{mean === undefined ? "–" : formatSeconds(mean)}</td>
                <td class="right num">{p95 === undefined ? "–" : formatSeconds(p95)}</td>
                <td class="right num spare">{groupDigits(`${total}`)}</td>
                <td class={`right num spare ${errors > 0 ? "" : "faint"}`}>{groupDigits(`${errors}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rates.length > shown.length ? (
        <p class="faint">
          and {rates.length - shown.length} more in <a href="metrics">the metrics</a>
        </p>
      ) : undefined}
    </Card>
  );
}

function Machine({
  info,
  reading,
}: {
  readonly info: Info;
  readonly reading: Reading | undefined;
}): JSX.Element {
  const bytes = (name: string): string => {
    const value = metricValue(reading, name);
    return value === undefined ? "–" : formatBytes(value);
  };
  const size = metricValue(reading, "sextant_store_disk_size_bytes") ?? 0;
  const free = metricValue(reading, "sextant_store_disk_free_bytes") ?? 0;
  const delay = metricValue(reading, "sextant_event_loop_delay_seconds");
  return (
    <Card title="Machine">
      <Facts>
        <Fact name="Memory">{bytes("sextant_process_resident_memory_bytes")}</Fact>
        <Fact name="Store">
          {bytes("sextant_store_file_bytes")} <span class="faint">{info.storage_engine}</span>
        </Fact>
        {size > 0 ? (
          <Fact name="Disk free">
            {formatBytes(free)} <span class="faint">of {formatBytes(size)}</span>
          </Fact>
        ) : undefined}
        <Fact name="Longest wait">{delay === undefined ? "–" : formatSeconds(delay)}</Fact>
        <Fact name="Connections">{metricValue(reading, "sextant_http_connections") ?? "–"}</Fact>
        <Fact name="Streams">{metricValue(reading, "sextant_http_streams") ?? "–"}</Fact>
        <Fact name="Running for">{formatSpan(info.uptime_seconds ?? 0)}</Fact>
        <Fact name="Software">
          {info.software} {info.sextant_version} <span class="faint">{info.runtime}</span>
        </Fact>
      </Facts>
    </Card>
  );
}

/** Transactions a second in each of the latest blocks, and over all of them. */
function Throughput({ blocks }: { readonly blocks: readonly Block[] }): JSX.Element | null {
  const rates = blocks.slice(0, -1).map((block, index) => rateOf(block, blocks[index + 1] ?? block));
  const [newest, oldest] = [blocks[0], blocks.at(-1)];
  if (newest === undefined || oldest === undefined || rates.length === 0) return null;
  return (
    <span class="throughput" data-testid="throughput">
      <Sparkline values={rates.reverse()} />{" "}
      <span class="num">
        {rateOf({ ...newest, first_version: `${BigInt(oldest.last_version) + 1n}` }, oldest).toFixed(1)}
      </span>{" "}
      transactions / s
    </span>
  );
}

/** Transactions a second from the end of one block to the end of a later one. */
function rateOf(block: Block, before: Block): number {
  const count = Number(BigInt(block.last_version) - BigInt(block.first_version) + 1n);
  const micros = Number(BigInt(block.timestamp_usec) - BigInt(before.timestamp_usec));
  // Blocks of one moment have no rate.
  return micros <= 0 ? 0 : (count * 1e6) / micros;
}

function DemoAccounts({ info }: { readonly info: Info }): JSX.Element | null {
  const accounts = Object.entries(info.demo_accounts ?? {});
  if (accounts.length === 0) return null;
  return (
    <Card title="Demo accounts">
      <ul class="plain two">
        {accounts.map(([name, address]) => (
          <li key={name}>
            <Address address={address} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Waypoint({ info }: { readonly info: Info }): JSX.Element | null {
  if (info.waypoint === undefined) return null;
  return (
    <p class="faint waypoint">
      Waypoint of this moment: <span class="mono">{info.waypoint}</span>{" "}
      <Copy text={info.waypoint} label="waypoint" />
    </p>
  );
}

export function Now(): JSX.Element {
  const state = useStore(live);
  const figures = useFigures();
  const { info, blocks } = state;
  if (info === undefined) {
    return (
      <>
        <Title text="Now" />
        {state.state === "gone" ? <Empty title="The node does not answer yet" /> : <Skeleton lines={6} />}
      </>
    );
  }
  const head = headOf(state);
  const fault = info.sync_fault ?? info.sync_reason;
  if (head.version === undefined) {
    return (
      <>
        <Title text="Now" />
        <Empty title="This node has no ledger yet">
          <p>
            {fault === undefined ? "It waits for its first block." : <LedgerText text={fault} max={400} />}
          </p>
        </Empty>
        <Upstreams info={info} />
      </>
    );
  }
  return (
    <>
      <Title text="Now" />
      <Hero info={info} head={head} />
      {fault === undefined ? undefined : (
        <div class="problem" role="alert">
          <p class="problem-title">The ledger does not move</p>
          <p>
            <LedgerText text={fault} max={600} />
          </p>
        </div>
      )}
      <div class="grid">
        <Trust info={info} />
        <Window info={info} head={head} />
        <Upstreams info={info} />
        <LatestTransactions />
        <Card
          title="Latest blocks"
          className="wide"
          actions={
            <>
              <Throughput blocks={blocks} />
              <a href={linkTo(["blocks"])}>all blocks</a>
            </>
          }
        >
          {blocks.length === 0 ? (
            <p class="faint">The next block will show here.</p>
          ) : (
            <BlockList blocks={blocks.slice(0, SHOWN_BLOCKS)} />
          )}
        </Card>
        <Requests figures={figures} />
        <Machine info={info} reading={figures.reading} />
        <DemoAccounts info={info} />
      </div>
      <Waypoint info={info} />
    </>
  );
}
