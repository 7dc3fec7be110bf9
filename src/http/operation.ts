// An operation is one object. Router, OpenAPI document, docs page and the calls of a node in its own process derive from it;
// a path that our own clients call too comes from interface/routes.ts.
// `operation()` type-checks the handler against its parameters and returns an interface without type parameters, so
// that the dispatcher treats all operations alike.

import type { MaybePromise } from "../base/maybe-promise.ts";
import { didYouMean } from "../base/texts/nearest.ts";
import type { Slices } from "../base/wait.ts";
import { type MinVersionName, type ParamName, paramNames, type Route } from "../interface/route.ts";
import type { TrustLevel } from "../ledger/trust.ts";
import type { Ledger, LedgerPosition, LedgerView } from "../ledger/view.ts";
import type { ResumePoint } from "../ledger/watch/event-id.ts";
import type { WatchEvent, Watched } from "../ledger/watch/watched.ts";
import type { Asker, Question } from "./calls/asker.ts";
import type { Condition } from "./error-catalogue.ts";
import { HttpError, quoteInput } from "./errors.ts";
import { type Field, type Fields, type JsonSchema, type ParsedArgs, parseField } from "./field.ts";
import type { AboutAnswer } from "./response/headers.ts";
import type { Form } from "./response/negotiation.ts";
import { isReferenceRequest } from "./routing/reference-paths.ts";
import { decodeTwice, findQueries, findQuery, type QueryPart, readQuery } from "./routing/url.ts";
import { minVersionFields } from "./schemas/read-at.ts";
import type { Services } from "./services.ts";

/** A field for every parameter in a path. */
type ParamFields<Path extends string> = { readonly [K in ParamName<Path>]: Field<unknown> };

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** Arguments of a handler: path parameters, query parameters where given, and the body. */
export type Args<P extends object, Q extends Fields, B> = { readonly [K in keyof P]: ValueOf<P[K]> } & {
  readonly [K in keyof Q]: ValueOf<Q[K]> | undefined;
} & { readonly body: B };

/** The same where an operation is called in the process. */
type CallArgs<P extends object, Q extends Fields, B> = Pick<Args<P, Q, B>, keyof P> &
  Partial<Omit<Args<P, Q, B>, keyof P>>;

/** The body of a POST: JSON, and other media types where it names them. */
export interface BodyField<T> {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly example: unknown;
  /** Throws CodedError with the reason. A promise for bodies that are parsed in slices. */
  parse(bytes: Uint8Array): MaybePromise<T>;
  /** A form in BCS, under a media type of its own. */
  readonly bcs?: {
    readonly mediaType: string;
    readonly description: string;
    /** Throws CodedError with the reason. */
    parse(bytes: Uint8Array): T;
  };
}

/** One media type of a response. */
export interface AnswerForm<D> {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly example?: unknown;
  /** A promise for data that is encoded in slices. */
  encode(data: D, slices: Slices): MaybePromise<string | Uint8Array>;
}

/** The form in BCS. */
export function bcsForm<D>(description: string, encode: AnswerForm<D>["encode"]): AnswerForm<D> {
  return { schema: { type: "string", format: "binary" }, description, encode };
}

/** JSON and BCS of an answer that the handler encodes itself, in the form that the request asks for. */
export function encodedAnswer(
  json: Omit<AnswerForm<never>, "encode">,
  bcsDescription: string,
): Readonly<Record<"json" | "bcs", AnswerForm<string | Uint8Array>>> {
  const encode = (encoded: string | Uint8Array): string | Uint8Array => encoded;
  return {
    json: { ...json, encode },
    bcs: bcsForm(bcsDescription, encode),
  };
}

/** What a handler returns: the data, and the version it was read at, if any. */
export interface Answer<D> extends AboutAnswer {
  /** 200 when left out. */
  readonly status?: number;
  readonly data: D;
  readonly version: bigint | undefined;
}

/** Returned instead of data: the encoded response in pieces. It must not use the handler's view. */
export interface StreamedAnswer extends AboutAnswer {
  readonly stream: AsyncIterable<string | Uint8Array>;
  /** Places that a range of events takes of its client's share of streams; one when left out. */
  readonly places?: number;
  readonly version: bigint | undefined;
}

/** Returned instead of data: what to watch, and where to begin. */
export interface EventAnswer<E extends WatchEvent> extends AboutAnswer {
  readonly watched: Watched<E>;
  /** Text to send first. */
  readonly opening: string;
  /** Told after it; undefined for a client that resumes. */
  readonly state: E | undefined;
  /** Changes after this point are sent. */
  readonly after: ResumePoint;
  /** Level of the state, or of the last version that may be sent. */
  readonly trust: TrustLevel;
  /** Events below this level wait until they have it; only the node's own least level counts when left out. */
  readonly least?: TrustLevel | undefined;
  /** Places that it takes of its client's share of streams; one when left out. */
  readonly places?: number;
  readonly version: bigint | undefined;
}

/** What handlers return, whatever the operation. */
export type AnyAnswer = Answer<unknown> | StreamedAnswer | EventAnswer<WatchEvent>;

/**
 * `required`: 503 without a ledger; `awaited`: no view while the ledger is not there yet or its store is out of reach,
 * 503 for any other fault; `optional`: ledger headers if there is a ledger; `none`: no ledger headers.
 */
export type LedgerUse = "required" | "awaited" | "optional" | "none";

/** What a handler gets besides its arguments. */
export interface Context<L extends LedgerUse = LedgerUse> {
  readonly view: L extends "required" ? LedgerView : LedgerView | undefined;
  /**
   * A view that is newer than this call, in the place of `view`, which ends: what is answered describes this one. For a
   * handler that learned of newer things on another way.
   */
  readonly newerView: () => Promise<LedgerView>;
  readonly services: Services;
  /** For work that outlives the view or would hold it for long. */
  readonly ledger: Ledger;
  /** The form that will be answered. */
  readonly form: Form;
  /** True once there is nobody left to answer. */
  readonly isGone: () => boolean;
  /** Where a stream resumes; undefined where the client does not say. */
  readonly lastEventId: ResumePoint | undefined;
  /** The last version that a stream may send. Throws LedgerError. */
  readonly streamHead: (position: LedgerPosition, least?: TrustLevel) => bigint;
  /** Tells clients apart. */
  readonly client: string;
  /** For work that grows with the answer. */
  readonly slices: Slices;
}

/** What an operator can switch off, with all operations that need it. */
type Switch = "encode" | "index" | "transactionIndex" | "submit" | "simulate";

/** Documentation of an operation. */
interface Documentation {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** What to ask next with the answer, by name: OpenAPI's link objects. */
  readonly links?: Readonly<Record<string, JsonSchema>> | undefined;
}

/** What a request waits for: it is asked at once and again after each commit. */
interface AwaitedState<A> {
  /** Longest wait; the request is served then all the same. */
  readonly waitMs: number;
  /** Most requests of the operation that wait; more are served at once. */
  readonly maxWaiting: number;
  isThere(args: A, view: LedgerView, services: Services): Promise<boolean>;
}

/** Error conditions that follow from what an operation takes and reads. */
function commonErrors(
  { switchable, switch: which, ledger, unavailable = "unavailable", body }: AnyDefinition,
  fields: Fields,
  params: number,
): Condition[] {
  const takesAny = params > 0 || Object.keys(fields).length > 0 || body !== undefined;
  return [
    ...(takesAny ? (["malformed_request"] as const) : []),
    ...(switchable || which !== undefined ? (["disabled"] as const) : []),
    ...("ledger_version" in fields ? (["version_not_found", "version_pruned"] as const) : []),
    ...(body === undefined ? [] : (["body_too_large", "unsupported_media_type"] as const)),
    ...(ledger === "none" ? [] : (["internal"] as const)),
    ...(ledger === "required" || ledger === "awaited" ? [unavailable] : []),
    ...(ledger === "required" ? (["behind"] as const) : []),
    "overloaded",
  ];
}

/** The values of a parameter that may be given several times. */
function parseAll(
  name: string,
  field: Field<unknown>,
  texts: readonly (string | undefined)[],
  maxTimes: number,
): unknown[] {
  if (texts.length > maxTimes) {
    throw new HttpError(
      "malformed_request",
      `${name}: expected it at most ${maxTimes} times, got it ${texts.length} times`,
    );
  }
  return texts.flatMap((text) => parseField(name, field, text));
}

/** A name without what spellings differ in. */
function plainName(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}

/**
 * A parameter that nobody reads would be misread as one that was heeded. Clients of the reference send some to its
 * operations, which are ignored there, as long as they are no other spelling of a parameter.
 */
function assertKnownNames(
  { id, method, path }: Pick<Operation, "id" | "method" | "path">,
  known: readonly string[],
  parts: readonly QueryPart[],
): void {
  for (const { name } of parts) {
    if (known.includes(name)) continue;
    const meant = known.find((one) => plainName(one) === plainName(name));
    if (meant === undefined && isReferenceRequest(method, path)) continue;
    const hint = didYouMean(meant ?? name, known);
    throw new HttpError("malformed_request", `${quoteInput(name)}: ${id} has no such parameter${hint}`);
  }
}

type AnyDefinition = Pick<Operation, "switchable" | "ledger"> & {
  readonly switch?: Switch;
  readonly unavailable?: Condition;
  readonly body?: unknown;
};

/** An operation as its file defines it. */
export interface OperationDefinition<
  Path extends string,
  P extends ParamFields<Path>,
  Q extends Fields,
  B,
  D,
  L extends LedgerUse,
  C extends object,
> extends Documentation,
    Pick<Route<Path>, "method" | "path"> {
  /** Error conditions of this operation, beyond those that follow from what it takes and reads. */
  readonly errors?: readonly Condition[];
  /** From the shared route, if clients use one; must name the same parameters as `query`. */
  readonly queryNames?: readonly (keyof Q | MinVersionName)[];
  /** Parameters of other operations that would be misread here, each with what to use instead. They get 400. */
  readonly refusedQuery?: Readonly<Record<string, string>>;
  /** Undocumented paths with the same behaviour. */
  readonly aliases?: readonly string[];
  /** `required` when left out. */
  readonly ledger?: L;
  /** False when the switches for JSON and BCS output do not apply. */
  readonly switchable?: boolean;
  /** Switch that turns the whole operation off. */
  readonly switch?: Switch;
  /** Statuses of success; 200 alone when left out. */
  readonly successStatuses?: readonly number[];
  /** Responses may be pages, with a cursor to the next. */
  readonly isPaged?: boolean;
  /** The response is a stream of events; the data are events. */
  readonly sendsEvents?: boolean;
  /** Most requests of this operation in flight; more are refused. For long ones, which take turns. */
  readonly maxInFlight?: number;
  /** What a request waits for before its view is opened. */
  readonly awaited?: AwaitedState<Args<P, Q, B>>;
  /** The response never changes while the server runs, so it is encoded once. Such an operation takes no arguments. */
  readonly isDocument?: boolean;
  /** Error condition if no ledger can be read; default `unavailable`. */
  readonly unavailable?: Condition;
  /** Left out for a path without parameters. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: BodyField<B>;
  /** The first form is the default one. */
  readonly answer: { readonly [F in Form]?: AnswerForm<D> };
  handle(
    args: Args<P, Q, B>,
    context: Context<L>,
  ): MaybePromise<Answer<D> | StreamedAnswer | EventAnswer<D & WatchEvent>>;
  /** The methods of a node that ask the same in its own process. Each is `async` or a generator. */
  calls?(node: Asker): C;
}

/** An operation as the server, the OpenAPI document and the docs see it. */
export interface Operation extends Documentation, Route {
  /** Error conditions, beyond those of every path. */
  readonly errors: readonly Condition[];
  readonly aliases: readonly string[];
  readonly ledger: LedgerUse;
  readonly switchable: boolean;
  readonly switch: Switch | undefined;
  readonly successStatuses: readonly number[];
  readonly isPaged: boolean;
  readonly sendsEvents: boolean;
  readonly maxInFlight: number | undefined;
  readonly awaited: AwaitedState<ParsedArgs> | undefined;
  readonly isDocument: boolean;
  readonly unavailable: Condition;
  readonly params: Fields;
  readonly query: Fields;
  readonly body: BodyField<unknown> | undefined;
  readonly forms: readonly Form[];
  readonly answers: readonly (Omit<AnswerForm<unknown>, "encode"> & { readonly form: Form })[];
  /** Parses path segments and query; throws HttpError. */
  parseArgs(segments: readonly string[], search: string): ParsedArgs;
  handle(args: ParsedArgs, context: Context): MaybePromise<AnyAnswer>;
  /** Encodes the data that the handler returned. */
  encode(data: unknown, form: Form, slices: Slices): MaybePromise<string | Uint8Array>;
  calls(node: Asker): object;
}

/** An operation with the types of what it takes, returns and offers to programs. */
export type TypedOperation<R extends Route, A, D, C extends object> = Operation &
  R &
  Question<A, D> & { calls(node: Asker): C };

/** Creates an operation from its definition. */
export function operation<
  const Path extends string,
  P extends ParamFields<Path> = ParamFields<Path>,
  Q extends Fields = Record<never, Field<unknown>>,
  B = unknown,
  D = unknown,
  L extends LedgerUse = "required",
  C extends object = object,
>(
  definition: OperationDefinition<Path, P, Q, B, D, L, C>,
): TypedOperation<
  Route<Path, (keyof Q & string) | (L extends "required" ? MinVersionName : never)>,
  CallArgs<P, Q, B>,
  D,
  C
> {
  const { id, ledger = "required", switchable = true, params: given, query: asked = {} } = definition;
  const params = paramNames(definition.path).map((name) => {
    const field = given?.[name];
    if (field === undefined) throw new Error(`${id} has no field for ${name}`);
    return [name, field] as const;
  });
  const fields: Fields = ledger === "required" ? { ...asked, ...minVersionFields } : asked;
  const query = Object.entries(fields);
  const known = Object.keys(fields);
  const refusedQuery = Object.entries(definition.refusedQuery ?? {});
  const forms = Object.keys(definition.answer) as Form[];
  return {
    ...definition,
    queryNames: query.map(([name]) => name as keyof Q & string),
    aliases: definition.aliases ?? [],
    ledger,
    switchable,
    params: given ?? {},
    errors: [
      ...(definition.errors ?? []),
      ...commonErrors({ ...definition, ledger, switchable }, fields, params.length),
    ],
    switch: definition.switch,
    successStatuses: definition.successStatuses ?? [200],
    isPaged: definition.isPaged ?? false,
    sendsEvents: definition.sendsEvents ?? false,
    maxInFlight: definition.maxInFlight,
    // This operation's own parsers made the arguments.
    awaited: definition.awaited as AwaitedState<ParsedArgs> | undefined,
    isDocument: definition.isDocument ?? false,
    unavailable: definition.unavailable ?? "unavailable",
    query: fields,
    body: definition.body,
    forms,
    answers: forms.flatMap((form) => {
      const answer = definition.answer[form];
      if (answer === undefined) return [];
      const { encode: _, ...documented } = answer;
      return [{ ...documented, form }];
    }),
    parseArgs(segments, search) {
      const args: ParsedArgs = {};
      for (let i = 0; i < params.length; i++) {
        const [name, field] = params[i] as (typeof params)[number];
        args[name] = parseField(name, field, decodeTwice(segments[i] ?? ""));
      }
      if (search === "") return args;
      const parts = readQuery(search);
      for (const [name, field] of query) {
        const value = findQuery(parts, name);
        if (value === "absent") continue;
        if (field.maxTimes !== undefined) {
          args[name] = parseAll(name, field, findQueries(parts, name), field.maxTimes);
          continue;
        }
        if (value === "repeated") {
          throw new HttpError(
            "malformed_request",
            `${name}: expected it once in the query, got it more than once`,
          );
        }
        args[name] = parseField(name, field, value === "invalid" ? undefined : value.text);
      }
      for (const [name, instead] of refusedQuery) {
        if (findQuery(parts, name) === "absent") continue;
        throw new HttpError("malformed_request", `${name}: ${definition.id} does not take it; ${instead}`);
      }
      if (!definition.isDocument) assertKnownNames(definition, known, parts);
      return args;
    },
    handle(args, context) {
      // This operation's own parsers made the arguments.
      return definition.handle(args as Args<P, Q, B>, context as Context<L>);
    },
    encode(data, form, slices) {
      const answer = definition.answer[form];
      if (answer === undefined) throw new Error(`${definition.id} has no ${form} answer`);
      // This operation's own handler made the data.
      return answer.encode(data as D, slices);
    },
    // One without calls has no type for them.
    calls: (node) => definition.calls?.(node) ?? ({} as C),
  };
}
