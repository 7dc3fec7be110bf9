// The world of the tests about lies: one true chain, forks of it and another chain, each served by a real server, and
// the true answer to every question.
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { JSON_TYPE } from "../../src/interface/media-types.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import type { Block } from "../../src/ledger/view.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "./chain-run.ts";
import { readRecords, recordChain } from "./follow.ts";
import { EndlessBlock, forkChain } from "./forgery.ts";
import { startServer } from "./http-server.ts";
import { ask, type Question, questionsAbout, type Reply } from "./questions.ts";
import { ShownLedger } from "./shown-ledger.ts";

/** A chain that a server shows up to some block. */
export interface ShownChain {
  readonly run: ChainRun;
  readonly records: readonly Uint8Array[];
  /** Base URL without `/v1`. */
  readonly url: string;
  /** Shows the blocks up to a height and returns the last version. */
  show(height: number): Promise<bigint>;
  /** The last version of a block. */
  end(height: number): Promise<bigint>;
  /** The answer at a version, whether or not it is shown. */
  answer(question: Question, version: bigint): Promise<Reply>;
}

async function serve(run: ChainRun): Promise<ShownChain> {
  const position = await run.position();
  const shown = new ShownLedger(run.store, position.version);
  const [server, whole] = [await startServer({ ledger: shown }), await startServer({ ledger: run.store })];
  const known = new Map<string, Promise<Reply>>();
  const end = async (height: number): Promise<bigint> => (await blockAt(run, height)).lastVersion;
  return {
    run,
    records: await readRecords(run.store),
    url: server.url,
    end,
    show: async (height) => {
      shown.last = await end(height);
      return shown.last;
    },
    answer: (question, version) => {
      const name = `${question.path} ${question.accept} ${question.body} ${version}`;
      const reply = known.get(name) ?? ask(`${whole.url}/v1`, question, version);
      known.set(name, reply);
      return reply;
    },
  };
}

async function blockAt(run: ChainRun, height: number): Promise<Block> {
  const view = await run.store.openView();
  try {
    const block = await view.getBlockByHeight(BigInt(height));
    if (block === undefined) throw new Error(`the chain has no block ${height}`);
    return block;
  } finally {
    view.release();
  }
}

/** Everything that a test about lies needs. */
export interface LiedWorld {
  readonly truth: ShownChain;
  /** By the height of the last block that they share with the truth. */
  readonly forks: readonly { readonly shared: number; readonly chain: ShownChain }[];
  /** Chains with another seed: one of the same chain id, one of another. */
  readonly others: readonly ShownChain[];
  readonly genesis: Uint8Array;
  readonly genesisWaypoint: string;
  /** The true waypoint of a block's last version. */
  waypoint(height: number): Promise<string>;
  /** Balances as JSON, table items as BCS. */
  readonly questions: readonly Question[];
  /** A block that never ends, after the block of this height. */
  endlessAfter(height: number, bytes: number): Promise<EndlessBlock>;
}

/** Runs the chains for the given number of blocks. Call it at the top of a test file: the servers end with the file. */
export async function createLiedWorld(blocks: number, forksAt: readonly number[]): Promise<LiedWorld> {
  const seed = "lies";
  const { run, records, waypoints } = await recordChain(blocks, seed);
  const truth = await serve(run);
  const forks: LiedWorld["forks"][number][] = [];
  for (const shared of forksAt) {
    const more = { shared: BigInt(shared), more: blocks - shared, name: `fork at ${shared}` };
    forks.push({ shared, chain: await serve(await forkChain(run, records, createMemoryStore(), more)) });
  }
  const others: ShownChain[] = [];
  for (const chainId of [4, 5]) {
    const chain = createLocalChain({ seed: "another", chainId });
    const other = await new ChainRun(chain, createMemoryStore()).start();
    await other.steps(blocks);
    others.push(await serve(other));
  }
  const genesis = run.chain.genesisBlob();
  return {
    truth,
    forks,
    others,
    genesis,
    genesisWaypoint: formatWaypoint(checkGenesis(genesis).waypoint),
    waypoint: async (height) => {
      const waypoint = waypoints.get(await truth.end(height));
      if (waypoint === undefined) throw new Error(`no waypoint of block ${height}`);
      return formatWaypoint(waypoint);
    },
    questions: questionsAbout(run.chain.guide()).filter(
      ({ accept, body }) => (accept === JSON_TYPE) === (body === undefined),
    ),
    endlessAfter: async (height, bytes) => {
      const next = Number(await truth.end(height)) + 1;
      const opening = records[next];
      if (opening === undefined) throw new Error(`no block after ${height}`);
      return new EndlessBlock(records.slice(0, next), opening, bytes);
    },
  };
}
