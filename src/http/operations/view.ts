// Calls of view functions.
import { toHex } from "../../base/hex.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { RecentTexts } from "../../base/recent.ts";
import { shortenText } from "../../base/texts/text.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { viewRoute } from "../../interface/routes.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJson, parseJsonInSlices } from "../../json/parse.ts";
import { abortText } from "../../ledger/formats/transaction-info.ts";
import type { AbiType, FunctionAbi, ModuleId, ModuleLoader } from "../../move/abi.ts";
import { addressFromBytes, formatAddress, parseAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { createParameterLayout, type Layout, simpleLayout } from "../../move/layout.ts";
import type { TypeTag } from "../../move/type-tag.ts";
import { parseTypeTag } from "../../move/type-text.ts";
import { writeJsonValue } from "../../move/value-json.ts";
import { entryFunctionCodec } from "../../transaction/executable.ts";
import { callParameters, describeTypes } from "../../transaction/requests/parameters.ts";
import { typeOfTag } from "../../transaction/requests/type-arguments.ts";
import { STATUS, VmError } from "../../vm/errors.ts";
import type { LedgerViewState } from "../../vm/ledger/ledger-machine.ts";
import { type LoadedModule, named as memberNamed } from "../../vm/linker.ts";
import { type Asker, fromJson, toBody } from "../calls/asker.ts";
import { readAtArgs } from "../calls/operands.ts";
import { knownOptions, type OptionNames, type ReadOptions } from "../calls/options.ts";
import { assertBodySize, HttpError } from "../errors.ts";
import { type BodyField, encodedAnswer, operation } from "../operation.ts";
import { AnswerText } from "../printing/answer-text.ts";
import { StoredValuePrinter } from "../printing/move-json.ts";
import { STATUS_NAMES } from "../printing/status-names.ts";
import { MOVE_VALUE_SCHEMA } from "../schemas/move-type.ts";
import { list, named, object } from "../schemas/named.ts";
import { FUNCTION_PATTERN } from "../schemas/patterns.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

/** Above the largest transaction of a user, which is what a function's arguments are made for. */
const MAX_BODY_BYTES = 256 * 1024;
/** More are parsed between other requests. */
const MAX_STEP_BYTES = 64 * 1024;
/** The chain takes no function with more. */
const MAX_COUNTS = { type_arguments: 32, arguments: 128 } as const;

/** Arguments in JSON, which are read by the types of the function's parameters. */
interface JsonArguments {
  readonly document: JsonDocument;
  /** Tape index of each. */
  readonly values: readonly number[];
}

interface CalledFunction {
  readonly module: ModuleId;
  /** Of the module, as the machine spells it. */
  readonly address: string;
  readonly name: string;
}

interface ViewRequest extends CalledFunction {
  readonly typeArgs: readonly TypeTag[];
  /** BCS of each argument, or all in JSON. */
  readonly args: readonly Uint8Array[] | JsonArguments;
}

function assertMember(document: JsonDocument, value: number, name: string, kind: "string" | "array"): void {
  if (value !== ABSENT && document.kind(value) === kind) return;
  const got = value === ABSENT ? "none" : document.excerpt(value);
  const expected = kind === "array" ? "an array" : "a function";
  throw new HttpError("malformed_request", `${name}: expected ${expected}, got ${got}`);
}

function assertCount(name: keyof typeof MAX_COUNTS, count: number): void {
  const most = MAX_COUNTS[name];
  if (count <= most) return;
  throw new HttpError("malformed_request", `${name}: expected at most ${most} items, got ${count}`);
}

function items(document: JsonDocument, array: number, name: keyof typeof MAX_COUNTS): number[] {
  assertMember(document, array, name, "array");
  assertCount(name, document.count(array));
  const found: number[] = [];
  for (let at = document.first(array); at < document.end(array); at = document.next(at)) found.push(at);
  return found;
}

const CACHE_BYTES = 2 ** 18;
/** Bytes of an entry: 512 besides its text. */
const sizeOf = (text: string): number => 512 + 4 * text.length;

/** Most requests call one of a few functions. */
const { parse: parseKeptType } = new RecentTexts(parseTypeTag, { maxBytes: CACHE_BYTES, sizeOf });
const { parse: parseKeptFunction } = new RecentTexts(parseFunction, { maxBytes: CACHE_BYTES, sizeOf });

function called(module: ModuleId, name: string): CalledFunction {
  return { module, address: toHex(module.address), name };
}

function parseFunction(id: string): CalledFunction {
  const parts = id.split("::");
  const [address = "", module = "", name = ""] = parts;
  try {
    if (parts.length === 3) return called({ address: parseAddress(address), name: module }, name);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
  }
  throw new HttpError(
    "malformed_request",
    `function: expected a function such as "0x1::coin::balance", got ${JSON.stringify(id.slice(0, 120))}`,
  );
}

function parseType(document: JsonDocument, value: number, index: number): TypeTag {
  const name = `type_arguments[${index}]`;
  if (document.kind(value) !== "string") {
    throw new HttpError("malformed_request", `${name}: expected a type, got ${document.excerpt(value)}`);
  }
  try {
    return parseKeptType(document.string(value));
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new HttpError("invalid_view", `${name}: ${error.message}`, { cause: error });
  }
}

function readCall(document: JsonDocument): ViewRequest {
  const { root } = document;
  if (document.kind(root) !== "object")
    throw new HttpError("malformed_request", `body: expected an object, got ${document.excerpt(root)}`);
  const names = ["function", "type_arguments", "arguments"];
  const [id = ABSENT, types = ABSENT, values = ABSENT] = document.members(root, names);
  assertMember(document, id, "function", "string");
  const { module, address, name } = parseKeptFunction(document.string(id));
  const typeArgs = items(document, types, "type_arguments").map((value, i) => parseType(document, value, i));
  return {
    module,
    address,
    name,
    typeArgs,
    args: { document, values: items(document, values, "arguments") },
  };
}

/** A view request. */
const viewBody: BodyField<ViewRequest> = {
  schema: named(
    "ViewRequest",
    object({
      function: { type: "string", pattern: FUNCTION_PATTERN, description: "The function to call." },
      type_arguments: { type: "array", items: { type: "string", format: "move-type" } },
      arguments: list(MOVE_VALUE_SCHEMA),
    }),
  ),
  description: "The function and its arguments.",
  example: {
    function: "0x1::coin::balance",
    type_arguments: ["0x1::aptos_coin::AptosCoin"],
    arguments: ["0x1"],
  },
  parse(bytes) {
    assertBodySize(bytes, MAX_BODY_BYTES);
    return bytes.length > MAX_STEP_BYTES
      ? parseJsonInSlices(bytes).then(readCall)
      : readCall(parseJson(bytes));
  },
  bcs: {
    mediaType: "application/x.aptos.view_function+bcs",
    description:
      "BCS of the module id, the function's name, the type arguments and the BCS of each argument.",
    parse(bytes) {
      assertBodySize(bytes, MAX_BODY_BYTES);
      try {
        const { module, function: name, typeArgs, args } = decodeWith(entryFunctionCodec, bytes);
        assertCount("type_arguments", typeArgs.length);
        assertCount("arguments", args.length);
        return { ...called(module, name), typeArgs, args };
      } catch (error) {
        if (!(error instanceof BcsError)) throw error;
        throw new HttpError("malformed_request", `body: expected BCS of a view function: ${error.message}`, {
          cause: error,
        });
      }
    },
  },
};

function refuse(message: string, cause?: unknown): never {
  throw new HttpError("invalid_view", message, { cause });
}

function nameOf(module: ModuleId): string {
  return shortenText(`${formatAddress(module.address)}::${module.name}`);
}

/** The function's definition, by which JSON arguments are read. */
function definitionOf(found: LoadedModule | undefined, { module, name }: ViewRequest): FunctionAbi {
  if (found === undefined) refuse(`function: module ${nameOf(module)} is not on chain`);
  const { abi } = found.program;
  const definition = abi && memberNamed(abi.functions, name);
  return definition ?? refuse(`function: there is no function ${nameOf(module)}::${shortenText(name)}`);
}

/** BCS of JSON arguments by the types of the function's parameters. Throws HttpError `invalid_view`. */
function encodeArguments(
  loadModule: () => ModuleLoader,
  found: LoadedModule | undefined,
  request: ViewRequest,
  { document, values }: JsonArguments,
): MaybePromise<Uint8Array[]> {
  const { module, typeArgs } = request;
  const definition = definitionOf(found, request);
  const name = (): string => `${nameOf(module)}::${request.name}`;
  const wanted = definition.typeParams.length;
  if (typeArgs.length !== wanted) refuse(`type_arguments: ${name()} takes ${wanted}, got ${typeArgs.length}`);
  const callee = { path: "function", field: "function", name };
  const { params } = callParameters(definition.params, typeArgs, callee);
  if (values.length !== params.length) {
    const list = params.length === 0 ? "" : ` (${describeTypes(params)})`;
    refuse(`arguments: ${name()} takes ${params.length}${list}, got ${values.length}`);
  }
  const encode = (type: AbiType, i: number): MaybePromise<Uint8Array> => {
    const write = (layout: Layout): Uint8Array => {
      const given = values[i] ?? ABSENT;
      // An object may also be given as it is printed.
      const isPrinted = layout.kind === "address" && document.kind(given) === "object";
      const inner = isPrinted ? document.member(given, "inner") : ABSENT;
      const value = inner === ABSENT ? given : inner;
      const writer = new BcsWriter(64);
      writeJsonValue(writer, layout, { document, value, path: ["arguments", i], takesPrinted: true });
      return writer.take();
    };
    const fail = (error: unknown): never => {
      if (!(error instanceof MoveError)) throw error;
      const where = error.code === "layout" ? `arguments[${i}]: ` : "";
      return refuse(`${where}${error.message} (${name()} takes ${describeTypes([type])})`, error);
    };
    const layout = simpleLayout(type);
    if (layout === undefined) return createParameterLayout(type, loadModule()).then(write).catch(fail);
    try {
      return write(layout);
    } catch (error) {
      return fail(error);
    }
  };
  return params.reduce<MaybePromise<Uint8Array[]>>((before, param, i) => {
    const type = param.kind === "reference" ? param.to : param;
    return andThen(before, (args) => andThen(encode(type, i), (one) => [...args, one]));
  }, []);
}

/** The machine's own form of addresses is 64 digits. */
function withShortAddresses(message: string): string {
  return message.replace(/(?:0x)?([0-9a-f]{64})/g, (_, hex: string) =>
    formatAddress(addressFromBytes(Buffer.from(hex, "hex"))),
  );
}

/** A fault of the machine as it is answered: in the words of the reference for an abort, else with the status by name. */
async function answerOf(error: unknown, state: LedgerViewState | undefined): Promise<unknown> {
  if (!(error instanceof VmError)) return error;
  const { status, subStatus, location, message } = error;
  let text = `${withShortAddresses(message)} (${STATUS_NAMES.get(status) ?? status})`;
  if (status === STATUS.aborted && location !== undefined) {
    const [address = "", name = ""] = location.split("::");
    const code = subStatus ?? 0n;
    const info = await state?.abortInfo(location, code);
    const module = { address: addressFromBytes(Buffer.from(address, "hex")), name };
    text = abortText({ kind: "module", module }, code, info);
  }
  return new HttpError("invalid_view", text, { cause: error, extra: { vm_error_code: status } });
}

/** A call of a view function. */
export interface ViewQuery {
  /** Such as `0x1::coin::balance`. */
  readonly function: string;
  readonly typeArguments?: readonly string[] | undefined;
  /** In JSON as over HTTP; wide integers may be bigints. */
  readonly arguments?: readonly unknown[] | undefined;
}

const QUERY_NAMES: OptionNames<ViewQuery> = { function: true, typeArguments: true, arguments: true };

export interface ViewCall {
  /** What a view function returns, each value as JSON. Throws for one that aborts or fails. */
  view(query: ViewQuery, options?: ReadOptions): Promise<readonly unknown[]>;
}

/** `POST /v1/view` */
export const view = operation({
  id: "view",
  ...viewRoute,
  summary: "View function",
  description:
    "Calls a view function of any module at the latest or a chosen version, and answers what it returns. The function's bytecode runs on the state of that version, with gas by the schedule on the chain and up to the node's limit. An abort or another fault of the function is 400, with the status of the chain in `vm_error_code`.",
  query: { ...readAtFields },
  body: viewBody,
  answer: encodedAnswer(
    {
      schema: list(MOVE_VALUE_SCHEMA),
      description: "The values that the function returned.",
    },
    "The number of returned values, and the BCS of each: a BCS vector, if all have the same type.",
  ),
  errors: ["invalid_view", "unprintable"],
  async handle(args, { view: ledgerView, services, form, slices }) {
    // Nothing is awaited that is there at once: a turn of the promise queue costs as much as a read.
    const point = readPointOf(ledgerView, args);
    const { version, timestampUsec } = point instanceof Promise ? await point : point;
    const { body } = args;
    const loading = services.machine();
    const machine = loading instanceof Promise ? await loading : loading;
    let state: LedgerViewState | undefined;
    try {
      const opened = machine.open(ledgerView, version, slices);
      state = opened instanceof Promise ? await opened : opened;
      const { module, address, name, args: given } = body;
      const loader = (): ModuleLoader => services.types.loaderAt(ledgerView, version);
      const finding = state.module(address, module.name);
      const found = finding instanceof Promise ? await finding : finding;
      const encoding = "document" in given ? encodeArguments(loader, found, body, given) : given;
      const args = encoding instanceof Promise ? await encoding : encoding;
      const running = state.call(
        { address, module: module.name, found, name, typeArgs: body.typeArgs.map(typeOfTag), args },
        services.viewGasLimit,
      );
      const { values, types } = running instanceof Promise ? await running : running;
      if (form === "bcs") {
        const writer = new BcsWriter(64).uleb(values.length);
        for (const value of values) writer.fixed(value);
        return { data: writer.take(), version, timestampUsec };
      }
      const printer = new StoredValuePrinter(services.types, ledgerView, version, slices);
      const out = new AnswerText().add("[");
      for (const [i, value] of values.entries()) {
        if (i > 0) out.add(",");
        const printed = printer.print(value, machine.tagOf(types[i] as AbiType));
        out.append(printed instanceof Promise ? await printed : printed);
      }
      const data = out.add("]").finish();
      return { data: data instanceof Promise ? await data : data, version, timestampUsec };
    } catch (error) {
      throw await answerOf(error, state);
    }
  },
  calls: (node: Asker): ViewCall => ({
    view: async (query, options = {}) => {
      const known = knownOptions(QUERY_NAMES, query, "query");
      const { function: called, typeArguments = [], arguments: given = [] } = known;
      const request = { function: called, type_arguments: typeArguments, arguments: given };
      // As the interface has wide integers: texts.
      const json = JSON.stringify(request, (_, value: unknown) =>
        typeof value === "bigint" ? `${value}` : value,
      );
      const args = { body: await viewBody.parse(toBody(json)), ...readAtArgs(options) };
      return node.run(view, args, options, fromJson<readonly unknown[]>);
    },
  }),
});
