// Blocks as they arrive, those of the past, and one block with its transactions.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../lib/api.ts";
import { countOf, groupDigits } from "../lib/format.ts";
import { headOf, live, loadBlock } from "../lib/live.ts";
import { go, linkTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import type { FullBlock } from "../lib/transactions.ts";
import { useLoad } from "../lib/use-load.ts";
import { Card, Empty, Fact, Facts, Hash, Load, MonoField, Time, Title, Version } from "../parts/basics.tsx";
import { BlockList, BlockRows } from "../parts/block-list.tsx";
import { TransactionRows } from "../parts/transaction-rows.tsx";

const PAGE = 25n;

/** A block of any age. */
function HeightForm({ latest }: { readonly latest: string | undefined }): JSX.Element {
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        const digits = text.replace(/[,_ ]/g, "");
        if (/^\d{1,20}$/.test(digits)) go(linkTo(["blocks"], { from: digits }));
        else setError(`expected a height, a whole number up to ${groupDigits(latest ?? "0")}`);
      }}
    >
      <MonoField
        label="Blocks from this height down"
        error={error}
        placeholder="20"
        value={text}
        onInput={(value) => {
          setText(value);
          setError(undefined);
        }}
      />
      <button type="submit" class="button primary">
        Go
      </button>
    </form>
  );
}

/** Links to the pages before and after the blocks from `highest` down to `lowest`. */
function Pages({ highest, lowest }: { readonly highest: bigint; readonly lowest: bigint }): JSX.Element {
  const latest = useStore(live, (state) => headOf(state).height);
  const oldest = useStore(live, ({ info }) => BigInt(info?.oldest_block_height ?? 0));
  const newer = highest + PAGE;
  const isAtHead = latest === undefined || newer > BigInt(latest);
  const from = (height: bigint): string => linkTo(["blocks"], { from: `${height}` });
  return (
    <nav class="buttons" aria-label="Pages of blocks">
      {latest === undefined || highest >= BigInt(latest) ? undefined : (
        <a class="button" href={isAtHead ? linkTo(["blocks"]) : from(newer)}>
          ← Newer
        </a>
      )}
      {lowest > oldest ? (
        <>
          <a class="button" href={from(lowest - 1n)}>
            Older →
          </a>
          <a class="button" href={from(oldest + PAGE - 1n)}>
            Oldest
          </a>
        </>
      ) : undefined}
    </nav>
  );
}

/** Blocks of the past, from a height down. */
function EarlierBlocks({ from }: { readonly from: bigint }): JSX.Element {
  const loaded = useLoad(`blocks ${from}`, async (signal) => {
    const heights = Array.from({ length: Number(PAGE) }, (_, index) => from - BigInt(index)).filter(
      (height) => height >= 0n,
    );
    const found = await Promise.allSettled(heights.map((height) => loadBlock(height, signal)));
    const blocks = found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    // Some may be pruned, or not there yet; without any, the first says why.
    const [first] = found;
    if (blocks.length === 0 && first?.status === "rejected") throw first.reason;
    return blocks;
  });
  return (
    <Card title={`From block ${groupDigits(`${from}`)} down`}>
      <Load loaded={loaded} lines={10}>
        {(blocks) => (
          <>
            <BlockRows blocks={blocks} />
            <Pages highest={BigInt(blocks[0]?.height ?? from)} lowest={BigInt(blocks.at(-1)?.height ?? 0)} />
          </>
        )}
      </Load>
    </Card>
  );
}

export function Blocks({ query }: { readonly query: Readonly<Record<string, string>> }): JSX.Element {
  const blocks = useStore(live, (state) => state.blocks);
  const latest = useStore(live, (state) => headOf(state).height);
  const from = /^\d{1,20}$/.test(query.from ?? "") ? BigInt(query.from ?? 0) : undefined;
  return (
    <>
      <Title text="Blocks" />
      {from === undefined ? (
        <Card title="Arriving now">
          {blocks.length === 0 ? (
            <Empty title="No block yet">
              <p>Blocks show here as the node commits them.</p>
            </Empty>
          ) : (
            <>
              <BlockList blocks={blocks} />
              <Pages highest={BigInt(latest ?? 0)} lowest={BigInt(blocks.at(-1)?.height ?? 0)} />
            </>
          )}
        </Card>
      ) : (
        <EarlierBlocks from={from} />
      )}
      <Card>
        <HeightForm latest={latest} />
      </Card>
    </>
  );
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
            <Card title={countOf(block.transactions?.length ?? 0, "transaction")}>
              <TransactionRows transactions={block.transactions ?? []} />
            </Card>
          </>
        )}
      </Load>
    </>
  );
}
