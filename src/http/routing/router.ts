// Finds the operation of a raw path. Paths are compared as they came, escapes and case included, and
// parameters are whole segments of any length; an empty one matches and is refused by its parser.
import type { Operation } from "../operation.ts";

/** An operation with the raw text of its path parameters, in order. */
export interface Match {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

/** A literal text of paths, and what may follow it. */
interface Branch {
  readonly literal: string;
  /** Served where the path ends here. */
  operations: readonly Operation[] | undefined;
  /** What follows the parameter behind the literal. */
  readonly branches: Branch[];
}

const NO_SEGMENTS: readonly string[] = [];

/** Literal texts around the parameters of a path: one more than there are parameters. */
function literalsOf(path: string): string[] {
  const literals: string[] = [];
  let start = 0;
  for (let open = path.indexOf("{"); open >= 0; open = path.indexOf("{", start)) {
    literals.push(path.slice(start, open));
    start = path.indexOf("}", open) + 1;
  }
  literals.push(path.slice(start));
  return literals;
}

function addPath(
  branches: Branch[],
  [literal = "", ...rest]: readonly string[],
  served: readonly Operation[],
): void {
  let branch = branches.find((one) => one.literal === literal);
  if (branch === undefined) {
    branch = { literal, operations: undefined, branches: [] };
    branches.push(branch);
  }
  if (rest.length === 0) branch.operations = [...(branch.operations ?? []), ...served];
  else addPath(branch.branches, rest, served);
}

/** Follows a path from `at` on; adds its parameters to `segments`. */
function findEnd(
  branches: readonly Branch[],
  path: string,
  at: number,
  segments: string[],
): readonly Operation[] | undefined {
  for (const branch of branches) {
    if (!path.startsWith(branch.literal, at)) continue;
    const start = at + branch.literal.length;
    if (start === path.length && branch.operations !== undefined) return branch.operations;
    if (branch.branches.length === 0) continue;
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    segments.push(path.slice(start, end));
    const found = findEnd(branch.branches, path, end, segments);
    if (found !== undefined) return found;
    segments.pop();
  }
  return undefined;
}

/** Routes by path, then by method. */
export class Router {
  readonly #fixed = new Map<string, readonly Operation[]>();
  readonly #longestFixed: number;
  /** Paths with parameters. */
  readonly #branches: Branch[] = [];

  constructor(operations: readonly Operation[]) {
    const byPath = new Map<string, Operation[]>();
    for (const operation of operations) {
      for (const path of [operation.path, ...operation.aliases]) {
        const same = byPath.get(path);
        if (same === undefined) byPath.set(path, [operation]);
        else same.push(operation);
      }
    }
    for (const [path, served] of byPath) {
      if (path.includes("{")) addPath(this.#branches, literalsOf(path), served);
      else this.#fixed.set(path, served);
    }
    this.#longestFixed = Math.max(0, ...[...this.#fixed.keys()].map(({ length }) => length));
  }

  /** The match; a list of allowed methods when only the method is wrong; undefined for an unknown path. */
  find(method: string, path: string): Match | readonly string[] | undefined {
    let segments = NO_SEGMENTS;
    // A lookup hashes the whole path, which no other read of it needs.
    let operations = path.length > this.#longestFixed ? undefined : this.#fixed.get(path);
    if (operations === undefined) {
      const found: string[] = [];
      operations = findEnd(this.#branches, path, 0, found);
      segments = found;
    }
    if (operations === undefined) return undefined;
    const wanted = method === "HEAD" ? "GET" : method;
    for (const operation of operations) {
      if (operation.method === wanted) return { operation, segments };
    }
    return operations.flatMap((operation) =>
      operation.method === "GET" ? ["GET", "HEAD"] : [operation.method],
    );
  }
}
