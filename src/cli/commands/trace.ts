// `sextant trace`: the calls of a transaction.
import { ConfigError, errorText } from "../../base/errors.ts";
import { switchOption } from "../../base/option.ts";
import { escapeControls } from "../../base/texts/text.ts";
import { traceByVersionRoute, traceRoute } from "../../interface/routes.ts";
import type { TraceAnswer, TracedCall, TracedValue } from "../../node.ts";
import { type CommandContext, readInput } from "../command.ts";
import { questionCommand } from "../question-command.ts";
import { minVersionOptions, sourceOptions } from "../source/options.ts";

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

export const traceCommand = questionCommand({
  name: "trace",
  operands: ["VERSION or FILE"],
  usage: "VERSION|FILE|-",
  options: { ...sourceOptions, ...minVersionOptions, json: switchOption("Print the JSON response", false) },
  examples: ["sextant trace 1234", "sextant trace request.json"],
  prepare: async ([what], _, context): Promise<string | object> =>
    /^\d+$/.test(what) ? what : requestIn(what, context),
  answer: async ({ source, prepared: asked, values: { json }, context: { out } }) => {
    const answer =
      typeof asked === "string"
        ? await source.read(traceByVersionRoute, { txn_version: asked })
        : await source.read(traceRoute, {}, asked);
    if (json) out(answer);
    else for (const line of linesOf(JSON.parse(answer) as TraceAnswer)) out(escapeControls(line));
  },
});
