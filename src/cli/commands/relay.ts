// `sextant relay`: webhooks for the events that fit a filter.
import { mkdir, readFile } from "node:fs/promises";
import { ConfigError, errorText } from "../../base/errors.ts";
import { integerOption, listOption, textOption } from "../../base/option.ts";
import { pause } from "../../base/wait.ts";
import { EVENT_STREAM_PATH } from "../../interface/route.ts";
import { parseOperand } from "../../node.ts";
import { command } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { createLogger } from "../log.ts";
import { loadCursor, Relay } from "../relay.ts";
import { NodeClient } from "../source/node-client.ts";
import { DEFAULT_URL, parseNodeUrl } from "../source/options.ts";

/** A receiver that takes longer is asked again. */
const RECEIVER_TIMEOUT_MS = 30_000;
const MIN_SECRET_BYTES = 16;

const filterOptions = {
  sender: listOption("Only events of transactions that this account sent", "ADDRESS"),
  function: listOption("Only events of transactions that call this entry function", "FUNCTION"),
  module: listOption("Only events whose type is of this module", "MODULE"),
  "event-type": listOption("Only events of this type", "TYPE"),
  account: listOption("Only events of transactions that touch this account", "ADDRESS"),
  "asset-type": listOption("Only events of transactions that write a store of this asset", "ASSET"),
};

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigError(`${name}: expected a value, got none`);
  return value;
}

/** The address of a receiver. Throws ConfigError. */
function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || url?.protocol === "http:") return url.href;
  throw new ConfigError(`--to: expected a URL with https: or http:, got ${text}`);
}

async function readSecret(path: string): Promise<Uint8Array> {
  const secret = await readFile(path).catch((error: unknown) => {
    throw new ConfigError(`--secret-file: cannot read ${path}: ${errorText(error)}`, error);
  });
  // An editor ends a file with a line feed.
  const bare = secret.at(-1) === 0x0a ? secret.subarray(0, -1) : secret;
  if (bare.length >= MIN_SECRET_BYTES) return bare;
  throw new ConfigError(
    `--secret-file: expected at least ${MIN_SECRET_BYTES} bytes in ${path}, got ${bare.length}`,
  );
}

export const relayCommand = command({
  name: "relay",
  operands: "",
  options: {
    node: textOption(`Node whose events are sent (default ${DEFAULT_URL})`, "URL"),
    to: textOption("Receiver: gets a POST request for each event", "URL"),
    "secret-file": textOption("File with the secret that signs the requests, at least 16 bytes", "FILE"),
    state: textOption("Directory of the cursor and of the dead letters; created if missing", "DIR"),
    from: textOption(
      "First version to send; without it, what comes after the latest. Another one than that of the run before begins there",
      "VERSION",
    ),
    "min-trust": textOption("Send an event once it has this trust level", "LEVEL"),
    attempts: integerOption("Attempts before an event goes to the dead letters", "COUNT", {
      fallback: 30,
      min: 1,
      max: 1_000_000,
    }),
    ...filterOptions,
  },
  examples: [
    "sextant relay --to https://shop.example/hooks --secret-file secret --state relay --account 0xcafe --min-trust proven",
  ],
  run: async (values, _, context) => {
    const [to, state] = [receiverUrl(required("--to", values.to)), required("--state", values.state)];
    const secret = await readSecret(required("--secret-file", values["secret-file"]));
    const from = values.from === undefined ? undefined : `${parseOperand("version", "--from", values.from)}`;
    await mkdir(state, { recursive: true });
    const query = new URLSearchParams(from === undefined ? {} : { start: from });
    if (values["min-trust"] !== undefined) query.append("min_trust", values["min-trust"]);
    for (const name of Object.keys(filterOptions) as (keyof typeof filterOptions)[]) {
      for (const value of values[name]) query.append(name.replace("-", "_"), value);
    }
    const root = parseNodeUrl(values.node ?? DEFAULT_URL, "--node");
    const url = `${root}${EVENT_STREAM_PATH}?${query}`;
    const logger = createLogger("info", "text");
    return interruptible(async (signal) => {
      const relay = new Relay({
        state,
        from,
        secret,
        attempts: values.attempts,
        post: async (headers, body) => {
          const ends = AbortSignal.any([signal, AbortSignal.timeout(RECEIVER_TIMEOUT_MS)]);
          const response = await fetch(to, {
            method: "POST",
            headers,
            body,
            signal: ends,
            redirect: "manual",
          });
          await response.body?.cancel();
          return response.status;
        },
        nowMs: Date.now,
        pause: async (ms) => {
          await pause(ms, signal);
          signal.throwIfAborted();
        },
        random: Math.random,
        logger,
      });
      const client = new NodeClient(root, 0);
      const cursor = await loadCursor(state);
      const after = cursor?.from === from ? cursor?.id : undefined;
      const note = (text: string): void => context.err(`sextant: ${text}`);
      for await (const event of client.events(url, after, note, signal)) await relay.take(event);
      throw signal.reason;
    }, RESUMES);
  },
});
