import type { JSX } from "preact";
import { Empty, Title } from "../parts/basics.tsx";

export function NotFound(): JSX.Element {
  return (
    <>
      <Title text="Off the chart" />
      <Empty title="There is no such view">
        <p>
          The link may be cut short. <a href="#/">Back to the start</a>
        </p>
      </Empty>
    </>
  );
}
