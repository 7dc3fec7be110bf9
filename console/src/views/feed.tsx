// Transactions as they are committed, chosen by a filter that the page says in words.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { urlOf } from "../lib/api.ts";
import { parseExactJson } from "../lib/exact-json.ts";
import { type Info, live } from "../lib/live.ts";
import { go, linkTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import type { Transaction } from "../lib/transactions.ts";
import { Card, Choice, Empty, LedgerText, MonoField, Title } from "../parts/basics.tsx";
import { Held } from "../parts/held.tsx";
import { TransactionRows } from "../parts/transaction-rows.tsx";

const SHOWN = 30;
/** Before the node is asked again after it refused, or the ledger began again. */
const RETRY_MS = 5000;

type Filter = Readonly<Record<string, string>>;

/** Parameters of the stream: the label of the field, an example, and the words of a filter. */
const PARTS = [
  ["sender", "Sent by", "anna", "that were sent by"],
  ["account", "Touches the account", "0xcafe", "that touch"],
  ["function", "Calls the function", "0x1::aptos_account::transfer", "that call"],
  ["module", "Calls into the module", "0x1::coin", "that call into"],
  ["event_type", "Emits the event", "0x1::fungible_asset::Deposit", "that emit"],
  ["asset_type", "Moves the asset", "APT", "that move"],
] as const;

const OUTCOMES = [
  ["", "Any outcome"],
  ["true", "Succeeded"],
  ["false", "Failed"],
] as const;

/** What the API takes in the place of a demo name. */
function apiText(info: Info | undefined, name: string, text: string): string {
  if (name === "sender" || name === "account") return info?.demo_accounts?.[text.toLowerCase()] ?? text;
  if (name !== "asset_type") return text;
  const known = { APT: "0x1::aptos_coin::AptosCoin", ...info?.demo_assets };
  return Object.entries(known).find(([one]) => one.toLowerCase() === text.toLowerCase())?.[1] ?? text;
}

interface Feed {
  readonly transactions: readonly Transaction[];
  readonly state: "opening" | "open" | "refused";
}

/** The transactions that fit, newest first; none before the filter is known. A hidden page holds no stream. */
function useFeed(search: string | undefined): Feed {
  const [feed, setFeed] = useState<Feed>({ transactions: [], state: "opening" });
  useEffect(() => {
    setFeed({ transactions: [], state: "opening" });
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      clearTimeout(timer);
      source?.close();
      source = undefined;
      if (document.hidden || search === undefined) return;
      const opened = new EventSource(`${urlOf("transactions/stream")}?${search}`);
      source = opened;
      opened.addEventListener("start", () => setFeed((old) => ({ ...old, state: "open" })));
      opened.addEventListener("transaction", ({ data }) => {
        const transaction = parseExactJson(data) as Transaction;
        setFeed(({ transactions }) => ({
          transactions: [transaction, ...transactions].slice(0, SHOWN),
          state: "open",
        }));
      });
      opened.addEventListener("error", () => {
        // The browser connects again by itself, unless the node refused.
        if (opened.readyState !== EventSource.CLOSED) return;
        setFeed((old) => ({ ...old, state: "refused" }));
        timer = setTimeout(open, RETRY_MS);
      });
    };
    open();
    document.addEventListener("visibilitychange", open);
    return () => {
      document.removeEventListener("visibilitychange", open);
      clearTimeout(timer);
      source?.close();
    };
  }, [search]);
  return feed;
}

/** The filter in a sentence. */
function FilterWords({ filter }: { readonly filter: Filter }): JSX.Element {
  const chosen = PARTS.filter(([name]) => filter[name] !== undefined);
  return (
    <p data-testid="filter">
      {filter.success === undefined ? "Transactions" : undefined}
      {filter.success === "true" ? "Successful transactions" : undefined}
      {filter.success === "false" ? "Failed transactions" : undefined}
      {chosen.map(([name, , , words], i) => (
        <span key={name}>
          {i > 0 ? " and " : " "}
          {words} <LedgerText text={filter[name] ?? ""} isInside />
        </span>
      ))}
      {chosen.length === 0 ? " of all kinds" : undefined}, as they are committed.
    </p>
  );
}

function FilterForm({ filter }: { readonly filter: Filter }): JSX.Element {
  const [values, setValues] = useState<Filter>(filter);
  const set = (name: string, value: string): void => setValues((old) => ({ ...old, [name]: value }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        go(
          linkTo(
            ["feed"],
            Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()])),
          ),
        );
      }}
    >
      {PARTS.map(([name, label, example]) => (
        <MonoField
          key={name}
          label={label}
          placeholder={example}
          value={values[name] ?? ""}
          onInput={(value) => set(name, value)}
        />
      ))}
      <Choice
        label="Outcome"
        options={OUTCOMES}
        value={OUTCOMES.find(([one]) => one === values.success)?.[0] ?? ""}
        onChange={(value) => set("success", value)}
      />
      <button type="submit" class="button primary">
        Show
      </button>
    </form>
  );
}

export function FeedView({ query }: { readonly query: Filter }): JSX.Element {
  const info = useStore(live, (state) => state.info);
  const names = [...PARTS.map(([name]) => name), "success"];
  const filter = Object.fromEntries(
    names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
  const search = new URLSearchParams(
    Object.entries(filter).map(([name, text]): [string, string] => [name, apiText(info, name, text)]),
  );
  // A filter may have demo names, which the node tells.
  const { transactions, state } = useFeed(info === undefined ? undefined : `${search}`);
  return (
    <>
      <Title text="Feed" />
      <Card title="Arriving now">
        <FilterWords filter={filter} />
        {state === "refused" ? (
          <p class="badge bad" role="alert">
            The node refuses this filter, or has no place for one more stream. Check what you typed.
          </p>
        ) : undefined}
        {transactions.length === 0 ? (
          <Empty title="None yet">
            <p>Transactions that fit show here as the node commits them.</p>
          </Empty>
        ) : (
          <Held newest={transactions[0]?.version} rows={transactions} what="transactions">
            {(rows) => <TransactionRows transactions={rows} />}
          </Held>
        )}
      </Card>
      <Card title="Filter">
        <FilterForm key={JSON.stringify(filter)} filter={filter} />
      </Card>
    </>
  );
}
