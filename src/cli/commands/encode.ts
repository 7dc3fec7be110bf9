// `sextant encode` prints the bytes to sign for a transaction; `sextant explain` says what it would do.
import { ConfigError } from "../../base/errors.ts";
import { hexBytesFault } from "../../base/hex.ts";
import { switchOption } from "../../base/option.ts";
import { escapeControls } from "../../base/texts/text.ts";
import { encodeRoute, explainRoute } from "../../interface/routes.ts";
import type { Explanation } from "../../node.ts";
import { readInput } from "../command.ts";
import { questionCommand } from "../question-command.ts";
import { minVersionOptions, sourceOptions } from "../source/options.ts";
import { alignedLines } from "./info.ts";

export const encodeCommand = questionCommand({
  name: "encode",
  operands: ["FILE"],
  usage: "FILE|-",
  options: { ...sourceOptions, ...minVersionOptions, json: switchOption("Print a JSON object", false) },
  examples: ["sextant encode request.json", "sextant encode - < request.json"],
  prepare: ([file], _, context) => readInput(file, context),
  answer: async ({ source, prepared: request, values: { json }, context: { out } }) => {
    const message = JSON.parse(await source.read(encodeRoute, {}, request)) as string;
    out(json ? JSON.stringify({ signing_message: message }) : message);
  },
});

/** Characters of a file that a message shows. */
const SHOWN_LENGTH = 60;

/** The request in a file: a JSON object, or a signing message in hex, bare or as a JSON string. Throws ConfigError. */
function requestOf(file: string, bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes).trim();
  if (text.startsWith("{")) return bytes;
  const hex = /^"(.*)"$/.exec(text)?.[1] ?? text;
  const reason = hex === "" || hex === "0x" ? "it has no digits" : hexBytesFault(hex);
  if (reason !== undefined) {
    const got = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
    throw new ConfigError(
      `${file}: expected a signing message in hex, or a JSON object, got ${JSON.stringify(got)}: ${reason}`,
    );
  }
  return new TextEncoder().encode(JSON.stringify({ message: hex }));
}

/** JSON without characters that control a terminal or the reading direction. */
function visible(value: unknown): string {
  return escapeControls(JSON.stringify(value));
}

function callLines(call: Explanation["payload"]): Record<string, unknown> {
  if (call.type === "multisig_payload") {
    const inner = call.transaction_payload;
    return {
      multisig_address: call.multisig_address,
      ...(inner === undefined ? { runs: "the payload stored in the account" } : callLines(inner)),
    };
  }
  const shown: Record<string, unknown> =
    call.type === "script_payload" ? { script: `code hash ${call.code_hash}` } : { function: call.function };
  if (call.type_arguments.length > 0) shown.type_arguments = call.type_arguments.join(", ");
  for (const [i, { name, type, value, bytes }] of call.arguments.entries()) {
    const text = value === undefined ? `bytes ${bytes}` : visible(value);
    shown[`argument ${name ?? i}`] = type === undefined ? text : `${text} (${type})`;
  }
  return shown;
}

function linesOf(explanation: Explanation): string[] {
  const { secondary_signers: others, fee_payer: payer, replay_protection: replay, limits } = explanation;
  const { max_gas_amount: gas, gas_unit_price: price } = explanation;
  return alignedLines({
    kind: explanation.kind,
    chain_id: explanation.chain_id,
    sender: explanation.sender,
    ...(others === undefined ? {} : { secondary_signers: others.join(", ") || "none" }),
    ...(payer === undefined ? {} : { fee_payer: payer }),
    ...callLines(explanation.payload),
    ...(limits === undefined ? {} : { limits: JSON.stringify(limits) }),
    max_fee: `${explanation.max_fee} (${gas} gas at ${price})`,
    expiration: explanation.expiration ?? `${explanation.expiration_timestamp_secs} seconds`,
    [replay.type]: replay.type === "nonce" ? replay.nonce : replay.sequence_number,
    ...Object.fromEntries(
      explanation.warnings.map(({ code, message }, i) => [`warning ${i + 1}`, `${code}: ${message}`]),
    ),
    matches: "the fields encode to exactly these bytes",
  });
}

export const explainCommand = questionCommand({
  name: "explain",
  operands: ["FILE"],
  usage: "FILE|-",
  options: { ...sourceOptions, ...minVersionOptions, json: switchOption("Print the JSON response", false) },
  examples: ["sextant explain request.json", "sextant encode request.json | sextant explain -"],
  prepare: async ([file], _, context) => requestOf(file, await readInput(file, context)),
  answer: async ({ source, prepared: request, values: { json }, context: { out } }) => {
    const answer = await source.read(explainRoute, {}, request);
    if (json) out(answer);
    else for (const line of linesOf(JSON.parse(answer) as Explanation)) out(line);
  },
});
