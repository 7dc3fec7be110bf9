// Encodes bodies that the parent process names by file, in a process of its own so that its memory says
// something, and answers with the processor time each took, in terms of what the engine's own parser takes for
// a plain text of the same size, and the peak of the memory so far.
import { closeSync, openSync, readSync } from "node:fs";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { genesisLoader } from "./genesis-modules.ts";

/** What is reported for one body. Memory in bytes, above where it stood before the first. */
export interface HostileReport {
  readonly outcome: string;
  /** Processor time as a multiple of the yardstick's, taken around it: neither a busy nor a slow machine counts. */
  readonly times: number;
  readonly cpuMs: number;
  readonly extraBytes: number;
}

const context = { chainId: 243, loadModule: genesisLoader("devnet") };
const buffer = new Uint8Array(8 * 1024 * 1024).fill(32);

const TRIES = 3;
/** Multiple of the yardstick that needs no second try. */
const GOOD_TIMES = 8;
const YARDSTICK_SHARE = 8;
const yardstick = JSON.stringify(Array(buffer.length / 2 / YARDSTICK_SHARE).fill(1));

async function cpuMsOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** What the engine's parser takes for 8 MiB of numbers: the middle of three tries with a part of it. */
async function yardstickMs(): Promise<number> {
  const tries: number[] = [];
  for (let i = 0; i < TRIES; i++) tries.push(await cpuMsOf(() => JSON.parse(yardstick)));
  return (tries.sort((a, b) => a - b)[1] ?? 0) * YARDSTICK_SHARE;
}

function readBody(path: string): Uint8Array {
  const file = openSync(path, "r");
  const length = readSync(file, buffer, 0, buffer.length, 0);
  closeSync(file);
  return buffer.subarray(0, length);
}

async function outcomeOf(body: Uint8Array): Promise<string> {
  try {
    return `${(await encodeSubmission(body, context)).length} bytes`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

const warmUp = await outcomeOf(
  Buffer.from(
    '{"sender":"1","sequence_number":"0","max_gas_amount":"1","gas_unit_price":"1","expiration_timestamp_secs":"1","payload":{"type":"entry_function_payload","function":"0x1::aptos_account::transfer","type_arguments":[],"arguments":["0x1","1"]}}',
  ),
);
await yardstickMs();
const baseline = process.resourceUsage().maxRSS;
process.send?.(warmUp);

process.on("message", async (path: string) => {
  const body = readBody(path);
  let outcome = "";
  let cpuMs = 0;
  let times = Number.POSITIVE_INFINITY;
  // What the code is to blame for comes again in every try; what the machine is to blame for does not.
  for (let i = 0; i < TRIES && times > GOOD_TIMES; i++) {
    globalThis.gc?.();
    const before = await yardstickMs();
    cpuMs = await cpuMsOf(async () => {
      outcome = await outcomeOf(body);
    });
    times = Math.min(times, cpuMs / Math.max(before, await yardstickMs()));
  }
  const extraBytes = (process.resourceUsage().maxRSS - baseline) * 1024;
  process.send?.({ outcome, times, cpuMs, extraBytes } satisfies HostileReport);
});
