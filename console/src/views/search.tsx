// What a searched text may mean, where it may mean several things or none.
import type { JSX } from "preact";
import { live } from "../lib/live.ts";
import { meaningsOf } from "../lib/search.ts";
import { useStore } from "../lib/store.ts";
import { Empty, LedgerText, Title } from "../parts/basics.tsx";

export function Search({ text }: { readonly text: string }): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const meanings = meaningsOf(text, info);
  return (
    <>
      <Title text="Search" />
      <p>
        You searched for{" "}
        <b>
          <LedgerText text={text} max={100} />
        </b>
        .
      </p>
      {meanings.length === 0 ? (
        <Empty title="That is nothing a ledger has">
          <p>
            Try an address (0x1), a version (1234), a hash of 64 digits, a function (0x1::coin::transfer)
            {info?.demo_accounts === undefined ? "" : ", or a demo name such as ada"}.
          </p>
        </Empty>
      ) : (
        <ul class="meanings">
          {meanings.map((meaning) => (
            <li key={meaning.link}>
              <a href={meaning.link}>{meaning.text}</a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
