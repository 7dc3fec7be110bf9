import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import createClient from "openapi-fetch";
import { describe, expect, it } from "vitest";
import type { paths } from "../../.cache/api-types.ts";
import { errorsPage } from "../../scripts/docs/errors-page.ts";
import {
  COMMON_CONDITIONS,
  type Condition,
  ERROR_CATALOGUE,
  ERROR_CODES,
} from "../../src/http/error-catalogue.ts";
import { OPERATIONS } from "../../src/http/operation-list.ts";
import { createOpenApi } from "../../src/http/pages/openapi.ts";
import { HTTP_DEFAULTS } from "../../src/http/server.ts";
import {
  anchoredUpTo,
  COIN,
  createHttpLedger,
  LATEST,
  MODULE,
  PAIR,
  TABLE,
  TABLE_KEY,
  TABLE_VALUE,
} from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

interface Response {
  readonly description: string;
  readonly content: Record<string, unknown>;
  readonly headers?: Record<string, { readonly required: boolean }>;
  readonly links?: Record<string, { readonly operationId: string }>;
}

/** A schema, as far as generators disagree about it. */
interface Json {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: unknown;
  readonly nullable?: boolean;
  readonly allOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly discriminator?: unknown;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Json>>;
}

interface Document {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, Response> }>
  >;
  readonly components: { schemas: { Error: { properties: { error_code: { enum: string[] } } } } };
}

const document = JSON.parse(
  JSON.stringify(createOpenApi(OPERATIONS, HTTP_DEFAULTS.headerBrands)),
) as Document;
const docsFile = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
const documented = OPERATIONS.filter((operation) => operation.path.startsWith("/v1"));
const conditions = Object.keys(ERROR_CATALOGUE) as Condition[];

function responsesOf(id: string): Record<string, Response> {
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods))
      if (operation.operationId === id) return operation.responses;
  }
  throw new Error(`${id} is not in the document`);
}

describe("the OpenAPI document", () => {
  it("is valid for an independent validator, as served", async () => {
    const { url } = await startServer();
    const served = (await (await fetch(`${url}/v1/spec.json`)).json()) as Record<string, unknown>;
    const result = await new Validator().validate(served);
    expect(result).toEqual({ valid: true });
    expect(served).toEqual(document);
    expect(await new Validator().validate({ ...served, paths: { "/x": { get: {} } } })).toMatchObject({
      valid: false,
    });
  });

  it("is the one in docs", () => {
    expect(JSON.parse(docsFile("openapi.json"))).toEqual(document);
  });

  it("has every operation with all its errors, and no other status", () => {
    for (const operation of documented) {
      const responses = responsesOf(operation.id);
      const all: readonly Condition[] = [...operation.errors, ...COMMON_CONDITIONS];
      const isCacheable = operation.method === "GET" && "ledger_version" in operation.query;
      const statuses = new Set([
        ...operation.successStatuses.map(String),
        ...(isCacheable ? ["304"] : []),
        ...all.map((condition) => String(ERROR_CATALOGUE[condition].status)),
      ]);
      expect(new Set(Object.keys(responses))).toEqual(statuses);
      for (const condition of all) {
        const { status, errorCode, when } = ERROR_CATALOGUE[condition];
        expect(responses[status]?.description).toContain(`\`${errorCode}\`: ${when}`);
        expect(Object.keys(responses[status]?.content ?? {})).toEqual(["application/json"]);
      }
    }
  });

  it("offers both media types where the interface does", () => {
    for (const id of ["get_account_balance", "get_raw_table_item", "encode_submission", "get_ledger_info"]) {
      expect(Object.keys(responsesOf(id)[200]?.content ?? {})).toEqual([
        "application/json",
        "application/x-bcs",
      ]);
      const headers = responsesOf(id)[200]?.headers ?? {};
      const required = Object.keys(headers).filter((name) => headers[name]?.required);
      expect(required).toEqual([
        "X-NODE-CHAIN-ID",
        "X-NODE-LEDGER-VERSION",
        "X-NODE-LEDGER-OLDEST-VERSION",
        "X-NODE-LEDGER-TIMESTAMPUSEC",
        "X-NODE-EPOCH",
        "X-NODE-BLOCK-HEIGHT",
        "X-NODE-OLDEST-BLOCK-HEIGHT",
        "X-NODE-TRUST",
      ]);
    }
  });

  it("has ETag and 304 where a response at a version is final, and only there", async () => {
    const { url } = await startServer({ ledger: await createHttpLedger(anchoredUpTo(LATEST)) });
    for (const operation of documented) {
      const responses = responsesOf(operation.id);
      const isCacheable = operation.method === "GET" && "ledger_version" in operation.query;
      expect([responses[304] !== undefined, responses[200]?.headers?.ETag !== undefined]).toEqual([
        isCacheable,
        isCacheable,
      ]);
      // This ledger has no index, and nobody signed it.
      if (!isCacheable || operation.switch === "index" || operation.id.startsWith("prove_")) continue;
      const path = operation.path
        .replace("{address}", "0xc1")
        .replace("{asset_type}", COIN)
        .replace("{resource_type}", `0x1::coin::CoinStore<${COIN}>`)
        .replace("{module_name}", MODULE);
      // This ledger has no modules to print values by.
      const accept = operation.forms.includes("bcs") ? "application/x-bcs" : "application/json";
      const first = await fetch(`${url}${path}?ledger_version=12`, { headers: { accept } });
      const again = await fetch(`${url}${path}?ledger_version=12`, {
        headers: { accept, "if-none-match": first.headers.get("etag") ?? "none" },
      });
      expect([first.status, again.status, again.headers.get("etag")]).toEqual([
        200,
        304,
        first.headers.get("etag"),
      ]);
    }
  });

  it("has the headers of errors as they are sent", async () => {
    const { url } = await startServer();
    const asked: readonly (readonly [id: string, method: string, path: string, status: number])[] = [
      ["get_account_balance", "GET", `/v1/accounts/0xc1/balance/${COIN}?ledger_version=1`, 410],
      ["get_account_balance", "GET", `/v1/accounts/0xc1/balance/${COIN}?ledger_version=99`, 404],
      ["get_account_balance", "PUT", `/v1/accounts/0xc1/balance/${COIN}`, 405],
      ["get_account_balance", "GET", `/v1/accounts/0xbad2/balance/${COIN}`, 500],
      ["get_transactions", "GET", "/v1/transactions?start=99", 400],
      ["healthy", "GET", "/v1/-/healthy?duration_secs=0", 503],
    ];
    for (const [id, method, path, status] of asked) {
      const response = await fetch(url + path, { method });
      expect([path, response.status]).toEqual([path, status]);
      const headers = responsesOf(id)[status]?.headers ?? {};
      const names = Object.keys(headers).filter((name) => name !== "Retry-After");
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect([path, name, response.headers.has(name)]).toEqual([path, name, true]);
    }
  });

  it("has every schema that it refers to, and refers to every schema that it has", () => {
    const references = new Set(JSON.stringify(document).match(/#\/components\/schemas\/\w+/g));
    const schemas = Object.keys(document.components.schemas);
    expect([...references].sort()).toEqual(schemas.map((name) => `#/components/schemas/${name}`).sort());
  });

  it("has unions only as named schemas of named schemas, told apart by a discriminator", () => {
    const isUnion = (value: unknown): value is { readonly oneOf: readonly object[] } =>
      typeof value === "object" && value !== null && ("oneOf" in value || "anyOf" in value);
    const unionsIn = (value: unknown): unknown[] =>
      typeof value !== "object" || value === null
        ? []
        : [...(isUnion(value) ? [value] : []), ...Object.values(value).flatMap(unionsIn)];
    const schemas = Object.entries(document.components.schemas as Record<string, object>);
    const unions = schemas.filter(([, schema]) => isUnion(schema));
    expect(unionsIn(document).length).toBe(unions.length);
    expect(unions.length).toBeGreaterThan(4);
    for (const [name, schema] of unions) {
      const { oneOf } = schema as { readonly oneOf: readonly object[] };
      expect([name, oneOf.flatMap(Object.keys)]).toEqual([name, oneOf.map(() => "$ref")]);
    }
    // A request, whose other members tell it apart: a discriminator would have to be in every one.
    const plain = unions.filter(([, schema]) => !("discriminator" in schema)).map(([name]) => name);
    expect(plain).toEqual(["ExplainSubmissionRequest"]);
  });

  it("keeps to what the common generators read alike", () => {
    const schemas = document.components.schemas as unknown as Readonly<Record<string, Json>>;
    const faults: string[] = [];
    const resolve = (schema: Json): Json => {
      const name = `${schema.$ref ?? ""}`.split("/").at(-1) ?? "";
      return schemas[name] ?? schema;
    };
    const walk = (value: unknown, path: string, inAnswer: boolean): void => {
      if (typeof value !== "object" || value === null) return;
      const schema = value as Json;
      const { oneOf, discriminator, pattern } = schema;
      // Generators in Java and Go take an integer of any other format for one of 32 bits.
      const isOddInteger =
        schema.type === "integer" && !["int32", "int64", undefined].includes(schema.format);
      if (isOddInteger) faults.push(`${path}: an integer of format ${schema.format}`);
      const members = (oneOf ?? []).map(resolve);
      const types = new Set(members.map(({ type }) => type ?? "object"));
      if (members.some((member) => member.additionalProperties === true))
        faults.push(`${path}: a member that fits every object`);
      if (types.size > 1) faults.push(`${path}: a union of ${[...types]}`);
      for (const { required, properties } of discriminator === undefined ? [] : members) {
        const { propertyName } = discriminator as { propertyName: string };
        const isThere = required?.includes(propertyName) === true && properties?.[propertyName] !== undefined;
        if (!isThere) faults.push(`${path}: ${propertyName} is not in every member`);
      }
      const isNullable = schema.nullable === true;
      if (isNullable && (schema.allOf ?? schema.$ref) !== undefined)
        faults.push(`${path}: nullable beside allOf`);
      // Generators in Go put a pattern into a tag, which ends at a comma and fits no type that holds null.
      if (inAnswer && typeof pattern === "string" && (isNullable || pattern.includes(",")))
        faults.push(`${path}: the pattern ${pattern}`);
      for (const [key, member] of Object.entries(schema)) walk(member, `${path}/${key}`, inAnswer);
    };
    const answered = new Set<string>();
    const reach = (value: unknown): void => {
      for (const [, name = ""] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
        if (answered.has(name)) continue;
        answered.add(name);
        reach(schemas[name]);
      }
    };
    for (const { id } of documented)
      reach(Object.values(responsesOf(id)).map(({ content }) => content ?? {}));
    walk(document.paths, "paths", false);
    for (const [name, schema] of Object.entries(schemas)) walk(schema, name, answered.has(name));
    expect(faults).toEqual([]);
  });

  it("leads from a submission to the transaction", () => {
    const links = Object.values(responsesOf("submit_transaction")[202]?.links ?? {});
    expect(links).toMatchObject([{ parameters: { txn_hash: "$response.body#/hash" } }]);
    for (const { operationId } of links) expect(responsesOf(operationId)).toBeDefined();
  });

  it("knows the closed list of codes, and the catalogue uses no other", () => {
    expect(document.components.schemas.Error.properties.error_code.enum).toEqual([...ERROR_CODES]);
    for (const condition of conditions) expect(ERROR_CODES).toContain(ERROR_CATALOGUE[condition].errorCode);
  });
});

describe("the errors page", () => {
  it("is the generated one and has a row for each condition", () => {
    const page = docsFile("errors.md");
    expect(page).toBe(errorsPage(OPERATIONS));
    for (const condition of conditions) {
      const { status, errorCode, when } = ERROR_CATALOGUE[condition];
      expect(page).toContain(`| ${status} | \`${errorCode}\` | ${when} |`);
    }
  });

  it("every condition belongs to an operation or to every path", () => {
    const used = new Set<Condition>([
      ...COMMON_CONDITIONS,
      ...OPERATIONS.flatMap((operation) => operation.errors),
    ]);
    expect(used).toEqual(new Set(conditions));
  });
});

describe("a client generated from the document", async () => {
  const { url } = await startServer();
  const client = createClient<paths>({ baseUrl: `${url}/v1` });

  it("is generated from what is served now", () => {
    const script = fileURLToPath(new URL("../../scripts/generate-docs.ts", import.meta.url));
    const tsx = fileURLToPath(new URL("../../node_modules/tsx/dist/cli.mjs", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [tsx, script, "--check"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("reads a balance, and gets typed errors", async () => {
    const params = { path: { address: "0xc1", asset_type: COIN } };
    const { data, response } = await client.GET("/accounts/{address}/balance/{asset_type}", { params });
    expect([data, response.status]).toEqual([200000000, 200]);
    const old = { ...params, query: { ledger_version: "12" } };
    const detail = await client.GET("/accounts/{address}/balance/{asset_type}/detail", { params: old });
    expect(detail.data?.balance).toBe("100");
    const pruned = { ...params, query: { ledger_version: "0" } };
    const { error } = await client.GET("/accounts/{address}/balance/{asset_type}", { params: pruned });
    expect(error?.error_code).toBe("version_pruned");
  });

  it("escapes a generic asset type so that it is understood", async () => {
    const params = { path: { address: "0xc1", asset_type: PAIR } };
    const { data } = await client.GET("/accounts/{address}/balance/{asset_type}", { params });
    expect(data).toBe(1235);
  });

  it("reads a table item", async () => {
    const { data } = await client.POST("/tables/{table_handle}/raw_item", {
      params: { path: { table_handle: TABLE } },
      body: { key: TABLE_KEY },
    });
    expect(data).toBe(TABLE_VALUE);
  });

  it("encodes a submission", async () => {
    const { data } = await client.POST("/transactions/encode_submission", {
      body: {
        sender: "0x1",
        sequence_number: "0",
        max_gas_amount: "1",
        gas_unit_price: "1",
        expiration_timestamp_secs: "1",
        payload: {
          type: "entry_function_payload",
          function: "0x1::aptos_account::transfer",
          type_arguments: [],
          arguments: ["0x1", "5"],
        },
      },
    });
    expect(data).toMatch(/^0x(ab){200}$/);
  });

  it("explains a submission, with unions that the types tell apart", async () => {
    const message = OPERATIONS.find(({ id }) => id === "explain_submission")?.body?.example;
    const { data } = await client.POST("/transactions/explain_submission", {
      body: message as { message: string },
    });
    expect(data?.matches).toBe(true);
    const replay = data?.replay_protection;
    expect(replay?.type === "sequence_number" ? replay.sequence_number : undefined).toBe("0");
    const payload = data?.payload;
    expect(payload?.type === "entry_function_payload" ? payload.function : undefined).toBe(
      "0x1::aptos_account::transfer",
    );
    expect(data?.warnings.map(({ code }) => code)).toEqual(["wrong_chain", "unknown_function"]);
  });

  it("reads the info", async () => {
    const { data } = await client.GET("/info");
    expect(data?.node_type).toBe("PublicFullnode");
  });
});
