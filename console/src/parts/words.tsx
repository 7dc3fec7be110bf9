// Transactions in words, and the balances that they change.
import { Fragment, type JSX } from "preact";
import { feeOf, movedBy } from "../../../src/cli/movements.ts";
import { useAssets } from "../lib/assets.ts";
import { netOf, type Piece, sentenceOf } from "../lib/meaning.ts";
import type { Transaction } from "../lib/transactions.ts";
import { AccountLink, Address, Amount, LedgerText, MoveType } from "./basics.tsx";

/** An amount in units of an asset, or in its smallest unit where the ledger does not say more. */
function AssetAmount({
  amount,
  asset,
  signed = false,
}: {
  readonly amount: bigint;
  readonly asset: string;
  readonly signed?: boolean;
}): JSX.Element {
  const { symbol, decimals } = useAssets([asset])[asset] ?? {};
  return (
    <>
      <Amount amount={amount} decimals={decimals} symbol={symbol} signed={signed} />
      {symbol === undefined ? (
        <>
          {" of "}
          <MoveType type={asset} isInside />
        </>
      ) : undefined}
    </>
  );
}

function Word({ piece }: { readonly piece: Piece }): JSX.Element {
  if (typeof piece === "string") return <>{piece}</>;
  if ("account" in piece) return <AccountLink address={piece.account} />;
  if ("ledgerText" in piece) return <LedgerText text={piece.ledgerText} max={160} isInside />;
  return <AssetAmount {...piece} />;
}

/** What a transaction does. */
export function Words({ transaction }: { readonly transaction: Transaction }): JSX.Element {
  const moved = movedBy(transaction);
  const assets = useAssets([...new Set(moved.changes.map(({ asset }) => asset))]);
  // Without knowing which assets are the same, a sum would be wrong.
  if (moved.changes.some(({ asset }) => assets[asset] === undefined))
    return (
      <span class="faint" aria-busy="true">
        …
      </span>
    );
  return (
    <span class="words">
      {sentenceOf(transaction, moved, assets).map((piece, index) => (
        <Fragment key={index}>
          <Word piece={piece} />
        </Fragment>
      ))}
    </span>
  );
}

/** What a transaction changes in the balances of accounts, with its fee. */
export function BalanceChanges({ transaction }: { readonly transaction: Transaction }): JSX.Element {
  const { changes, unknown } = movedBy(transaction);
  const assets = useAssets([...new Set(changes.map(({ asset }) => asset))]);
  const fee = feeOf(transaction);
  const rows = [
    ...netOf(changes, assets).map((change) => ({ ...change, why: "" })),
    ...(fee === undefined || fee.amount === 0n ? [] : [{ ...fee, why: "fee" }]),
  ];
  return (
    <>
      {rows.length === 0 ? (
        <p class="faint">No balance changes.</p>
      ) : (
        <table class="rows fits" data-testid="balance-changes">
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col" class="right">
                Balance change
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ account, asset, amount, why }) => (
              <tr key={`${account} ${asset} ${why}`}>
                <td>
                  <Address address={account} /> {why === "" ? undefined : <span class="badge">{why}</span>}
                </td>
                <td class="right">
                  <AssetAmount amount={amount} asset={asset} signed />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {unknown === 0 ? undefined : (
        <p class="faint">
          {unknown} more {unknown === 1 ? "event is" : "events are"} of stores that this transaction does not
          describe.
        </p>
      )}
    </>
  );
}
