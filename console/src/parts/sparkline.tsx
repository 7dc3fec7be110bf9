// A few values as a small line, for the eye; the figures next to it are for everyone.
import type { JSX } from "preact";

const WIDTH = 120;
const HEIGHT = 28;

export function Sparkline({ values }: { readonly values: readonly number[] }): JSX.Element | null {
  if (values.length < 2) return null;
  const top = Math.max(...values, Number.EPSILON);
  const step = WIDTH / (values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
