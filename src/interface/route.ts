// Routes: method, path and parameter names of an operation. The server matches requests against them, and every client
// builds its URLs from them.

/** Path prefix of every operation. */
export const API_ROOT = "/v1";
/** No routes: filters may be given more than once, which a route cannot say. */
export const EVENT_STREAM_PATH = `${API_ROOT}/events/stream` as const;
export const WATCH_PATH = `${API_ROOT}/watch` as const;
export const TRANSACTION_STREAM_PATH = `${API_ROOT}/transactions/stream` as const;

/** Method, path and query parameters of an operation. */
export interface Route<Path extends string = string, Query extends string = string> {
  readonly method: "GET" | "POST";
  /** Full path with `{name}` for parameters. */
  readonly path: Path;
  readonly queryNames: readonly Query[];
}

/** Names of the parameters in a path. */
export type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never;

type Value = string | number | bigint | boolean;

/** Values of a route's parameters. Those in the path are required, those in the query optional. */
export type RouteValues<R extends Route> = { readonly [K in ParamName<R["path"]>]: Value } & {
  readonly [K in R["queryNames"][number]]?: Value | undefined;
};

/** The argument may be left out for a route without path parameters. */
type ValuesOf<R extends Route> =
  Record<never, never> extends RouteValues<R> ? [values?: RouteValues<R>] : [values: RouteValues<R>];

/** Names of the parameters in a path, in path order. */
export function paramNames<Path extends string>(path: Path): ParamName<Path>[] {
  const [, ...opened] = path.split("{");
  return opened.map((text) => text.slice(0, text.indexOf("}")) as ParamName<Path>);
}

/** Defines the route of a path below `API_ROOT`. */
export function route<const Path extends string, const Query extends string = never>(
  method: Route["method"],
  path: Path,
  ...queryNames: readonly Query[]
): Route<`${typeof API_ROOT}${Path}`, Query> {
  return { method, path: `${API_ROOT}${path}`, queryNames };
}

/** Parameters of every read: the least version that it needs, and how long it waits for that. */
const MIN_VERSION_NAMES = ["min_ledger_version", "wait_ms"] as const;

export type MinVersionName = (typeof MIN_VERSION_NAMES)[number];

/** Defines the route of a read of the ledger. */
export function readRoute<const Path extends string, const Query extends string = never>(
  method: Route["method"],
  path: Path,
  ...queryNames: readonly Query[]
): Route<`${typeof API_ROOT}${Path}`, Query | MinVersionName> {
  return route<Path, Query | MinVersionName>(method, path, ...queryNames, ...MIN_VERSION_NAMES);
}

/** Keeps colons readable: Move types have many, and a path may hold them unescaped. */
function escapeValue(value: unknown): string {
  return encodeURIComponent(`${value}`).replaceAll("%3A", ":");
}

/** Path and query of a request. */
export function pathTo<R extends Route>(to: R, ...values: ValuesOf<R>): string {
  const given: Readonly<Record<string, unknown>> = values[0] ?? {};
  let path: string = to.path;
  for (const name of paramNames(to.path)) path = path.replace(`{${name}}`, escapeValue(given[name]));
  const query = to.queryNames
    .filter((name) => given[name] !== undefined)
    .map((name) => `${name}=${escapeValue(given[name])}`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** URL of a request. The base ends with `/v1`, as a node's URL does. */
export function urlTo<R extends Route>(base: string, to: R, ...values: ValuesOf<R>): string {
  const path = pathTo(to, ...values);
  if (!to.path.startsWith(API_ROOT)) throw new Error(`${to.path} is not below ${API_ROOT}`);
  return base + path.slice(API_ROOT.length);
}
