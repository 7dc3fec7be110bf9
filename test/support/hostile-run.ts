// Encodes bodies that the parent process names by file, in a process of its own so that its memory says
// something, and answers with the processor time each took and the peak of the memory so far.
import { closeSync, openSync, readSync } from "node:fs";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { genesisLoader } from "./genesis-modules.ts";

/** What is reported for one body. Processor time, so that a busy machine does not count; memory in bytes, above where it stood before the first. */
export interface HostileReport {
  readonly outcome: string;
  readonly cpuMs: number;
  readonly extraBytes: number;
}

const context = { chainId: 243, loadModule: genesisLoader("devnet") };
const buffer = new Uint8Array(8 * 1024 * 1024).fill(32);

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
const baseline = process.resourceUsage().maxRSS;
process.send?.(warmUp);

process.on("message", async (path: string) => {
  const body = readBody(path);
  globalThis.gc?.();
  const start = process.cpuUsage();
  const outcome = await outcomeOf(body);
  const { user, system } = process.cpuUsage(start);
  const cpuMs = (user + system) / 1000;
  const extraBytes = (process.resourceUsage().maxRSS - baseline) * 1024;
  process.send?.({ outcome, cpuMs, extraBytes } satisfies HostileReport);
});
