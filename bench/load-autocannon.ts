// The load generator for machines without wrk: autocannon in its own process, controlled over IPC.
import autocannon from "autocannon";
import type { Load, LoadResult } from "./load.ts";

process.once("message", async ({ url, requests, connections, seconds }: Load) => {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: requests.map(({ method, path, headers, body }) => ({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    })),
  });
  process.send?.({
    requestCount: result.requests.total,
    seconds: result.duration,
    failures: result.non2xx + result.errors,
  } satisfies LoadResult);
  process.disconnect();
});
