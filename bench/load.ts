// Puts a server under load from a process of its own. Every response must be a 200.
import type { ChildProcess } from "node:child_process";
import type { LoadCommand } from "./load-process.ts";
import { forkFile } from "./own-process.ts";
import type { BenchRequest } from "./requests.ts";
import { nextMessage } from "./waits.ts";

/** Requests, connections and duration. */
export interface Load {
  readonly url: string;
  readonly requests: readonly BenchRequest[];
  readonly connections: number;
  readonly seconds: number;
  /**
   * Polls without sleeping, for rows of processor time: a server pays for waking a client, on a virtual machine as much
   * as for the rest of a response, and a slower server finds it asleep more often.
   */
  readonly isAwake?: boolean | undefined;
  /** Ends the load before its time: on a busy machine as on a quiet one, the server has the same work. */
  readonly requestCount?: number | undefined;
}

/** Counts of a run. */
export interface LoadResult {
  readonly requestCount: number;
  readonly seconds: number;
  readonly failures: number;
}

/** Numbers of the lists that the generator got. */
const numbers = new WeakMap<readonly BenchRequest[], number>();
let generator: ChildProcess | undefined;
let listCount = 0;

/** Sends requests for some seconds. */
export async function runLoad({ requests, ...load }: Load): Promise<LoadResult> {
  const known = numbers.get(requests);
  const list = known ?? listCount++;
  numbers.set(requests, list);
  if (known === undefined) await ask(listOf(list, requests));
  let result = (await ask({ list, ...load })) as LoadResult | { readonly isMissing: true };
  if ("isMissing" in result) {
    await ask(listOf(list, requests));
    result = (await ask({ list, ...load })) as LoadResult;
  }
  if (result.requestCount === 0 || result.failures > 0) {
    throw new Error(`${load.url}: ${result.failures} of ${result.requestCount} responses were failures`);
  }
  return result;
}

/** What the generator needs of the requests. */
function listOf(list: number, requests: readonly BenchRequest[]): LoadCommand {
  return { list, requests: requests.map(({ expectedBody: _, ...request }) => request) };
}

/** Sends the generator a command, and starts it for the first one. One command at a time. */
async function ask(command: LoadCommand): Promise<unknown> {
  generator ??= forkFile("./load-process.ts");
  const answer = nextMessage(generator, "the load generator");
  generator.send(command);
  try {
    return await answer;
  } catch (error) {
    stopLoad();
    throw error;
  }
}

/** Ends the generator. */
export function stopLoad(): void {
  generator?.kill();
  generator = undefined;
}
