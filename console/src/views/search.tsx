// What a searched text may mean, where it may mean several things or none.
import type { JSX } from "preact";
import { headOf, live } from "../lib/live.ts";
import { findMeanings } from "../lib/search.ts";
import { useStore } from "../lib/store.ts";
import { Empty, LedgerText, Title } from "../parts/basics.tsx";

export function Search({ text }: { readonly text: string }): JSX.Element {
  const state = useStore(live);
  const { info } = state;
  const { meanings, notes } = findMeanings(text, info, headOf(state));
  const [name] = Object.keys(info?.demo_accounts ?? {});
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
        <Empty title={notes.length === 0 ? "That is nothing a ledger has" : "The ledger does not have this"}>
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
          {notes.length > 0 ? undefined : (
            <p>
              Try an address (0x1), a version (1234), block 20, a hash of 64 digits, an asset (APT or
              0x1::aptos_coin::AptosCoin), a function (0x1::coin::transfer)
              {name === undefined ? "" : `, or a demo name such as ${name}`}.
            </p>
          )}
        </Empty>
      ) : (
        <>
          <ul class="meanings">
            {meanings.map((meaning) => (
              <li key={meaning.link}>
                <a href={meaning.link}>{meaning.text}</a>
              </li>
            ))}
          </ul>
          {notes.map((note) => (
            <p key={note} class="faint">
              {note}
            </p>
          ))}
        </>
      )}
    </>
  );
}
