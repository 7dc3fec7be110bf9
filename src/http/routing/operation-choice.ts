// Which operation serves a request, and in which form its response is sent. Paths are compared as they came, escapes and
// case included; parameters are whole segments of any length, and an empty one matches and is refused by its parser.
import { HttpError, quoteInput } from "../errors.ts";
import type { Operation } from "../operation.ts";
import { type Form, isAccepted, MEDIA_TYPES, negotiateForm } from "../response/negotiation.ts";

/** An operation with the raw text of its path parameters, in order. */
interface Match {
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

/** What the operator can switch off. */
export interface Switches {
  readonly encode: boolean;
  readonly index: boolean;
  readonly transactionIndex: boolean;
  /** Off where transactions go nowhere. */
  readonly submit: boolean;
  /** Off where the node was made without a simulator. */
  readonly simulate: boolean;
  readonly jsonOutput: boolean;
  readonly bcsOutput: boolean;
}

export interface OperationChoiceOptions {
  readonly operations: readonly Operation[];
  readonly switches: Switches;
}

function notServed(method: string, path: string): HttpError {
  return new HttpError("not_served", `${method} ${path} is not served by this node; ask a full node`);
}

export function wrongMethod(method: string, methods: readonly string[]): HttpError {
  const allowed = methods.join(", ");
  return new HttpError("wrong_method", `${method} is not served at this path, only ${allowed}`, {
    headers: ["Allow", allowed],
  });
}

/** Chooses among the operations of this node. */
export class OperationChoice {
  readonly #options: OperationChoiceOptions;
  readonly #router: Router;

  constructor(options: OperationChoiceOptions) {
    this.#options = options;
    this.#router = new Router(options.operations);
  }

  /** Throws HttpError for a request that this node does not serve. */
  find(method: string, path: string): Match {
    const match = this.#router.find(method, path);
    if (match !== undefined && "operation" in match) return match;
    throw refusal(method, path, match);
  }

  /** The form of the response. Throws HttpError if the operation or the form is switched off. */
  formOf(operation: Operation, accept: string | undefined): Form {
    const { switches } = this.#options;
    if (operation.switch !== undefined && !switches[operation.switch]) {
      // No switch of the operator: this node has nowhere to put transactions.
      if (operation.switch === "submit" || operation.switch === "simulate")
        throw notServed(operation.method, operation.path);
      throw new HttpError("disabled", `${operation.id} is switched off on this node`);
    }
    const form = negotiateForm(accept, operation.forms);
    // A client that accepts none of the forms gets JSON, where there is any.
    if (!operation.isDocument && !operation.forms.includes("json") && !isAccepted(accept, form)) {
      const types = operation.forms.map((one) => MEDIA_TYPES[one]).join(", ");
      throw new HttpError("disabled", `${operation.id} answers in ${types} only: name one in Accept`);
    }
    if (operation.switchable) {
      if ((form === "json" || form === "ndjson") && !switches.jsonOutput)
        throw new HttpError("disabled", "JSON output is switched off on this node");
      if (form === "bcs" && !switches.bcsOutput)
        throw new HttpError("disabled", "BCS output is switched off on this node");
    }
    return form;
  }
}

/** `methods` are those served at the path; undefined for an unknown path. */
function refusal(method: string, path: string, methods: readonly string[] | undefined): HttpError {
  if (methods === undefined) {
    return new HttpError("unknown_path", `nothing is served at ${quoteInput(path)}`);
  }
  return wrongMethod(method, methods);
}
