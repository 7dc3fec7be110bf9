import type { JSX } from "preact";
import { Title } from "../parts/basics.tsx";
export function Encode(_: { readonly query: Readonly<Record<string, string>> }): JSX.Element {
  return <Title text="Encode" />;
}
