// Blocks in rows, newest first.
import type { JSX } from "preact";
import { groupDigits } from "../lib/format.ts";
import type { Block } from "../lib/live.ts";
import { linkTo } from "../lib/router.ts";
import { Time } from "./basics.tsx";
import { Held } from "./held.tsx";

export function BlockRows({ blocks }: { readonly blocks: readonly Block[] }): JSX.Element {
  return (
    <table class="rows fits blocks">
      <thead>
        <tr>
          <th scope="col">Block</th>
          <th scope="col" class="right">
            Transactions
          </th>
          <th scope="col" class="spare">
            Versions
          </th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {blocks.map(({ height, first_version: first, last_version: last, timestamp_usec: usec }) => (
          <tr key={height} class="arrives">
            <td>
              <a href={linkTo(["block", height])} class="num">
                {groupDigits(height)}
              </a>
            </td>
            <td class="right num">{groupDigits(`${BigInt(last) - BigInt(first) + 1n}`)}</td>
            <td class="num faint spare">
              {groupDigits(first)}–{groupDigits(last)}
            </td>
            <td>
              <Time usec={usec} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function BlockList({ blocks }: { readonly blocks: readonly Block[] }): JSX.Element {
  return (
    <Held newest={blocks[0]?.height} rows={blocks} what="blocks">
      {(held) => <BlockRows blocks={held} />}
    </Held>
  );
}
