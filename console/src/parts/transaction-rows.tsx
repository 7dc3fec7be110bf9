// Committed transactions in rows: what each called, how that ended, and one column that the view chooses.
import type { ComponentChildren, JSX } from "preact";
import { linkTo } from "../lib/router.ts";
import { Hash, Version } from "./basics.tsx";

export interface TransactionRow {
  readonly version: string;
  readonly hash: string;
  readonly isFailed: boolean;
  readonly call: ComponentChildren;
  /** In the column of the view. */
  readonly detail: ComponentChildren;
}

export function TransactionRows({
  column,
  rows,
}: {
  /** Name of the view's column. */
  readonly column: string;
  readonly rows: readonly TransactionRow[];
}): JSX.Element {
  return (
    <table class="rows fits">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Call</th>
          <th scope="col">{column}</th>
          <th scope="col" class="spare">
            Hash
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ version, hash, isFailed, call, detail }) => (
          <tr key={hash}>
            <td>
              <Version version={version} />
            </td>
            <td class="call">
              <span class={`dot ${isFailed ? "bad" : "good"}`} />{" "}
              <span class="offscreen">{isFailed ? "failed" : "succeeded"}</span>
              {call}
            </td>
            <td>{detail}</td>
            <td class="spare">
              <Hash hash={hash} href={linkTo(["transaction", version])} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
