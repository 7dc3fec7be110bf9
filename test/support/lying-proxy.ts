// A proxy in front of an honest node that lies to the nodes that follow it. It speaks only HTTP and knows nothing of
// the follower.
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { decodeWith } from "../../src/bcs/codec.ts";
import { brandedHeader, LEDGER_HEADERS } from "../../src/interface/ledger-headers.ts";
import { BCS_TYPE, JSON_TYPE } from "../../src/interface/media-types.ts";
import { API_ROOT } from "../../src/interface/route.ts";
import { rawStateValueRoute, transactionsRoute } from "../../src/interface/routes.ts";
import { stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { type EndlessBlock, forgeStateValue } from "./forgery.ts";
import { chosen, lieAboutRecords, RECORD_LIES, type RecordLie, type RecordLieOptions } from "./lies.ts";
import { type Meddle, type Meddler, type Passing, startProxy } from "./proxy.ts";
import { encodePage } from "./recorded-upstream.ts";

export const LIES = [
  ...RECORD_LIES,
  "replay",
  "other chain",
  "fork",
  "item",
  "head",
  "headers",
  "endless",
  "slow",
] as const;
export type Lie = (typeof LIES)[number];

/** What a liar needs for its lies. */
export interface LieOptions extends RecordLieOptions {
  /** Base URLs of the nodes that serve the forked and the other chain. */
  readonly forkUrl?: string;
  readonly otherUrl?: string;
  readonly endless?: EndlessBlock;
  /** Pause before each byte. */
  readonly slowMs?: number;
}

/** A proxy that can be told to lie. */
export interface Liar extends Meddler {
  /** Lies from now on; undefined: passes every answer on unchanged. */
  tell(lie: Lie | undefined, options?: LieOptions): void;
}

type Route = "head" | "records" | "item" | "other";

function routeOf(path: string): Route {
  const [bare] = path.split("?");
  if (bare === API_ROOT || bare === `${API_ROOT}/`) return "head";
  if (bare === transactionsRoute.path) return "records";
  return bare === rawStateValueRoute.path ? "item" : "other";
}

const nameOf = (header: keyof typeof LEDGER_HEADERS): string =>
  brandedHeader("NODE", LEDGER_HEADERS[header]).toLowerCase();

function withHeaders(passing: Passing, headers: Record<string, string | string[] | undefined>): Passing {
  const merged = { ...passing.headers, ...headers };
  for (const name of Object.keys(merged)) if (merged[name] === undefined) delete merged[name];
  return { ...passing, headers: merged };
}

const isPage = (passing: Passing): boolean => routeOf(passing.path) === "records" && passing.status === 200;

function lieInRecords(lie: RecordLie, options: LieOptions): Meddle {
  return (passing) =>
    isPage(passing)
      ? { ...passing, body: Buffer.from(encodePage(lieAboutRecords(lie, passing.body, options))) }
      : passing;
}

/** Gives an earlier answer to the same kind of question. */
function replay({ seed }: LieOptions): Meddle {
  const answers = new Map<Route, Passing[]>();
  return (passing) => {
    const route = routeOf(passing.path);
    const earlier = answers.get(route) ?? [];
    answers.set(route, [...earlier, passing].slice(-64));
    const lag = 1 + chosen(4, seed, "lag");
    return earlier.at(-lag) ?? passing;
  };
}

/** Changes the amount in an item, says that there is none, or leaves its metadata out. */
function lieInItems({ seed }: LieOptions): Meddle {
  return (passing) => {
    if (routeOf(passing.path) !== "item") return passing;
    const key = itemKeyOf(passing);
    const kind = chosen(4, seed, "item", key.toString("hex"));
    if (kind === 0) return passing;
    if (kind === 1 && passing.status === 200) {
      const body = JSON.stringify({
        message: "no value",
        error_code: "state_value_not_found",
        vm_error_code: null,
      });
      return { ...withHeaders(passing, { "content-type": JSON_TYPE }), status: 404, body: Buffer.from(body) };
    }
    if (passing.status !== 200) return passing;
    const add = BigInt(1 + chosen(1_000_000, seed, "add", key.toString("hex")));
    const forged = forgeStateValue(decodeWith(stateKeyCodec, new Uint8Array(key)), passing.body, add);
    return forged === undefined ? passing : { ...passing, body: Buffer.from(forged) };
  };
}

function itemKeyOf({ sent }: Passing): Buffer {
  const { key } = JSON.parse(sent.toString("utf8")) as { key: string };
  return Buffer.from(key.slice(2), "hex");
}

/** Names another head, the same on every answer. */
function lieInHeads({ seed }: LieOptions): Meddle {
  const kind = chosen(6, seed, "head");
  const far = BigInt(1 + chosen(10 ** (1 + chosen(8, seed, "digits")), seed, "far"));
  return (passing) => {
    const given = passing.headers[nameOf("version")];
    if (typeof given !== "string") return passing;
    const version = BigInt(given);
    const time = BigInt(`${passing.headers[nameOf("timestampUsec")]}`);
    const lies: Record<string, string>[] = [
      { [nameOf("version")]: `${version + far}` },
      { [nameOf("version")]: `${version > far ? version - far : 0n}` },
      { [nameOf("timestampUsec")]: `${time + far * 1_000_000n}` },
      {
        [nameOf("version")]: `${version + far}`,
        [nameOf("timestampUsec")]: "0",
        [nameOf("epoch")]: `${far}`,
      },
      { [nameOf("oldestVersion")]: `${version + 1n}` },
      { [nameOf("version")]: "18446744073709551615", [nameOf("blockHeight")]: "18446744073709551615" },
    ];
    return withHeaders(passing, lies[kind] ?? {});
  };
}

/** Leaves headers out, repeats them, or fills them with what is no number. */
function garbleHeaders({ seed }: LieOptions): Meddle {
  const names = Object.keys(LEDGER_HEADERS) as (keyof typeof LEDGER_HEADERS)[];
  const name = nameOf(names[chosen(names.length, seed, "name")] ?? "version");
  const values: (string | string[] | undefined)[] = [
    undefined,
    "",
    "0x10",
    "-1",
    "99999999999999999999",
    "1e3",
    ["1", "2"],
    "١",
  ];
  const value = values[chosen(values.length, seed, "value")];
  return (passing) => {
    const garbled = value === "١" ? Buffer.from("١", "utf8").toString("latin1") : value;
    const type = chosen(5, seed, "type") === 0 ? { "content-type": "text/html" } : {};
    return withHeaders(passing, { [name]: garbled, ...type });
  };
}

/** Serves a block that never ends, or a body that never ends. */
function endless({ seed, endless: block }: LieOptions): Meddle {
  const isBody = block === undefined || chosen(3, seed, "endless") === 0;
  return async (passing, response) => {
    if (routeOf(passing.path) !== "records") return withHeaders(passing, farHead(passing, 1_000_000n));
    const query = new URLSearchParams(passing.path.split("?")[1]);
    const start = BigInt(query.get("start") ?? "0");
    const headers = withHeaders(passing, farHead(passing, start + 1_000_000n)).headers;
    if (isBody) {
      const { "content-length": _, "transfer-encoding": __, connection: ___, ...kept } = headers;
      response.writeHead(200, { ...kept, "content-type": BCS_TYPE });
      await pour(response);
      return undefined;
    }
    const count = Number(query.get("limit") ?? "25");
    const records = Array.from({ length: count }, (_, i) => block.record(start + BigInt(i)));
    const body = Buffer.from(encodePage(records));
    return { ...passing, status: 200, headers: { ...headers, "content-type": BCS_TYPE }, body };
  };
}

function farHead(passing: Passing, version: bigint): Record<string, string> {
  return passing.headers[nameOf("version")] === undefined ? {} : { [nameOf("version")]: `${version}` };
}

/** Sends bytes until the client hangs up. */
async function pour(response: ServerResponse): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, 1);
  const endlessly = function* (): Generator<Buffer> {
    for (;;) yield chunk;
  };
  await pipeline(Readable.from(endlessly()), response).catch(() => {});
}

/** Sends the body byte by byte. */
function slow({ slowMs = 20 }: LieOptions, routes: readonly Route[] = ["head", "records", "item"]): Meddle {
  return async (passing, response) => {
    if (!routes.includes(routeOf(passing.path))) return passing;
    const { "transfer-encoding": _, connection: __, ...kept } = passing.headers;
    response.writeHead(passing.status, { ...kept, "content-length": passing.body.length });
    for (const byte of passing.body) {
      if (response.destroyed) return undefined;
      response.write(Uint8Array.of(byte));
      await new Promise((resolve) => setTimeout(resolve, slowMs));
    }
    response.end();
    return undefined;
  };
}

function meddleOf(lie: Lie, options: LieOptions): Meddle {
  switch (lie) {
    case "replay":
      return replay(options);
    case "item":
      return lieInItems(options);
    case "head":
      return lieInHeads(options);
    case "headers":
      return garbleHeaders(options);
    case "endless":
      return endless(options);
    case "slow":
      return slow(options);
    case "fork":
    case "other chain":
      return (passing) => passing;
    default:
      return lieInRecords(lie, options);
  }
}

/** Starts a liar in front of a node, given by its base URL. It is honest until told otherwise. */
export async function startLiar(honestUrl: string): Promise<Liar> {
  const proxy = await startProxy(honestUrl, true);
  return Object.assign(proxy, {
    tell: (lie: Lie | undefined, options: LieOptions = { seed: 0 }): void => {
      const targets: Partial<Record<Lie, string | undefined>> = {
        fork: options.forkUrl,
        "other chain": options.otherUrl,
      };
      proxy.target = (lie === undefined ? undefined : targets[lie]) ?? honestUrl;
      proxy.meddle = lie === undefined ? (passing) => passing : meddleOf(lie, options);
    },
  });
}
