// Which operation serves a request, and in which form its response is sent.
import { HttpError, quoteInput } from "../errors.ts";
import type { Operation } from "../operation.ts";
import { type Form, isAccepted, MEDIA_TYPES, negotiateForm } from "../response/negotiation.ts";
import { type Match, Router } from "./router.ts";

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
    // Whoever accepts none of the forms gets JSON, where there is any.
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
