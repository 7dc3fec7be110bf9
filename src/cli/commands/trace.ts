// `sextant trace`: the calls of a transaction.
import { ConfigError, errorText } from "../../base/errors.ts";
import { switchOption } from "../../base/option.ts";
import { escapeControls } from "../../base/texts/text.ts";
import type { TraceAnswer, TracedCall, TracedValue } from "../../node.ts";
import { type CommandContext, command, EXIT_OK, operandsOf, readInput } from "../command.ts";
import { askSource } from "../source/open.ts";
import { minVersionOptions, sourceExclusions, sourceOptions } from "../source/options.ts";

/** Characters of one value. */
const SHOWN_LENGTH = 120;

function shown({ value, bytes, omitted }: TracedValue): string {
  if (omitted === true) return "…";
  const text = typeof value === "string" ? value : JSON.stringify(value ?? bytes);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

function* callLines(call: TracedCall, scaling: number): Iterable<string> {
  const { function: name, type_arguments: types, gas_used, reads, writes, events, aborted, omitted } = call;
  const generic = types.length === 0 ? "" : `<${types.join(", ")}>`;
  const gas = Number((Number(gas_used) / scaling).toFixed(3));
  const paid = gas === 0 ? "" : `  ${gas} gas`;
  yield `${name}${generic}(${call.arguments.map(shown).join(", ")})${paid}${aborted ? "  aborted" : ""}`;
  for (const { owner, key } of reads) yield `  reads ${key} of ${owner}`;
  for (const { owner, key } of writes) yield `  writes ${key} of ${owner}`;
  for (const event of events) yield `  emits ${event.type} ${shown(event)}`;
  if (omitted !== undefined) yield `  ${omitted} more entries are left out`;
}

function* linesOf(trace: TraceAnswer): Iterable<string> {
  const { calls, fault, omitted_calls: omitted } = trace;
  for (const call of calls)
    for (const line of callLines(call, Number(trace.gas_scaling))) yield `${"  ".repeat(call.depth)}${line}`;
  if (calls.length === 0)
    yield "no calls: the framework of this ledger has no code, or the transaction ran none";
  if (omitted !== "0") yield `${omitted} more calls are left out`;
  if (fault?.location !== undefined)
    yield `fault in ${fault.location}::${fault.function ?? ""} at instruction ${fault.code_offset}`;
  yield `${trace.vm_status}; ${trace.gas_used} gas`;
  if (trace.matches_ledger === false)
    yield "the ledger has another result: this run does not tell what it did";
}

/** A transaction in JSON; one without a signature gets the one of a simulation. */
async function requestIn(file: string, context: CommandContext): Promise<object> {
  const text = new TextDecoder().decode(await readInput(file, context));
  try {
    return { signature: { type: "no_account_signature" }, ...(JSON.parse(text) as object) };
  } catch (error) {
    throw new ConfigError(`${file}: expected a transaction in JSON: ${errorText(error)}`);
  }
}

export const traceCommand = command({
  name: "trace",
  operands: "VERSION|FILE|-",
  options: { ...sourceOptions, ...minVersionOptions, json: switchOption("Print the JSON response", false) },
  exclusions: sourceExclusions,
  examples: ["sextant trace 1234", "sextant trace request.json"],
  run: async (values, operands, context) => {
    const [what] = operandsOf(operands, ["VERSION or FILE"]);
    const asked = /^\d+$/.test(what) ? what : await requestIn(what, context);
    const answer = await askSource(values, (source) => source.trace(asked));
    if (values.json) context.out(answer);
    else for (const line of linesOf(JSON.parse(answer) as TraceAnswer)) context.out(escapeControls(line));
    return EXIT_OK;
  },
});
