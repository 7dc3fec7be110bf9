// An account or object: what it holds, now or then, how that changed, and what else is stored there.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { NATIVE_COIN } from "../../../src/cli/asset-texts.ts";
import { type Answer, ApiError, ask, path, urlOf } from "../lib/api.ts";
import { fullAddress, groupDigits, trimAddress } from "../lib/format.ts";
import { demoName, isUndecided, live } from "../lib/live.ts";
import { apiQuery, type ReadAt, readAtOf, viewQuery } from "../lib/read-at.ts";
import { go, linkHere, linkTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { type Loaded, useLoad } from "../lib/use-load.ts";
import { AccountModules, AccountResources, AccountTransactions } from "../parts/account-parts.tsx";
import { AddressForm } from "../parts/address-form.tsx";
import { BalanceHistory } from "../parts/balance-history.tsx";
import {
  Address,
  Amount,
  Card,
  CodeLine,
  Copy,
  Empty,
  Fact,
  Facts,
  Hash,
  LedgerText,
  Load,
  MonoField,
  MoveType,
  Skeleton,
  Tabs,
  Time,
  Title,
} from "../parts/basics.tsx";
import { Faucet } from "../parts/faucet.tsx";
import { ReadAtControl } from "../parts/read-at.tsx";

type Holding = Answer<"get_holdings">[number];
type Detail = Answer<"get_balance_detail">;

/** Assets whose names are asked for one by one. */
const NAMED_ASSETS = 12;
const PAGE = 100;

/** Where to begin: a field, and the demo accounts. */
export function AccountSearch(): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const accounts = Object.entries(info?.demo_accounts ?? {});
  return (
    <>
      <Title text="Accounts" />
      <Card>
        <AddressForm
          view="account"
          label="Address or demo name"
          placeholder="0x1"
          expected="an address of up to 64 hex digits, such as 0x1, or a demo name"
          names={info?.demo_accounts}
        />
      </Card>
      {accounts.length === 0 ? undefined : (
        <Card title="Demo accounts">
          <table class="rows fits">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Address</th>
              </tr>
            </thead>
            <tbody>
              {accounts.map(([name, address]) => (
                <tr key={name}>
                  <td>
                    <a href={linkTo(["account", address])} class="demo-name">
                      {name}
                    </a>
                  </td>
                  <td>
                    <Address address={address} name={false} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </>
  );
}

/** Counts the changes of a balance as the node tells them; 0 while the past is read. */
function useChanges(address: string, asset: string | undefined, isLive: boolean): number {
  const [count, setCount] = useState(0);
  const isThere = useStore(live, ({ state }) => state === "there");
  useEffect(() => {
    if (!isLive || asset === undefined || !isThere) return;
    const events = new EventSource(urlOf(`${path("accounts", address, "balance", asset)}/stream`));
    let isFirst = true;
    events.addEventListener("balance", () => {
      // The first event is the state that is on the page already.
      if (!isFirst) setCount((old) => old + 1);
      isFirst = false;
    });
    const hide = (): void => {
      if (document.hidden) events.close();
    };
    document.addEventListener("visibilitychange", hide);
    return () => {
      events.close();
      document.removeEventListener("visibilitychange", hide);
    };
  }, [address, asset, isLive, isThere]);
  return count;
}

interface HoldingsRead {
  readonly holdings: readonly Holding[];
  readonly version: string | undefined;
  readonly usec: string | undefined;
  readonly trust: string | undefined;
  readonly isCut: boolean;
  /** Why the node cannot list what the account holds; the balances that were asked for are all there is. */
  readonly unlisted?: string;
}

async function readHoldings(address: string, at: ReadAt, signal: AbortSignal): Promise<HoldingsRead> {
  const query = { ...apiQuery(at), limit: PAGE };
  const { data, ledger } = await ask<Holding[]>(`${path("accounts", address)}/balances`, { query, signal });
  return {
    holdings: data,
    version: ledger.readVersion,
    usec: ledger.readTimestampUsec ?? (at.kind === "now" ? ledger.timestampUsec : undefined),
    trust: ledger.trust,
    isCut: ledger.cursor !== undefined,
  };
}

/** Without an index no list of assets can be made, but the balance of one that the reader names can. */
async function readWithoutIndex(
  address: string,
  asset: string,
  at: ReadAt,
  unlisted: string,
): Promise<HoldingsRead> {
  const { data, ledger } = await ask<Detail>(`${path("accounts", address, "balance", asset)}/detail`, {
    query: apiQuery(at),
  });
  const { balance, symbol, decimals } = data;
  return {
    holdings: [
      {
        asset_type: asset,
        balance,
        ...(symbol === undefined ? {} : { symbol }),
        ...(decimals === undefined ? {} : { decimals }),
      },
    ],
    version: ledger.readVersion,
    usec: data.timestamp_usec,
    trust: ledger.trust,
    isCut: false,
    unlisted,
  };
}

/** Names of assets, which the list of balances does not have. */
function useNames(address: string, holdings: readonly Holding[]): Readonly<Record<string, string>> {
  const assets = holdings.slice(0, NAMED_ASSETS).map(({ asset_type: asset }) => asset);
  const { data = {} } = useLoad(assets.length === 0 ? undefined : assets.join("\n"), async (signal) => {
    const names = await Promise.all(
      assets.map(async (asset): Promise<[string, string]> => {
        const detail = `${path("accounts", address, "balance", asset)}/detail`;
        const { data } = await ask<Detail>(detail, { signal });
        return [asset, data.name ?? ""];
      }),
    );
    return Object.fromEntries(names);
  });
  return data;
}

function Holdings({
  address,
  read,
  chosen,
  linkOf,
}: {
  readonly address: string;
  readonly read: HoldingsRead;
  readonly chosen: string | undefined;
  readonly linkOf: (asset: string) => string;
}): JSX.Element {
  const names = useNames(address, read.holdings);
  if (read.holdings.length === 0) {
    return (
      <Empty title="No balances here">
        <p>This address has no store of any asset at this version.</p>
      </Empty>
    );
  }
  return (
    <>
      <table class="rows fits holdings" data-testid="holdings">
        <thead>
          <tr>
            <th scope="col">Asset</th>
            <th scope="col" class="right">
              Balance
            </th>
          </tr>
        </thead>
        <tbody>
          {read.holdings.map(({ asset_type: asset, balance, symbol, decimals }) => (
            <tr key={asset} class={asset === chosen ? "selected" : ""}>
              <td>
                <a href={linkOf(asset)} aria-current={asset === chosen ? "true" : undefined} class="asset">
                  <span class="asset-symbol">
                    <LedgerText text={symbol ?? "no symbol"} max={24} isInside />
                  </span>
                  <span class="asset-name">
                    <LedgerText text={names[asset] ?? ""} max={48} isInside />
                  </span>
                </a>
                <MoveType type={asset} />
              </td>
              <td class="right">
                <Amount amount={balance} decimals={decimals} />
                <span class="asset-decimals faint">
                  {decimals === undefined ? "smallest unit" : `${decimals} decimals`}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {read.isCut ? <p class="faint">The first {PAGE} assets; the API has the rest.</p> : undefined}
    </>
  );
}

/** Says that there may be more balances than are shown, and asks for another. */
function Unlisted({
  reason,
  onAsset,
}: {
  readonly reason: string;
  readonly onAsset: (asset: string) => void;
}): JSX.Element {
  const [text, setText] = useState("");
  return (
    <>
      <div class="problem notice" role="status">
        <p class="problem-title">The account may hold more than this</p>
        <p>
          <LedgerText text={reason} max={400} />
        </p>
      </div>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") onAsset(text.trim());
        }}
      >
        <MonoField
          label="Balance of another asset"
          placeholder="0x1::aptos_coin::AptosCoin, or a metadata address"
          value={text}
          onInput={setText}
        />
        <button type="submit" class="button primary">
          Ask
        </button>
      </form>
    </>
  );
}

function Part({
  title,
  part,
  decimals,
}: {
  readonly title: string;
  readonly part: NonNullable<Detail["coin"]> | NonNullable<Detail["fungible"]>;
  readonly decimals: number | undefined;
}): JSX.Element {
  return (
    <div class={`part ${part.exists ? "" : "absent"}`}>
      <h3>
        {title}
        {part.frozen === true ? <span class="badge bad">frozen</span> : undefined}
        {part.exists ? undefined : <span class="badge">does not exist</span>}
      </h3>
      <p class="part-amount">
        <Amount amount={part.amount} decimals={decimals} />
      </p>
      <Facts>
        <Fact name="Stored at">
          <Address address={part.address} name={false} />
        </Fact>
        <Fact name="Type">
          <MoveType type={part.type} />
        </Fact>
        <Fact name="State key">
          <Hash hash={part.state_key_hash} label="state key hash" />
        </Fact>
      </Facts>
    </div>
  );
}

function Split({ loaded }: { readonly loaded: Loaded<Detail> }): JSX.Element {
  return (
    <Load loaded={loaded}>
      {(detail) => (
        <>
          <p class="big-amount" data-testid="balance" data-exact={detail.balance}>
            <Amount amount={detail.balance} decimals={detail.decimals} symbol={detail.symbol} />
          </p>
          <p class="faint">
            {detail.decimals === undefined ? "" : `${groupDigits(detail.balance)} in the smallest unit, `}
            at version {groupDigits(detail.ledger_version)}, <Time usec={detail.timestamp_usec} />
          </p>
          <div class="parts">
            {detail.coin === null || detail.coin === undefined ? undefined : (
              <Part title="Coin store" part={detail.coin} decimals={detail.decimals} />
            )}
            {detail.fungible === null || detail.fungible === undefined ? undefined : (
              <Part title="Primary store" part={detail.fungible} decimals={detail.decimals} />
            )}
          </div>
        </>
      )}
    </Load>
  );
}

/** The same as a command and as a link. */
function Share({
  address,
  asset,
  at,
}: {
  readonly address: string;
  readonly asset: string;
  readonly at: ReadAt;
}): JSX.Element {
  const curl = `curl '${urlOf(path("accounts", address, "balance", asset), apiQuery(at))}'`;
  return (
    <Card title="Take it with you">
      <p class="label">The same on the command line</p>
      <CodeLine text={curl} label="curl command" />
      <p class="label">Link to this view</p>
      <CodeLine text={location.href} label="link" />
    </Card>
  );
}

function Balances({
  address,
  query,
}: {
  readonly address: string;
  readonly query: Readonly<Record<string, string>>;
}): JSX.Element {
  const at = readAtOf(query);
  const isLive = at.kind === "now";
  const readKey = JSON.stringify([address, apiQuery(at)]);
  const [asset, setAsset] = useState(query.asset);
  const changes = useChanges(address, asset, isLive);
  const all = useLoad(
    `holdings ${readKey}`,
    async (signal) => {
      try {
        return await readHoldings(address, at, signal);
      } catch (error) {
        if (!(error instanceof ApiError && error.isNotServed)) throw error;
        return readWithoutIndex(address, query.asset ?? NATIVE_COIN, at, error.message);
      }
    },
    `${changes} ${query.asset}`,
  );
  const isUnlisted = all.data?.unlisted !== undefined;
  // The native coin first; else what the account has.
  const holdings = all.data?.holdings ?? [];
  const fallback = holdings.find(({ asset_type: type }) => type === NATIVE_COIN) ?? holdings[0];
  const chosen = query.asset ?? fallback?.asset_type ?? (all.data === undefined ? undefined : NATIVE_COIN);
  useEffect(() => setAsset(chosen), [chosen]);
  const detail = useLoad(
    chosen === undefined ? undefined : `detail ${chosen} ${readKey}`,
    async (signal) => {
      const read = async (version: ReadAt): Promise<Detail> => {
        const detailPath = `${path("accounts", address, "balance", chosen ?? "")}/detail`;
        return (await ask<Detail>(detailPath, { query: apiQuery(version), signal })).data;
      };
      const version = isLive ? all.data?.version : undefined;
      if (version === undefined) return read(at);
      // Of the list's version: one balance, not two. It may be pruned by now.
      return read({ kind: "version", version }).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 410)) throw error;
        return read(at);
      });
    },
    all.data,
  );
  const linkOf = (one: string): string => linkHere({ ...viewQuery(at), asset: one });
  return (
    <>
      <div class="toolbar">
        <ReadAtControl
          value={at}
          onChange={(next) => go(linkHere({ ...viewQuery(next), asset: query.asset }))}
        />
        {all.data === undefined ? undefined : (
          <span class="faint read-note">
            version{" "}
            <span class="num" data-testid="read-version">
              {groupDigits(all.data.version ?? "")}
            </span>
            {all.data.trust === undefined ? "" : ` · ${all.data.trust}`}
          </span>
        )}
      </div>
      {isLive ? <Faucet address={address} onPaid={all.reload} /> : undefined}
      <Card title={isUnlisted ? "One of the balances" : "Balances"}>
        <Load loaded={all}>
          {(read) => (
            <>
              {read.unlisted === undefined ? undefined : (
                <Unlisted reason={read.unlisted} onAsset={(one) => go(linkOf(one))} />
              )}
              <Holdings address={address} read={read} chosen={chosen} linkOf={linkOf} />
            </>
          )}
        </Load>
      </Card>
      {chosen === undefined ? undefined : (
        <>
          <Card
            title={
              <>
                Balance of{" "}
                {detail.data?.symbol === undefined ? (
                  "this asset"
                ) : (
                  <LedgerText text={detail.data.symbol} max={24} />
                )}
              </>
            }
          >
            <Split loaded={detail} />
          </Card>
          {detail.data === undefined ? undefined : (
            <BalanceHistory
              key={chosen}
              address={address}
              asset={chosen}
              decimals={detail.data.decimals ?? 0}
              symbol={detail.data.symbol ?? ""}
              changes={changes}
              query={query}
            />
          )}
          <Share address={address} asset={chosen} at={at} />
        </>
      )}
    </>
  );
}

export function AccountView({
  address: given,
  query,
}: {
  readonly address: string;
  readonly query: Readonly<Record<string, string>>;
}): JSX.Element {
  const info = useStore(live, (value) => value.info);
  if (isUndecided(info, given)) return <Skeleton />;
  const address = info?.demo_accounts?.[given] ?? fullAddress(given);
  if (address === undefined) {
    return (
      <>
        <Title text="Account" />
        <Empty title="That is no address">
          <p>
            <LedgerText text={given} max={100} /> is not an address of up to 64 hex digits.
          </p>
        </Empty>
      </>
    );
  }
  const name = demoName(info, address);
  const part = query.part ?? "balances";
  const tab = (id: string, text: string): readonly [string, string, string] => [
    id,
    text,
    linkHere({ ...query, part: id === "balances" ? undefined : id }),
  ];
  return (
    <>
      <Title text={name === undefined ? `Account ${trimAddress(address).slice(0, 10)}` : `Account ${name}`}>
        <p class="title-address">
          <span class="mono">{address}</span>
          <Copy text={address} label="address" />
        </p>
      </Title>
      <Tabs
        label="Parts of the account"
        current={part}
        tabs={[
          tab("balances", "Balances"),
          tab("transactions", "Transactions"),
          tab("resources", "Resources"),
          tab("modules", "Modules"),
        ]}
      />
      {part === "transactions" ? (
        <AccountTransactions address={address} />
      ) : part === "resources" ? (
        <AccountResources address={address} at={readAtOf(query)} />
      ) : part === "modules" ? (
        <AccountModules address={address} at={readAtOf(query)} />
      ) : (
        <Balances address={address} query={query} />
      )}
    </>
  );
}
