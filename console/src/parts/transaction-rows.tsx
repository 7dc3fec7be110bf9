// Committed transactions in rows: what each did in words, what it called, how that ended, and a column of the view.
import type { ComponentChildren, JSX } from "preact";
import { linkTo } from "../lib/router.ts";
import { callOf, type Transaction } from "../lib/transactions.ts";
import { Hash, MoveType, Version } from "./basics.tsx";
import { Words } from "./words.tsx";

export function TransactionRows({
  transactions,
  column,
  detail,
}: {
  readonly transactions: readonly Transaction[];
  /** Name of the view's column. */
  readonly column?: string;
  readonly detail?: (transaction: Transaction) => ComponentChildren;
}): JSX.Element {
  return (
    <table class="rows fits transactions">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">What it did</th>
          {column === undefined ? undefined : <th scope="col">{column}</th>}
          <th scope="col" class="spare">
            Hash
          </th>
        </tr>
      </thead>
      <tbody>
        {transactions.map((transaction) => (
          <tr key={transaction.hash}>
            <td>
              <Version version={transaction.version ?? ""} />
            </td>
            <td class="call">
              {transaction.success === false ? <span class="badge bad">failed</span> : undefined}{" "}
              <Words transaction={transaction} />
              {transaction.payload === undefined ? undefined : (
                <div class="faint">
                  <MoveType type={callOf(transaction)} isInside />
                </div>
              )}
            </td>
            {detail === undefined ? undefined : <td>{detail(transaction)}</td>}
            <td class="spare">
              <Hash hash={transaction.hash} href={linkTo(["transaction", transaction.version ?? ""])} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
