// A balance over time as a line of steps. Positions are rounded, as pixels are; the text under the line is exact.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { amountScale, formatUnits, groupDigits } from "../lib/format.ts";
import { theme } from "../lib/preferences.ts";
import { linkTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { LedgerText, Time } from "./basics.tsx";

/** One point: the balance from this time on. */
export interface ChartPoint {
  readonly usec: string;
  readonly amount: string;
  /** The version that made this balance; undefined where the line begins before its first change. */
  readonly version: string | undefined;
}

const HEIGHT = 240;
const stepped = uPlot.paths.stepped?.({ align: 1 });

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function toSeconds(usec: string): number {
  return Number(BigInt(usec) / 1000n) / 1000;
}

/** Room above and below the line, also where it is flat; never below a balance of zero. */
function paddedRange(least: number, most: number, zero: number): uPlot.Range.MinMax {
  const room = (most - least || most - zero || 1) * 0.08;
  return [Math.max(zero, least - room), most + room];
}

/** Labels of the time axis, as fine as its steps. */
function timeLabels(splits: readonly number[], step: number): string[] {
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const format = new Intl.DateTimeFormat(
    undefined,
    step >= 86_400 ? { month: "short", day: "numeric" } : step < 60 ? { ...clock, second: "2-digit" } : clock,
  );
  return splits.map((seconds) => format.format(seconds * 1000));
}

/** Colours of the system may change while the page is open. */
function useSystemColours(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)");
    const change = (): void => setCount((old) => old + 1);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return count;
}

export function Chart({
  points,
  decimals,
  symbol,
  onZoom,
}: {
  readonly points: readonly ChartPoint[];
  readonly decimals: number;
  readonly symbol: string;
  /** The part that the reader chose, in microseconds. */
  readonly onZoom: (fromUsec: string, toUsec: string) => void;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [at, setAt] = useState<number>();
  const chosen = useStore(theme);
  const colours = useSystemColours();
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  /** The change that the keys chose: the cursor stays at it while the line grows and its scale moves. */
  const kept = useRef<number | undefined>(undefined);
  const current = useRef(points);
  current.current = points;

  const [above, setAbove] = useState<bigint>();
  const scaleOf = () =>
    amountScale(
      current.current.map(({ amount }) => BigInt(amount)),
      decimals,
    );
  const dataOf = (): uPlot.AlignedData => {
    const { toPosition } = scaleOf();
    return [
      current.current.map(({ usec }) => toSeconds(usec)),
      current.current.map(({ amount }) => toPosition(BigInt(amount))),
    ];
  };

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const axis = {
      stroke: colour("--faint"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
    };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: {
          y: false,
          move: (self, left, top) => {
            const x = kept.current === undefined ? undefined : self.data[0][kept.current];
            return [x === undefined ? left : self.valToPos(x, "x"), top];
          },
          drag: { x: true, y: false, setScale: false },
          points: { size: 8, fill: colour("--accent"), stroke: colour("--card") },
        },
        scales: {
          x: { time: true },
          y: {
            range: (_, least, most) =>
              paddedRange(least ?? 0, most ?? 0, -Number(scaleOf().base) / 10 ** decimals),
          },
        },
        axes: [
          {
            ...axis,
            space: 90,
            size: 30,
            values: (_, splits, _axis, _space, step) => timeLabels(splits, step),
          },
          {
            ...axis,
            size: (_, values) => 14 + 7.5 * Math.max(4, ...(values ?? []).map((value) => value.length)),
            values: (_, splits) => {
              const { base, labels } = scaleOf();
              const { texts, isDistance } = labels(splits);
              setAbove(isDistance ? base : undefined);
              return [...texts];
            },
          },
        ],
        series: [
          {},
          {
            stroke: colour("--accent"),
            width: 2,
            fill: colour("--accent-wash"),
            ...(stepped === undefined ? {} : { paths: stepped }),
            points: { show: false },
          },
        ],
        hooks: {
          setCursor: [(self) => setAt(kept.current ?? self.cursor.idx ?? undefined)],
          setSelect: [
            (self) => {
              const { left, width } = self.select;
              if (width < 4) return;
              const usec = (pixels: number): string => `${Math.round(self.posToVal(pixels, "x") * 1e6)}`;
              zoom.current(usec(left), usec(left + width));
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
      },
      dataOf(),
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = undefined;
    };
  }, [chosen, colours, decimals]);

  useEffect(() => {
    plot.current?.setData(dataOf());
  }, [points]);

  /** Moves the cursor from change to change. */
  const onKey = (event: KeyboardEvent): void => {
    const last = points.length - 1;
    const from = kept.current ?? at ?? last;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: from - 1,
      ArrowRight: from + 1,
      Home: 0,
      End: last,
    };
    const step = steps[event.key];
    const chart = plot.current;
    if (step === undefined || chart === undefined) return;
    event.preventDefault();
    const index = Math.min(Math.max(step, 0), last);
    kept.current = index;
    const x = chart.data[0]?.[index] ?? 0;
    const y = chart.data[1]?.[index] ?? 0;
    chart.setCursor({ left: chart.valToPos(x, "x"), top: chart.valToPos(y, "y") });
    setAt(index);
  };

  const shown = points[Math.min(at ?? points.length - 1, points.length - 1)];
  return (
    <figure class="chart">
      <div
        ref={box}
        class="chart-box"
        data-testid="chart"
        role="slider"
        tabIndex={0}
        aria-label="Balance over time; arrow keys move from change to change"
        aria-valuemin={0}
        aria-valuemax={Math.max(points.length - 1, 0)}
        aria-valuenow={at ?? Math.max(points.length - 1, 0)}
        aria-valuetext={
          shown === undefined ? "no changes" : `${formatUnits(BigInt(shown.amount), decimals)} ${symbol}`
        }
        onKeyDown={onKey}
        onMouseMoveCapture={() => {
          kept.current = undefined;
        }}
      />
      {above === undefined ? undefined : (
        <p class="faint chart-hint" data-testid="chart-base">
          The scale is the distance from {formatUnits(above, decimals)} <LedgerText text={symbol} max={16} />.
        </p>
      )}
      <figcaption class="chart-text">
        {shown === undefined ? (
          <span class="faint">no change in this range</span>
        ) : (
          <>
            <b class="num" data-testid="chart-amount" data-exact={shown.amount}>
              {formatUnits(BigInt(shown.amount), decimals)}
            </b>{" "}
            <LedgerText text={symbol} max={16} />
            <span class="faint">
              {" · "}
              <Time usec={shown.usec} />
              {shown.version === undefined ? undefined : (
                <>
                  {" · since version "}
                  <a href={linkTo(["transaction", shown.version])}>{groupDigits(shown.version)}</a>
                </>
              )}
            </span>
          </>
        )}
      </figcaption>
    </figure>
  );
}
