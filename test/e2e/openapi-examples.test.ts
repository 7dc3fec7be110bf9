// The examples of the OpenAPI document, as they stand there, against the program as it starts by default.
import { join } from "node:path";
import { expect, it } from "vitest";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly example?: unknown;
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly example: unknown }> };
  readonly responses: Record<string, { readonly content: Record<string, unknown> }>;
}

/** The body; of a stream, which has no end, the first piece. */
async function beginningOf(isStream: boolean, response: Response): Promise<string> {
  if (!isStream || response.status !== 200) return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
}

it("work: with the parameters of the path alone, and with all that have one", async () => {
  const node = await startProgram(["--data", join(temporaryFolder(), "data"), "--log-level", "warn"]);
  await until(async () => {
    const { ledger_version } = (await (await fetch(node.url)).json()) as { ledger_version: string };
    return Number(ledger_version) > 5;
  });
  const spec = (await (await fetch(`${node.url}/spec.json`)).json()) as {
    readonly paths: Record<string, Record<string, Described>>;
  };
  const failed: string[] = [];
  let asked = 0;
  for (const [path, methods] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      let target = node.url + (path === "/" ? "" : path);
      const query = new URLSearchParams();
      for (const { name, in: where, example } of operation.parameters) {
        if (where === "path") target = target.replace(`{${name}}`, encodeURIComponent(String(example)));
        else if (example !== undefined) query.set(name, String(example));
      }
      const body = Object.values(operation.requestBody?.content ?? {})[0]?.example;
      const forms = Object.keys(operation.responses[200]?.content ?? {});
      const isStream = forms.includes("text/event-stream");
      for (const accept of forms) {
        const isRange = isStream && (accept === "text/csv" || accept === "application/x-bcs");
        const searches = isRange ? ["?start=1&end=2"] : ["", query.size === 0 ? "" : `?${query}`];
        for (const search of new Set(searches)) {
          const response = await fetch(target + search, {
            method: method.toUpperCase(),
            headers: { accept, ...(body === undefined ? {} : { "content-type": "application/json" }) },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          const text = await beginningOf(isStream, response);
          asked++;
          // The hash of the example is of no transaction: hashes depend on the times of the blocks.
          const isUnknownHash = path.includes("by_hash") && text.includes("transaction_not_found");
          if (response.status !== 200 && !isUnknownHash)
            failed.push(`${operation.operationId}${search}: ${response.status} ${text}`);
        }
      }
    }
  }
  expect(failed).toEqual([]);
  expect(asked).toBeGreaterThan(30);
  await node.stop();
});
