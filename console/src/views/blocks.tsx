// Blocks as they arrive, and one block with its transactions.
import type { JSX } from "preact";
import { ask } from "../lib/api.ts";
import { groupDigits } from "../lib/format.ts";
import { live } from "../lib/live.ts";
import { linkTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { callOf, type FullBlock, kindOf, type Transaction } from "../lib/transactions.ts";
import { useLoad } from "../lib/use-load.ts";
import {
  Address,
  Card,
  Empty,
  Fact,
  Facts,
  Hash,
  Load,
  MoveType,
  Time,
  Title,
  Version,
} from "../parts/basics.tsx";
import { BlockList } from "../parts/block-list.tsx";
import { type TransactionRow, TransactionRows } from "../parts/transaction-rows.tsx";

export function Blocks(): JSX.Element {
  const blocks = useStore(live, (state) => state.blocks);
  return (
    <>
      <Title text="Blocks" />
      <Card title="Arriving now">
        {blocks.length === 0 ? (
          <Empty title="No block yet">
            <p>Blocks show here as the node commits them.</p>
          </Empty>
        ) : (
          <BlockList blocks={blocks} />
        )}
      </Card>
    </>
  );
}

function rowOf(transaction: Transaction): TransactionRow {
  const { version = "", success, sender, hash, payload } = transaction;
  return {
    version,
    hash,
    isFailed: success === false,
    call: payload === undefined ? kindOf(transaction) : <MoveType type={callOf(transaction)} />,
    detail: sender === undefined ? <span class="faint">–</span> : <Address address={sender} />,
  };
}

export function BlockView({ height }: { readonly height: string }): JSX.Element {
  const latest = useStore(live, ({ blocks, info }) => blocks[0]?.height ?? info?.block_height);
  const loaded = useLoad(`block ${height}`, async (signal) => {
    const query = { with_transactions: "true" };
    return (await ask<FullBlock>(`blocks/by_height/${encodeURIComponent(height)}`, { query, signal })).data;
  });
  const number = /^\d{1,20}$/.test(height) ? BigInt(height) : undefined;
  const hasNext = number !== undefined && latest !== undefined && number < BigInt(latest);
  return (
    <>
      <Title text={`Block ${groupDigits(height)}`}>
        {number === undefined ? undefined : (
          <div class="buttons">
            {number > 0n ? (
              <a class="button small" href={linkTo(["block", `${number - 1n}`])}>
                ← Previous
              </a>
            ) : undefined}
            {hasNext ? (
              <a class="button small" href={linkTo(["block", `${number + 1n}`])}>
                Next →
              </a>
            ) : undefined}
          </div>
        )}
      </Title>
      <Load loaded={loaded} lines={6}>
        {(block) => (
          <>
            <Card>
              <Facts>
                <Fact name="Time">
                  <Time usec={block.block_timestamp} />
                </Fact>
                <Fact name="Versions">
                  <Version version={block.first_version} /> – <Version version={block.last_version} />
                </Fact>
                <Fact name="Hash">
                  <Hash hash={block.block_hash} />
                </Fact>
              </Facts>
            </Card>
            <Card title={`${block.transactions?.length ?? 0} transactions`}>
              <TransactionRows column="Sender" rows={(block.transactions ?? []).map(rowOf)} />
            </Card>
          </>
        )}
      </Load>
    </>
  );
}
