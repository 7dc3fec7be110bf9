import type { JSX } from "preact";
import { Title } from "../parts/basics.tsx";
export function TableView(_: {
  readonly handle: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}): JSX.Element {
  return <Title text="Tables" />;
}
