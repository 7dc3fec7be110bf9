// The load generator for machines without wrk: autocannon in a process of its own, told over IPC what to do.
import autocannon from "autocannon";
import type { Load, LoadResult } from "./load.ts";

process.once("message", async ({ url, questions, connections, seconds }: Load) => {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: questions.map(({ method, path, headers, body }) => ({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    })),
  });
  process.send?.({
    requests: result.requests.total,
    seconds: result.duration,
    failures: result.non2xx + result.errors,
  } satisfies LoadResult);
  process.disconnect();
});
