// How an operation is asked for: its method, its path and the names of its parameters. The server routes by these,
// and every client of the interface builds its URLs from them.

/** The path that the whole interface is served under. */
export const API_ROOT = "/v1";

/** Where an operation is served. */
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

/** Values of a route's parameters: all of those in its path, any of those in its query. */
export type RouteValues<R extends Route> = { readonly [K in ParamName<R["path"]>]: Value } & {
  readonly [K in R["queryNames"][number]]?: Value | undefined;
};

/** Left out where a route has no parameters in its path. */
type ValuesOf<R extends Route> =
  Record<never, never> extends RouteValues<R> ? [values?: RouteValues<R>] : [values: RouteValues<R>];

/** Names of the parameters in a path, in their order. */
export function paramNames<Path extends string>(path: Path): ParamName<Path>[] {
  const [, ...opened] = path.split("{");
  return opened.map((text) => text.slice(0, text.indexOf("}")) as ParamName<Path>);
}

/** A route of this interface. */
export function route<const Path extends string, const Query extends string = never>(
  method: Route["method"],
  path: Path,
  ...queryNames: readonly Query[]
): Route<Path, Query> {
  return { method, path, queryNames };
}

/** Types have colons, which a path may hold as they are. */
function escapeValue(value: unknown): string {
  return encodeURIComponent(`${value}`).replaceAll("%3A", ":");
}

/** The path and query that ask for an operation. */
export function pathTo<R extends Route>(to: R, ...values: ValuesOf<R>): string {
  const given: Readonly<Record<string, unknown>> = values[0] ?? {};
  let path: string = to.path;
  for (const name of paramNames(to.path)) path = path.replace(`{${name}}`, escapeValue(given[name]));
  const query = to.queryNames
    .filter((name) => given[name] !== undefined)
    .map((name) => `${name}=${escapeValue(given[name])}`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** The URL that asks for an operation; the base ends with `/v1`, as a node's URL does. */
export function urlTo<R extends Route>(base: string, to: R, ...values: ValuesOf<R>): string {
  const path = pathTo(to, ...values);
  if (!to.path.startsWith(API_ROOT)) throw new Error(`${to.path} is not below ${API_ROOT}`);
  return base + path.slice(API_ROOT.length);
}
