import type { JSX } from "preact";
import { Title } from "../parts/basics.tsx";
export function Verify(): JSX.Element {
  return <Title text="Verify a proof" />;
}
