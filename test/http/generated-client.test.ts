// The client that is generated from the OpenAPI document asks the questions about balances, with typed bodies and answers.
import createClient from "openapi-fetch";
import { describe, expect, it } from "vitest";
import type { components, paths } from "../../.cache/api-types.ts";
import { OPERATIONS } from "../../src/http/operation-list.ts";
import { createOpenApi } from "../../src/http/pages/openapi.ts";
import { COIN, TABLE, TABLE_KEY, TABLE_VALUE } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

const { url } = await startServer();
const client = createClient<paths>({ baseUrl: `${url}/v1` });
/** The answer in JSON; the other forms are texts. */
function jsonOf<T extends object>(data: T | string | undefined): T {
  if (typeof data !== "object") throw new Error(`no JSON: ${data}`);
  return data;
}

const path = { address: "0xc1", asset_type: COIN };

describe("a client generated from the document", () => {
  it("reads at a time", async () => {
    const params = { path, query: { at: "1700000002", quoted: true } };
    const { data, response } = await client.GET("/accounts/{address}/balance/{asset_type}", { params });
    expect([data, response.headers.get("x-node-read-version")]).toEqual(["100", "20"]);
  });

  it("reads many balances", async () => {
    const body: components["schemas"]["BalancesRequest"] = {
      queries: [
        { address: "0xc1", asset_type: COIN },
        { address: "?", asset_type: COIN },
      ],
      totals: true,
      ledger_version: "20",
    };
    const data = jsonOf((await client.POST("/balances", { body })).data);
    const results: components["schemas"]["BalanceResult"][] = data.balances;
    expect([data.ledger_version, results[0]?.balance, results[1]?.error?.error_code, data.totals]).toEqual([
      "20",
      "100",
      "web_framework_error",
      { [COIN]: "100" },
    ]);
  });

  it("reads many table items", async () => {
    const { data } = await client.POST("/tables/raw_items", {
      body: { queries: [{ table_handle: TABLE, key: TABLE_KEY }] },
    });
    expect(jsonOf(data).items).toEqual([{ value: TABLE_VALUE }]);
  });

  it("reads a history and follows its cursor", async () => {
    const versions: string[] = [];
    let start: string | undefined;
    do {
      const params = { path, query: { limit: 1, ...(start === undefined ? {} : { start }) } };
      const { data, response } = await client.GET("/accounts/{address}/balance/{asset_type}/history", {
        params,
      });
      const changes: components["schemas"]["BalanceChange"][] = jsonOf(data);
      versions.push(...changes.map(({ version }) => version));
      start = response.headers.get("x-node-cursor") ?? undefined;
    } while (start !== undefined);
    expect(versions).toEqual(["12", "30"]);
  });

  it("reads the parts of a balance", async () => {
    const { data } = await client.GET("/accounts/{address}/balance/{asset_type}/detail", {
      params: { path },
    });
    const detail: components["schemas"]["BalanceDetail"] | undefined = data;
    expect([detail?.balance, detail?.coin?.exists, detail?.fungible.exists]).toEqual([
      "200000000",
      true,
      false,
    ]);
  });
});

describe("schemas with names", () => {
  it("stand once in the document, and are referred to", () => {
    const document = JSON.parse(JSON.stringify(createOpenApi(OPERATIONS, ["NODE"]))) as {
      components: { schemas: Record<string, unknown> };
    };
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["Error", "BalancesRequest", "BalanceResult", "BalanceChange", "BalanceDetail"]),
    );
    const refs = new Set(JSON.stringify(document).match(/#\/components\/schemas\/\w+/g));
    for (const ref of refs) {
      expect(document.components.schemas).toHaveProperty(ref.slice("#/components/schemas/".length));
    }
  });
});
