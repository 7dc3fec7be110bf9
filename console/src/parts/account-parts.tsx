// What else is stored at an address: transactions, resources, modules.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Answer, ApiError, ask, path } from "../lib/api.ts";
import { groupDigits } from "../lib/format.ts";
import { apiQuery, type ReadAt } from "../lib/read-at.ts";
import { linkTo } from "../lib/router.ts";
import { useLoad } from "../lib/use-load.ts";
import { Card, Empty, Hash, LedgerText, Load, MoveType, Problem, Time, Version } from "./basics.tsx";
import { Tree } from "./tree.tsx";

type Resource = Answer<"get_account_resources">[number];
type Module = Answer<"get_account_modules">[number];

const PAGE = 100;

/** Pages that are read one after the other. */
interface Pages<T> {
  readonly items: readonly T[];
  readonly cursor: string | undefined;
}

/** A list that grows by a page at a time. */
function usePages<T>(
  key: string,
  relative: string,
  query: Readonly<Record<string, string | number | undefined>>,
) {
  const [more, setMore] = useState<{ readonly key: string; readonly pages: Pages<T> }>();
  const [error, setError] = useState<Error>();
  const first = useLoad(key, async (signal): Promise<Pages<T>> => {
    const { data, ledger } = await ask<T[]>(relative, { query, signal });
    return { items: data, cursor: ledger.cursor };
  });
  const added = more?.key === key ? more.pages : undefined;
  const cursor = added === undefined ? first.data?.cursor : added.cursor;
  const loadMore = async (): Promise<void> => {
    try {
      const { data, ledger } = await ask<T[]>(relative, { query: { ...query, start: cursor } });
      setMore({ key, pages: { items: [...(added?.items ?? []), ...data], cursor: ledger.cursor } });
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return { first, items: [...(first.data?.items ?? []), ...(added?.items ?? [])], cursor, loadMore, error };
}

function More({
  cursor,
  onMore,
  error,
}: {
  readonly cursor: string | undefined;
  readonly onMore: () => void;
  readonly error: Error | undefined;
}): JSX.Element {
  return (
    <>
      {cursor === undefined ? undefined : (
        <button type="button" class="button" onClick={onMore}>
          Load more
        </button>
      )}
      {error === undefined ? undefined : <Problem error={error} />}
    </>
  );
}

export function AccountResources({
  address,
  at,
}: {
  readonly address: string;
  readonly at: ReadAt;
}): JSX.Element {
  const query = { ...apiQuery(at), limit: PAGE };
  const relative = `${path("accounts", address)}/resources`;
  const { first, items, cursor, loadMore, error } = usePages<Resource>(
    `resources ${address} ${JSON.stringify(query)}`,
    relative,
    query,
  );
  const absent = first.error instanceof ApiError && first.error.status === 404;
  return (
    <Card title="Resources">
      {absent || (first.data !== undefined && items.length === 0) ? (
        <Empty title="No resources here">
          <p>Nothing is stored at this address at this version.</p>
        </Empty>
      ) : (
        <Load loaded={first}>
          {() => (
            <>
              {items.map(({ type, data }) => (
                <details key={type} class="resource" open={items.length <= 3}>
                  <summary>
                    <MoveType type={type} isInside />
                  </summary>
                  {type.length > 200 ? <LedgerText text={type} max={100} /> : undefined}
                  <Tree
                    value={data}
                    tableLink={(inside, handle) =>
                      linkTo(["table", handle], { owner: address, resource: type, field: inside.join(".") })
                    }
                  />
                </details>
              ))}
              <More cursor={cursor} onMore={loadMore} error={error} />
            </>
          )}
        </Load>
      )}
    </Card>
  );
}

export function AccountModules({
  address,
  at,
}: {
  readonly address: string;
  readonly at: ReadAt;
}): JSX.Element {
  const query = { ...apiQuery(at), limit: PAGE };
  const { first, items, cursor, loadMore, error } = usePages<Module>(
    `modules ${address} ${JSON.stringify(query)}`,
    `${path("accounts", address)}/modules`,
    query,
  );
  const absent = first.error instanceof ApiError && first.error.status === 404;
  return (
    <Card title="Modules">
      {absent || (first.data !== undefined && items.length === 0) ? (
        <Empty title="No modules here">
          <p>No code is published at this address at this version.</p>
        </Empty>
      ) : (
        <Load loaded={first}>
          {() => (
            <>
              {items.map(({ abi }) =>
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
                          {one.is_entry ? (
                            <a
                              class="mono"
                              href={linkTo(["encode"], {
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
              )}
              <More cursor={cursor} onMore={loadMore} error={error} />
            </>
          )}
        </Load>
      )}
    </Card>
  );
}

interface Sent {
  readonly version: string;
  readonly hash: string;
  readonly success: boolean;
  readonly timestamp?: string;
  readonly sequence_number?: string;
  readonly payload?: { readonly function?: string; readonly type?: string };
}

export function AccountTransactions({ address }: { readonly address: string }): JSX.Element {
  const loaded = useLoad(`transactions ${address}`, async (signal) => {
    const { data } = await ask<Sent[]>(`${path("accounts", address)}/transactions`, {
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
            <table class="rows fits">
              <thead>
                <tr>
                  <th scope="col">Version</th>
                  <th scope="col">Call</th>
                  <th scope="col">Time</th>
                  <th scope="col" class="spare">
                    Hash
                  </th>
                </tr>
              </thead>
              <tbody>
                {[...sent]
                  .reverse()
                  .map(({ version, hash, success, timestamp, payload, sequence_number: number }) => (
                    <tr key={version}>
                      <td>
                        <Version version={version} />
                      </td>
                      <td class="call">
                        <span class={`dot ${success ? "good" : "bad"}`} />{" "}
                        <span class="offscreen">{success ? "succeeded" : "failed"}</span>
                        <MoveType type={payload?.function ?? payload?.type ?? ""} />{" "}
                        <span class="faint">{number === undefined ? "" : `no. ${groupDigits(number)}`}</span>
                      </td>
                      <td>
                        <Time usec={timestamp} />
                      </td>
                      <td class="spare">
                        <Hash hash={hash} href={linkTo(["transaction", version])} />
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          )
        }
      </Load>
    </Card>
  );
}
