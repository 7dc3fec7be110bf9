// The calls of a traced transaction: arguments, gas, items read and written, events, and the fault. All of it is bounded,
// because a transaction may call a million functions.
import { CodedError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { AbiType } from "../../move/abi.ts";
import { addressFromBytes, formatAddress } from "../../move/address.ts";
import { STATUS, VmError } from "../../vm/errors.ts";
import { Meter } from "../../vm/gas.ts";
import { encodeStored } from "../../vm/layout.ts";
import { type FunctionInstance, Linker } from "../../vm/linker.ts";
import type { AbortInfo } from "../../vm/publishing/metadata.ts";
import type { Session, SessionEvent, SessionResource, SessionTableItem, Tracer } from "../../vm/session.ts";
import { formatType, substitute, tagOf } from "../../vm/types.ts";
import { abstractSize, asRef, type Value } from "../../vm/values.ts";
import { AnswerText } from "./answer-text.ts";
import type { StoredValuePrinter } from "./move-json.ts";
import { STATUS_NAMES } from "./status-names.ts";

const MAX_CALLS = 1000;
/** Events of one trace, and places that it watches for writes. */
const MAX_KEPT = 1000;
/** BCS of one value, and of all values of one trace. */
const MAX_VALUE_BYTES = 16 << 10;
const MAX_VALUES_BYTES = 1 << 20;
/** Units of memory of all arguments that are looked at: it takes time to find out how long a value is. */
const MAX_LOOKED_AT = 4 << 20;
/** What does not fit in is left out. */
const MAX_CHARACTERS = 4 << 20;

/** Faults that only say that a value has no JSON form here. */
const UNPRINTABLE: ReadonlySet<string> = new Set(["unprintable", "corrupt", "module", "layout", "vm"]);

interface TracedValue {
  readonly type: AbiType;
  /** Undefined for a value that is too long, or has no BCS. */
  readonly bytes: Uint8Array | undefined;
}

type Place = SessionResource | SessionTableItem;

interface TracedCall {
  readonly depth: number;
  readonly callee: FunctionInstance;
  readonly args: readonly TracedValue[];
  readonly reads: Place[];
  readonly writes: Place[];
  readonly events: SessionEvent[];
  /** Reads and events that are not kept. */
  omitted: number;
  /** Gas that was left at the beginning. */
  readonly balance: number;
  gasUsed: number;
  isAborted: boolean;
}

/** What was noted of a session. */
class Noted {
  events = 0;
  /** Places of the session, and how many of them are not new. */
  readonly loaded: { readonly places: readonly Place[]; seen: number }[];
  /** Places that are not written yet. */
  clean: Place[] = [];
  /** Finds layouts without a charge to the traced run. */
  readonly linker: Linker;

  constructor({ options: { linker }, resources, tableItems }: Session) {
    this.loaded = [resources, tableItems].map((places) => ({ places, seen: 0 }));
    const { meter, hasDelayedFields } = linker;
    const source = linker.peek.bind(linker);
    const free = new Meter({ version: meter.version, prices: new Map() }, 0);
    free.isMetered = false;
    this.linker = new Linker({ meter: free, source, natives: () => undefined, hasDelayedFields });
  }
}

/** The machine's own addresses are 64 digits. */
function shortAddress(digits: string): string {
  return formatAddress(addressFromBytes(Buffer.from(digits, "hex")));
}

function shortModule(key: string): string {
  const [address = "", name] = key.split("::");
  return name === undefined ? key : `${shortAddress(address)}::${name}`;
}

function isWritten({ slot }: Place): boolean {
  return slot.isDirty || slot.hasAggregatorChange;
}

function placeText(place: Place): string {
  const told =
    "handle" in place
      ? { kind: "table_item", owner: shortAddress(place.handle), key: toPrefixedHex(place.key) }
      : { kind: "resource", owner: shortAddress(place.address), key: formatType(place.type) };
  return JSON.stringify(told);
}

export class CallTrace implements Tracer {
  readonly #calls: TracedCall[] = [];
  readonly #open: TracedCall[] = [];
  readonly #noted = new Map<Session, Noted>();
  /** Open calls that are left out. */
  #skipped = 0;
  #omitted = 0;
  #keptEvents = 0;
  #keptPlaces = 0;
  #isFull = false;
  #lookedAt = 0;
  #valueBytes = 0;
  #scaling = 1;
  #fault: { readonly error: VmError; readonly functionName: string | undefined } | undefined;

  begin(): void {
    this.#calls.length = this.#open.length = 0;
    this.#noted.clear();
    this.#skipped = this.#omitted = this.#lookedAt = this.#keptEvents = this.#keptPlaces = 0;
    this.#fault = undefined;
  }

  enter(callee: FunctionInstance, args: readonly Value[], session: Session): void {
    if (this.#calls.length === MAX_CALLS) {
      this.#skipped++;
      this.#omitted++;
      return;
    }
    const { linker } = this.#note(session);
    const { balance, scaling } = session.options.linker.meter;
    this.#scaling = scaling;
    const call: TracedCall = {
      depth: this.#open.length,
      callee,
      args: callee.definition.params.map((type, i) =>
        this.#argument(substitute(type, callee.typeArgs), args[i], linker),
      ),
      reads: [],
      writes: [],
      events: [],
      omitted: 0,
      balance,
      gasUsed: 0,
      isAborted: false,
    };
    this.#calls.push(call);
    this.#open.push(call);
  }

  leave(session: Session): void {
    if (this.#skipped > 0) this.#skipped--;
    else this.#end(session);
  }

  fail(error: unknown, session: Session): void {
    if (error instanceof VmError) {
      const [address = "", module] = error.location?.split("::") ?? [];
      const { linker } = session.options;
      const functions = module === undefined ? [] : linker.peek(address, module)?.program.functions;
      this.#fault = { error, functionName: functions?.[error.functionIndex ?? -1]?.name };
      for (const call of this.#open) call.isAborted = true;
    }
    this.#skipped = 0;
    while (this.#open.length > 0) this.#end(session);
  }

  #end(session: Session): void {
    this.#note(session);
    const call = this.#open.pop();
    if (call !== undefined) call.gasUsed = call.balance - session.options.linker.meter.balance;
  }

  /** Gives the innermost call what happened since the last time. */
  #note(session: Session): Noted {
    const noted = this.#noted.get(session) ?? new Noted(session);
    this.#noted.set(session, noted);
    const call = this.#open.at(-1);
    for (const one of noted.loaded)
      for (; one.seen < one.places.length; one.seen++) {
        const place = one.places[one.seen] as Place;
        if (this.#keptPlaces < MAX_KEPT) {
          this.#keptPlaces++;
          call?.reads.push(place);
          noted.clean.push(place);
        } else if (call !== undefined) call.omitted++;
      }
    const { events } = session;
    const kept = events.slice(noted.events, noted.events + MAX_KEPT - this.#keptEvents);
    this.#keptEvents += kept.length;
    if (call !== undefined) {
      for (const event of kept) call.events.push(event);
      call.omitted += events.length - noted.events - kept.length;
    }
    noted.events = events.length;
    if (noted.clean.some(isWritten)) {
      for (const place of noted.clean) if (isWritten(place)) call?.writes.push(place);
      noted.clean = noted.clean.filter((place) => !isWritten(place));
    }
    return noted;
  }

  /** An argument as it is now: the call may change it. */
  #argument(type: AbiType, given: Value | undefined, linker: Linker): TracedValue {
    try {
      if (type.kind === "reference") {
        const { bytes } = this.#argument(type.to, given && asRef(given).get(), linker);
        return { type, bytes };
      }
      if (given === undefined || this.#lookedAt > MAX_LOOKED_AT) return { type, bytes: undefined };
      const size = abstractSize(given);
      this.#lookedAt += size;
      // A number takes 40 units and up to 8 bytes: what is far longer is not encoded first.
      if (size > 5 * MAX_VALUE_BYTES) return { type, bytes: undefined };
      const bytes = encodeStored(given, linker.layout(type));
      return { type, bytes: bytes.length > MAX_VALUE_BYTES ? undefined : bytes };
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      return { type, bytes: undefined };
    }
  }

  /** The members of the answer, without its braces. */
  async print(
    printer: StoredValuePrinter,
    abortInfo: (location: string, code: bigint) => Promise<AbortInfo | undefined>,
  ): Promise<AnswerText> {
    const out = new AnswerText();
    const fault = await this.#faultJson(abortInfo);
    if (fault !== undefined) out.add(`"fault":${JSON.stringify(fault)},`);
    out.add(`"gas_scaling":"${this.#scaling}","calls":[`);
    let printed = 0;
    for (; printed < this.#calls.length && !this.#isFull; printed++) {
      if (printed > 0) out.add(",");
      await this.#printCall(out, this.#calls[printed] as TracedCall, printer);
      await printer.slices.pause();
    }
    return out.add(`],"omitted_calls":"${this.#omitted + this.#calls.length - printed}"`);
  }

  async #faultJson(
    abortInfo: (location: string, code: bigint) => Promise<AbortInfo | undefined>,
  ): Promise<object | undefined> {
    if (this.#fault === undefined) return undefined;
    const { error, functionName } = this.#fault;
    const { status, subStatus, location, offset, message } = error;
    const isAbort = status === STATUS.aborted && subStatus !== undefined;
    const info = isAbort && location !== undefined ? await abortInfo(location, subStatus) : undefined;
    return {
      status: STATUS_NAMES.get(status) ?? `${status}`,
      ...(location !== undefined && { location: shortModule(location) }),
      ...(functionName !== undefined && { function: functionName }),
      ...(offset !== undefined && { code_offset: offset }),
      ...(isAbort && { abort_code: `${subStatus}` }),
      ...(info && { reason_name: info.reasonName }),
      description: info?.description ?? message,
    };
  }

  async #printCall(out: AnswerText, call: TracedCall, printer: StoredValuePrinter): Promise<void> {
    const { depth, callee, args, reads, writes, events, gasUsed, isAborted } = call;
    const { module, definition, typeArgs } = callee;
    const name = `${shortModule(module.key)}::${definition.name}`;
    let { omitted } = call;
    const addList = async <T>(
      member: string,
      entries: readonly T[],
      print: (entry: T) => MaybePromise<AnswerText>,
    ): Promise<void> => {
      out.add(`,"${member}":[`);
      let printed = 0;
      for (; printed < entries.length && !this.#isFull; printed++) {
        const text = await print(entries[printed] as T);
        await printer.slices.pause();
        this.#isFull = out.length + text.length >= MAX_CHARACTERS;
        if (this.#isFull) break;
        if (printed > 0) out.add(",");
        out.append(text);
      }
      out.add("]");
      omitted += entries.length - printed;
    };
    const printPlace = (place: Place): AnswerText => new AnswerText().add(placeText(place));
    out.add(`{"depth":${depth},"function":${JSON.stringify(name)}`);
    await addList("type_arguments", typeArgs, (type) =>
      new AnswerText().add(JSON.stringify(formatType(type))),
    );
    await addList("arguments", args, (value) => this.#printValue(value, printer));
    out.add(`,"gas_used":"${Math.round(gasUsed)}"`);
    await addList("reads", reads, printPlace);
    await addList("writes", writes, printPlace);
    await addList("events", events, ({ type, data }) => this.#printValue({ type, bytes: data }, printer));
    out.add(`,"aborted":${isAborted}${omitted > 0 ? `,"omitted":"${omitted}"` : ""}}`);
  }

  async #printValue({ type, bytes }: TracedValue, printer: StoredValuePrinter): Promise<AnswerText> {
    const out = new AnswerText().add(`{"type":${JSON.stringify(formatType(type))}`);
    const length = bytes?.length ?? 0;
    if (bytes === undefined || length > MAX_VALUE_BYTES || this.#valueBytes + length > MAX_VALUES_BYTES)
      return out.add(',"omitted":true}');
    this.#valueBytes += length;
    const value = await printValue(printer, type.kind === "reference" ? type.to : type, bytes);
    if (value === undefined) return out.add(`,"bytes":"${toPrefixedHex(bytes)}"}`);
    return out.add(',"value":').append(value).add("}");
  }
}

/** Undefined for a value that is known as bytes alone, such as one of a module that the transaction itself publishes. */
async function printValue(
  printer: StoredValuePrinter,
  type: AbiType,
  bytes: Uint8Array,
): Promise<AnswerText | undefined> {
  // A signer is written as the enum that it is, and printed as its address.
  if (type.kind === "signer" && bytes.length === 33)
    return new AnswerText().add(`"${formatAddress(addressFromBytes(bytes.subarray(1)))}"`);
  try {
    return await printer.print(bytes, tagOf(type));
  } catch (error) {
    if (error instanceof CodedError && UNPRINTABLE.has(error.code)) return undefined;
    throw error;
  }
}
