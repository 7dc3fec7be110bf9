// Finds the operation of a raw path. Paths are compared as they came, escapes and case included, and
// parameters are whole segments of any length; an empty one matches and is refused by its parser.
import type { Operation } from "./operation.ts";

/** An operation with the raw text of its path parameters, in order. */
export interface Match {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

interface Pattern {
  /** Literal texts around the parameters: one more than there are parameters. */
  readonly literals: readonly string[];
  readonly operations: readonly Operation[];
}

const NO_SEGMENTS: readonly string[] = [];

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

function matchSegments(path: string, literals: readonly string[]): string[] | undefined {
  const first = literals[0] ?? "";
  // Most paths of one beginning differ in their end.
  if (!path.startsWith(first) || !path.endsWith(literals.at(-1) ?? "")) return undefined;
  const segments: string[] = [];
  let at = first.length;
  for (let i = 1; i < literals.length; i++) {
    const literal = literals[i] ?? "";
    const slash = path.indexOf("/", at);
    const end = slash < 0 ? path.length : slash;
    if (!path.startsWith(literal, end) || (literal === "" && end !== path.length)) return undefined;
    segments.push(path.slice(at, end));
    at = end + literal.length;
  }
  return at === path.length ? segments : undefined;
}

/** Routes by path, then by method. */
export class Router {
  readonly #fixed = new Map<string, readonly Operation[]>();
  readonly #longestFixed: number;
  readonly #patterns: readonly Pattern[];

  constructor(operations: readonly Operation[]) {
    const byPath = new Map<string, Operation[]>();
    for (const operation of operations) {
      for (const path of [operation.path, ...operation.aliases]) {
        const same = byPath.get(path);
        if (same === undefined) byPath.set(path, [operation]);
        else same.push(operation);
      }
    }
    const patterns: Pattern[] = [];
    for (const [path, served] of byPath) {
      if (path.includes("{")) patterns.push({ literals: literalsOf(path), operations: served });
      else this.#fixed.set(path, served);
    }
    this.#patterns = patterns;
    this.#longestFixed = Math.max(0, ...[...this.#fixed.keys()].map(({ length }) => length));
  }

  /** The match; a list of allowed methods when only the method is wrong; undefined for an unknown path. */
  find(method: string, path: string): Match | readonly string[] | undefined {
    let segments = NO_SEGMENTS;
    // A lookup hashes the whole path, which no other read of it needs.
    let operations = path.length > this.#longestFixed ? undefined : this.#fixed.get(path);
    if (operations === undefined) {
      for (const pattern of this.#patterns) {
        const found = matchSegments(path, pattern.literals);
        if (found === undefined) continue;
        segments = found;
        operations = pattern.operations;
        break;
      }
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
