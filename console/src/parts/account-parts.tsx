// What else is stored at an address: transactions, resources, modules.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { type Answer, ApiError, ask, path } from "../lib/api.ts";
import { apiQuery, type ReadAt } from "../lib/read-at.ts";
import { linkTo } from "../lib/router.ts";
import type { Transaction } from "../lib/transactions.ts";
import { useLoad } from "../lib/use-load.ts";
import { Card, Empty, LedgerText, Load, MoveType, Problem, Time } from "./basics.tsx";
import { TransactionRows } from "./transaction-rows.tsx";
import { Tree } from "./tree.tsx";

type Resource = Answer<"get_account_resources">[number];
type Module = Answer<"get_account_modules">[number];

const PAGE = 100;

/** Pages that are read one after the other. */
interface Pages<T> {
  readonly items: readonly T[];
  readonly cursor: string | undefined;
}

/** A list of what an address has at a version; it grows by a page at a time. */
function PagedCard<T>({
  list,
  title,
  empty,
  address,
  at,
  children,
}: {
  /** Its name in the API. */
  readonly list: "resources" | "modules";
  readonly title: string;
  /** Why there may be none. */
  readonly empty: string;
  readonly address: string;
  readonly at: ReadAt;
  readonly children: (items: readonly T[]) => ComponentChildren;
}): JSX.Element {
  const relative = `${path("accounts", address)}/${list}`;
  const query = { ...apiQuery(at), limit: PAGE };
  const key = `${list} ${address} ${JSON.stringify(query)}`;
  const [more, setMore] = useState<{ readonly key: string; readonly pages: Pages<T> }>();
  const [error, setError] = useState<Error>();
  const first = useLoad(key, async (signal): Promise<Pages<T>> => {
    const { data, ledger } = await ask<T[]>(relative, { query, signal });
    return { items: data, cursor: ledger.cursor };
  });
  const added = more?.key === key ? more.pages : undefined;
  const items = [...(first.data?.items ?? []), ...(added?.items ?? [])];
  const cursor = added === undefined ? first.data?.cursor : added.cursor;
  const loadMore = async (): Promise<void> => {
    try {
      const { data, ledger } = await ask<T[]>(relative, { query: { ...query, start: cursor } });
      setMore({ key, pages: { items: [...(added?.items ?? []), ...data], cursor: ledger.cursor } });
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const isAbsent = first.error instanceof ApiError && first.error.status === 404;
  return (
    <Card title={title}>
      {isAbsent || (first.data !== undefined && items.length === 0) ? (
        <Empty title={`No ${list} here`}>
          <p>{empty}</p>
        </Empty>
      ) : (
        <Load loaded={first}>
          {() => (
            <>
              {children(items)}
              {cursor === undefined ? undefined : (
                <button type="button" class="button" onClick={loadMore}>
                  Load more
                </button>
              )}
              {error === undefined ? undefined : <Problem error={error} />}
            </>
          )}
        </Load>
      )}
    </Card>
  );
}

interface AccountAt {
  readonly address: string;
  readonly at: ReadAt;
}

export function AccountResources(account: AccountAt): JSX.Element {
  return (
    <PagedCard<Resource>
      {...account}
      list="resources"
      title="Resources"
      empty="Nothing is stored at this address at this version."
    >
      {(resources) =>
        resources.map(({ type, data }) => (
          <details key={type} class="resource" open={resources.length <= 3}>
            <summary>
              <MoveType type={type} isInside />
            </summary>
            {type.length > 200 ? <LedgerText text={type} max={100} /> : undefined}
            <Tree
              value={data}
              tableLink={(inside, handle) =>
                linkTo(["table", handle], { owner: account.address, resource: type, field: inside.join(".") })
              }
            />
          </details>
        ))
      }
    </PagedCard>
  );
}

export function AccountModules(account: AccountAt): JSX.Element {
  return (
    <PagedCard<Module>
      {...account}
      list="modules"
      title="Modules"
      empty="No code is published at this address at this version."
    >
      {(modules) =>
        modules.map(({ abi }) =>
          abi === undefined ? undefined : (
            <details key={abi.name} class="resource">
              <summary>
                <span class="mono">{abi.name}</span>{" "}
                <span class="faint">
                  {abi.exposed_functions.length} functions, {abi.structs.length} types
                </span>
              </summary>
              <ul class="functions">
                {abi.exposed_functions.map((one) => (
                  <li key={one.name}>
                    {one.is_entry || one.is_view ? (
                      <a
                        class="mono"
                        href={linkTo([one.is_entry ? "encode" : "call"], {
                          function: `${abi.address}::${abi.name}::${one.name}`,
                        })}
                      >
                        {one.name}
                      </a>
                    ) : (
                      <span class="mono">{one.name}</span>
                    )}
                    <span class="faint mono">({one.params.join(", ")})</span>
                    {one.is_entry ? <span class="badge">entry</span> : undefined}
                    {one.is_view ? <span class="badge">view</span> : undefined}
                  </li>
                ))}
              </ul>
            </details>
          ),
        )
      }
    </PagedCard>
  );
}

export function AccountTransactions({ address }: { readonly address: string }): JSX.Element {
  const loaded = useLoad(`transactions ${address}`, async (signal) => {
    const { data } = await ask<Transaction[]>(`${path("accounts", address)}/transactions`, {
      query: { limit: PAGE },
      signal,
    });
    return data;
  });
  return (
    <Card title="Transactions sent">
      <Load loaded={loaded}>
        {(sent) =>
          sent.length === 0 ? (
            <Empty title="Nothing sent">
              <p>This account has sent no transaction that the node keeps.</p>
            </Empty>
          ) : (
            <TransactionRows
              transactions={[...sent].reverse()}
              column="Time"
              detail={({ timestamp }) => <Time usec={timestamp} />}
            />
          )
        }
      </Load>
    </Card>
  );
}
