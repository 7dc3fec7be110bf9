// Asks operations in this process, without HTTP: for the calls that they define, and for their JSON.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { Slices } from "../../base/wait.ts";
import { trustOf } from "../../http/admission/request-view.ts";
import type { Asker, Question } from "../../http/calls/asker.ts";
import { fieldOf } from "../../http/calls/operands.ts";
import type { MinVersionOptions } from "../../http/calls/options.ts";
import type { ParsedArgs } from "../../http/field.ts";
import type { AnyAnswer, Context, Operation } from "../../http/operation.ts";
import type { Calls } from "../../http/operation-list.ts";
import type { Services } from "../../http/services.ts";
import { paramNames, pathTo, type Route, type RouteValues } from "../../interface/route.ts";
import { balanceStreamRoute, blockStreamRoute } from "../../interface/routes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { formatTrust } from "../../ledger/trust.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { BalanceEvent } from "../../ledger/watch/watched-balance.ts";
import type { BlockEvent } from "../../ledger/watch/watched-blocks.ts";
import type { Reader } from "./reader.ts";

export interface OperationCallsOptions {
  readonly reader: Reader;
  /** What operations use in the process: no metrics, health or document. */
  readonly services: Omit<
    Services,
    "unhealthyReason" | "unreadyReason" | "metricsPage" | "clock" | "openapi"
  >;
  readonly isOff: (which: "index" | "transactionIndex") => boolean;
  readonly watch: Asker["watch"];
  readonly closing: AbortSignal;
}

/** A JSON text, where the next page begins, and the trust level, as the HTTP interface has them. */
export interface AnswerText {
  readonly text: string;
  readonly cursor: string | undefined;
  readonly trust: string | undefined;
}

let operations: readonly Operation[] | undefined;

/** Loads the operations with the first question. */
async function loadOperations(): Promise<readonly Operation[]> {
  operations ??= (await import("../../http/operation-list.ts")).OPERATIONS;
  return operations;
}

async function operationOf({ method, path }: Route): Promise<Operation> {
  const found = (await loadOperations()).find((one) => one.method === method && one.path === path);
  if (found === undefined) throw new Error(`no operation serves ${method} ${path}`);
  return found;
}

/** The JSON text that the HTTP interface sends for an event. */
export async function eventText(event: BalanceEvent | BlockEvent): Promise<string> {
  const operation = await operationOf("height" in event ? blockStreamRoute : balanceStreamRoute);
  const sent = `${await operation.encode(event, "events", new Slices())}`;
  return /^data: (.*)$/m.exec(sent)?.[1] ?? "";
}

/** A copy of what its owner may write into before the operations are loaded. */
function copyOf(value: unknown, seen = new Map<unknown, unknown>()): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  const isPlain = Array.isArray(value) || (value && Object.getPrototypeOf(value) === Object.prototype);
  if (!isPlain || seen.has(value)) return seen.get(value) ?? value;
  const copy = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  for (const [name, member] of Object.entries(value as object)) {
    Object.defineProperty(copy, name, { value: copyOf(member, seen), enumerable: true });
  }
  return copy;
}

/** The text of an answer that comes in pieces. */
async function wholeOf(answer: AnyAnswer, { id }: Operation): Promise<Uint8Array> {
  if (!("stream" in answer)) throw new Error(`${id} answers with events`);
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** A range of what a stream sends, as the HTTP interface takes it. */
export interface RangeQuestion {
  readonly path: string;
  /** Query without its question mark. */
  readonly search: string;
  readonly form: "ndjson" | "csv" | "bcs";
  /** The id behind which the range goes on. */
  readonly after: string | undefined;
  /** JSON of a question that is posted. */
  readonly body?: Uint8Array | undefined;
}

/** Asks a ledger. */
export class OperationCalls implements Asker {
  readonly args: Asker["args"];
  readonly types: Asker["types"];
  readonly watch: Asker["watch"];
  readonly closing: AbortSignal;
  readonly #options: OperationCallsOptions;
  /** The calls of all operations, once these are loaded. */
  #calls: Calls | undefined;

  constructor(options: OperationCallsOptions) {
    this.args = options.reader.args;
    this.types = options.reader.types;
    this.watch = options.watch;
    this.closing = options.closing;
    this.#options = options;
  }

  openView(): MaybePromise<LedgerView> {
    return this.#options.reader.openView();
  }

  withView<T>(ask: (view: LedgerView) => MaybePromise<T>, options?: MinVersionOptions): Promise<T> {
    return this.#options.reader.withView(ask, options);
  }

  waitFor(version: bigint, waitMs: number): Promise<void> {
    return this.#options.reader.waitFor(version, waitMs);
  }

  /** Makes a call by its name. */
  call(name: keyof Calls, given: readonly unknown[]): unknown {
    const make = (calls: Calls): unknown =>
      (calls[name] as (...args: readonly unknown[]) => unknown)(...given);
    if (this.#calls !== undefined) return make(this.#calls);
    given = given.map((one) => copyOf(one));
    return this.#load().then(make);
  }

  async #load(): Promise<Calls> {
    this.#calls ??= Object.assign({}, ...(await loadOperations()).map((one) => one.calls(this))) as Calls;
    return this.#calls;
  }

  async run<A, D, T>(
    question: Question<A, D>,
    args: A,
    options: MinVersionOptions,
    use: (data: D) => MaybePromise<T>,
  ): Promise<T> {
    return (await this.#answer(question, args, options, use)).used;
  }

  async *pages<A, D, T>(
    question: Question<A, D>,
    args: A,
    options: MinVersionOptions,
    use: (data: D) => T,
  ): AsyncGenerator<T> {
    const { pageCursorField } = await import("../../http/schemas/page-cursor.ts");
    for (let asked = args; ; ) {
      const { used, cursor } = await this.#answer(question, asked, options, use);
      yield used;
      if (cursor === undefined) return;
      const start = pageCursorField.parse(cursor);
      asked = { ...args, ledger_version: undefined, at: undefined, start };
    }
  }

  /** What is made of an operation's data while the view is open. Throws what the operation refuses with. */
  async #answer<A, D, T>(
    question: Question<A, D>,
    args: A,
    options: MinVersionOptions,
    use: (data: D, answer: AnyAnswer, view: LedgerView | undefined) => MaybePromise<T>,
    { form, lastEventId }: Pick<Context, "form" | "lastEventId"> = { form: "json", lastEventId: undefined },
  ): Promise<{ readonly used: T; readonly cursor: string | undefined }> {
    // Every question is an operation, whose own types the arguments and the data have.
    const operation = question as Operation;
    const off = operation.switch;
    if ((off === "index" || off === "transactionIndex") && this.#options.isOff(off)) {
      throw new LedgerError("not_indexed", "the index is switched off on this node");
    }
    let newer: LedgerView | undefined;
    try {
      return await this.#withView(
        operation,
        async (view) => {
          const answer = await operation.handle(args as ParsedArgs, {
            view,
            newerView: async () => {
              newer = await this.openView();
              return newer;
            },
            services: this.#options.services as Services,
            ledger: this,
            form,
            isGone: () => false,
            lastEventId,
            streamHead: ({ version }) => version,
            client: "",
            slices: new Slices(),
          });
          const isTaken = "data" in answer || form !== "json";
          const data = isTaken ? "data" in answer && answer.data : await wholeOf(answer, operation);
          return { used: await use(data as D, answer, newer ?? view), cursor: answer.cursor };
        },
        options,
      );
    } finally {
      newer?.release();
    }
  }

  /** Some operations answer without a ledger, too. */
  async #withView<T>(
    { ledger }: Operation,
    ask: (view: LedgerView | undefined) => Promise<T>,
    options: MinVersionOptions,
  ): Promise<T> {
    let isOpen = false;
    const withView = this.withView((view) => {
      isOpen = true;
      return ask(view);
    }, options);
    return withView.catch((error: unknown) => {
      const isEmpty = error instanceof LedgerError && error.code === "no_ledger";
      if (isOpen || !isEmpty || ledger !== "optional") throw error;
      return ask(undefined);
    });
  }

  /** The pieces of a range. Throws what its operation refuses with. */
  async *range({ path, search, form, after, body }: RangeQuestion): AsyncGenerator<string | Uint8Array> {
    const { lastEventIdField } = await import("../../http/schemas/event-stream.ts");
    const operation = (await loadOperations()).find((one) => one.path === path);
    if (operation === undefined) throw new Error(`no operation serves ${path}`);
    const args = operation.parseArgs([], search);
    if (operation.body !== undefined) args.body = await operation.body.parse(body ?? new Uint8Array());
    const lastEventId = fieldOf("after", lastEventIdField, after);
    const { used } = await this.#answer(operation as object, args, {}, (_, answer) => answer, {
      form,
      lastEventId,
    });
    if (!("stream" in used)) throw new Error(`${operation.id} answers with no range`);
    yield* used.stream;
  }

  /** The JSON text that an operation answers with. Throws what it refuses with. */
  async text<R extends Route>(
    route: R,
    values: RouteValues<R>,
    options: MinVersionOptions,
    body: Uint8Array = new Uint8Array(),
  ): Promise<AnswerText> {
    const operation = await operationOf(route);
    const given: Readonly<Record<string, unknown>> = values;
    const segments = paramNames(route.path).map((name) => encodeURIComponent(`${given[name]}`));
    const args = operation.parseArgs(segments, pathTo(route, values).split("?")[1] ?? "");
    if (operation.body !== undefined) args.body = await operation.body.parse(body);
    const { used, cursor } = await this.#answer(
      operation as object,
      args,
      options,
      async (data, answer, view) => ({
        text: `${Buffer.from(await operation.encode(data, "json", new Slices()))}`,
        trust: view && formatTrust(trustOf(view, answer)),
      }),
    );
    return { ...used, cursor };
  }
}
