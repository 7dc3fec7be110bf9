// The load generator: sends requests over some connections, each the next one as soon as it has the response to the last.
// It lives for many loads, because starting it takes as long as a round.
import type { Load, LoadResult } from "./load.ts";
import { LoadClient, requestBytes } from "./load-client.ts";
import type { BenchRequest } from "./requests.ts";

/** Requests, which are kept under a number, or a load that sends them. */
export type LoadCommand =
  | { readonly list: number; readonly requests: readonly BenchRequest[] }
  | ({ readonly list: number } & Omit<Load, "requests">);

/** Lists that are kept at most. */
const MAX_LISTS = 12;

interface RequestList {
  readonly requests: readonly BenchRequest[];
  /** By host, because a request names it. */
  readonly bytes: Map<string, readonly Buffer[]>;
  next: number;
}

const lists = new Map<number, RequestList>();

/** Keeps the event loop from sleeping until the returned function is called. */
function stayAwake(): () => void {
  let goesOn = true;
  const turn = (): void => {
    if (goesOn) setImmediate(turn);
  };
  turn();
  return () => {
    goesOn = false;
  };
}

async function run(
  list: RequestList,
  {
    url,
    connections,
    seconds,
    isAwake,
    requestCount: most = Number.POSITIVE_INFINITY,
  }: Omit<Load, "requests">,
): Promise<LoadResult> {
  const target = new URL(url);
  const bytes = list.bytes.get(target.host) ?? list.requests.map((one) => requestBytes(one, target.host));
  list.bytes.set(target.host, bytes);
  let [requestCount, failures, running] = [0, 0, connections];
  let endMs = Number.POSITIVE_INFINITY;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const sendNext = (client: LoadClient): void => {
    client.send(bytes[list.next++ % bytes.length] as Buffer);
  };
  const clients = await Promise.all(
    Array.from({ length: connections }, () =>
      new LoadClient(target, (client, isGood) => {
        requestCount++;
        if (!isGood) failures++;
        if (requestCount < most && performance.now() < endMs) sendNext(client);
        else if (--running === 0) finish();
      }).connected(),
    ),
  );
  const startedMs = performance.now();
  endMs = startedMs + 1000 * seconds;
  for (const client of clients) sendNext(client);
  const sleep = isAwake === true ? stayAwake() : undefined;
  await finished;
  sleep?.();
  const result = { requestCount, seconds: (performance.now() - startedMs) / 1000, failures };
  for (const client of clients) client.close();
  return result;
}

process.on("message", async (command: LoadCommand) => {
  if ("requests" in command) {
    lists.set(command.list, { requests: command.requests, bytes: new Map(), next: 0 });
    const [oldest] = lists.keys();
    if (lists.size > MAX_LISTS && oldest !== undefined) lists.delete(oldest);
    process.send?.({});
    return;
  }
  const list = lists.get(command.list);
  process.send?.(list === undefined ? { isMissing: true } : await run(list, command));
});
