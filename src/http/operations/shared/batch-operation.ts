// What the batch operations share: every query is read at one version, answers come in the order of the queries, and a
// query that cannot be answered has its error in its place.
import { CodedError, ConfigError } from "../../../base/errors.ts";
import type { Slices } from "../../../base/wait.ts";
import { BcsWriter } from "../../../bcs/writer.ts";
import type { MinVersionName, Route } from "../../../interface/route.ts";
import { timeOf } from "../../../ledger/read-point.ts";
import type { LedgerView } from "../../../ledger/view.ts";
import type { Asker } from "../../calls/asker.ts";
import { readAtArgs } from "../../calls/operands.ts";
import { assertObject, type ReadOptions } from "../../calls/options.ts";
import { answerOf, errorBody } from "../../error-answer.ts";
import { type Condition, ERROR_CATALOGUE } from "../../error-catalogue.ts";
import { HttpError } from "../../errors.ts";
import type { JsonSchema } from "../../field.ts";
import { bcsForm, type Operation, operation } from "../../operation.ts";
import { AnswerText, addHex } from "../../printing/answer-text.ts";
import {
  type BatchBodyKind,
  batchAnswerSchema,
  batchBody,
  readAtOf,
  resultSchema,
  TOTALS_ANSWER_SCHEMA,
} from "../../schemas/batch.ts";
import { readAtFields, readPointOf } from "../../schemas/read-at.ts";

type Query = "ledger_version" | "at" | MinVersionName;

/** What makes one batch operation differ from another. */
interface BatchOperation<
  Path extends string,
  Q,
  A extends bigint | Uint8Array,
  Names extends readonly string[],
  C extends object,
> {
  readonly id: string;
  readonly route: Route<Path, Query>;
  readonly summary: string;
  readonly description: string;
  readonly body: Omit<BatchBodyKind<Q, Names>, "hasTotals">;
  readonly answer: {
    /** Name of the response's schema. */
    readonly name: string;
    /** Member of the response that holds the results. */
    readonly member: string;
    readonly description: string;
    readonly example: unknown;
    readonly bcsDescription: string;
  };
  readonly result: {
    /** Name of a result's schema. */
    readonly name: string;
    /** Member of a result that holds the value. */
    readonly member: string;
    readonly schema: JsonSchema;
    readonly write: (writer: BcsWriter, value: A) => void;
  };
  /** Error conditions beyond those of every batch. */
  readonly errors?: readonly Condition[];
  /** Sums by name, which the request may ask for. */
  readonly addUp?: (
    queries: readonly Q[],
    answers: readonly (A | CodedError)[],
  ) => ReadonlyMap<string, bigint>;
  /** The answers to the queries, in order. */
  readonly read: (
    view: LedgerView,
    queries: readonly Q[],
    version: bigint,
    slices: Slices,
  ) => Promise<readonly (A | CodedError)[]>;
  readonly calls: (node: Asker) => C;
}

interface BatchAnswers<A> {
  readonly version: bigint;
  readonly timestampUsec: bigint;
  readonly results: readonly (A | CodedError)[];
  readonly totals: ReadonlyMap<string, bigint> | undefined;
}

/** Defines a batch operation. */
export function batchOperation<
  const Path extends string,
  Q,
  A extends bigint | Uint8Array,
  const Names extends readonly string[],
  C extends object,
>(kind: BatchOperation<Path, Q, A, Names, C>): Operation & { calls(node: Asker): C } {
  const { answer, result, addUp } = kind;
  const toJson = async (
    { version, timestampUsec, results, totals }: BatchAnswers<A>,
    slices: Slices,
  ): Promise<string | Uint8Array> => {
    const out = new AnswerText().add(
      `{"ledger_version":"${version}","timestamp_usec":"${timestampUsec}","${answer.member}":[`,
    );
    for (const [i, one] of results.entries()) {
      if (i > 0) out.add(",");
      if (one instanceof CodedError) {
        const { condition, message } = answerOf(one);
        out.add(`{"error":${errorBody(condition, message)}}`);
      } else if (one instanceof Uint8Array) {
        await addHex(out.add(`{"${result.member}":`), one, slices);
        out.add("}");
      } else out.add(`{"${result.member}":"${one}"}`);
      const pause = slices.pause();
      if (pause !== undefined) await pause;
    }
    const sums = [...(totals ?? [])].map(([name, sum]) => `${JSON.stringify(name)}:"${sum}"`);
    return out.add(totals === undefined ? "]}" : `],"totals":{${sums.join(",")}}}`).finish();
  };
  const toBcs = ({ version, timestampUsec, results, totals }: BatchAnswers<A>): Uint8Array => {
    const writer = new BcsWriter().u64(version).u64(timestampUsec).uleb(results.length);
    for (const one of results) {
      if (one instanceof CodedError) {
        const { condition, message } = answerOf(one);
        writer.uleb(1).text(message).text(ERROR_CATALOGUE[condition].errorCode);
      } else {
        result.write(writer.uleb(0), one);
      }
    }
    if (addUp === undefined) return writer.take();
    writer.bool(totals !== undefined);
    if (totals === undefined) return writer.take();
    writer.uleb(totals.size);
    for (const [name, sum] of totals) writer.text(name).u128(sum);
    return writer.take();
  };
  return operation({
    id: kind.id,
    // Without path parameters, which the type of a path in general cannot tell.
    ...(kind.route as Route<"", Query>),
    summary: kind.summary,
    description: kind.description,
    query: readAtFields,
    body: batchBody({ ...kind.body, hasTotals: addUp !== undefined }),
    answer: {
      json: {
        schema: batchAnswerSchema(
          answer.name,
          answer.member,
          resultSchema(result.name, result.member, result.schema),
          addUp === undefined ? {} : { totals: TOTALS_ANSWER_SCHEMA },
        ),
        description: answer.description,
        example: answer.example,
        encode: toJson,
      },
      bcs: bcsForm(answer.bcsDescription, toBcs),
    },
    errors: kind.errors ?? [],
    async handle({ body: { queries, totals, ...inBody }, ...inQuery }, { view, slices }) {
      const point = await readPointOf(view, readAtOf(inQuery, inBody));
      const { version } = point;
      const askable = queries.filter((query): query is Q => !(query instanceof HttpError));
      const answers = await kind.read(view, askable, version, slices);
      const timestampUsec = await timeOf(view, point);
      let next = 0;
      const results = queries.map((query) =>
        query instanceof HttpError ? query : (answers[next++] as A | CodedError),
      );
      const sums = totals ? addUp?.(askable, answers) : undefined;
      return { data: { version, timestampUsec, results, totals: sums }, version, timestampUsec };
    },
    calls: kind.calls,
  });
}

/** Answers to many questions, all read at one version. */
export interface BatchAnswer<T> {
  readonly ledgerVersion: bigint;
  /** Time of its block, in microseconds since 1970. */
  readonly timestampUsec: bigint;
  /** In the order of the questions; an error in the place of one that cannot be answered. */
  readonly answers: readonly (T | CodedError)[];
}

/** What it gives, or the error on purpose that it throws. */
function valueOrError<T>(make: () => T): T | CodedError {
  try {
    return make();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** Asks those questions of a call that can be asked, all in one view, and puts the answers where their questions were. */
export async function askMany<G extends object, Q, A>(
  node: Asker,
  name: string,
  given: readonly G[],
  options: ReadOptions,
  parse: (given: G) => Q,
  ask: (view: LedgerView, questions: readonly Q[], version: bigint) => Promise<readonly A[]>,
): Promise<BatchAnswer<Exclude<A, CodedError>>> {
  if (!Array.isArray(given)) throw new ConfigError(`${name}: expected a list, got ${typeof given}`);
  given.forEach((one, index) => {
    assertObject(`${name}[${index}]`, one);
  });
  const at = readAtArgs(options);
  const questions = given.map((one) => valueOrError(() => parse(one)));
  return node.withView(async (view) => {
    const point = await readPointOf(view, at);
    const askable = questions.filter((one): one is Q => !(one instanceof CodedError));
    const found = await ask(view, askable, point.version);
    let next = 0;
    return {
      ledgerVersion: point.version,
      timestampUsec: await timeOf(view, point),
      answers: questions.map((one) =>
        one instanceof CodedError ? one : (found[next++] as Exclude<A, CodedError>),
      ),
    };
  }, options);
}
