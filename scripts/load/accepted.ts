// A node with two workers that takes submissions, beside the other load of a soak. Each accepted transaction is asked for
// by its hash until it is committed, and is never unknown in between; streams of blocks stay open meanwhile.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { startProgram } from "../../test/support/program.ts";
import { signCall } from "../../test/support/submitter.ts";
import { workersOf } from "../../test/support/worker-processes.ts";
import { processFigures } from "./process-figures.ts";

const SUBMITTERS = 4;
const STREAMS = 8;
const PAUSE_MS = 100;
/** Between two polls: short, so that many fall into the moment of the commit. */
const TURN_MS = 5;
const SEED = "soak";
const BCS = "application/x.aptos.signed_transaction+bcs";
const RECIPIENT = encodeWith(addressCodec, parseAddress("0xb0b"));
/** Of three processes whose heaps find their size in their own time. */
const SLACK_BYTES = 96e6;

/** Starts the node and its clients. `stop` ends them and says what was seen. */
export async function startSubmissions(
  folder: string,
  complain: (text: string) => void,
): Promise<{ readonly settle: () => void; readonly stop: () => Promise<string> }> {
  const node = await startProgram([
    ...["--data", join(folder, "workers"), "--seed", SEED, "--block-time", "250ms", "--workers", "2"],
    ...["--prune-window", "1000", "--log-level", "warn"],
  ]);
  const payer = createKeypair(chainSeed(SEED), "gus");
  const ending = new AbortController();
  const seen = { accepted: 0, polls: 0, events: 0 };
  let nonce = 0n;
  const memory = (): number =>
    [node.child.pid ?? 0, ...workersOf(node)].reduce(
      (sum, pid) => sum + processFigures(pid).anonymousBytes,
      0,
    );

  async function submit(): Promise<void> {
    const transaction = signCall(payer, {
      function: "aptos_account::transfer",
      args: [RECIPIENT, encodeWith(u64, 1n)],
      nonce: ++nonce,
      fields: { expirationTimestampSecs: BigInt(Math.floor(Date.now() / 1000)) + 50n },
    });
    const body = encodeWith(userTransactionCodec, transaction);
    const headers = { "Content-Type": BCS };
    const response = await fetch(`${node.url}/transactions`, { method: "POST", headers, body });
    const { hash } = (await response.json()) as { hash: string };
    if (response.status !== 202) return complain(`a submission was answered ${response.status}`);
    seen.accepted++;
    for (;;) {
      const answer = await fetch(`${node.url}/transactions/by_hash/${hash}`);
      const { type } = (await answer.json()) as { type?: string };
      seen.polls++;
      if (type === "user_transaction") return;
      if (type !== "pending_transaction") return complain(`${hash} was accepted, and then ${answer.status}`);
      await sleep(TURN_MS);
    }
  }

  async function submitAll(): Promise<void> {
    while (!ending.signal.aborted) {
      await submit().catch((error: unknown) => complain(`submission: ${String(error)}`));
      await sleep(PAUSE_MS);
    }
  }

  async function listen(): Promise<void> {
    try {
      const response = await fetch(`${node.url}/blocks/stream`, { signal: ending.signal });
      for await (const _ of response.body ?? []) seen.events++;
      complain("a stream ended");
    } catch (error) {
      if (!ending.signal.aborted) complain(`stream: ${String(error)}`);
    }
  }

  const clients = [
    ...Array.from({ length: SUBMITTERS }, submitAll),
    ...Array.from({ length: STREAMS }, listen),
  ];
  let first = Number.NaN;
  return {
    settle: () => {
      first = memory();
    },
    stop: async () => {
      const last = memory();
      ending.abort();
      await Promise.all(clients);
      const { code, stderr } = await node.stop();
      if (code !== 0) complain(`the node with workers ended with ${code}: ${stderr}`);
      if (!(last <= first + SLACK_BYTES))
        complain(`the node with workers grew from ${first} to ${last} bytes`);
      if (seen.accepted === 0 || seen.events === 0) complain("nothing was accepted or streamed");
      return `workers: ${seen.accepted} transactions accepted, found in ${seen.polls} polls; ${seen.events} pieces of streams; anonymous memory ${(first / 1e6).toFixed(1)} MB after the first tenth, ${(last / 1e6).toFixed(1)} MB at the end`;
    },
  };
}
