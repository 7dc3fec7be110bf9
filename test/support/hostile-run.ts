// Encodes bodies from files that the parent process names, in a separate process so that its memory is measurable, and
// reports the processor time of each, in yardsticks, and the peak memory so far.
import { closeSync, openSync, readSync } from "node:fs";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { genesisLoader } from "./genesis-modules.ts";
import { SIZE } from "./hostile-bodies.ts";
import { timesYardstick, yardstickMs } from "./yardstick.ts";

/** Report for one body. Memory in bytes above the level before the first body. */
export interface HostileReport {
  readonly outcome: string;
  /** Processor time in yardsticks: independent of the machine's load and speed. */
  readonly times: number;
  readonly extraBytes: number;
}

const context = { chainId: 243, loadModule: genesisLoader("devnet") };
const buffer = new Uint8Array(SIZE).fill(32);

/** Multiple of the yardstick that needs no second try. */
const GOOD_TIMES = 2;

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
  globalThis.gc?.();
  const times = await timesYardstick(async () => {
    outcome = await outcomeOf(body);
  }, GOOD_TIMES);
  const extraBytes = (process.resourceUsage().maxRSS - baseline) * 1024;
  process.send?.({ outcome, times, extraBytes } satisfies HostileReport);
});
