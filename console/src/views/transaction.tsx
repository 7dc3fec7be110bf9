// One transaction: what was called with what, by whom, at what price, and what it changed.
import type { JSX } from "preact";
import { ask, path, urlOf } from "../lib/api.ts";
import { countOf, groupDigits } from "../lib/format.ts";
import { linkTo } from "../lib/router.ts";
import {
  type Change,
  kindOf,
  type LedgerEvent,
  type Payload,
  signersOf,
  type Transaction,
} from "../lib/transactions.ts";
import { useLoad } from "../lib/use-load.ts";
import {
  Address,
  Amount,
  Card,
  CodeLine,
  Fact,
  Facts,
  Hash,
  LedgerText,
  Load,
  MoveType,
  Skeleton,
  Time,
  Title,
} from "../parts/basics.tsx";
import { Trace } from "../parts/trace.tsx";
import { Tree } from "../parts/tree.tsx";
import { TypedValue } from "../parts/typed-value.tsx";
import { BalanceChanges, Words } from "../parts/words.tsx";

/** Decimals of the native coin, in which fees are paid. */
const FEE_DECIMALS = 8;

interface Argument {
  readonly name?: string;
  readonly type: string;
  readonly value: unknown;
}

/** Printed objects are taken back as plain addresses. */
function asRequested(argument: unknown): unknown {
  const isObject = typeof argument === "object" && argument !== null;
  return isObject && "inner" in argument && Object.keys(argument).length === 1 ? argument.inner : argument;
}

/** Names and types of the arguments: the node explains the call again, from the transaction's own fields. */
function useArguments(transaction: Transaction): {
  readonly args: readonly Argument[] | undefined;
  readonly isLoading: boolean;
} {
  const { payload, sender, hash } = transaction;
  // Variants of enums are printed in a form that no request takes.
  const isCall =
    payload?.type === "entry_function_payload" && !JSON.stringify(payload.arguments).includes("__variant__");
  const secondary = transaction.signature?.secondary_signer_addresses;
  const loaded = useLoad(isCall ? `arguments ${hash}` : undefined, async (signal) => {
    const body = {
      sender,
      sequence_number: transaction.sequence_number ?? "0",
      max_gas_amount: transaction.max_gas_amount,
      gas_unit_price: transaction.gas_unit_price,
      expiration_timestamp_secs: transaction.expiration_timestamp_secs,
      payload: { ...payload, arguments: payload?.arguments?.map(asRequested) },
      ...(Array.isArray(secondary) ? { secondary_signers: secondary } : {}),
    };
    const { data } = await ask<{ readonly payload: { readonly arguments?: readonly Argument[] } }>(
      "transactions/explain_submission",
      { body, signal },
    );
    return data.payload.arguments ?? [];
  });
  return { args: loaded.data, isLoading: isCall && loaded.isLoading && loaded.error === undefined };
}

function Call({
  transaction,
  payload,
}: {
  readonly transaction: Transaction;
  readonly payload: Payload;
}): JSX.Element {
  const { args, isLoading } = useArguments(transaction);
  const plain = payload.arguments ?? [];
  const typeArguments = payload.type_arguments ?? [];
  return (
    <Card title="Call">
      <p class="call-function">
        <MoveType type={payload.function ?? payload.type.replaceAll("_", " ")} />
        {payload.function === undefined ? undefined : (
          <a class="button small" href={linkTo(["encode"], { function: payload.function })}>
            Encode one
          </a>
        )}
      </p>
      {typeArguments.length === 0 ? undefined : (
        <Facts>
          {typeArguments.map((type, index) => (
            <Fact key={index} name={`T${index}`}>
              <MoveType type={type} />
            </Fact>
          ))}
        </Facts>
      )}
      {plain.length === 0 ? (
        <p class="faint">without arguments</p>
      ) : isLoading ? (
        <Skeleton lines={plain.length} />
      ) : (
        <table class="rows fits">
          <thead>
            <tr>
              <th scope="col">Argument</th>
              <th scope="col" class="spare">
                Type
              </th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {plain.map((value, index) => (
              <tr key={index}>
                <td>{args?.[index]?.name ?? <span class="faint">argument {index}</span>}</td>
                <td class="spare">
                  {args?.[index] === undefined ? "" : <MoveType type={args[index].type} />}
                </td>
                <td>
                  <TypedValue type={args?.[index]?.type} value={value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Events({ events }: { readonly events: readonly LedgerEvent[] }): JSX.Element {
  return (
    <Card title={countOf(events.length, "event")}>
      {events.length === 0 ? <p class="faint">none</p> : undefined}
      {events.map((event, index) => (
        <details key={index} class="resource" open={events.length <= 4}>
          <summary>
            <MoveType type={event.type} isInside />
          </summary>
          <Tree value={event.data} />
        </details>
      ))}
    </Card>
  );
}

const CHANGES: Readonly<Record<string, string>> = {
  write_resource: "wrote",
  delete_resource: "deleted",
  write_module: "published",
  delete_module: "deleted module",
  write_table_item: "wrote table item",
  delete_table_item: "deleted table item",
};

function ChangeRow({ change }: { readonly change: Change }): JSX.Element {
  const { type, address, handle, key, value, data, resource, module } = change;
  return (
    <details class="resource">
      <summary>
        <span class={`badge ${type.startsWith("delete") ? "bad" : ""}`}>{CHANGES[type] ?? type}</span>{" "}
        {data?.type !== undefined || resource !== undefined ? (
          <MoveType type={data?.type ?? resource ?? ""} isInside />
        ) : handle === undefined ? (
          <span class="mono">{module ?? ""}</span>
        ) : (
          <span class="mono">
            <LedgerText text={key ?? ""} max={80} isInside />
          </span>
        )}
      </summary>
      <Facts>
        {address === undefined ? undefined : (
          <Fact name="At">
            <Address address={address} />
          </Fact>
        )}
        {handle === undefined ? undefined : (
          <>
            <Fact name="Table">
              <Hash hash={handle} href={linkTo(["table", handle], { key })} label="handle" />
            </Fact>
            <Fact name="Key">
              <span class="mono">
                <LedgerText text={key ?? ""} max={160} />
              </span>
            </Fact>
            {value === undefined ? undefined : (
              <Fact name="Value">
                <span class="mono">
                  <LedgerText text={value} max={160} />
                </span>
              </Fact>
            )}
          </>
        )}
        {change.state_key_hash === undefined ? undefined : (
          <Fact name="State key">
            <Hash hash={change.state_key_hash} label="state key hash" />
          </Fact>
        )}
      </Facts>
      {data?.data === undefined ? (
        data === undefined || data === null || handle === undefined ? undefined : (
          <Tree value={data} />
        )
      ) : (
        <Tree value={data.data} />
      )}
    </details>
  );
}

function Summary({ transaction }: { readonly transaction: Transaction }): JSX.Element {
  const {
    gas_used: used,
    gas_unit_price: price,
    success,
    vm_status: status,
    expiration_timestamp_secs: expires,
  } = transaction;
  const fee = used === undefined || price === undefined ? undefined : BigInt(used) * BigInt(price);
  return (
    <Card>
      <p class="outcome">
        {transaction.version === undefined ? (
          <span class="badge">pending</span>
        ) : (
          <span class={`badge ${success === false ? "bad" : "good"}`}>
            {success === false ? "failed" : "succeeded"}
          </span>
        )}{" "}
        <b>{kindOf(transaction)}</b>{" "}
        {success === false && status !== undefined ? <LedgerText text={status} max={300} /> : undefined}
      </p>
      <Facts>
        <Fact name="Hash" wide>
          <Hash hash={transaction.hash} full />
        </Fact>
        <Fact name="Time">
          <Time usec={transaction.timestamp} />
        </Fact>
        {signersOf(transaction).map(([part, address]) => (
          <Fact key={`${part} ${address}`} name={part === "sender" ? "Sender" : part}>
            <Address address={address} />
          </Fact>
        ))}
        {transaction.proposer === undefined ? undefined : (
          <Fact name="Proposer">
            <Address address={transaction.proposer} />
          </Fact>
        )}
        {fee === undefined ? undefined : (
          <Fact name="Fee">
            <Amount amount={fee} decimals={FEE_DECIMALS} symbol="APT" />
            <span class="faint">
              , {groupDigits(used ?? "")} gas at {groupDigits(price ?? "")}, at most{" "}
              {groupDigits(transaction.max_gas_amount ?? "")}
            </span>
          </Fact>
        )}
        {transaction.replay_protection_nonce ? (
          <Fact name="Nonce">{transaction.replay_protection_nonce}</Fact>
        ) : transaction.sequence_number === undefined ? undefined : (
          <Fact name="Sequence number">{groupDigits(transaction.sequence_number)}</Fact>
        )}
        {expires === undefined ? undefined : (
          <Fact name="Expires">
            {expires.length > 11 ? groupDigits(expires) : <Time usec={`${expires}000000`} />}
          </Fact>
        )}
        {transaction.signature === undefined || transaction.signature === null ? undefined : (
          <Fact name="Signature">{transaction.signature.type.replaceAll("_", " ")}</Fact>
        )}
        {transaction.accumulator_root_hash === undefined ? undefined : (
          <Fact name="Accumulator root">
            <Hash hash={transaction.accumulator_root_hash} />
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

export function TransactionView({ id }: { readonly id: string }): JSX.Element {
  const isVersion = /^\d+$/.test(id);
  const relative = isVersion ? path("transactions", "by_version", id) : path("transactions", "by_hash", id);
  const loaded = useLoad(
    `transaction ${id}`,
    async (signal) => (await ask<Transaction>(relative, { signal })).data,
  );
  const number = isVersion ? BigInt(id) : undefined;
  return (
    <>
      <Title text={isVersion ? `Transaction ${groupDigits(id)}` : `Transaction ${id.slice(0, 12)}…`}>
        {number === undefined ? undefined : (
          <div class="buttons">
            {number > 0n ? (
              <a class="button small" href={linkTo(["transaction", `${number - 1n}`])}>
                ← Previous
              </a>
            ) : undefined}
            <a class="button small" href={linkTo(["transaction", `${number + 1n}`])}>
              Next →
            </a>
          </div>
        )}
      </Title>
      <Load loaded={loaded} lines={8}>
        {(transaction) => (
          <>
            <Summary transaction={transaction} />
            {transaction.sender === undefined || transaction.version === undefined ? undefined : (
              <Card title="What it did">
                <p class="sentence" data-testid="words">
                  <Words transaction={transaction} />
                </p>
                <BalanceChanges transaction={transaction} />
              </Card>
            )}
            {transaction.payload === undefined ? undefined : (
              <Call transaction={transaction} payload={transaction.payload} />
            )}
            {transaction.version === undefined ? undefined : <Trace version={transaction.version} />}
            <Events events={transaction.events ?? []} />
            <Card title={countOf(transaction.changes?.length ?? 0, "change")}>
              {(transaction.changes ?? []).map((change, index) => (
                <ChangeRow key={index} change={change} />
              ))}
            </Card>
            <Card title="Take it with you">
              <CodeLine text={`curl '${urlOf(relative)}'`} label="curl command" />
            </Card>
          </>
        )}
      </Load>
    </>
  );
}
