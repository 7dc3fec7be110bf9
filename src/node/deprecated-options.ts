// Option names of earlier versions: they still work, and the log names their successors.
import type { Logger } from "../base/log.ts";
import type { CassandraOptions } from "./engines/cassandra.ts";
import type { NodeOptions } from "./options.ts";

type Names<N extends string> = { readonly [K in N]?: number | undefined };

/** @deprecated The successors are in the table below. */
export interface DeprecatedOptions {
  readonly cassandra?: (CassandraOptions & Names<"leaseMs">) | undefined;
  readonly follow?: Names<"requestsPerSecond" | "pollMs" | "retryMs" | "faultAfterMs"> | undefined;
  readonly http?:
    | {
        readonly limits?: Names<"maxConnections" | "maxInFlight" | "maxWaitMs" | "rateLimit"> & {
          readonly trustProxy?: boolean;
          readonly timeouts?: Names<"headersMs" | "requestMs" | "keepAliveMs" | "idleMs" | "answerMs">;
        };
      }
    | undefined;
}

/** Old name, new name. */
const RENAMED: readonly (readonly [string, string])[] = [
  ["cassandra.leaseMs", "cassandra.leaseTimeMs"],
  ["cassandra", "store"],
  ["follow.requestsPerSecond", "follow.upstreamRate"],
  ["follow.pollMs", "follow.pollTimeMs"],
  ["follow.retryMs", "follow.retryTimeMs"],
  ["follow.faultAfterMs", "follow.giveUpTimeMs"],
  ["http.limits.timeouts.headersMs", "http.headersTimeoutMs"],
  ["http.limits.timeouts.requestMs", "http.requestTimeoutMs"],
  ["http.limits.timeouts.keepAliveMs", "http.keepAliveTimeoutMs"],
  ["http.limits.timeouts.idleMs", "http.readTimeoutMs"],
  ["http.limits.timeouts.answerMs", "http.answerTimeoutMs"],
  ...["maxConnections", "maxInFlight", "maxWaitMs", "rateLimit", "trustProxy"].map(
    (name) => [`http.limits.${name}`, `http.${name}`] as const,
  ),
];

type Tree = Readonly<Record<string, unknown>>;

function valueAt(tree: Tree, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Tree | undefined)?.[name], tree);
}

/** A copy of the tree with the value at the path. */
function withValue(tree: Tree, [name = "", ...rest]: readonly string[], value: unknown): Tree {
  return { ...tree, [name]: rest.length === 0 ? value : withValue((tree[name] ?? {}) as Tree, rest, value) };
}

/** True for a tree without a value. */
function isEmptyTree(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((one) => one === undefined || isEmptyTree(one))
  );
}

/** The options by their present names; logs a line for each old one. */
export function withPresentNames(options: NodeOptions & DeprecatedOptions, logger: Logger): NodeOptions {
  let tree = options as Tree;
  for (const [from, to] of RENAMED) {
    const old = valueAt(tree, from.split("."));
    if (old === undefined) continue;
    logger.warn({ option: from, use: to }, "deprecated option: use its new name");
    const value = to === "store" ? { engine: from, ...(old as object) } : old;
    tree = withValue(withValue(tree, to.split("."), value), from.split("."), undefined);
  }
  const limits = ["http", "limits"];
  if (isEmptyTree(valueAt(tree, limits))) tree = withValue(tree, limits, undefined);
  return tree as NodeOptions;
}
